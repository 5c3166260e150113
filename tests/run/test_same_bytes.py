"""The same release, byte for byte, and the same manifest but its seconds, with any number of threads."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.common import randomness, threads
from sfumato.io import lines, parquet, write
from sfumato.loss import recoded_table
from sfumato.methods import REGISTRY
from sfumato.methods.refinement import search
from sfumato.privacy import MODELS
from sfumato.release import values
from sfumato.run.large.duckdb import engine
from sfumato.testing.requests import COMBINATIONS, plainest
from sfumato.testing.tables import SCHEMA, people
from sfumato.verify import classes

NUMBERS = (2, 3, 7, 16)

#: Every format that a release can be written in; all of them can be read as well.
FORMS = ("parquet", "csv", "tsv", "jsonl", "arrow", "xlsx", "rds", "sav", "zsav", "dta")


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


def made(
    table: object, number: int, folder: Path, forms: tuple[str, ...] = ("parquet",), **asked: Any
) -> dict[str, str]:
    """Everything that a request makes with a number of threads, without the seconds that it took."""
    make = sf.recode if "levels" in asked else sf.anonymize
    release = make(table, threads=number, **{"seed": 1} | asked)
    files = []
    for form in forms:
        path = folder / f"{number}.{form}"
        release.write(path)
        files.append(hashlib.sha256(path.read_bytes()).hexdigest())
    told = {name: value for name, value in release.manifest.items() if name != "seconds"}
    loss = dict(release.loss) | release.loss.by_attribute
    told |= {"files": files, "loss": loss, "verification": release.verification}
    return {name: json.dumps(value, sort_keys=True, default=str) for name, value in told.items()}


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


def test_no_model_is_left_out() -> None:
    tested = {type(model) for models in COMBINATIONS.values() for model in models}
    assert tested | {sf.DifferentialPrivacy} == set(MODELS.values())


@pytest.mark.parametrize("levels", [None, {"age": 1, "sex": 0}])
def test_differential_privacy(levels: dict[str, int] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(randomness, "fresh_seed", lambda: 1)  # nobody may choose a seed
    table = pa.table({"age": [20 + at % 50 for at in range(900)], "sex": ["f", "m", "f"] * 300})
    columns = {"age": sf.Numeric(widths=(10, 20)), "sex": sf.Categorical()}
    model = sf.DifferentialPrivacy(1, 0.01, for_levels=0.1 if levels is None else 0)
    asked = {"quasi_identifiers": columns, "privacy": model}
    how = {"method": sf.methods.PrivateLevels()} if levels is None else {"levels": levels}
    wanted = made(table, 1, tmp_path, seed=None, **how, **asked)
    for number in NUMBERS:
        assert made(table, number, tmp_path, seed=None, **how, **asked) == wanted


def test_people_with_several_rows(tmp_path: Path) -> None:
    table = people(100).append_column("visitor", pa.array([at // 2 for at in range(100)]))
    asked = {"schema": replace(SCHEMA, person="visitor"), "k": 3, "method": "mondrian", "suppression": 0.2}
    wanted = made(table, 1, tmp_path, **asked)
    for number in NUMBERS:
        assert made(table, number, tmp_path, **asked) == wanted


def test_no_format_is_left_out() -> None:
    assert set(FORMS) == {*write._WRITERS, *write._LABELLED}


@pytest.mark.parametrize("intervals", ["text", "bounds", "midpoint", "mean"])
def test_every_kind_of_file_that_is_written(intervals: str, tmp_path: Path) -> None:
    asked = {"schema": SCHEMA, "method": "hilbert", "k": 3, "intervals": intervals}
    table = people(100, missing=0.1)
    wanted = made(table, 1, tmp_path, FORMS, **asked)
    for number in NUMBERS:
        assert made(table, number, tmp_path, FORMS, **asked) == wanted


@pytest.mark.parametrize("read", [*FORMS, "sqlite", "several"])
def test_every_kind_of_file_that_is_read(read: str, tmp_path: Path) -> None:
    path = tmp_path / f"people.{read}"
    table = people(100, missing=0.1)
    if read == "parquet":
        pq.write_table(table, path, row_group_size=9)
    elif read == "sqlite":
        with closing(sqlite3.connect(path)) as session, session:
            marks = ", ".join("?" * table.num_columns)
            session.execute(f"CREATE TABLE people ({', '.join(table.column_names)})")
            rows = zip(*(column.cast(pa.string()).to_pylist() for column in table.columns), strict=True)
            session.executemany(f"INSERT INTO people VALUES ({marks})", rows)
    elif read == "several":
        path.mkdir()
        for part in range(4):
            pq.write_table(table.slice(25 * part, 25), path / f"{part}.parquet")
    else:
        sf.io.write_table(table, path)
    asked = {"schema": SCHEMA, "method": "hilbert", "k": 3, "confirm": ["born", "age"]}
    wanted = made(path, 1, tmp_path, ("parquet", "csv"), **asked)
    for number in NUMBERS:
        assert made(path, number, tmp_path, ("parquet", "csv"), **asked) == wanted


def test_bounds_risks_and_reports(tmp_path: Path) -> None:
    def told(number: int) -> list[object]:
        release = sf.anonymize(people(100), SCHEMA, k=3, method="mondrian", seed=1, threads=number)
        with threads.at_most(number):
            return [release.bound, release.optimality, str(release.risk), release.explain().to_dict()]

    wanted = told(1)
    for number in NUMBERS:
        assert told(number) == wanted


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
