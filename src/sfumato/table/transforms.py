"""Declared transformations: a column is changed in every row before models and methods see it, and released that way.

So the verified table is the released one, and policy and manifest say what was done.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.grouping import folded
from sfumato.errors import DataError, ParameterError, did_you_mean, invalid_parameter, listed, shortened
from sfumato.hierarchies import HIERARCHIES, KINDS, Hierarchy, Learned, default_hierarchy
from sfumato.hierarchies.ages import completed_years
from sfumato.hierarchies.base import as_number
from sfumato.hierarchies.bins import LEAST_EXACT
from sfumato.hierarchies.dates import moments_of
from sfumato.hierarchies.numeric import numbers_only
from sfumato.table.shift import Shift
from sfumato.table.transform_base import Transform, TransformContext


@dataclass(frozen=True)
class Round(Transform):
    """Numbers rounded to the nearest multiple of ``to``, halves away from zero; whole numbers stay whole.

    Examples
    --------
    >>> from sfumato.common.randomness import Secret
    >>> Round(500).apply("pay", TransformContext(pa.table({"pay": [1240, 1250, 1776]}), Secret(1))).to_pylist()
    [1000, 1500, 2000]
    """

    to: float
    kind: ClassVar[str] = "round"
    shorthand: ClassVar[str] = "round:500"

    def __post_init__(self) -> None:
        parameters.number("Round", "to", self.to, above=0)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"to": as_number(text.strip())}

    def apply(self, name: str, context: TransformContext) -> pa.ChunkedArray:
        cells = _numbers(name, context, "Round()")
        whole = pa.types.is_integer(cells.type) and float(self.to).is_integer()
        known = cells.drop_null().cast(pa.float64(), safe=False).to_numpy()
        if not np.isfinite(known).all():
            raise DataError(f"Column '{name}' holds infinite numbers, which cannot be rounded.")
        counts = self._multiples(cells.drop_null(), known)
        different, places = np.unique(counts, return_inverse=True)
        step = Fraction(str(self.to))
        exact = [one * step for one in different.tolist()]
        found = np.full(len(cells), -1, np.int64)
        found[cells.is_valid().to_numpy()] = places
        shown = self._shown(name, exact, whole) if exact else pa.array([], cells.type)
        return pa.chunked_array([shown.take(pa.array(found, mask=found < 0))])

    def _shown(self, name: str, exact: Sequence[Fraction], whole: bool) -> pa.Array:
        """The rounded numbers, as wide as they need to be: beyond 64 bits integers are exact decimals."""
        if whole:
            fits = all(-(2**63) <= number < 2**63 for number in exact)
            return pa.array([Decimal(int(number)) for number in exact], pa.decimal128(38)).cast(
                pa.int64() if fits else pa.decimal128(38)
            )
        try:
            return pa.array([float(number) for number in exact], pa.float64())
        except OverflowError:
            raise DataError(
                f"Column '{name}': rounded to multiples of {self.to:g}, some numbers become larger than the largest "
                "that a computer can hold. Round to a smaller number."
            ) from None

    def _multiples(self, cells: pa.ChunkedArray, numbers: NDArray[np.float64]) -> NDArray[np.object_]:
        """The nearest multiple of the step for every number; halves are decided exactly."""
        with np.errstate(over="ignore", invalid="ignore"):
            quotients = np.abs(numbers) / float(self.to) + 0.5
            doubt = np.abs(quotients - np.rint(quotients)) <= 1e-9 * np.maximum(1.0, quotients)
        counts = np.floor(quotients).astype(object)
        # Quotients by floats that are nearly 0 are not exact to nine digits.
        for at in np.flatnonzero(doubt | (quotients > 2**52) | (self.to < LEAST_EXACT)).tolist():
            exact = abs(Fraction(str(cells[at].cast(pa.string()))))
            counts[at] = math.floor(exact / Fraction(str(self.to)) + Fraction(1, 2))
        counts = np.array([int(count) for count in counts.tolist()], object)
        return np.where(numbers < 0, -counts, counts)


@dataclass(frozen=True)
class Clip(Transform):
    """Top and bottom coding: numbers above ``top`` become ``top``, those below ``bottom`` become ``bottom``.

    Examples
    --------
    >>> from sfumato.common.randomness import Secret
    >>> Clip(top=90).apply("age", TransformContext(pa.table({"age": [34, 90, 104]}), Secret(1))).to_pylist()
    [34, 90, 90]
    """

    bottom: float | None = None
    top: float | None = None
    kind: ClassVar[str] = "clip"
    shorthand: ClassVar[str] = "clip:0..90"

    def __post_init__(self) -> None:
        if self.bottom is None and self.top is None:
            raise invalid_parameter("Clip", "top", "a number, unless there is a bottom", None)
        for name in ("bottom", "top"):
            if getattr(self, name) is not None:
                parameters.number("Clip", name, getattr(self, name))
        if self.bottom is not None and self.top is not None and self.bottom >= self.top:
            raise invalid_parameter("Clip", "top", f"a number above the bottom, {self.bottom:g}", self.top)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        bottom, _, top = text.partition("..")
        given = {"bottom": bottom.strip(), "top": top.strip()}
        return {name: as_number(end) for name, end in given.items() if end}

    def apply(self, name: str, context: TransformContext) -> pa.ChunkedArray:
        cells = _numbers(name, context, "Clip()")
        for end, least in ((self.bottom, True), (self.top, False)):
            if end is not None and pa.types.is_unsigned_integer(cells.type) and end < 0:
                # Not by a cast: the upper half of unsigned numbers would turn negative.
                cells = cells if least else pc.if_else(pc.is_valid(cells), pa.scalar(end), pa.scalar(None))
            elif end is not None:
                kind = _holding(cells.type, end)
                cells, limit = cells.cast(kind, safe=False), _scalar(end).cast(kind)
                beyond = pc.less(cells, limit) if least else pc.greater(cells, limit)
                cells = pc.if_else(beyond, limit, cells)
        return cells


def _scalar(number: float) -> pa.Scalar:
    """A number for Arrow, which takes integers for signed ones."""
    if isinstance(number, int) and number >= 2**63:
        return pa.scalar(number, pa.uint64()) if number < 2**64 else pa.scalar(float(number))
    return pa.scalar(number)


def _holding(kind: pa.DataType, number: float) -> pa.DataType:
    """The type of a column, or a wider one that also holds a number."""
    if pa.types.is_integer(kind):
        for wide in (kind, pa.int64()):
            try:
                if _scalar(number).cast(wide).as_py() == number:
                    return wide
            except pa.ArrowInvalid:
                continue
    return kind if pa.types.is_floating(kind) else pa.float64()


@dataclass(frozen=True)
class Fold(Transform):
    """Text that looks alike becomes one value: trimmed, blanks as one space, no invisible characters, Unicode as NFKC.

    With ``case``, capital letters become small ones as well.

    Examples
    --------
    >>> from sfumato.common.randomness import Secret
    >>> Fold().apply("ill", TransformContext(pa.table({"ill": ["flu", "flu ", "ﬂu"]}), Secret(1))).to_pylist()
    ['flu', 'flu', 'flu']
    """

    case: bool = False
    kind: ClassVar[str] = "fold"
    shorthand: ClassVar[str] = "fold"

    def __post_init__(self) -> None:
        parameters.flag("Fold", "case", self.case)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        if text.strip() not in {"", "case"}:
            raise ParameterError(f"A column is folded by 'fold' or 'fold:case', not by {shortened('fold:' + text)}.")
        return {"case": True} if text.strip() else {}

    def apply(self, name: str, context: TransformContext) -> pa.ChunkedArray:
        cells = context.column(name, "Fold()")
        if not (pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type)):
            raise DataError(f"Column '{name}' is no text, so there is nothing to fold. Leave it as it is.")
        coded = cells.combine_chunks().dictionary_encode()
        coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
        return pa.chunked_array([folded(coded.dictionary, self.case).take(coded.indices)])


@dataclass(frozen=True)
class AtLevel(Transform):
    """Every value at one level of a hierarchy: bands, months, the chapters of diseases.

    Parameters
    ----------
    hierarchy
        Any hierarchy that is not learned, such as ``Bands([1000, 5000])`` or ``ICD10()``.
    level
        The number of the level, or its name; 0 is the value itself.

    Examples
    --------
    >>> from sfumato.common.randomness import Secret
    >>> from sfumato.hierarchies import Bands
    >>> pay = pa.table({"pay": [900, 2500]})
    >>> AtLevel(Bands([1000], ["low", "high"])).apply("pay", TransformContext(pay, Secret(1))).to_pylist()
    ['low', 'high']
    """

    hierarchy: Hierarchy
    level: int | str = 1
    kind: ClassVar[str] = "level"
    shorthand: ClassVar[str] = "icd10@chapter"

    def __post_init__(self) -> None:
        if isinstance(self.hierarchy, Mapping):
            object.__setattr__(self, "hierarchy", _hierarchy(self.hierarchy))
        if not isinstance(self.hierarchy, Hierarchy) or isinstance(self.hierarchy, Learned):
            expected = "a hierarchy that is not learned from a table, such as Bands([1000, 5000])"
            raise invalid_parameter("AtLevel", "hierarchy", expected, self.hierarchy)
        if not isinstance(self.level, str):
            parameters.integer("AtLevel", "level", self.level, at_least=0)

    @property
    def reads_text(self) -> bool:  # type: ignore[override]
        """Whether a column of a file is read as text, so that codes keep their zeros."""
        return self.hierarchy.reads_text

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        how, at, level = text.rpartition("@") if "@" in text else (text, "", "1")
        kind, colon, rest = how.partition(":")
        record = {"type": kind} | (KINDS[kind].from_short(rest) if colon and kind in KINDS else {})
        return {"hierarchy": record, "level": as_number(level.strip()) if at else 1}

    def to_policy(self) -> dict[str, Any]:
        return {"kind": self.kind, "hierarchy": self.hierarchy.to_policy(), "level": self.level}

    def recorded(self) -> dict[str, Any]:
        shown = {
            key: value for key, value in self.hierarchy.to_policy().items() if key not in {"rows", "file", "order"}
        }
        return {"kind": self.kind, "hierarchy": shown, "level": self.level}

    def apply(self, name: str, context: TransformContext) -> pa.ChunkedArray:
        cells = context.column(name, "AtLevel()")
        coded = cells.combine_chunks().dictionary_encode()
        if isinstance(coded, pa.ChunkedArray):
            coded = coded.chunk(0)
        domain, codes = self.hierarchy.fit(name, coded.dictionary, has_missing=False)
        names = [level.name for level in domain.levels]
        at = names.index(self.level) if self.level in names else self.level
        if isinstance(at, str) or at >= len(names):
            raise ParameterError(f"The hierarchy of '{name}' has no level {at!r}. Its levels are {listed(names)}.")
        labels = domain.levels[at].labels.take(pa.array(domain.levels[at].groups[codes]))
        return pa.chunked_array([labels.take(coded.indices)])


@dataclass(frozen=True)
class Age(Transform):
    """A new column: full years between two dates, such as the age of a patient at a visit.

    Parameters
    ----------
    born
        The column with the date of birth.
    at
        The column with the other date, or one date for all rows as ISO text.

    Examples
    --------
    >>> from sfumato.common.randomness import Secret
    >>> rows = pa.table({"born": ["1990-06-15"], "visit": ["2024-06-14"]})
    >>> Age("born", "visit").apply("age", TransformContext(rows, Secret(1))).to_pylist()
    [33]
    """

    born: str
    at: str
    kind: ClassVar[str] = "age"
    shorthand: ClassVar[str] = "age:born:visit"
    derives: ClassVar[bool] = True

    def __post_init__(self) -> None:
        parameters.text("Age", "born", self.born)
        if isinstance(self.at, dt.date):
            object.__setattr__(self, "at", self.at.isoformat())
        parameters.text("Age", "at", self.at)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        born, _, at = text.partition(":")
        return {"born": born.strip(), "at": at.strip()}

    @property
    def day(self) -> dt.date | None:
        """The one date for all rows; None if ``at`` is a column."""
        try:
            return dt.date.fromisoformat(self.at)
        except ValueError:
            return None

    def looks_at(self, name: str) -> tuple[str, ...]:
        return (self.born,) if self.day else (self.born, self.at)

    def apply(self, name: str, context: TransformContext) -> pa.ChunkedArray:
        born = _days(self.born, context)
        at = pa.array([self.day] * len(born), pa.date32()) if self.day else _days(self.at, context)
        known = pc.and_(born.is_valid(), at.is_valid())
        years = np.zeros(len(born), np.int64)
        places = np.flatnonzero(known.to_numpy(zero_copy_only=False))
        begins, ends = (days.take(pa.array(places)) for days in (born, at))
        years[places] = completed_years(begins, ends.to_numpy(zero_copy_only=False))
        if (years < 0).any():
            raise DataError(
                f"Age('{self.born}', '{self.at}') is below 0 in {int((years < 0).sum()):,} rows. Look at the dates."
            )
        return pa.chunked_array([pc.if_else(known, pa.array(years), pa.scalar(None, pa.int64()))])


#: Every kind of transformation by its name in policies and on the command line.
TRANSFORMS: dict[str, type[Transform]] = {one.kind: one for one in (Round, Clip, Fold, AtLevel, Age, Shift)}


def transforms_of(owner: str, name: str, value: object) -> dict[str, Transform]:
    """Normalize the argument to transformations by column, given as objects or as plain values of a policy."""
    given = {} if value in ((), None) else value
    if not isinstance(given, Mapping):
        raise invalid_parameter(owner, name, "a mapping from columns to transformations such as Round(500)", value)
    return {parameters.text(owner, name, column): _made(owner, name, how) for column, how in given.items()}


def _made(owner: str, name: str, how: object) -> Transform:
    if isinstance(how, Hierarchy):
        return AtLevel(how)
    if isinstance(how, Mapping):
        return _from_record(name, how)
    if not isinstance(how, Transform):
        raise invalid_parameter(owner, name, "a transformation such as Round(500), or a hierarchy", how)
    return how


def _from_record(name: str, record: Mapping[str, Any]) -> Transform:
    """Make a transformation from its ``to_policy()`` record."""
    make = TRANSFORMS.get(record.get("kind", ""))
    if make is None:
        raise ParameterError(f"'{name}': {shortened(record.get('kind'))} is not known. Kinds: {listed(TRANSFORMS)}.")
    given = {key: value for key, value in record.items() if key != "kind"}
    known = {one.name: one for one in dataclasses.fields(make)}  # type: ignore[arg-type]
    lacking = [key for key, one in known.items() if one.default is dataclasses.MISSING and key not in given]
    if lacking or set(given) - set(known):
        wrong = f"lacks {listed(lacking)}" if lacking else f"has no {listed(sorted(set(given) - set(known)))}"
        raise ParameterError(f"'{name}': the transformation {make.kind} {wrong}. It has {listed(known)}.")
    return make(**given)


def transform_of(text: str) -> dict[str, Any]:
    """Parse a text of the command line, such as ``round:500`` or ``icd10@chapter``, to a record."""
    kind, _, rest = text.partition(":")
    if kind in TRANSFORMS and kind != AtLevel.kind:
        return {"kind": kind} | TRANSFORMS[kind].from_short(rest)
    return {"kind": AtLevel.kind} | AtLevel.from_short(text)


def _hierarchy(record: Mapping[str, Any]) -> Hierarchy:
    given = {key: value for key, value in record.items() if key != "type"}
    kind = record.get("type")
    if kind not in HIERARCHIES:
        known = [one for one in TRANSFORMS if one != AtLevel.kind] + [*HIERARCHIES]
        raise ParameterError(
            f"{shortened(kind)} is neither a transformation nor a hierarchy. Known: {listed(known, limit=40)}. "
            f"{did_you_mean(kind, known)}".rstrip()
        )
    try:
        return HIERARCHIES[str(kind)](**given)
    except TypeError:
        raise ParameterError(
            f"The hierarchy '{kind}' of a transformation lacks a parameter, or has one too many."
        ) from None


def _numbers(name: str, context: TransformContext, what: str) -> pa.ChunkedArray:
    cells = context.column(name, what)
    if not (isinstance(default_hierarchy(cells.type), type(default_hierarchy(pa.int64())))):
        cells = pa.chunked_array([numbers_only(name, chunk, what) for chunk in cells.chunks], pa.float64())
    return cells


def _days(name: str, context: TransformContext) -> pa.Array:
    cells = context.column(name, "Age()").combine_chunks()
    return moments_of(name, cells if isinstance(cells, pa.Array) else cells.chunk(0)).cast(pa.date32(), safe=False)
