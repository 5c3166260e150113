"""`check` against Python's own readers, which share nothing with the product: the same rows, the same classes."""

from __future__ import annotations

import csv
import gzip
import io
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.fuzz.duration import rounds

import sfumato as sf
from sfumato.errors import SfumatoError

#: What has been mistaken for something else before.
PIECES = [
    *("", " ", "a", "b", "1", "1.0", "1e0", "01", " 1", "true", "TRUE", "NA", "null", "None", "nan", "inf", "-inf"),
    *("=x", "'=x", "-1", "+1", "2020-01-01T00:00Z", "2020-01-01T01:00+01:00", "9223372036854775808"),
    *("0.1234567890123456789", "0.1234567890123456788", "x,y", "x;y", "x\ty", 'say "x"', '"', "'"),
    *("two\nlines", "two\r\nlines", "cr\rcr", "\u2028", "\x0c", "\x1c", "\x85", "\ufeff", "ü", "#", "\\", "\\n"),
]
NAMES = ["n", "a b", "a,b", "x\ny", "ü", "=n", "\u2028", 'q"', "a\x0c"]
NUMBERS = ["1", "1.0", "1e0", "-0", "0", "18446744073709551616", "18446744073709551617", "0.10", "0.1", "1E300"]


def cell(rng: random.Random) -> str:
    return rng.choice(PIECES) if rng.random() < 0.8 else rng.choice(PIECES) + rng.choice(PIECES)


def table(rng: random.Random) -> tuple[list[str], list[list[str]]]:
    """Return a header that can be used and some rows; few values, so that classes have several rows."""
    width = rng.randint(1, 4)
    header = [
        f"{rng.choice(['n', 'a b', 'a,b', 'x' + chr(10) + 'y', 'ü', '=n', chr(0x2028), 'q' + chr(34)])}{at}"
        for at in range(width)
    ]
    values = [cell(rng) for _ in range(rng.randint(1, 4))]
    rows = [[rng.choice(values) for _ in range(width)] for _ in range(rng.choice([0, 1, 2, 3, 8, 30]))]
    return header, rows


def delimited(rng: random.Random, header: list[str], rows: list[list[str]], separator: str) -> bytes:
    file = io.StringIO(newline="")
    end = rng.choice(["\n", "\r\n"])
    quoting = rng.choice([csv.QUOTE_ALL, csv.QUOTE_MINIMAL])
    # A lone carriage return ends a line for readers, but is no reason to quote for this writer.
    risky = any("\r" in text for row in [header, *rows] for text in row) or len(header) == 1
    csv.writer(file, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL if risky else quoting).writerows(
        [header, *rows]
    )
    text = file.getvalue()
    text = text.removesuffix(end) if rng.random() < 0.3 and rows else text
    return (b"\xef\xbb\xbf" if rng.random() < 0.2 else b"") + text.encode()


def classes(rows: list[list[Any]], places: list[int]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(row[place] for place in places) for row in rows)


def test_delimited_text(tmp_path: Path) -> None:
    tried = 0
    for rng in rounds(0.5):
        header, rows = table(rng)
        separator = rng.choice(",;\t|")
        content = delimited(rng, header, rows, separator)
        packed = rng.random() < 0.2
        path = tmp_path / ("a.csv.gz" if packed else "a.csv")
        path.write_bytes(gzip.compress(content) if packed else content)
        read = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=separator))
        places = sorted(rng.sample(range(len(header)), rng.randint(1, len(header))))
        expected = classes(read[1:], places)
        names = [header[place].strip() for place in places]
        result = sf.check(path, quasi_identifiers=names, k=2, separator=separator)
        # Quotation marks tell an empty text from a missing value; Python's reader does not see them.
        assert result.rows == len(rows), (rng, content)
        assert len(expected) <= result.classes <= len(expected) * 2 ** len(places), content
        if not any("" in row for row in rows):
            assert result.classes == len(expected), content
            assert result.k == min(expected.values(), default=None), content
        assert result.ok == (bool(rows) and result.k is not None and result.k >= 2), content
        tried += 1
    assert tried


def test_json_lines(tmp_path: Path) -> None:
    for rng in rounds(0.5):
        names = [f"{rng.choice(['n', 'a.b', 'ü', chr(0x2028)])}{at}" for at in range(rng.randint(1, 3))]
        values = [rng.choice([json.dumps(cell(rng)), rng.choice(NUMBERS), "null", "true"]) for _ in range(3)]
        rows = [[rng.choice(values) for _ in names] for _ in range(rng.choice([1, 2, 8, 30]))]
        objects = [
            "{" + ", ".join(f"{json.dumps(n)}: {v}" for n, v in zip(names, row, strict=True)) + "}" for row in rows
        ]
        whole = rng.random() < 0.3
        path = tmp_path / ("a.json" if whole else "a.jsonl")
        path.write_text("[" + ",\n".join(objects) + "]" if whole else "\n".join(objects), encoding="utf-8")
        expected = classes(rows, list(range(len(names))))
        result = sf.check(path, quasi_identifiers=names, k=2)
        assert (result.rows, result.classes) == (len(rows), len(expected)), objects
        assert result.k == min(expected.values()), objects


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_what_was_written_is_what_is_checked(tmp_path: Path, ending: str) -> None:
    """Releases of hostile values are refused, or kept by what Python reads back from them."""
    for rng in rounds(0.25):
        values: list[str | None] = [rng.choice([cell(rng), None]) for _ in range(4)]
        chosen = [values[place % 4] for place in range(12)]
        people = pa.table({"age": [20 + place // 4 for place in range(12)], "s": pa.array(chosen, pa.string())})
        try:
            release = sf.anonymize(people, quasi_identifiers="age", sensitive="s", k=3, l=2, method="mondrian", seed=1)
            release.write(tmp_path / f"a.{ending}")
        except SfumatoError:
            continue
        result = sf.check(tmp_path / f"a.{ending}", quasi_identifiers="age", sensitive="s", k=3, l=2)
        assert result.ok, (chosen, result.summary())
        if ending in {"csv", "tsv"}:
            with open(tmp_path / f"a.{ending}", newline="", encoding="utf-8") as file:
                read = list(csv.reader(file, delimiter="," if ending == "csv" else "\t"))[1:]
            assert len(read) == 12
            for shown in {row[0] for row in read}:
                counts = Counter(row[1] for row in read if row[0] == shown)
                assert max(counts.values()) * 2 <= sum(counts.values()), (chosen, read)
