"""The search that reads counts from a database finds what the search over rows finds, and makes the same release."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.engines import Database, DuckDB, PostgreSQL, search_in_place
from sfumato.errors import CautionError, SchemaError, SourceError
from sfumato.io.databases.database import DatabaseSource
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, TCloseness

SCHEMA = sf.Schema(
    {
        "age": sf.Numeric(widths=(5, 10, 20)),
        "sex": None,
        "zip": sf.Prefix(),
        "job": sf.Taxonomy.from_dict({"desk": ["clerk", "lawyer"], "field": ["farmer", "guide"]}),
    },
    sensitive="illness",
    identifiers="name",
    plain="visits",
)


def people(rows: int = 400, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    missing = random.random(rows) < 0.05
    return pa.table(
        {
            "name": [f"person {row}" for row in range(rows)],
            "age": random.integers(18, 80, rows),
            "sex": pa.array(random.choice(["f", "m"], rows), mask=missing),
            "zip": random.choice(["53715", "53710", "53706", "53703", "60601"], rows),
            "job": random.choice(["clerk", "lawyer", "farmer", "guide"], rows),
            "illness": random.choice(["flu", "cold", "ulcer", "it's"], rows),
            "visits": random.integers(0, 9, rows),
        }
    )


def sorted_rows(table: pa.Table) -> list[tuple[object, ...]]:
    return sorted(map(repr, zip(*(table.column(name).to_pylist() for name in sorted(table.column_names)), strict=True)))


REQUESTS = [
    {"k": 5},
    {"k": 5, "suppression": 0.1},
    {"k": 3, "l": 2, "suppression": 0.2},
    {"privacy": TCloseness(0.3), "suppression": 0.2},
    {"privacy": [KAnonymity(3), LDiversity(3, kind="distinct")], "suppression": 0.2},
    {"privacy": LDiversity(2.5, kind="entropy"), "suppression": 0.3},
    {"privacy": [LDiversity(2, kind="recursive", c=1.0), LDiversity(3, kind="distinct")], "suppression": 0.3},
]


def check_same(database: Database, request: dict, kind: str) -> None:
    """Compare with the release of the same table in memory."""
    found = search_in_place(database, SCHEMA, **request)
    expected = sf.anonymize(people(), SCHEMA, method="lattice", **request)
    assert found.levels == expected.levels
    assert found.suppressed == expected.suppressed
    for name in expected.alternatives.column_names:
        told, truth = found.alternatives[name].to_pylist(), expected.alternatives[name].to_pylist()
        assert told == (pytest.approx(truth) if isinstance(truth[0], float) else truth)
    found.create("safe", kind)
    released = database.query('SELECT * FROM "safe"')
    strings = expected.table.cast(
        pa.schema([(n, pa.int64() if n == "visits" else pa.string()) for n in expected.table.column_names])
    )
    assert sorted_rows(released) == sorted_rows(strings)


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
@pytest.mark.parametrize("kind", ["parquet", "csv", "database"])
def test_duckdb_makes_the_same_release(tmp_path: Path, request_: dict, kind: str) -> None:
    path = tmp_path / f"people.{kind}"
    if kind == "parquet":
        pq.write_table(people(), path)
    elif kind == "csv":
        duckdb.from_arrow(people()).write_csv(str(path))
    else:
        with duckdb.connect(str(path)) as connection:
            connection.register("rows_", people())
            connection.execute("CREATE TABLE people AS FROM rows_")
    with DuckDB(path) as database:
        check_same(database, request_, "table" if kind == "database" else "view")


#: What a view can check by itself.
FOLLOWED = [
    (KAnonymity(5),),
    (KAnonymity(3), LDiversity(3, kind="distinct")),
    (LDiversity(2),),
    (LDiversity(2.5, kind="entropy"),),
    (LDiversity(3, kind="recursive", c=2.0), KAnonymity(4)),
]


def check_following(database: Database, models: tuple[PrivacyModel, ...]) -> None:
    """Change a table under a view; compare with a recoding of the changed table in memory."""
    found = search_in_place(database, SCHEMA, privacy=models, method=finest(), suppression=0.2)
    found.create("safe")
    # Half of the rows go, and some of the others fall ill alike: classes shrink and become less diverse.
    database.execute("DELETE FROM people WHERE visits > 3")
    database.execute("UPDATE people SET illness = 'flu' WHERE visits = 1")
    left = database.query("SELECT * FROM people")
    expected = sf.recode(left, SCHEMA, levels=found.levels, privacy=models, suppression=1.0)
    assert 0 < expected.suppressed < left.num_rows
    shown = database.query('SELECT * FROM "safe"')
    assert shown.num_rows == expected.table.num_rows
    texts = pa.schema([(name, pa.string()) for name in expected.table.column_names])
    assert sorted_rows(shown.cast(texts)) == sorted_rows(expected.table.cast(texts))


@pytest.mark.parametrize("models", FOLLOWED, ids=str)
def test_a_view_shows_only_what_keeps_the_models_when_the_data_changes(
    tmp_path: Path, models: tuple[PrivacyModel, ...]
) -> None:
    with DuckDB(database_of(tmp_path, people())) as database:
        check_following(database, models)


def test_a_view_does_not_show_values_that_have_no_label(tmp_path: Path) -> None:
    with DuckDB(database_of(tmp_path, people())) as database:
        found = search_in_place(database, SCHEMA, k=5, method=at_age(1))
        assert found.levels["age"] == 1
        found.create("safe")
        before = sorted_rows(database.query("SELECT * FROM safe"))
        database.execute(
            "INSERT INTO people SELECT 'new', 117, sex, zip, job, illness, visits FROM people WHERE visits < 4"
        )
        assert sorted_rows(database.query("SELECT * FROM safe")) == before


def test_the_script_runs_in_another_database(tmp_path: Path) -> None:
    pq.write_table(people(), tmp_path / "people.parquet")
    with DuckDB(tmp_path / "people.parquet") as database:
        found = search_in_place(database, SCHEMA, k=5, suppression=0.05)
        script = found.sql("safe", "table")
        found.create("safe")
        expected = sorted_rows(database.query("SELECT * FROM safe"))
    with duckdb.connect() as other:
        other.execute(script)
        assert sorted_rows(other.sql("SELECT * FROM safe").to_arrow_table()) == expected


def database_of(tmp_path: Path, table: pa.Table) -> Path:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("rows_", table)
        connection.execute("CREATE TABLE people AS FROM rows_")
    return path


def at_age(level: int) -> sf.Lattice:
    """A search that releases an answer with the age at one level."""
    return sf.Lattice(minimize=lambda levels, losses: abs(levels["age"] - level))


def finest() -> sf.Lattice:
    """A search that releases an answer of the least height, whose classes are small."""
    return sf.Lattice(minimize="height")


def tables_of(database: DuckDB) -> list[str]:
    """All tables and views but those that last as long as the session."""
    found = database._connection.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'main'")
    return sorted(row[0] for row in found.fetchall() if not row[0].startswith("sfumato_search_"))


def test_releases_at_other_levels_leave_each_other_alone(tmp_path: Path) -> None:
    with DuckDB(database_of(tmp_path, people())) as database:
        one, other = (search_in_place(database, SCHEMA, k=2, method=at_age(level)) for level in (2, 3))
        assert (one.levels["age"], other.levels["age"]) == (2, 3)
        one.create("a")
        before = sorted_rows(database.query("SELECT * FROM a"))
        other.create("b")
        assert sorted_rows(database.query("SELECT * FROM a")) == before
        assert sorted_rows(database.query("SELECT * FROM b")) != before


def test_a_table_needs_no_dimensions_once_it_is_made(tmp_path: Path) -> None:
    with DuckDB(database_of(tmp_path, people())) as database:
        search_in_place(database, SCHEMA, k=2, method=at_age(2)).create("safe", "table")
        assert tables_of(database) == ["people", "safe"]


def test_a_release_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    with DuckDB(database_of(tmp_path, people())) as database:
        found = search_in_place(database, SCHEMA, k=5)
        found.create("safe")
        with pytest.raises(SourceError, match="already has 'safe'"):
            found.create("safe")
        database.execute("DROP VIEW safe")
        found.create("safe")


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    with DuckDB(database_of(tmp_path, people())) as database:
        found = search_in_place(database, SCHEMA, k=5)
        with pytest.raises(SourceError, match="refuses a statement"):
            found.create("no_such_schema.safe")
        assert tables_of(database) == ["people"]


def test_names_that_differ_little_stay_apart(tmp_path: Path) -> None:
    random = np.random.default_rng(2)
    names = ["Pay in €", "pay_in__", "PAY IN  ", "x" * 80 + "1", "x" * 80 + "2"]
    table = pa.table({name: random.integers(0, 40, 500) for name in names})
    schema = sf.Schema({name: sf.Numeric(widths=(10, 20)) for name in names})
    with DuckDB(database_of(tmp_path, table.rename_columns(list("abcde")))) as database:
        columns = ", ".join(f'{short} AS "{name}"' for short, name in zip("abcde", names, strict=True))
        # DuckDB does not tell columns apart by case alone.
        columns, kept = columns.replace(', c AS "PAY IN  "', ""), [names[0], names[1], *names[3:]]
        database.execute(f"CREATE VIEW named AS SELECT {columns} FROM people")
        database.source = "named"
        found = search_in_place(database, sf.Schema({name: schema.quasi_identifiers[name] for name in kept}), k=20)
        found.create("safe")
        expected = sf.recode(table.select(kept), found.schema, levels=found.levels)
        assert sorted_rows(database.query("SELECT * FROM safe")) == sorted_rows(expected.table)
        assert set(found.levels.values()) & {1, 2}


def test_the_order_of_rows_is_not_that_of_the_table(tmp_path: Path) -> None:
    table = people(2000).append_column("number", pa.array(range(2000)))
    schema = sf.Schema({"age": sf.Numeric(widths=(10,))}, plain="number", rest="drop")
    with DuckDB(database_of(tmp_path, table)) as database:
        with pytest.raises(CautionError, match="'number' is released as it is, and 2,000 of 2,000"):
            search_in_place(database, schema, k=2)
        found = search_in_place(database, schema, k=2, confirm="number")
        for kind in ("view", "table"):
            found.create(f"safe_{kind}", kind)
            numbers = database.query(f"SELECT number FROM safe_{kind}")["number"].to_numpy()
            assert sorted(numbers) == list(range(2000))
            assert abs(np.corrcoef(numbers, np.arange(2000))[0, 1]) < 0.2


def test_a_sensitive_column_as_good_as_a_name_is_refused_in_a_database(tmp_path: Path) -> None:
    table = people(200).append_column("case", pa.array([f"K{step}" for step in range(200)]))
    table = table.append_column("creatinine", pa.array([0.9 + step / 1000 for step in range(200)]))
    schema = sf.Schema({"age": sf.Numeric(widths=(10, 50))}, sensitive=["case", "creatinine"], rest="drop")
    with DuckDB(database_of(tmp_path, table)) as database:
        with pytest.raises(CautionError, match="'case' is released as it is, and 200 of 200") as refused:
            search_in_place(database, schema, k=2)
        assert [one.columns for one in refused.value.cautions if one.severity == "error"] == [("case",)]
        search_in_place(database, schema, k=2, confirm="case")


def test_missing_values_between_the_levels(tmp_path: Path) -> None:
    random = np.random.default_rng(4)
    ages = pa.array(random.integers(18, 60, 300), mask=random.random(300) < 0.1)
    table = pa.table({"age": ages, "zip": random.choice(["53715", "53710", "53706"], 300)})
    schema = sf.Schema({"age": sf.Numeric(widths=(10, 20)), "zip": sf.Prefix()})
    with DuckDB(database_of(tmp_path, table)) as database:
        found = search_in_place(database, schema, k=5, method=at_age(1))
        assert found.levels["age"] == 1
        found.create("safe")
        released = sf.recode(table, schema, levels=found.levels, k=5).table
        assert released["age"].null_count > 0
        assert sorted_rows(database.query("SELECT * FROM safe")) == sorted_rows(released)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="There is no file"):
        DuckDB(tmp_path / "nothing.parquet")
    pq.write_table(pa.table({"a": [1]}), tmp_path / "t.parquet")
    with DuckDB(tmp_path / "t.parquet") as database, pytest.raises(SchemaError, match="no column"):
        search_in_place(database, sf.Schema("b", rest="drop"), k=2)


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_postgresql_makes_the_same_release(server: str, request_: dict) -> None:
    with PostgreSQL(server, "people") as database:
        for statement in ('DROP VIEW IF EXISTS "safe"', "DROP TABLE IF EXISTS people"):
            database.execute(statement)
        with database._connection.cursor() as cursor:
            cursor.adbc_ingest("people", people(), mode="create")
        check_same(database, request_, "view")


@pytest.mark.parametrize("models", FOLLOWED, ids=str)
def test_a_view_in_postgresql_follows_the_data(server: str, models: tuple[PrivacyModel, ...]) -> None:
    with PostgreSQL(server, "people") as database:
        for statement in ('DROP VIEW IF EXISTS "safe"', "DROP TABLE IF EXISTS people"):
            database.execute(statement)
        with database._connection.cursor() as cursor:
            cursor.adbc_ingest("people", people(), mode="create")
        check_following(database, models)


def test_postgresql_says_what_is_wrong(server: str) -> None:
    with pytest.raises(SourceError, match="cannot be reached"):
        PostgreSQL("postgresql:///postgres?host=/nowhere", "people")
    with PostgreSQL(server, "no_such_table") as database, pytest.raises(SourceError, match="refuses"):
        database.columns()


def test_postgresql_is_read_row_by_row(server: str) -> None:
    with PostgreSQL(server, "people") as database:
        for statement in ('DROP VIEW IF EXISTS "safe"', "DROP TABLE IF EXISTS people"):
            database.execute(statement)
        with database._connection.cursor() as cursor:
            cursor.adbc_ingest("people", people(), mode="create")
        database.execute("ALTER TABLE people ALTER COLUMN age TYPE numeric(6, 1)")
        release = sf.anonymize(database, SCHEMA, k=5, method="lattice")
        expected = sf.anonymize(people(), SCHEMA, k=5, method="lattice")
        # What is exact in the database is a number here, not a text.
        assert release.manifest["kinds"] == expected.manifest["kinds"]
        assert release.levels == expected.levels
        assert sf.check(database, quasi_identifiers=["age"], k=1).rows == 400


def test_postgresql_is_streamed_to_an_engine(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(*_: object) -> NoReturn:
        raise AssertionError("the whole table is loaded")

    with PostgreSQL(server, "people") as database:
        for statement in ('DROP VIEW IF EXISTS "safe"', "DROP TABLE IF EXISTS people"):
            database.execute(statement)
        with database._connection.cursor() as cursor:
            cursor.adbc_ingest("people", people(), mode="create")
        database.execute("ALTER TABLE people ALTER COLUMN age TYPE numeric(6, 1)")
        expected = sf.anonymize(database, SCHEMA, k=5, method="mondrian", engine="memory").table
        monkeypatch.setattr(DatabaseSource, "_read", loaded)
        found = sf.anonymize(database, SCHEMA, k=5, method="mondrian", engine="duckdb").table
        assert sorted_rows(found) == sorted_rows(expected)
        assert database.query("SELECT count(*) AS n FROM people")["n"].to_pylist() == [400], "the session is of use"
    with PostgreSQL(server, query="SELECT * FROM people WHERE sex = 'f';") as women:
        rows = women.count()
        assert 0 < rows < 400
        assert sf.check(women, quasi_identifiers="age", k=1, engine="duckdb").rows == rows
    wrongs: list[dict[str, Any]] = [{}, {"table": "people", "query": "SELECT 1"}]
    for wrong in wrongs:
        with pytest.raises(SourceError, match=r"Name (a table|one of them)"):
            PostgreSQL(server, **wrong)
