"""A released table in Parquet files, none of which is loaded unless the caller asks for the rows."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.common.progress import Progress
from sfumato.io.atomic import atomic_path, explained
from sfumato.io.spool import STANDARD
from sfumato.io.sql import identifier
from sfumato.io.temporary import TemporaryFolder
from sfumato.io.write import STREAMED, format_of, names_folder, refuse_existing, write_stream
from sfumato.release.shown import Promises, ShownInMemory
from sfumato.run.large.engine import Rows, ShownAs, ShownElsewhere
from sfumato.verify.copies import check_copies, check_same_rows, digest_of
from sfumato.verify.grouped_files import check_files
from sfumato.verify.verification import Verification


@dataclass(frozen=True)
class Checked:
    """A check of files: the promises, what the verifier found, and a hash of each file."""

    promised: Promises
    found: Verification
    digests: Sequence[bytes] = field(repr=False)

    def is_about(self, promised: Promises) -> bool:
        """Whether the promises are the same."""
        both = (self.promised, promised)
        mine, asked = ((list(one.sensitive), list(one.models)) for one in both)
        return mine == asked

    def copied(self, copies: Sequence[Path]) -> Verification:
        """Accept copies with the same bytes as the checked files; refuse others."""
        check_copies(copies, self.digests)
        return self.found


class ShownInFiles(ShownElsewhere):
    """A released table in Parquet files, and which of its columns stand for each quasi-identifier."""

    def __init__(
        self,
        rows: Rows,
        files: Sequence[Path],
        shown_as: ShownAs,
        folder: TemporaryFolder,
        memory: int,
        zones: Mapping[str, pa.DataType],
    ) -> None:
        super().__init__(shown_as)
        self.rows = rows
        self.files = tuple(files)
        self.folder = folder
        self.memory = memory
        self.zones = dict(zones)
        self._checked: Checked | None = None

    @cached_property
    def data(self) -> Any:
        """The rows as a DuckDB relation, which reads them when it is asked to."""
        connection = duckdb.connect()
        # A relation may outlive the release, so its connection keeps the folder alive.
        connection.create_function("sfumato_disk_in_use", self.folder.used, [], "BIGINT")
        return connection.read_parquet([str(file) for file in self.files])

    def verify(self, promised: Promises) -> Verification:
        """Check every promise from the files without loading them, and remember their hashes."""
        found = self.check(self.files, promised)
        self._checked = Checked(promised, found, [digest_of(file) for file in self.files])
        return found

    def checked(self, promised: Promises) -> Checked | None:
        """Look up the last check, if it was about the same promises; refuse files that have changed since."""
        known = self._checked
        if known is None or not known.is_about(promised):
            return None
        promised.kept_by(known.found)
        check_copies(self.files, known.digests)
        return known

    def first(self, rows: int) -> pa.Table:
        """The first rows of the first file."""
        with pq.ParquetFile(self.files[0]) as file:
            batch = next(file.iter_batches(rows), None)
            found = file.schema_arrow.empty_table() if batch is None else pa.Table.from_batches([batch])
            return self._in_zones(found)

    def _in_zones(self, table: pa.Table) -> pa.Table:
        """Restore the time zones of the input."""
        kinds = [pa.field(one.name, self.zones.get(one.name, one.type)) for one in table.schema]
        return table.cast(pa.schema(kinds)) if self.zones else table

    def classes(self) -> Any:
        """The classes as a DuckDB relation."""
        names = ", ".join(identifier(name) for name in self.class_columns)
        return self.data.aggregate(f"count(*) AS size, {names}", names)

    def check(self, files: Sequence[Path], promised: Promises, form: str = "parquet") -> Verification:
        """Check promises from these files, or from copies in another format."""
        name = f"check-{secrets.token_hex(4)}"
        folder = self.folder.new(name)
        read_as = {"form": "parquet"} if form == "parquet" else {"form": "csv", "separator": STREAMED[form]}
        try:
            return check_files(
                files,
                quasi_identifiers=self.class_columns,
                sensitive=promised.sensitive,
                requirements=promised.models,
                folder=folder,
                memory=self.memory,
                written=() if form == "parquet" else pq.read_schema(self.files[0]).names,
                **read_as,
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def write(
        self,
        path: str | os.PathLike[str],
        promised: Promises,
        known: Verification,
        progress: Progress,
        form: str | None = None,
    ) -> Verification:
        """Stream the rows to one file, or to a folder of Parquet files if nothing names the format of a file.

        Parquet, CSV and TSV are streamed; for any other format, and for stdout, all rows are loaded first.
        """
        if not _is_streamed(path, form):
            return ShownInMemory(self.table, self.quasi_identifiers).write(path, promised, known, progress, form)
        if names_folder(path, form):
            return self._write_folder(Path(path), promised, progress)
        return self._write_file(Path(path), format_of(path, form), promised, progress)

    def _write_file(self, path: Path, form: str, promised: Promises, progress: Progress) -> Verification:
        known = self.checked(promised) if form == "parquet" else None
        with atomic_path(path) as temporary:
            if known is not None and len(self.files) == 1:
                progress("writing the file", 0.0)
                shutil.copyfile(self.files[0], temporary)
                return known.copied([temporary])
            write_stream(self._tables(progress), temporary, form)
            progress("reading the file back", 0.0)
            if known is None:
                return promised.kept_by(self.check([temporary], promised, form))
            check_same_rows(self.files, temporary)
            return known.found

    def _tables(self, progress: Progress) -> Iterator[pa.Table]:
        """Yield the rows in their order, some at a time, text by its dictionaries."""
        texts = [field.name for field in pq.read_schema(self.files[0]) if pa.types.is_string(field.type)]
        for done, path in enumerate(self.files):
            progress("writing the file", done / len(self.files))
            with pq.ParquetFile(path, read_dictionary=texts) as file:
                for group in range(file.num_row_groups):
                    yield self._in_zones(file.read_row_group(group))

    def _write_folder(self, path: Path, promised: Promises, progress: Progress) -> Verification:
        refuse_existing(path)
        with explained(path), TemporaryFolder(path.parent) as beside:
            folder = beside.new("release")
            copies = []
            for done, file in enumerate(self.files):
                progress("writing the files", done / len(self.files))
                copies.append(Path(shutil.copyfile(file, folder / file.name)))
            known = self.checked(promised)
            found = promised.kept_by(self.check(copies, promised)) if known is None else known.copied(copies)
            folder.chmod(0o777 & ~_umask())
            folder.rename(path)
        return found

    @property
    def table(self) -> pa.Table:
        """All rows, loaded into memory."""
        return pa.concat_tables([self._in_zones(pq.read_table(file)) for file in self.files])


def _is_streamed(path: str | os.PathLike[str], form: str | None) -> bool:
    """Whether rows can be streamed there: to a folder, or to a file in a format that allows it."""
    if os.fspath(path) == STANDARD:
        return False
    return names_folder(path, form) or format_of(path, form) in STREAMED


def _umask() -> int:
    """The user's umask."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
