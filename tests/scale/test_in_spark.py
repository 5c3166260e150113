"""The same release on a Spark cluster: a master and two workers, real processes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.scale.cluster import Cluster

import sfumato as sf
from sfumato.errors import EngineError, OutputError, ParameterError, SourceError, VerificationError
from sfumato.io import SparkSource, open_source
from sfumato.request import Request
from sfumato.scale import spark_release
from sfumato.scale.engine import COUNT, Finished, counted
from sfumato.scale.executors import PACKED, unpacked
from sfumato.scale.in_spark import InSpark
from sfumato.scale.sessions import check_workers, is_spark_frame
from sfumato.scale.spark_frames import open_in_spark


def test_workers_that_lack_arrow_are_named(cluster: Cluster, tmp_path: Path) -> None:
    check_workers(cluster.session)
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # nothing that pip installed
    bare.chmod(0o755)
    session = cluster.session.newSession()
    context = session.sparkContext
    usual, context.pythonExec = context.pythonExec, str(bare)
    try:
        with pytest.raises(EngineError, match=r"executors lacks (pyarrow|numpy)\. Install .* PYSPARK_PYTHON"):
            check_workers(session)
    finally:
        context.pythonExec = usual


# The engine by itself

CODED = pa.schema([("code", pa.uint8()), ("key", pa.uint64()), ("label", pa.dictionary(pa.int32(), pa.string()))])


def as_codes(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return numbers in types that Spark does not have, some beyond those that it has."""
    ids = batch.column("id").to_numpy()
    labels = pa.DictionaryArray.from_arrays(pa.array((ids % 3).astype(np.int32)), ["a", "b", "c"])
    keys = np.uint64(2**64 - 1) - ids.astype(np.uint64)
    return pa.RecordBatch.from_arrays([pa.array((ids % 200).astype(np.uint8)), pa.array(keys), labels], schema=CODED)


def largest(part: int, rows: pa.Table) -> Finished:
    """Keep the largest keys of a part, none of part 7, and tell how many rows there were and in which order."""
    assert rows.schema == CODED
    digest = hash(tuple(rows.column("key").to_pylist()))
    return Finished(rows.slice(0, 0) if part == 7 else rows.slice(rows.num_rows - 2), (part, rows.num_rows, digest))


@pytest.fixture(scope="module")
def engine(cluster: Cluster) -> Iterator[InSpark]:
    engine = InSpark(cluster.session)
    yield engine
    engine.close()


def test_rows_are_counted_mapped_and_parted(engine: InSpark, cluster: Cluster) -> None:
    rows = engine.open(SparkSource(cluster.session.range(10_000)), ["id"])
    assert rows.schema == pa.schema([pa.field("id", pa.int64(), nullable=False)])
    coded = engine.kept(rows.mapped(as_codes, CODED))
    assert coded.count() == 10_000
    assert coded.distinct_counts(["code", "label"]) == pytest.approx([200, 3], rel=0.1)
    groups = counted(coded, ["label"])
    assert groups.column(COUNT).to_pylist() == [3334, 3333, 3333]
    assert groups.column("label").to_pylist() == ["a", "b", "c"]
    parted = engine.kept(coded.by_part("code", largest, CODED))
    assert parted.count() == 199 * 2
    keys = pa.Table.from_batches(parted.batches()).column("key")
    assert pc.max(keys).as_py() == 2**64 - 1
    told = parted.told()
    assert sorted((part, rows) for part, rows, _ in told) == [(part, 50) for part in range(200)]
    assert sorted(told) == sorted(coded.by_part("code", largest, CODED).told())


# Releases


def people(rows: int = 12_000) -> pa.Table:
    """Return made-up people: whole and real numbers, text, and gaps in both."""
    random = np.random.default_rng(5)
    pay = np.round(random.lognormal(10, 0.5, rows), -2)
    return pa.table(
        {
            "name": [f"name {row}" for row in range(rows)],
            "age": pa.array(random.integers(18, 90, rows), mask=random.random(rows) < 0.01),
            "town": random.choice(["Rome", "Siena", "Pisa", "Lucca", None], rows, p=[0.4, 0.3, 0.2, 0.09, 0.01]),
            "pay": np.where(random.random(rows) < 0.01, np.nan, pay),
            "illness": random.choice(["flu", "asthma", "angina", "ulcer"], rows, p=[0.4, 0.3, 0.2, 0.1]),
        }
    )


ASKED = {
    "quasi_identifiers": ["age", "town", "pay"],
    "sensitive": "illness",
    "identifiers": "name",
    "k": 5,
    "l": 2,
    "seed": 11,
    "method": "hilbert",
}


def rows_of(release: sf.Release) -> list[tuple[object, ...]]:
    return sorted((tuple(row.values()) for row in release.to_arrow().to_pylist()), key=repr)


@pytest.fixture(scope="module")
def table() -> pa.Table:
    return people()


@pytest.fixture(scope="module")
def frame(cluster: Cluster, table: pa.Table) -> Any:
    return cluster.session.createDataFrame(table).repartition(3)


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> Iterator[None]:
    """Let a small table have several parts and files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InSpark, "part_rows", 5_000)
        patch.setattr(spark_release, "FILE_ROWS", 4_000)
        yield


@pytest.fixture(scope="module")
def release(frame: Any) -> sf.Release:
    return sf.anonymize(frame, **ASKED)


def test_a_frame_becomes_a_frame_that_loses_as_little_as_in_memory(release: sf.Release, table: pa.Table) -> None:
    in_memory = sf.anonymize(table, **ASKED)
    assert release.manifest["parts"] > 1
    assert release.loss.gcp <= 1.01 * in_memory.loss.gcp
    assert is_spark_frame(release.data)
    assert release.data.columns == in_memory.table.column_names
    assert release.data.count() == table.num_rows - release.suppressed
    checked = sf.check(release.to_arrow(), quasi_identifiers=["age", "town", "pay"], sensitive="illness", k=5, l=2)
    assert checked.ok
    assert checked.classes == release.classes


@pytest.mark.parametrize(
    ("method", "ages"), [("mondrian", None), ("lattice", sf.Numeric(widths=[5, 10, 20]))], ids=["mondrian", "lattice"]
)
def test_cuts_and_levels_are_those_of_memory_and_duckdb(
    method: str, ages: sf.Numeric | None, frame: Any, table: pa.Table, tmp_path: Path
) -> None:
    asked = ASKED | {"method": method, "quasi_identifiers": {"age": ages, "town": None}, "rest": "drop"}
    in_memory = sf.anonymize(table, **asked)
    assert rows_of(sf.anonymize(frame, **asked)) == rows_of(in_memory)
    pq.write_table(table, tmp_path / "people.parquet")
    assert rows_of(sf.anonymize(tmp_path / "people.parquet", **asked, engine="duckdb")) == rows_of(in_memory)


def test_the_frame_stays_as_it_was(release: sf.Release, frame: Any, table: pa.Table) -> None:
    assert repr(frame.toArrow().sort_by("name").to_pylist()) == repr(table.sort_by("name").to_pylist())


def test_only_groups_come_to_the_driver(frame: Any, table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    frames = type(frame)
    to_arrow, to_iterator = frames.toArrow, frames.toLocalIterator

    def counting(one: Any) -> pa.Table:
        found = to_arrow(one)
        fetched.append(found.num_rows)
        return found

    def refused(*_: object) -> None:
        raise AssertionError("rows were collected")

    def pieces(one: Any) -> Iterator[Any]:
        for row in to_iterator(one):
            fetched.append(sum(len(batch) for batch in unpacked(row[PACKED])))
            yield row

    monkeypatch.setattr(frames, "toArrow", counting)
    monkeypatch.setattr(frames, "toLocalIterator", pieces)
    for name in ("collect", "toPandas", "take", "head"):
        monkeypatch.setattr(frames, name, refused)
    sf.anonymize(frame, **ASKED | {"k": 50})
    assert fetched
    assert max(fetched) < table.num_rows / 3


def test_a_killed_worker_changes_nothing(cluster: Cluster, frame: Any, release: sf.Release) -> None:
    killed = []

    def kill(stage: str, share: float) -> None:
        if stage == "recoding" and not killed:
            killed.append(stage)
            cluster.kill_worker()

    try:
        again = sf.anonymize(frame, **ASKED, progress=kill)
    finally:
        cluster.add_worker()
    assert killed
    assert rows_of(again) == rows_of(release)
    assert again.to_arrow().equals(release.to_arrow())
    assert again.manifest["input"] == release.manifest["input"]


def test_a_release_is_written_whole_or_not_at_all(
    release: sf.Release, cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = release.write(tmp_path / "released")
    assert found.ok
    files = sorted((tmp_path / "released").iterdir())
    assert all(path.name.startswith("part-") and path.suffix == ".parquet" for path in files)
    sizes = [pq.read_metadata(path).num_rows for path in files]
    assert sum(sizes) == found.rows
    assert sizes == pytest.approx([found.rows / 3] * 3, rel=0.1)
    with pytest.raises(OutputError, match="is there already"):
        release.write(tmp_path / "released")
    monkeypatch.setattr(spark_release, "verified_by_spark", lambda *_: replace(found, rows=1))
    with pytest.raises(VerificationError, match="not safe and is not published"):
        release.write(tmp_path / "unsafe")
    assert [path.name for path in tmp_path.iterdir()] == ["released"]


def test_files_and_tables_are_read_by_the_address_of_a_cluster(cluster: Cluster, tmp_path: Path) -> None:
    with (tmp_path / "people.csv").open("w") as file:
        print(
            "zip;count;place", *(f"0{2130 + row % 3};{20 + row % 7};Siena" for row in range(300)), sep="\n", file=file
        )
    made = sf.anonymize(
        tmp_path / "people.csv",
        quasi_identifiers=["zip", "count"],
        plain="place",
        k=20,
        engine=sf.Spark(cluster.address),
    )
    assert set(made.to_arrow().column("zip").to_pylist()) <= {"02130", "02131", "02132", "{02130, 02131}", "*"}
    assert made.manifest["options"]["engine"] == "spark"
    session = cluster.session
    session.createDataFrame(pa.table({"age": [1, 2]})).createOrReplaceTempView("some_people")
    assert open_in_spark(session, "some_people", Request(sf.Schema("age"))).columns == ("age",)
    assert open_in_spark(session, open_source(tmp_path / "people.csv"), Request(sf.Schema("zip"))).columns[0] == "zip"
    with pytest.raises(EngineError, match="Spark could not finish the work"):
        open_in_spark(session, tmp_path / "nothing", Request(sf.Schema("age")))
    with pytest.raises(SourceError, match="an object of type dict is none"):
        open_in_spark(session, {}, Request(sf.Schema("age")))


def test_what_an_engine_cannot_run_is_refused_before_anything_is_read(frame: Any) -> None:
    with pytest.raises(ParameterError, match=r"Engines run .*'hilbert'"):
        sf.anonymize(frame, **ASKED | {"method": "enum-multi"})


def test_a_release_tells_what_one_in_memory_tells(release: sf.Release, table: pa.Table) -> None:
    classes = release.class_table()
    assert is_spark_frame(classes)
    assert sum(classes.toArrow().column("size").to_pylist()) == table.num_rows
    names = ["age", "town", "pay"]
    for told, counted_here in ((release.risk.before, table), (release.risk.after, release.to_arrow())):
        expected = sf.risk(counted_here, quasi_identifiers=names, sensitive="illness")
        assert told.prosecutor.unique == expected.prosecutor.unique
        assert told.prosecutor.mean == pytest.approx(expected.prosecutor.mean)
        assert told.sensitive["illness"].certain == pytest.approx(expected.sensitive["illness"].certain)
    assert float(release.bound) == pytest.approx(float(sf.anonymize(table, **ASKED).bound), abs=1e-9)
    assert f"made {release.loss.classes:,} classes" in str(release.explain(column="age"))
    with pytest.raises(EngineError, match="rows of a frame have no order"):
        release.explain(3)
    assert release.manifest["not_looked_at"] == ["several-rows-per-person"]
