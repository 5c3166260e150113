"""Files of SPSS, Stata, SAS and R, written by other programs: labels, kinds of missing values, dates, encodings."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from tests.io.foreign_files import Factor, write_rds, write_sav

import sfumato as sf
from sfumato.errors import DataError, SourceError, VerificationError
from sfumato.io import open_source, write_table

BORN = [dt.date(1980, 2, 29), dt.date(1931, 1, 1), dt.date(2001, 12, 31), None]


def read(path: Path, **options: str) -> tuple[pa.Table, str]:
    source = open_source(path, **options)
    return source.read(source.columns), "\n".join(map(str, source.remarks))


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    """A survey in SPSS as a German Windows writes it."""
    path = tmp_path / "survey.sav"
    write_sav(
        path,
        {
            "age": [34, 51, 999, None],
            "sex": [1, 2, 2, 1],
            "mood": [1, 3, 2, 9],
            "scale": [0, 5, 10, 3],
            "born": BORN,
            "ort": ["Köln", "Zürich", "", "Bonn"],
        },
        labels={
            "sex": {1: "männlich", 2: "weiblich", 3: "divers"},
            "mood": {1: "schlecht", 2: "mittel", 3: "gut", 9: "keine Angabe"},
            "scale": {0: "nie", 10: "immer"},
        },
        missing={"age": [999], "mood": [9]},
    )
    return path


def test_spss_is_read_with_labels_missing_kinds_dates_and_code_pages(survey: Path) -> None:
    table, told = read(survey)
    assert table.to_pydict() == {
        "AGE": [34, 51, None, None],
        "SEX": ["männlich", "weiblich", "weiblich", "männlich"],
        "MOOD": ["schlecht", "gut", "mittel", None],
        "SCALE": [0, 5, 10, 3],
        "BORN": BORN,
        "ORT": ["Köln", "Zürich", None, "Bonn"],
    }
    assert table["SEX"].chunk(0).dictionary.to_pylist() == ["männlich", "weiblich"]  # "divers" does not occur
    assert "'AGE' has 1 values that its file declares as missing" in told
    assert "'MOOD' has 1 values that its file declares as missing" in told
    assert "'SCALE' has labels for 2 of the 4 values" in told
    assert not any(word in told for word in ("nie", "immer", "männlich", "999"))


def test_half_of_the_labels_are_used_where_text_is_asked_for(survey: Path) -> None:
    source = open_source(survey)
    assert source.read(["SCALE"], as_text=["SCALE"])["SCALE"].to_pylist() == ["nie", "5", "immer", "3"]


@pytest.mark.parametrize("keep", [0.999, 0.6, 0.1])
def test_a_truncated_file_is_refused(survey: Path, keep: float) -> None:
    content = survey.read_bytes()
    survey.write_bytes(content[: int(len(content) * keep)])
    with pytest.raises(SourceError, match="is not an SPSS file, or was cut short"):
        read(survey)


def test_spss_as_another_library_writes_it(tmp_path: Path) -> None:
    frame = pd.DataFrame({"grade": [1.0, 2.0, 3.0], "note": ["a", "ß" * 300, ""], "pay": [1.5, np.nan, 3.0]})
    labels = {"grade": {1.0: "low", 2.0: "mid", 3.0: "high"}}
    for name, options in (("a.sav", {}), ("b.zsav", {"compress": True}), ("c.sav", {"row_compress": True})):
        pyreadstat.write_sav(
            frame, tmp_path / name, variable_value_labels=labels, variable_measure={"grade": "ordinal"}, **options
        )
        table, _ = read(tmp_path / name)
        assert table.to_pydict() == {
            "grade": ["low", "mid", "high"],
            "note": ["a", "ß" * 300, None],
            "pay": [1.5, None, 3.0],
        }
        assert table["grade"].type.ordered


def test_stata_as_pandas_writes_it(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "age": pd.array([34, 51, 7], "int8"),
            "sex": pd.Categorical(["f", "m", "f"], ["m", "f", "x"]),
            "visit": pd.to_datetime(["2020-02-29 12:30", None, "1931-01-01 00:00"]),
            "day": pd.to_datetime(["2020-02-29", None, "1931-01-01"]),
            "city": ["Málaga", "Łódź", ""],
            "pay": [1.5, np.nan, -3.0],
        }
    )
    frame.to_stata(tmp_path / "a.dta", write_index=False, version=118, convert_dates={"day": "td", "visit": "tc"})
    table, told = read(tmp_path / "a.dta")
    assert table.to_pydict() == {
        "age": [34, 51, 7],
        "sex": ["f", "m", "f"],
        "visit": [dt.datetime(2020, 2, 29, 12, 30), None, dt.datetime(1931, 1, 1)],
        "day": [dt.date(2020, 2, 29), None, dt.date(1931, 1, 1)],
        "city": ["Málaga", "Łódź", None],
        "pay": [1.5, None, -3.0],
    }
    assert told == ""


def test_kinds_of_missing_values_of_stata_are_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"pay": [1.0, "a", "z", 4.0]})
    pyreadstat.write_dta(frame, tmp_path / "a.dta", missing_user_values={"pay": ["a", "z"]})
    table, told = read(tmp_path / "a.dta")
    assert table["pay"].to_pylist() == [1, None, None, 4]
    assert "'pay' has 2 values that its file declares as missing" in told


def test_sas_transport_files(tmp_path: Path) -> None:
    frame = pd.DataFrame({"AGE": [34.0, np.nan], "CITY": ["Bonn", ""], "DAY": [dt.date(2020, 2, 29), None]})
    pyreadstat.write_xport(frame, tmp_path / "a.xpt", file_format_version=8)
    table, _ = read(tmp_path / "a.xpt")
    assert table.to_pydict() == {"AGE": [34, None], "CITY": ["Bonn", None], "DAY": [dt.date(2020, 2, 29), None]}


def test_r_data_frames(tmp_path: Path) -> None:
    write_rds(
        tmp_path / "a.rds",
        {
            "age": [34.0, None, 7.5],
            "sex": Factor(["m", "f", "x"], [2, 1, None]),
            "city": ["Köln", None, ""],
            "born": BORN[:3],
        },
    )
    table, _ = read(tmp_path / "a.rds")
    assert table.to_pydict() == {
        "age": [34.0, None, 7.5],
        "sex": ["f", "m", None],
        "city": ["Köln", None, ""],
        "born": BORN[:3],
    }
    assert table["sex"].chunk(0).dictionary.to_pylist() in (["m", "f"], ["f", "m"])


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "sas7bdat", "xpt", "rds"])
def test_what_is_none_of_these_is_refused(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"a.{ending}").write_text("age,SECRET\n1,2\n" * 40)
    with pytest.raises(SourceError, match=rf"a\.{ending}' is not an? .*Make it again") as caught:
        open_source(tmp_path / f"a.{ending}")
    assert "SECRET" not in str(caught.value)


def test_a_survey_is_released(survey: Path, tmp_path: Path) -> None:
    release = sf.anonymize(survey, quasi_identifiers=["AGE", "SEX"], rest="drop", k=2, method="mondrian")
    assert release.achieved.k >= 2
    assert {caution.code for caution in release.cautions} >= {"reading"}


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta"])
def test_intervals_are_written_as_numbers_with_labels(tmp_path: Path, ending: str) -> None:
    people = pa.table(
        {
            "age": [*range(8, 40)],
            "Hours per Week": ["full", "half"] * 16,
            "pay": [1000.5 + row for row in range(32)],
            "illness": ["flu", "cold", "acne", "flu"] * 8,
            "name": [f"PLANTED{row}" for row in range(32)],
        }
    )
    roles = {"quasi_identifiers": ["age", "Hours per Week"], "sensitive": "illness", "identifiers": "name"}
    release = sf.anonymize(people, **roles, plain="pay", k=4, seed=3, confirm="pay", method="mondrian")
    path = tmp_path / f"a.{ending}"
    written = release.write(path)
    assert written.notes == ("Columns have other names in the file: 'Hours_per_Week' instead of 'Hours per Week'.",)
    read_it = pyreadstat.read_dta if ending == "dta" else pyreadstat.read_sav
    values, about = read_it(path, output_format="dict")
    labels = about.variable_value_labels
    assert [labels["age"][code] for code in values["age"]] == release.table["age"].to_pylist()
    assert list(labels["age"]) == [*range(1, len(labels["age"]) + 1)]
    starts = [int(label.strip("[").split(",")[0]) for label in labels["age"].values()]
    assert starts == sorted(starts)
    assert about.column_names_to_labels["Hours_per_Week"] == "Hours per Week"
    assert (about.file_label or "", about.notes, about.creation_time) == ("", [], dt.datetime(1970, 1, 1))
    assert b"PLANTED" not in path.read_bytes()
    checked = sf.check(path, quasi_identifiers=["age", "Hours_per_Week"], sensitive="illness", k=4)
    assert (checked.ok, checked.classes) == (True, release.classes)


def test_pandas_reads_what_is_written_for_stata(tmp_path: Path) -> None:
    table = pa.table({"age": ["[5, 9]", "[10, 14]", None, "*"], "pay": [1.5, None, 3, 4]})
    write_table(table, tmp_path / "a.dta")
    frame = pd.read_stata(tmp_path / "a.dta")
    assert [*frame["age"].cat.categories] == ["[5, 9]", "[10, 14]", "*"]
    assert frame["age"].astype(object).where(frame["age"].notna(), None).tolist() == table["age"].to_pylist()
    assert frame["pay"].tolist()[::2] == [1.5, 3.0]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([2**53, 1], "whole numbers of 16 digits"),
        ([float("inf"), 1.0], "infinite numbers"),
        (["a\0b", "c"], "NUL"),
        (["x" * 40_000, "c"], "more than"),
    ],
)
def test_what_spss_and_stata_cannot_hold_is_refused(tmp_path: Path, column: list[object], message: str) -> None:
    for ending in ("sav", "dta"):
        with pytest.raises(DataError, match=rf"Column 'a' .*{message}"):
            write_table(pa.table({"a": column}), tmp_path / f"a.{ending}")
    assert not list(tmp_path.iterdir())


def test_many_words_and_long_words_stay_text(tmp_path: Path) -> None:
    table = pa.table(
        {"many": [f"w{row}" for row in range(1_200)], "long": ["y" * 200] * 1_200, "empty": ["", "a"] * 600}
    )
    write_table(table, tmp_path / "a.sav")
    read_back, _ = read(tmp_path / "a.sav")
    assert read_back.to_pydict() == table.to_pydict() | {"empty": [None, "a"] * 600}


def test_a_promise_that_an_empty_text_keeps_alone_is_not_written(tmp_path: Path) -> None:
    people = pa.table({"city": ["x"] * 4, "illness": ["", None, "", None]})
    release = sf.anonymize(
        people, quasi_identifiers="city", sensitive="illness", k=2, privacy=sf.LDiversity(2, kind="distinct")
    )
    release.write(tmp_path / "a.parquet")
    for ending in ("sav", "dta"):
        with pytest.raises(VerificationError, match="does not tell apart"):
            release.write(tmp_path / f"a.{ending}")
    assert [path.name for path in tmp_path.iterdir()] == ["a.parquet"]
