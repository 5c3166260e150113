"""Coarser columns: years instead of dates, top-coded ages, three digits of zip codes."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc

#: Patterns of written dates, and where each has its year.
WRITTEN = {
    r"^\d{4}[-/.]\d{1,2}([-/.]\d{1,2}([T ].*)?)?$": slice(0, 4),
    r"^\d{1,2}[-/.]\d{1,2}[-/.]\d{4}$": slice(-4, None),
}
#: Dates without a separator, which other numbers may look like.
CLOSED_UP = {r"^(18|19|20)\d{6}$": slice(0, 4)}
YEAR = r"^(18|19|20)\d{2}$"
NOWHERE = "000"
DIGITS = 5


def as_texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert a column to text."""
    kind = column.type
    column = column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column
    return column.cast(pa.string())


def is_a_date(column: pa.ChunkedArray, named: bool, is_year: bool) -> bool:
    """Whether a column holds dates: by its type, or by how all its values are written.

    Parameters
    ----------
    column
        The values.
    named, is_year
        Whether the column's name says dates, or years of birth; digits alone could be anything.
    """
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        return True
    if pa.types.is_nested(column.type) or column.null_count == len(column):
        return False
    patterns = [*WRITTEN, *(CLOSED_UP if named else ()), *([YEAR] if is_year or named else [])]
    return _pattern(as_texts(column), patterns) is not None


def year_shown(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Extract the year of every date.

    >>> year_shown(pa.chunked_array([["2024-05-17", None, "1999-01-02"]])).to_pylist()
    [2024, None, 1999]
    """
    if pa.types.is_temporal(column.type):
        return pc.year(column)
    texts = as_texts(column)
    found = _pattern(texts, [*WRITTEN, *CLOSED_UP, YEAR])
    part = (WRITTEN | CLOSED_UP).get(found or YEAR, slice(None))
    return pc.utf8_slice_codeunits(texts, part.start or 0, part.stop).cast(pa.int64())


def year_of_birth(column: pa.ChunkedArray, last: int) -> pa.ChunkedArray:
    """Extract the year of every date of birth; everyone born in ``last`` or before is one group.

    >>> year_of_birth(pa.chunked_array([["1931-05-17", "1999-01-02"]]), 1936).to_pylist()
    ['1936 or before', '1999']
    """
    years = year_shown(column)
    return pc.if_else(pc.less_equal(years, last), f"{last} or before", years.cast(pa.string()))


def top_coded(column: pa.ChunkedArray, oldest: int) -> pa.ChunkedArray:
    """Write ages in whole years as text, with one group above ``oldest``; other text stays as it is.

    >>> top_coded(pa.chunked_array([[34, 89.5, 90, None, 104]]), 89).to_pylist()
    ['34', '89', '90+', None, '90+']
    """
    texts = as_texts(column)
    is_number = pc.fill_null(pc.match_substring_regex(texts, r"^\d+(\.\d*)?$"), False)
    years = pc.floor(pc.if_else(is_number, texts, None).cast(pa.float64())).cast(pa.int64())
    shown = pc.if_else(pc.greater(years, oldest), f"{oldest + 1}+", years.cast(pa.string()))
    return pc.if_else(is_number, shown, texts)


def short_zip(column: pa.ChunkedArray, low: Collection[str]) -> pa.ChunkedArray:
    """Cut zip codes to three digits; 000 if these are among ``low``, or are no digits.

    >>> short_zip(pa.chunked_array([["02139-4307", "2139", "90210", "03601", "K1A 0B1", None]]), {"036"}).to_pylist()
    ['021', '021', '902', '000', '000', None]
    """
    texts = pc.replace_substring_regex(as_texts(column), r"^(\d{1,5}[- ]|\d{5})\d{4}$|\.0$", r"\1")
    texts = pc.utf8_trim(texts, "- ")
    # Three digits are a code that was cut already, or one that lost its zeros as a number.
    is_short = pc.all(pc.equal(pc.utf8_length(texts), 3)).as_py() or False
    begin = pc.utf8_slice_codeunits(texts if is_short else pc.utf8_lpad(texts, DIGITS, "0"), 0, 3)
    hidden = pc.or_(pc.is_in(begin, pa.array(sorted(low), pa.string())), pc.invert(_are_digits(begin)))
    return pc.if_else(pc.is_null(texts), None, pc.if_else(hidden, NOWHERE, begin))


def oldest_last(oldest: int) -> list[str]:
    """List all ages as `top_coded` writes them, in order."""
    return [*map(str, range(oldest + 1)), f"{oldest + 1}+"]


def ranges_of(age: str, widths: Sequence[int], oldest: int) -> list[str]:
    """List an age and the ranges of these widths around it; the oldest group stays as it is.

    >>> ranges_of("37", [5, 10], 89), ranges_of("90+", [5, 10], 89)
    (['37', '[35, 39]', '[30, 39]'], ['90+', '90+', '90+'])
    """
    if not age.isdigit():
        return [age] * (len(widths) + 1)
    begins = [int(age) // width * width for width in widths]
    return [age, *(f"[{low}, {min(low + width - 1, oldest)}]" for low, width in zip(begins, widths, strict=True))]


def _are_digits(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.match_substring_regex(texts, r"^\d+$")


def _pattern(texts: pa.ChunkedArray, patterns: Sequence[str]) -> str | None:
    """Find the pattern that all values match; None if there is none."""
    known = texts.drop_null().unique()
    fitting = (one for one in patterns if pc.all(pc.match_substring_regex(known, one)).as_py())
    return next(fitting, None) if len(known) else None
