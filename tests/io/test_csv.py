"""CSV and its relatives, well-formed and otherwise."""

import csv
import datetime as dt
import gzip
import io

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato.errors import ParameterError, SourceError
from sfumato.io import open_source
from sfumato.io.columns import DICTIONARY


@pytest.fixture
def read(tmp_path):
    """Write a file and read all of it back."""

    def run(content, name="people.csv", as_text=(), **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        source = open_source(path, **options)
        return source.read(source.columns, as_text)

    return run


def test_types_are_found_and_empty_cells_are_missing(read):
    table = read(
        "n,f,s,d,t,z,b\n1,1.5,x,2020-01-02,2020-01-02 10:00:00,2020-01-02T10:00Z,true\n,,,,,,\n-3,2,,,,,False\n"
    )
    assert table.schema.types == [
        pa.int64(),
        pa.float64(),
        DICTIONARY,
        pa.date32(),
        pa.timestamp("us"),
        pa.timestamp("us", "UTC"),
        pa.bool_(),
    ]
    assert table.slice(0, 2).to_pydict() == {
        "n": [1, None],
        "f": [1.5, None],
        "s": ["x", None],
        "d": [dt.date(2020, 1, 2), None],
        "t": [dt.datetime(2020, 1, 2, 10), None],
        "z": [dt.datetime(2020, 1, 2, 10, tzinfo=dt.UTC), None],
        "b": [True, None],
    }


@pytest.mark.parametrize(
    "values",
    [
        ["02139", "10001"],  # a leading zero carries meaning
        ["10001", "-007"],
        ["1.5", "01.5"],
        ["+4912345", "+4954321"],
        ["0x10", "0x20"],
        ["123456789012345678901234567890", "1"],  # more digits than a number keeps
        ["2021-02-31", "2021-02-01"],
        ["1", "x"],
        ["true", "1"],
        ["1,5", "1.5"],  # no one sign is the decimal sign
        ["01,5", "2,5"],
        ["123 456 789", "987 654 321"],  # numbers of identity are written in groups too
    ],
)
def test_what_conversion_would_change_stays_text(read, values):
    table = read("v;w\n" + "".join(f"{value};1\n" for value in values))
    assert table.schema.field("v").type == DICTIONARY
    assert table["v"].to_pylist() == values


def test_zero_and_fractions_are_numbers(read):
    table = read("a,b\n0,0.5\n10,-.5\n-0,1e3\n")
    assert table.to_pydict() == {"a": [0, 10, 0], "b": [0.5, -0.5, 1000.0]}


def test_a_late_surprise_makes_a_column_text_not_an_error(read):
    numbers = [str(i) for i in range(1, 30_001)]
    table = read("a,b\n" + "".join(f"{number},1\n" for number in numbers) + "unknown,1\n")
    assert table["a"].to_pylist() == [*numbers, "unknown"]
    assert table.schema.field("b").type == pa.int64()


def test_as_text_keeps_the_text_of_the_file(read):
    table = read("a,b\n1.50,2020-01-01\n2,\n", as_text=["a", "b"])
    assert table.to_pydict() == {"a": ["1.50", "2"], "b": ["2020-01-01", None]}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["people.csv", "people.TXT"])
def test_the_separator_is_detected(read, separator, name):
    rows = [["name", "note", "n"], ["x", "a, b", "1"], ["y", "c; d | e", "2"]]
    text = io.StringIO()
    csv.writer(text, delimiter=separator).writerows(rows)
    table = read(text.getvalue(), name)
    assert table.column_names == rows[0]
    assert table["note"].to_pylist() == ["a, b", "c; d | e"]


def test_decimal_commas_do_not_hide_the_semicolon(read):
    assert read("a;b\n1,5;2,5\n3,5;4,5\n").column_names == ["a", "b"]


def test_one_column_of_prose(read):
    assert read("note\nyes, but\nno\n")["note"].to_pylist() == ["yes, but", "no"]


def test_tsv_takes_tabs_even_when_commas_are_more(read):
    assert read("a, b, c\td\n1\t2\n", "people.tsv").column_names == ["a, b, c", "d"]


def test_a_given_separator_wins(read):
    assert read("a,b;c\n1,2;3\n", separator=";").column_names == ["a,b", "c"]
    assert read("a#b\n1#2\n", separator="#").column_names == ["a", "b"]


@pytest.mark.parametrize("separator", ["", ",,", '"', "\n", 5])
def test_a_separator_is_one_character(read, separator):
    with pytest.raises(ParameterError, match="'separator'"):
        read("a,b\n1,2\n", separator=separator)


def test_the_first_line_is_the_header_whatever_it_looks_like(read):
    assert read("1,2\n3,4\n").to_pydict() == {"1": [3], "2": [4]}


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbfa,b\n1,x\n2,y\n",
        b"a,b\r\n1,x\r\n2,y\r\n",
        b"a,b\r1,x\r2,y\r",
        b"a,b\n1,x\n2,y",
        b"a,b\n1,x\n\n2,y\n\n",
        b' a ,"b"\n"1","x"\n2,y\n',
    ],
    ids=["bom", "crlf", "cr", "no last line end", "blank lines", "quotes"],
)
def test_ways_to_write_the_same_table(read, content):
    assert read(content).to_pydict() == {"a": [1, 2], "b": ["x", "y"]}


def test_quotes_line_ends_and_separators_in_cells(read):
    table = read('a,b\n"x ""y"", z","two\nlines"\n5\' 11,\n')
    assert table.to_pydict() == {"a": ['x "y", z', "5' 11"], "b": ["two\nlines", None]}


def test_packed_text(read, tmp_path):
    assert read(gzip.compress(b"a,b\n1,x\n"), "people.csv.gz").to_pydict() == {"a": [1], "b": ["x"]}
    with pytest.raises(SourceError, match="not a gzip file"):
        read(b"a,b\n1,x\n", "people.csv.gz")
    with pytest.raises(SourceError, match=r"not a gzip file|cannot be read"):
        read(gzip.compress(b"a,b\n1,x\n" * 5000)[:40], "people.csv.gz")


def test_names_that_differ_in_case_and_names_that_need_quotes(read):
    table = read("Age,age,a'b\"c,größe\n1,2,3,4\n")
    assert table.to_pydict() == {"Age": [1], "age": [2], "a'b\"c": [3], "größe": [4]}


@pytest.mark.parametrize("name", ['it\'s "ü".csv', "a[1].csv", "a*.csv", "a?.csv", "year=2020.csv", "a b#c%20.csv"])
def test_awkward_file_names(read, name):
    read("x\n9\n", "a1.csv")
    assert read("v\n5\n", name).to_pydict() == {"v": [5]}


def test_folders_are_not_columns(tmp_path):
    folder = tmp_path / "year=2020"
    folder.mkdir()
    (folder / "a.csv").write_text("v\n5\n")
    assert open_source(folder / "a.csv").columns == ("v",)


def test_header_only(read):
    table = read("a,b\n")
    assert table.column_names == ["a", "b"]
    assert table.num_rows == 0


def test_many_rows_keep_their_order_and_share_one_dictionary(read):
    count = 600_000
    table = read("n,s\n" + "".join(f"{i},w{i * 7919 % 1000}\n" for i in range(count)))
    assert table["n"].to_pylist() == list(range(count))
    assert table["s"].type == DICTIONARY
    assert len(table["s"].chunk(0).dictionary) == 1000
    assert table["s"].slice(count - 2).to_pylist() == [f"w{i * 7919 % 1000}" for i in (count - 2, count - 1)]


def test_a_line_beyond_all_measure_is_told_with_its_number(read):
    with pytest.raises(SourceError, match=r"Line 3 of .* is longer than [\d,]+ bytes\. Shorten its cells") as caught:
        read("a,b\n1,2\n" + "x" * 5_000_000 + ",2\n")
    assert "xx" not in str(caught.value)


def test_a_cell_of_200_kilobytes(read):
    cell = "x" * 200_000
    table = read(f"a,b\n{cell},1\ny,2\n")
    assert table["a"].to_pylist() == [cell, "y"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1,2\nSECRET,2,3\n", "Line 3 of .* has 3 cells, and the header has 2"),
        (b"a,b\n1,2\nSECRET\n4,5\n", "Line 3 of .* has 1 cell, and the header has 2"),
        (b"a,b\n1,2\n3,SECRET\xff\n", "Line 3 of .* is not in UTF-8"),
        (b'a,b\n1,2\n3,"SECRET\n4,5\n', "Line 3 of .* quotation mark"),
        (b"", "is empty"),
        (b"\n \n", "is empty"),
        (b"PAR1SECRET", "is not a text file"),
        (b"PK\x03\x04SECRET", "is not a text file"),
        (b"a,b\nSECRET,\0\n", "is not a text file"),
    ],
)
def test_broken_files_say_where_and_quote_nothing(read, content, message):
    with pytest.raises(SourceError, match=message) as caught:
        read(content)
    assert "people.csv" in str(caught.value)
    assert "SECRET" not in str(caught.value)
    assert caught.value.__context__ is None or caught.value.__suppress_context__


@pytest.mark.parametrize("cells", [["x"] * 600_000, ["x" * 2_000_000]], ids=["wide", "long"])
def test_a_header_beyond_all_measure(read, cells):
    with pytest.raises(SourceError, match=r"The header of .* is longer than 1,048,576 bytes"):
        read(",".join(cells) + "\n" + ",".join(cells) + "\n")


@pytest.mark.parametrize("name", ["a\u2028b", "a\x0cb", "a\x85b", "a\nb"])
def test_names_with_what_looks_like_a_line_end(read, name):
    assert read(f'"{name}",c\n1,2\n3,4\n').to_pydict() == {name: [1, 3], "c": [2, 4]}


@pytest.mark.parametrize(
    ("header", "names"),
    [("a,b,a", ["a", "b", "a_2"]), ("Unnamed: 1,,a", ["Unnamed: 1", "Unnamed: 1_2", "a"])],
)
def test_names_that_occur_twice_are_made_distinct(read, header, names):
    assert read(header + "\n1,2,3\n").column_names == names


def test_an_error_far_down_the_file_names_its_line(read):
    lines = ["a,b"] + ["1,2"] * 400_000 + ["1,2,3"] + ["1,2"] * 10
    with pytest.raises(SourceError, match="Line 400002 of"):
        read("\n".join(lines))


_CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\r"), max_size=6)


@settings(max_examples=examples(50), deadline=None)
@given(st.lists(st.tuples(_CELLS, _CELLS), min_size=1, max_size=12))
def test_whatever_python_writes_is_read(tmp_path_factory, rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows([("a", "b"), *rows])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_text(text.getvalue(), encoding="utf-8", newline="")
    table = open_source(path, separator=",").read(["a", "b"], as_text=["a", "b"])
    expected = [tuple(cell or None for cell in row) for row in rows]
    assert list(zip(*table.to_pydict().values(), strict=True)) == expected
