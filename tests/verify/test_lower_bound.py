"""The check of a bound, against all partitions of small tables and against files that somebody changed."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import runpy
import stat
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.errors import DataError, ParameterError
from sfumato.verify.bound_claim import digest_of_record
from sfumato.verify.lower_bound import verify_bound

SCRIPT = Path(__file__).parents[2] / "docs" / "explanation" / "check_bound.py"
UNIT = 10**6
LEAVES = ["a", "b", "c", "d", "e"]
LEVELS = [[0, 1, 2, 3, 4], [0, 0, 1, 1, 1], [0, 0, 0, 0, 0]]
Row = tuple[int | None, str, str]


# An obvious second implementation, in fractions


def loss_of(rows: list[Row], table: list[Row], weights: tuple[int, int]) -> Fraction:
    """What each row of a class loses: intervals of x, and nodes of the tree of y."""
    known = [x for x, *_ in table if x is not None]
    extent = max(known, default=0) - min(known, default=0)
    ends = {x for x, *_ in rows}
    if len(ends) == 1 or not extent:
        of_x = Fraction(0 if None not in ends or len(ends) == 1 else 1)
    else:
        of_x = Fraction(1) if None in ends else Fraction(max(ends) - min(ends), extent)  # type: ignore[type-var, operator]
    shown = {LEAVES.index(y) for _, y, _ in rows}
    level = next(level for level in LEVELS if len({level[leaf] for leaf in shown}) == 1)
    size = sum(group == level[min(shown)] for group in level)
    of_y = Fraction(0 if size == 1 else size, len(LEAVES))
    return (weights[0] * of_x + weights[1] * of_y) / sum(weights)


def is_class(rows: list[Row], k: int, ell: Fraction | None) -> bool:
    often = max(sum(s == other for *_, other in rows) for *_, s in rows)
    return len(rows) >= k and (ell is None or often * ell <= len(rows))


def partitions(rows: list[int]) -> Iterator[list[list[int]]]:
    if not rows:
        yield []
        return
    first, *rest = rows
    for size in range(len(rest) + 1):
        for others in combinations(rest, size):
            left = [row for row in rest if row not in others]
            for more in partitions(left):
                yield [[first, *others], *more]


def least_loss(table: list[Row], k: int, ell: Fraction | None, weights: tuple[int, int], suppression: bool) -> Fraction:
    best = Fraction(2)
    for parts in partitions(list(range(len(table)))):
        total = Fraction(0)
        for part in parts:
            rows = [table[at] for at in part]
            if is_class(rows, k, ell):
                total += len(part) * loss_of(rows, table, weights)
            elif suppression:
                total += len(part)
            else:
                break
        else:
            best = min(best, total / len(table))
    return best


def record_of(
    table: list[Row], prices: list[int], k: int, ell: Fraction | None, weights: tuple[int, int], suppression: bool
) -> dict[str, Any]:
    """A bound file for prices that somebody made up."""
    stated = [[None if x is None else str(x), y, *([] if ell is None else [s])] for x, y, s in table]
    lines = "".join(f"{json.dumps(row)}\n" for row in stated)
    record = {
        "sfumato_bound": 1,
        "rows": len(table),
        "k": k,
        "l": None if ell is None else str(ell),
        "sensitive": None if ell is None else "s",
        "suppression": suppression,
        "missing": "category",
        "bound": str(Fraction(sum(prices), len(table) * UNIT)),
        "columns": [
            {"name": "x", "weight": weights[0], "kind": "number"},
            {"name": "y", "weight": weights[1], "kind": "tree", "leaves": LEAVES, "levels": LEVELS},
        ],
        "reading": {"text": [], "missing": {}},
        "table": hashlib.sha256(lines.encode()).hexdigest(),
        "unit": UNIT,
        "prices": prices,
    }
    return record | {"digest": digest_of_record(record)}


def arrow(table: list[Row]) -> pa.Table:
    columns = [list(column) for column in zip(*table, strict=True)]
    return pa.table({"x": pa.array(columns[0], pa.int64()), "y": columns[1], "s": columns[2]})


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[Row], list[int], int, Fraction | None, tuple[int, int], bool]:
    one = st.tuples(st.sampled_from([0, 1, 2, 5, 9, None]), st.sampled_from(LEAVES), st.sampled_from("uvw"))
    table = draw(st.lists(one, min_size=2, max_size=6))
    scale = draw(st.sampled_from([UNIT // 20, UNIT // 4, UNIT]))
    prices = draw(st.lists(st.integers(0, scale), min_size=len(table), max_size=len(table)))
    ell = draw(st.sampled_from([None, Fraction(2), Fraction(3, 2)]))
    weights = draw(st.sampled_from([(1, 1), (1, 3), (2, 1)]))
    return table, prices, draw(st.integers(1, 3)), ell, weights, draw(st.booleans())


@given(problem=problems())
@settings(max_examples=examples(180), deadline=None)
def test_what_is_confirmed_never_exceeds_the_least_loss_of_all_partitions(problem: Any) -> None:
    table, prices, k, ell, weights, suppression = problem
    found = verify_bound(arrow(table), record_of(table, prices, k, ell, weights, suppression))
    if found.ok:
        assert Fraction(found.bound) <= least_loss(table, k, ell, weights, suppression)
    elif ell is None and not (suppression and max(prices) > UNIT):
        # Only what could be wrong is refused: some rows pay at least what they lose, up to rounding.
        rows = range(len(table))
        sets = [part for size in range(k, len(table) + 1) for part in combinations(rows, size)]
        assert any(
            sum(prices[at] for at in part) + len(table)
            > len(part) * UNIT * loss_of([table[at] for at in part], table, weights) - 2 * len(part)
            for part in sets
        )


@given(problem=problems())
@settings(max_examples=examples(45), deadline=None)
def test_the_script_agrees_with_the_product(problem: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    table, prices, k, ell, weights, suppression = problem
    record = record_of(table, prices, k, ell, weights, suppression)
    folder = tmp_path_factory.mktemp("bound")
    pyarrow.csv.write_csv(arrow(table), folder / "table.csv")
    (folder / "bound.json").write_text(json.dumps(record))
    assert script_confirms(folder / "table.csv", folder / "bound.json") == verify_bound(arrow(table), record).ok


def script_confirms(table: Path, bound: Path) -> bool:
    program = runpy.run_path(str(SCRIPT))
    try:
        program["main"](str(table), str(bound))
    except ValueError:
        return False
    return True


# What the product writes


@pytest.fixture(scope="module")
def people() -> sf.datasets.Dataset:
    return sf.datasets.census(rows=150, seed=3)


REQUESTS = [
    {"k": 4},
    {"k": 3, "l": 2},
    {"k": 4, "suppression": 0.05},
    {"k": 4, "method": sf.Proven(time_limit=0.5)},
    {"k": 4, "missing": "suppress"},
]


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_what_is_written_is_confirmed_with_and_without_the_product(
    people: sf.datasets.Dataset, request_: dict[str, Any], tmp_path: Path
) -> None:
    table = people.table
    if "missing" in request_:
        holes = pa.array([at % 11 == 0 for at in range(table.num_rows)])
        place = table.column_names.index("age")
        age = pa.compute.if_else(holes, pa.scalar(None, table.column("age").type), table.column("age"))
        table = table.set_column(place, "age", age)
    bound, csv = tmp_path / "bound.json", tmp_path / "people.csv"
    release = sf.anonymize(table, people.schema, seed=1, **request_)
    sf.write_bound(release, bound)
    found = sf.check_bound(table, bound, people.schema)
    assert found.ok, found.summary()
    assert found.bound == pytest.approx(float(release.bound), abs=1e-9)
    assert found.bound <= release.loss.gcp
    assert "as you declare them" in found.assumed[0]
    pyarrow.csv.write_csv(table, csv)
    assert sf.check_bound(csv, bound).ok
    assert script_confirms(csv, bound)


@pytest.fixture(scope="module")
def written(people: sf.datasets.Dataset) -> dict[str, Any]:
    release = sf.anonymize(people.table, people.schema, k=3, l=3, seed=1)
    return release.origin.bound_record(release.bound)


def resealed(record: dict[str, Any]) -> dict[str, Any]:
    """The record with a digest that fits, as somebody would write it who knows the format."""
    return record | {"digest": digest_of_record(record)}


def refusal(table: pa.Table, record: dict[str, Any]) -> str:
    found = verify_bound(table, record)
    assert not found.ok
    assert found.bound == 0.0
    assert found.problem is not None
    return found.problem


def test_a_changed_file_is_refused(people: sf.datasets.Dataset, written: dict[str, Any]) -> None:
    for key, value in {"k": 5, "bound": "0.9", "suppression": True, "unit": 10**14}.items():
        assert "digest" in refusal(people.table, written | {key: value})


def test_higher_prices_are_refused(people: sf.datasets.Dataset, written: dict[str, Any]) -> None:
    prices = [round(price * 1.2) for price in written["prices"]]
    assert "pay more than a class" in refusal(people.table, resealed(written | {"prices": prices}))


def test_one_much_higher_price_is_refused(people: sf.datasets.Dataset, written: dict[str, Any]) -> None:
    prices = list(written["prices"])
    prices[7] += 5 * written["unit"]
    assert "pay more than a class" in refusal(people.table, resealed(written | {"prices": prices}))


def test_a_bound_above_the_prices_is_refused(people: sf.datasets.Dataset, written: dict[str, Any]) -> None:
    assert "add up to" in refusal(people.table, resealed(written | {"bound": "0.99"}))


def test_prices_in_another_order_are_refused(people: sf.datasets.Dataset, written: dict[str, Any]) -> None:
    prices = np.random.default_rng(1).permutation(written["prices"]).tolist()
    assert "pay more than a class" in refusal(people.table, resealed(written | {"prices": prices}))


def test_rows_in_another_order_and_other_tables_are_refused(
    people: sf.datasets.Dataset, written: dict[str, Any]
) -> None:
    order = np.random.default_rng(1).permutation(people.table.num_rows)
    assert "other values" in refusal(people.table.take(order), written)
    assert "prices for" in refusal(people.table.slice(1), written)
    assert "does not have" in refusal(people.table.drop_columns(["age"]), written)


def test_prices_under_l_diversity_do_not_hold_without_it(people: sf.datasets.Dataset, written: dict[str, Any]) -> None:
    table = people.table.select([column["name"] for column in written["columns"]])
    record = {**written, "l": None, "sensitive": None}
    plain = sf.anonymize(people.table, people.schema, k=4, seed=1)
    record["table"] = plain.origin.bound_record(plain.bound)["table"]
    assert "pay more than a class" in refusal(table, resealed(record))


def test_a_smaller_k_is_refused(people: sf.datasets.Dataset, written: dict[str, Any]) -> None:
    assert "pay more than a class" in refusal(people.table, resealed(written | {"k": 2, "l": "3/2"}))


def test_a_larger_weight_for_free_attributes_is_refused_against_the_declared(
    people: sf.datasets.Dataset, written: dict[str, Any], tmp_path: Path
) -> None:
    changed = copy.deepcopy(written)
    changed["columns"][0]["weight"] = 0.999
    (tmp_path / "bound.json").write_text(json.dumps(resealed(changed)))
    found = sf.check_bound(people.table, tmp_path / "bound.json", people.schema)
    assert not found.ok


def test_suppressed_rows_pay_no_more_than_one(people: sf.datasets.Dataset, written: dict[str, Any]) -> None:
    prices = [written["unit"] + 1, *written["prices"][1:]]
    said = refusal(people.table, resealed(written | {"suppression": True, "prices": prices}))
    assert "suppressing it loses no more" in said


@pytest.mark.parametrize(
    "change",
    [
        {"prices": [0.5]},
        {"prices": None},
        {"k": 0},
        {"k": True},
        {"l": "1/0"},
        {"columns": []},
        {"columns": [{"name": "age", "weight": -1, "kind": "number"}]},
        {"columns": [{"name": "age", "weight": 1, "kind": "tree", "leaves": ["a", "b"], "levels": [[0, 1]]}]},
        {"columns": [{"name": "age", "weight": 1, "kind": "tree", "leaves": ["a"], "levels": [[0]], "losses": [[2]]}]},
        {"columns": [{"name": "age", "weight": 1, "kind": "tree", "leaves": ["a"], "levels": [[10**9]]}]},
        {"columns": [{"name": "age", "weight": "1e9999999", "kind": "number"}]},
        {"bound": "1e9999999"},
        {"l": "1e9999999"},
        {"l": None},
        {"sfumato_bound": 2},
    ],
    ids=str,
)
def test_files_that_contradict_themselves_are_no_bound_files(
    people: sf.datasets.Dataset, written: dict[str, Any], change: dict[str, Any]
) -> None:
    with pytest.raises(DataError, match="not a bound file"):
        verify_bound(people.table, resealed(written | change))


def test_the_file_is_private_and_says_so(people: sf.datasets.Dataset, tmp_path: Path) -> None:
    file = tmp_path / "bound.json"
    sf.write_bound(sf.anonymize(people.table, people.schema, k=4, seed=1), file)
    assert stat.S_IMODE(os.stat(file).st_mode) & 0o077 == 0 or sys.platform == "win32"
    assert "publish neither" in json.loads(file.read_text())["private"]


def test_no_file_where_the_bound_is_about_other_rows(people: sf.datasets.Dataset, tmp_path: Path) -> None:
    release = sf.anonymize(people.table, people.schema, k=4, seed=1, sample=0.5)
    with pytest.raises(ParameterError, match="with a sample"):
        sf.write_bound(release, tmp_path / "bound.json")
