"""A loss that no release of a table can beat, whatever method makes it."""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.bounding import least_losses, least_total
from sfumato.microdata import FrequencySet, Microdata, frequency_set

#: How many pairs of rows are compared at most; larger tables are sampled.
PAIRS = 20_000_000

#: The least number of sampled rows.
LEAST_SAMPLE = 120

#: How sure a sampled bound is.
CONFIDENCE = 0.99


class Bound(float):
    """A GCP that no k-anonymous recoding of a table can beat.

    It is a number, and tells in ``confidence`` how sure it is: 1 where it was computed from all rows, 0.99 where a
    sample of ``sampled`` rows was drawn.
    """

    confidence: float
    sampled: int | None

    def __new__(cls, gcp: float, confidence: float = 1.0, sampled: int | None = None) -> Bound:
        """Make the bound; a bound below 0 says nothing and becomes 0."""
        bound = super().__new__(cls, max(0.0, gcp))
        bound.confidence = confidence
        bound.sampled = sampled
        return bound


def gcp_bound(microdata: Microdata, k: int, left_out: int = 0, seed: int = 0) -> Bound:
    """Return a GCP that no recoding with classes of at least k rows can beat.

    A row shares its class with k - 1 others, so it loses at least what it loses together with its (k - 1)-th nearest
    row; and all rows of a class lose alike, so that the dearest of them decides for k rows. A suppressed row loses
    everything, which is never less.

    Parameters
    ----------
    microdata
        The table.
    k
        The least size of a class.
    left_out
        Rows that are suppressed whatever happens, because a value is missing.
    seed
        Where the sampling of large tables starts.
    """
    rows = len(microdata) + left_out
    distinct = frequency_set(microdata)
    if len(distinct) ** 2 <= PAIRS:
        losses = _row_losses(microdata, distinct, np.arange(len(distinct)), k)
        falling = np.repeat(losses, distinct.counts)
        falling[::-1].sort()
        # Sums of many costs are off by a little, and a bound must not be.
        return Bound((least_total(falling, k) + left_out) / rows - 1e-12)
    count = max(LEAST_SAMPLE, PAIRS // len(distinct))
    sample = np.random.default_rng(seed).choice(len(microdata), min(count, len(microdata)), replace=False)
    losses = _row_losses(microdata, distinct, distinct.of_row[sample].astype(np.int64), k)
    mean = lower_confidence(losses, 1 - CONFIDENCE)
    return Bound((mean * len(microdata) + left_out) / rows, CONFIDENCE, len(sample))


def _row_losses(microdata: Microdata, distinct: FrequencySet, chosen: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Return what the chosen distinct rows must lose."""
    losses = np.zeros(len(chosen))
    codes = np.ascontiguousarray(distinct.codes)
    edges = np.linspace(0, len(chosen), 9).astype(np.int64)
    with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
        jobs = [
            pool.submit(least_losses, codes, distinct.counts, chosen, k, microdata.spans, start, stop, losses)
            for start, stop in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
        ]
        for job in jobs:
            job.result()
    return losses


def lower_confidence(values: NDArray[np.float64], risk: float) -> float:
    """Return a number that the mean of a population in 0..1 undercuts with at most this risk, given a sample of it.

    For every mean that is doubted, one bets on the sample against it: fair bets multiply one's capital by more than
    1 / risk with at most that risk. The means that would have made one so rich are rejected. (Waudby-Smith and
    Ramdas, "Estimating means of bounded random variables by betting", 2023.)
    """
    count = len(values)
    seen = np.arange(1, count + 1)
    means = (0.5 + np.cumsum(values)) / (seen + 1)
    spreads = (0.25 + np.cumsum((values - means) ** 2)) / (seen + 1)
    known = np.append(0.25, spreads[:-1])
    bets = np.sqrt(2 * math.log(1 / risk) / (count * known))
    low, high = 0.0, float(values.mean())
    for _ in range(40):
        doubted = (low + high) / 2
        stakes = np.minimum(bets, 0.75 / max(doubted, 1e-12))
        capital = np.cumsum(np.log1p(stakes * (values - doubted)))
        if capital.max() >= math.log(1 / risk):
            low = doubted
        else:
            high = doubted
    return low
