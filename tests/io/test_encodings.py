"""Text in other encodings, and data that comes from stdin."""

from __future__ import annotations

import gzip
import lzma
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
    path.write_bytes("name,city\nИванова,Тверь\nПетров,Псков\n".encode("cp1251"))
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


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.csv.xz"])
@pytest.mark.parametrize(
    ("encoding", "read_as"),
    [("latin-1", "cp1252"), ("utf-16", "utf-16"), ("utf-16-le", "utf-16-le"), ("utf-32", "utf-32")],
)
def test_an_encoding_is_found_and_told(tmp_path: Path, encoding: str, read_as: str, name: str) -> None:
    pack = {"gz": gzip.compress, "xz": lzma.compress}.get(name[-2:], bytes)
    (tmp_path / name).write_bytes(pack(TEXT.encode(encoding)))
    source = open_source(tmp_path / name)
    assert source.read(source.columns).to_pydict() == VALUES
    [remark] = source.remarks
    assert f"is read as {read_as}" in str(remark)
    assert "--encoding" in str(remark)
    assert sf.check(tmp_path / name, quasi_identifiers="city", k=1).notes == (str(remark),)


def test_a_guess_is_part_of_the_summary(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(TEXT.replace(",", ";").encode("cp1252"))
    release = sf.anonymize(tmp_path / "a.csv", quasi_identifiers="city", rest="drop", k=1)
    told = [caution.found for caution in release.cautions if caution.code == "reading"]
    assert told == [
        "The cells of the file are taken to be separated by ';'.",
        "The file is not in UTF-8; it is read as cp1252.",
    ]
    assert all(found in " ".join(release.summary().split()) for found in told)
    assert str(tmp_path) not in str(release.manifest)


def test_plain_text_is_read_without_a_word(tmp_path: Path) -> None:
    for number, content in enumerate((TEXT.encode(), b"\xef\xbb\xbf" + TEXT.encode(), b"a,b\n1,2\n")):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(content)
        assert open_source(path).remarks == ()


@pytest.mark.parametrize("text", ["Иванова,Тверь\n", "Παππάς,Αθήνα\n", "山田,東京\n"])
def test_what_does_not_look_western_is_not_guessed(tmp_path: Path, text: str) -> None:
    encoding = {"И": "cp1251", "Π": "cp1253", "山": "cp932"}[text[0]]
    (tmp_path / "a.csv").write_bytes(("name,city\n" + text * 3).encode(encoding))
    with pytest.raises(SourceError, match="is not in UTF-8"):
        sf.anonymize(tmp_path / "a.csv", quasi_identifiers="name", rest="drop", k=1)


def test_a_separator_that_is_not_sure_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a,b;c,d\n1,2;3,4\n")
    source = open_source(tmp_path / "a.csv")
    assert "though ';' would fit as well" in str(source.remarks[0])
    assert open_source(tmp_path / "a.csv", separator=";").remarks == ()
