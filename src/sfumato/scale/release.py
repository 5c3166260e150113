"""A release that lies in files: nothing of it is loaded unless somebody asks for it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.io import write_text
from sfumato.progress import ProgressOption, reporting
from sfumato.release.release import Release
from sfumato.scale.engine import Engine, ShownAs, ShownElsewhere, WritesItself
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification


class ShownInFiles(ShownElsewhere):
    """A released table in Parquet files, and which of its columns stand for each quasi-identifier."""

    files: tuple[Path, ...]

    def __init__(self, files: Sequence[Path], shown_as: ShownAs) -> None:
        super().__init__(shown_as)
        vars(self)["files"] = tuple(files)

    @cached_property
    def data(self) -> Any:
        """The rows as a DuckDB relation, which reads them when it is asked to."""
        return duckdb.connect().read_parquet([str(file) for file in self.files])

    def verify(self, sensitive: Sequence[str], promises: Sequence[Mapping[str, Any]]) -> Verification:
        """Check every promise from the files."""
        return verify_release(self.table, self.class_columns, sensitive, promises)

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
        """The released rows as the engine holds them: a DuckDB relation, a frame of Spark; nothing is loaded."""
        assert isinstance(self.shown, ShownElsewhere)
        return self.shown.data

    def verify(self) -> Verification:
        """Check every promise once more, from the released rows alone."""
        assert isinstance(self.shown, ShownElsewhere)
        return self.shown.verify(self.sensitive, self.promises)

    def write(
        self,
        path: str | os.PathLike[str],
        manifest: str | os.PathLike[str] | None = None,
        progress: ProgressOption = False,
        form: str | None = None,
    ) -> Verification:
        """Write the release, complete or not at all; what Spark holds becomes a folder of Parquet files."""
        if not isinstance(self.shown, WritesItself):
            return super().write(path, manifest, progress, form)
        with reporting(progress, "write") as report:
            found = self.shown.write(path, self.sensitive, self.promises, report)
        if manifest is not None:
            write_text(manifest, json.dumps(self.manifest, indent=2, ensure_ascii=False) + "\n", private=True)
        return found
