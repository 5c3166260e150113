"""Type inference for text: numbers, dates, booleans, or text.

A column is judged by all its distinct values, never by a sample, so a late surprise turns a column into text
instead of an error. Values that conversion would change stay text: leading zeros, a plus before whole numbers, more
digits than an integer holds. Plain numbers and ISO dates are tried first; then numbers and dates as people write them
(`written_numbers`, `written_dates`).
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.errors import DataError, listed
from sfumato.io.columns import is_text, unified
from sfumato.io.readings import ANY, Expected, TextReading
from sfumato.io.written_dates import WrittenDates, given_form, numbered_days
from sfumato.io.written_numbers import WrittenNumbers


class _Plain(NamedTuple):
    """A type that text may have: the pattern that every value must match, and the Arrow type."""

    pattern: str
    kind: pa.DataType


_MOMENT = r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?"
_WHOLE = r"-?(0|[1-9]\d*)"

_NUMBERS = (
    _Plain(rf"^\s*{_WHOLE}\s*$", pa.int64()),
    _Plain(rf"^\s*({_WHOLE}(\.\d*)?|-?\.\d+)([eE][+-]?\d+)?\s*$", pa.float64()),
    _Plain(r"^(?i:true|false)$", pa.bool_()),
)
_DATES = (
    _Plain(r"^\d{4}-\d{2}-\d{2}$", pa.date32()),
    _Plain(rf"^{_MOMENT}$", pa.timestamp("us")),
    _Plain(rf"^{_MOMENT}(Z|[+-]\d{{2}}:?\d{{2}})$", pa.timestamp("us", tz="UTC")),
)

#: Whole numbers as programs write them that keep them as fractions, because some are missing.
_WHOLE_FLOAT = r"^\s*-?(0|[1-9]\d{0,14})(\.0)?\s*$"
#: What numbers with a sign or a unit, and what dates look like; most words look like neither.
_LIKE_NUMBERS = r"^[^\pL]*\d|^[^\pL\d]*\pL{1,4}[^\pL\d]*\d|^[^\d]*[.,]\d"
_LIKE_DATES = r"^\s*\d{1,4}[-/. \pL].*\d|^\s*(\pL+[.,]{0,2} ){1,2}\d{1,2}\D"

#: The form that says that a column holds no dates.
NO_DATES = "no"


def inferred(column: pa.ChunkedArray, expected: Expected = ANY) -> pa.ChunkedArray:
    """Give a dictionary column of text the type that all its values share, if there is one.

    Parameters
    ----------
    column
        Text as a dictionary, one for all chunks. Anything else comes back as it is.
    expected
        What is known about the column; its ``tell`` learns what was found.
    """
    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return column
    values = column.chunk(0).dictionary
    found = Narrowing(expected)
    found.look(values)
    reading = found.reading
    if reading is None:
        return column
    expected.tell(reading)
    typed = reading.convert(values)
    return pa.chunked_array([typed.take(chunk.indices) for chunk in column.chunks])


def inferred_words(column: pa.ChunkedArray, expected: Expected) -> pa.ChunkedArray:
    """Find dates and written numbers in the plain text of a frame; what its owner made categories or numbers stays.

    A form that the user gives for this very column also makes dates of numbers and categories.
    """
    if expected.required and not pa.types.is_temporal(column.type):
        column = column.cast(pa.string()) if not is_text(column.type) else column
    elif not is_text(column.type):
        return column
    few = Narrowing(expected)
    few.look(column.slice(0, 1_000).combine_chunks())
    if few.reading is None and not few.is_empty and not expected.required:
        return column
    typed = inferred(unified([chunk.dictionary_encode() for chunk in column.chunks]), expected)
    return column if pa.types.is_dictionary(typed.type) else typed


class Narrowing:
    """Inference piece by piece: the values that were looked at decide, however they were divided."""

    def __init__(self, expected: Expected = ANY) -> None:
        self._expected = expected
        self._left = list((*_NUMBERS, *_DATES) if expected.numbers else _DATES)
        self._broken: set[pa.DataType] = set()
        self._empty = True
        # None as soon as a value rules them out, before anything is made of the others.
        self._numbers: WrittenNumbers | None = None
        self._dates: WrittenDates | None = None
        self._can_be_numbers, self._can_be_dates = True, expected.form != NO_DATES
        self._days: TextReading | None = None
        self._given = self._given_reading()
        self._misfits = self._looked_at = 0
        self._whole = True

    def _given_reading(self) -> TextReading | None:
        form = self._expected.form
        return None if form is None or form == NO_DATES else given_form(form)

    def look(self, values: pa.Array) -> None:
        """Rule out the types that these values cannot have."""
        distinct = values.unique().drop_null().cast(pa.string())
        if not len(distinct):
            return
        if self._given is not None:
            self._misfits += self._given.convert(distinct).null_count
            self._looked_at += len(distinct)
        was_empty, self._empty = self._empty, False
        self._left = [plain for plain in self._left if _all_match(distinct, plain.pattern)]
        self._broken |= {plain.kind for plain in self._left if _cast(distinct, plain.kind) is None}
        self._whole = self._whole and _all_match(distinct, _WHOLE_FLOAT)
        plain = next((one.kind for one in (*_NUMBERS[:2], *_DATES) if _all_match(distinct, one.pattern)), None)
        self._look_for_numbers(distinct, plain)
        self._look_for_dates(distinct, plain)
        self._note_days(distinct, was_empty)

    def _look_for_numbers(self, distinct: pa.Array, plain: pa.DataType | None) -> None:
        self._can_be_numbers = self._can_be_numbers and _all_match(_few(distinct), _LIKE_NUMBERS)
        if not self._can_be_numbers:
            return
        self._numbers = self._numbers or WrittenNumbers(self._expected)
        look = self._numbers.look if plain not in (pa.int64(), pa.float64()) else self._numbers.look_at_plain
        look(_few(distinct))
        self._can_be_numbers = self._numbers.is_possible
        if self._can_be_numbers:
            look(distinct)

    def _look_for_dates(self, distinct: pa.Array, plain: pa.DataType | None) -> None:
        self._can_be_dates = self._can_be_dates and _all_match(_few(distinct), _LIKE_DATES)
        if not self._can_be_dates:
            return
        self._dates = self._dates or WrittenDates()
        if plain is not None and pa.types.is_temporal(plain):
            self._dates.look_at_plain(_cast(distinct, plain))
            return
        self._dates.look(_few(distinct))
        self._can_be_dates = self._dates.is_possible
        if self._can_be_dates:
            self._dates.look(distinct)

    def _note_days(self, distinct: pa.Array, first: bool) -> None:
        """Note whether numbers mean days, which all pieces have to agree on."""
        kind = self._left[0].kind if self._left and self._left[0].kind not in self._broken else None
        is_open = self._expected.form is None and (first or self._days is not None)
        numbers = kind in (pa.int64(), pa.float64())
        found = numbered_days(self._expected.name, _cast(distinct, kind)) if numbers and is_open else None
        self._days = found if first or (found and self._days and found.said == self._days.said) else None

    @property
    def is_empty(self) -> bool:
        """Whether there was no value yet."""
        return self._empty

    @property
    def reading(self) -> TextReading | None:
        """How all values are read; None for text, and where there are no values."""
        if self._empty:
            return None
        if self._given is not None and not self._misfits:
            return self._given
        if self._expected.required and self._expected.form is not None and self._misfits:
            raise _in_other_forms(self._expected.name, self._expected.form, self._misfits, self._looked_at)
        if not self._left:
            return self._written()
        # With February 31, or an integer of thirty digits, a column stays text.
        return None if self._left[0].kind in self._broken else self._plain(self._left[0].kind)

    def _plain(self, kind: pa.DataType) -> TextReading:
        """How values are read that have the same form everywhere; the name may say more, and thousands may be meant."""
        if kind in (pa.int64(), pa.float64()) and self._days is not None:
            return self._days
        if kind == pa.float64() and self._whole:
            return TextReading(pa.int64(), _without_fraction)
        numbers = self._numbers if kind == pa.float64() and self._can_be_numbers else None
        found = None if numbers is None else numbers.reading
        said = () if numbers is None else _doubtful_numbers(numbers)
        return found or TextReading(kind, partial(_trimmed, kind=kind), *said)

    def _written(self) -> TextReading | None:
        numbers = self._numbers.reading if self._numbers is not None and self._can_be_numbers else None
        dates = self._dates.reading if self._dates is not None and self._can_be_dates else None
        return numbers or dates

    @property
    def kind(self) -> pa.DataType:
        """The type that all values share; null if there are no values."""
        reading = self.reading
        return pa.null() if self._empty else pa.string() if reading is None else reading.kind


def _doubtful_numbers(numbers: WrittenNumbers) -> tuple[str, str, str]:
    if not numbers.doubt:
        return "", "", ""
    advice = "If they are thousands, say so (decimal=',', on the command line --decimal ',')."
    return "numbers with a decimal point", numbers.doubt, advice


def _in_other_forms(name: str, form: str, misfits: int, values: int) -> DataError:
    return DataError(
        f"Dates of {listed([name])} are to be read as {form!r}, but {misfits:,} of its {values:,} different values are "
        "not written so. Correct the form, or name the values that mean 'no value' (na=, on the command line --na)."
    )


def converted_to(values: pa.Array, kind: pa.DataType) -> pa.Array:
    """Give text the type that was found for it."""
    if kind in (pa.string(), pa.null()):
        return values.cast(kind)
    return _without_fraction(values).cast(kind) if pa.types.is_integer(kind) else _trimmed(values, kind)


def _trimmed(values: pa.Array, kind: pa.DataType) -> pa.Array:
    return pc.utf8_trim_whitespace(values).cast(kind)


def _without_fraction(values: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(pc.utf8_trim_whitespace(values), r"\.0$", "").cast(pa.int64())


def _few(values: pa.Array) -> pa.Array:
    """The first values, which decide most columns."""
    return values.slice(0, 100)


def _all_match(values: pa.Array, pattern: str) -> bool:
    return all(pc.all(pc.match_substring_regex(part, pattern)).as_py() for part in (_few(values), values))


def _cast(values: pa.Array, kind: pa.DataType) -> pa.Array | None:
    try:
        return pc.utf8_trim_whitespace(values).cast(kind)
    except pa.ArrowInvalid:
        return None
