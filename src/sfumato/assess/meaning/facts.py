"""Count a column before judging it: its distinct values, how often each occurs, and what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.assess.meaning.missing import AMBIGUOUS, MISSING_WORDS, sentinels
from sfumato.common.threads import side_by_side
from sfumato.io.missing import without_codes
from sfumato.table.encoding import distinct

#: The most distinct values that are examined one by one; of more, a sample spread over all of them.
LOOKED_AT = 2_000
#: The share of distinct values that must be numbers or dates before a word among them counts as missing.
MOSTLY = 0.8

_NUMBER_OR_DATE = r"^\s*([+-]?[$€£]?\s?[\d.,' ]*\d\s?[$€£%]?|\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?.*)\s*$"
_NEGATIVE_CODE = r"^-\d{1,3}$"


@dataclass(frozen=True)
class ColumnCounts:
    """A column as counts; its values are never printed.

    Attributes
    ----------
    name, rows
        The column's name, and the rows of the table.
    values
        The distinct values without those that mean "no value", in the type of the remaining ones.
    codes
        For each row the index of its value; -1 if missing.
    missing_codes
        The values that mean "no value", such as ``?`` or 999.
    """

    name: str
    rows: int
    values: pa.Array = field(repr=False)
    codes: NDArray[np.integer] = field(repr=False)
    missing_codes: tuple[str, ...] = ()

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """The number of rows with each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values))

    @property
    def filled(self) -> int:
        """The number of rows with a value."""
        return int(self.counts.sum())

    @property
    def missing(self) -> int:
        """The number of rows without a value."""
        return self.rows - self.filled

    @property
    def different(self) -> int:
        """The number of distinct values."""
        return len(self.values)

    @cached_property
    def unique(self) -> int:
        """The number of rows whose value is unique."""
        return int(np.count_nonzero(self.counts == 1))

    @property
    def unique_share(self) -> float:
        """The share of the filled rows whose value is unique."""
        return self.unique / max(1, self.filled)

    @property
    def largest_share(self) -> float:
        """The share of the filled rows with the most frequent value."""
        return float(self.counts.max(initial=0)) / max(1, self.filled)

    @cached_property
    def stands_together(self) -> bool:
        """Whether all rows of a value follow each other, as the members of a household do."""
        filled = self.codes[self.codes >= 0]
        return int(np.count_nonzero(np.diff(filled))) + 1 == self.different if len(filled) else False

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        kind = self.values.type
        return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))

    @property
    def is_whole(self) -> bool:
        """Whether the values are whole numbers."""
        if not self.is_number or not len(self.numbers):
            return False
        return bool(pa.types.is_integer(self.values.type) or (self.numbers == np.floor(self.numbers)).all())

    @property
    def is_text(self) -> bool:
        """Whether the values are text."""
        return bool(pa.types.is_string(self.values.type) or pa.types.is_large_string(self.values.type))

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The distinct numbers, sorted; empty for other types."""
        if not self.is_number:
            return np.empty(0)
        numbers: NDArray[np.float64] = self.values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return np.sort(numbers[np.isfinite(numbers)])

    @cached_property
    def texts(self) -> Sequence[str]:
        """The distinct values as text; of many, a sample spread over all."""
        places = np.unique(np.linspace(0, max(0, self.different - 1), min(self.different, LOOKED_AT)).astype(np.int64))
        looked = self.values.take(pa.array(places))
        if pa.types.is_floating(looked.type) and self.is_whole:
            looked = looked.cast(pa.int64(), safe=False)
        return [text.strip() for text in looked.cast(pa.string()).to_pylist() if text is not None]

    @cached_property
    def lengths(self) -> tuple[int, int]:
        """The shortest and the longest text."""
        sizes = [len(text) for text in self.texts] or [0]
        return min(sizes), max(sizes)


def all_facts(table: pa.Table, na: Mapping[str, Sequence[str]] | None = None) -> list[ColumnCounts]:
    """Count every column of a table; ``na`` holds the codes for "no value" that are known already."""
    known = na or {}
    return side_by_side(lambda name: facts_of(name, table.column(name), known.get(name, ())), table.column_names)


def facts_of(name: str, column: pa.ChunkedArray, known: Sequence[str] = ()) -> ColumnCounts:
    """Count a column after removing what means "no value".

    >>> facts = facts_of("age", pa.chunked_array([["31", "?", "54", "54"]]))
    >>> facts.missing_codes, facts.missing, facts.is_number, facts.unique
    (('?',), 1, True, 1)
    """
    values, codes = distinct(name, column)
    words = (*known, *(() if known else _missing_words(values)))
    if words:
        column = without_codes(column, words, as_text=False)
        values, codes = distinct(name, column)
    numbers = () if known else _missing_numbers(values, codes)
    if numbers:
        values, codes = distinct(name, without_codes(column, numbers, as_text=False))
    return ColumnCounts(name, len(codes), values, codes, (*words, *numbers))


def _missing_words(values: pa.Array) -> tuple[str, ...]:
    """Find the words that mean "no value"; ambiguous ones count only if all other values are no words."""
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)) or not len(values):
        return ()
    trimmed = pc.utf8_trim_whitespace(values)
    found = trimmed.filter(pc.is_in(pc.utf8_lower(trimmed), pa.array(sorted(MISSING_WORDS)))).to_pylist()
    others = trimmed.filter(pc.invert(pc.is_in(trimmed, pa.array(found, trimmed.type)))).slice(0, LOOKED_AT)
    shaped = pc.match_substring_regex(others, _NUMBER_OR_DATE)
    is_words = (pc.mean(shaped).as_py() or 0.0) < MOSTLY
    if is_words:
        found = [word for word in found if word.lower() not in AMBIGUOUS]
        if 1 < len(values) <= LOOKED_AT:
            codes = trimmed.filter(pc.match_substring_regex(trimmed, _NEGATIVE_CODE)).to_pylist()
            found += codes if len(codes) <= max(1, len(values) // 4) else []
    return tuple(dict.fromkeys(found)) if len(found) < len(values) else ()


def _missing_numbers(values: pa.Array, codes: NDArray[np.integer]) -> tuple[str, ...]:
    """Find the outlying numbers that mean "no value"."""
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)) or len(values) < 3:
        return ()
    numbers = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    return tuple(str(number) for number in sentinels(numbers, counts)) if np.isfinite(numbers).all() else ()
