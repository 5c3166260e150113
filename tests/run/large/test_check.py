"""Files past memory are checked without loading them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
from tests.cli.command import run

import sfumato as sf

SHOWN = pa.table(
    {
        "age": ["[20, 29]", "[20, 29]", "*", "*", "*"],
        "illness": ["flu", "ulcer", "flu", None, "ulcer"],
    }
)


def test_files_past_memory_are_checked_as_in_memory(tmp_path: Path) -> None:
    folder, temporary = tmp_path / "parts", tmp_path / "temporary"
    folder.mkdir()
    temporary.mkdir()
    files = [folder / "a.parquet", folder / "b.parquet"]
    pq.write_table(SHOWN.slice(0, 2), files[0])
    pq.write_table(SHOWN.slice(2), files[1])
    csv = tmp_path / "release.csv"
    pyarrow.csv.write_csv(SHOWN, csv)
    for data in (folder, str(folder / "*.parquet"), files, files[0], csv):
        expected, found = (
            sf.check(
                data,
                quasi_identifiers="age",
                sensitive="illness",
                k=3,
                l=2,
                engine=engine,
                memory="100MB",
                temporary=temporary,
            )
            for engine in ("memory", "duckdb")
        )
        assert (found.rows, found.classes, found.k, found.l, found.ok) == (
            expected.rows,
            expected.classes,
            expected.k,
            expected.l,
            expected.ok,
        )
    assert list(temporary.iterdir()) == []
    limits = ("--engine", "duckdb", "--memory", "100MB", "--temporary", temporary)
    done = run("check", folder, "--qi", "age", "-k", "2", *limits)
    assert done.code == 0, done.stderr
    assert "k-anonymity k=2: holds, smallest class 2" in done.stdout
    assert run("check", csv, "--qi", "age", "-k", "3", *limits).code == 1


def test_numbers_in_json_are_what_stands_on_paper(tmp_path: Path) -> None:
    """Whoever reads the file sees 1 and 1.0, and text beside numbers in its quotation marks."""
    ages = ["1", "1.0", "1", "1.0", '"1"', '"1"', "null", "null"]
    path = tmp_path / "people.jsonl"
    path.write_text("".join(f'{{"age": {age}, "ill": true}}\n' for age in ages), encoding="utf-8")
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    for file in (path, packed):
        small, large = (sf.check(file, quasi_identifiers="age", k=2, engine=one) for one in ("memory", "duckdb"))
        assert small.classes == large.classes == 4
        assert small.notes == large.notes
