"""In a database, values are equal only if readers of the release see the same."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.engines import Database, DuckDB, PostgreSQL, search_in_place
from sfumato.errors import SchemaError, SourceError

#: Texts that are one to a collation without case or accents, each of one person.
ALIKE = ["anna", "Anna", "ANNA", "ánna"]


def clinic(tmp_path: Path, *statements: str) -> Path:
    path = tmp_path / "clinic.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in statements:
            connection.execute(statement)
    return path


def rows(values: list[Any]) -> str:
    return ", ".join(f"('{value}', '{at % 2}')" for at, value in enumerate(values))


def class_sizes(database: Database, name: str = "safe") -> Counter[str]:
    """The classes that a reader sees, counted outside of the database."""
    return Counter(database.query(f"SELECT q FROM {name}")["q"].to_pylist())


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT", "NOCASE.NOACCENT"])
@pytest.mark.parametrize("kind", ["view", "table"])
def test_a_collation_of_duckdb_does_not_make_classes(tmp_path: Path, collation: str, kind: str) -> None:
    path = clinic(
        tmp_path,
        f"CREATE TABLE people (q VARCHAR COLLATE {collation}, s VARCHAR)",
        f"INSERT INTO people VALUES {rows(ALIKE)}",
    )
    with DuckDB(path, "people") as database:
        found = search_in_place(database, sf.Schema("q", rest="plain"), k=4, confirm="s")
        found.create("safe", kind)
        assert class_sizes(database) == {"*": 4}


def test_the_default_collation_of_a_session_does_not_make_classes(tmp_path: Path) -> None:
    """Labels of levels, too: North and north are two groups of a taxonomy."""
    tree = sf.Taxonomy.from_dict({"North": ["a", "b"], "north": ["A", "B"]})
    path = clinic(tmp_path, "CREATE TABLE people (q VARCHAR)", "INSERT INTO people VALUES ('a'), ('b'), ('A'), ('B')")
    with DuckDB(path, "people") as database:
        database.execute("PRAGMA default_collation = NOCASE")
        assert search_in_place(database, sf.Schema({"q": tree}), k=4).levels == {"q": 2}
        found = search_in_place(database, sf.Schema({"q": tree}), k=2)
        assert found.levels == {"q": 1}
        found.create("safe")
        assert class_sizes(database) == {"North": 2, "north": 2}


def test_a_collation_does_not_hide_sensitive_values_or_names(tmp_path: Path) -> None:
    path = clinic(
        tmp_path,
        "CREATE TABLE people (q INTEGER, s VARCHAR COLLATE NOCASE)",
        "INSERT INTO people VALUES (1, 'HIV'), (1, 'hiv'), (1, 'hiv'), (1, 'HIV')",
    )
    with DuckDB(path, "people") as database:
        found = search_in_place(database, sf.Schema("q", sensitive="s"), k=2, l=2)
        assert found.levels == {"q": 0}, "two spellings are two values, as in memory"
        found.create("safe")
        assert class_sizes(database) == {"1": 4}


@pytest.mark.parametrize("values", ["(0.0::DOUBLE), (-0.0::DOUBLE)", "(INTERVAL 1 MONTH), (INTERVAL 30 DAY)"])
def test_equal_values_that_are_written_differently_are_refused(tmp_path: Path, values: str) -> None:
    path = clinic(tmp_path, f"CREATE TABLE people AS SELECT * FROM (VALUES {values}) v(q)")
    with DuckDB(path, "people") as database, pytest.raises(SchemaError, match="'q' has values that are written in sev"):
        search_in_place(database, sf.Schema("q"), k=2)


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("FLOAT", ["0.1", "0.2", "0.7", "1.1"]),
        ("UBIGINT", ["18446744073709551615", "18446744073709551614", "9", "10"]),
        ("HUGEINT", ["9" * 38, "5", "6", "9" * 37 + "8"]),
        ("DECIMAL(30, 3)", ["123456789012345678901234567.001", "123456789012345678901234567.002", "1.5", "1.7"]),
        ("TIMESTAMPTZ", [f"2024-0{month}-01 23:30:00+00" for month in (1, 2, 7, 8)]),
        ("TIMESTAMP_NS", [f"2024-0{month}-01 00:00:00.00000000{month}" for month in (1, 2, 7, 8)]),
        ("BOOLEAN", ["true", "false", "true", "true"]),
        ("VARCHAR", ["a", "A", "b", "B"]),
    ],
)
def test_every_type_finds_its_labels(tmp_path: Path, kind: str, values: list[str]) -> None:
    """No row is lost because a value differs from itself in the dimension table."""
    hierarchy: Any = sf.Dates(levels=("year",)) if kind.startswith("TIME") else sf.Numeric(widths=(10**12, 10**38))
    if kind in {"BOOLEAN", "VARCHAR"}:
        hierarchy = sf.Taxonomy.from_dict({"all of them": sorted(set(values))})
    path = clinic(
        tmp_path,
        f"CREATE TABLE people (q {kind})",
        "INSERT INTO people VALUES " + ", ".join(f"('{value}')" for value in values),
    )
    with DuckDB(path, "people") as database:
        database.execute("SET TimeZone = 'America/New_York'")
        found = search_in_place(database, sf.Schema({"q": hierarchy}), k=2)
        assert found.levels["q"] > 0
        found.create("safe")
        expected = sf.recode(database.query("SELECT * FROM people"), found.schema, levels=found.levels, k=1)
        assert sum(class_sizes(database).values()) == 4
        assert sorted(class_sizes(database).values()) == sorted(Counter(expected.table["q"].to_pylist()).values())


def test_a_database_that_refuses_a_query_tells_no_values(tmp_path: Path) -> None:
    path = clinic(tmp_path, "CREATE TABLE people AS SELECT 'zqsecret' AS q")
    with DuckDB(path, query="SELECT CAST(q AS INTEGER) AS q FROM people") as database:
        with pytest.raises(SourceError, match="DuckDB cannot convert") as refusal:
            search_in_place(database, sf.Schema("q"), k=2)
        with pytest.raises(SourceError) as other:
            sf.anonymize(database, quasi_identifiers="q", k=2)
    assert "zqsecret" not in f"{refusal.value}{other.value}"


def test_printed_sql_says_that_it_was_not_checked(tmp_path: Path) -> None:
    path = clinic(
        tmp_path,
        "CREATE TABLE people (q VARCHAR COLLATE NOCASE, s VARCHAR)",
        f"INSERT INTO people VALUES {rows(ALIKE)}",
    )
    asked = ("sql", str(path), "--table", "people", "--qi", "q", "--rest", "drop", "-k", "4", "--release", "safe")
    printed = run(*asked)
    assert printed.stdout.startswith("-- Printed, not run: nobody has checked")
    assert "not run, so not checked" in printed.stderr
    created = run(*asked, "--create")
    assert created.stdout.startswith("BEGIN")
    assert "checked it" in created.stderr
    with DuckDB(path, "safe") as database:
        assert class_sizes(database) == {"*": 4}


# PostgreSQL


def filled(server: str, *statements: str) -> PostgreSQL:
    database = PostgreSQL(server, "people")
    for statement in ("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", *statements):
        database.execute(statement)
    return database


CASELESS = "CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"


@pytest.mark.parametrize("kind", ["text COLLATE caseless", "citext", "varchar(9) COLLATE caseless", "mood"])
def test_postgresql_compares_bytes(server: str, kind: str) -> None:
    mood = f"CREATE TYPE mood AS ENUM ({', '.join(repr(one) for one in ALIKE)})"
    database = filled(
        server,
        *(mood, CASELESS, "CREATE EXTENSION citext"),
        f"CREATE TABLE people (q {kind}, s text COLLATE caseless)",
        f"INSERT INTO people VALUES {rows(ALIKE)}",
    )
    with database:
        search_in_place(database, sf.Schema("q", sensitive="s"), k=4).create("safe", "table")
        assert class_sizes(database) == {"*": 4}
        read = sf.anonymize(database, quasi_identifiers="q", rest="drop", k=1, method="lattice")
        assert sorted(read.table["q"].to_pylist()) == sorted(ALIKE), "its rows are texts in memory, too"


def test_postgresql_tells_no_values_when_it_refuses(server: str) -> None:
    database = filled(server, "CREATE TABLE people AS SELECT 'zqsecret' AS q")
    database.source = "(SELECT CAST(q AS integer) AS q FROM people)"
    with database:
        with pytest.raises(SourceError, match="PostgreSQL cannot convert") as refusal:
            search_in_place(database, sf.Schema("q"), k=2)
        with pytest.raises(SourceError) as other:
            sf.anonymize(database, quasi_identifiers="q", k=2)
    assert "zqsecret" not in f"{refusal.value}{other.value}"


def test_postgresql_numbers_are_what_they_are_written_as(server: str) -> None:
    database = filled(
        server, "CREATE TABLE people (q numeric, s numeric)", "INSERT INTO people VALUES (1.0, 1), (1.00, 1)"
    )
    with database:
        search_in_place(database, sf.Schema("q", rest="drop"), k=2).create("safe")
        assert class_sizes(database) == {"*": 2}
        with pytest.raises(SchemaError, match="'q' has values that are written in several ways"):
            search_in_place(database, sf.Schema({"q": sf.Numeric(widths=(5,))}, rest="drop"), k=2)
        with pytest.raises(SchemaError, match="'q' has values that are written in several ways"):
            search_in_place(database, sf.Schema("s", sensitive="q"), k=2)
        database.execute("UPDATE people SET q = 1.5 WHERE ctid = (SELECT min(ctid) FROM people)")
        database.execute("DROP VIEW safe")
        search_in_place(database, sf.Schema({"q": sf.Numeric(widths=(5,))}, rest="drop"), k=2).create("safe")
        assert class_sizes(database) == {"[0.0, 5.0)": 2} or class_sizes(database) == {"[0, 5)": 2}
