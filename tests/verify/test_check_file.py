"""`check` groups what stands on paper, and calls nothing verified that it did not read."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError, SourceError

Write = Any


@pytest.fixture
def check(tmp_path: Path) -> Any:
    """Write a file and check it; both ways to ask have to agree."""

    def run(content: str | bytes, name: str = "a.csv", qi: str = "a", **rules: Any) -> sf.Verification:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        result = sf.check(path, quasi_identifiers=qi, **rules)
        if "k" in rules and len(rules) == 1:
            policy = sf.Policy(sf.Schema([qi], rest="drop"), [sf.KAnonymity(rules["k"])])
            assert policy.check(path) == result
        return result

    return run


@pytest.mark.parametrize(
    "values",
    [
        ("0.1234567890123456789", "0.1234567890123456788"),
        ("1", "1.0"),
        ("1", "1e0"),
        ("true", "TRUE"),
        ("1", " 1"),
        ("1", "01"),
        ("2020-01-01T00:00Z", "2020-01-01T01:00+01:00"),
        ("9223372036854775808", "9223372036854775809"),
        ("-0", "0"),
        ("2020-01-01 00:00", "2020-01-01 00:00:00"),
    ],
)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz"])
def test_what_differs_on_paper_is_two_classes(check: Any, values: tuple[str, str], name: str) -> None:
    separator = "\t" if name == "a.tsv" else ","
    text = "".join(f"{value}{separator}x\n" for value in ("a", *values, *values))
    result = check(gzip.compress(text.encode()) if name.endswith("gz") else text, name, k=3)
    assert (result.rows, result.classes, result.k) == (4, 2, 2)
    equal = values[0][-1] not in "98"
    assert any("writes equal values differently" in note for note in result.notes) == equal
    assert ("Note: Column 'a' writes equal values" in result.summary()) == equal


@pytest.mark.parametrize(
    "values",
    [
        ("18446744073709551616", "18446744073709551617"),
        ("1", "1.0"),
        ("1", "1e0"),
        ("0.1234567890123456789", "0.1234567890123456788"),
        ("1", '"1"'),
        ("true", '"true"'),
        ("-0", "0"),
        ("null", '"null"'),
        ("null", '""'),
    ],
)
@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "array.json"])
def test_what_differs_in_json_is_two_classes(check: Any, values: tuple[str, str], name: str) -> None:
    rows = [f'{{"a": {value}, "b": "x"}}' for value in (*values, *values)]
    text = f"[{', '.join(rows)}]" if name == "array.json" else "\n".join(rows)
    result = check(text, name, k=3)
    assert (result.rows, result.classes, result.k) == (4, 2, 2)


@pytest.mark.parametrize(
    "header",
    [
        '"a\nb",c\n',
        '\ufeff"a\nb",c\n',
        '\ufeff"a\r\nb",c\n',
        '"a\u2028b",c\n',
        "a\x0cb,c\n",
        "a\u2028b,c\n",
        "a\x1db,c\n",
    ],
)
def test_no_header_hides_the_rows(check: Any, header: str) -> None:
    name = next(part for part in ("a\r\nb", "a\nb", "a\u2028b", "a\x0cb", "a\x1db") if part in header)
    result = check(header + "1,2\n1,2\n3,4\n", qi=name, k=2)
    assert (result.rows, result.k, result.ok) == (3, 1, False)


def test_a_long_last_line_without_end_is_read(check: Any) -> None:
    result = check("a,b\n1,2\n1,2\n" + "x" * 33_000_000 + ",2", k=2)
    assert (result.rows, result.k) == (3, 1)


@pytest.mark.parametrize("text", ["a,b\n", "a\n", "a,b\n\n\n"])
def test_no_rows_are_never_verified(check: Any, text: str) -> None:
    result = check(text, k=2)
    assert not result
    assert not result.ok
    assert result.summary().startswith("NOT verified: 0 rows")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\n1\n\n1\n", "1 empty lines"),
        ('a,b\n1,"2\n3,4\n', "not closed"),
        ('a,b\n1,x"y\n3,4"\n', "3 records|2 rows"),
        ("a,b\n1,2\n3\n", "cells"),
        (b"a,b\n1,2\n3,\xff\n", "UTF-8"),
        ('{"a": 1}\n{"a": 1, "a": 2}\n', "each key once"),
        ('{"a": 1}\n{"a": [1]}\n', "lists or objects"),
        ('{"a": 1}\n{"a": {}}\n', "lists or objects"),
    ],
)
def test_what_cannot_be_accounted_for_is_an_error(check: Any, content: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        check(content, "a.jsonl" if content[:1] == "{" else "a.csv", k=1)


@pytest.mark.parametrize(
    ("values", "ok"), [(["", '""'], False), (["NA", ""], False), (["x\r\ny", "x\ny"], False), (["NA", "x"], True)]
)
def test_what_some_readers_take_for_one_value_counts_once(check: Any, values: list[str], ok: bool) -> None:
    cells = [f'"{value}"' if "\n" in value else value for value in values]
    text = "a,s\n" + "".join(f"1,{cell}\n" for cell in cells)
    result = check(text, sensitive="s", l=2)
    assert result.ok is ok
    assert ok or "read " in result.violations[0].rule
    assert ("take for a missing value" in result.summary()) == ("NA" in values)


@pytest.mark.parametrize("order", [["2", "10", "9.5"], ["2.0", "1e1", "9.50"]])
def test_ordered_distances_are_those_of_numbers(check: Any, order: list[str]) -> None:
    two, ten, between = order
    text = "a,s\n" + "".join(f"{group},{value}\n" for group, value in zip("112233", [two, ten] * 3, strict=True))
    text += f"4,{between}\n4,{between}\n"
    closeness = sf.TCloseness(0.0, distance="ordered")
    typed = pa.table({"a": [1, 1, 2, 2, 3, 3, 4, 4], "s": [2, 10] * 3 + [9.5, 9.5]})
    expected = sf.check(typed, quasi_identifiers="a", sensitive="s", privacy=closeness)
    assert check(text, sensitive="s", privacy=closeness).t == pytest.approx(expected.t)


def test_numbers_that_are_equal_have_no_distance(check: Any) -> None:
    text = "a,s\n" + "".join(
        f"{group},{value}\n" for group, value in zip("1122", ["1", "2", "1.0", "2.00"], strict=True)
    )
    closeness = sf.TCloseness(0.0, distance="ordered")
    assert check(text, sensitive="s", privacy=closeness).ok
    assert check(text, sensitive="s", l=2).ok


def test_parquet_with_damaged_indices_is_not_called_safe(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"a": pa.array(["x", "y", "z", "x"] * 8).dictionary_encode()})
    pq.write_table(table, path, compression="none", store_schema=False)
    content = bytearray(path.read_bytes())
    outcomes = set()
    for place in range(4, 90):
        damaged = bytes(content[:place]) + bytes([content[place] ^ 0xFF]) + bytes(content[place + 1 :])
        path.write_bytes(damaged)
        try:
            outcomes.add(sf.check(path, quasi_identifiers="a", k=1).rows)
        except SourceError:
            outcomes.add("refused")
    assert outcomes <= {32, "refused"}
    assert "refused" in outcomes
