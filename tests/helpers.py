"""Random tables with every kind of quasi-identifier, for anyone's tests.

`table_strategy` draws a table of plain Python cells; `microdata_strategy` the same, encoded.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from sfumato.hierarchies import Categorical, Dates, Hierarchy, Numeric, Ordered, Prefix, Taxonomy
from sfumato.methods import Task
from sfumato.privacy import KAnonymity, PrivacyModel, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

COUNTRIES = Taxonomy.from_dict(
    {"Europe": {"South": ["Italy", "Spain"], "West": ["France"]}, "Asia": {"East": ["Japan", "Korea"]}, "Nowhere": []}
)
GRADES = ["none", "school", "college", "degree", "doctorate"]

#: Every kind of quasi-identifier: how it generalizes, its Arrow type, and its cells.
KINDS: dict[str, tuple[Hierarchy, pa.DataType, st.SearchStrategy[Any]]] = {
    "number": (Numeric(), pa.int64(), st.integers(-9, 9)),
    "binned": (Numeric(widths=(5, 10, 20)), pa.int32(), st.integers(-30, 60)),
    "tenths": (Numeric(widths=(0.1, 0.5)), pa.float64(), st.integers(-15, 15).map(lambda tenths: tenths / 10)),
    "category": (Categorical(), pa.string(), st.sampled_from("abcde")),
    "country": (COUNTRIES, pa.string(), st.sampled_from([row[0] for row in COUNTRIES.rows])),
    "zip": (Prefix(), pa.string(), st.text("012", min_size=1, max_size=3)),
    "day": (Dates(), pa.date32(), st.dates(dt.date(1968, 11, 1), dt.date(1971, 3, 1))),
    "month": (Dates(("month", "year", "decade")), pa.date32(), st.dates(dt.date(1968, 11, 1), dt.date(1971, 3, 1))),
    "grade": (Ordered(GRADES), pa.string(), st.sampled_from(GRADES)),
}


@dataclass(frozen=True)
class PlainTable:
    """A table of Python cells: its quasi-identifiers, how they generalize, its sensitive columns, its weights."""

    cells: dict[str, list[Any]]
    sensitive: dict[str, list[Any]] = field(default_factory=dict)
    weights: dict[str, float] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.cells.values())))

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        return {name: KINDS[name][0] for name in self.cells}

    def encoded(self) -> Microdata:
        columns = {name: pa.array(cells, KINDS[name][1]) for name, cells in self.cells.items()}
        columns |= {name: pa.array(cells) for name, cells in self.sensitive.items()}
        return encode(pa.table(columns), self.hierarchies, list(self.sensitive), self.weights)


@st.composite
def table_strategy(
    draw: st.DrawFn,
    *,
    rows: tuple[int, int] = (1, 24),
    kinds: Sequence[str] = tuple(KINDS),
    most_columns: int = 4,
    missing: bool = True,
    sensitive: int = 1,
) -> PlainTable:
    """Draw a table; cells of a column may be missing, but never all of them."""
    count = draw(st.integers(*rows))
    names = draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=most_columns, unique=True))
    cells = {name: draw(cells_strategy(name, count, missing)) for name in names}
    values = st.lists(st.sampled_from(["flu", "gout", "measles", "zoster"]), min_size=count, max_size=count)
    weights = {name: draw(st.sampled_from([0.5, 1.0, 3.0])) for name in names if draw(st.booleans())}
    return PlainTable(cells, {f"s{at}": draw(values) for at in range(sensitive)}, weights)


@st.composite
def cells_strategy(draw: st.DrawFn, kind: str, count: int, missing: bool) -> list[Any]:
    """Draw the cells of one column."""
    value = KINDS[kind][2]
    cell = st.one_of(st.none(), value, value, value) if missing else value
    return [draw(value), *draw(st.lists(cell, min_size=count - 1, max_size=count - 1))]


def microdata_strategy(**options: Any) -> st.SearchStrategy[Microdata]:
    """Draw an encoded table; the options are those of `table_strategy`."""
    return table_strategy(**options).map(PlainTable.encoded)


def encoded_column(values: pa.Array | pa.ChunkedArray, how: Hierarchy | None = None) -> Microdata:
    """Encode a single column, called 'a'."""
    return encode(pa.table({"a": values}), {"a": how})


def task_of(microdata: Microdata, models: int | Sequence[PrivacyModel], suppressible: int = 0) -> Task:
    """Return what a method is asked to do with a table; a number alone is k."""
    asked = (KAnonymity(models),) if isinstance(models, int) else tuple(models)
    return Task(microdata, Requirements(asked, microdata), suppressible)
