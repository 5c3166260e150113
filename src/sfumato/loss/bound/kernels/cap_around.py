"""Lowering prices until no box is overpriced, row by row: boxes around a row that lose about so much.

All intervals of several numbers are too many to list. But a box that is overpriced holds a row that pays more than the
box loses per row, and every other row in it is so near that the two together lose no more than the box. So boxes are
looked for around such rows, in bundles: all boxes between an inner one and an outer one. A bundle is fine if the k
highest prices in the outer box are, on average, at most what the inner one loses. If not, it is split in two.

Seen from a row, a box is how far it reaches, in coin: below and above in numbers, up the tree in categories.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.loss.bound.kernels.cap_layer import SLACK, FoundBoxes, keep, overpriced, worth_a_look
from sfumato.loss.bound.kernels.highest_prices import (
    Highest,
    PricedRows,
    can_be_class,
    cap_level,
    clear,
    entry,
    insert,
    mix,
    no_prices,
    top_sum,
)
from sfumato.loss.bound.kernels.nearby_rows import Near, offset, rows_within
from sfumato.table.kernels.spans import Spans

#: Bundles that wait to be looked at, at most, and how many rows they may list for every row of the table.
DEPTH, LISTED = 200, 8

#: How far the boxes of a bundle reach from a row, below and above: the inner one, and the outer one.
INNER_LO, INNER_HI, OUTER_LO, OUTER_HI = range(4)


class LossLevel(NamedTuple):
    """Boxes that lose at least ``least`` and at most ``most`` per row.

    Attributes
    ----------
    tolerance
        By which share the outer box of a bundle may lose more than the inner one without being split.
    work
        How many rows may be looked at around one row, bundle by bundle.
    """

    least: float
    most: float
    tolerance: float
    work: int


class Room(NamedTuple):
    """Room for the rows around a row, and for bundles that wait.

    Attributes
    ----------
    gathered, rows, offsets
        How many rows are around, which, and how far each is away in every attribute, in coin: below 0 for smaller
        numbers.
    reach
        How far the boxes of every bundle reach.
    begins, ends, listed
        Which rows may lie in the boxes of a bundle, as a part of one list of places in ``rows``.
    box
        How far the rows of a bundle are away at most, below and above.
    """

    gathered: NDArray[np.int64]
    rows: NDArray[np.int32]
    offsets: NDArray[np.float64]
    reach: NDArray[np.float64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    listed: NDArray[np.int32]
    box: NDArray[np.float64]


@kernel
def cap_around(
    chosen: NDArray[np.int64],
    done: NDArray[np.bool_],
    near: Near,
    rows: PricedRows,
    reach: NDArray[np.float64],
    k: int,
    spans: Spans,
    level: LossLevel,
    found: FoundBoxes,
    used: int,
) -> int:
    """Lower the prices in every overpriced box of a level around the chosen rows; return how many boxes were found.

    ``reach`` is what every row loses at least, whatever box of k rows it is in. ``done`` notes the rows around which
    every box of the level was looked at: others need not look at these again. Where that takes too much work, the row
    pays no more than the cheapest box of the level loses.
    """
    highest, room = no_prices(k, rows), room_for(near.codes, level.work)
    for row in chosen:
        around = LossLevel(max(level.least, reach[row]), level.most, level.tolerance, level.work)
        if rows.prices[row] > around.least * (1 + SLACK):
            done[row], used = _cap_around_row(row, done, near, rows, k, spans, around, highest, room, found, used)
            if not done[row]:
                rows.prices[row] = min(rows.prices[row], around.least)
    return used


@inner
def room_for(codes: NDArray[np.integer], work: int) -> Room:
    """Return room for as many rows as may be looked at, and one more to see that they are too many."""
    count, width = min(len(codes), work) + 1, codes.shape[1]
    return Room(
        np.zeros(1, np.int64),
        np.empty(count, np.int32),
        np.empty((count, width)),
        np.empty((DEPTH, 4, width)),
        np.empty(DEPTH, np.int64),
        np.empty(DEPTH, np.int64),
        np.empty(LISTED * count, np.int32),
        np.empty((2, width)),
    )


@inner
def _cap_around_row(
    row: int,
    done: NDArray[np.bool_],
    near: Near,
    rows: PricedRows,
    k: int,
    spans: Spans,
    level: LossLevel,
    highest: Highest,
    room: Room,
    found: FoundBoxes,
    used: int,
) -> tuple[bool, int]:
    """Look at all boxes of a level around a row; return whether that could be finished, and the boxes found so far."""
    gathered = rows_within(row, done, near, spans, level.most, room.rows)
    room.gathered[0] = gathered
    if gathered > level.work:
        return False, used
    if not worth_a_look(room.rows, 0, gathered, rows, k, level.least):
        return True, used
    _begin(row, near.codes, rows, spans, room)
    waiting, work = 1, 0
    while waiting > 0:
        waiting -= 1
        reach, begin, end = room.reach[waiting], room.begins[waiting], room.ends[waiting]
        work += end - begin
        if work > level.work or end + (end - begin) > len(room.listed):
            return False, used
        last = _narrow(reach, begin, end, rows, k, spans, level.most, highest, room)
        limit = max(box_loss(reach[INNER_LO], reach[INNER_HI], spans), level.least)
        if not can_be_class(highest, k) or not overpriced(top_sum(highest, k), k * limit):
            continue
        if box_loss(reach[OUTER_LO], reach[OUTER_HI], spans) <= limit * (1 + level.tolerance):
            used = keep(highest, k, limit, -1, row, row, found, used)
            cut = cap_level(highest, k, k * limit)
            for at in range(end, last):
                lowered = room.rows[room.listed[at]]
                rows.prices[lowered] = min(rows.prices[lowered], cut)
            if rows.prices[row] <= level.least * (1 + level.tolerance):
                return False, used
            continue
        if waiting + 2 > DEPTH:
            return False, used
        split(waiting, end, last, room)
        waiting += 2
    return True, used


@inner
def _begin(row: int, codes: NDArray[np.int64], rows: PricedRows, spans: Spans, room: Room) -> None:
    """List the rows around a row, dearest first, and the bundle of all boxes that hold the row."""
    gathered = room.gathered[0]
    asked = np.empty(gathered)
    for at in range(gathered):
        asked[at] = -rows.prices[room.rows[at]]
    # Then few of the later ones have to be put among the highest prices.
    room.rows[:gathered] = room.rows[:gathered][np.argsort(asked)]
    for at in range(gathered):
        room.listed[at] = at
        for attribute in range(codes.shape[1]):
            other = codes[room.rows[at], attribute]
            room.offsets[at, attribute] = offset(spans, attribute, codes[row, attribute], other)
    room.reach[0, :OUTER_LO], room.reach[0, OUTER_LO:] = 0.0, np.inf
    room.begins[0], room.ends[0] = 0, gathered


@inner
def box_loss(below: NDArray[np.float64], above: NDArray[np.float64], spans: Spans) -> float:
    """Return what a box loses that reaches so far."""
    total = 0.0
    for attribute in range(len(below)):
        total += min(below[attribute] + above[attribute], spans.weight[attribute])
    return total


@inner
def _narrow(
    reach: NDArray[np.float64],
    begin: int,
    end: int,
    rows: PricedRows,
    k: int,
    spans: Spans,
    most: float,
    highest: Highest,
    room: Room,
) -> int:
    """List the rows that some box of a bundle can hold behind those before, and narrow the outer box to them.

    Return where they end; what they pay is among the highest prices.
    """
    clear(highest)
    lowest, plain = entry(highest, rows, k), rows.most >= k
    last, inside = end, 0
    room.box[0], room.box[1] = reach[INNER_LO], reach[INNER_HI]
    for at in range(begin, end):
        place = room.listed[at]
        if not fits(room.offsets, place, reach, spans.weight, most):
            continue
        room.listed[last] = place
        last += 1
        row = room.rows[place]
        inside += rows.counts[row]
        for attribute in range(reach.shape[1]):
            away = room.offsets[place, attribute]
            room.box[0, attribute] = max(room.box[0, attribute], -away)
            room.box[1, attribute] = max(room.box[1, attribute], away)
        if rows.prices[row] > lowest:
            insert(highest, row, rows, k)
            if not plain:
                mix(highest, rows, k)
            lowest = entry(highest, rows, k)
    if plain and inside >= k:  # rows that pay nothing are not among the highest prices, but make a class
        highest.kept[0] = max(highest.kept[0], k)
    reach[OUTER_LO], reach[OUTER_HI] = room.box[0], room.box[1]
    return last


@inner
def fits(
    offsets: NDArray[np.float64],
    place: int,
    reach: NDArray[np.float64],
    weight: NDArray[np.float64],
    most: float,
) -> bool:
    """Return whether a row lies in the outer box, and together with the inner one loses at most so much."""
    total = 0.0
    for attribute in range(reach.shape[1]):
        this = offsets[place, attribute]
        if this > reach[OUTER_HI, attribute] or -this > reach[OUTER_LO, attribute]:
            return False
        wide = max(this, reach[INNER_HI, attribute]) + max(-this, reach[INNER_LO, attribute])
        total += min(wide, weight[attribute])
        if total > most:
            return False
    return True


@inner
def split(at: int, begin: int, end: int, room: Room) -> None:
    """Split a bundle in two: boxes that reach some row on the side where inner and outer box differ most, or not."""
    reach = room.reach[at]
    side, chosen, widest = 0, 0, -1.0
    for low_or_high in range(2):
        for attribute in range(reach.shape[1]):
            wide = reach[OUTER_LO + low_or_high, attribute] - reach[low_or_high, attribute]
            if wide > widest:
                side, chosen, widest = low_or_high, attribute, wide
    nearer, farther = _middle(side, chosen, reach[side, chosen] + widest / 2, begin, end, room)
    room.reach[at + 1] = reach
    for child in range(at, at + 2):
        room.begins[child], room.ends[child] = begin, end
    room.reach[at, side, chosen] = farther
    room.reach[at + 1, OUTER_LO + side, chosen] = nearer


@inner
def _middle(side: int, attribute: int, half: float, begin: int, end: int, room: Room) -> tuple[float, float]:
    """Return how far away the last row before the half is, not counting those inside, and the first one behind it."""
    nearer, farther = 0.0, np.inf
    for at in range(begin, end):
        away = room.offsets[room.listed[at], attribute]
        away = away if side else -away
        if away <= half:
            nearer = max(nearer, away)
        else:
            farther = min(farther, away)
    return nearer, farther
