"""Which rows lie near a row, so that a class of the two loses at most a given amount, and which lie in a box."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.spans import GRID, KIND, POSITION, TABLE, TREE, VALUES_AT, Spans, span_cost

#: The factor by which a search radius grows, and the margin on it for the next row.
GROWTH, MARGIN = 1.5, 1.2


class Near(NamedTuple):
    """Distinct rows in an order that keeps similar rows close, in blocks of a few, and blocks of blocks.

    Attributes
    ----------
    codes
        The codes of every row.
    begins, lo, hi
        Where every block begins, and the least and greatest code of its rows in every attribute.
    wide_lo, wide_hi, wide
        The same for blocks of ``wide`` blocks.
    """

    codes: NDArray[np.int64]
    begins: NDArray[np.int64]
    lo: NDArray[np.int64]
    hi: NDArray[np.int64]
    wide_lo: NDArray[np.int64]
    wide_hi: NDArray[np.int64]
    wide: int


@inner
def offset(spans: Spans, attribute: int, code: int, other: int) -> float:
    """Compute how far away another code is, in units of loss: negative for smaller numbers.

    A box that reaches from one number to another loses at least what lies between them, and a box of categories at
    least what their common node loses. Losses of other kinds are not sums of such parts, and count as 0.
    """
    kind = spans.index[attribute, KIND]
    if kind in (POSITION, GRID):
        at = spans.index[attribute, VALUES_AT]
        away = spans.values[at + other] - spans.values[at + code]
        return spans.weight[attribute] * min(max(away, -1.0), 1.0)
    if kind in (TABLE, TREE):
        return spans.weight[attribute] * span_cost(spans, attribute, min(code, other), max(code, other))
    return 0.0


@inner
def rows_within(
    row: int, without: NDArray[np.bool_], near: Near, spans: Spans, most: float, into: NDArray[np.int32]
) -> int:
    """Collect the rows that lose at most ``most`` together with a row, except those in ``without``.

    Stop when ``into`` is full. Return how many were found.
    """
    found = 0
    for wide in range(len(near.wide_lo)):
        if least_loss(near.codes, row, near.wide_lo, near.wide_hi, wide, spans, most) > most:
            continue
        for block in range(wide * near.wide, min((wide + 1) * near.wide, len(near.lo))):
            if least_loss(near.codes, row, near.lo, near.hi, block, spans, most) > most:
                continue
            for other in range(near.begins[block], near.begins[block + 1]):
                if without[other]:
                    continue
                if least_loss(near.codes, row, near.codes, near.codes, other, spans, most) <= most:
                    into[found] = other
                    found += 1
                    if found == len(into):
                        return found
    return found


@inner
def least_loss(
    codes: NDArray[np.int64],
    row: int,
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    block: int,
    spans: Spans,
    most: float,
) -> float:
    """Compute what a row loses at least together with any row of a block, or some number above ``most``."""
    total = 0.0
    for attribute in range(codes.shape[1]):
        code = codes[row, attribute]
        other = min(max(code, lo[block, attribute]), hi[block, attribute])
        if code != other:
            total += abs(offset(spans, attribute, code, other))
            if total > most:
                break
    return total


@kernel
def reaches(
    chosen: NDArray[np.int64], near: Near, counts: NDArray[np.int64], k: int, spans: Spans, whole: float
) -> NDArray[np.float64]:
    """Compute what the chosen rows lose together with their (k - 1)-th nearest row."""
    nobody, into = np.zeros(len(near.codes), np.bool_), np.empty(len(near.codes), np.int32)
    found, guess = np.zeros(len(chosen)), whole / 64
    for at, row in enumerate(chosen):
        if counts[row] >= k:
            continue
        gathered = rows_within(row, nobody, near, spans, guess, into)
        while counts[into[:gathered]].sum() < k and guess < whole:
            guess = min(whole, guess * GROWTH)
            gathered = rows_within(row, nobody, near, spans, guess, into)
        losses = np.empty(gathered)
        for place in range(gathered):
            losses[place] = least_loss(near.codes, row, near.codes, near.codes, into[place], spans, whole)
        total = 0
        for place in np.argsort(losses):
            total += counts[into[place]]
            found[at] = losses[place]
            if total >= k:
                break
        # The next row is close, so about as many rows lie around it.
        guess = max(found[at] * MARGIN, whole * 1e-6)
    return found


@kernel
def box_members(
    codes: NDArray[np.int64],
    counts: NDArray[np.int64],
    lo: NDArray[np.int64],
    hi: NDArray[np.int64],
    members: NDArray[np.int64],
) -> int:
    """Collect the distinct rows inside a box that still occur, in their order; return how many."""
    found = 0
    for row in range(len(codes)):
        if counts[row] == 0:
            continue
        inside = True
        for attribute in range(codes.shape[1]):
            if codes[row, attribute] < lo[attribute] or codes[row, attribute] > hi[attribute]:
                inside = False
                break
        if inside:
            members[found] = row
            found += 1
    return found
