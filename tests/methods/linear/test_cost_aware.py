"""The cost-aware order, against the same cuts made from scratch."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from tests.helpers import microdata_strategy
from tests.methods.linear.twins import total_loss

import sfumato as sf
from sfumato.methods import CostAware, Hilbert, Task
from sfumato.methods.linear.cost_aware import CostOrder
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata


def span(microdata: Microdata, attribute: int, lo: int, hi: int) -> float:
    return float(microdata.domains[attribute].span_costs(np.array([lo]), np.array([hi]))[0])


def best_score(microdata: Microdata, rows: list[tuple[int, ...]], counts: dict[tuple[int, ...], int]) -> float:
    """The highest score of all cuts of all attributes."""
    return max(
        score_of(microdata, rows, counts, attribute, code)
        for attribute in range(len(microdata.domains))
        for code in sorted({row[attribute] for row in rows})[1:]
    )


@given(microdata_strategy(rows=(1, 40)))
def test_every_part_is_cut_where_that_saves_most(microdata: Microdata) -> None:
    """Follow the order from the whole table down: each part must fall apart at one of its best cuts."""
    keys = CostOrder().keys(microdata, np.random.default_rng(0))[0]
    ordered = [tuple(row) for row in microdata.codes[np.argsort(keys, kind="stable")].tolist()]
    counts = {row: ordered.count(row) for row in ordered}
    distinct = list(dict.fromkeys(ordered))
    assert sorted(set(ordered)) == sorted(distinct)
    assert len(set(keys.tolist())) == len(distinct)
    assert falls_apart(microdata, distinct, counts)


def falls_apart(microdata: Microdata, rows: list[tuple[int, ...]], counts: dict[tuple[int, ...], int]) -> bool:
    """Whether some best cut puts the first of these rows on one side and the last on the other, and so on down."""
    if len(rows) < 2:
        return True
    best = best_score(microdata, rows, counts)
    for attribute in range(len(microdata.domains)):
        for place in range(1, len(rows)):
            first, second = rows[:place], rows[place:]
            low, high = sorted([first, second], key=lambda side: side[0][attribute])
            if max(row[attribute] for row in low) < min(row[attribute] for row in high):
                score = score_of(microdata, rows, counts, attribute, min(row[attribute] for row in high))
                both = score == pytest.approx(best, abs=1e-9) and falls_apart(microdata, first, counts)
                if both and falls_apart(microdata, second, counts):
                    return True
    return False


def score_of(
    microdata: Microdata, rows: list[tuple[int, ...]], counts: dict[tuple[int, ...], int], attribute: int, code: int
) -> float:
    sides = [row for row in rows if row[attribute] < code], [row for row in rows if row[attribute] >= code]
    lost = 0.0
    for side in (rows, *sides):
        inside = [row[attribute] for row in side]
        many = sum(counts[row] for row in side)
        lost += (1 if side is rows else -1) * many * span(microdata, attribute, min(inside), max(inside))
    codes = [row[attribute] for row in rows]
    weight = microdata.weights[attribute]
    return float(weight * lost * (weight * span(microdata, attribute, min(codes), max(codes))) ** 3)


def test_flat_categories_come_before_fine_differences_of_numbers() -> None:
    table = pa.table({"age": [20, 21, 22, 23] * 2 + [60], "sex": ["f", "m"] * 4 + ["f"]})
    microdata = encode(table, {"age": sf.Numeric(), "sex": sf.Categorical()})
    keys = CostOrder().keys(microdata, np.random.default_rng(0))[0]
    sexes = microdata.codes[np.argsort(keys, kind="stable"), 1].tolist()
    assert sum(one != two for one, two in pairwise(sexes)) == 1


@pytest.mark.parametrize("k", [5, 20])
def test_it_loses_less_than_the_curve_on_mixed_data(k: int) -> None:
    people = sf.datasets.census(rows=4000, seed=1).without_levels()
    microdata = encode(people.table, people.schema.quasi_identifiers, [])
    task = Task(microdata, Requirements((KAnonymity(k),), microdata))
    losses = [total_loss(microdata, method.run(task).classes) for method in (CostAware(), Hilbert())]
    assert losses[0] < 0.75 * losses[1]
