"""A release that lies in files: nothing of it is loaded unless somebody asks for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.release.release import Release
from sfumato.release.values import Shown
from sfumato.scale.engine import Engine


class ShownInFiles(Shown):
    """A released table in Parquet files, and which of its columns stand for each quasi-identifier."""

    def __init__(self, files: Sequence[Path], quasi_identifiers: dict[str, tuple[str, ...]]) -> None:
        object.__setattr__(self, "files", tuple(files))
        object.__setattr__(self, "quasi_identifiers", quasi_identifiers)

    files: tuple[Path, ...]

    @property
    def table(self) -> pa.Table:
        """All rows, loaded into memory."""
        return pa.concat_tables([pq.read_table(file) for file in self.files])


@dataclass(frozen=True)
class LargeRelease(Release):
    """A release that lies in files of its own.

    Attributes
    ----------
    engine
        Who made it; what it keeps is removed with the release.
    """

    engine: Engine | None = field(default=None, repr=False)

    @cached_property
    def data(self) -> Any:
        """The released rows as a DuckDB relation, which reads them when it is asked to."""
        assert isinstance(self.shown, ShownInFiles)
        return duckdb.connect().read_parquet([str(file) for file in self.shown.files])
