"""Nothing of the original comes along: planted values are looked for in all that a release leaves behind.

Every planted value contains ``zq``, which nothing else does, or is a number that nothing else is. What the release is
allowed to show (categories, sensitive and plain values of released rows) contains no ``zq``.
"""

from __future__ import annotations

import json
import logging
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

import sfumato as sf
from sfumato.errors import SfumatoError

ROWS = 60
#: Numbers that occur once, in quasi-identifiers that are generalized, and in an identifier.
NUMBERS = ("918273", "827364", "736455", "645546")
PLANTED = re.compile("|".join(["zq", *NUMBERS]).encode())
ENDINGS = ("csv", "tsv", "parquet", "pq", "jsonl", "ndjson", "arrow", "sav", "zsav", "dta")
ROLES: dict[str, Any] = {
    "quasi_identifiers": {
        "age": None,
        "town": sf.Taxonomy.from_dict({"coast": ["bay", "zqcape"], "hills": ["glen", "zqpeak"]}),
    },
    "sensitive": "illness",
    "identifiers": ["name", "number"],
    "plain": "ward",
    "rest": "drop",
}
REQUEST: dict[str, Any] = {"k": 4, "l": 2, "method": "mondrian"}


def secrets() -> dict[str, list[Any]]:
    """Return a table in which everything that must not be released is planted."""
    random = np.random.default_rng(5)
    return {
        "name": [f"zqname{row}" for row in range(ROWS)],
        "number": [918_273] * ROWS,
        "age": random.integers(20, 60, ROWS).tolist(),
        "town": [*random.choice(["bay", "glen"], ROWS - 2).tolist(), "zqcape", "zqpeak"],
        "illness": [["flu", "ulcer", "acne"][row % 3] for row in range(ROWS)],
        "ward": [f"ward {row % 4}" for row in range(ROWS)],
        "diary": [f"zqdiary{row}" for row in range(ROWS)],
        "phone": [827_364] * ROWS,
    }


def pandas_frame() -> pd.DataFrame:
    frame = pd.DataFrame(secrets(), index=[f"zqindex{row}" for row in range(ROWS)])
    frame.index.name = "zqindexname"
    frame.attrs["source"] = "zqattribute"
    for column in ("ward", "illness", "town"):
        frame[column] = pd.Categorical(frame[column], [*sorted(set(frame[column])), "zqunused"])
    return frame


def polars_frame() -> pl.DataFrame:
    frame = pl.DataFrame(secrets())
    wards = pl.Enum([*sorted(frame["ward"].unique()), "zqunused"])
    return frame.with_columns(pl.col("ward").cast(wards), pl.col("illness").cast(pl.Categorical))


def arrow_table() -> pa.Table:
    table = pa.table(secrets())
    dictionary = pa.array(["ward 0", "ward 1", "ward 2", "ward 3", "zqunused"])
    wards = pa.DictionaryArray.from_arrays(pa.array([row % 4 for row in range(ROWS)], pa.int8()), dictionary)
    table = table.set_column(
        table.column_names.index("ward"), pa.field("ward", wards.type, metadata={"zqk": "zqv"}), wards
    )
    return table.replace_schema_metadata({"zqkey": "zqvalue", "pandas": '{"zq": 1}'})


def csv_path(folder: Path) -> Path:
    path = folder / "zqfolder" / "zqfile.csv"
    path.parent.mkdir()
    pd.DataFrame(secrets()).to_csv(path, index=False)
    return path


def parquet_path(folder: Path) -> Path:
    path = folder / "zqfolder" / "zqfile.parquet"
    path.parent.mkdir()
    pandas_frame().rename_axis(None).to_parquet(path)  # the index becomes a column, whose name is no secret
    return path


INPUTS = {
    "pandas": lambda folder: pandas_frame(),
    "polars": lambda folder: polars_frame(),
    "pyarrow": lambda folder: arrow_table(),
    "csv": csv_path,
    "parquet": parquet_path,
}


@pytest.fixture(params=INPUTS)
def release(request, tmp_path) -> sf.Release:
    return sf.anonymize(INPUTS[request.param](tmp_path), **ROLES, **REQUEST)


def everything_in(value: object) -> Iterator[bytes]:
    """Yield all that can be read out of a written or released thing, as bytes."""
    if isinstance(value, Path):
        yield value.read_bytes()
        if value.suffix in {".parquet", ".pq"}:
            yield from everything_in_parquet(value)
        if value.suffix == ".arrow":
            yield from everything_in(pa.ipc.open_file(value.read_bytes()).read_all())
        if value.suffix in {".sav", ".zsav", ".dta"}:
            read = pyreadstat.read_dta if value.suffix == ".dta" else pyreadstat.read_sav
            values, about = read(value, output_format="dict")
            yield repr((values, vars(about))).encode()
    elif isinstance(value, pa.Table):
        yield repr((value.schema, value.schema.metadata, [field.metadata for field in value.schema])).encode()
        for column in value.columns:
            for chunk in column.chunks:
                yield repr(chunk.to_pylist()).encode()
                if pa.types.is_dictionary(chunk.type):
                    yield repr(chunk.dictionary.to_pylist()).encode()
                # Whatever lies in the buffers, shown or not.
                yield from (buffer.to_pybytes() for buffer in chunk.buffers() if buffer is not None)
    elif isinstance(value, pd.DataFrame):
        yield repr((value.index.tolist(), value.index.names, value.columns.names, value.attrs, value.dtypes)).encode()
        yield value.to_csv().encode()
        yield pickle.dumps(value)
    elif isinstance(value, pl.DataFrame):
        yield value.write_csv().encode()
        yield repr([(series.dtype, getattr(series.dtype, "categories", None)) for series in value]).encode()
        yield from everything_in(value.to_arrow())
    else:
        yield value if isinstance(value, bytes) else str(value).encode()


def everything_in_parquet(path: Path) -> Iterator[bytes]:
    """Yield pages, dictionaries, statistics and metadata, which lie compressed in the file."""
    file = pq.ParquetFile(path)
    yield repr((file.schema, file.schema_arrow.metadata, file.metadata.metadata, file.metadata.to_dict())).encode()
    for dictionaries in ([], file.schema_arrow.names):
        yield from everything_in(pq.read_table(path, read_dictionary=dictionaries))


def assert_clean(value: object) -> None:
    for content in everything_in(value):
        found = PLANTED.search(content)
        assert not found, f"{found[0]!r} in {content[max(0, found.start() - 40) : found.end() + 40]!r}"


def test_the_search_finds_what_is_there(tmp_path):
    """Each way of looking sees a value that is really there."""
    for make in INPUTS.values():
        with pytest.raises(AssertionError, match="zq"):
            assert_clean(make(tmp_path))
        for path in tmp_path.rglob("*.*"):
            path.unlink()
        if (tmp_path / "zqfolder").exists():
            (tmp_path / "zqfolder").rmdir()
    unused = pa.DictionaryArray.from_arrays(pa.array([0] * 999), pa.array(["shown", "zqhidden"]))
    for column in (pa.array(["zqhidden"] * 999), unused):
        pq.write_table(pa.table({"x": column}), tmp_path / "hidden.parquet", compression="zstd")
        with pytest.raises(AssertionError, match="zq"):
            assert_clean(tmp_path / "hidden.parquet")


class TestPlantedValues:
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_in_written_files(self, release: sf.Release, tmp_path, ending):
        path = tmp_path / f"out.{ending}"
        release.write(path, manifest=tmp_path / "manifest.json")
        assert_clean(path)
        assert_clean(tmp_path / "manifest.json")

    def test_in_frames(self, release: sf.Release):
        assert_clean(release.data)
        assert_clean(release.table)

    def test_in_all_that_is_said_about_it(self, release: sf.Release):
        said = [release.summary(), repr(release), str(release.verify()), release.verify().summary()]
        said += [shown._repr_html_() for shown in (release, release.verify(), release.risk, release.risk.before)]
        assert_clean("\n".join([*said, json.dumps(release.manifest), json.dumps(release.verify().to_dict())]))

    @pytest.mark.parametrize("intervals", ["text", "bounds"])
    def test_in_intervals_and_their_dictionaries(self, intervals, tmp_path):
        """An age in the middle of a class, that of one person alone, is nowhere to be read."""
        ages = [10, 30, 736_455, 700_000, 800_000, 645_546, 900_000, 999_999]
        table = pa.table({"age": [10, 10, *ages, 999_999, 999_999], "illness": ["flu", "acne"] * 6})
        roles = {"quasi_identifiers": "age", "sensitive": "illness"}
        release = sf.anonymize(table, **roles, k=12, intervals=intervals, method="mondrian")
        for ending in ENDINGS:
            release.write(tmp_path / f"out.{ending}")
            assert_clean(tmp_path / f"out.{ending}")
        assert_clean(release.data)

    def test_in_pandas_frames_the_index_is_new(self):
        data = sf.anonymize(pandas_frame(), **ROLES, **REQUEST).data
        assert data.index.equals(pd.RangeIndex(ROWS))
        assert data.index.name is None
        assert data.attrs == {}


class TestSuppressedRows:
    @pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
    @pytest.mark.parametrize("ending", ENDINGS)
    def test_values_of_rows_left_out(self, kind, ending, tmp_path):
        """The last row lacks its age, so it leaves; what only it had leaves with it."""
        columns = secrets()
        for name, value in {"age": None, "ward": "zqward", "illness": "zqillness", "town": "bay"}.items():
            columns[name][-1] = value
        columns["town"] = ["bay", "glen"] * (ROWS // 2)
        frame: Any = pa.table(columns)
        if kind == "pandas":
            frame = pd.DataFrame(columns).astype({"ward": "category", "illness": "category"})
        elif kind == "polars":
            frame = pl.DataFrame(columns).with_columns(pl.col("ward", "illness").cast(pl.Categorical))
        release = sf.anonymize(frame, **ROLES, **REQUEST, missing="suppress")
        assert release.suppressed == 1
        assert_clean(release.data)
        assert_clean(release.table)
        release.write(tmp_path / f"out.{ending}")
        assert_clean(tmp_path / f"out.{ending}")

    def test_values_of_rows_that_a_method_leaves_out(self, tmp_path):
        columns = secrets() | {"town": ["bay", "glen"] * (ROWS // 2)}
        columns["age"] = [20 + row % 5 for row in range(ROWS - 1)] + [736_455]
        columns["ward"][-1] = "zqward"
        table = pa.table(columns)
        place = table.column_names.index("ward")
        table = table.set_column(place, "ward", table["ward"].dictionary_encode())
        release = sf.anonymize(table, **ROLES, **REQUEST, suppression=0.05)
        assert release.suppressed >= 1
        assert_clean(release.table)
        for ending in ENDINGS:
            release.write(tmp_path / f"out.{ending}")
            assert_clean(tmp_path / f"out.{ending}")


class TestTalk:
    def test_nothing_is_logged_or_printed(self, caplog, capfd, tmp_path):
        with caplog.at_level(logging.DEBUG):
            release = sf.anonymize(csv_path(tmp_path), **ROLES, **REQUEST, progress=True)
            release.write(tmp_path / "out.csv")
        assert_clean("\n".join(record.getMessage() for record in caplog.records))
        printed = capfd.readouterr()
        assert_clean(printed.err)
        assert printed.out == ""

    @pytest.mark.parametrize(
        "change",
        [
            {"k": 61},
            {"l": 7},
            {"privacy": sf.MinimumSpan("age", 1e9)},
            {"privacy": sf.LDiversity(9, kind="recursive", c=0.1)},
            {"quasi_identifiers": {"name": sf.Numeric()}, "identifiers": []},
            {"quasi_identifiers": {"name": sf.Dates()}, "identifiers": []},
            {"quasi_identifiers": {"age": sf.Prefix(), "nme": None}},
            {"rest": None},
            {"sensitive": "age"},
        ],
        ids=str,
    )
    def test_errors_quote_no_value(self, change):
        roles = {"quasi_identifiers": "age", "sensitive": "illness", "identifiers": "name", "rest": "drop"}
        with pytest.raises(SfumatoError) as caught:
            sf.anonymize(pandas_frame(), **(roles | {"k": 2} | change))
        assert_clean(str(caught.value))

    def test_errors_about_mixed_columns_quote_no_value(self):
        frame = pandas_frame().reset_index(drop=True).astype({"town": object})
        frame.loc[3, "town"] = 918_273
        with pytest.raises(SfumatoError, match="'town' mixes types") as caught:
            sf.anonymize(frame, quasi_identifiers="town", sensitive="illness", rest="drop", k=2)
        assert_clean(str(caught.value))


SHUFFLE = """
import sys, hashlib, sfumato as sf
from sfumato.testing.tables import SCHEMA, people
release = sf.anonymize(people(80), SCHEMA, k=3, l=2, seed=9, suppression=0.02)
release.write(sys.argv[1]); release.write(sys.argv[2])
"""


class TestOrder:
    TABLE = pa.table({"age": [20 + row // 4 for row in range(80)], "row": list(range(80))})

    def order(self, table: pa.Table, **options: Any) -> list[int]:
        options |= {"quasi_identifiers": "age", "plain": "row", "confirm": "row"}
        return sf.anonymize(table, k=4, **options).table["row"].to_pylist()

    def test_rows_are_shuffled(self):
        shuffled = self.order(self.TABLE)
        assert sorted(shuffled) == list(range(80))
        moved = sum(place != row for place, row in enumerate(shuffled))
        assert moved > 60
        # No trace of the old order either: neighbours are seldom neighbours again.
        assert sum(abs(one - other) == 1 for one, other in pairwise(shuffled)) < 15

    def test_the_same_input_and_seed_give_the_same_bytes_in_two_processes(self, tmp_path):
        names = [[tmp_path / f"{run}.{ending}" for ending in ("csv", "parquet")] for run in ("one", "two")]
        for (csv, parquet), hashing in zip(names, ("1", "2"), strict=True):
            command = [sys.executable, "-c", SHUFFLE, str(csv), str(parquet)]
            subprocess.run(command, check=True, env={"PYTHONHASHSEED": hashing, "PATH": ""}, timeout=120)
        for one, two in zip(*names, strict=True):
            assert one.read_bytes() == two.read_bytes()
