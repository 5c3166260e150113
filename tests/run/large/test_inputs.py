"""Whatever a table comes from, DuckDB's engine takes it as a stream and makes the same release of it."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines import DuckDB
from sfumato.errors import SourceError
from sfumato.io import Source
from sfumato.io.frames import LazySource, StreamSource
from sfumato.io.open import open_source
from sfumato.run import where

pytestmark = pytest.mark.usefixtures("small_parts")

ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "work"], "sensitive": "illness", "rest": "drop"}
ASKED: dict[str, Any] = ROLES | {"k": 5, "method": "mondrian", "seed": 3}
COLUMNS = ["age", "work", "illness"]


def in_file(table: pa.Table, folder: Path) -> Path:
    pq.write_table(table, folder / "people.parquet")
    return folder / "people.parquet"


def in_list(table: pa.Table, folder: Path) -> list[Path]:
    for at in range(3):
        pq.write_table(table.slice(at * 2_000, 2_000), folder / f"part-{at}.parquet")
    return sorted(folder.glob("*.parquet"))


def in_pattern(table: pa.Table, folder: Path) -> str:
    in_list(table, folder)
    return str(folder / "part-*.parquet")


def in_folder(table: pa.Table, folder: Path) -> Path:
    in_list(table, folder)
    return folder


def in_hive_folder(table: pa.Table, folder: Path) -> Path:
    pq.write_to_dataset(table, folder / "hive", partition_cols=["illness"])
    return folder / "hive"


def in_csv(table: pa.Table, folder: Path) -> Path:
    pyarrow.csv.write_csv(table, folder / "people.csv")
    (folder / "people.csv.gz").write_bytes(gzip.compress((folder / "people.csv").read_bytes()))
    return folder / "people.csv.gz"


def in_json_lines(table: pa.Table, folder: Path) -> Path:
    frame = pl.from_arrow(table)
    assert isinstance(frame, pl.DataFrame)
    (folder / "people.jsonl.gz").write_bytes(gzip.compress(frame.write_ndjson().encode()))
    return folder / "people.jsonl.gz"


def in_database(table: pa.Table, folder: Path) -> DuckDB:
    with duckdb.connect(str(folder / "clinic.duckdb")) as connection:
        connection.register("arrow", table)
        connection.execute("CREATE TABLE people AS FROM arrow")
    return DuckDB(folder / "clinic.duckdb", "people", read_only=True)


def in_query(table: pa.Table, folder: Path) -> DuckDB:
    in_database(table, folder).close()
    return DuckDB(folder / "clinic.duckdb", query="SELECT age, work, illness FROM people;")


def in_relation(table: pa.Table, folder: Path) -> duckdb.DuckDBPyRelation:
    return duckdb.connect().from_arrow(table)


def in_stream(table: pa.Table, folder: Path) -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=900))


def in_lazy_frame(table: pa.Table, folder: Path) -> pl.LazyFrame:
    return pl.scan_parquet(in_file(table, folder)).with_columns(pl.col("work").cast(pl.Categorical))


INPUTS: dict[str, Callable[[pa.Table, Path], Any]] = {
    name.removeprefix("in_"): made for name, made in list(globals().items()) if name.startswith("in_")
}


def rows_of(table: pa.Table) -> list[tuple[Any, ...]]:
    return sorted(zip(*(table.column(name).to_pylist() for name in COLUMNS), strict=True), key=repr)


@pytest.fixture(scope="module")
def expected(table: pa.Table) -> list[tuple[Any, ...]]:
    """Mondrian makes the identical classes in memory and on the engine, so that any difference is the reader's."""
    return rows_of(sf.anonymize(table, **ASKED, engine="memory").table)


@pytest.mark.parametrize("name", INPUTS)
def test_every_input_is_streamed_into_the_same_release(
    name: str, table: pa.Table, expected: list[tuple[Any, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = INPUTS[name](table.select(COLUMNS), tmp_path)

    def loaded(self: Source, *_: object, **__: object) -> NoReturn:
        raise AssertionError(f"{type(self).__name__} loads the whole table")

    source = open_source(data)
    monkeypatch.setattr(type(source), "_read", loaded)
    release = sf.anonymize(source, **ASKED, engine="duckdb")
    assert rows_of(release.table) == expected


def test_a_lazy_frame_never_has_more_than_a_batch_in_memory(table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.io.frames.BATCH_ROWS", 1_000)
    source = LazySource(open_source(pl.from_arrow(table).lazy())._frame)  # type: ignore[union-attr, attr-defined]
    batches = list(source.batches(["age", "name"], ["age"]))
    assert max(batch.num_rows for batch in batches) <= 1_000
    assert pa.Table.from_batches(batches)["name"].to_pylist() == table["name"].to_pylist()
    assert (
        batches[0].schema
        == source.kinds(["age", "name"], ["age"])
        == pa.schema(dict.fromkeys(("age", "name"), "string"))
    )


@pytest.mark.parametrize("name", ["database", "relation", "lazy_frame", "file", "hive_folder"])
def test_auto_takes_the_engine_for_what_is_too_large_and_opens_it_once(
    name: str, table: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = INPUTS[name](table.select(COLUMNS), tmp_path)
    opened: list[Source] = []

    def counted(*arguments: Any, **options: Any) -> Source:
        source = open_source(*arguments, **options)
        if source not in opened:
            opened.append(source)
        return source

    monkeypatch.setattr("sfumato.run.request.open_source", counted)
    assert "parts" not in sf.anonymize(data, **ASKED, memory="8GB").manifest
    assert len(opened) == 1
    monkeypatch.setattr(where, "memory_to_anonymize", lambda source, columns: source.extent(columns).rows << 30)
    assert "parts" in sf.anonymize(data, **ASKED, memory="8GB").manifest
    assert len(opened) == 2


def test_a_stream_goes_by_once_whoever_works_on_it(table: pa.Table) -> None:
    stream = StreamSource(in_stream(table, Path()))
    assert sf.anonymize(stream, **ASKED).verification.rows == table.num_rows


@pytest.mark.parametrize("name", ["csv", "json_lines", "hive_folder", "database", "relation", "stream", "lazy_frame"])
def test_any_input_is_checked_by_the_engine(
    name: str, table: pa.Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = table.select(COLUMNS)
    expected = sf.check(shown, quasi_identifiers=["age", "work"], sensitive="illness", k=2, l=2, engine="memory")
    monkeypatch.setattr("sfumato.run.check.check_in_memory", None)
    data = INPUTS[name](shown, tmp_path)
    found = sf.check(data, quasi_identifiers=["age", "work"], sensitive="illness", k=2, l=2, engine="duckdb")
    assert (found.rows, found.classes, found.k, found.l) == (expected.rows, expected.classes, expected.k, expected.l)


def test_a_check_says_what_it_does_in_memory(table: pa.Table) -> None:
    found = sf.check(table, quasi_identifiers="age", person="name", k=2, engine="duckdb")
    assert any("Checked in memory, not by an engine: people with several rows" in note for note in found.notes)


@pytest.mark.parametrize("engine", ["duckdb", "memory", "auto"])
def test_a_lazy_frame_that_fails_on_the_way_is_told_without_its_values(engine: str) -> None:
    words = pl.LazyFrame({"age": ["person 7", "30"] * 9, "work": ["a", "b"] * 9, "illness": ["c", "d"] * 9})
    with pytest.raises(SourceError, match="The lazy frame cannot be computed") as told:
        sf.anonymize(words.with_columns(pl.col("age").cast(pl.Int64)), **ASKED, engine=engine)
    assert "person 7" not in str(told.value)
    with pytest.raises(SourceError, match="The lazy frame cannot be computed"):
        sf.anonymize(words.select("nobody"), **ASKED, engine=engine)


def test_a_relation_that_fails_on_the_way_is_told_without_its_values() -> None:
    broken = duckdb.connect().sql("SELECT error('person 7') AS age, 'a' AS work, 'b' AS illness FROM range(9)")
    with pytest.raises(SourceError, match="The DuckDB relation cannot be computed") as told:
        sf.anonymize(broken, **ASKED, engine="duckdb")
    assert "person 7" not in str(told.value)
