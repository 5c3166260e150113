"""Random releases inside databases, held against what a client reads who counts the rows outside of them.

One number makes one case: ``python -m tests.fuzz.in_database --seed 17 --cases 1`` repeats case 17; with ``--postgres``
the tables are in PostgreSQL instead of DuckDB.
"""

from __future__ import annotations

import random
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from tests import postgres
from tests.fuzz import outsider
from tests.fuzz.hostile import ANCESTORS, LEAVES, TREE
from tests.fuzz.search import Finding, judged, search

import sfumato as sf
from sfumato.engines import Database, DuckDB, PostgreSQL, search_in_place
from sfumato.errors import SfumatoError

#: Texts that are one to a collation without case or accents.
ALIKE = ["anna", "Anna", "ANNA", "ánna", "it's", "IT'S", "", " ", "a", "A", "straße", "STRASSE"]


class Column(NamedTuple):
    """A column: its kind for the judge, its type, its cells as SQL, and what they are."""

    kind: str
    type: str
    cells: list[Any]
    how: Any = None


def column(rng: random.Random, rows: int, served: bool) -> Column:
    """A quasi-identifier of a random kind."""
    make = rng.choice([_texts, _texts, _leaves, _integers, _numbers, _dates])
    return make(rng, rows, served)


def _texts(rng: random.Random, rows: int, served: bool) -> Column:
    kinds = ["text", "text COLLATE caseless", "citext", "varchar(30) COLLATE caseless"]
    type_ = rng.choice(kinds if served else ["VARCHAR", "VARCHAR COLLATE NOCASE", "VARCHAR COLLATE NOCASE.NOACCENT"])
    words = rng.sample(ALIKE, rng.randint(2, 5))
    return Column("category", type_, rng.choices(words, k=rows))


def _leaves(rng: random.Random, rows: int, served: bool) -> Column:
    return Column("tree", "VARCHAR", rng.choices(LEAVES, k=rows), sf.Taxonomy(TREE))


def _integers(rng: random.Random, rows: int, served: bool) -> Column:
    base, type_ = rng.choice([(0, "INTEGER"), (-(2**63), "BIGINT"), *([] if served else [(2**64 - 50, "UBIGINT")])])
    cells = [base + rng.randint(0, rng.choice([4, 40])) for _ in range(rows)]
    return Column("number", type_, cells, rng.choice([None, sf.Numeric(widths=(5, 10)), sf.Numeric(widths=(2, 20))]))


def _numbers(rng: random.Random, rows: int, served: bool) -> Column:
    type_ = rng.choice(["DOUBLE PRECISION", "REAL", "DECIMAL(10, 2)"])
    cells = [rng.choice([0.1, 0.2, 0.25, 0.75, 1.5, 7.3, -2.4, -0.0, 0.0]) for _ in range(rows)]
    return Column("number", type_, cells, rng.choice([None, sf.Numeric(widths=(0.5, 1.0)), sf.Numeric(widths=(5,))]))


def _dates(rng: random.Random, rows: int, served: bool) -> Column:
    cells = [f"20{rng.randint(10, 29)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}" for _ in range(rows)]
    return Column("date", "DATE", cells, sf.Dates(levels=("month", "year", "decade")))


def sensitive(rng: random.Random, rows: int, served: bool) -> Column:
    """A sensitive column of words."""
    return _texts(rng, rows, served)._replace(cells=rng.choices(rng.sample(ALIKE, 3), k=rows))


def models_of(rng: random.Random) -> tuple[list[Any], list[dict[str, Any]]]:
    """Privacy models, and the same as promises for whoever judges them."""
    k = rng.choice([2, 2, 3, 5])
    models, promises = [sf.KAnonymity(k)], [{"model": "k", "k": k}]
    if rng.random() < 0.6:
        kind = rng.choice(["frequency", "distinct", "entropy", "recursive"])
        c = 2 if kind == "recursive" else None
        models.append(sf.LDiversity(2, kind=kind, c=c, column="s"))
        promises.append({"model": "l", "l": 2, "kind": kind, "c": c, "column": "s"})
    return models, promises


def quoted(cell: Any) -> str:
    """A cell as a literal of SQL."""
    return "NULL" if cell is None else "'" + str(cell).replace("'", "''") + "'"


def fill(database: Any, columns: dict[str, Column]) -> None:
    """Make the table ``people``."""
    kinds = ", ".join(f"{name} {one.type}" for name, one in columns.items())
    rows = zip(*(one.cells for one in columns.values()), strict=True)
    values = ", ".join(f"({', '.join(map(quoted, row))})" for row in rows)
    database.execute(f"CREATE TABLE people ({kinds})")
    database.execute(f"INSERT INTO people VALUES {values}")


def run(seed: int, folder: Path, server: str | None) -> str:
    """Make the release of a case in a database, and judge what a client reads; return what became of it."""
    rng = random.Random(seed)
    rows = rng.randint(2, 40)
    columns = {f"q{at}": column(rng, rows, server is not None) for at in range(rng.choice([1, 2, 2, 3]))}
    for name, one in columns.items():
        if rng.random() < 0.3:
            columns[name] = one._replace(cells=[None if rng.random() < 0.2 else cell for cell in one.cells])
    names = list(columns)
    columns["s"] = sensitive(rng, rows, server is not None)
    models, promises = models_of(rng)
    path = folder / f"{seed}.duckdb"
    database: Database
    if server is None:
        with duckdb.connect(str(path)) as made:
            fill(made, columns)
        database = DuckDB(path, "people")
    else:
        database = PostgreSQL(server, "people")
        for statement in ("DROP SCHEMA public CASCADE", "CREATE SCHEMA public", *_EXTRAS):
            database.execute(statement)
        fill(database, columns)
    schema = sf.Schema({name: columns[name].how for name in names}, sensitive="s")
    kind, share = rng.choice(["view", "table"]), rng.choice([0.0, 0.2, 1.0])
    try:
        with database:
            if server is None and rng.random() < 0.2:
                database.execute("PRAGMA default_collation = NOCASE")
            found = search_in_place(database, schema, privacy=models, suppression=share)
            found.create("safe", kind)
            released = database.query("SELECT * FROM safe")
    except SfumatoError as error:
        if "not kept" in str(error) and "has no rows" not in str(error):
            raise Finding(f"the product blames itself: {error}") from error
        return type(error).__name__
    finally:
        path.unlink(missing_ok=True)
    texts = [{name: None if cell is None else str(cell) for name, cell in row.items()} for row in released.to_pylist()]
    judge(columns, names, promises, texts, found.suppressed, share)
    return "released"


_EXTRAS: Sequence[str] = (
    "CREATE EXTENSION citext",
    "CREATE COLLATION caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
)


def judge(
    columns: dict[str, Column], names: list[str], promises: Any, rows: list[Any], suppressed: int, share: float
) -> None:
    """Hold what a client reads against what was promised."""
    original = len(columns["s"].cells)
    if len(rows) != original - suppressed or suppressed > share * original + 1e-6:
        raise Finding(f"{len(rows)} rows of {original}, and {suppressed} are said to be left out")
    classes = outsider.classes_of(rows, names)
    for promise in promises:
        fault = outsider.broken(promise, classes, {name: [name] for name in names})
        if fault:
            raise Finding(fault)
    fits = [[at for at in range(original) if _is_true(columns, names, at, row)] for row in rows]
    if not outsider.matched(len(rows), fits):
        lost = [row for row, one in zip(rows, fits, strict=True) if not one]
        raise Finding(f"no original rows fit what is shown, such as {lost[:1]}")


def _is_true(columns: dict[str, Column], names: list[str], at: int, row: Any) -> bool:
    if columns["s"].cells[at] != row["s"]:
        return False
    for name in names:
        cell, shown = columns[name].cells[at], row[name]
        if columns[name].kind == "category":
            if shown not in {"*", cell}:
                return False
        elif not outsider.is_true(columns[name].kind, cell, [shown], ANCESTORS, []):
            return False
    return True


def attempt(seed: int, folder: Path, server: str | None = None) -> str:
    """Run the case of a seed; whatever is found says how to repeat it."""
    where = "--postgres" if server else ""
    return judged(lambda: run(seed, folder, server), "tests.fuzz.in_database", seed, where)


def main() -> None:
    """Search in DuckDB, or in a PostgreSQL of its own."""
    served = "--postgres" in sys.argv
    sys.argv = [word for word in sys.argv if word != "--postgres"]
    with tempfile.TemporaryDirectory() as folder, postgres.started() if served else nullcontext() as server:
        search(lambda seed: attempt(seed, Path(folder), server), __doc__)


if __name__ == "__main__":
    main()
