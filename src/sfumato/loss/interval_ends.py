"""Whether interval ends single people out: how often exactly one person in a class's box lies at one of its ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.rows import FEW_CODES, LONG, shares, sort_codes
from sfumato.common.threads import in_chunks, side_by_side
from sfumato.common.threads import in_order as in_turn
from sfumato.hierarchies import Ends, ScaledDomain
from sfumato.table.frequency import frequency_set, group_rows, in_order
from sfumato.table.kernels.classes import count_fitting
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses

#: The most classes to examine, and the most rows to compare with their boxes for the ends of an attribute: where that
#: is not enough, a sample of the classes is examined.
MOST_CLASSES, MOST_COMPARED = 8_192, 4_000_000

#: Equal rows are counted together where each occurs about so often, judged by some of them.
OFTEN, SOME_ROWS = 4, 1 << 15

#: An end this close to a value, as a share of the range, counts as that value.
NEAR = 1e-12

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class IntervalEndRisk:
    """How many people the ends of intervals single out.

    Attributes
    ----------
    intervals
        The classes that show an interval.
    classes, rows
        Of these, those with an end at which exactly one person of the table fits everything the class shows, and the
        rows in them. Estimated if only a sample of the classes was examined.
    sampled
        How many classes were examined, if not all.
    """

    intervals: int
    classes: int
    rows: int
    sampled: int | None = None

    @property
    def share(self) -> float:
        """The share of the classes with intervals."""
        return self.classes / max(1, self.intervals)

    def to_dict(self) -> dict[str, int | float]:
        """Convert to plain values."""
        found = {"classes_with_intervals": self.intervals, "classes": self.classes, "rows": self.rows}
        return found | {"share": self.share} | ({} if self.sampled is None else {"sampled_classes": self.sampled})


@dataclass(frozen=True)
class _Asked:
    """Questions about one attribute: which classes have an end there, and the code of the value at the end."""

    attribute: int
    classes: Codes
    codes: Codes

    def of_ranked(self, ranks: Codes) -> _Asked:
        """Select the questions about classes that have a rank, in its order; the rank of all others is negative."""
        asked = ranks[self.classes]
        order = np.argsort(asked, kind="stable")[np.count_nonzero(asked < 0) :]
        return _Asked(self.attribute, self.classes[order], self.codes[order])


class _People(NamedTuple):
    """The rows of the table, or its distinct rows with their counts; no counts are counts of 1."""

    codes: NDArray[np.integer]
    counts: Codes


def singling_out(microdata: Microdata, classes: EquivalenceClasses, random: np.random.Generator) -> IntervalEndRisk:
    """Count the classes and rows whose intervals single a person out."""
    boxes = _boxes(microdata, classes)

    def ask(at: int) -> tuple[NDArray[np.bool_], _Asked]:
        domain = microdata.domains[at]
        assert isinstance(domain, ScaledDomain)
        ends, interval = _shown_ends(domain, classes, at)
        return interval, _asked(domain, ends, interval, boxes, at)

    scaled = [at for at, domain in enumerate(microdata.domains) if isinstance(domain, ScaledDomain)]
    asked = side_by_side(ask, scaled)
    shows = np.any([interval for interval, _ in asked], axis=0) if asked else np.zeros(len(classes), bool)
    people, sizes = _people(microdata), [domain.size for domain in microdata.domains]
    ranked = _ranked(shows, random)
    ranks = np.full(len(classes), -1, np.int64)
    ranks[ranked] = np.arange(len(ranked))
    single, seen = np.zeros(len(classes), bool), len(ranked)
    few = [one.of_ranked(ranks) for _, one in asked]
    # Each attribute sorts the rows, so that few are asked about at once: that takes memory.
    for one, counts in zip(few, in_turn(lambda one: _count(people, boxes, one, sizes), few, ahead=0), strict=True):
        single[one.classes[: len(counts)][counts == 1]] = True
        if len(counts) < len(one.classes):
            seen = min(seen, int(ranks[one.classes[len(counts)]]))
    intervals = int(shows.sum())
    single[ranked[seen:]] = False
    scale = intervals / max(1, seen)
    found, rows = int(single.sum()), int(classes.sizes[single].sum())
    return IntervalEndRisk(intervals, round(found * scale), round(rows * scale), None if seen == intervals else seen)


def _people(microdata: Microdata) -> _People:
    """Count equal rows together if they occur often: in others that takes longer than it saves."""
    rows = len(microdata)
    if rows > SOME_ROWS:
        some = microdata.codes[:: rows // SOME_ROWS]
        repeated = len(some) - len(group_rows(some, [domain.size for domain in microdata.domains]))
        # Of n rows drawn from d that are equally frequent, about n² / 2d repeat an earlier one.
        if len(some) ** 2 * OFTEN > 2 * repeated * rows:
            return _People(microdata.codes, np.empty(0, np.int64))
    distinct = frequency_set(microdata)
    return _People(distinct.codes, distinct.counts)


def _boxes(microdata: Microdata, classes: EquivalenceClasses) -> tuple[Codes, Codes]:
    """Find the first and last code of every quasi-identifier that each class covers by what it shows."""
    first, last = classes.lo.copy(), classes.hi.copy()

    def cover(at: int) -> None:
        domain = microdata.domains[at]
        if classes.levels is None:
            first[:, at], last[:, at] = domain.covered(classes.lo[:, at], classes.hi[:, at])
        if classes.hidden is not None:
            hidden = classes.hidden[:, at]
            first[hidden, at], last[hidden, at] = 0, domain.size - 1

    side_by_side(cover, range(len(microdata.domains)))
    return first, last


def _shown_ends(domain: ScaledDomain, classes: EquivalenceClasses, at: int) -> tuple[Ends, NDArray[np.bool_]]:
    """Find the ends that every class shows, and whether it shows an interval at all."""
    if classes.levels is None:
        ends = domain.span_ends(classes.lo[:, at], classes.hi[:, at])
    else:
        level = classes.levels[at]
        ends = domain.level_ends(level).take(domain.levels[level].groups[classes.lo[:, at]])
    stated: NDArray[np.bool_] = _is_stated(ends.low) | _is_stated(ends.high)
    if classes.hidden is not None:
        stated = stated & ~classes.hidden[:, at]
    return ends, stated & (ends.widths > 0)


def _is_stated(side: pa.Array) -> NDArray[np.bool_]:
    """Mark the intervals that show this end; ``90+`` shows no upper one."""
    stated: NDArray[np.bool_] = side.is_valid().to_numpy(zero_copy_only=False)
    return stated


def _asked(
    domain: ScaledDomain, ends: Ends, interval: NDArray[np.bool_], boxes: tuple[Codes, Codes], at: int
) -> _Asked:
    """Ask about both ends of the classes with an interval, if they are values of the table inside the box."""
    near = NEAR * domain.extent
    with np.errstate(over="ignore"):  # no value is as far as where the last interval ends
        last = ends.offsets + ends.widths
    classes, values = [], []
    for side, offsets in ((ends.low, ends.offsets), (ends.high, last)):
        codes = np.minimum(np.searchsorted(domain.offsets, offsets - near), len(domain.offsets) - 1)
        is_value = np.abs(domain.offsets[codes] - offsets) <= near
        inside = (boxes[0][:, at] <= codes) & (codes <= boxes[1][:, at])
        classes.append(np.flatnonzero(interval & is_value & inside & _is_stated(side)))
        values.append(codes[classes[-1]])
    return _Asked(at, np.concatenate(classes), np.concatenate(values))


def _ranked(shows: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.intp]:
    """Rank the classes to examine: all that show an interval, or a random sample."""
    candidates = np.flatnonzero(shows)
    return random.choice(candidates, min(len(candidates), MOST_CLASSES), replace=False)


def _count(people: _People, boxes: tuple[Codes, Codes], asked: _Asked, sizes: Sequence[int]) -> Codes:
    """Count the people at every end who fit everything the class shows, up to the second.

    The last ends are left out if that takes long, but not the first.
    """
    if not len(asked.classes):
        return np.zeros(0, np.int64)
    narrow = _narrowest(boxes, asked, sizes)
    size = sizes[narrow]
    first, last = (asked.codes * size + side[asked.classes, narrow] for side in boxes)
    order, begins, ends = _between(people.codes, asked.attribute, narrow, sizes, first, last)
    compared = np.cumsum(np.maximum(0, ends - begins))
    some = slice(max(1, int(np.searchsorted(compared, MOST_COMPARED, side="right"))))
    lo, hi = (side[asked.classes[some]] for side in boxes)
    found = np.zeros(len(lo), np.int64)
    side_by_side(
        lambda part: count_fitting(people.codes, people.counts, order, begins, ends, lo, hi, *part, found),
        shares(len(found)),
    )
    return found


def _between(
    codes: NDArray[np.integer], major: int, minor: int, sizes: Sequence[int], first: Codes, last: Codes
) -> tuple[Codes, Codes, Codes]:
    """Sort rows by two columns; return them, and where those with the pairs of codes ``first`` to ``last`` lie."""
    size, reach = sizes[minor], sizes[major] * sizes[minor]
    if len(codes) < LONG or reach > FEW_CODES:
        ordered, order = in_order(codes[:, major].astype(np.int64) * size + codes[:, minor], reach)
        return order, np.searchsorted(ordered, first), np.searchsorted(ordered, last, side="right")
    pairs = np.empty(len(codes), np.uint16)

    def pair(start: int, stop: int) -> None:
        pairs[start:stop] = codes[start:stop, major] * size + codes[start:stop, minor]

    in_chunks(len(codes), pair)
    order, ends = sort_codes(pairs, reach)
    before = np.append(0, ends)
    return order, before[first], before[last + 1]


def _narrowest(boxes: tuple[Codes, Codes], asked: _Asked, sizes: Sequence[int]) -> int:
    """Find the column, other than the attribute in question, in which the shown ranges cover the smallest share."""
    first, last = (side[asked.classes] for side in boxes)
    shares = (last - first + 1).sum(axis=0) / np.array(sizes)
    shares[asked.attribute] = np.inf
    return int(np.argmin(shares))
