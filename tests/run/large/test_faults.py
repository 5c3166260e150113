"""What goes wrong while DuckDB's engine works: nothing is published, nothing stays, and one sentence says why."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.errors import DataError, OutputError, SchemaError, SourceError
from sfumato.run.large import domains as profiling
from sfumato.run.large.duckdb import engine as in_duckdb

pytestmark = pytest.mark.usefixtures("small_parts")

ASKED: dict[str, Any] = {
    "quasi_identifiers": ["age", "work", "pay"],
    "sensitive": "illness",
    "plain": "ward",
    "identifiers": "name",
    "method": "hilbert",
    "seed": 3,
    "k": 5,
    "engine": "duckdb",
}


def once(stage: str, act: Callable[[], object]) -> Callable[[str, float], None]:
    """Do something in the middle of a run: when it tells of a stage for the first time."""
    done: list[object] = []

    def tell(name: str, _: float) -> None:
        if name.startswith(stage) and not done:
            done.append(name)
            act()

    return tell


# ------------------------------------------------------------------------------------------------- the disk


@pytest.mark.parametrize("name", ["rows.parquet", "0.arrow"])
def test_a_disk_that_fills_up_is_told_and_nothing_stays(
    name: str, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows go to a device that is full: the kernel's own error, wherever the engine first writes that file."""
    made = in_duckdb.InDuckDB.new_folder

    def full(self: in_duckdb.InDuckDB) -> Path:
        folder = made(self)
        (folder / name).symlink_to("/dev/full")
        return folder

    monkeypatch.setattr(in_duckdb.InDuckDB, "new_folder", full)
    with pytest.raises(OutputError, match=r"The disk is full: temporary files no longer fit in .*temporary="):
        sf.anonymize(file, **ASKED, temporary=tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_duckdb_without_room_to_spill_is_told_and_nothing_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    numbers = np.arange(400_000)
    pq.write_table(pa.table({"a": numbers, "b": numbers[::-1].copy()}), tmp_path / "people.parquet")
    monkeypatch.setattr(in_duckdb, "FOR_COUNTING", 0.1)
    monkeypatch.setattr(in_duckdb, "LEAST_COUNTING", 0)
    started = in_duckdb.InDuckDB.__init__

    def little_room(self: in_duckdb.InDuckDB, *arguments: Any) -> None:
        started(self, *arguments)
        self._set("max_temp_directory_size", "'1MB'")

    monkeypatch.setattr(in_duckdb.InDuckDB, "__init__", little_room)
    monkeypatch.setattr("sfumato.run.large.domains.MARGIN", 100)
    (tmp_path / "temporary").mkdir()
    with pytest.raises(OutputError, match="The disk is full"):
        sf.anonymize(
            tmp_path / "people.parquet",
            quasi_identifiers=["a", "b"],
            k=5,
            method="hilbert",
            engine="duckdb",
            memory="500MB",
            temporary=tmp_path / "temporary",
        )
    assert list((tmp_path / "temporary").iterdir()) == []


def test_the_least_memory_that_can_be_asked_for_is_enough_to_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_duckdb, "MOST_PART_ROWS", 50_000)
    monkeypatch.setattr(in_duckdb, "BATCH_ROWS", 50_000)
    numbers = np.arange(150_000)
    pq.write_table(pa.table({"a": numbers % 9, "b": numbers % 40_000}), tmp_path / "people.parquet")
    asked: dict[str, Any] = {"quasi_identifiers": ["a", "b"], "k": 5, "method": "hilbert", "engine": "duckdb"}
    assert sf.anonymize(tmp_path / "people.parquet", **asked, memory="64MiB").verification.rows == len(numbers)


def test_the_command_line_tells_a_full_disk_in_a_sentence(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        os.write(os.open("/dev/full", os.O_WRONLY), b"rows")

    monkeypatch.setattr(in_duckdb, "scatter", full)
    roles = ("--qi", "age,work", "--sensitive", "illness", "--rest", "drop", "-k", "5", "--method", "hilbert")
    where = ("-o", tmp_path / "out.csv", "--engine", "duckdb", "--temporary", tmp_path)
    done = run("anonymize", file, *roles, *where)
    assert "The disk is full" in done.stderr
    assert list(tmp_path.iterdir()) == []


# ------------------------------------------------------------------------------------- killed and interrupted

# The rows of a part are about to be shown when the run waits, for as long as the test needs.
WAITING = """
import sys, time
import sfumato as sf
from sfumato.run.large import recode as recoding

def waiting(*arguments):
    print("now", flush=True)
    time.sleep(120)

recoding.Recode.__call__ = waiting
sf.anonymize(sys.argv[1], quasi_identifiers=["age", "work"], rest="drop", k=5, method="mondrian", engine="duckdb",
             temporary=sys.argv[2])
"""


def test_what_a_run_killed_in_the_middle_left_is_removed_by_the_next(file: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WAITING]
    with subprocess.Popen([*command, str(file), str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        [left] = tmp_path.iterdir()
        inside = [path for path in left.rglob("*") if path.is_file()]
        assert sum(path.stat().st_size for path in inside) > 1_000, "rows lie there"
        assert stat.S_IMODE(left.stat().st_mode) == 0o700
        assert {stat.S_IMODE(path.stat().st_mode) for path in left.iterdir() if path.is_dir()} == {0o700}
        process.send_signal(signal.SIGKILL)
    assert left.exists()
    release = sf.anonymize(file, **ASKED, temporary=tmp_path)
    assert not left.exists()
    del release
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("stage", ["profiling", "encoding", "dividing", "recoding", "verifying"])
def test_an_interrupt_leaves_nothing_at_any_stage(stage: str, file: Path, tmp_path: Path) -> None:
    def interrupt() -> None:
        assert list(tmp_path.iterdir())
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sf.anonymize(file, **ASKED, temporary=tmp_path, progress=once(stage, interrupt))
    assert list(tmp_path.iterdir()) == []


def test_two_runs_share_a_temporary_folder(file: Path, tmp_path: Path) -> None:
    """The second begins and ends while the first is in the middle, and takes nothing away from it."""
    inner: list[sf.Release] = []
    alone = sf.anonymize(file, **ASKED).table

    def other() -> None:
        [first] = tmp_path.iterdir()
        inner.append(sf.anonymize(file, **ASKED, temporary=tmp_path))
        assert len(list(tmp_path.iterdir())) == 2
        assert inner.pop().table.equals(alone)
        assert list(tmp_path.iterdir()) == [first]

    outer = sf.anonymize(file, **ASKED, temporary=tmp_path, progress=once("recoding", other))
    assert outer.table.equals(alone)


# --------------------------------------------------------------------------------------- files that are not one table


def other_values(path: Path) -> None:
    table = pq.read_table(path)
    older = pa.chunked_array([pa.array([200] * table.num_rows, pa.int32())])
    pq.write_table(table.set_column(0, "age", older), path)


def other_times(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


@pytest.mark.parametrize("change", [other_values, other_times, cut_short])
@pytest.mark.parametrize("stage", ["profiling", "encoding"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    change: Callable[[Path], None], stage: str, table: pa.Table, tmp_path: Path
) -> None:
    path = tmp_path / "people.parquet"
    pq.write_table(table, path)
    (tmp_path / "temporary").mkdir()
    asked = ASKED | {"temporary": tmp_path / "temporary", "progress": once(stage, lambda: change(path))}
    with pytest.raises((SourceError, DataError), match=r"change[ds] while it (was|is) read"):
        sf.anonymize(path, **asked)
    assert list((tmp_path / "temporary").iterdir()) == []


def parts(folder: Path, *tables: pa.Table) -> Path:
    folder.mkdir(exist_ok=True)
    for at, table in enumerate(tables):
        pq.write_table(table, folder / f"part-{at}.parquet")
    return folder


def test_files_that_are_no_parts_of_one_table_are_named(tmp_path: Path) -> None:
    ages = pa.table({"age": [30, 30, 31, 31]})
    roles: dict[str, Any] = {"quasi_identifiers": "age", "k": 2, "method": "hilbert", "engine": "duckdb"}
    words = parts(tmp_path / "words", ages, pa.table({"age": ["30", "old"]}))
    with pytest.raises(SourceError, match=r"'age' is a number in .*part-0.parquet' and text in .*part-1.parquet'"):
        sf.anonymize(words, **roles)
    more = parts(tmp_path / "more", ages, pa.table({"age": [30], "city": ["Rome"]}))
    with pytest.raises(SourceError, match=r"part-1.parquet' has the column 'city', but .*part-0.parquet' has not"):
        sf.anonymize(more, **roles)
    with pytest.raises(SchemaError, match="has no columns"):
        sf.anonymize(parts(tmp_path / "none", pa.table({})), **roles)
    (tmp_path / "nothing").mkdir()
    with pytest.raises(SourceError, match="a directory without Parquet files"):
        sf.anonymize(tmp_path / "nothing", **roles)


def test_parts_of_other_widths_orders_and_none_at_all_are_one_table(tmp_path: Path) -> None:
    """Whole numbers and fractions, columns in another order, a part without rows, and one without a value."""
    folder = parts(
        tmp_path / "parts",
        pa.table({"age": pa.array([30, 31] * 10, pa.int8()), "city": ["Rome", "Siena"] * 10}),
        pa.table({"city": ["Rome"] * 20, "age": pa.array([3_000_000_000.5, 31.0] * 10)}),
        pa.table({"age": pa.array([], pa.int64()), "city": pa.array([], pa.large_string())}),
        pa.table({"age": pa.nulls(5, pa.int32()), "city": pa.nulls(5, pa.string())}),
    )
    asked: dict[str, Any] = {"quasi_identifiers": ["age", "city"], "k": 5, "method": "mondrian", "seed": 1}
    large, small = (sf.anonymize(folder, engine=engine, **asked) for engine in ("duckdb", "memory"))
    assert large.verification.rows == 45
    assert sorted(map(str, large.table.to_pylist())) == sorted(map(str, small.table.to_pylist()))


def test_empty_parts_alone_are_refused(tmp_path: Path) -> None:
    nobody = pa.table({"age": pa.array([], pa.int64())})
    with pytest.raises(DataError, match="no rows"):
        sf.anonymize(parts(tmp_path / "empty", nobody, nobody), quasi_identifiers="age", k=2, engine="duckdb")


# ------------------------------------------------------------------------------------------------------- odd values


@pytest.mark.parametrize("method", ["hilbert", "mondrian", "lattice"])
def test_missing_values_and_not_a_number_are_what_they_are_in_memory(method: str, tmp_path: Path) -> None:
    """As keys both are one missing value; in columns that are carried along each stays what it was."""
    random = np.random.default_rng(1)
    odd = pa.array([1.0, 2.0, float("nan"), None, 0.5])

    def drawn() -> pa.Array:
        return odd.take(pa.array(random.integers(0, 5, 3_000)))

    table = pa.table({"age": random.integers(20, 60, 3_000), "pay": drawn(), "dose": drawn(), "note": drawn()})
    pq.write_table(table, tmp_path / "people.parquet")
    hierarchies = {"age": sf.Numeric(widths=(5, 20)), "pay": sf.Numeric(widths=(1,))}
    asked: dict[str, Any] = {"quasi_identifiers": hierarchies, "sensitive": "dose", "plain": "note", "k": 3, "l": 2}
    large, small = (
        sf.anonymize(tmp_path / "people.parquet", engine=engine, method=method, seed=1, **asked)
        for engine in ("duckdb", "memory")
    )
    assert large.verification.ok
    shown = [sorted(map(str, one.table.select(["dose", "note"]).to_pylist())) for one in (large, small)]
    assert shown[0] == shown[1]
    assert "nan" in shown[0][-1] or any("nan" in row for row in shown[0])
    if method != "hilbert":
        assert sorted(map(str, large.table.to_pylist())) == sorted(map(str, small.table.to_pylist()))


def test_words_that_mean_nothing_are_left_out_of_what_is_carried_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = 3_000
    notes = [f"note {number}" if number % 3 else "?" for number in range(rows)]
    pq.write_table(pa.table({"age": [20 + n % 40 for n in range(rows)], "note": notes}), tmp_path / "people.parquet")
    monkeypatch.setattr("sfumato.run.large.domains.MARGIN", 1e-3)
    asked: dict[str, Any] = {"plain": "note", "confirm": "note", "k": 3, "na": ["?"], "method": "hilbert"}
    release = sf.anonymize(tmp_path / "people.parquet", quasi_identifiers="age", engine="duckdb", **asked)
    assert release.table["note"].null_count == rows // 3


def test_a_dictionary_with_values_that_nobody_has_is_read(tmp_path: Path) -> None:
    cities = pa.DictionaryArray.from_arrays(pa.array([0, 2] * 50), pa.array(["Rome", "nobody's", "Siena"]))
    pq.write_table(pa.table({"city": cities}), tmp_path / "people.parquet")
    release = sf.anonymize(tmp_path / "people.parquet", quasi_identifiers="city", k=5, engine="duckdb")
    assert sorted(set(release.table["city"].to_pylist())) == ["Rome", "Siena"]


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (pa.list_(pa.int64()), "list.*, which cannot be released"),
        (pa.map_(pa.string(), pa.int64()), "map.*, which cannot be released"),
        (pa.decimal256(60, 2), "decimal.*, and engines count numbers of at most 38 digits.*engine='memory'"),
    ],
    ids=["list", "map", "decimal"],
)
def test_what_no_engine_can_count_is_refused_by_name(kind: pa.DataType, reason: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [20, 30] * 20, "odd": pa.nulls(40, kind)}), tmp_path / "people.parquet")
    with pytest.raises(DataError, match=f"Column 'odd' is of type {reason}"):
        sf.anonymize(tmp_path / "people.parquet", quasi_identifiers="age", plain="odd", k=2, engine="duckdb")


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_times_keep_their_zone_and_unit(unit: str, tmp_path: Path) -> None:
    """As quasi-identifiers and as they are: a table in Rome's time is no table in that of Greenwich."""
    hours = np.datetime64("2020-03-28T12:00", unit) + np.arange(200) % 40 * np.timedelta64(1, "h")
    times = pa.array(hours).cast(pa.timestamp(unit, "Europe/Rome"))
    pq.write_table(pa.table({"seen": times, "sent": times}), tmp_path / "people.parquet")
    shown = {"seen": sf.Dates()}
    asked: dict[str, Any] = {"quasi_identifiers": shown, "plain": "sent", "k": 3, "method": "mondrian", "seed": 1}
    for name in ("duckdb", "memory"):
        release = sf.anonymize(tmp_path / "people.parquet", engine=name, **asked)
        release.write(tmp_path / f"{name}.csv")
        assert release.table["sent"].type == pa.timestamp(unit, "Europe/Rome")
        assert "+0" in release.table["seen"][0].as_py()
    large, small = (sorted((tmp_path / f"{name}.csv").read_text().splitlines()) for name in ("duckdb", "memory"))
    assert large == small


def test_numbers_that_no_type_holds_together_are_told_with_their_file(tmp_path: Path) -> None:
    huge, negative = pa.array([2**64 - 1] * 9, pa.uint64()), pa.array([-1] * 9, pa.int64())
    folder = parts(tmp_path / "parts", pa.table({"age": negative}), pa.table({"age": huge}))
    for engine in ("duckdb", "memory"):
        with pytest.raises(SourceError, match=r"'age' is of type uint64 in .*part-1.parquet'.*not all .* fit"):
            sf.anonymize(folder, quasi_identifiers="age", k=2, engine=engine)


def test_a_table_whose_every_row_lacks_something_is_told_apart_from_an_empty_one(tmp_path: Path) -> None:
    pq.write_table(pa.table({"city": pa.array([None] * 9, pa.string()).dictionary_encode()}), tmp_path / "none.parquet")
    with pytest.raises(DataError, match="Every row lacks some quasi-identifier"):
        sf.anonymize(tmp_path / "none.parquet", quasi_identifiers="city", k=2, missing="suppress", engine="duckdb")


@pytest.mark.parametrize("name", ["sfumato_rows", "Sfumato_Place"])
def test_columns_that_an_engine_adds_itself_are_refused(name: str, tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1, 2] * 50, name: ["x", "y"] * 50}), tmp_path / "people.parquet")
    with pytest.raises(DataError, match=f"Engines have a column '{name}' of their own. Rename it"):
        sf.anonymize(tmp_path / "people.parquet", quasi_identifiers="age", sensitive=name, k=5, engine="duckdb")


def test_a_domain_too_large_to_be_ordered_is_found_by_an_estimate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody lists the values: numbers are known by range, text is refused, and what is released as it is may be so."""
    rows = 120_000
    numbers = np.random.default_rng(1).permutation(rows)
    people = pa.table({"id": numbers, "age": numbers % 70, "name": pa.array(numbers).cast(pa.string())})
    pq.write_table(people, tmp_path / "people.parquet")
    listed: list[str] = []
    values = profiling._values
    monkeypatch.setattr(
        profiling, "_values", lambda rows, name, *more: (listed.append(name), values(rows, name, *more))[1]
    )
    asked: dict[str, Any] = {"k": 5, "method": "hilbert", "engine": "duckdb", "identifiers": "name"}
    with pytest.raises(
        DataError, match=r"Column 'name' has more than 65,536 different values.*Round or group.*memory="
    ):
        sf.anonymize(tmp_path / "people.parquet", **asked | {"quasi_identifiers": ["name", "age"], "identifiers": "id"})
    monkeypatch.setattr(in_duckdb, "MOST_PART_ROWS", 60_000)
    plain = sf.anonymize(tmp_path / "people.parquet", quasi_identifiers="age", plain="id", confirm="id", **asked)
    assert sorted(plain.table["id"].to_pylist()) == list(range(rows))
    ranged = sf.anonymize(tmp_path / "people.parquet", quasi_identifiers=["id", "age"], confirm="id", **asked)
    assert ranged.verification.ok
    assert not {"id", "name"} & set(listed)


def test_columns_that_only_capital_letters_tell_apart_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1, 2] * 50, "Age": ["x", "y"] * 50}), tmp_path / "people.parquet")
    asked: dict[str, Any] = {"quasi_identifiers": "age", "sensitive": "Age", "k": 5, "engine": "duckdb"}
    with pytest.raises(DataError, match=r"'age' and 'Age' differ only in capital letters.*engine='memory'"):
        sf.anonymize(tmp_path / "people.parquet", **asked)
    with pytest.raises(DataError, match=r"'age' and 'Age' differ only in capital letters"):
        sf.check(tmp_path / "people.parquet", **asked)
