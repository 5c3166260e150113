"""Files of SPSS, Stata, SAS and R. What a value is called counts, not the code that it is stored under.

A column whose values all have labels is a column of these labels. A code without a label among labelled ones is no
category, and a label among numbers is none either: such a column stays as it is stored, and that is told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.common.progress import Tell
from sfumato.errors import SourceError, listed
from sfumato.io import columns as arrow
from sfumato.io.files import shown
from sfumato.io.frames import open_frame
from sfumato.io.library import ImportedSource, library
from sfumato.io.python_values import to_column, written
from sfumato.io.source import FileOptions, Source, checked_names, gathered

#: The function of pyreadstat that reads each format, and what people call such a file.
READERS = {
    "sav": ("read_sav", "an SPSS file"),
    "zsav": ("read_sav", "an SPSS file"),
    "dta": ("read_dta", "a Stata file"),
    "sas7bdat": ("read_sas7bdat", "a SAS file"),
    "xpt": ("read_xport", "a SAS transport file"),
}

#: What transport files of SAS do not tell.
WITHOUT_MISSING_KINDS = {"xpt"}

Labels = Mapping[object, str]


class StatisticsSource(ImportedSource):
    """A file of SPSS, Stata or SAS; all kinds of missing values are missing."""

    def __init__(self, path: Path, form: str, options: FileOptions) -> None:
        super().__init__(path, form)
        self._encoding = options.encoding
        self._library = library("pyreadstat", f"Reading {READERS[form][1]}", "statistics")
        _, self._about = self._call(metadataonly=True)
        self.columns = checked_names(self._about.column_names)

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
            # Whatever a library raises about a damaged file, it may quote the file.
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
        """Return values with None for all that mean "no value", by whatever sign; tell if users declared some."""
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
            return to_column(name, known, as_text)
        shown_as = {value: labels.get(value) or written(value) for value in sorted(used, key=_in_order)}
        return self._labelled(name, known, shown_as)

    def _labelled(self, name: str, values: list[Any], labels: Labels) -> pa.ChunkedArray:
        """Return labels in the order of their codes; of a scale that is ordinal, that order is kept."""
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
        return arrow.packed(pa.chunked_array([column]))

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


def _in_order(value: object) -> tuple[bool, Any]:
    return (isinstance(value, str), value)


def open_r(path: Path, form: str, options: FileOptions) -> Source:
    """Open the data frame that ``saveRDS`` wrote; a factor is a column of its levels."""
    pyreadr = library("pyreadr", "Reading an R file", "statistics")
    try:
        found = pyreadr.read_r(str(path), output_format="polars")
    except Exception:
        raise ImportedR(path, form).damaged("an R file with a data frame, as saveRDS writes it") from None
    if len(found) != 1:
        raise SourceError(f"{shown(path)} holds {len(found)} objects. Save one data frame with saveRDS.")
    return ImportedR(path, form, open_frame(next(iter(found.values()))))


class ImportedR(ImportedSource):
    """A data frame of R, through the frame that its library makes."""

    def __init__(self, path: Path, form: str, frame: Source | None = None) -> None:
        super().__init__(path, form)
        self._frame = frame
        self.columns = () if frame is None else frame.columns

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        assert self._frame is not None
        return self._frame.read(columns, as_text, tell)
