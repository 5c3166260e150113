"""The same release, byte for byte, and the same manifest but its seconds, with any number of threads."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.common import threads
from sfumato.io import lines, parquet
from sfumato.loss import recoded_table
from sfumato.methods import REGISTRY
from sfumato.methods.refinement import search
from sfumato.release import values
from sfumato.run.large.duckdb import engine
from sfumato.testing.requests import COMBINATIONS, plainest
from sfumato.testing.tables import SCHEMA, people
from sfumato.verify import classes

NUMBERS = (2, 3, 7, 16)

FORMS = ("parquet", "csv", "jsonl", "arrow")


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide also what is small."""
    monkeypatch.setattr(threads, "CHUNK", 16)
    monkeypatch.setattr(threads, "LONG", 8)
    monkeypatch.setattr(classes, "MANY", 1)
    monkeypatch.setattr(classes, "STRETCH", 16)
    monkeypatch.setattr(values, "CHUNK_ROWS", 16)
    monkeypatch.setattr(recoded_table, "STRETCH", 2)
    monkeypatch.setattr(parquet, "ROW_GROUP_ROWS", 20)
    monkeypatch.setattr(lines, "CHUNK_ROWS", 20)
    monkeypatch.setattr(search, "PART_CELLS", 128)
    monkeypatch.setattr(search, "PART_ROWS", 16)


def made(table: object, number: int, folder: Path, forms: tuple[str, ...] = ("parquet",), **asked: Any) -> list[Any]:
    """Everything that a request makes with a number of threads, without the seconds that it took."""
    release = sf.anonymize(table, seed=1, threads=number, **asked)
    files = []
    for form in forms:
        path = folder / f"{number}.{form}"
        release.write(path)
        files.append(hashlib.sha256(path.read_bytes()).hexdigest())
    told = {name: value for name, value in release.manifest.items() if name != "seconds"}
    loss = dict(release.loss) | release.loss.by_attribute
    return [json.dumps(told, sort_keys=True, default=str), *files, loss, release.verification]


@pytest.mark.parametrize("method", sorted(REGISTRY))
def test_every_method(method: str, tmp_path: Path) -> None:
    asked = {"schema": SCHEMA, "method": method, "privacy": plainest(sf.methods.find_method(method))}
    table = people(80)
    try:
        wanted = made(table, 1, tmp_path, **asked)
    except sf.InfeasibleError:
        pytest.skip("this method finds no release of so few rows")
    for number in NUMBERS:
        assert made(table, number, tmp_path, **asked) == wanted


@pytest.mark.parametrize("models", COMBINATIONS)
def test_every_model(models: str, tmp_path: Path) -> None:
    asked = {"schema": SCHEMA, "method": "mondrian", "privacy": COMBINATIONS[models], "suppression": 0.1}
    wanted = made(people(), 1, tmp_path, **asked)
    for number in NUMBERS:
        assert made(people(), number, tmp_path, **asked) == wanted


@pytest.mark.parametrize("read", ["parquet", "csv", "arrow"])
@pytest.mark.parametrize("intervals", ["text", "bounds", "mean"])
def test_every_kind_of_file(read: str, intervals: str, tmp_path: Path) -> None:
    path = tmp_path / f"people.{read}"
    table = people(100, missing=0.1)
    if read == "parquet":
        pq.write_table(table, path, row_group_size=9)
    else:
        sf.io.write_table(table, path)
    asked = {"schema": SCHEMA, "method": "hilbert", "k": 3, "intervals": intervals}
    wanted = made(path, 1, tmp_path, FORMS, **asked)
    for number in NUMBERS:
        assert made(path, number, tmp_path, FORMS, **asked) == wanted


@pytest.mark.parametrize("method", ["hilbert", "mondrian", "lattice"])
def test_the_duckdb_engine(method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_PART_ROWS", 150)
    monkeypatch.setattr(engine, "LEAST_PART_ROWS", 150)
    monkeypatch.setattr(engine, "GOOD_PART_ROWS", 50)  # so that three parts may be recoded at once
    path = tmp_path / "people.parquet"
    pq.write_table(pa.concat_tables([people(300), people(300, seed=2)]), path, row_group_size=50)
    asked = {"schema": SCHEMA, "method": method, "k": 3, "engine": "duckdb"}
    wanted = made(path, 1, tmp_path, **asked)
    for number in (3, 16):
        assert made(path, number, tmp_path, **asked) == wanted
