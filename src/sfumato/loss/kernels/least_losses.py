"""What a row must lose at least, because its class holds others too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiling import inner, kernel
from sfumato.kernels.spans import Spans, span_cost


@kernel
def least_losses(
    codes: NDArray[np.unsignedinteger],
    counts: NDArray[np.int64],
    begins: NDArray[np.int64],
    leading: int,
    chosen: NDArray[np.int64],
    k: int,
    spans: Spans,
    start: int,
    stop: int,
    losses: NDArray[np.float64],
) -> None:
    """Write for the chosen distinct rows ``start:stop`` the loss that they form with their (k - 1)-th nearest other.

    ``codes`` are distinct rows and ``counts`` how often they occur. A class of k rows spans at least what a row spans
    together with any single one of the others. The rows between two of ``begins`` agree in the first ``leading``
    attributes, so that most of them are passed by together.
    """
    nearest = np.empty(k + 1)
    weight = np.empty(k + 1, np.int64)
    groups = len(begins) - 1
    for at in range(start, stop):
        this = chosen[at]
        own = np.searchsorted(begins, this, side="right") - 1
        held = 0
        reached = counts[this] - 1
        worst = np.inf if reached < k - 1 else 0.0
        for step in range(groups):
            # Its own group comes first: near rows soon tell which others are too far away.
            group = own if step == 0 else step - 1 if step <= own else step
            shared = pair_loss(codes, this, begins[group], spans, 0, leading, 0.0, worst)
            if shared >= worst:
                continue
            for other in range(begins[group], begins[group + 1]):
                if other == this:
                    continue
                loss = pair_loss(codes, this, other, spans, leading, codes.shape[1], shared, worst)
                if loss >= worst:
                    continue
                held, reached = hold(nearest, weight, held, reached, loss, counts[other], k - 1)
                if reached >= k - 1:
                    worst = nearest[held - 1] if held else 0.0
        losses[at] = nearest[held - 1] if held else 0.0


@kernel
def nearest_losses(
    codes: NDArray[np.unsignedinteger],
    counts: NDArray[np.int64],
    begins: NDArray[np.int64],
    k: int,
    spans: Spans,
    limits: NDArray[np.float64],
    losses: NDArray[np.float64],
    weights: NDArray[np.int64],
) -> None:
    """Write for the first rows of ``codes`` the losses that they form with the nearest of the others, and their counts.

    The first ``len(limits)`` rows ask, the others are distinct rows that occur ``counts`` times each; those between two
    of ``begins`` agree in the first attribute. Of each row that asks, as many of the nearest are written as together
    occur k times, the nearest first, and none whose loss reaches its limit.
    """
    asking = len(limits)
    for this in range(asking):
        held, reached, worst = 0, 0, limits[this]
        for group in range(len(begins) - 1):
            shared = pair_loss(codes, this, begins[group], spans, 0, 1, 0.0, worst)
            if shared >= worst:
                continue
            for other in range(begins[group], begins[group + 1]):
                loss = pair_loss(codes, this, other, spans, 1, codes.shape[1], shared, worst)
                if loss >= worst:
                    continue
                held, reached = hold(losses[this], weights[this], held, reached, loss, counts[other - asking], k)
                if reached >= k:
                    worst = losses[this, held - 1]
        weights[this, held:] = 0


@inner
def hold(
    nearest: NDArray[np.float64],
    weight: NDArray[np.int64],
    held: int,
    reached: int,
    loss: float,
    count: int,
    enough: int,
) -> tuple[int, int]:
    """Put a loss among the least so far; return how many are held then, and how often their rows occur together."""
    place = held
    while place > 0 and nearest[place - 1] > loss:
        nearest[place], weight[place] = nearest[place - 1], weight[place - 1]
        place -= 1
    nearest[place], weight[place] = loss, count
    held += 1
    reached += count
    # The farthest are not needed as long as the others are enough.
    while reached - weight[held - 1] >= enough:
        held -= 1
        reached -= weight[held]
    return held, reached


@inner
def pair_loss(
    codes: NDArray[np.unsignedinteger],
    first: int,
    second: int,
    spans: Spans,
    begin: int,
    end: int,
    before: float,
    limit: float,
) -> float:
    """Return what two rows lose as a class in some attributes and before, or anything above the limit if it is more."""
    total = before
    for attribute in range(begin, end):
        one, two = np.int64(codes[first, attribute]), np.int64(codes[second, attribute])
        if one != two:
            lo: int = min(one, two)
            hi: int = max(one, two)
            total += spans.weight[attribute] * span_cost(spans, attribute, lo, hi)
            if total >= limit:
                return total
    return total


@kernel
def least_total(falling: NDArray[np.float64], k: int) -> float:
    """Return the least total when rows share classes of at least k and all pay what the dearest of them must.

    ``falling`` holds what every row must lose, largest first; the dearest rows then share classes with each other.
    """
    rows = len(falling)
    least = np.full(rows + 1, np.inf)
    least[0] = 0.0
    for stop in range(k, rows + 1):
        for start in range(max(0, stop - 2 * k + 1), stop - k + 1):
            least[stop] = min(least[stop], least[start] + (stop - start) * falling[start])
    return least[rows]
