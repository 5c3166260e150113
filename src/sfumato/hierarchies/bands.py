"""Numbers in declared bands: breaks with or without labels, open ends such as ``90+``, rounding."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from sfumato.common import parameters
from sfumato.errors import DataError, invalid_parameter
from sfumato.hierarchies.base import (
    Fitted,
    Hierarchy,
    LabelMeaning,
    as_number,
    numbers_between,
    sort_codes,
    texts_between,
)
from sfumato.hierarchies.bins import Bounds, exactly, kind_of, plainly
from sfumato.hierarchies.levels import Level, grouped_level, identity_level, root_level
from sfumato.hierarchies.numeric import finite_numbers, numbers_only, offsets_of
from sfumato.hierarchies.scale_domain import LevelledDomain

#: More bands than this are refused as useless to readers.
MOST_BANDS = 10_000


@dataclass(frozen=True)
class BandEdges:
    """The bands of one level: each begins at an edge and ends before the next; None is an open end."""

    name: str
    edges: Sequence[Fraction | None]
    labels: Sequence[str] | None = None

    def pairs(self) -> Iterator[tuple[Fraction | None, Fraction | None]]:
        """Yield the beginning of every band and that of the next one."""
        return itertools.pairwise(self.edges)


class Banded(Hierarchy):
    """Numbers that are only ever shown in the bands of declared levels."""

    @abstractmethod
    def levels_for(self, least: Fraction, greatest: Fraction) -> Iterable[BandEdges]:
        """The bands of every level, finest first, for numbers within a range."""

    def is_fixed(self, kind: pa.DataType) -> bool:
        """Whole numbers in bands with fractional edges are shown with or without the upper end, by what occurs."""
        return not pa.types.is_integer(kind) or all(float(edge).is_integer() for edge in self.labelled_edges())

    @abstractmethod
    def labelled_edges(self) -> Sequence[float]:
        """The declared numbers that labels of bands derive from."""

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        ordered, codes = sort_codes(numbers_only(column, values, f"{type(self).__name__}()"))
        numbers = finite_numbers(column, ordered)
        levels = [
            identity_level(ordered, has_missing),
            *self._levels(ordered, has_missing),
            root_level(len(ordered) + has_missing),
        ]
        offsets = offsets_of(ordered, numbers)
        return Fitted(LevelledDomain(column, ordered, has_missing, tuple(levels), numbers, offsets), codes)

    def _levels(self, ordered: pa.Array, has_missing: bool) -> Iterator[Level]:
        if not len(ordered):
            return
        given = list(self.levels_for(exactly(ordered[0]), exactly(ordered[-1])))
        places = [_places(ordered, level.edges) for level in given]
        bounds = [_bounds(ordered, level, used) for level, used in zip(given, places, strict=True)]
        kind = kind_of(ordered.type, bounds)
        for level, used, found in zip(given, places, bounds, strict=True):
            bands, of_value = np.unique(used, return_inverse=True)
            labels = found.labels() if level.labels is None else [level.labels[band] for band in bands]
            shown = pa.array(labels, pa.string()).take(pa.array(of_value))
            yield grouped_level(level.name, used, shown, has_missing, found.ends(kind))


def _places(ordered: pa.Array, edges: Sequence[Fraction | None]) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The band of every value, by exact comparison; no value lies beyond a closed end."""
    inner = [edge for edge in edges[1:-1] if edge is not None]
    begins = [bisect_left(range(len(ordered)), edge, key=lambda at: exactly(ordered[at])) for edge in inner]
    return np.searchsorted(np.array(begins, np.int64), np.arange(len(ordered)), side="right").astype(np.int64)


def _bounds(ordered: pa.Array, level: BandEdges, used: np.ndarray[Any, np.dtype[np.int64]]) -> Bounds:
    pairs = list(level.pairs())
    occurring = [pairs[band] for band in np.unique(used)]
    return Bounds.between(ordered, [low for low, _ in occurring], [after for _, after in occurring])


class Bands(Banded):
    """Numbers in bands between declared breaks, with open ends: ``<18``, ``[18, 64]``, ``65+``.

    Parameters
    ----------
    breaks
        Where bands begin, in ascending order: ``[18, 65]``. For several levels one list each, finest first; every break
        of a coarser level is one of the finer: ``[[18, 40, 65, 90], [18, 65]]``.
    labels
        The names of the bands, one more than breaks: ``["child", "working age", "65+"]``; for several levels one
        list each. Without them bands are named by their ends.

    Examples
    --------
    >>> fitted = Bands([18, 65], ["child", "working age", "65+"]).fit("age", pa.array([12, 34, 80]), has_missing=False)
    >>> fitted.domain.levels[1].labels.to_pylist()
    ['child', 'working age', '65+']
    """

    name: ClassVar[str] = "bands"
    shorthand: ClassVar[str] = "bands:18,65:child|working age|65+"

    def __init__(self, breaks: Sequence[Any], labels: Sequence[Any] | None = None) -> None:
        self.breaks = [_checked_breaks(level) for level in _per_level("breaks", breaks)]
        for fine, coarse in itertools.pairwise(self.breaks):
            if not set(coarse) < set(fine):
                expected = "levels from fine to coarse, every break of one among those of the level before"
                raise invalid_parameter("Bands", "breaks", expected, breaks)
        self.labels = None if labels is None else _checked_labels(_per_level("labels", labels), self.breaks)
        self._refuse_ambiguous()

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        breaks, colon, labels = text.partition(":")
        said: dict[str, Any] = {"breaks": [numbers_between(level) for level in breaks.split("/")]}
        return said | ({"labels": [texts_between(level, "|") for level in labels.split("/")]} if colon else {})

    def to_policy(self) -> dict[str, Any]:
        said = {"type": self.name, "breaks": _flat(self.breaks)}
        return said | ({} if self.labels is None else {"labels": _flat(self.labels)})

    def levels_for(self, least: Fraction, greatest: Fraction) -> Iterator[BandEdges]:
        for at, breaks in enumerate(self.breaks):
            edges = [None, *(Fraction(str(edge)) for edge in breaks), None]
            yield BandEdges(f"bands {at + 1}", edges, None if self.labels is None else self.labels[at])

    def labelled_edges(self) -> Sequence[float]:
        return [] if self.labels is not None else [edge for level in self.breaks for edge in level]

    def meaning(self, label: str) -> LabelMeaning | None:
        return self._meanings().get(label)

    def _meanings(self) -> dict[str, LabelMeaning]:
        found: dict[str, LabelMeaning] = {}
        for breaks, labels in zip(self.breaks, self.labels or (), strict=False):
            edges = [-math.inf, *map(float, breaks), math.inf]
            found |= {label: LabelMeaning(*ends) for label, ends in zip(labels, itertools.pairwise(edges), strict=True)}
        return found

    def _refuse_ambiguous(self) -> None:
        """Refuse a label with two meanings; the same band may keep its label on the next level."""
        known: dict[str, tuple[float, float]] = {}
        for breaks, labels in zip(self.breaks, self.labels or (), strict=False):
            for label, ends in zip(labels, itertools.pairwise([-math.inf, *breaks, math.inf]), strict=True):
                if known.setdefault(label, ends) != ends:
                    hint = f"{label!r} stands for two bands."
                    raise invalid_parameter("Bands", "labels", "different labels for different bands", labels, hint)


class Capped(Banded):
    """Numbers with top and bottom coding: ``<20``, intervals of equal width between, ``90+``.

    Parameters
    ----------
    widths
        The widths of the intervals, each a multiple of the one before, as in `Numeric`.
    bottom, top
        Numbers below ``bottom``, and from ``top`` on, are shown alike; None for no such end.

    Examples
    --------
    >>> fitted = Capped([10], top=90).fit("age", pa.array([34, 85, 97]), has_missing=False)
    >>> fitted.domain.levels[1].labels.to_pylist()
    ['[30, 39]', '[80, 89]', '90+']
    """

    name: ClassVar[str] = "capped"
    shorthand: ClassVar[str] = "capped:5,10:20..90"

    def __init__(self, widths: Sequence[float], bottom: float | None = None, top: float | None = None) -> None:
        self.widths = parameters.multiples("Capped", "widths", widths)
        if not self.widths:
            raise invalid_parameter("Capped", "widths", "at least one number", widths)
        for name, given in (("bottom", bottom), ("top", top)):
            if given is not None:
                parameters.number("Capped", name, given)
        if bottom is None and top is None:
            raise invalid_parameter("Capped", "top", "a number, unless there is a bottom", top, "Numeric has no ends.")
        if bottom is not None and top is not None and bottom >= top:
            raise invalid_parameter("Capped", "top", f"a number above the bottom, {bottom:g}", top)
        self.bottom, self.top = bottom, top

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        widths, _, ends = text.partition(":")
        bottom, _, top = ends.partition("..")
        given = {"bottom": bottom.strip(), "top": top.strip()}
        return {"widths": numbers_between(widths)} | {name: as_number(end) for name, end in given.items() if end}

    def to_policy(self) -> dict[str, Any]:
        given = {"bottom": self.bottom, "top": self.top}
        said = {name: end for name, end in given.items() if end is not None}
        return {"type": self.name, "widths": list(self.widths)} | said

    def labelled_edges(self) -> Sequence[float]:
        return [*self.widths, *(end for end in (self.bottom, self.top) if end is not None)]

    def levels_for(self, least: Fraction, greatest: Fraction) -> Iterator[BandEdges]:
        for width in self.widths:
            step = Fraction(str(width))
            bottom = step * (least // step) if self.bottom is None else Fraction(str(self.bottom))
            top = step * (greatest // step + 1) if self.top is None else Fraction(str(self.top))
            inner = _multiples(self, step, bottom, top)
            ends = [bottom, *inner, top]
            below, above = [None] * (self.bottom is not None), [None] * (self.top is not None)
            yield BandEdges(f"width {width:g}", [*below, *ends, *above])


class Rounded(Banded):
    """Numbers rounded to the nearest multiple of a step, halves upward: ``40±5`` for 35 up to 45.

    Parameters
    ----------
    steps
        The steps of the levels, each an odd multiple of the one before, such as ``(10, 50)``: otherwise the coarsely
        rounded number would not follow from the finely rounded one.

    Examples
    --------
    >>> Rounded([10]).fit("age", pa.array([34, 35, 44]), has_missing=False).domain.levels[1].labels.to_pylist()
    ['30±5', '40±5']
    """

    name: ClassVar[str] = "rounded"
    shorthand: ClassVar[str] = "rounded:10,50"

    def __init__(self, steps: Sequence[float]) -> None:
        self.steps = parameters.multiples("Rounded", "steps", steps)
        odd = all(round(wide / narrow) % 2 for narrow, wide in itertools.pairwise(self.steps))
        if not self.steps or not odd:
            expected = "at least one number, each an odd multiple of the one before, such as 10, 50"
            raise invalid_parameter("Rounded", "steps", expected, steps)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"steps": numbers_between(text)}

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "steps": list(self.steps)}

    def labelled_edges(self) -> Sequence[float]:
        return []

    def levels_for(self, least: Fraction, greatest: Fraction) -> Iterator[BandEdges]:
        for given in self.steps:
            step = Fraction(str(given))
            first, last = (math.floor(end / step + Fraction(1, 2)) for end in (least, greatest))
            if last - first >= MOST_BANDS:
                raise _too_many(self)
            edges = [(at - Fraction(1, 2)) * step for at in range(first, last + 2)]
            labels = [f"{plainly(at * step)}±{plainly(step / 2)}" for at in range(first, last + 1)]
            yield BandEdges(f"rounded to {given:g}", edges, labels)


def _multiples(how: Hierarchy, step: Fraction, bottom: Fraction, top: Fraction) -> list[Fraction]:
    """The multiples of a step between two ends."""
    first, last = bottom // step + 1, math.ceil(top / step)
    if last - first > MOST_BANDS:
        raise _too_many(how)
    return [at * step for at in range(first, last)]


def _too_many(how: Hierarchy) -> DataError:
    return DataError(f"{how!r} makes more than {MOST_BANDS:,} bands of this column. Make them wider.")


def _per_level(name: str, given: Sequence[Any]) -> list[Sequence[Any]]:
    """Normalize the argument to one list per level."""
    if isinstance(given, str) or not isinstance(given, Iterable) or not (listed := list(given)):
        raise invalid_parameter("Bands", name, "a list, or a list per level", given)
    nested = [isinstance(one, Iterable) and not isinstance(one, str) for one in listed]
    if any(nested) != all(nested):
        raise invalid_parameter("Bands", name, "a list, or a list per level", given)
    return [list(level) for level in listed] if all(nested) else [listed]


def _flat(levels: Sequence[Any]) -> list[Any]:
    return list(levels[0]) if len(levels) == 1 else [list(level) for level in levels]


def _checked_breaks(breaks: Sequence[Any]) -> list[float]:
    for edge in breaks:
        parameters.number("Bands", "breaks", edge)
    if not breaks or any(low >= high for low, high in itertools.pairwise(breaks)):
        raise invalid_parameter("Bands", "breaks", "numbers in ascending order, such as 18, 65", list(breaks))
    return list(breaks)


def _checked_labels(labels: Sequence[Sequence[Any]], breaks: Sequence[Sequence[float]]) -> list[list[str]]:
    wanted = [len(level) + 1 for level in breaks]
    if [len(level) for level in labels] != wanted:
        expected = f"one label more than breaks: {' and '.join(map(str, wanted))}"
        raise invalid_parameter("Bands", "labels", expected, labels)
    return [[parameters.text("Bands", "labels", label) for label in level] for level in labels]
