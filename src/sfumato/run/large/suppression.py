"""How many rows of each part may be suppressed: the budget of the table, spent where it saves most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sfumato.methods import Task
from sfumato.methods.on_engine import EngineSupport, PartsAlongOrder, Priced
from sfumato.privacy import BetaLikeness, DeltaDisclosure, KAnonymity, PrivacyModel, Requirements, TCloseness
from sfumato.run.large.coded_table import CodedTable
from sfumato.run.large.engine import NOTHING, Finished

#: The prices tried: what a row must save beyond its own loss to be worth suppressing.
EXTRAS = (0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0)

#: Models that compare classes with the release as a whole.
COMPARING = (TCloseness, BetaLikeness, DeltaDisclosure)


class Curve(NamedTuple):
    """How many rows of a part are worth suppressing at each price of ``EXTRAS``."""

    part: int
    counts: list[float]


def pricing(support: EngineSupport | None, models: Sequence[PrivacyModel]) -> Priced | None:
    """The function that counts the rows worth suppressing at each price; None if it does not hold for the models."""
    only_sizes = all(isinstance(model, KAnonymity) for model in models)
    return support.priced if only_sizes and isinstance(support, PartsAlongOrder) else None


@dataclass(frozen=True)
class Price:
    """Finds out how many rows of a part save more than each price by being left out."""

    table: CodedTable
    priced: Priced
    models: tuple[PrivacyModel, ...]

    def __call__(self, part: int, rows: pa.Table) -> Finished:
        """Let the method count them."""
        microdata = self.table.microdata(rows)
        counts = self.priced(Task(microdata, Requirements(self.models, microdata)), EXTRAS)
        return Finished(NOTHING.empty_table(), Curve(part, list(counts)))


def spent(budget: int, sizes: Sequence[int], curves: Sequence[Curve]) -> list[int]:
    """Divide the budget: each part gets what it would spend at the one price at which all parts spend the budget."""
    counts = np.array([curve.counts for curve in curves])
    totals = counts.sum(axis=0)
    if totals[0] <= budget:
        # The budget exceeds what is worth suppressing between runs; the rest can be spent within runs.
        worth = in_proportion(int(totals[0]), counts[:, 0], sizes)
        return [own + more for own, more in zip(worth, in_proportion(budget - sum(worth), sizes, sizes), strict=True)]
    at = int(np.searchsorted(-totals, -budget))
    if at == len(totals):
        return in_proportion(budget, counts[:, -1], sizes)
    share = (budget - totals[at]) / max(1e-9, totals[at - 1] - totals[at])
    return in_proportion(budget, counts[:, at] + share * (counts[:, at - 1] - counts[:, at]), sizes)


def in_proportion(budget: int, wanted: Sequence[float] | np.ndarray, most: Sequence[int]) -> list[int]:
    """Divide a budget in proportion to what is wanted, at most ``most`` rows for each part.

    >>> in_proportion(8, [1, 3], [100, 100])
    [2, 6]
    """
    ends = np.rint(np.cumsum(wanted) * (budget / max(1e-9, float(np.sum(wanted))))).astype(np.int64)
    given = np.diff(np.append(0, ends))
    return [int(min(own, limit)) for own, limit in zip(given, most, strict=True)]
