"""What a database holds can be anonymized and checked here, row by row, as if it were a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.csv
import pytest
from tests.cli.command import refused, run

import sfumato as sf
from sfumato.engines import DuckDB, search_in_place
from sfumato.errors import SchemaError, SourceError

PEOPLE = pa.table(
    {
        "name": [f"person {row}" for row in range(40)],
        "age": [20 + row // 2 for row in range(40)],
        "zip": ["02139", "53715"] * 20,
        "illness": ["flu", "ulcer", "asthma", "angina"] * 10,
    }
)
ROLES = {"quasi_identifiers": ["age", "zip"], "sensitive": "illness", "identifiers": "name"}
OPTIONS = ("--qi", "age,zip", "--sensitive", "illness", "--identifiers", "name", "-k", "5", "--method", "mondrian")


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("arrow", PEOPLE)
        connection.execute("CREATE TABLE people AS FROM arrow")
        connection.execute("CREATE TABLE other AS SELECT 1 AS one")
    return path


def test_a_table_of_a_database_gives_the_release_of_its_rows(clinic: Path) -> None:
    policy = sf.Policy(sf.Schema(**ROLES), [sf.KAnonymity(5)], "mondrian", seed=1)
    for release in (
        lambda data: sf.anonymize(data, **ROLES, k=5, method="mondrian", seed=1),
        policy.run,
    ):
        expected = release(PEOPLE)
        with DuckDB(clinic, "people", read_only=True) as database:
            found = release(database)
        assert found.table.equals(expected.table)
        assert found.manifest["input"]["kind"] == "duckdb"


@pytest.mark.parametrize(
    "ask", [sf.check, lambda data, **asked: sf.Policy(sf.Schema("age"), [sf.KAnonymity(2)]).check(data)]
)
def test_a_table_of_a_database_is_checked(clinic: Path, ask: Callable[..., sf.Verification]) -> None:
    with DuckDB(clinic, "people") as database:
        result = ask(database, quasi_identifiers="age", k=2)
    assert (result.ok, result.rows, result.k) == (True, 40, 2)


def test_a_mere_file_is_read_as_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("zip,age\n1.0,1\n1,1\n1.0,2\n1,2\n", encoding="utf-8")
    with DuckDB(path) as database:
        # As numbers, two and two rows would be one class of four.
        assert sf.check(database, quasi_identifiers="zip").k == sf.check(path, quasi_identifiers="zip").k == 2
    with pytest.raises(SourceError, match="has no table 'people'"):
        DuckDB(path, "people")


def test_commands_read_databases(clinic: Path, tmp_path: Path) -> None:
    before = clinic.read_bytes()
    done = run("anonymize", clinic, "--table", "people", "-o", tmp_path / "release.csv", *OPTIONS)
    assert done.code == 0, done.stderr
    released = pa.csv.read_csv(tmp_path / "release.csv")
    assert (released.num_rows, released.column_names) == (40, ["age", "zip", "illness"])
    done = run("check", clinic, "--table", "people", "--qi", "age", "-k", "3")
    assert done.code == 1, done.stderr
    assert clinic.read_bytes() == before


def test_mistakes_with_databases_are_told(clinic: Path, tmp_path: Path) -> None:
    out = ("-o", tmp_path / "release.csv", *OPTIONS)
    assert "has 2 tables" in refused(3, "anonymize", clinic, *out)
    assert "--table" in refused(2, "anonymize", "postgresql://nobody@nowhere/clinic", *out)
    assert "same file" in refused(2, "anonymize", clinic, "--table", "people", *OPTIONS, "-o", clinic)
    assert "There is no file" in refused(3, "check", tmp_path / "no.duckdb", "--qi", "age", "-k", "2")


def test_codes_written_in_two_ways_are_converted_where_they_are(clinic: Path) -> None:
    with DuckDB(clinic, "people") as database:
        database.execute("UPDATE people SET zip = '2139' WHERE age < 25")
        with pytest.raises(SchemaError, match="'zip' has values that are written in several ways"):
            search_in_place(database, sf.Schema({"zip": sf.Prefix(length=5)}, rest="drop"), k=2)
        released = sf.anonymize(database, quasi_identifiers={"zip": sf.Prefix(length=5)}, rest="drop", k=2).table
    assert set(released["zip"].to_pylist()) == {"02139", "53715"}
