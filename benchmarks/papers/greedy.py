"""Two greedy methods, closer to the text of 2006 than Sfumato's Mondrian, on the same cuts as EnumMulti."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy import PrivacyModel, Requirements
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

Rows = NDArray[np.int64]

#: A block: its rows, and the first and the last slab between cuts of every attribute.
Block = tuple[Rows, list[int], list[int]]

#: Where to cut an attribute, given the codes of a block and the codes at which a cut may begin a new side: the first
#: code on the right, None for no cut.
Choice = Callable[[Rows, Rows], int | None]


def nearest_to_median(codes: Rows, cuts: Rows) -> int | None:
    """Choose the cut that divides a block most evenly."""
    if not len(cuts):
        return None
    left = np.searchsorted(np.sort(codes), cuts)
    return int(cuts[np.abs(2 * left - len(codes)).argmin()])


def median_itself(codes: Rows, cuts: Rows) -> int | None:
    """Choose the median, rows that have it on the left, if there is a cut just there."""
    after = int(np.sort(codes)[(len(codes) - 1) // 2]) + 1
    return after if after in cuts else None


def strict_greedy(
    microdata: Microdata,
    models: Sequence[PrivacyModel],
    cuts: Sequence[Rows],
    choose: Choice,
    least: Sequence[int] | None = None,
) -> float:
    """The discernibility of a Mondrian that has a single choice for every block.

    It takes the attribute that is widest, as a share of what the table spans, and there the cut that is chosen. Without
    one, or if a side is then not allowed, the block is final: no other cut and no other attribute is tried. Sfumato's
    own Mondrian tries both cuts around the median, in every attribute. Models that compare a class with the table are
    not for this function. A block must hold at least ``least`` slabs of every attribute, which bounds its length from
    edge to edge.
    """
    requirements = Requirements(tuple(models), microdata)
    wanted = list(least or [1] * len(cuts))
    waiting: list[Block] = [(np.arange(len(microdata)), [0] * len(cuts), [len(places) for places in cuts])]
    total = 0
    while waiting:
        block = waiting.pop()
        sides = _sides(microdata, block, cuts, choose, wanted)
        if sides and all(_allowed(requirements, side[0]) for side in sides):
            waiting += sides
        else:
            total += len(block[0]) ** 2
    return float(total)


def _sides(microdata: Microdata, block: Block, cuts: Sequence[Rows], choose: Choice, least: list[int]) -> list[Block]:
    """Both sides of the one cut that is chosen, if there is one that leaves both sides long enough."""
    rows, first, last = block
    at = _widest(microdata, rows)
    codes = microdata.codes[rows, at].astype(np.int64)
    possible = cuts[at][first[at] + least[at] - 1 : max(last[at] - least[at] + 1, 0)]
    begin = choose(codes, possible)
    if begin is None:
        return []
    slab = int(np.searchsorted(cuts[at], begin)) + 1
    left = (rows[codes < begin], first, [*last[:at], slab - 1, *last[at + 1 :]])
    return [left, (rows[codes >= begin], [*first[:at], slab, *first[at + 1 :]], last)]


def _widest(microdata: Microdata, block: Rows) -> int:
    codes = microdata.codes[block]
    lo, hi = codes.min(axis=0), codes.max(axis=0)
    widths = [domain.span_costs(lo[at : at + 1], hi[at : at + 1])[0] for at, domain in enumerate(microdata.domains)]
    return int(np.argmax(widths))


def _allowed(requirements: Requirements, rows: Rows) -> bool:
    if len(rows) < requirements.smallest_class:
        return False
    alone = requirements.microdata.take(rows)
    classes = EquivalenceClasses.of(alone, Recoding(classes=np.zeros(len(rows), np.int32)))
    return all(rule.model.holds(rule, alone, classes)[0] for rule in requirements.bound)
