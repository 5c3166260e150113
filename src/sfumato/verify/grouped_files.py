"""Files that do not fit in memory, checked by DuckDB's groups: Parquet, also in many parts, and delimited text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.errors import OutputError, SourceError, listed, shortened
from sfumato.verify.checking import notes_on, only_there
from sfumato.verify.delimited import stream_delimited
from sfumato.verify.grouping import verify_grouped
from sfumato.verify.groups import TABLE, grouped_columns
from sfumato.verify.reading import places_in_header
from sfumato.verify.readings import READINGS
from sfumato.verify.verification import Verification

#: Entries that are judged at a time.
BATCH = 500_000


class DuckFiles:
    """Parquet files as one table of a DuckDB, which keeps to its memory and puts the rest into a folder.

    Parameters
    ----------
    paths
        The files, of the same columns and types.
    columns
        Those that matter.
    folder
        A folder for temporary files that nobody else can read.
    memory
        How many bytes it may take.
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str], folder: Path, memory: int) -> None:
        self.schema = common_schema(paths, columns)
        self._connection = duckdb.connect()
        for setting, value in (
            ("autoinstall_known_extensions", "false"),
            ("preserve_insertion_order", "false"),
            ("TimeZone", "'UTC'"),
            ("temp_directory", _literal(str(folder))),
            ("memory_limit", f"'{max(memory >> 20, 64)}MiB'"),
        ):
            self._connection.execute(f"SET {setting} = {value}")
        files = ", ".join(_literal(_escaped(str(path.absolute()))) for path in paths)
        names = ", ".join(_quoted(name) for name in columns)
        self._run(f"CREATE VIEW {TABLE} AS SELECT {names} FROM read_parquet([{files}], hive_partitioning = false)")

    def query(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Run a query, and return what comes out piece by piece."""
        with _explained():
            relation = self._connection.sql(sql)
            streamed = hasattr(relation, "to_arrow_reader")  # the name since DuckDB 1.4
            yield from relation.to_arrow_reader(BATCH) if streamed else relation.fetch_record_batch(BATCH)

    def load(self, name: str, table: pa.Table) -> None:
        """Put a small table beside the files."""
        self._connection.register("sfumato_arrow", table)
        self._run(f"CREATE OR REPLACE TEMP TABLE {_quoted(name)} AS FROM sfumato_arrow")
        self._connection.unregister("sfumato_arrow")

    def close(self) -> None:
        """End the session."""
        self._connection.close()

    def _run(self, sql: str) -> None:
        with _explained():
            self._connection.execute(sql)


def check_files(
    paths: Sequence[Path],
    form: str,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    requirements: Sequence[Mapping[str, Any]] = (),
    *,
    folder: Path,
    memory: int,
    separator: str = ",",
) -> Verification:
    """Recompute every promise from files without loading their rows, as `check_file` does it in memory.

    Parameters
    ----------
    paths
        One file, or the parts of a table.
    form
        ``"parquet"`` or ``"csv"``.
    quasi_identifiers, sensitive, requirements, separator
        As in `check_file`.
    folder
        Where temporary files may go: they hold what the files hold, so nobody else should be able to read it.
    memory
        How many bytes to take, about.
    """
    columns = [*quasi_identifiers, *sensitive]
    if form == "csv":
        paths = [_as_parquet(path, columns, separator, folder / f"rows-{at}") for at, path in enumerate(paths)]
    engine = DuckFiles(paths, list(dict.fromkeys(columns)), folder, memory)
    try:
        known = grouped_columns(engine, columns)
        result = verify_grouped(engine, quasi_identifiers, sensitive, requirements, columns=known)
        checks = list(result.checks)
        for reading in READINGS.get(form, ()):
            merged = {name: seen for name, column in known.items() if (seen := column.seen(reading)) is not None}
            if merged:
                found = verify_grouped(engine, quasi_identifiers, sensitive, requirements, columns={**known, **merged})
                checks += only_there(reading, found, result)
    finally:
        engine.close()
    notes = [note for column in known.values() for note in notes_on(pa.table({column.name: column.labels}), form)]
    return replace(result, checks=tuple(checks), notes=tuple(notes))


def common_schema(paths: Sequence[Path], columns: Sequence[str]) -> pa.Schema:
    """Return the columns of files that are parts of one table, or say which of them differ."""
    if not paths:
        raise SourceError("There is no file to check.")
    first = _schema(paths[0], columns)
    for path in paths[1:]:
        other = _schema(path, columns)
        different = [name for name in columns if other.field(name).type != first.field(name).type]
        if different:
            raise SourceError(
                f"Column {listed(different)} has another type in {shortened(str(path), 300)} than in "
                f"{shortened(str(paths[0]), 300)}, so they are no parts of one table."
            )
    return first


def _schema(path: Path, columns: Sequence[str]) -> pa.Schema:
    try:
        schema = pq.read_schema(path)
    except (pa.ArrowException, OSError, ValueError):
        raise SourceError(f"{shortened(str(path), 300)} is not a Parquet file, or a damaged one.") from None
    lacking = [name for name in columns if len(schema.get_all_field_indices(name)) != 1]
    if lacking:
        raise SourceError(f"{shortened(str(path), 300)} does not have the column {listed(lacking)} exactly once.")
    return pa.schema([schema.field(name) for name in columns])


def _as_parquet(path: Path, columns: Sequence[str], separator: str, target: Path) -> Path:
    """Copy columns of delimited text, every cell as what it shows, so that they can be read one by one."""
    width, places = places_in_header(path, columns, separator)
    schema = pa.schema([(name, pa.string()) for name in columns])
    with pq.ParquetWriter(target, schema, compression="zstd", write_statistics=False) as writer:
        for batch in stream_delimited(path, width, places, separator):
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
    return target


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what DuckDB says into what the user can do, without quoting a file."""
    try:
        yield
    except (duckdb.OutOfMemoryException, duckdb.IOException, duckdb.FatalException) as error:
        full = "space" in str(error).lower()
        hint = "The disk for temporary files is full." if full else "There is too little memory for it."
        raise OutputError(f"The files cannot be checked. {hint} Allow more (memory=, temporary=).") from None
    except (duckdb.Error, pa.ArrowException) as error:
        raise SourceError(f"The files cannot be checked: DuckDB cannot read them ({type(error).__name__}).") from None


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _escaped(path: str) -> str:
    """Let ``*``, ``?`` and ``[`` of a path mean themselves."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)
