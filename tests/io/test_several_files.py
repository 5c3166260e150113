"""Tables in several files, streams and lazy frames; and files that change while they are read."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.common.progress import Tell
from sfumato.errors import SourceError
from sfumato.io import Source, files, open_source


def write(path: Path, ages: Sequence[object], towns: Sequence[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{'' if age is None else age},{town}\n" for age, town in zip(ages, towns, strict=True))
    text = f"age,town\n{lines}".encode()
    if path.suffix == ".parquet":
        pq.write_table(pa.table({"age": pa.array(ages), "town": pa.array(towns, pa.string())}), path)
    else:
        path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def rows(source: Source, streamed: bool = False) -> list[tuple[object, ...]]:
    names = list(source.columns)
    table = pa.Table.from_batches(source.batches(names)) if streamed else source.read(names)
    return list(zip(*(table.column(name).to_pylist() for name in names), strict=True))


EXPECTED = [(30, "Rome"), (40, "Oslo"), (50, "Rome"), (60, None)]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet"])
def test_lists_patterns_and_folders_are_one_table(ending: str, tmp_path: Path) -> None:
    first = write(tmp_path / "t" / f"a{ending}", [30, 40], ["Rome", "Oslo"])
    second = write(tmp_path / "t" / f"b{ending}", [50, 60], ["Rome", None if ending == ".parquet" else ""])
    for data in ([first, str(second)], str(tmp_path / "t" / f"*{ending}"), tmp_path / "t"):
        if ending != ".parquet" and data == tmp_path / "t":
            continue
        source = open_source(data)
        assert rows(source) == rows(source, streamed=True) == EXPECTED
        extent = source.extent(["age"])
        assert extent is not None
    assert rows(open_source([first])) == EXPECTED[:2]


def test_folders_may_be_columns(tmp_path: Path) -> None:
    write(tmp_path / "year=2023" / "kind=a%2Fb" / "p.parquet", [30], ["Rome"])
    write(tmp_path / "year=2024" / "kind=__HIVE_DEFAULT_PARTITION__" / "p.parquet", [40], ["Oslo"])
    write(tmp_path / "_temporary" / "p.parquet", [99], ["Nowhere"])
    source = open_source(tmp_path)
    assert source.columns == ("age", "town", "year", "kind")
    assert rows(source) == rows(source, streamed=True) == [(30, "Rome", "2023", "a/b"), (40, "Oslo", "2024", None)]
    assert source.read(["kind"])["kind"].to_pylist() == ["a/b", None]
    assert source.parquet_files == ()
    write(tmp_path / "year=2025" / "p.parquet", [40], ["Oslo"])
    with pytest.raises(SourceError, match=r"has the column 'kind', but .*year=2025.* has not"):
        open_source(tmp_path)


def test_numbers_and_empty_parts_go_together(tmp_path: Path) -> None:
    write(tmp_path / "a.csv", [30], ["Rome"])
    write(tmp_path / "b.csv", [], [])
    write(tmp_path / "c.csv", [None, None], ["Oslo", "Rome"])
    write(tmp_path / "d.csv", [40.5], ["Oslo"])
    source = open_source(sorted(tmp_path.iterdir()))
    assert rows(source) == rows(source, streamed=True)
    assert source.read(["age"])["age"].to_pylist() == [30.0, None, None, 40.5]
    pq.write_table(pa.table({"age": pa.array([], pa.int8())}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"age": pa.array([7], pa.int32())}), tmp_path / "b.parquet")
    assert open_source(str(tmp_path / "*.parquet")).read(["age"])["age"].to_pylist() == [7]


@pytest.mark.parametrize("streamed", [False, True])
def test_files_that_disagree_are_named_with_the_column(streamed: bool, tmp_path: Path) -> None:
    first, second = write(tmp_path / "a.csv", [30], ["Rome"]), write(tmp_path / "b.csv", ["?"], ["Oslo"])
    source = open_source([first, second])
    with pytest.raises(SourceError, match=r"'age' is a number in '.*a\.csv' and text in '.*b\.csv'") as refused:
        rows(source, streamed)
    assert "?" not in str(refused.value)
    read = source.batches(["age"], na={"*": ["?"]}) if streamed else source.read(["age"], na={"*": ["?"]}).to_batches()
    assert pa.Table.from_batches(read)["age"].to_pylist() == [30, None]
    (tmp_path / "c.csv").write_text("age,city\n1,Rome\n", encoding="utf-8")
    with pytest.raises(SourceError, match=r"c\.csv' has the column 'city', but '.*a\.csv' has not"):
        open_source([first, tmp_path / "c.csv"])


def test_no_files_are_said_so(tmp_path: Path) -> None:
    for data, said in (([], "no files"), (tmp_path, "without Parquet"), (str(tmp_path / "*.csv"), "No file matches")):
        with pytest.raises(SourceError, match=said):
            open_source(data)
    (tmp_path / "a.parquet").touch()
    with pytest.raises(SourceError, match="is empty"):
        open_source(tmp_path)


def test_a_name_with_a_star_is_a_file_where_there_is_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a[1]*.csv", [30], ["Rome"])
    write(tmp_path / "a1.csv", [99], ["Oslo"])
    assert rows(open_source(path)) == [(30, "Rome")]


@pytest.mark.parametrize("kind", ["a.csv", "a.parquet", "a.jsonl", "parts"])
def test_a_file_that_changes_while_it_is_read_is_refused(kind: str, tmp_path: Path) -> None:
    if kind == "parts":
        path = write(tmp_path / "b.csv", [1, 2], ["Rome", "Oslo"])
        source = open_source([write(tmp_path / "a.csv", [], []), path])
    else:
        path = tmp_path / kind
        if kind == "a.jsonl":
            path.write_text('{"age": 1}\n{"age": 2}\n', encoding="utf-8")
        else:
            write(path, [1, 2], ["Rome", "Oslo"])
        source = open_source(path)
    assert source.read(["age"]).num_rows == 2
    os.utime(path, ns=(1, 1))
    for read in (lambda: source.read(["age"]), lambda: list(source.batches(["age"]))):
        with pytest.raises(SourceError, match=r"changed while it was read"):
            read()


def test_nothing_is_released_of_a_file_that_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.csv", [30, 40], ["Rome", "Oslo"])
    read = files.QueriedSource._read

    def replaced(self: files.QueriedSource, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        table = read(self, columns, as_text, tell)
        write(path, [30, 40, 50], ["Rome", "Oslo", "Rome"])
        return table

    monkeypatch.setattr(files.QueriedSource, "_read", replaced)
    with pytest.raises(SourceError, match="changed while it was read"):
        sf.anonymize(path, quasi_identifiers=["age", "town"], k=2)


def batches() -> Iterator[pa.RecordBatch]:
    yield pa.record_batch({"age": [30, 40], "town": ["Rome", "Oslo"]})
    yield pa.record_batch({"age": [50, 60], "town": ["Rome", None]})


def test_an_arrow_stream_goes_by_once() -> None:
    def stream() -> pa.RecordBatchReader:
        return pa.RecordBatchReader.from_batches(next(batches()).schema, batches())

    source = open_source(stream())
    assert rows(source) == rows(source) == rows(source, streamed=True) == EXPECTED
    source = open_source(stream())
    assert rows(source, streamed=True) == EXPECTED
    with pytest.raises(SourceError, match="goes by once"):
        source.read(["age"])
    release = sf.anonymize(stream(), quasi_identifiers=["age", "town"], k=2, seed=1)
    assert release.verification.ok


def test_a_lazy_frame_is_collected_once() -> None:
    counted = []

    def collected(frame: pl.DataFrame) -> pl.DataFrame:
        counted.append(len(frame))
        return frame

    lazy = pl.LazyFrame({"age": [30, 40, 50, 60], "town": ["Rome", "Oslo", "Rome", None]}).map_batches(collected)
    source = open_source(lazy)
    assert (rows(source), source.kind) == (EXPECTED, "polars")
    assert rows(source, streamed=True) == EXPECTED
    assert counted == [4]
    release = sf.anonymize(lazy, quasi_identifiers=["age", "town"], k=2)
    assert isinstance(release.data, pl.DataFrame)


# Every file once


def test_the_same_file_twice_is_refused(tmp_path: Path) -> None:
    first = write(tmp_path / "a.csv", [30, 40], ["Rome", "Oslo"])
    (tmp_path / "linked.csv").symlink_to(first)
    os.link(first, tmp_path / "hard.csv")
    for twice in ([first, first], [first, tmp_path / "linked.csv"], [first, tmp_path / "hard.csv"]):
        with pytest.raises(SourceError, match=r"named twice|are the same file.* counted twice"):
            open_source(twice)
    with pytest.raises(SourceError, match="are the same file"):
        open_source(str(tmp_path / "*.csv"))


def test_folders_behind_links_are_read_and_never_twice(tmp_path: Path) -> None:
    write(tmp_path / "elsewhere" / "b.parquet", [50, 60], ["Rome", None])
    write(tmp_path / "t" / "a.parquet", [30, 40], ["Rome", "Oslo"])
    (tmp_path / "t" / "linked").symlink_to(tmp_path / "elsewhere")
    assert rows(open_source(tmp_path / "t")) == EXPECTED
    (tmp_path / "t" / "again").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SourceError, match="are the same folder"):
        open_source(tmp_path / "t")
    (tmp_path / "t" / "again").unlink()
    (tmp_path / "t" / "back").symlink_to(tmp_path / "t")
    with pytest.raises(SourceError, match="are the same folder"):
        open_source(tmp_path / "t")


def test_no_part_of_a_folder_or_pattern_is_left_out_silently(tmp_path: Path) -> None:
    write(tmp_path / "t" / "a.parquet", [30], ["Rome"])
    (tmp_path / "t" / "b.parquet").symlink_to(tmp_path / "nowhere")
    for data in (tmp_path / "t", str(tmp_path / "t" / "*.parquet")):
        with pytest.raises(SourceError, match=r"There is no file .*b\.parquet"):
            open_source(data)
    (tmp_path / "t" / "b.parquet").unlink()
    os.mkfifo(tmp_path / "t" / "b.parquet")
    with pytest.raises(SourceError, match="not a regular file"):
        open_source(tmp_path / "t")
    (tmp_path / "t" / "b.parquet").unlink()
    write(tmp_path / "t" / "b.parquet" / "part-0.parquet", [40], ["Oslo"])
    assert rows(open_source(str(tmp_path / "t" / "*.parquet"))) == EXPECTED[:2]


def test_copies_of_a_file_are_warned_of(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        write(tmp_path / name, [30, 30, 40, 40], ["Rome", "Rome", "Oslo", "Oslo"])
    write(tmp_path / "c.csv", [50, 60, 30, 40], ["Rome", "Oslo", "Oslo", "Oslo"])
    [remark] = open_source(str(tmp_path / "*.csv")).remarks
    assert remark.severity == "warning"
    assert "is a copy of" in remark.found
    release = sf.anonymize(str(tmp_path / "*.csv"), quasi_identifiers=["age", "town"], k=2)
    assert ("reading", "warning") in [(one.code, one.severity) for one in release.cautions]


def test_empty_parts_of_a_cluster_are_no_copies(tmp_path: Path) -> None:
    for name, ages in (("a", [30]), ("b", []), ("c", [])):
        pq.write_table(pa.table({"age": pa.array(ages, pa.int64())}), tmp_path / f"{name}.parquet")
    assert open_source(tmp_path).remarks == ()


def test_columns_that_are_empty_in_all_files_need_no_common_type(tmp_path: Path) -> None:
    for name, kind in (("a", pa.string()), ("b", pa.int64()), ("c", pa.null())):
        pq.write_table(pa.table({"age": [30], "x": pa.nulls(1, kind)}), tmp_path / f"{name}.parquet")
    assert open_source(tmp_path).read(["age", "x"]).column("x").null_count == 3
