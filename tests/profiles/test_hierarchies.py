"""Suggested hierarchies: of times, where nobody needs the minute; of codes, whose intervals mean nothing."""

from __future__ import annotations

import datetime as dt
import random

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.hierarchies import Categorical, Numeric, Ordered, Taxonomy
from sfumato.profiles.proposal import rounding_step

BEGIN = dt.datetime(2022, 1, 3, 8, 15)
TIMES = [BEGIN + dt.timedelta(hours=37 * row, minutes=row % 60) for row in range(300)]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array(TIMES, pa.timestamp("us")),
        pa.array([f"{time:%d.%m.%Y %H:%M}" for time in TIMES]),
        pa.array([f"{time:%Y-%m-%d %H:%M}" for time in TIMES]),
    ],
)
def test_times_are_suggested_by_the_calendar(cells: pa.Array) -> None:
    table = pa.table({"arrival": cells, "age": [20 + row % 60 for row in range(300)]})
    schema = sf.profile(table).schema({"arrival": "quasi-identifier", "age": "quasi-identifier"})
    release = sf.anonymize(table, schema, k=5)
    assert not [shown for shown in release.data["arrival"].to_pylist() if ":" in shown]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("province", [f"{at:02d}" for at in range(1, 50)], Categorical),
        ("veteran", [1, 2, 7, 9], Categorical),
        ("dwelling", [1, 2, 3, 4], Categorical),
        ("hours per week", list(range(10, 60)), Numeric),
        ("DistanceFromHome", list(range(1, 30)), Numeric),
        ("Quartal", ["2022/1", "2022/2", "2022/3", "2022/4"], Ordered),
        ("region", ["north", "east", "south", "west", "centre", "abroad", "islands"], Categorical),
    ],
)
def test_levels_mean_something(name: str, values: list[object], kind: type) -> None:
    draw = random.Random(5)
    cells = [*values, *(draw.choice(values) for _ in range(600))]
    found = sf.profile(pa.table({name: cells, "age": [20 + at % 60 for at in range(len(cells))]}))
    assert isinstance(found.hierarchies([name])[name], kind)


def test_the_widest_band_ends_where_the_table_does() -> None:
    bands = [f"[{low}-{low + 10})" for low in range(0, 100, 10)]
    found = sf.profile(pa.table({"age": bands * 60, "sex": ["f", "m"] * 300})).hierarchies(["age"])["age"]
    assert isinstance(found, Taxonomy)
    assert {row[2] for row in found.rows} == {"[0-40)", "[40-80)", "[80-100)"}
    starts = [int(row[0][1:].split("-")[0]) for row in found.rows]
    assert starts == sorted(starts), "whoever reads the file finds the bands from low to high"


def test_rounding_leaves_most_amounts_more_than_nothing() -> None:
    draw = random.Random(5)
    claims = [round(900 * draw.lognormvariate(0, 1.5), 2) for _ in range(900)]
    step = rounding_step(sf.profile(pa.table({"claim": claims, "age": [20 + at % 60 for at in range(900)]}))["claim"])
    assert step is not None
    assert sum(one < step / 2 for one in claims) < 90


def test_a_place_number_is_not_rounded() -> None:
    draw = random.Random(5)
    found = sf.profile(pa.table({"district": [draw.randint(1, 60) for _ in range(900)]}))
    assert rounding_step(found["district"]) is None


def test_rounding_that_changes_nothing_is_not_proposed() -> None:
    draw = random.Random(5)
    days = [min(30, int(draw.expovariate(0.2))) for _ in range(900)]
    found = sf.profile(pa.table({"days_of_bad_health": days, "age": [20 + at % 60 for at in range(900)]}))
    assert rounding_step(found["days_of_bad_health"]) is None
