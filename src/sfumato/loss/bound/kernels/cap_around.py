"""Cap prices around rows: lower them until no box of a given level of loss is overpriced.

The intervals of several numeric attributes are too many to list. But an overpriced box holds a row that pays more than
the box loses per row, and every other row in it is so near that the two together lose no more than the box. So boxes
are searched for around such rows, in bundles: all boxes between an inner and an outer one. A bundle is fine if the mean
of the k highest prices in the outer box is at most what the inner box loses; otherwise it is split in two.

A box is described by how far it reaches from a row, in units of loss: below and above it for numbers, up the tree for
categories.
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

#: The most waiting bundles, and how many rows they may list per row of the table.
DEPTH, LISTED = 200, 8

#: How far the boxes of a bundle reach from a row, below and above: the inner one, and the outer one.
INNER_LO, INNER_HI, OUTER_LO, OUTER_HI = range(4)


class LossLevel(NamedTuple):
    """Boxes that lose at least ``least`` and at most ``most`` per row.

    Attributes
    ----------
    tolerance
        A bundle whose outer box loses at most this share more than its inner box is not split.
    work
        The most rows to examine around one row, summed over bundles.
    """

    least: float
    most: float
    tolerance: float
    work: int


class Room(NamedTuple):
    """Scratch for the rows around a row, and for waiting bundles.

    Attributes
    ----------
    gathered, rows, offsets
        How many rows are around, which, and how far away each is in every attribute, in units of loss: negative for
        smaller numbers.
    reach
        How far the boxes of every bundle reach.
    begins, ends, listed
        Which rows may lie in the boxes of a bundle, as a part of one list of places in ``rows``.
    box
        How far away the rows of a bundle are at most, below and above.
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

    ``reach`` is the least loss of every row in any box of k rows. ``done`` marks the rows around which every box of the
    level was examined, so that other rows can skip these. If that takes too much work, the row pays at most what the
    cheapest box of the level loses.
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
    """Allocate room for as many rows as may be examined, and one more to detect that there are too many."""
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
    """Examine all boxes of a level around a row; return whether that finished, and the boxes found so far."""
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
    """List the rows around a row, highest prices first, and the bundle of all boxes that hold the row."""
    gathered = room.gathered[0]
    asked = np.empty(gathered)
    for at in range(gathered):
        asked[at] = -rows.prices[room.rows[at]]
    # Then few of the later ones have to be inserted among the highest prices.
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
    """Compute the loss of a box from how far it reaches."""
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
    """Append the rows that some box of a bundle can hold to the list, and narrow the outer box to them.

    Return where they end; ``highest`` then has their highest prices.
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
    if plain and inside >= k:  # rows that pay nothing are not among the highest prices, but count for a class
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
    """Whether a row lies in the outer box, and a box of it and the inner box loses at most ``most``."""
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
    """Split a bundle on the side where inner and outer box differ most: boxes that reach past the middle, or not."""
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
    """Find how far away the last row before the middle is, and the first one behind it."""
    nearer, farther = 0.0, np.inf
    for at in range(begin, end):
        away = room.offsets[room.listed[at], attribute]
        away = away if side else -away
        if away <= half:
            nearer = max(nearer, away)
        else:
            farther = min(farther, away)
    return nearer, farther
