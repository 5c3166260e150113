"""Numbers and dates as people write them: found by the whole column, said aloud, and never guessed in silence."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.io import Source, open_source
from sfumato.io.files import BATCH_ROWS
from sfumato.io.inference import Narrowing, inferred
from sfumato.io.readings import ANY, Expected

DAY = dt.date


def values_of(texts: Sequence[str], expected: Expected = ANY) -> list[object]:
    """Infer the type of a column of text."""
    column = pa.chunked_array([pa.array(texts).dictionary_encode()])
    found: list[object] = inferred(column, expected).to_pylist()
    return found


def said_of(texts: Sequence[str], expected: Expected = ANY) -> tuple[str, str]:
    """What is said about a column of text, and what makes it doubtful."""
    look = Narrowing(expected)
    look.look(pa.array(texts))
    return ("", "") if look.reading is None else (look.reading.said, look.reading.doubt)


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1,5", "2,25", "3"], [1.5, 2.25, 3.0]),
        (["1.234,56", "12,00"], [1234.56, 12.0]),
        (["1,234.56", "12"], [1234.56, 12.0]),
        (["1.234.567", "12"], [1234567, 12]),
        (["1 234,5", "1\u00a0234,5", "1\u202f234,5"], [1234.5] * 3),
        (["1'234.50", "1’000"], [1234.5, 1000.0]),
        (["1.234,56 €", "7,00 €", "-3,10 €"], [1234.56, 7.0, -3.1]),
        (["€ 5", "€1.000"], [5, 1000]),
        (["1\u202f234,50\u00a0€", "7,00\u202f€"], [1234.5, 7.0]),  # as French programs write it
        (["$1,000", "$12"], [1000, 12]),
        (["CHF 1'000.05", "12.00"], [1000.05, 12.0]),
        (["12 %", "7,5 %"], [12.0, 7.5]),
        (["(1,50)", "3,25-", "−2,5"], [-1.5, -3.25, -2.5]),
        (["1,00,000", "12,34,567"], [100000, 1234567]),
        (["0,234", "1,234"], [0.234, 1.234]),
        (["0.234", "1.234"], [0.234, 1.234]),
    ],
)
def test_numbers_are_read_as_they_are_written(texts: list[str], numbers: list[float]) -> None:
    assert values_of(texts) == numbers


@pytest.mark.parametrize(
    "texts",
    [
        ["1,5", "1.5"],  # no one sign is the decimal sign
        ["5 €", "5 $"],  # two currencies are not one amount
        ["123 456 789", "987 654 321"],  # numbers of identity come in groups too
        ["123.456.789", "987.654.321"],
        ["01,50", "2,50"],  # a leading zero carries meaning
        ["1,2,3", "1,2"],  # lists
        ["1,5", "x"],
        ["192.168.0.1", "10.0.0.1"],
        ["12-34-56", "65-43-21"],  # sort codes of banks
        ["1.2.3", "1.2.4"],
        ["€", "5 €"],
        [",", "."],
        ["1" * 30 + ",5", "1,5"],
    ],
)
def test_what_is_no_number_stays_text(texts: list[str]) -> None:
    assert values_of(texts) == texts


def test_a_point_before_three_digits_is_a_question_unless_something_decides() -> None:
    assert values_of(["1.234", "999"]) == [1.234, 999.0]
    assert "may also part thousands" in said_of(["1.234", "999"])[1]
    assert values_of(["1.234", "999"], Expected(elsewhere=",")) == [1234, 999]
    assert said_of(["1.234", "999"], Expected(elsewhere=","))[1] == ""
    assert values_of(["1.234", "9.999"], Expected(decimal=",")) == [1234, 9999]
    assert said_of(["1.234", "1.5"]) == ("", "")
    assert "may also be a decimal comma" in said_of(["1,234", "12"])[1]
    assert values_of(["1,234", "12"], Expected(decimal=",")) == [1.234, 12.0]


@pytest.mark.parametrize(
    ("texts", "dates"),
    [
        (["31.12.1999", "1.2.2000"], [DAY(1999, 12, 31), DAY(2000, 2, 1)]),
        (["12MAR2021:00:00:00.000000"], [DAY(2021, 3, 12)]),
        (["2020-01-02", "31.12.1999", "1 Jan 2020"], [DAY(2020, 1, 2), DAY(1999, 12, 31), DAY(2020, 1, 1)]),
        (["31. Dezember 1999", "3 de mayo 2020"], [DAY(1999, 12, 31), DAY(2020, 5, 3)]),
        (["Feb 3rd, 2020", "March 14, 1980"], [DAY(2020, 2, 3), DAY(1980, 3, 14)]),
        (["03/14/2020", "05/06/2021"], [DAY(2020, 3, 14), DAY(2021, 5, 6)]),
        (["14/03/2020", "05/06/2021"], [DAY(2020, 3, 14), DAY(2021, 6, 5)]),
        (["31.12.29", "31.12.30"], [DAY(2029, 12, 31), DAY(1930, 12, 31)]),
        (["2024/02/29", "2024.3.1"], [DAY(2024, 2, 29), DAY(2024, 3, 1)]),
        (
            ["1/31/2020 12:05 AM", "1/31/2020 5:30:10 pm"],
            [dt.datetime(2020, 1, 31, 0, 5), dt.datetime(2020, 1, 31, 17, 30, 10)],
        ),
        (
            ["2020-01-02T03:04:05+02:00", "02.01.2020 03:04:05Z"],
            [dt.datetime(2020, 1, 2, 1, 4, 5, tzinfo=dt.UTC), dt.datetime(2020, 1, 2, 3, 4, 5, tzinfo=dt.UTC)],
        ),
        (["Thursday, 20 February 2014", "Fri 3 Jan 2020"], [DAY(2014, 2, 20), DAY(2020, 1, 3)]),
        (["Donnerstag, 20. Februar 2014", "lundi 5 mai 2014"], [DAY(2014, 2, 20), DAY(2014, 5, 5)]),
        (["3 maja 1990", "5 января 2020", "2020年1月31日"], [DAY(1990, 5, 3), DAY(2020, 1, 5), DAY(2020, 1, 31)]),
        (["Before 20 Feb 2014", "1 Feb 2014"], ["Before 20 Feb 2014", "1 Feb 2014"]),
    ],
)
def test_dates_are_read_as_they_are_written(texts: list[str], dates: list[dt.date]) -> None:
    assert values_of(texts) == dates


@pytest.mark.parametrize(
    "texts",
    [
        ["31/02/2020", "01/02/2020"],
        ["13/14/2020", "14/13/2020"],
        ["2020-01-02 10:00", "2020-01-02 10:00Z"],  # a time with and one without a zone
        ["2020-01-02 25:00"],
        ["1.2.2020", "unknown"],
        ["May 5", "June 7"],
        ["29.02.2023"],
        ["12XYZ2020"],
        ["12/31/2020", "31/12/2020"],  # no one order
    ],
)
def test_what_is_no_date_stays_text(texts: list[str]) -> None:
    assert values_of(texts) == texts


def test_a_form_of_dates_is_said_and_a_doubtful_one_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("born,seen,left\n31.12.1999,03/04/2020,01.02.45\n01.02.1970,05/06/2021,03.04.88\n")
    source = open_source(path)
    table = source.read(source.columns)
    assert table["left"].to_pylist() == [DAY(1945, 2, 1), DAY(1988, 4, 3)]
    remarks = {remark.columns: (str(remark), remark.severity) for remark in source.remarks}
    assert remarks[("born",)][1] == "note"
    assert "%d.%m.%Y" in remarks[("born",)][0]
    assert "whether the day or the month comes first" in remarks[("seen",)][0]
    assert remarks[("seen",)][1] == remarks[("left",)][1] == "warning"
    assert "from 1930 to 2029" in remarks[("left",)][0]
    given_form = open_source(path, dates={"seen": "%m/%d/%Y"})
    assert given_form.read(["seen"])["seen"].to_pylist() == [DAY(2020, 3, 4), DAY(2021, 5, 6)]
    assert not given_form.remarks


def test_a_german_file_works_out_of_the_box(tmp_path: Path) -> None:
    path = tmp_path / "patienten.csv"
    rows = [
        f"P{place};{place % 28 + 1:02}.{place % 12 + 1:02}.{1950 + place};1,{60 + place};"
        f"{place}.{place:03},50 EUR;{place + 1}.{place:03};Köln"
        for place in range(1, 41)
    ]
    path.write_bytes("\r\n".join(["Nr;geboren;Größe;Gehalt;Kosten;Ort", *rows]).encode("latin-1"))
    release = sf.anonymize(
        path, quasi_identifiers=["geboren", "Größe", "Gehalt", "Kosten"], identifiers="Nr", plain="Ort", k=5, seed=1
    )
    shown = release.table
    assert release.achieved.k >= 5
    for name in ("geboren", "Größe", "Gehalt", "Kosten"):
        assert not any(cell == "*" for cell in shown.column(name).to_pylist()), name
    kinds = {field.name: field.type for field in open_source(path).read(["Gehalt", "Kosten", "Größe"]).schema}
    assert kinds == {"Gehalt": pa.float64(), "Kosten": pa.int64(), "Größe": pa.float64()}


def test_frames_are_read_as_files_are(tmp_path: Path) -> None:
    content = {"born": ["1999-12-31", "1970-02-01"], "pay": ["1.234,50 €", "7,00 €"], "zip": ["02139", "10001"]}
    expected = {"born": [DAY(1999, 12, 31), DAY(1970, 2, 1)], "pay": [1234.5, 7.0], "zip": content["zip"]}
    pd.DataFrame(content).to_json(tmp_path / "a.jsonl", orient="records", lines=True)
    for data in (pa.table(content), pd.DataFrame(content), pl.DataFrame(content), tmp_path / "a.jsonl"):
        source = open_source(data)
        assert source.read(source.columns).to_pydict() == expected
    digits = pa.table({"code": ["12", "13"]})  # text of digits is text on purpose
    assert open_source(digits).read(["code"]).to_pydict() == {"code": ["12", "13"]}
    as_categories = pd.DataFrame({"born": pd.Categorical(content["born"])})
    assert open_source(as_categories).read(["born"]).to_pydict()["born"] == content["born"]


def test_a_check_compares_what_stands_in_the_cells() -> None:
    written_twice = pa.table({"born": ["1.2.2020", "01.02.2020"]})
    assert sf.check(written_twice, quasi_identifiers="born", k=2).k == 1


@pytest.mark.parametrize(
    ("name", "cells", "days"),
    [
        ("admission_date", ["43831", "43832"], [DAY(2020, 1, 1), DAY(2020, 1, 2)]),
        ("Geburtsdatum", ["19991231", "20000101"], [DAY(1999, 12, 31), DAY(2000, 1, 1)]),
        ("stays", ["43831", "43832"], [43831, 43832]),
        ("candidate", ["43831", "43832"], [43831, 43832]),
        ("date", ["1", "2"], [1, 2]),
    ],
)
def test_numbers_of_days_are_known_by_the_name(tmp_path: Path, name: str, cells: list[str], days: list[object]) -> None:
    (tmp_path / "a.csv").write_text(f"{name},b\n" + "".join(f"{cell},1\n" for cell in cells))
    source = open_source(tmp_path / "a.csv")
    assert source.read([name])[name].to_pylist() == days
    assert bool(source.remarks) == isinstance(days[0], DAY)
    as_numbers = open_source(tmp_path / "a.csv", dates={name: "no"}).read([name])
    assert as_numbers[name].to_pylist() == [int(cell) for cell in cells]


def test_forms_that_are_given_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("born,at\n01/02/2020,43831\n13/02/2020,43832\n")
    source = open_source(path, dates={"born": "%m/%d/%Y"})
    with pytest.raises(DataError, match="1 of its 2 different values are not written so"):
        source.read(["born"])
    assert open_source(path, dates={"at": "excel"}).read(["at"])["at"].to_pylist() == [DAY(2020, 1, 1), DAY(2020, 1, 2)]
    both = open_source(path, dates={"born": "%m/%d/%Y|%d/%m/%Y", "at": "%Y|excel"}).read(["born", "at"])
    assert both["born"].to_pylist() == [DAY(2020, 1, 2), DAY(2020, 2, 13)]  # the first form that fits
    assert both["at"].to_pylist() == [DAY(2020, 1, 1), DAY(2020, 1, 2)]
    for wrong in ("DD/MM", "%d/%m/%Y|no", "%d/%m/%Y|"):
        with pytest.raises(ParameterError, match="'dates' parameter"):
            open_source(path, dates={"born": wrong})
    with pytest.raises(ParameterError, match="'decimal' parameter"):
        open_source(path, decimal=";")
    with pytest.raises(ParameterError, match="'skip' parameter"):
        open_source(path, skip=-1)
    with pytest.raises(SchemaError, match="'dates' names 'bron'"):
        sf.anonymize(path, quasi_identifiers=["born", "at"], k=2, dates={"bron": "%d/%m/%Y"})


def test_options_are_kept_in_policies(tmp_path: Path) -> None:
    policy = sf.Policy(sf.Schema("born"), [sf.KAnonymity(2)], decimal=",", dates={"born": "%d.%m.%y"}, skip=2)
    policy.write(tmp_path / "policy.toml")
    assert sf.Policy.read(tmp_path / "policy.toml") == policy


def batched(source: Source) -> dict[str, list[object]]:
    """Read all of a source in batches."""
    return pa.Table.from_batches(list(source.batches(source.columns))).to_pydict()


def test_batches_are_read_as_the_whole_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    late = ["2020-01-02;1", "31.12.1999;1.234,5", "1 Jan 2020;2", "01.01.2001;7,25"]
    path.write_text("born;pay\n" + "\n".join(late) + "\n")
    assert len(late) < BATCH_ROWS
    monkeypatch.setattr("sfumato.io.files.BATCH_ROWS", 1)
    source = open_source(path)
    assert batched(source) == source.read(source.columns).to_pydict()


WORDS = st.one_of(
    st.from_regex(r"-?[0-9]{1,4}([.,][0-9]{1,3}){0,2}", fullmatch=True),
    st.from_regex(r"[0-9]{1,2}[./-][0-9]{1,2}[./-]([0-9]{2}|[0-9]{4})( [0-9]{2}:[0-9]{2})?", fullmatch=True),
    st.from_regex(r"[0-9]{4}-[01][0-9]-[0-3][0-9]([T ][0-2][0-9]:[0-5][0-9]Z?)?", fullmatch=True),
    st.sampled_from(["1.234,56 €", "€ 5", "31JAN2020", "", "x", "12 %", "1 234", "(5)", "43831"]),
)


@settings(max_examples=examples(300))
@given(st.lists(WORDS, min_size=1, max_size=8), st.integers(1, 7))
def test_pieces_decide_as_the_whole_does(texts: list[str], cut: int) -> None:
    whole, pieces = Narrowing(), Narrowing()
    whole.look(pa.array(texts))
    for part in (texts[:cut], texts[cut:]):
        pieces.look(pa.array(part, pa.string()))
    assert whole.kind == pieces.kind
    if whole.reading is not None and pieces.reading is not None:
        assert whole.reading.convert(pa.array(texts)) == pieces.reading.convert(pa.array(texts))


@settings(max_examples=examples(200))
@given(st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6), st.booleans())
def test_amounts_come_back(cents: list[int], comma: bool) -> None:
    written = [f"{cent / 100:,.2f} €" for cent in cents]
    swapped = [text.translate(str.maketrans(",.", ".,")) if comma else text for text in written]
    assert values_of(swapped) == [cent / 100 for cent in cents]


@settings(max_examples=examples(200))
@given(st.lists(st.dates(DAY(1930, 1, 1), DAY(2029, 12, 31)), min_size=1, max_size=6), st.sampled_from(
    ["%d.%m.%Y", "%d.%m.%y", "%Y/%m/%d", "%d%b%Y", "%d-%b-%Y", "%B %d, %Y", "%d %B %Y"]
))  # fmt: skip
def test_days_come_back(days: list[dt.date], form: str) -> None:
    assert values_of([day.strftime(form) for day in days]) == days


def test_whole_numbers_with_a_point_are_whole() -> None:
    assert [type(value) for value in values_of(["42.0", "7.0", "-3"])] == [int] * 3
    assert values_of(["42.0", "7.5"]) == [42.0, 7.5]
    assert values_of(["42.00", "7.0"]) == [42.0, 7.0]


def test_what_is_said_of_dates_is_something_that_can_be_done() -> None:
    def advice(*texts: str) -> str:
        look = Narrowing(ANY)
        look.look(pa.array(texts))
        assert look.reading is not None
        return look.reading.said + look.reading.advice

    assert "'%m.%d.%Y'" in advice("31.12.2020", "30.11.2019")
    assert "four digits" in advice("31.12.20", "30.11.19")
    assert "(%I:%M %p)" in advice("12/31/2020 5:30 PM", "12/30/2020 4:10 AM")
