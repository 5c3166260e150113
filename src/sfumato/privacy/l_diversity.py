"""l-diversity in its four variants: the sensitive values of every class are well mixed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import invalid_parameter, shortened
from sfumato.privacy.base import Rule, SensitiveModel
from sfumato.table.encoding import FEWEST_TO_NAME
from sfumato.table.kernels import rules
from sfumato.table.kernels.rules import TOLERANCE
from sfumato.table.microdata import Microdata, SensitiveColumn

KINDS = {
    "frequency": rules.FREQUENCY,
    "distinct": rules.DISTINCT,
    "entropy": rules.ENTROPY,
    "recursive": rules.RECURSIVE,
}


#: The advice for a column in which one value is frequent everywhere.
INSTEAD = "Or ask for t-closeness, which any table can keep: t=0.2."


@dataclass(frozen=True)
class LDiversity(SensitiveModel):
    """The sensitive values of every class are well mixed.

    Parameters
    ----------
    l
        How well: at least 1. A whole number for the kinds ``distinct`` and ``recursive``.
    kind
        ``"frequency"``: no value makes up more than 1/l of a class. ``"distinct"``: at least l different values.
        ``"entropy"``: an entropy of at least log l. ``"recursive"``: the most frequent value occurs less than ``c``
        times as often as the l-th most frequent value and all rarer ones together.
    c
        The factor of the recursive kind.
    column
        The sensitive column that it constrains; None for all of them.
    """

    l: float  # noqa: E741
    kind: str = "frequency"
    c: float | None = None
    name: ClassVar[str] = "l-diversity"

    def __post_init__(self) -> None:
        parameters.choice("LDiversity", "kind", self.kind, tuple(KINDS))
        if self.kind in {"distinct", "recursive"}:
            object.__setattr__(self, "l", parameters.integer("LDiversity", "l", self.l, at_least=1))
        else:
            number = parameters.number("LDiversity", "l", self.l, at_least=1)
            object.__setattr__(self, "l", int(number) if number.is_integer() else number)
        if self.kind == "recursive":
            parameters.number("LDiversity", "c", self.c, above=0, hint="Recursive l-diversity needs it, such as c=3.")
        elif self.c is not None:
            raise invalid_parameter("LDiversity", "c", "left out unless kind='recursive'", self.c)

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        return [Rule(self, KINDS[self.kind], column, self.l, self.c or 0.0) for column in self.columns(microdata)]

    def holds_for(
        self, counts: NDArray[np.int64], rule: Rule, table: NDArray[np.int64] | None = None
    ) -> NDArray[np.bool_]:
        if self.kind == "frequency":
            return counts.max(axis=1) * self.l <= counts.sum(axis=1) * (1 + TOLERANCE)
        if self.kind == "distinct":
            return np.count_nonzero(counts, axis=1) >= self.l
        if self.kind == "entropy":
            return entropy(counts) >= math.log(self.l) * (1 - TOLERANCE)
        ordered = -np.sort(-counts, axis=1)
        rare = ordered[:, int(self.l) - 1 :].sum(axis=1)
        return ordered[:, 0] < (self.c or 0.0) * rare * (1 - TOLERANCE)

    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        column = microdata.sensitive[rule.column]
        counts = np.sort(column.counts())[::-1]
        found = np.count_nonzero(counts)
        why = f"{self.describe()} is not possible for '{column.name}': "
        if self.kind == "distinct":
            return why + f"it has only {found} distinct values. The largest l that works is {found}."
        if self.kind == "entropy":
            best = math.exp(float(entropy(counts[None])[0]))
            return why + f"its entropy reaches only l={_floor(best)}, which is the largest l that works. {INSTEAD}"
        if self.kind == "recursive":
            return why + f"{self._nearest_recursive(counts[:found])} {INSTEAD}"
        share = counts[0] / counts.sum()
        return why + (
            f"its most frequent value{most_frequent(column)} makes up {share:.1%} of the rows, more than 1/{self.l:g}. "
            f"The largest l that works is {_floor(1 / share)}. {INSTEAD}"
        )

    def _nearest_recursive(self, counts: NDArray[np.int64]) -> str:
        """Name the nearest c, if some c works, and the nearest l."""
        tails = counts[::-1].cumsum()[::-1]
        working = np.flatnonzero(counts[0] < (self.c or 0.0) * tails * (1 - TOLERANCE))
        hints = [f"With c={self.c:g} the largest l that works is {working[-1] + 1}."] if len(working) else []
        if len(counts) < self.l:
            return " ".join([f"it has only {len(counts)} distinct values.", *hints])
        least = math.ceil(counts[0] / tails[int(self.l) - 1] * 1e4) / 1e4
        hints.insert(0, f"With l={self.l} any c above {least:.4f} works.")
        return " ".join(["its most frequent value is too frequent.", *hints])

    def describe(self) -> str:
        """Describe the model in a few words."""
        factor = f", c={self.c:g}" if self.c is not None else ""
        return f"l={self.l:g} ({self.kind}{factor})"

    def smallest_class(self) -> int:
        return math.ceil(self.l - TOLERANCE)

    def to_policy(self) -> dict[str, Any]:
        policy = {"model": self.name, "l": self.l, "kind": self.kind, "c": self.c, "column": self.column}
        return {key: value for key, value in policy.items() if value is not None}


def most_frequent(column: SensitiveColumn) -> str:
    """Name the most frequent value if enough rows have it to make it a fact about the table, not about a person.

    Sensitive values are released unchanged, so any release would show it and its share.
    """
    counts = column.counts()
    if counts.max() < FEWEST_TO_NAME:
        return ""
    value = column.values[int(counts.argmax())].cast(pa.string()).as_py()
    return ", a missing one," if value is None else f", {shortened(value)},"


def entropy(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute the entropy of every row of counts, in nats."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    return -np.sum(shares * np.log(shares, where=shares > 0, out=np.zeros_like(shares)), axis=1)


def _floor(value: float) -> str:
    """Show a bound on l without rounding it up."""
    return f"{math.floor(value * 100 + TOLERANCE) / 100:.2f}".rstrip("0").rstrip(".")
