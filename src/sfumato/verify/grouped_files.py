"""Verification of files that do not fit in memory, grouped by DuckDB: Parquet in one or more files, CSV and JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sfumato.common.threads import how_many
from sfumato.errors import OutputError, SourceError, listed, shortened
from sfumato.verify.check_file import check_grouped
from sfumato.verify.delimited import stream_delimited
from sfumato.verify.engine_groups import Grouped, Keys
from sfumato.verify.json_text import stream_json
from sfumato.verify.reading import places_in_header
from sfumato.verify.verification import Verification

#: Entries judged at a time.
BATCH = 500_000

#: The name of the table in queries.
TABLE = "sfumato_release"

T = TypeVar("T")


class DuckFiles:
    """Parquet files as one table of a DuckDB that keeps to its memory limit and spills to a folder.

    Parameters
    ----------
    paths
        The files, with the same columns and types.
    columns
        The columns to group by.
    folder
        A folder for temporary files that only the owner can read.
    memory
        The bytes of memory that it may take.
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str], folder: Path, memory: int) -> None:
        self.schema = common_schema(paths, columns)
        self._connection = duckdb.connect()
        for setting, value in (
            ("autoinstall_known_extensions", "false"),
            ("preserve_insertion_order", "false"),
            ("TimeZone", "'UTC'"),
            ("temp_directory", _literal(str(folder))),
            ("threads", str(how_many())),
            ("memory_limit", f"'{max(memory >> 20, 64)}MiB'"),
        ):
            self._connection.execute(f"SET {setting} = {value}")
        files = ", ".join(_literal(_escaped(str(path.absolute()))) for path in paths)
        names = ", ".join(_quoted(name) for name in columns)
        self._run(f"CREATE VIEW {TABLE} AS SELECT {names} FROM read_parquet([{files}], hive_partitioning = false)")

    def query(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Run a query and stream its result."""
        with _explained():
            relation = self._connection.sql(sql)
            streamed = hasattr(relation, "to_arrow_reader")  # the name since DuckDB 1.4
            yield from relation.to_arrow_reader(BATCH) if streamed else relation.fetch_record_batch(BATCH)

    def values(self, names: Sequence[str]) -> list[tuple[pa.ChunkedArray, NDArray[np.int64]]]:
        """The distinct values of columns, and how often each occurs."""
        found = []
        for name in names:
            rows = f"SELECT {self._shown(name)} AS v FROM {TABLE} r"
            batches = list(self.query(f"SELECT v, COUNT(*) AS n FROM ({rows}) g GROUP BY v"))
            table = pa.Table.from_batches(batches) if batches else pa.table({"v": pa.nulls(0), "n": pa.nulls(0)})
            found.append((table.column("v"), np.asarray(table.column("n").cast(pa.int64()))))
        return found

    def looked_at(
        self, keys: Keys, column: Grouped | None, look: Callable[[Iterable[pa.RecordBatch]], T]
    ) -> Iterator[T]:
        """Let DuckDB look up codes by joins with small tables, group, count and sort, and pass that to a function."""
        columns = [*keys.columns, *([] if column is None else [column])]
        at = {one.name: f"d{place}" for place, one in enumerate(columns)}
        joins = " ".join(self._join(one, at[one.name]) for one in columns)
        words = [" + ".join(f"{at[one.name]}.c * {times}" for one, times in word) for word in keys.words()]
        chosen = [f"{word} AS {name}" for word, name in zip(words, keys.names, strict=True)]
        chosen += [] if column is None else [f"{at[column.name]}.c AS s"]
        by = ", ".join([*keys.names, *([] if column is None else ["s"])])
        rows = f"SELECT {', '.join(chosen)} FROM {TABLE} r {joins}"
        yield look(self.query(f"SELECT {by}, COUNT(*) AS n FROM ({rows}) g GROUP BY {by} ORDER BY {by}"))

    def _join(self, column: Grouped, alias: str) -> str:
        """Load the codes of a column as a table, and return the SQL join that looks them up."""
        self.load(f"sfumato_{alias}", pa.table({"v": column.labels, "c": column.codes.astype(np.int64)}))
        # Without missing values, = is faster than IS NOT DISTINCT FROM.
        same = "IS NOT DISTINCT FROM" if column.labels.null_count else "="
        return f"JOIN sfumato_{alias} {alias} ON {self._shown(column.name)} {same} {alias}.v"

    def _shown(self, name: str) -> str:
        """The SQL of a column, with NaN as missing and -0.0 as 0.0."""
        kind, quoted = self.schema.field(name).type, f"r.{_quoted(name)}"
        if not pa.types.is_floating(kind):
            return quoted
        zero = f"CAST(0 AS {'DOUBLE' if pa.types.is_float64(kind) else 'FLOAT'})"
        return f"CASE WHEN isnan({quoted}) THEN NULL ELSE {quoted} + {zero} END"

    def load(self, name: str, table: pa.Table) -> None:
        """Load a small table into the connection."""
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
    written: Sequence[str] = (),
) -> Verification:
    """Recompute every promise from files as `check_file` does, without loading all rows into memory.

    Parameters
    ----------
    paths
        One file, or the parts of a table.
    form
        ``"parquet"``, ``"csv"``, ``"jsonl"`` or ``"json"``.
    quasi_identifiers, sensitive, requirements, separator
        As in `check_file`.
    folder
        Where temporary files may go; they hold the data of the files, so only the owner should be able to read it.
    memory
        About how many bytes of memory to take.
    written
        The names of all columns of a file that was just written, in their order; a format may have changed them.
    """
    columns = [*quasi_identifiers, *sensitive]
    if form != "parquet":
        paths = [
            _as_parquet(path, form, columns, separator, folder / f"rows-{at}", written) for at, path in enumerate(paths)
        ]
    engine = DuckFiles(paths, list(dict.fromkeys(columns)), folder, memory)
    try:
        return check_grouped(engine, form, quasi_identifiers, sensitive, requirements)
    finally:
        engine.close()


def common_schema(paths: Sequence[Path], columns: Sequence[str]) -> pa.Schema:
    """The common schema of files; the error for a different one names the files."""
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


def _as_parquet(
    path: Path, form: str, columns: Sequence[str], separator: str, target: Path, written: Sequence[str]
) -> Path:
    """Copy columns of a text file to Parquet, every cell as its text."""
    if form == "csv":
        by_name = (len(written), [written.index(name) for name in columns]) if written else None
        places = by_name or places_in_header(path, columns, separator)
        batches = stream_delimited(path, *places, separator)
    else:
        batches = stream_json(path, columns, lines=form == "jsonl")
    schema = pa.schema([(name, pa.string()) for name in columns])
    with pq.ParquetWriter(target, schema, compression="zstd", write_statistics=False) as writer:
        for batch in batches:
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
    return target


@contextmanager
def _explained() -> Iterator[None]:
    """Turn errors of DuckDB into advice, without quoting a file."""
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
    """Escape ``*``, ``?`` and ``[`` in a path."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in path)
