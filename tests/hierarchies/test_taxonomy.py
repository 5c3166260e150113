"""Taxonomies from dicts, rows and files, and what is wrong with those that are none."""

from __future__ import annotations

import csv
import errno
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import encoded_column

from sfumato.errors import HierarchyError, OutputError, ParameterError
from sfumato.hierarchies import Taxonomy

ROWS = (("France", "Europe", "*"), ("Italy", "Europe", "*"), ("Japan", "Asia", "*"))


def written(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "tree.csv"
    path.write_bytes(text.encode(encoding))
    return path


# --- making


def test_from_a_dict():
    assert Taxonomy.from_dict({"Europe": ["France", "Italy"], "Asia": ["Japan"]}).rows == ROWS
    assert Taxonomy({"Europe": ["France", "Italy"], "Asia": ["Japan"]}).rows == ROWS


def test_texts_are_not_rows() -> None:
    with pytest.raises(HierarchyError, match=r"Row 1 .* 'France'\. Give each row as a list"):
        Taxonomy(["France", "Italy"])


def test_uneven_branches_are_padded_with_the_value_itself():
    tree = Taxonomy.from_dict({"Europe": {"West": ["France"], "Vatican": []}, "Antarctica": None})
    assert tree.rows == (
        ("France", "West", "Europe", "*"),
        ("Vatican", "Vatican", "Europe", "*"),
        ("Antarctica", "Antarctica", "Antarctica", "*"),
    )


def test_lists_may_hold_branches():
    tree = Taxonomy.from_dict({"Europe": ["Malta", {"South": ["Italy", "Spain"]}]})
    assert tree.rows == (
        ("Malta", "Malta", "Europe", "*"),
        ("Italy", "South", "Europe", "*"),
        ("Spain", "South", "Europe", "*"),
    )


@pytest.mark.parametrize("branch", ["France", 5, {"France"}])
def test_a_branch_that_is_no_list_is_refused(branch):
    with pytest.raises(HierarchyError, match=r"under 'Europe' there is .*Write it as a list"):
        Taxonomy.from_dict({"Europe": branch})


def test_a_root_is_added_where_rows_have_none():
    assert Taxonomy.from_rows([row[:2] for row in ROWS]).rows == ROWS
    assert Taxonomy([["a"], ["b"]]).rows == (("a", "*"), ("b", "*"))


def test_values_of_any_type_match_their_column():
    numbers = Taxonomy([(1, "odd"), (2.0, "even"), (3, "odd")])
    assert encoded_column(pa.array([3, 2, 1]), numbers).domains[0].values.to_pylist() == [1, 3, 2]
    flags = Taxonomy([(True, "any"), (False, "any")])
    assert encoded_column(pa.array([False, True]), flags).domains[0].values.to_pylist() == [True, False]


def test_codes_walk_the_tree_in_order_though_rows_do_not():
    rows = [("a", "X"), ("b", "Y"), ("c", "X"), ("d", "Y")]
    assert encoded_column(pa.array(["d", "c", "b", "a"]), Taxonomy(rows)).domains[0].values.to_pylist() == [*"acbd"]


def test_a_label_may_stand_in_two_branches_at_other_depths():
    tree = Taxonomy([("a", "X", "Y"), ("b", "Z", "X"), ("c", "Z", "X")])
    levels = encoded_column(pa.array([*"abc"]), tree).domains[0].levels
    assert [level.groups.tolist() for level in levels] == [[0, 1, 2], [0, 1, 1], [0, 1, 1], [0, 0, 0]]


# --- files


@pytest.mark.parametrize("delimiter", [*";,\t|"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_files_of_every_dialect_are_read(tmp_path, delimiter, ending, mark):
    text = mark + ending.join(delimiter.join(row) for row in ROWS) + ending + ending
    tree = Taxonomy.read(written(tmp_path, text))
    assert tree.rows == ROWS
    assert tree.delimiter == delimiter
    assert tree.height == 2


def test_quoted_cells_keep_their_delimiters_quotes_and_line_breaks(tmp_path):
    path = written(tmp_path, '"a;b";"say ""x""";*\n"two\nlines";plain;*\n')
    assert Taxonomy.read(path).rows == (("a;b", 'say "x"', "*"), ("two\nlines", "plain", "*"))


def test_blank_lines_and_blanks_around_cells_do_not_count(tmp_path):
    path = written(tmp_path, "\n France ; Europe;* \n\n  \nItaly;Europe;*\n;;\n")
    assert Taxonomy.read(path).rows == ROWS[:2]


def test_separators_of_other_alphabets_do_not_end_lines(tmp_path):
    rows = (("a\u2028b", "X", "*"), ("c\x85d", "X", "*"))
    assert Taxonomy.read(written(tmp_path, "\n".join(map(";".join, rows)))).rows == rows


@pytest.mark.parametrize(
    "lines",
    [
        ["Smith, John;A, B;*", "Doe, Jane;A, B;*"],
        ["1, 2, 3, 4;low;*", "5, 6, 7, 8;high;*"],
        ["a,b;X|Y;*", "c;X;*"],
    ],
)
def test_the_delimiter_is_the_one_that_ends_in_one_root(tmp_path, lines):
    tree = Taxonomy.read(written(tmp_path, "\n".join(lines)))
    assert tree.delimiter == ";"
    assert [list(row) for row in tree.rows] == [line.split(";") for line in lines]


def test_a_given_delimiter_wins(tmp_path):
    assert Taxonomy.read(written(tmp_path, "a:b;X\nc:d;X\n"), delimiter=":").rows[0] == ("a", "b;X", "*")


cell = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


@given(st.lists(cell.map(str.strip).filter(bool), min_size=1, max_size=6, unique=True), st.sampled_from([*";,\t|"]))
def test_what_is_written_is_read_back(tmp_path_factory, values, delimiter):
    path = tmp_path_factory.mktemp("round") / "tree.csv"
    tree = Taxonomy([(value, f"group {len(value)}") for value in values])
    tree.write(path, delimiter=delimiter)
    assert Taxonomy.read(path, delimiter=delimiter).rows == tree.rows


def test_a_file_is_written_back_as_it_came(tmp_path):
    text = "\n".join(",".join(row) for row in ROWS) + "\n"
    tree = Taxonomy.read(written(tmp_path, text))
    tree.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text(encoding="utf-8") == text


def test_the_files_of_adult_load_unchanged(adult_dir, tmp_path):
    files = sorted(adult_dir.glob("*hierarchy*.csv"))
    assert files
    for path in files:
        tree = Taxonomy.read(path)
        with path.open(encoding="utf-8-sig", newline="") as lines:
            expected = [tuple(cell.strip() for cell in row) for row in csv.reader(lines, delimiter=";") if row]
        assert tree.delimiter == ";"
        assert [row[: len(expected[0])] for row in tree.rows] == expected
        tree.write(tmp_path / path.name)
        assert Taxonomy.read(tmp_path / path.name).rows == tree.rows


# --- what is wrong


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a;X;*\nb;X;*\n\na;X;*\n", 4, "the value is listed twice (first at {path}, line 1)"),
        ("a;X;*\nb;X;*\na;Y;*\n", 3, "the value has two parents, one ({path}, line 1) and another here"),
        ("a;X;P;*\nb;X;P;*\na;X;Q;*\n", 3, "the value has two parents, one ({path}, line 1) and another here"),
        ("a;X;P;*\nb;X;Q;*\n", 2, "what stands in column 2 has two parents, one ({path}, line 1) and another"),
        ("a;X;*\nb;X\n", 2, "the value has 2 columns, but the first row has 3"),
        ('"a\n1";X;*\nb;X;*\nb;X;*\n', 4, "the value is listed twice (first at {path}, line 3)"),
    ],
)
def test_contradictions_are_told_with_file_and_line(tmp_path, text, line, says):
    path = written(tmp_path, text)
    with pytest.raises(HierarchyError) as caught:
        Taxonomy.read(path)
    assert str(caught.value).startswith(f"{path}, line {line}: {says.format(path=path)}")


def test_contradictions_of_rows_are_told_with_their_number():
    with pytest.raises(HierarchyError, match=r"^row 2: the value 'a' is listed twice \(first at row 1\)"):
        Taxonomy([("a", "X"), ("a", "X")])


def test_a_value_that_the_file_lacks_is_told_by_its_row_with_the_file(tmp_path):
    path = written(tmp_path, "a;*\nb;*\n")
    with pytest.raises(HierarchyError) as caught:
        encoded_column(pa.array(["b", "zebra"]), Taxonomy.read(path))
    message = str(caught.value)
    assert message.startswith(f"Column 'a' holds 1 value that is not in hierarchy file {path}.")
    assert message.endswith("The first stands in row 2.")


def test_a_value_that_many_rows_have_is_named():
    with pytest.raises(HierarchyError, match=r"holds 2 values that are not in its taxonomy.*first, 'zebra', stands in"):
        encoded_column(pa.array(["b", *["zebra"] * 20, "yak"]), Taxonomy([("b", "*")]))


@pytest.mark.parametrize("text", ["", "\n\n", "  \n"])
def test_an_empty_file_is_refused(tmp_path, text):
    with pytest.raises(HierarchyError, match="is empty"):
        Taxonomy.read(written(tmp_path, text))


def test_no_rows_are_refused():
    with pytest.raises(HierarchyError, match="has no rows"):
        Taxonomy([])
    with pytest.raises(HierarchyError, match="has no rows"):
        Taxonomy.from_dict({})


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(HierarchyError, match="does not exist"):
        Taxonomy.read(tmp_path / "nothing.csv")
    with pytest.raises(HierarchyError, match="cannot be read"):
        Taxonomy.read(tmp_path)
    with pytest.raises(HierarchyError, match="not UTF-8"):
        Taxonomy.read(written(tmp_path, "Zürich;*", encoding="latin-1"))


def test_a_cell_beyond_all_measure_is_refused(tmp_path):
    with pytest.raises(HierarchyError, match="cannot be read: field larger than"):
        Taxonomy.read(written(tmp_path, "x" * 200_000 + ";*\n"))


def test_a_place_that_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(OutputError, match="cannot be written"):
        Taxonomy(ROWS).write(tmp_path / "no" / "such" / "folder.csv")


@pytest.mark.parametrize("delimiter", [";;", "", '"', "\n", 5])
def test_a_delimiter_that_cannot_part_cells_is_refused(tmp_path, delimiter):
    path = written(tmp_path, "a;*\n")
    with pytest.raises(ParameterError, match="'delimiter' parameter of Taxonomy must be one character"):
        Taxonomy.read(path, delimiter)
    with pytest.raises(ParameterError, match="'delimiter' parameter of Taxonomy must be one character"):
        Taxonomy(ROWS).write(path, delimiter)
    assert path.read_bytes() == b"a;*\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "full")])
def test_a_failure_half_way_leaves_the_old_file(tmp_path, monkeypatch, error):
    path = written(tmp_path, "a;*\n")

    def half(self, data, **_):
        self.write_bytes(data.encode()[:3])
        raise error

    monkeypatch.setattr(Path, "write_text", half)
    with pytest.raises((KeyboardInterrupt, OutputError)):
        Taxonomy(ROWS).write(path)
    assert path.read_bytes() == b"a;*\n"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("tree", [None, 5])
def test_what_is_no_tree_is_refused(tree):
    with pytest.raises(ParameterError, match="'tree' parameter of Taxonomy must be nested dicts, or one row per value"):
        Taxonomy(tree)
