"""Text in other encodings, and data that comes from stdin."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.errors import ParameterError, SourceError
from sfumato.io import open_source

TEXT = "name,city\nJosé,Malmö\nAnaïs,Genève\n"
VALUES = {"name": ["José", "Anaïs"], "city": ["Malmö", "Genève"]}


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "cp1252", "utf-8", "UTF8", "utf-32"])
@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.csv.gz", "a.jsonl"])
def test_a_file_is_read_in_its_encoding(tmp_path: Path, encoding: str, name: str) -> None:
    rows = [dict(zip(VALUES, pair, strict=True)) for pair in zip(*VALUES.values(), strict=True)]
    lines = "".join(f'{{"name": "{row["name"]}", "city": "{row["city"]}"}}\n' for row in rows)
    text = lines if "json" in name else TEXT.replace(",", "\t") if "tsv" in name else TEXT
    content = text.encode(encoding)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith("gz") else content)
    source = open_source(tmp_path / name, encoding=encoding)
    assert source.read(source.columns).to_pydict() == VALUES
    result = sf.check(tmp_path / name, quasi_identifiers="city", k=1, encoding=encoding)
    assert (result.rows, result.k) == (2, 1)


def test_a_wrong_encoding_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(TEXT.encode("latin-1"))
    with pytest.raises(SourceError, match=r"Line 2 of .* is not in UTF-8, in column 'name'.*--encoding"):
        sf.anonymize(path, quasi_identifiers="name", rest="drop", k=1)
    with pytest.raises(SourceError, match=r"a\.csv.* cannot be read in the encoding ascii, from about line"):
        open_source(path, encoding="ascii")
    with pytest.raises(ParameterError, match=r"'encoding'.*'latin-1' or 'utf-16'"):
        open_source(path, encoding="klingon")


def test_an_encoding_is_part_of_a_policy(tmp_path: Path) -> None:
    policy = sf.Policy(sf.Schema(["city"], rest="drop"), [sf.KAnonymity(1)], encoding="latin-1")
    policy.write(tmp_path / "policy.toml")
    (tmp_path / "a.csv").write_bytes(TEXT.encode("latin-1"))
    read = sf.Policy.read(tmp_path / "policy.toml")
    assert read.encoding == "latin-1"
    assert sorted(read.run(tmp_path / "a.csv").table["city"].to_pylist()) == ["Genève", "Malmö"]
