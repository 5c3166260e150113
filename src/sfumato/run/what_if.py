"""What-if questions: the cost of a request that differs in one setting, compared with the original request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sfumato.common import parameters
from sfumato.errors import SchemaError, listed
from sfumato.loss import LossReport
from sfumato.privacy import KAnonymity
from sfumato.run.request import Request
from sfumato.table.schema import Schema


def other_request(request: Request, names: Sequence[str], wish: str, value: object) -> tuple[Request, str]:
    """Change one setting of a request; return the request and the change in words.

    Parameters
    ----------
    request, names
        The request, and the quasi-identifiers.
    wish, value
        ``"k"``, ``"suppression"`` or ``"without"``, and its value.
    """
    if wish == "k":
        k = parameters.integer("explain", "k", value, at_least=1)
        others = tuple(model for model in request.privacy if not isinstance(model, KAnonymity))
        return replace(request, privacy=(KAnonymity(k), *others)), f"With k={k}"
    if wish == "suppression":
        share = parameters.share("explain", "suppression", value)
        return replace(request, suppression=share), f"With up to {share:.1%} of the rows left out"
    if value not in names or len(names) == 1:
        raise SchemaError(
            f"'{value}' cannot be dropped: it is no quasi-identifier, or the only one. Quasi-identifiers: "
            f"{listed(names)}."
        )
    schema = request.schema
    left = {name: how for name, how in schema.quasi_identifiers.items() if name != value}
    weights = {name: weight for name, weight in schema.weights.items() if name in left}
    return replace(request, schema=Schema(left, schema.sensitive, rest="drop", weights=weights)), f"Without {value}"


class Cost(NamedTuple):
    """The cost of an outcome: its loss, its number of classes, and the rows that the method left out."""

    loss: LossReport
    classes: int
    suppressed: int


def compared(said: str, before: Cost, after: Cost, method: str, seconds: float) -> str:
    """Compare two outcomes in words; if a column is dropped, the loss is that of the others."""
    names = list(after.loss.by_attribute)
    dropped = len(names) < len(before.loss.by_attribute)
    of = " of the other columns" if dropped else ""
    losses = [
        float(np.mean([one.loss.by_attribute[name] for name in names])) if dropped else float(one.loss["gcp"])
        for one in (before, after)
    ]
    return (
        f"{said}: loss{of} {losses[0]:.4f} → {losses[1]:.4f}, {before.classes:,} → {after.classes:,} classes; "
        f"{before.suppressed:,} → {after.suppressed:,} rows left out. ({method} was run again, {seconds:.1f} s.)"
    )
