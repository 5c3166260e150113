"""Cautions about columns that are released unchanged and reveal a generalized quasi-identifier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.cautions.caution import CautionFinding, after, quoted, share
from sfumato.assess.cautions.view import Drawn, ReleaseView, ViewedColumn
from sfumato.hierarchies import Domain
from sfumato.table.kernels.classes import class_bounds

#: What goes with a value that fewer rows have may go with it by chance, which is then measured.
SUPPORT = 20
#: The share of the hidden values that a column must reveal before it is worth a caution.
WORTH_TELLING = 0.2
#: Larger tables are sampled at regular steps; a column that reveals another does so in any part.
SAMPLE = 200_000


@after("tells-hidden")
def tells_hidden(view: ReleaseView) -> Iterator[CautionFinding]:
    """Find plain and sensitive columns that reveal a quasi-identifier more closely than the release shows it."""
    drawn = view.drawn(SAMPLE)
    domains = view.microdata.domains
    shown = [domain.span_costs(drawn.lo[:, at], drawn.hi[:, at]) for at, domain in enumerate(domains)]
    # The same rows in another order: what a column tells of them, it tells by chance.
    shuffled = np.random.default_rng(0).permutation(len(drawn.codes))
    for column in view.with_role("plain", "sensitive"):
        if column.name not in drawn.columns:
            continue
        groups = drawn.columns[column.name].astype(np.int32)
        told = _Spans.of(drawn, groups, len(column.values) + 1)
        if np.count_nonzero(told.sizes[groups] >= told.least) < WORTH_TELLING * len(groups):
            continue  # nearly every row has a value of its own, which is another caution
        by_chance = _Spans.of(drawn, groups[shuffled], len(column.values) + 1)
        for at, domain in enumerate(domains):
            readable = told.costs(at, domain)
            # Most columns reveal nothing of most others, which their values show without a pass over the rows.
            if 2 * readable.min() <= shown[at].max(initial=0.0):
                chance = by_chance.costs(at, domain)[groups[shuffled]]
                lucky = int(np.count_nonzero(_closer(chance, shown[at]) & (told.sizes[groups[shuffled]] < SUPPORT)))
                yield from _finding(column, domain, readable[groups], shown[at], lucky, drawn.said)


class _Spans(NamedTuple):
    """The rows of every value of a column: how many, and the quasi-identifiers that they span.

    Values of fewer rows than ``least`` tell nothing: a single row says nothing about others, nor does one drawn twice.
    """

    sizes: NDArray[np.int64]
    lo: NDArray[np.integer]
    hi: NDArray[np.integer]
    least: int

    @classmethod
    def of(cls, drawn: Drawn, groups: NDArray[np.int32], values: int) -> _Spans:
        return cls(*class_bounds(drawn.codes, groups, values), SUPPORT if drawn.again else 2)

    def costs(self, at: int, domain: Domain) -> NDArray[np.float64]:
        """What the span of every value loses of a quasi-identifier."""
        return np.where(self.sizes >= self.least, domain.span_costs(self.lo[:, at], self.hi[:, at]), np.inf)


def _closer(readable: NDArray[np.float64], shown: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which rows a column tells at least twice as closely as the release shows them."""
    return (shown > 0) & (readable <= shown / 2)


def _finding(
    column: ViewedColumn,
    domain: Domain,
    readable: NDArray[np.float64],
    shown: NDArray[np.float64],
    lucky: int,
    sampled: str,
) -> Iterator[CautionFinding]:
    hidden = int(np.count_nonzero(shown > 0))
    better = _closer(readable, shown)
    exactly = int(np.count_nonzero(better & (readable == 0)))
    count = int(np.count_nonzero(better))
    if not hidden or count - lucky < WORTH_TELLING * hidden:
        return
    precisely = "exactly" if exactly == count else f"at least twice as closely, in {exactly:,} exactly"
    yield CautionFinding(
        "warning",
        (column.name,),
        count,
        f"The {column.role} column {quoted(column.name)} tells {quoted(domain.name)} in {share(count, hidden)} rows "
        f"that hide it: {precisely}{sampled}.",
        f"Declare {quoted(column.name)} as a quasi-identifier too, or drop it."
        if column.role == "plain"
        else f"Ask whether {quoted(domain.name)} is worth hiding, or drop {quoted(column.name)}.",
    )
