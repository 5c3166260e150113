"""R data frames, as ``saveRDS`` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from sfumato.common.progress import Tell
from sfumato.errors import SourceError
from sfumato.io.files import shown
from sfumato.io.frames import open_frame
from sfumato.io.library import ImportedSource, library
from sfumato.io.source import FileOptions, Source


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
    """An R data frame, through the frame that pyreadr makes."""

    _digits_count = False
    _reads_words = True

    def __init__(self, path: Path, form: str, frame: Source | None = None) -> None:
        super().__init__(path, form)
        self._frame = frame
        self.columns = () if frame is None else frame.columns

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        assert self._frame is not None
        return self._frame.stored().read(columns, as_text, tell)
