"""The most overpriced class around a row: rows that could be a class, and how much more they pay than it loses.

Every class is looked for around one of its rows, the first in a given order; its other rows come later. A class loses
at least what the row loses together with any single one of them. So let rows enter in the order of that loss: at each,
what the k highest prices add up to beyond it bounds the excess of the classes that reach so far. The search is a branch
and bound over boxes that reach at least, and at most, some way from the row. Prices stay as they are, so rows can be
worked on side by side.

A box is described by how far it reaches from the row, in units of loss: below and above it for numbers, up the tree for
categories.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.loss.bound.kernels.cap_around import INNER_HI, INNER_LO, OUTER_HI, OUTER_LO, box_loss
from sfumato.loss.bound.kernels.cap_layer import SLACK, FoundBoxes
from sfumato.loss.bound.kernels.highest_prices import (
    Highest,
    PricedRows,
    can_be_class,
    clear,
    insert,
    mix,
    no_prices,
    top_sum,
)
from sfumato.loss.bound.kernels.nearby_rows import Near, least_loss, offset
from sfumato.table.kernels.spans import Spans

#: The most bundles of boxes that wait.
DEPTH = 4096


#: By which factor the bound on the worst class may exceed the worst that is known.
AGREED = 1.05

#: Room to list rows that are around, as a multiple of all rows.
LISTED = 3


class Around(NamedTuple):
    """Scratch for the rows around a row, and for waiting bundles.

    Attributes
    ----------
    rows, offsets
        Which rows are around, and how far away each is in every attribute: negative for smaller numbers.
    pays, loses
        The price of each, and what it loses at least in a class with the row.
    reach
        How far the boxes of every bundle reach: the inner box below and above, and the outer one.
    begins, ends, most
        Which rows may lie in the boxes of a bundle, as a part of ``listed``, and the most that a class there exceeds.
    """

    rows: NDArray[np.int64]
    offsets: NDArray[np.float64]
    pays: NDArray[np.float64]
    loses: NDArray[np.float64]
    reach: NDArray[np.float64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    most: NDArray[np.float64]
    listed: NDArray[np.int32]
    widest: NDArray[np.float64]


@kernel
def worst_around(
    chosen: NDArray[np.int64],
    rank: NDArray[np.int64],
    fresh: NDArray[np.bool_],
    near: Near,
    rows: PricedRows,
    reach: NDArray[np.float64],
    k: int,
    spans: Spans,
    work: int,
    spare: float,
    final: bool,
    lower: NDArray[np.float64],
    shares: NDArray[np.float64],
    found: FoundBoxes,
) -> int:
    """Find for the chosen rows how much too high prices around each are at most, and the most overpriced classes.

    Parameters
    ----------
    chosen
        The rows around which to look.
    rank
        The place of every row in the order, higher prices first: a class is looked for around its first row.
    fresh
        Rows are passed over if none of these is around.
    reach
        The least loss of every row in any class.
    work
        The most rows to examine around a row; if that is not enough, prices are lowered more than they need be.
    spare
        The share of its price by which a row may be lowered although no class is known to be overpriced.
    final
        Whether every row must be dealt with; otherwise some may be left to another pass, with a lower price.
    lower, shares
        Receive by how much to lower the price of each chosen row, and by which share that of every row, so that no
        class that is looked for around a chosen row is overpriced. Below 0 for a row that is left to another pass:
        there its price has to be lower by that much, or by some if that is infinite.
    found
        Receives the most overpriced class around each chosen row; its limit is -1 where there is none.

    Returns
    -------
    int
        How many rows were examined.
    """
    count, width = near.codes.shape
    limited, examined = rows.most < k, 0
    highest, around = no_prices(k, rows), _room(count, width, work)
    counts, values = np.empty(count, np.int64), np.empty(count if limited else 0, np.int64)
    local = PricedRows(rows.places, counts, around.pays, values, rows.most)
    for at, row in enumerate(chosen):
        found.limits[at] = -1.0
        gathered, concerned = _gather(row, rank, fresh, near, rows, spans, around)
        if not concerned:
            continue
        for place in range(gathered):
            counts[place], around.pays[place] = rows.counts[around.rows[place]], rows.prices[around.rows[place]]
            if limited:
                values[place] = rows.values[around.rows[place]]
        extra, ceiling = max(spare, SLACK) * rows.prices[row], k * (rows.prices[row] - reach[row])
        most, last, looked = _search(gathered, local, k, spans, work, extra, ceiling, around, highest, found, at)
        examined += looked
        lower[row] = 0.0
        if most > 0.0:
            lower[row] = _lowered(row, gathered, last, most, reach, rows, k, final, around, shares)
    return examined


@inner
def _room(count: int, width: int, work: int) -> Around:
    """Allocate room for all rows of a table, and for listing some again."""
    return Around(
        np.empty(count, np.int64),
        np.empty((count, width)),
        np.empty(count),
        np.empty(count),
        np.empty((DEPTH, 4, width)),
        np.empty(DEPTH, np.int64),
        np.empty(DEPTH, np.int64),
        np.empty(DEPTH),
        np.empty(LISTED * count + work, np.int32),
        np.empty((2, width)),
    )


@inner
def _lowered(
    row: int,
    begin: int,
    end: int,
    most: float,
    reach: NDArray[np.float64],
    rows: PricedRows,
    k: int,
    final: bool,
    around: Around,
    shares: NDArray[np.float64],
) -> float:
    """Return by how much to lower the price of a row, given by how much a class around it is overpriced at most.

    If others would lose less, all rows that such a class may hold are lowered by a share instead: enough for the
    cheapest class. Where a row can be left to another pass, a negative number says so: by how much its price has to
    fall until then, or infinitely much if too much work was left.
    """
    share, paid = most / (most + k * reach[row]), 0.0
    for place in range(begin, end):
        other = around.rows[around.listed[place]]
        paid += rows.prices[other] * rows.counts[other]
    if most <= rows.prices[row] and most * rows.counts[row] <= paid * share:
        # If values must be mixed, less than one of the row may be in a class of k, so that lowering it alone may be too
        # little, and the next pass looks again.
        if rows.most >= k:
            return most
        if not final:
            return -most
    if not final and paid * share > rows.prices[row] * rows.counts[row]:
        return -np.inf
    for place in range(begin, end):
        other = around.rows[around.listed[place]]
        shares[other] = max(shares[other], share)
    return 0.0


@inner
def _gather(
    row: int,
    rank: NDArray[np.int64],
    fresh: NDArray[np.bool_],
    near: Near,
    rows: PricedRows,
    spans: Spans,
    around: Around,
) -> tuple[int, bool]:
    """List the row, and the later ones that lose less together with it than it pays, and whether one is fresh."""
    most, concerned = rows.prices[row], fresh[row]
    around.rows[0], found = row, 1
    around.offsets[0] = 0.0
    for wide in range(len(near.wide_lo)):
        if least_loss(near.codes, row, near.wide_lo, near.wide_hi, wide, spans, most) > most:
            continue
        for block in range(wide * near.wide, min((wide + 1) * near.wide, len(near.lo))):
            if least_loss(near.codes, row, near.lo, near.hi, block, spans, most) > most:
                continue
            for other in range(near.begins[block], near.begins[block + 1]):
                if rank[other] <= rank[row] or rows.counts[other] == 0:
                    continue
                total = 0.0
                for attribute in range(near.codes.shape[1]):
                    away = offset(spans, attribute, near.codes[row, attribute], near.codes[other, attribute])
                    around.offsets[found, attribute] = away
                    total += abs(away)
                if total < most:
                    around.rows[found] = other
                    found += 1
                    concerned |= fresh[other]
    return found, concerned


@inner
def _search(
    gathered: int,
    local: PricedRows,
    k: int,
    spans: Spans,
    work: int,
    spare: float,
    ceiling: float,
    around: Around,
    highest: Highest,
    found: FoundBoxes,
    into: int,
) -> tuple[float, int, int]:
    """Search the boxes around a row; return by how much a class exceeds its loss at most.

    Also return where the rows that such a class may hold end in the list, and how many rows were examined.
    """
    for at in range(gathered):
        around.listed[at] = at
    around.reach[0, :OUTER_LO], around.reach[0, OUTER_LO:] = 0.0, np.inf
    around.begins[0], around.ends[0], around.most[0] = 0, gathered, ceiling
    waiting, end, best, possible = 1, gathered, 0.0, gathered
    while waiting > 0:
        # The bundle that may hold the worst class comes first, so that the bound falls as fast as it can.
        at = 0
        for other in range(1, waiting):
            if around.most[other] > around.most[at]:
                at = other
        upper, begin, length = around.most[at], around.begins[at], around.ends[at] - around.begins[at]
        full = end > work or end + length > len(around.listed) or waiting == DEPTH
        # All boxes together are always looked at, which says what rows a class may hold.
        if begin and (full or upper <= best * AGREED + spare):
            return max(best, upper), possible, end
        last = _enter(around.reach[at], begin, around.ends[at], end, spans, around)
        bound, until, spared = _sweep(end, last, local, k, highest, around)
        upper = min(upper, bound)
        possible = last if begin == 0 else possible
        if upper > best:
            _hold(end, until, local, k, highest, around)
            paid, loss = _class_of(k, spans, highest, around)
            if paid - k * loss > best:
                best = paid - k * loss
                _keep(highest, k, loss, around, found, into)
        if upper <= best:
            waiting -= 1
            around.reach[at] = around.reach[waiting]
            around.begins[at], around.ends[at] = around.begins[waiting], around.ends[waiting]
            around.most[at] = around.most[waiting]
            continue
        # The rows that a class around the row may hold at all stay listed, for `_lowered`.
        # If values must be mixed, a row may be a small part of a class, which it then changes little.
        if local.most >= k:
            last = _filter(end, last, (best if begin else 0.0) - spared, around)
            possible = last if begin == 0 else possible
        _split(at, waiting, end, last, upper, around)
        waiting, end = waiting + 1, last
    return best, possible, end


@inner
def _enter(reach: NDArray[np.float64], begin: int, end: int, into: int, spans: Spans, around: Around) -> int:
    """Append the rows in the outer box to the list, in the order of their loss; return where the list ends."""
    last = into
    for at in range(begin, end):
        place = around.listed[at]
        inside, loss = True, 0.0
        for attribute in range(reach.shape[1]):
            away = around.offsets[place, attribute]
            if away > reach[OUTER_HI, attribute] or -away > reach[OUTER_LO, attribute]:
                inside = False
                break
            wide = max(away, reach[INNER_HI, attribute]) + max(-away, reach[INNER_LO, attribute])
            loss += min(wide, spans.weight[attribute])
        if inside:
            around.loses[place] = loss
            around.listed[last] = place
            last += 1
    _sort(around.listed, into, last, around.loses)
    return last


@inner
def _sort(listed: NDArray[np.int32], begin: int, end: int, keys: NDArray[np.float64]) -> None:
    """Sort a part of a list of places by their keys; it is nearly in order."""
    gap = end - begin
    while gap > 1:
        gap = max(1, gap * 4 // 9)
        for at in range(begin + gap, end):
            place = listed[at]
            key, to = keys[place], at
            while to >= begin + gap and keys[listed[to - gap]] > key:
                listed[to] = listed[to - gap]
                to -= gap
            listed[to] = place


@inner
def _sweep(
    begin: int, end: int, local: PricedRows, k: int, highest: Highest, around: Around
) -> tuple[float, int, float]:
    """Bound by how much a class of listed rows exceeds its loss; the list is in the order of losses.

    Also return with which row the bound is reached, and the same bound without what the last of the k rows pays.
    """
    clear(highest)
    most, until, spared, lowest, plain = -np.inf, begin, -np.inf, -np.inf, local.most >= k
    for at in range(begin, end):
        place = around.listed[at]
        if around.pays[place] <= lowest:
            continue
        insert(highest, place, local, k)
        if not plain:
            mix(highest, local, k)
        if can_be_class(highest, k):
            lowest = highest.price[highest.held[0] - 1]
            this = top_sum(highest, k) - k * around.loses[place]
            spared = max(spared, this - lowest)
            if this > most:
                most, until = this, at
    return most, until, spared


@inner
def _hold(begin: int, until: int, local: PricedRows, k: int, highest: Highest, around: Around) -> None:
    """Find the k highest prices of listed rows up to one of them."""
    clear(highest)
    lowest = -np.inf
    for at in range(begin, until + 1):
        if around.pays[around.listed[at]] > lowest:
            insert(highest, around.listed[at], local, k)
            if local.most < k:
                mix(highest, local, k)
            if can_be_class(highest, k):
                lowest = highest.price[highest.held[0] - 1]


@inner
def _class_of(k: int, spans: Spans, highest: Highest, around: Around) -> tuple[float, float]:
    """What the held rows pay together, and what each loses in a box of them."""
    around.widest[:] = 0.0
    paid, left = 0.0, 0.0 + k
    for held in range(highest.held[0]):
        if left <= 0:
            break
        place = highest.row[held]
        times = min(left, highest.times[held])
        left -= times
        paid += times * around.pays[place]
        for attribute in range(around.widest.shape[1]):
            away = around.offsets[place, attribute]
            around.widest[0, attribute] = max(around.widest[0, attribute], -away)
            around.widest[1, attribute] = max(around.widest[1, attribute], away)
    return paid, box_loss(around.widest[0], around.widest[1], spans)


@inner
def _keep(highest: Highest, k: int, loss: float, around: Around, found: FoundBoxes, into: int) -> None:
    """Record a class."""
    left = 0.0 + k
    for at in range(found.rows.shape[1]):
        if at < highest.held[0] and left > 0:
            times = min(left, highest.times[at])
            found.rows[into, at], found.times[into, at] = around.rows[highest.row[at]], times
            left -= times
        else:
            found.rows[into, at], found.times[into, at] = -1, 0.0
    found.limits[into] = loss


@inner
def _filter(begin: int, end: int, least: float, around: Around) -> int:
    """Drop the rows that pay too little for any class with them to exceed its loss by more than one that is known."""
    last = begin
    for at in range(begin, end):
        if around.pays[around.listed[at]] > least:
            around.listed[last] = around.listed[at]
            last += 1
    return last


@inner
def _split(at: int, new: int, begin: int, end: int, upper: float, around: Around) -> None:
    """Split a bundle on the side where the rows that pay most reach farthest beyond the inner box."""
    reach = around.reach[at]
    side, chosen, worst = 0, 0, -1.0
    for low_or_high in range(2):
        for attribute in range(reach.shape[1]):
            beyond = around.widest[low_or_high, attribute] - reach[low_or_high, attribute]
            if beyond > worst:
                side, chosen, worst = low_or_high, attribute, beyond
    sign, nearest = 1.0 if side else -1.0, reach[side, chosen]
    half = nearest + worst / 2
    nearer, farther = nearest, np.inf
    for place in range(begin, end):
        away = sign * around.offsets[around.listed[place], chosen]
        if away <= half:
            nearer = max(nearer, away)
        else:
            farther = min(farther, away)
    around.reach[new] = reach
    for child in (at, new):
        around.begins[child], around.ends[child], around.most[child] = begin, end, upper
    around.reach[at, side, chosen] = farther
    around.reach[new, OUTER_LO + side, chosen] = nearer
