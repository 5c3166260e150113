"""Whether interval ends single people out: how often exactly one person in a class's box lies at one of its ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.rows import count_codes
from sfumato.common.threads import in_order as in_turn
from sfumato.common.threads import side_by_side
from sfumato.hierarchies import Ends, ScaledDomain
from sfumato.table.frequency import FrequencySet, frequency_set, in_order
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses

#: The most rows to compare with boxes; of larger tables a sample of the classes is examined.
MOST_COMPARED = 1_000_000

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

    def only(self, chosen: NDArray[np.bool_]) -> _Asked:
        kept = chosen[self.classes]
        return _Asked(self.attribute, self.classes[kept], self.codes[kept])


def singling_out(microdata: Microdata, classes: EquivalenceClasses, random: np.random.Generator) -> IntervalEndRisk:
    """Count the classes and rows whose intervals single a person out."""
    boxes = _boxes(microdata, classes)

    def ask(at: int) -> tuple[NDArray[np.bool_], list[_Asked]]:
        domain = microdata.domains[at]
        assert isinstance(domain, ScaledDomain)
        ends, interval = _shown_ends(domain, classes, at)
        return interval, list(_questions(domain, ends, interval, boxes, at))

    scaled = [at for at, domain in enumerate(microdata.domains) if isinstance(domain, ScaledDomain)]
    asked = side_by_side(ask, scaled)
    shows = np.any([interval for interval, _ in asked], axis=0) if asked else np.zeros(len(classes), bool)
    questions = [one for _, ones in asked for one in ones]
    people, sizes = frequency_set(microdata), [domain.size for domain in microdata.domains]
    chosen = _looked_at(shows, questions, people, random)
    single = np.zeros(len(classes), bool)
    few = [one.only(chosen) for one in questions]
    # Each question sorts the distinct rows, so that few are asked at once: that takes memory.
    for one, counts in zip(few, in_turn(lambda one: _count(people, boxes, one, sizes), few, ahead=1), strict=True):
        single[one.classes] |= counts == 1
    intervals, seen = int(shows.sum()), int(chosen.sum())
    scale = intervals / max(1, seen)
    found, rows = int(single.sum()), int(classes.sizes[single].sum())
    return IntervalEndRisk(intervals, round(found * scale), round(rows * scale), None if seen == intervals else seen)


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


def _questions(
    domain: ScaledDomain, ends: Ends, interval: NDArray[np.bool_], boxes: tuple[Codes, Codes], at: int
) -> Iterator[_Asked]:
    """Yield both ends of the classes with an interval, if they are values of the table inside the box."""
    near = NEAR * domain.extent
    with np.errstate(over="ignore"):  # no value is as far as where the last interval ends
        last = ends.offsets + ends.widths
    for side, offsets in ((ends.low, ends.offsets), (ends.high, last)):
        codes = np.minimum(np.searchsorted(domain.offsets, offsets - near), len(domain.offsets) - 1)
        is_value = np.abs(domain.offsets[codes] - offsets) <= near
        inside = (boxes[0][:, at] <= codes) & (codes <= boxes[1][:, at])
        asked = np.flatnonzero(interval & is_value & inside & _is_stated(side))
        yield _Asked(at, asked, codes[asked])


def _looked_at(
    shows: NDArray[np.bool_], questions: list[_Asked], people: FrequencySet, random: np.random.Generator
) -> NDArray[np.bool_]:
    """Choose the classes to examine: all that show an interval, or a random sample if that takes too much work."""
    work = sum(int(_having(people, asked).sum()) for asked in questions)
    candidates = np.flatnonzero(shows)
    if work <= MOST_COMPARED:
        return shows
    count = max(1, int(len(candidates) * MOST_COMPARED / work))
    chosen = np.zeros(len(shows), bool)
    chosen[random.choice(candidates, count, replace=False)] = True
    return chosen


def _having(people: FrequencySet, asked: _Asked) -> Codes:
    """Count the distinct rows with the value of each question."""
    codes = people.codes[:, asked.attribute]
    return count_codes(codes, 1 + max(int(codes.max(initial=0)), int(asked.codes.max(initial=0))))[asked.codes]


def _count(people: FrequencySet, boxes: tuple[Codes, Codes], asked: _Asked, sizes: Sequence[int]) -> Codes:
    """Count the people at every end who fit everything the class shows."""
    narrow = _narrowest(boxes, asked, sizes)
    size = sizes[narrow]
    keys = people.codes[:, asked.attribute].astype(np.int64) * size + people.codes[:, narrow]
    ordered, order = in_order(keys, sizes[asked.attribute] * size)
    first, last = (side[asked.classes, narrow] for side in boxes)
    begins = np.searchsorted(ordered, asked.codes * size + first)
    ends = np.searchsorted(ordered, asked.codes * size + last, side="right")
    having = np.maximum(0, ends - begins)
    question = np.repeat(np.arange(len(asked.codes)), having)
    within = np.arange(len(question)) - np.repeat(np.cumsum(having) - having, having)
    row = order[np.repeat(begins, having) + within]
    for at in range(people.codes.shape[1]):  # each column leaves fewer rows for the next
        if at in (asked.attribute, narrow):
            continue
        codes, of_class = people.codes[row, at], asked.classes[question]
        fits = (boxes[0][of_class, at] <= codes) & (codes <= boxes[1][of_class, at])
        row, question = row[fits], question[fits]
    found = np.bincount(question, weights=people.counts[row], minlength=len(asked.codes))
    return found.astype(np.int64)


def _narrowest(boxes: tuple[Codes, Codes], asked: _Asked, sizes: Sequence[int]) -> int:
    """Find the column, other than the attribute in question, in which the shown ranges cover the smallest share."""
    first, last = (side[asked.classes] for side in boxes)
    shares = (last - first + 1).sum(axis=0) / np.array(sizes)
    shares[asked.attribute] = np.inf
    return int(np.argmin(shares))
