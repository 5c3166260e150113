"""Cautions about columns that are released unchanged and reveal a generalized quasi-identifier."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.cautions.caution import CautionFinding, after, quoted, share
from sfumato.assess.cautions.view import ReleaseView, ViewedColumn
from sfumato.hierarchies import Domain
from sfumato.table.kernels.classes import class_bounds

#: A value that fewer rows have says little about what usually goes with it.
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
    for column in view.with_role("plain", "sensitive"):
        if column.name not in drawn.columns or len(column.values) * SUPPORT > 2 * len(drawn.codes):
            continue  # too few values have enough rows
        groups = drawn.columns[column.name].astype(np.int32)
        sizes, lo, hi = class_bounds(drawn.codes, groups, len(column.values) + 1)
        supported = sizes >= SUPPORT
        for at, domain in enumerate(domains):
            readable = np.where(supported, domain.span_costs(lo[:, at], hi[:, at]), np.inf)
            # Most columns reveal nothing of most others, which their values show without a pass over the rows.
            if 2 * readable.min() <= shown[at].max(initial=0.0):
                yield from _finding(column, domain, readable[groups], shown[at], drawn.said)


def _finding(
    column: ViewedColumn,
    domain: Domain,
    readable: NDArray[np.float64],
    shown: NDArray[np.float64],
    sampled: str,
) -> Iterator[CautionFinding]:
    hidden = int(np.count_nonzero(shown > 0))
    better = (shown > 0) & (readable <= shown / 2)
    exactly = int(np.count_nonzero(better & (readable == 0)))
    count = int(np.count_nonzero(better))
    if not hidden or count < WORTH_TELLING * hidden:
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
