"""Files of SPSS, Stata and SAS, read; those of SPSS and Stata also written. Labels count, not the codes behind them.

Read, a column whose values all have labels is a column of these labels. If only some values have labels, the column
stays as it is stored, with a remark. Written, words become numbers with value labels, so that intervals can be
tabulated there; labels of the original keep their codes. Both programs keep text short and names simple: what a name
cannot hold is replaced, and the full name becomes the label of the variable. The files do not say when and from what
they were made.
"""

from __future__ import annotations

import errno
import itertools
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell
from sfumato.errors import DataError, SourceError, listed
from sfumato.io.columns import decoded, packed
from sfumato.io.files import shown
from sfumato.io.frames import to_frame
from sfumato.io.library import ImportedSource, library
from sfumato.io.python_values import EXACT, to_column, written
from sfumato.io.source import FileOptions, checked_names, gathered

#: The function of pyreadstat that reads each format, and what people call such a file.
READERS = {
    "sav": ("read_sav", "an SPSS file"),
    "zsav": ("read_sav", "an SPSS file"),
    "dta": ("read_dta", "a Stata file"),
    "sas7bdat": ("read_sas7bdat", "a SAS file"),
    "xpt": ("read_xport", "a SAS transport file"),
}

#: Formats without user-declared missing values.
WITHOUT_MISSING_KINDS = {"xpt"}

#: The formats that are written here.
STATISTICS = ("sav", "zsav", "dta")
#: The longest name of a variable.
NAME_LENGTHS = {"sav": 64, "zsav": 64, "dta": 32}
#: Words become numbers with labels if there are at most this many, each of at most this many bytes.
MOST_LABELS = 1_000
LONGEST_LABEL = 120
#: Codes beyond this are numbered anew.
LARGEST_CODE = 1_000_000_000
#: The longest label of a variable that both programs keep.
LONGEST_TITLE = 80
#: The longest text of SPSS and Stata, in bytes.
LONGEST_TEXT = {"sav": 32_767, "zsav": 32_767, "dta": 2_045}

#: Where these files record the time of creation, and what replaces it.
_SAV_MOMENT, _SAV_NEVER = 92, b"01 Jan 7000:00:00"
_DTA_MOMENT, _DTA_NEVER = re.compile(rb"<timestamp>\x11(.{17})"), b"01 Jan 1970 00:00"

#: A category that is a code itself.
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,8})")
_INTERVAL_END = re.compile(r"-?\d+(?:\.\d+)?")

Labels = Mapping[object, str]


class StatisticsSource(ImportedSource):
    """A file of SPSS, Stata or SAS; all kinds of missing values are missing."""

    _digits_count = False

    def __init__(self, path: Path, form: str, options: FileOptions) -> None:
        super().__init__(path, form)
        self._encoding = options.encoding
        self._library = library("pyreadstat", f"Reading {READERS[form][1]}", "statistics")
        _, self._about = self._call(metadataonly=True)
        self.columns = checked_names(self._about.column_names)
        self.labels = {name: label for name, label in self._about.column_names_to_labels.items() if label}
        self.value_labels = self._about.variable_value_labels

    def _call(self, **given: Any) -> tuple[dict[str, list[Any]], Any]:
        function, what = READERS[self.form]
        encoding = {} if self._encoding is None else {"encoding": self._encoding}
        try:
            return getattr(self._library, function)(str(self.path), output_format="dict", **encoding, **given)
        except (OverflowError, UnicodeError):
            raise SourceError(
                f"{shown(self.path)} holds a date beyond the year 9999, or text that is not in its encoding. Correct "
                "it, or name the encoding (encoding=, on the command line --encoding)."
            ) from None
        except Exception:
            # The library's message may quote the file.
            raise self.damaged(what) from None

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        kinds = {} if self.form in WITHOUT_MISSING_KINDS else {"user_missing": True}
        values, about = self._call(usecols=list(columns), **kinds)
        rows = about.number_rows
        if rows is not None and any(len(values[name]) != rows for name in columns):
            raise self.damaged(READERS[self.form][1])
        known = {name: self._known(name, values[name], about) for name in columns}
        return gathered(columns, lambda name: self._column(name, known[name], name in as_text), tell)

    def _known(self, name: str, values: list[Any], about: Any) -> list[Any]:
        """Replace all kinds of missing values by None, with a remark if the file declares some."""
        declared = about.missing_ranges.get(name, ())
        signs = set(about.missing_user_values.get(name, ()))
        known = [None if value != value or value == "" else value for value in values]  # noqa: PLR0124 (NaN)
        if not declared and not signs:
            return known
        gone = [value is not None and (value in signs or _is_within(value, declared)) for value in known]
        if any(gone):
            self.remark(
                f"Column {listed([name])} has {sum(gone):,} values that its file declares as missing.",
                "They are missing here, whatever the reason.",
                name,
            )
        return [None if left_out else value for value, left_out in zip(known, gone, strict=True)]

    def _column(self, name: str, known: list[Any], as_text: bool) -> pa.ChunkedArray:
        labels: Labels = self._about.variable_value_labels.get(name, {})
        used = set(known) - {None}
        lacking = [value for value in used if not labels.get(value)]
        if not labels or not used or (lacking and not as_text):
            if labels and lacking:
                self._tell_unlabelled(name, len(used) - len(lacking), len(used))
            return to_column(name, known, as_text, self.expected(name))
        shown_as = {value: labels.get(value) or written(value) for value in sorted(used, key=_code_order)}
        return self._labelled(name, known, shown_as)

    def _labelled(self, name: str, values: list[Any], labels: Labels) -> pa.ChunkedArray:
        """Make a column of labels in the order of their codes; ordinal variables keep that order."""
        words = list(dict.fromkeys(labels.values()))
        if len(words) < len(labels):
            self.remark(
                f"Column {listed([name])} has {len(labels):,} codes with {len(words):,} different labels.",
                "Codes with the same label are one value.",
                name,
            )
        place = {value: words.index(label) for value, label in labels.items()}
        codes = pa.array([None if value is None else place[value] for value in values], pa.int32())
        ordered = self._about.variable_measure.get(name) == "ordinal" and len(words) > 1
        column = pa.DictionaryArray.from_arrays(codes, pa.array(words, pa.string()), ordered=ordered)
        return packed(pa.chunked_array([column]))

    def _tell_unlabelled(self, name: str, labelled: int, used: int) -> None:
        self.remark(
            f"Column {listed([name])} has labels for {labelled:,} of the {used:,} values that occur in it, so it is "
            "read without them.",
            "If these values mean 'no value', name them (na=, on the command line --na); or label all values.",
            name,
        )


def _is_within(value: object, ranges: Sequence[Mapping[str, Any]]) -> bool:
    text = isinstance(value, str)
    return any(one["lo"] <= value <= one["hi"] for one in ranges if isinstance(one["lo"], str) == text)


def _code_order(value: object) -> tuple[bool, Any]:
    return (isinstance(value, str), value)


# Writing


def require() -> Any:
    """Import pyreadstat; if it is missing, the error names the pip line."""
    return library("pyreadstat", "Writing SPSS and Stata files", "statistics")


@dataclass(frozen=True)
class FileLabels:
    """What a table was called in the file that it comes from.

    Attributes
    ----------
    variables
        What its columns hold, in words.
    values
        What the codes of its columns mean. Only those of values that are written go into a file.
    """

    variables: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[Any, str]] = field(default_factory=dict)

    def code_of(self, name: str) -> dict[str, int]:
        """The code of every label of a column whose codes are whole numbers; of codes with one label, the least."""
        codes = self.values.get(name, {})
        if not all(isinstance(code, int | float) and float(code).is_integer() for code in codes):
            return {}
        return {codes[code]: int(code) for code in sorted(codes, reverse=True) if abs(code) < LARGEST_CODE}


def write_statistics(form: str) -> Callable[[pa.Table, Path, Tell, FileLabels], None]:
    """Make a writer of one of these formats."""

    def write(table: pa.Table, path: Path, tell: Tell, known: FileLabels) -> None:
        names = variable_names(table.column_names, NAME_LENGTHS[form])
        columns, labels = [], {}
        for name, variable in zip(table.column_names, names, strict=True):
            column, words = _variable(name, table.column(name), form, known)
            columns.append(column)
            labels.update({variable: words} if words else {})
        # pyreadstat takes a frame; Polars keeps integers with missing values integers.
        frame = to_frame(pa.table(dict(zip(names, columns, strict=True))), "polars")
        pairs = zip(table.column_names, names, strict=True)
        called = {new: known.variables.get(old, old if old != new else "") for old, new in pairs}
        titles = {name: label[:LONGEST_TITLE] for name, label in called.items() if label}
        _write(frame, path, form, {"column_labels": titles, "variable_value_labels": labels})
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


def _variable(
    name: str, column: pa.ChunkedArray, form: str, known: FileLabels
) -> tuple[pa.ChunkedArray, dict[int, str]]:
    """Convert a column to a type of these programs, with value labels."""
    kind = column.type
    if pa.types.is_boolean(kind):
        return column.cast(pa.int32()), {0: "false", 1: "true"}
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        occurring = set(pc.unique(column).to_pylist())
        labels = {code: label for label, code in known.code_of(name).items() if code in occurring}
        return _numbers(name, column), labels
    if pa.types.is_date(kind):
        return column.cast(pa.date32()), {}
    if pa.types.is_timestamp(kind):
        plain = column if kind.tz is None else pc.local_timestamp(column)
        return plain.cast(pa.timestamp("us"), safe=False), {}
    return _words(name, column, form, known.code_of(name))


def _numbers(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_integer(column.type) and pc.any(pc.greater_equal(pc.abs_checked(column), EXACT)).as_py():
        raise DataError(
            f"Column {listed([name])} holds whole numbers of 16 digits and more. Make it text, or write CSV."
        )
    numbers = column.cast(pa.float64())
    if pc.any(pc.is_inf(numbers)).as_py():
        raise DataError(f"Column {listed([name])} holds infinite numbers, which SPSS and Stata do not know. Write CSV.")
    return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)


def _words(
    name: str, column: pa.ChunkedArray, form: str, code_of: Mapping[str, int]
) -> tuple[pa.ChunkedArray, dict[int, str]]:
    """Number words: those that had a code keep it, others get the numbers after all codes."""
    texts = decoded(column).cast(pa.string())
    words = sorted(pc.unique(texts).drop_null().to_pylist(), key=label_order)
    longest = max((len(word.encode()) for word in words), default=0)
    if any("\0" in word for word in words) or longest > LONGEST_TEXT[form]:
        raise DataError(
            f"Column {listed([name])} holds text with the character NUL, or of more than {LONGEST_TEXT[form]:,} bytes. "
            "Shorten it, or write CSV or Parquet."
        )
    if len(words) > MOST_LABELS or longest > LONGEST_LABEL or "" in words:
        return texts, {}
    code_of = {**_codes_among(words, code_of), **code_of}
    fresh = itertools.count(max([0, *code_of.values()]) + 1)
    numbers = [code_of[word] if word in code_of else next(fresh) for word in words]
    places = pc.index_in(texts, pa.array(words, pa.string()))
    return pa.array(numbers, pa.int32()).take(places), dict(zip(numbers, words, strict=True))


def _codes_among(words: Sequence[str], code_of: Mapping[str, int]) -> dict[str, int]:
    """The numbers of categories that are codes themselves; none if others of these words are intervals or labels.

    >>> _codes_among(["1", "9", "*"], {}), _codes_among(["34", "[33, 39]"], {}), _codes_among(["1", "f"], {"f": 1})
    ({'1': 1, '9': 9}, {}, {})
    """
    codes = {word: int(word) for word in words if _WHOLE.fullmatch(word) and word not in code_of}
    others = {word for word in words if word not in codes and word not in code_of} - {"*"}
    return {} if others or set(codes.values()) & set(code_of.values()) else codes


def label_order(word: str) -> tuple[bool, bool, list[float], str]:
    """Sort key for labels: intervals by their ends, then other words, then ``*``.

    >>> sorted(["*", "flu", "[10, 14]", "[5, 9]"], key=label_order)
    ['[5, 9]', '[10, 14]', 'flu', '*']
    """
    numbers = [float(number) for number in _INTERVAL_END.findall(word)] if word[:1] in "[(-0123456789" else []
    return word == "*", not numbers, numbers, word


def variable_names(names: Sequence[str], longest: int) -> list[str]:
    """Make names that SPSS and Stata accept: letters, digits and underscores, unique regardless of case.

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
    """Overwrite the time at which the file was made."""
    with open(path, "r+b") as file:
        if form == "dta":
            moment = _DTA_MOMENT.search(file.read(1_024))
            place, never = (moment.start(1) if moment else None), _DTA_NEVER
        else:
            place, never = _SAV_MOMENT, _SAV_NEVER
        if place is not None:
            file.seek(place)
            file.write(never)
