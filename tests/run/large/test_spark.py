"""The same release on a Spark cluster: a master and two workers, real processes."""

from __future__ import annotations

import math
import sys
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tests.cli.command import run
from tests.run.large.cluster import Cluster
from tests.run.large.executed import CODED, as_codes, as_it_is, complaining, largest
from tests.verify.test_engine_check import RULES, assert_same

import sfumato as sf
from sfumato.errors import DataError, EngineError, OutputError, ParameterError, SourceError, VerificationError
from sfumato.io import SparkSource, open_source
from sfumato.methods import FixedLevels, find_method
from sfumato.run.large import cells, plan
from sfumato.run.large import drawn_rows as drawing
from sfumato.run.large.domains import profile
from sfumato.run.large.duckdb import engine as in_duckdb
from sfumato.run.large.engine import COUNT, counted
from sfumato.run.large.full_domain import choose
from sfumato.run.large.parts import Encoding
from sfumato.run.large.spark import release as spark_release
from sfumato.run.large.spark.engine import InSpark
from sfumato.run.large.spark.frames import open_in_spark
from sfumato.run.large.spark.groups import verified_by_spark
from sfumato.run.large.spark.rows import SparkRows, task_names
from sfumato.run.large.spark.session import check_workers
from sfumato.run.request import Request
from sfumato.run.where import is_spark_frame
from sfumato.verify.release import verify_release

pytestmark = pytest.mark.spark


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
    with pytest.raises(DataError, match=r"^Column 'id' has a value that it did not have a moment ago"):
        rows.mapped(complaining, CODED).count()


def test_work_is_spread_over_all_tasks(cluster: Cluster) -> None:
    for tasks in (1, 2, 7, 32):
        names = task_names(cluster.session, tasks)
        frame = cluster.session.createDataFrame(pa.table({"task": pa.array(names, pa.int64())}))
        assert {
            row.at for row in frame.repartition(tasks, "task").selectExpr("spark_partition_id() AS at").collect()
        } == set(range(tasks))


# Releases


def people(rows: int = 6_000) -> pa.Table:
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
        patch.setattr(InSpark, "part_rows", 2_500)
        patch.setattr(spark_release, "FILE_ROWS", 2_000)
        patch.setattr(in_duckdb, "MOST_PART_ROWS", 2_500)
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


def test_what_is_written_is_what_duckdb_writes(cluster: Cluster, table: pa.Table, tmp_path: Path) -> None:
    """One seed, one release, down to the order of rows, if both engines get the rows in one order."""
    in_order = table.drop_columns("name").sort_by([(name, "ascending") for name in ("age", "town", "pay", "illness")])
    pq.write_table(in_order, tmp_path / "people.parquet")
    frame = cluster.session.read.parquet(str(tmp_path / "people.parquet")).repartition(3)
    usual = {name: value for name, value in ASKED.items() if name not in {"identifiers", "l"}}
    for models in ({"suppression": 0.05}, {"l": 2.2, "suppression": 0.02}, {"t": 0.3}):
        on_spark = sf.anonymize(frame, **usual | models)
        on_duckdb = sf.anonymize(tmp_path / "people.parquet", **usual | models, engine="duckdb")
        assert on_spark.manifest["parts"] == on_duckdb.manifest["parts"] > 1
        assert rows_of(on_spark) == rows_of(on_duckdb)
        assert on_spark.suppressed == on_duckdb.suppressed
        assert bool(on_spark.suppressed) == ("suppression" in models)


def test_numbers_known_by_range_are_shown_as_duckdb_shows_them(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Too many values to be kept: both engines count the same cells, and every value lies in what is shown of it."""
    monkeypatch.setattr(plan, "FEWEST_VALUES", 50)
    monkeypatch.setattr(cells, "MOST_CELLS", 300)
    monkeypatch.setattr(cells, "ROUNDS", 1)
    pay = np.random.default_rng(2).lognormal(8, 1.0, 4_000).round(6)
    seen = np.datetime64("2024-02-28T12:00", "us") + (pay * 10**8).astype("timedelta64[us]")[::-1]
    pq.write_table(pa.table({"pay": pay, "seen": seen, "age": np.arange(4_000) % 70}), tmp_path / "people.parquet")
    frame = cluster.session.read.parquet(str(tmp_path / "people.parquet")).repartition(3)
    asked: dict[str, Any] = {"quasi_identifiers": ["pay", "seen", "age"], "k": 5, "seed": 1, "method": "mondrian"}
    release = sf.anonymize(frame, **asked)
    assert rows_of(release) == rows_of(sf.anonymize(tmp_path / "people.parquet", **asked, engine="duckdb"))
    ends = np.array([[float(end) for end in one["pay"][1:-1].split(", ")] for one in release.to_arrow().to_pylist()])
    reached = [np.sort(side) for side in (ends[:, 0], pay, ends[:, 1])]
    assert (reached[0] <= reached[1]).all()
    assert (reached[1] < reached[2]).all()


def test_cuts_and_levels_are_those_of_memory_and_duckdb(frame: Any, table: pa.Table, tmp_path: Path) -> None:
    pq.write_table(table, tmp_path / "people.parquet")
    ages = sf.Numeric(widths=[5, 10, 20])
    for method, hierarchy in (("mondrian", None), ("lattice", ages)):
        asked = ASKED | {"method": method, "quasi_identifiers": {"age": hierarchy, "town": None}, "rest": "drop"}
        in_memory = sf.anonymize(table, **asked)
        assert rows_of(sf.anonymize(frame, **asked)) == rows_of(in_memory)
        assert rows_of(sf.anonymize(tmp_path / "people.parquet", **asked, engine="duckdb")) == rows_of(in_memory)


@pytest.mark.parametrize("method", ["incognito", "bottom-up", "samarati", "datafly", "recode"])
def test_full_domain_methods_choose_as_in_memory(method: str, coded: tuple[Any, ...], table: pa.Table) -> None:
    kept, known, request = coded
    one = FixedLevels({"age": 2, "town": 0}) if method == "recode" else find_method(method)
    asked = {name: ASKED[name] for name in ("sensitive", "k", "seed")} | {"method": one, "suppression": 0.5}
    in_memory = sf.anonymize(table, quasi_identifiers=LEVELS, rest="drop", **asked)
    chosen = choose(kept, known, replace(request, suppression=0.5), one.on_engine, 0)
    assert chosen.recoding.details["level_names"] == in_memory.manifest["method"]["levels"]
    assert chosen.suppressed == in_memory.suppressed
    assert chosen.loss.gcp == pytest.approx(in_memory.loss.gcp)


LEVELS = {"age": sf.Numeric(widths=[5, 10, 20]), "town": None}


def counted_by_beginnings(release: sf.Release) -> Counter[tuple[str, ...]]:
    """Count rows by the lower ends of their cells: privacy by chance shows [20, 30) for whole numbers, too."""
    return Counter(tuple(str(cell).split(",")[0] for cell in row) for row in rows_of(release))


def test_differential_privacy_draws_rows_on_the_executors(frame: Any, table: pa.Table) -> None:
    asked = {"quasi_identifiers": LEVELS | {"town": sf.Categorical()}, "rest": "drop"}
    model = sf.DifferentialPrivacy(1, 1e-3, for_levels=0.5)
    release = sf.anonymize(frame, privacy=model, **asked)
    assert release.manifest["parts"] > 1
    assert "*" not in release.level_names.values()
    drawn = counted_by_beginnings(release)
    assert min(drawn.values()) >= model.k
    assert drawn.total() == table.num_rows - release.suppressed
    whole = counted_by_beginnings(sf.recode(table, levels=release.level_names, k=1, **asked))
    for shown, rows in whole.items():
        mean, doubt = rows * model.beta, 5 * math.sqrt(rows * model.beta * (1 - model.beta))
        assert abs(drawn[shown] - mean) < doubt or (not drawn[shown] and mean - doubt < model.k)


def test_the_strongest_k_of_fixed_levels_on_a_frame_is_that_of_memory(frame: Any, table: pa.Table) -> None:
    asked = {"quasi_identifiers": LEVELS, "sensitive": "illness", "rest": "drop", "k": 3, "seed": 1}
    fixed = FixedLevels({"age": 2, "town": 0})
    on_spark, in_memory = (sf.strongest(data, method=fixed, max_gcp=0.1, **asked) for data in (frame, table))
    assert on_spark.value == in_memory.value == 3
    assert dict(on_spark.curve) == pytest.approx(dict(in_memory.curve))
    assert is_spark_frame(on_spark.release.data)
    assert rows_of(on_spark.release) == rows_of(in_memory.release)


@pytest.fixture(scope="module")
def coded(engine: InSpark, frame: Any) -> tuple[Any, ...]:
    """Return encoded rows that the executors keep, what their codes mean, and who asked."""
    schema = sf.Schema(LEVELS, "illness", rest="drop")
    request = Request(schema, privacy=(sf.KAnonymity(5),))
    rows = engine.open(SparkSource(frame), ["age", "town", "illness"])
    known, _ = profile(rows, schema.roles(frame.columns), request, 1 << 16)
    return engine.kept(rows.mapped(Encoding(known), known.schema)), known, request


def test_the_frame_stays_as_it_was(release: sf.Release, frame: Any, table: pa.Table) -> None:
    assert repr(frame.toArrow().sort_by("name").to_pylist()) == repr(table.sort_by("name").to_pylist())


def test_neither_rows_nor_memory_at_the_driver_grow_with_the_table(frame: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    held: list[int] = []
    frames = type(frame)
    to_arrow = frames.toArrow

    def counting(one: Any) -> pa.Table:
        found = to_arrow(one)
        fetched.append(found.nbytes)
        held.append(pa.total_allocated_bytes())
        return found

    def refused(*_: object) -> None:
        raise AssertionError("rows were collected")

    check_workers(frame.sparkSession)
    monkeypatch.setattr(drawing, "DRAWN", 500)  # for the bound, so many rows are drawn from tables of any size
    monkeypatch.setattr(frames, "toArrow", counting)
    for name in ("collect", "toPandas", "toLocalIterator", "take", "head"):
        monkeypatch.setattr(frames, name, refused)
    taken = []
    for times in (1, 5):
        many = reduce(frames.unionByName, [frame] * times)
        monkeypatch.setattr(InSpark, "part_rows", 2_500 * times)
        fetched.clear()
        held[:] = [pa.total_allocated_bytes()]
        tracemalloc.start()
        release = sf.anonymize(many, **ASKED | {"k": 5 * times})
        taken.append((max(fetched), sum(fetched), tracemalloc.get_traced_memory()[1], max(held) - held[0]))
        tracemalloc.stop()
        assert release.data.count() == 6_000 * times
    for few, many in zip(*taken, strict=True):
        assert many < 1.5 * few + 100_000  # the rows themselves would be a megabyte more


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


def test_files_have_the_rows_and_types_of_the_frame_and_always_the_same_bytes(cluster: Cluster, tmp_path: Path) -> None:
    people = 90
    moment = datetime(2020, 2, 29, 12, 30, tzinfo=UTC)
    columns = {
        "age": [row % 5 for row in range(people)],
        "part": [["x", "y", None][row % 3] for row in range(people)],
        "day": [date(2020, 1, 1 + row % 9) for row in range(people)],
        "at": [moment if row % 2 else None for row in range(people)],
        "sum": [Decimal(row % 4) / 4 for row in range(people)],
        "size": [[0.5, float("nan"), None][row % 3] for row in range(people)],
        "here": [moment.replace(tzinfo=None) for row in range(people)],
        "flag": [[True, False, None][row % 3] for row in range(people)],
    }
    frame = cluster.session.createDataFrame(pa.table(columns))
    releases = [
        sf.anonymize(frame, quasi_identifiers="age", plain=[*columns][1:], k=5, method="hilbert", seed=1)
        for _ in range(2)
    ]
    for release, name in zip(releases, ("one", "two"), strict=True):
        release.write(tmp_path / name)
    read = cluster.session.read.parquet(str(tmp_path / "one"))
    assert [(one.name, one.dataType) for one in read.schema] == [
        (one.name, one.dataType) for one in releases[0].data.schema
    ]
    assert sorted(map(repr, read.collect())) == sorted(map(repr, releases[0].data.collect()))
    [one], [two] = ([path.read_bytes() for path in sorted((tmp_path / name).iterdir())] for name in ("one", "two"))
    assert one == two


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


def test_a_whole_run_at_the_command_line(cluster: Cluster, table: pa.Table, tmp_path: Path) -> None:
    pq.write_table(table, tmp_path / "people.parquet")
    roles = ("--qi", "age", "--qi", "town", "--sensitive", "illness")
    limits = ("-k", 5, "-l", 2, "--engine", cluster.address)
    released = tmp_path / "released.parquet"
    made = run("anonymize", tmp_path / "people.parquet", *roles, "--rest", "drop", *limits, "-o", released)
    assert made.code == 0, made.stderr
    assert released.is_dir()
    done = run("check", released, *roles, *limits)
    assert done.code == 0, done.stderr
    assert f"Verified: {table.num_rows:,} rows" in done.stdout
    assert run("check", tmp_path / "people.parquet", *roles, *limits).code == 1


# Checking


def test_a_frame_is_checked_by_the_executors(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that the verifier in memory finds, none of the rows fetched; every model at once, on numbers with gaps."""
    random = np.random.default_rng(3)
    shown = pa.table(
        {
            "text": random.choice(["[1, 2]", "[1, 9]", "5", None], 400),
            "number": random.choice([0.0, -0.0, 1.5, np.nan], 400),
            'a `b` "c"': random.choice(["x", "y"], 400),
            "illness": random.choice(["flu", "cold", "ulcer", None], 400),
            "pay": random.choice(["1", "1.0", "30", "7", None], 400),
        }
    )
    asked = (["text", "number", 'a `b` "c"'], ["illness", "pay"])
    rules = [rule for rule in RULES if not isinstance(rule.get("population"), pa.Table)]
    frame = cluster.session.createDataFrame(shown).repartition(3)
    in_memory = verify_release(shown, *asked, rules)
    assert_same(verified_by_spark(SparkRows(frame), *asked, rules), in_memory)
    packed = SparkRows(frame).mapped(as_it_is, SparkRows(frame).schema)
    assert_same(verified_by_spark(packed, *asked, rules), in_memory)
    arguments = {"quasi_identifiers": asked[0], "sensitive": asked[1], "k": 3, "l": 2}
    monkeypatch.setattr(SparkSource, "_read", None)
    assert_same(sf.check(frame, **arguments), sf.check(shown, **arguments))
    with pytest.raises(ParameterError, match="people with several rows"):
        sf.check(frame, quasi_identifiers="text", person="pay", k=2)
    with pytest.raises(SourceError, match="engine='duckdb'"):
        sf.check("people.csv.gz", quasi_identifiers="text", k=2, engine=cluster.address)


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
    assert release.manifest["not_looked_at"] == ["several-rows-per-person", "repeated-rows"]


def test_a_collation_of_spark_does_not_make_classes(cluster: Cluster) -> None:
    """Four spellings of one name are four values, on the cluster, in memory and for whoever checks."""
    words = ", ".join(f"('{word}', {row})" for row, word in enumerate(["anna", "Anna", "ANNA", "AnnA"] * 3))
    frame = cluster.session.sql(f"SELECT * FROM VALUES {words} AS t(q, n)").selectExpr("q COLLATE UTF8_LCASE AS q", "n")
    for engine in ("spark", "memory"):
        release = sf.anonymize(frame, quasi_identifiers="q", rest="drop", k=4, method="mondrian", engine=engine)
        shown = release.table["q"].to_pylist() if engine == "memory" else [row.q for row in release.data.collect()]
        assert all(shown.count(one) >= 4 for one in shown)
        assert sf.check(frame, quasi_identifiers="q", k=3, engine=engine).ok
        assert not sf.check(frame, quasi_identifiers="q", k=4, engine=engine).ok
