"""Releases as workbooks and as data frames of R: read back by other programs, the same bytes, nothing but the rows."""

from __future__ import annotations

import datetime as dt
import gzip
import zipfile
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyreadr
import pytest

import sfumato as sf
from sfumato.errors import DataError, ParameterError, VerificationError
from sfumato.io import open_source
from sfumato.io.write import write_table
from sfumato.verify.written import PromisedTable, verify_written

TABLE = pa.table(
    {
        "age": pa.array(["[20, 29]", "[30, 39]", None]).dictionary_encode(),
        "born": [dt.date(1999, 12, 31), None, dt.date(1950, 5, 6)],
        "long ago": [dt.date(1890, 1, 2), None, dt.date(1950, 5, 6)],
        "at": [dt.datetime(2020, 1, 2, 3, 4, 5), None, dt.datetime(2020, 1, 2)],
        "note": ["=1+1", "ä€ 🙂", "x\ny"],
        "is": [True, False, None],
        "n": pa.array([1, None, -(2**31) + 1], pa.int64()),
        "large": [2**40, 1, None],
        "f": [1.5, None, -0.25],
    }
)


@pytest.mark.parametrize("form", ["xlsx", "rds"])
def test_what_is_written_comes_back(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"release.{form}"
    write_table(TABLE, path)
    source = open_source(path)
    assert source.read(source.columns).to_pydict() == TABLE.to_pydict()
    again = tmp_path / f"again.{form}"
    write_table(TABLE, again)
    assert path.read_bytes() == again.read_bytes()


def test_spreadsheets_run_nothing_and_learn_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "release.xlsx"
    write_table(TABLE, path)
    [sheet] = openpyxl.load_workbook(path).worksheets
    assert sheet["E2"].value == "=1+1"
    assert sheet["E2"].data_type in {"s", "inlineStr"}
    with zipfile.ZipFile(path) as parts:
        about = parts.read("docProps/core.xml").decode()
        assert {entry.date_time[0] for entry in parts.infolist()} == {1980}
    assert about.count("1980-01-01T00:00:00Z") == 2
    assert "<dc:creator></dc:creator>" in about


def test_r_files_hold_neither_names_nor_times(tmp_path: Path) -> None:
    path = tmp_path / "release.rds"
    write_table(TABLE, path)
    head = path.read_bytes()[:10]
    assert head[3] == 0  # no name of a file
    assert head[4:8] == b"\0\0\0\0"  # no time
    assert gzip.decompress(path.read_bytes()).startswith(b"X\n")
    [frame] = pyreadr.read_r(str(path)).values()
    assert list(frame.columns) == TABLE.column_names


@pytest.mark.parametrize("form", ["xlsx", "rds", "sav"])
def test_releases_are_checked_as_others_read_them(tmp_path: Path, form: str) -> None:
    people = pa.table({"age": list(range(40)), "illness": ["flu", "cold", "acne", "gout"] * 10})
    release = sf.anonymize(people, quasi_identifiers="age", sensitive="illness", k=5, l=2)
    release.write(tmp_path / f"release.{form}")
    assert sf.check(tmp_path / f"release.{form}", quasi_identifiers="age", sensitive="illness", k=5, l=2).ok


@pytest.mark.parametrize("form", ["xlsx", "rds"])
def test_a_file_that_does_not_hold_the_table_is_found(tmp_path: Path, form: str) -> None:
    table = pa.table({"age": ["a", "a", "b", "b"], "illness": ["x", "y", "x", "y"]})
    promised = PromisedTable(table, ["age"], ["illness"], [{"model": "k-anonymity", "k": 2}])
    path = tmp_path / f"release.{form}"
    write_table(table, path)
    assert verify_written(path, form, promised) == []
    write_table(table.slice(0, 3), path)
    with pytest.raises(VerificationError, match="4 rows were written, but 3"):
        verify_written(path, form, promised)
    write_table(table.set_column(0, "age", pa.array(["a", "c", "b", "b"])), path)
    with pytest.raises(VerificationError, match="were written differently"):
        verify_written(path, form, promised)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="whole numbers of 16 digits"):
        write_table(pa.table({"n": [2**60]}), tmp_path / "a.rds")
    with pytest.raises(DataError, match="more than 32,767 characters"):
        write_table(pa.table({"n": ["x" * 40_000]}), tmp_path / "a.xlsx")
    with pytest.raises(DataError, match="at most 1,048,575 rows"):
        write_table(pa.table({"n": pa.nulls(1_048_576, pa.int8())}), tmp_path / "a.xlsx")
    assert not list(tmp_path.iterdir())


def test_a_frame_in_r_data_has_a_name(tmp_path: Path) -> None:
    pyreadr.write_rdata(str(tmp_path / "a.RData"), pd.DataFrame({"age": [1, 2]}), df_name="people")
    assert open_source(tmp_path / "a.RData").read(["age"]).to_pydict() == {"age": [1, 2]}
    assert "age" in open_source(tmp_path / "a.RData", sheet="people").columns
    with pytest.raises(ParameterError, match="no data frame 'staff'"):
        open_source(tmp_path / "a.RData", sheet="staff")


def test_names_of_rows_that_only_number_them_are_no_column(tmp_path: Path) -> None:
    people = pd.DataFrame({"age": [34.0, 51.0]})
    pyreadr.write_rds(str(tmp_path / "a.rds"), people)
    assert open_source(tmp_path / "a.rds").columns == ("age",)
    pyreadr.write_rds(str(tmp_path / "b.rds"), people.rename(index=["Ann", "Ben"].__getitem__))
    assert open_source(tmp_path / "b.rds").columns == ("age", "rownames")
