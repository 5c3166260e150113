"""Hostile tables: whatever has been mistaken for something else, in columns of every kind."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pyarrow as pa

import sfumato as sf

#: Texts that readers, spreadsheets or programs take for something else.
TEXTS = [
    *("", " ", "a", "A", "b", "NA", "N/A", "null", "None", "nan", "NaN", "-", "?", "inf", "true", "TRUE", "0", "00"),
    *(
        "1",
        "1.0",
        "1e0",
        "01",
        " 1",
        "1 ",
        "=x",
        "'=x",
        "''=x",
        "+1",
        "-1",
        "@x",
        "\t=x",
        "x,y",
        "x;y",
        "x\ty",
        "*",
        "**",
    ),
    *("[1, 2]", "[a, b]", 'say "x"', '"', "'", "two\nlines", "two\r\nlines", "\r", "\u2028", "\x0c", "\x85", "\ufeffa"),
    *("ü", "u\u0308", "ß", "😀", "2024-01-01", "2020s", "\\", "\\N", "#", "a" * 70, "\u202ea", "0x10", "1_000", "½"),
]
TREE = {"north": {"coast": ["bay", "cape"], "inland": ["moor"]}, "south": {"hills": ["glen", "peak"]}}
LEAVES = ["bay", "cape", "moor", "glen", "peak"]
ANCESTORS = {
    "bay": {"coast", "north"},
    "cape": {"coast", "north"},
    "moor": {"inland", "north"},
    "glen": {"hills", "south"},
    "peak": {"hills", "south"},
}
GRADES = ["none", "some, more or less", "enough", "plenty"]
#: Groups of illnesses, for hierarchical distances.
ILLNESSES = {"lung": ["flu", "asthma", "cold"], "gut": ["ulcer", "gastritis"], "skin": ["acne"]}


@dataclass(frozen=True)
class Column:
    """A column of a table: its cells, its kind for whoever judges what is shown of it, and how it is declared."""

    name: str
    kind: str
    cells: list[Any]
    arrow: pa.Array = field(repr=False)
    how: Any = None
    #: Whether widths of shown intervals can be told.
    scaled: bool = False


def quasi_identifier(rng: random.Random, name: str, rows: int) -> Column:
    """Return a column of a random kind; few different values, so that classes are not all the same."""
    make = rng.choice(
        [_integers, _integers, _floats, _decimals, _dates, _moments, _words, _grades, _codes, _places, _flags]
    )
    return make(rng, name, rows)


def sensitive(rng: random.Random, name: str, rows: int) -> Column:
    """Return a sensitive column: words, numbers or illnesses, more or less even."""
    kind = rng.choice(["category", "category", "number", "float", "illness"])
    if kind == "illness":
        values: list[Any] = rng.sample([one for group in ILLNESSES.values() for one in group], rng.randint(2, 6))
        arrow = pa.string()
    elif kind == "number":
        values, arrow = rng.sample(range(-3, 40), rng.randint(2, 6)), pa.int64()
    elif kind == "float":
        values = rng.sample([0.1, 0.2, -1.5, 1e300, 3.0, float("inf"), float("-inf"), 1e-9], rng.randint(2, 6))
        arrow = pa.float64()
    else:
        values, arrow = rng.sample(TEXTS, rng.randint(2, 6)), pa.string()
    weights = [rng.choice([1, 1, 1, 3]) for _ in values]
    cells = _with_missing(rng, rng.choices(values, weights, k=rows))
    return Column(name, "number" if kind == "float" else kind, cells, pa.array(cells, arrow))


def _with_missing(rng: random.Random, cells: list[Any]) -> list[Any]:
    if rng.random() < 0.7:
        return cells
    made = [None if rng.random() < 0.2 else cell for cell in cells]
    return made if any(cell is not None for cell in made) else cells


def _column(
    rng: random.Random, name: str, kind: str, cells: list[Any], arrow: pa.DataType, how: Any, scaled: bool
) -> Column:
    cells = _with_missing(rng, cells)
    array = pa.array(cells, arrow)
    if kind == "category" and rng.random() < 0.2:
        array = array.dictionary_encode()
    return Column(name, kind, cells, array, how, scaled)


def _integers(rng: random.Random, name: str, rows: int) -> Column:
    base = rng.choice([0, 0, -10, 2**53, 2**60, -(2**62)])
    cells = [base + rng.randint(0, rng.choice([3, 12, 40])) for _ in range(rows)]
    if rng.random() < 0.3:
        cells[rng.randrange(rows)] = rng.choice([2 * 10**10, -(10**12), 10**15])
    how = rng.choice([None, sf.Numeric(), sf.Numeric(widths=(5, 10)), sf.Numeric(widths=(2, 4, 20))])
    return _column(rng, name, "number", cells, pa.int64(), how, True)


def _floats(rng: random.Random, name: str, rows: int) -> Column:
    scale = rng.choice([10, 10, 3, 1000])
    cells = [rng.randint(-5, 20) / scale for _ in range(rows)]
    if rng.random() < 0.3:
        cells[rng.randrange(rows)] = rng.choice([1e300, -1e17, 2e10, 1e-300, -0.0])
    how = rng.choice([None, sf.Numeric(), sf.Numeric(widths=(0.5, 1.0))])
    return _column(rng, name, "number", cells, pa.float64(), how, True)


def _decimals(rng: random.Random, name: str, rows: int) -> Column:
    base = rng.choice([0, 10**27])
    cells = [Decimal(base * 100 + rng.randint(-50, 900)) / 100 for _ in range(rows)]
    cells = [cell.quantize(Decimal("0.01")) if not base else Decimal(base) + rng.randint(0, 9) for cell in cells]
    return _column(rng, name, "number", cells, pa.decimal128(32, 2), rng.choice([None, sf.Numeric()]), True)


def _dates(rng: random.Random, name: str, rows: int) -> Column:
    first = dt.date(rng.choice([1899, 1969, 2023]), 12, 20)
    cells = [first + dt.timedelta(days=rng.randint(0, rng.choice([5, 60, 2000]))) for _ in range(rows)]
    levels = rng.choice([None, sf.Dates(), sf.Dates(levels=("month", "year")), sf.Dates(levels=("year", "decade"))])
    return _column(rng, name, "date", cells, pa.date32(), levels, True)


def _moments(rng: random.Random, name: str, rows: int) -> Column:
    first = dt.datetime(2024, 3, 30, 22, 0)
    steps = rng.choice([dt.timedelta(microseconds=1), dt.timedelta(hours=1), dt.timedelta(seconds=1)])
    cells = [first + rng.randint(0, 30) * steps for _ in range(rows)]
    kind = pa.timestamp(rng.choice(["us", "ns"]))
    return _column(rng, name, "moment", cells, kind, rng.choice([None, sf.Dates(levels=("day", "month"))]), False)


def _words(rng: random.Random, name: str, rows: int) -> Column:
    words = rng.sample(TEXTS, rng.randint(2, 6))
    return _column(
        rng, name, "category", rng.choices(words, k=rows), pa.string(), rng.choice([None, sf.Categorical()]), False
    )


def _grades(rng: random.Random, name: str, rows: int) -> Column:
    return _column(rng, name, "grade", rng.choices(GRADES, k=rows), pa.string(), sf.Ordered(GRADES), True)


def _codes(rng: random.Random, name: str, rows: int) -> Column:
    cells = [f"0{rng.randint(1, 3)}{rng.randint(0, 2)}{rng.choice('12')}" for _ in range(rows)]
    return _column(rng, name, "prefix", cells, pa.string(), sf.Prefix(), False)


def _places(rng: random.Random, name: str, rows: int) -> Column:
    return _column(rng, name, "tree", rng.choices(LEAVES, k=rows), pa.string(), sf.Taxonomy(TREE), False)


def _flags(rng: random.Random, name: str, rows: int) -> Column:
    return _column(rng, name, "flag", [rng.random() < 0.5 for _ in range(rows)], pa.bool_(), None, False)
