"""The loss of the cheapest box with a row and k - 1 others: the least that the row must lose.

Boxes are examined in bundles, as in `cap_around`: all boxes between an inner and an outer one. A bundle is dropped if
its outer box holds too few rows, or its inner box loses as much as one already found; other bundles are split in two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.loss.bound.kernels.cap_around import (
    DEPTH,
    INNER_HI,
    INNER_LO,
    OUTER_HI,
    OUTER_LO,
    Room,
    box_loss,
    fits,
    room_for,
    split,
)
from sfumato.loss.bound.kernels.least_losses import SortedRows, apart, nearest_loss
from sfumato.loss.bound.kernels.nearby_rows import offset
from sfumato.table.kernels.spans import Spans

#: The share above the known least loss up to which boxes are examined together: at first, and at least.
FARTHEST, NEAREST = 0.5, 0.1

#: A bundle whose outer box loses at most this share more than its inner box is not split.
TOLERANCE = 0.01


@kernel
def cheapest_boxes(
    chosen: NDArray[np.int64], rows: SortedRows, k: int, spans: Spans, work: int, losses: NDArray[np.float64]
) -> int:
    """Compute for the chosen rows the loss of the cheapest box of k rows around each, or somewhat less.

    ``work`` is how many rows may be examined around one row; if that is not enough, the result is lower. Return how
    many rows were compared or examined in all.
    """
    total = 0
    nearest, weight, room = np.empty(k + 1), np.empty(k + 1, np.int64), room_for(rows.codes, work)
    whole = spans.weight.sum()
    for at, this in enumerate(chosen):
        farther = FARTHEST
        least, compared = nearest_loss(this, rows, k, spans, nearest, weight)
        total += compared
        # No box loses more than the whole table, even if there are fewer than k rows.
        while 0.0 < least < whole and farther >= NEAREST:
            most = min(whole, least * (1 + farther))
            least, finished, looked = _cheapest(this, rows, k, spans, least, most, work, room)
            total += looked
            if not finished:
                farther /= 2
            elif least < most:
                break
        losses[at] = min(least, whole)
    return total


@inner
def _cheapest(
    this: int, rows: SortedRows, k: int, spans: Spans, least: float, most: float, work: int, room: Room
) -> tuple[float, bool, int]:
    """Raise the least loss of boxes of k rows around a row, up to ``most`` if none loses less.

    Also return whether all boxes were examined, and how many rows were.
    """
    gathered, compared = _gather(this, rows, spans, most, room)
    if gathered > work:
        return least, False, compared
    room.reach[0, :OUTER_LO], room.reach[0, OUTER_LO:] = 0.0, np.inf
    room.begins[0], room.ends[0] = 0, gathered
    waiting, looked, best = 1, 0, most
    while waiting > 0:
        waiting -= 1
        reach, begin, end = room.reach[waiting], room.begins[waiting], room.ends[waiting]
        inside = max(least, box_loss(reach[INNER_LO], reach[INNER_HI], spans))
        if inside >= best:
            continue
        looked += end - begin
        if looked > work or end + (end - begin) > len(room.listed) or waiting + 2 > DEPTH:
            return least, False, compared + looked
        last = _narrow(reach, begin, end, rows, k, spans, best, room)
        if last == end:
            continue
        if box_loss(reach[OUTER_LO], reach[OUTER_HI], spans) <= inside * (1 + TOLERANCE):
            best = inside
            continue
        split(waiting, end, last, room)
        waiting += 2
    return best, True, compared + looked


@inner
def _gather(this: int, rows: SortedRows, spans: Spans, most: float, room: Room) -> tuple[int, int]:
    """List the rows that lose less than ``most`` together with a row, and how far away they are.

    Return their number, and how many rows were compared.
    """
    gathered, after, compared = 0, 0, 0
    while after < len(rows.codes) and gathered < len(room.rows):
        other = after
        compared += 1
        loss, after = apart(this, other, rows, spans, most)
        if loss < most:
            room.rows[gathered], room.listed[gathered] = other, gathered
            for attribute in range(rows.codes.shape[1]):
                one, two = np.int64(rows.codes[this, attribute]), np.int64(rows.codes[other, attribute])
                room.offsets[gathered, attribute] = offset(spans, attribute, one, two)
            gathered += 1
    return gathered, compared


@inner
def _narrow(
    reach: NDArray[np.float64], begin: int, end: int, rows: SortedRows, k: int, spans: Spans, most: float, room: Room
) -> int:
    """Append the rows that some box of a bundle can hold to the list, and narrow the outer box to them.

    Return where they end, or where they begin if they are fewer than k.
    """
    last, inside = end, 0
    room.box[0], room.box[1] = reach[INNER_LO], reach[INNER_HI]
    for at in range(begin, end):
        place = room.listed[at]
        if fits(room.offsets, place, reach, spans.weight, most):
            room.listed[last] = place
            last += 1
            inside += rows.counts[room.rows[place]]
            for attribute in range(reach.shape[1]):
                away = room.offsets[place, attribute]
                room.box[0, attribute] = max(room.box[0, attribute], -away)
                room.box[1, attribute] = max(room.box[1, attribute], away)
    reach[OUTER_LO], reach[OUTER_HI] = room.box[0], room.box[1]
    return last if inside >= k else end
