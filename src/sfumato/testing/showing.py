"""Checks of released values: only declared levels, no bounds or means beside ``*``, and losses that match."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from sfumato.hierarchies import Dates, Numeric, Taxonomy
from sfumato.methods import Method
from sfumato.table.schema import Schema
from sfumato.testing.requests import certain_release, release
from sfumato.testing.tables import REGIONS, people

NARROW, WIDE = 5, 20
LEVELLED = Schema(
    quasi_identifiers={
        "age": Numeric(widths=(NARROW, WIDE)),
        "born": Dates(levels=("year", "decade")),
        "city": Taxonomy.from_dict(REGIONS),
    },
    sensitive=["illness", "income"],
    rest="drop",
)


def check_declared_levels(method: Method) -> None:
    """Check that numbers and dates show only declared levels that are true of them, and that the loss matches."""
    table = people(90, seed=4)
    made = certain_release(method, table, schema=LEVELLED, keep_order=True)
    kinds: dict[str, Callable[[Any], dict[str, float]]] = {"age": _age_labels, "born": _born_labels}
    for name, labels in kinds.items():
        values = table[name].to_pylist()
        extent = _width(min(values), max(values))
        lost = 0.0
        for value, shown in zip(values, made.table[name].to_pylist(), strict=True):
            true = labels(value) | {"*": extent}
            assert shown in true, (
                f"'{method.name}' shows '{shown}' of '{name}', which is no declared level of its value."
            )
            lost += min(1.0, true[shown] / extent) / len(values)
        found = made.loss.by_attribute[name]
        assert abs(found - lost) < 1e-9, f"'{method.name}' shows a loss of {lost} in '{name}' and counts {found}."


def _age_labels(age: int) -> dict[str, float]:
    intervals = [(age // width * width, width - 1) for width in (NARROW, WIDE)]
    return {str(age): 0.0} | {f"[{low}, {low + width}]": float(width) for low, width in intervals}


def _born_labels(born: dt.date) -> dict[str, float]:
    decade = born.year // 10 * 10
    year_width = _width(dt.date(born.year, 1, 1), dt.date(born.year, 12, 31))
    decade_width = _width(dt.date(decade, 1, 1), dt.date(decade + 9, 12, 31))
    return {str(born): 0.0, str(born.year): year_width, f"{decade}s": decade_width}


def _width(low: Any, high: Any) -> float:
    apart = high - low
    return float(apart.days if isinstance(apart, dt.timedelta) else apart)


def check_round_ends(method: Method) -> None:
    """Check that intervals on a grid have round ends and contain their value, and that the loss matches."""
    table = people(90, seed=6)
    roles = {"quasi_identifiers": ["age", "sex"], "sensitive": ["illness", "income"], "rest": "drop"}
    ages = table["age"].to_pylist()
    extent = max(ages) - min(ages)
    lost = 0.0
    made = certain_release(method, table, keep_order=True, ends="grid", **roles)
    for age, shown in zip(ages, made.table["age"].to_pylist(), strict=True):
        low, high = _interval(shown, age, extent)
        assert low <= age <= high, f"'{method.name}' shows '{shown}' of an age of {age}."
        is_round = shown in {"*", str(age)} or low % NARROW == (high + 1) % NARROW == 0
        assert is_round, f"'{method.name}' shows '{shown}' on a grid of {NARROW} years."
        lost += min(1.0, (high - low) / extent) / len(ages)
    found = made.loss.by_attribute["age"]
    assert abs(found - lost) < 1e-9, f"'{method.name}' shows a loss of {lost} in 'age' and counts {found}."


def _interval(shown: str, age: int, extent: int) -> tuple[int, int]:
    if shown == "*":
        return age, age + extent
    low, _, high = shown.strip("[]").partition(", ")
    return int(low), int(high or low)


def check_nothing_told(method: Method) -> None:
    """Check that values shown as ``*`` have no bounds, midpoint or mean, and that every interval has them."""
    request: dict[str, Any] = {"keep_order": True, "seed": 7}
    table = people(60, seed=5, missing=0.1)
    texts = release(method, table, **request)
    if texts is None:
        table = people(60, seed=5)
        texts = certain_release(method, table, **request)
    for intervals in ("bounds", "midpoint", "mean"):
        made = certain_release(method, table, intervals=intervals, **request).table
        for name in ("age", "born"):
            columns = [name] if intervals != "bounds" else [f"{name}_min", f"{name}_max"]
            originals = zip(*(made[column].to_pylist() for column in columns), strict=True)
            for text, values in zip(texts.table[name].to_pylist(), originals, strict=True):
                _compare(method, f"{intervals} of '{name}'", text, values)
    for row in texts.class_table().to_pylist():
        for name in ("age", "born"):
            _compare(method, f"class mean of '{name}'", row[name], (row[f"{name}_mean"],))


def _compare(method: Method, what: str, text: str | None, values: tuple[Any, ...]) -> None:
    nothing = text is None or text == "*"
    assert [value is None for value in values] == [nothing] * len(values), (
        f"'{method.name}': where the text is {text!r}, the {what} is {values}."
    )
