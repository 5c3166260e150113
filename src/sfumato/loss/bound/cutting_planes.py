"""Cutting planes: a linear program over known boxes raises prices, capping repairs them and adds boxes.

The program knows only some boxes, so its solution overprices others. Capping lowers it to prices that hold in all
boxes, which are a proof, and finds the missing boxes. The program may move only within a trust region around the best
proof, because far from it too few boxes are known.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.common.patience import EndedEarlyError
from sfumato.common.threads import side_by_side
from sfumato.loss.bound.linear_program import ProgramSolution, highest_prices
from sfumato.loss.bound.row_prices import OverpricedBoxes, Pricing, RowPrices

#: How far a price may move in the first round, as a share of itself; low prices move as far as this quantile does.
RADIUS, CHEAP = 0.2, 0.2

#: The factor by which that shrinks when half the step was better than the whole or none gained much, and its minimum.
NEARER, NEAREST = 0.7, 0.02

#: The steps from the best proof towards the solution of the program: all the way, and half of it.
STEPS = (1.0, 0.5)

#: A box is kept while its prices are within this share of its limit, or its multiplier is at least this high.
NEARLY, FELT = 0.02, 1e-4

#: The same share where boxes are searched for around rows: a search records few boxes, and finds each anew only slowly.
NEARBY = 0.15

#: A round that raises the total by a smaller share than this makes the next step shorter.
SLOW = 1e-3

#: The most overpriced boxes to record in a pass, and the bytes that they may take.
NOTED, NOTED_BYTES = 200_000, 1 << 28


@dataclass(frozen=True)
class FoundPrices:
    """The result of a search for prices.

    Attributes
    ----------
    prices
        The best prices that hold in all boxes.
    pool
        The boxes that limit the prices, with the dual multiplier of each in ``multipliers``.
    guess
        The solution of the last program: prices near the best ones, not all of which hold.
    rounds
        How many programs were solved.
    """

    prices: RowPrices
    pool: OverpricedBoxes
    multipliers: NDArray[np.float64]
    guess: NDArray[np.float64]
    rounds: int = 0


@dataclass(frozen=True)
class Stop:
    """When a search ends: at a time, after some rounds or work, when rounds gain too little, or when asked to.

    ``work`` is how many rows may be examined where boxes are searched for around rows.
    """

    at: float = np.inf
    rounds: int = 1_000
    gain: float = 1e-5
    asked: Callable[[], bool] = lambda: False
    work: float = np.inf

    @property
    def seconds(self) -> float:
        """The time left, at least a moment."""
        return max(0.1, self.at - time.perf_counter())

    @property
    def now(self) -> bool:
        """Whether time is up or the caller asked to stop."""
        return self.soon(0.0)

    def soon(self, seconds: float) -> bool:
        """Whether time is up after this many seconds, or the caller asked to stop."""
        return time.perf_counter() + seconds > self.at or self.asked()


def search_prices(
    pricing: Pricing,
    limit: NDArray[np.float64],
    stop: Stop,
    start: NDArray[np.float64] | None = None,
    known: OverpricedBoxes | None = None,
    tell: Callable[[float, float], None] = lambda total, share: None,
) -> FoundPrices:
    """Raise the prices of rows until the stop.

    Parameters
    ----------
    pricing
        The rows and their boxes.
    limit
        The highest price of every row.
    stop
        When to end.
    start
        Prices to start from, rather too high than too low; the limits by default.
    known
        Boxes known from an earlier search.
    tell
        Called after each round with the best total and the share of the rounds or of the time used.
    """
    k = pricing.k
    noted = OverpricedBoxes.room_for(min(NOTED, NOTED_BYTES // (12 * pricing.width)), pricing.width)
    best, used = pricing.cap(pricing.highest(limit) if start is None else np.minimum(start, limit), noted)
    pool = noted.take(slice(used)) if known is None else known.joined(noted.take(slice(used)))
    best = pricing.raised(best, limit) if start is None else best
    divided = pricing.boxes.divided
    pool = _near(pool, best, k, NEARBY if divided else NEARLY)
    solution: ProgramSolution | None = None
    solved = pool
    begin, radius, done = time.perf_counter(), RADIUS, 0
    for done in range(1, 1 + (stop.rounds if pricing.paying.any() else 0)):
        started = time.perf_counter()
        limit = np.minimum(limit, pricing.boxes.provable)
        found = highest_prices(pool, pricing.counts, *_reach(best, limit, pricing.paying, radius), k, stop.seconds)
        if found is None:
            break
        solution, solved, before = found, pool, best.total
        try:
            best, fresh, step = _repaired(pricing, best, solution.prices, noted)
        except EndedEarlyError:
            break
        tell(best.total, max(done / stop.rounds, min(1.0, (time.perf_counter() - begin) / max(stop.at - begin, 1e-9))))
        stuck = best.total < before * (1 + stop.gain) and (radius == NEAREST or not len(fresh))
        if stuck or stop.soon(time.perf_counter() - started) or pricing.boxes.examined > stop.work:
            break
        if step < 1.0 or best.total < before * (1 + SLOW):
            radius = max(NEAREST, NEARER * radius)
            pricing.boxes.look_closer()
        paid = pool.paid(solution.prices if divided else best.each)
        kept = (solution.multipliers > FELT) | (paid > pool.limits * k * (1 - (NEARBY if divided else NEARLY)))
        pool = pool.take(kept).joined(fresh)
    if solution is None:
        return FoundPrices(best, pool, np.zeros(len(pool)), best.each)
    # The multipliers belong to the boxes of the last program; the pool may have grown since.
    return FoundPrices(best, solved, solution.multipliers, solution.prices, done)


def _near(pool: OverpricedBoxes, best: RowPrices, k: int, within: float) -> OverpricedBoxes:
    """Select the boxes whose limits the prices almost reach; known boxes that they exceed no longer apply."""
    paid, most = pool.paid(best.each), pool.limits * k
    return pool.take((paid > most * (1 - within)) & (paid <= most * (1 + 1e-6)))


def _reach(
    best: RowPrices, limit: NDArray[np.float64], paying: NDArray[np.bool_], radius: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute how low and how high every price may go in a round."""
    each = best.each
    scale = np.maximum(each, np.quantile(each[paying], CHEAP) if paying.any() else 0.0) + 1e-9
    highest = np.where(paying, np.minimum(each + radius * scale, limit), 0.0)
    return np.clip(each - radius * scale, 0.0, highest), highest


def _repaired(
    pricing: Pricing, best: RowPrices, guess: NDArray[np.float64], noted: OverpricedBoxes
) -> tuple[RowPrices, OverpricedBoxes, float]:
    """Find the best prices between the best proof and a guess, the boxes the guess overprices, and the step."""
    if pricing.boxes.divided:
        return _repaired_in_turn(pricing, best, guess, noted)
    found = side_by_side(
        lambda step: pricing.cap(best.each + step * (guess - best.each), noted if step == 1.0 else None),
        STEPS,
    )
    fresh = noted.take(slice(found[STEPS.index(1.0)][1]))
    tried = [(0.0, best), *((step, prices) for step, (prices, _) in zip(STEPS, found, strict=True))]
    step, prices = max(tried, key=lambda pair: pair[1].total)
    return prices, fresh, step


def _repaired_in_turn(
    pricing: Pricing, best: RowPrices, guess: NDArray[np.float64], noted: OverpricedBoxes
) -> tuple[RowPrices, OverpricedBoxes, float]:
    """Do the same where a pass is divided among threads and takes long: half a step only if the whole gains little."""
    used, before = 0, best
    for step in STEPS:
        prices, more = pricing.hold(
            np.minimum(before.each + step * (guess - before.each), pricing.boxes.provable), noted.take_from(used)
        )
        used += more
        if prices.total > best.total:
            best, taken = prices, step
        if best.total > before.total * (1 + SLOW):
            return best, noted.take(slice(used)), taken
    return best, noted.take(slice(used)), 0.0
