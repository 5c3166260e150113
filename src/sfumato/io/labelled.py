"""Releases as files of SPSS and Stata: words as numbers with value labels, so that intervals can be tabulated there.

Both programs keep text short and names simple. What a name cannot hold is replaced, and the name as it was becomes the
label of the variable. The files say nothing of when and from what they were made.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell
from sfumato.errors import DataError, listed
from sfumato.io import columns as arrow
from sfumato.io.frames import to_frame
from sfumato.io.library import library
from sfumato.io.python_values import EXACT

#: The formats that are written here.
STATISTICS = ("sav", "zsav", "dta")
#: The longest name of a variable.
NAME_LENGTHS = {"sav": 64, "zsav": 64, "dta": 32}
#: Words become numbers with labels as long as there are at most so many, each of at most so many bytes.
MOST_LABELS = 1_000
LONGEST_LABEL = 120
#: What a text of Stata or SPSS can hold, in bytes.
LONGEST_TEXT = {"sav": 32_767, "zsav": 32_767, "dta": 2_045}

#: Where these files say when they were made, and what they say instead.
_SAV_MOMENT, _SAV_NEVER = 92, b"01 Jan 7000:00:00"
_DTA_MOMENT, _DTA_NEVER = re.compile(rb"<timestamp>\x11(.{17})"), b"01 Jan 1970 00:00"

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")

Labels = dict[int, str]


def require() -> Any:
    """Return the library that writes these files, or name the line that installs it."""
    return library("pyreadstat", "Writing SPSS and Stata files", "statistics")


def write_statistics(form: str) -> Callable[[pa.Table, Path, Tell], None]:
    """Return what writes a table in one of these formats."""

    def write(table: pa.Table, path: Path, tell: Tell) -> None:
        names = variable_names(table.column_names, NAME_LENGTHS[form])
        columns, labels = [], {}
        for name, variable in zip(table.column_names, names, strict=True):
            column, words = _variable(name, table.column(name), form)
            columns.append(column)
            labels.update({variable: words} if words else {})
        # The library takes a frame of some kind; this one keeps missing whole numbers whole.
        frame = to_frame(pa.table(dict(zip(names, columns, strict=True))), "polars")
        renamed = {new: old for old, new in zip(table.column_names, names, strict=True) if old != new}
        _write(frame, path, form, {"column_labels": renamed, "variable_value_labels": labels})
        _forget_when(path, form)
        tell(1.0)

    return write


def _write(frame: Any, path: Path, form: str, about: dict[str, Any]) -> None:
    pyreadstat = require()
    try:
        if form == "dta":
            pyreadstat.write_dta(frame, str(path), version=15, **about)
        else:
            measures = dict.fromkeys(about["variable_value_labels"], "nominal")
            pyreadstat.write_sav(frame, str(path), compress=form == "zsav", variable_measure=measures, **about)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
        raise OSError(errno.EIO, f"the library that writes .{form} failed") from None


def _variable(name: str, column: pa.ChunkedArray, form: str) -> tuple[pa.ChunkedArray, Labels]:
    """Return a column as these programs know it, and what its numbers are called."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return column.cast(pa.int32()), {0: "false", 1: "true"}
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _numbers(name, column), {}
    if pa.types.is_date(kind):
        return column.cast(pa.date32()), {}
    if pa.types.is_timestamp(kind):
        plain = column if kind.tz is None else pc.local_timestamp(column)
        return plain.cast(pa.timestamp("us"), safe=False), {}
    return _words(name, column, form)


def _numbers(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_integer(column.type) and pc.any(pc.greater_equal(pc.abs_checked(column), EXACT)).as_py():
        raise DataError(
            f"Column {listed([name])} holds whole numbers of 16 digits and more. Make it text, or write CSV."
        )
    numbers = column.cast(pa.float64())
    if pc.any(pc.is_inf(numbers)).as_py():
        raise DataError(f"Column {listed([name])} holds infinite numbers, which SPSS and Stata do not know. Write CSV.")
    return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)


def _words(name: str, column: pa.ChunkedArray, form: str) -> tuple[pa.ChunkedArray, Labels]:
    texts = arrow.decoded(column).cast(pa.string())
    words = sorted(pc.unique(texts).drop_null().to_pylist(), key=in_order)
    longest = max((len(word.encode()) for word in words), default=0)
    if any("\0" in word for word in words) or longest > LONGEST_TEXT[form]:
        raise DataError(
            f"Column {listed([name])} holds text with the character NUL, or of more than {LONGEST_TEXT[form]:,} bytes. "
            "Shorten it, or write CSV or Parquet."
        )
    if len(words) > MOST_LABELS or longest > LONGEST_LABEL or "" in words:
        return texts, {}
    codes = pc.index_in(texts, pa.array(words, pa.string()))
    return pc.add(codes, 1).cast(pa.int32()), dict(enumerate(words, start=1))


def in_order(word: str) -> tuple[bool, bool, list[float], str]:
    """Return by what words are numbered: intervals by their ends, then other words, then the one that tells nothing.

    >>> sorted(["*", "flu", "[10, 14]", "[5, 9]"], key=in_order)
    ['[5, 9]', '[10, 14]', 'flu', '*']
    """
    numbers = [float(number) for number in _NUMBER.findall(word)] if word[:1] in "[(-0123456789" else []
    return word == "*", not numbers, numbers, word


def variable_names(names: Sequence[str], longest: int) -> list[str]:
    """Return names that SPSS and Stata know: letters, digits and underscores, different also without regard to case.

    >>> variable_names(["age", "Age", "hours per week", "2024"], 32)
    ['age', 'Age_2', 'hours_per_week', 'v2024']
    """
    taken: set[str] = set()
    found = []
    for name in names:
        plain = re.sub(r"\W", "_", name, flags=re.ASCII)
        plain = (plain if plain[:1].isalpha() else f"v{plain}")[:longest]
        number = 2
        simple = plain
        while simple.lower() in taken:
            simple = f"{plain[: longest - len(str(number)) - 1]}_{number}"
            number += 1
        taken.add(simple.lower())
        found.append(simple)
    return found


def _forget_when(path: Path, form: str) -> None:
    """Overwrite the moment at which the file was made."""
    with open(path, "r+b") as file:
        if form == "dta":
            moment = _DTA_MOMENT.search(file.read(1_024))
            place, never = (moment.start(1) if moment else None), _DTA_NEVER
        else:
            place, never = _SAV_MOMENT, _SAV_NEVER
        if place is not None:
            file.seek(place)
            file.write(never)
