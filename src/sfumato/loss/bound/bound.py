"""A lower bound on the loss of any release of a table, whatever the method."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sfumato.common.patience import EndedEarlyError, Patience
from sfumato.common.threads import side_by_side
from sfumato.loss.bound.cutting_planes import Stop, search_prices
from sfumato.loss.bound.kernels.cheapest_boxes import cheapest_boxes
from sfumato.loss.bound.kernels.least_losses import SortedRows, least_losses, least_total
from sfumato.loss.bound.listed_boxes import ListedBoxes
from sfumato.loss.bound.neighbour_boxes import all_boxes
from sfumato.loss.bound.row_prices import SAFETY, Mixed, Pricing, capped_prices, distinct_rows
from sfumato.table.frequency import KEY_LIMIT, group_rows
from sfumato.table.kernels.spans import Spans
from sfumato.table.microdata import Microdata

#: The most pairs of rows to compare; larger tables are sampled.
PAIRS = 400_000_000

#: The most rows to examine around a sampled row, to find the cheapest box that holds it.
BOX_WORK = 20_000

#: Sampling stops after comparing or examining this many rows in all: a second or two.
WORK = 30_000_000

#: The least number of sampled rows.
LEAST_SAMPLE = 120

#: The most leading attributes by which whole runs of rows are skipped.
LEADING = 8

#: The number of parts of a sample that are processed in parallel.
PARTS = 8

#: Tables with at most this many distinct rows get prices, which take seconds.
PRICED_ROWS = 60_000

#: The most codes to compare in a search for boxes around rows: more would take longer than a release.
COMPARED = 50_000_000

#: The most rounds of the linear program for them, and the rows to examine after which no round begins.
ROUNDS, EXAMINED = 5, 15_000_000

#: Sums of many costs have rounding errors, which must not raise a bound.
ROUNDING = 1e-12

#: The most seconds that prices may take; a weaker bound takes a second or two.
SECONDS = 60.0

#: The confidence of a sampled bound.
CONFIDENCE = 0.99


class Bound(float):
    """A GCP that no k-anonymous recoding of a table can beat.

    A number that also says how it was found.

    Attributes
    ----------
    confidence
        1 if it was computed from all rows, 0.99 if from a sample of ``sampled`` rows.
    prices
        One number per row of the table, in its order, if prices were found: in every box with at least k rows, the mean
        of the k highest prices is at most what a class in that box loses. No release loses less than their mean.
    seconds
        How long the computation took.
    """

    confidence: float
    sampled: int | None
    prices: NDArray[np.float64] | None
    seconds: float

    def __new__(
        cls,
        gcp: float,
        confidence: float = 1.0,
        sampled: int | None = None,
        prices: NDArray[np.float64] | None = None,
        seconds: float = 0.0,
    ) -> Bound:
        """Make the bound; a negative bound says nothing and becomes 0."""
        bound = super().__new__(cls, max(0.0, gcp))
        bound.confidence, bound.sampled, bound.prices, bound.seconds = confidence, sampled, prices, seconds
        return bound

    @property
    def certified(self) -> bool:
        """Whether it is certain, not only with high confidence."""
        return self.confidence == 1.0


def bound_by(prices: NDArray[np.float64], left_out: int = 0) -> Bound:
    """Compute the bound that prices prove, given one per row and the number of rows that are always suppressed."""
    return Bound((float(prices.sum()) + left_out) / (len(prices) + left_out) - ROUNDING, prices=prices)


def gcp_bound(
    microdata: Microdata,
    k: int,
    left_out: int = 0,
    seed: int = 0,
    suppression: bool = False,
    mixed: Mixed | None = None,
) -> Bound:
    """Compute a GCP that no recoding with classes of at least k rows can beat.

    It comes from prices, see `sfumato.loss.bound.row_prices`; for tables too large for these, or where they take more
    than a minute, from comparing pairs of rows.

    Parameters
    ----------
    microdata
        The table.
    k
        The least size of a class.
    left_out
        Rows that are always suppressed because a value is missing.
    seed
        The seed for sampling large tables.
    suppression
        Whether rows may be suppressed.
    mixed
        The condition on the sensitive values of a class, if any.
    """
    begin = time.perf_counter()
    people = DistinctRows.of(microdata)
    bound = None
    if len(people) <= PRICED_ROWS:
        with suppress(EndedEarlyError):
            bound = _price_bound(microdata, k, left_out, suppression, mixed)
    if bound is None:
        bound = _pair_bound(people, k, left_out, seed, suppression)
    bound.seconds = time.perf_counter() - begin
    return bound


def _price_bound(microdata: Microdata, k: int, left_out: int, suppression: bool, mixed: Mixed | None) -> Bound | None:
    """Compute the bound from prices; None where these take longer than a release."""
    if k < 2 or len(microdata) < k:
        return None
    rows = distinct_rows(microdata, mixed)
    if len(rows) > PRICED_ROWS and mixed is not None:
        rows, mixed = distinct_rows(microdata, None), None
    boxes = all_boxes(microdata, rows)
    boxes.patience = Patience(SECONDS)
    if isinstance(boxes, ListedBoxes):
        _, prices = capped_prices(microdata, k, suppression, mixed, boxes)
        return bound_by(prices.each[rows.of_row], left_out)
    if boxes.compared > COMPARED:
        return None
    limit = np.full(len(rows), 1.0 if suppression else np.inf)
    found = search_prices(Pricing(boxes, k, mixed=mixed), limit, Stop(rounds=ROUNDS, work=EXAMINED))
    bound = bound_by(found.prices.each[rows.of_row] * (1 - SAFETY), left_out)
    # Where examining all boxes takes too much work, pairs of rows may prove more.
    losses = np.repeat(boxes.reaches(k), rows.counts[boxes.order])
    pairs = (_shared_loss(losses, k, suppression) + left_out) / (len(losses) + left_out) - ROUNDING
    return max(bound, Bound(pairs, prices=bound.prices))


def _shared_loss(losses: NDArray[np.float64], k: int, suppression: bool) -> float:
    """Bound the total loss, given what each row loses at least because other rows share its class.

    Without suppression all rows of a class lose the same, so the highest of these losses counts for k rows.
    """
    return float(losses.sum()) if suppression else least_total(-np.sort(-losses), k)


def _pair_bound(people: DistinctRows, k: int, left_out: int, seed: int, suppression: bool) -> Bound:
    """Compute the bound from pairs of rows.

    A row shares its class with k - 1 others, so it loses at least as much as in a class with its (k - 1)-th nearest
    row. A suppressed row loses the maximum, which is never less.
    """
    rows = int(people.counts.sum()) + left_out
    # Rows with k - 1 equals may lose nothing, and need not be examined.
    rare = np.flatnonzero(people.counts < k)
    if len(rare) * len(people) <= PAIRS:
        losses = np.zeros(len(people))
        losses[rare] = people.least_losses(rare, k)
        total = _shared_loss(np.repeat(losses, people.counts), k, suppression)
        return Bound((total + left_out) / rows - ROUNDING)
    ends = np.cumsum(people.counts[rare])
    sample = np.random.default_rng(seed).integers(0, ends[-1], max(LEAST_SAMPLE, PAIRS // len(people)))
    losses = people.box_losses(rare[np.searchsorted(ends, sample, side="right")], k)
    mean = lower_confidence(losses, 1 - CONFIDENCE, len(sample))
    return Bound((mean * int(ends[-1]) + left_out) / rows - ROUNDING, CONFIDENCE, len(losses))


@dataclass(frozen=True)
class DistinctRows:
    """The distinct rows of a table in ascending order, the attribute in which rows differ most coming first."""

    codes: NDArray[np.unsignedinteger]
    counts: NDArray[np.int64]
    spans: Spans

    def __len__(self) -> int:
        return len(self.counts)

    @classmethod
    def of(cls, microdata: Microdata) -> DistinctRows:
        """Count the distinct rows of a table."""
        order = np.argsort(-mean_costs(microdata), kind="stable")
        sizes = [microdata.domains[at].size for at in order]
        spans = microdata.spans._replace(index=microdata.spans.index[order], weight=microdata.spans.weight[order])
        if math.prod(sizes) > KEY_LIMIT:
            found = group_rows(microdata.codes[:, order], sizes)
            return cls(np.ascontiguousarray(found.codes), found.counts, spans)
        keys = np.zeros(len(microdata), np.int64)
        for at, size in zip(order, sizes, strict=True):
            keys *= size
            keys += microdata.codes[:, at]
        keys.sort()
        begins = np.append(True, keys[1:] != keys[:-1]).nonzero()[0]
        codes = np.empty((len(begins), len(sizes)), microdata.codes.dtype)
        left = keys[begins]
        for at in range(len(sizes) - 1, -1, -1):
            left, codes[:, at] = np.divmod(left, sizes[at])
        return cls(codes, np.diff(begins, append=len(keys)), spans)

    def least_losses(self, chosen: NDArray[np.int64], k: int) -> NDArray[np.float64]:
        """Compute what the chosen distinct rows lose at least with their (k - 1)-th nearest row."""
        losses, rows = np.zeros(len(chosen)), self._sorted()

        def write(part: slice) -> None:
            least_losses(chosen[part], rows, k, self.spans, losses[part])

        side_by_side(write, _parts(len(chosen)))
        return losses

    def box_losses(self, chosen: NDArray[np.int64], k: int) -> NDArray[np.float64]:
        """Compute what the cheapest boxes of k rows around the chosen distinct rows lose, as far as work allows.

        The result covers the first of the chosen rows, at least ``LEAST_SAMPLE``: fewer if finding the nearest rows
        takes many comparisons, as in tables of many numbers.
        """
        losses, rows, work = np.zeros(len(chosen)), self._sorted(), 0

        def write(part: slice) -> int:
            return cheapest_boxes(chosen[begin:end][part], rows, k, self.spans, BOX_WORK, losses[begin:end][part])

        for begin in range(0, len(chosen), LEAST_SAMPLE):
            end = min(begin + LEAST_SAMPLE, len(chosen))
            work += sum(side_by_side(write, _parts(end - begin)))
            if work > WORK:
                return losses[:end]
        return losses

    def _sorted(self) -> SortedRows:
        return SortedRows(self.codes, self.counts, self._skips())

    def _skips(self) -> NDArray[np.int32]:
        """Find for every row and leading attribute the next row that differs there or before."""
        rows, attributes = self.codes.shape
        skips = np.empty((rows, min(attributes, LEADING)), np.int32)
        differs = np.zeros(rows - 1, bool)
        for at in range(skips.shape[1]):
            differs |= self.codes[1:, at] != self.codes[:-1, at]
            ends = np.append(np.flatnonzero(differs) + 1, rows)
            skips[:, at] = np.repeat(ends, np.diff(ends, prepend=0))
        return skips


def _parts(rows: int) -> Iterator[slice]:
    """Yield slices of some rows, one per thread."""
    edges = np.linspace(0, rows, PARTS + 1).astype(np.int64)
    return (slice(start, stop) for start, stop in pairwise(edges.tolist()))


def mean_costs(microdata: Microdata) -> NDArray[np.float64]:
    """Estimate what two rows lose in each attribute on average, from random pairs."""
    one, two = np.random.default_rng(0).integers(0, len(microdata), (2, 1000))
    lo, hi = (pick(microdata.codes[one], microdata.codes[two]) for pick in (np.minimum, np.maximum))
    costs = [domain.span_costs(lo[:, at], hi[:, at]).mean() for at, domain in enumerate(microdata.domains)]
    return np.array(costs) * microdata.weights


def lower_confidence(values: NDArray[np.float64], risk: float, planned: int | None = None) -> float:
    """Compute a lower confidence limit for the mean of a population: with at most this risk the mean is below it.

    The values are not negative and drawn with replacement. Sampling may stop after any of them, whatever they are, if
    ``planned`` says how many were planned. For every candidate mean one bets against it on each value of the sample, a
    share of the capital that depends on the values seen before. Under the true mean the bets are fair and multiply the
    capital by more than 1 / risk with at most that probability, so candidates that exceed this are rejected.
    (Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting", 2023.)
    """
    if not values.any():
        return 0.0
    seen = np.arange(1, len(values) + 1)
    means = np.cumsum(values) / seen
    squares = np.cumsum(values * values) / seen
    # The relative variance of the values seen: 1 before any is seen, and while all of them are 0.
    relative = np.divide(squares, means * means, out=np.full(len(values), 2.0), where=means > 0) - 1
    scatter = (1 + np.cumsum(relative)) / (seen + 1)
    known = np.append(1.0, scatter[:-1])
    shares = np.minimum(0.9, np.sqrt(2 * math.log(1 / risk) / ((planned or len(values)) * known)))
    low, high = 0.0, float(values.mean())
    for _ in range(40):
        doubted = (low + high) / 2
        capital = np.cumsum(np.log1p(shares * (values / doubted - 1)))
        if capital.max() >= math.log(1 / risk):
            low = doubted
        else:
            high = doubted
    return low
