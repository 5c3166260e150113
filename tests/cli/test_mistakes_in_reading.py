"""Twenty mistakes that newcomers make with files, each with the message that helps them on."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import CautionError, SfumatoError

ROWS = "".join(f"{20 + row},{'fm'[row % 2]},5371{row % 5}\n" for row in range(40))
QI = ["age", "sex", "zip"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def write(content: str | bytes, name: str = "people.csv") -> Path:
    """Write a file into the current folder."""
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return Path(name)


def sheets(*names: str) -> Path:
    """Write a workbook with these sheets."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name in names:
        book.create_sheet(name).append(["age", "sex", "zip"])
        book[name].append([1, "f", "x"])
    book.save("people.xlsx")
    return Path("people.xlsx")


def parquet(name: str) -> Path:
    """Write a Parquet file under any name."""
    pq.write_table(pa.table({"age": [1]}), name)
    return Path(name)


REFUSED: dict[str, tuple[Callable[[], Path], dict[str, object], str]] = {
    "a file that is not there": (lambda: Path("poeple.csv"), {}, "There is no file 'poeple.csv'. Check the path."),
    "an empty file": (lambda: write(""), {}, "is empty. It needs a header and rows."),
    "a header without rows": (lambda: write("age,sex,zip\n"), {}, "The table has no rows"),
    "the wrong separator": (lambda: write("age,sex,zip\n" + ROWS), {"separator": ";"}, "has no column 'age'"),
    "a separator of two characters": (lambda: write("age,sex,zip\n" + ROWS), {"separator": ", "}, "one character"),
    "a line with a cell too many": (lambda: write("age,sex,zip\n1,f,2,3\n"), {}, "Line 2 of 'people.csv' has 4 cells"),
    "a quotation mark that stays open": (lambda: write('age,sex,zip\n1,"f,2\n'), {}, "quotation mark"),
    "a wrong encoding": (
        lambda: write("age,sex,zip\n1,ä,2\n".encode("latin-1")),
        {"encoding": "utf-8"},
        "name its encoding (encoding='latin-1'",
    ),
    "bytes that no text has": (lambda: write("age,sex,zip\n1,\0,2\n"), {}, "is not a text file"),
    "an encoding that nobody knows": (lambda: write("age,sex,zip\n"), {"encoding": "klingon"}, "such as 'latin-1'"),
    "a header that is missing": (
        lambda: write(ROWS),
        {},
        "The table has no column 'age', 'sex', 'zip', since its header seems to be missing",
    ),
    "a Parquet file called CSV": (lambda: parquet("people.csv"), {}, "Give it the ending of what it is."),
    "a CSV file called Parquet": (lambda: write("age\n1\n", "people.parquet"), {}, "is not a Parquet file"),
    "a CSV file called a workbook": (lambda: write("age\n1\n", "people.xlsx"), {}, "is not a workbook"),
    "a packed file under a plain name": (lambda: write(gzip.compress(b"age\n1\n")), {}, "is not a text file"),
    "a plain file under a packed name": (lambda: write("age\n1\n", "people.csv.gz"), {}, "is not a gzip file"),
    "an ending that says nothing": (lambda: write("age\n1\n", "people.dat"), {}, "has an unknown ending. Known are"),
    "no sheet chosen among several": (lambda: sheets("May", "June"), {}, "has 2 sheets: 'May', 'June'. Choose one"),
    "a sheet that is not there": (lambda: sheets("May"), {"sheet": "Mai"}, "has no sheet 'Mai'. It has 'May'."),
    "more lines skipped than there are": (lambda: write("age,sex,zip\n" + ROWS), {"skip": 99}, "is empty"),
    "a form of dates without signs": (lambda: write("age,sex,zip\n" + ROWS), {"dates": "DD.MM.YYYY"}, "'%d.%m.%Y'"),
    "a form that dates do not have": (
        lambda: write("age,sex,zip\n31.12.1999,f,1\n"),
        {"dates": {"age": "%m/%d/%Y"}},
        "1 of its 1 different values are not written so",
    ),
    "a decimal sign that is none": (lambda: write("age,sex,zip\n" + ROWS), {"decimal": "comma"}, "must be '.' or ','"),
    "a folder without Parquet files": (Path, {}, "Parquet"),
}


@pytest.mark.parametrize("mistake", REFUSED)
def test_mistakes_are_answered(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make, options, message = REFUSED[mistake]
    with pytest.raises(SfumatoError) as caught:
        sf.anonymize(make(), quasi_identifiers=QI, k=2, **options)
    assert message in str(caught.value), caught.value


SAID = {
    "semicolons": ("age;sex;zip\n" + ROWS.replace(",", ";"), "separated by ';'"),
    "another encoding": (
        ("age,sex,zip\n" + ROWS.replace("f", "Schülerin")).encode("latin-1"),
        "not in UTF-8; it is read as cp1252",
    ),
    "a title": ("Report of May\n\nage,sex,zip\n" + ROWS, "The first 2 lines of the file are taken for titles"),
    "mixed line ends": ("age,sex,zip\r\n" + ROWS, "end in different ways"),
    "a name twice": ("age,sex,zip,sex\n" + ROWS.replace("\n", ",1\n"), "'sex_2'"),
    "words for no value": ("age,sex,zip\n" + "n/a,f,53711\n" * 3 + ROWS, "na={'age': ['n/a']}"),
    "days or months first": (
        "age,sex,zip\n" + "".join(f"0{n % 9 + 1}/0{n % 7 + 1}/1990,f,1\n" for n in range(40)),
        "whether the day or the month comes first",
    ),
    "thousands or fractions": (
        "age,sex,zip\n" + "".join(f"{n % 9 + 1}.{100 + n % 7},f,1\n" for n in range(40)),
        "may also part thousands",
    ),
    "thousands that only small numbers lack": (
        "age,sex,zip\n" + "".join(f"{n % 9 + 1}.{100 + n},f,1\n{n + 100},f,1\n" for n in range(40)),
        "numbers with a point between thousands",
    ),
    "a plus before fractions": (
        "age,sex,zip\n" + "".join(f"{n % 5 - 2:+}.5,f,1\n" for n in range(40)),
        "with a decimal point and with a plus sign",
    ),
    "two bytes a letter": (("age,sex,zip\n" + ROWS).encode("utf-16-le"), "it is read as utf-16-le"),
    "an age that nobody has": ("age,sex,zip\n-19,f,1\n" + ROWS, "ages below 0 or above 120"),
    "two words for one sex": ("age,sex,zip\n30,Female,1\n" + ROWS, "several words for one thing"),
}


@pytest.mark.parametrize("mistake", SAID)
def test_what_is_read_anyway_is_said(mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, message = SAID[mistake]
    release = sf.anonymize(write(content), quasi_identifiers=QI, rest="drop", k=2, seed=1, method="mondrian")
    assert message in "\n".join(map(str, release.cautions))


def test_a_total_below_makes_no_column_of_stars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people = write("age,sex,zip\n" + ROWS + "Total,m,1\n")
    with pytest.raises(CautionError, match="Clean these rows") as caught:
        sf.anonymize(people, quasi_identifiers=QI, k=2, seed=1, method="mondrian")
    assert "confirm=['age']" in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([f"19{50 + n}-{n % 12 + 1:02}" for n in range(40)], "dates={'age': '%Y-%m'}"),
        ([f"{n % 12 + 1:02}/19{50 + n}" for n in range(40)], "--dates 'age=%m/%Y'"),
        ([f"19{50 + n}-Q{n % 4 + 1}" for n in range(40)], "They look like quarters"),
        ([f"19{50 + n}-W{n % 40 + 10}" for n in range(40)], "They look like weeks"),
        ([f"{n % 24:02}:{n:02}" for n in range(40)], "They look like times of the day"),
        ([f"{MONTHS[n % 12]} {1950 + n}" for n in range(40)], "dates={'age': '%b %Y'}"),
        ([f"{MONTHS[n % 12]}-{50 + n}" for n in range(40)], "dates={'age': '%b-%y'}"),
        ([f"December {1950 + n}" for n in range(40)], "dates={'age': '%B %Y'}"),
        ([f"{1950 + n}-{n + 101}" for n in range(40)], "dates={'age': '%Y-%j'}"),
        ([f"{1950 + n}{('', '-11', '-11-30')[n % 3]}" for n in range(40)], "dates={'age': '%Y-%m-%d|%Y-%m|%Y'}"),
        ([f"Q{n % 4 + 1} {1950 + n}" for n in range(40)], "They look like quarters"),
        ([f"{1950 + n}/{51 + n}" for n in range(40)], "They look like years that begin within one"),
        ([f"{1950 + n}-03-04 12:30 CET" for n in range(40)], "The name of a time zone stands behind them"),
        ([f"'{1950 + n}-03-04" for n in range(40)], "the mark by which spreadsheets keep text"),
        ([f"{n + 10}".translate(ARABIC) for n in range(40)], "digits of another script"),
        ([f"{n}.03.1950" if n % 9 else "k.A." for n in range(1, 31)], "na={'age': ['k.A.']}"),
        ([f"$1,{n}00" if n % 20 else "-" for n in range(10, 50)], "na={'age': ['-']}"),
    ],
)
def test_parts_of_dates_make_no_column_of_stars(
    texts: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people = write("age,sex,zip\n" + "".join(f'"{text}",f,1\n' for text in texts))
    with pytest.raises(CautionError) as caught:
        sf.anonymize(people, quasi_identifiers=QI, k=4, seed=1, method="mondrian")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "options"),
    [
        ([f"{MONTHS[n % 12]} {1950 + n}" for n in range(40)], {"dates": {"age": "%b %Y"}}),
        ([f"{1950 + n}-{n + 101}" for n in range(40)], {"dates": {"age": "%Y-%j"}}),
        (
            [f"{1950 + n}{('', '-11', '-11-30')[n % 3]}" for n in range(40)],
            {"dates": {"age": "%Y-%m-%d|%Y-%m|%Y"}},
        ),
        ([f"{n}.03.1950" if n % 9 else "k.A." for n in range(1, 31)], {"na": {"age": ["k.A."]}}),
        ([f"$1,{n}00" if n % 20 else "-" for n in range(10, 50)], {"na": {"age": ["-"]}}),
    ],
)
def test_what_is_advised_helps(
    texts: list[str], options: dict[str, object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    people = write("age,sex,zip\n" + "".join(f'"{text}",f,1\n' for text in texts))
    release = sf.anonymize(people, quasi_identifiers=QI, k=4, seed=1, method="mondrian", **options)
    assert not [one for one in release.cautions if one.code == "lost-column" and "age" in one.columns]


def test_telephone_numbers_keep_their_plus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people = write("age,tel\n" + "".join(f"{20 + n % 3},+4917{n:08}\n" for n in range(40)))
    release = sf.anonymize(people, quasi_identifiers="age", plain="tel", confirm="tel", k=4, seed=1)
    assert set(release.to_arrow()["tel"].to_pylist()) == {f"+4917{n:08}" for n in range(40)}


def test_serial_numbers_of_days_may_have_fractions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people = write("age,visit date\n" + "".join(f"{20 + n % 3},{45_000 + n}.{n % 10}\n" for n in range(40)))
    assert sf.profile(people)["visit date"].kind == "date"
