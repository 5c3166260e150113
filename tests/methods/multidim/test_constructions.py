"""The constructions in the proofs of the Mondrian paper, checked by brute force on small instances."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.methods.multidim.mondrian_twin import coded, partition

import sfumato as sf

Point = tuple[int, ...]


def can_be_halved(numbers: list[int]) -> bool:
    """Integer partitioning: whether some of the numbers have half of the sum."""
    return any(2 * sum(some) == sum(numbers) for size in range(len(numbers)) for some in combinations(numbers, size))


def as_points(numbers: list[int]) -> dict[Point, int]:
    """Theorem 1: a number is so many copies of a point with a single 1, in a place of its own."""
    return {tuple(int(at == place) for at in range(len(numbers))): size for place, size in enumerate(numbers)}


def strict_halves(points: dict[Point, int], k: int) -> list[tuple[Point, ...]]:
    """Return one side of every strict partition into two regions of k rows, which C_AVG of 1 asks for.

    Regions are boxes that do not overlap; a box may be open at vertices, as in the paper, where nothing lies.
    """
    everything = list(points)
    return [
        some
        for size in range(1, len(everything))
        for some in combinations(everything, size)
        if sum(points[point] for point in some) == k
        and apart(some, tuple(point for point in everything if point not in some), points)
    ]


def apart(one: tuple[Point, ...], other: tuple[Point, ...], occupied: dict[Point, int]) -> bool:
    """Return whether two boxes overlap at most in empty vertices, where one of them can be open."""
    bounds = [list(zip(np.min(side, axis=0), np.max(side, axis=0), strict=True)) for side in (one, other)]
    both = [range(max(a, c), min(b, d) + 1) for (a, b), (c, d) in zip(*bounds, strict=True)]
    return all(
        cell not in occupied and any(all(x in ends for x, ends in zip(cell, box, strict=True)) for box in bounds)
        for cell in product(*both)
    )


@settings(max_examples=examples(80))
@given(st.lists(st.integers(1, 6), min_size=2, max_size=6))
def test_theorem_1_numbers_can_be_halved_if_and_only_if_points_can_be_partitioned(numbers: list[int]) -> None:
    if sum(numbers) % 2:
        assert not can_be_halved(numbers)
    else:
        assert can_be_halved(numbers) == bool(strict_halves(as_points(numbers), sum(numbers) // 2))


@pytest.mark.parametrize(("numbers", "least"), [([3, 3, 2, 2, 2], 2.0), ([6, 1, 2, 3], 1.0)])
def test_theorem_1_is_about_more_than_cuts_all_the_way_through(numbers: list[int], least: float) -> None:
    """A cut isolates a single point of the construction, so cuts halve it only where one number is half of the sum."""
    rows = [point for point, copies in as_points(numbers).items() for _ in range(copies)]
    columns = {f"x{at}": list(column) for at, column in enumerate(zip(*rows, strict=True))}
    k = sum(numbers) // 2
    assert strict_halves(as_points(numbers), k)
    best = sf.EnumMulti(minimize="c_avg")
    release = sf.anonymize(pa.table(columns), quasi_identifiers=list(columns), k=k, method=best)
    assert (release.optimality.proven, release.optimality.cost) == (True, least)


@pytest.mark.parametrize("each", [10, 40, 160])
def test_theorem_3_single_dimensional_regions_grow_with_the_table(each: int) -> None:
    """A slab of 2k - 1 points forbids every cut across it, for all slabs at once; multidimensional cuts do not care."""
    k, values = 4, 5
    points = [(0, y) for y in range(2 * k - 1)]
    points += [(x, y % 23) for x in range(1, values) for y in range(each)]
    xs, ys = np.array(points).T
    slabs = [ys[xs == value] for value in range(values)]
    assert min(map(len, slabs)) >= k  # all cuts along x are allowable and made
    across = [cut for cut in range(23) if all(min((s <= cut).sum(), (s > cut).sum()) >= k for s in slabs)]
    assert across == []
    largest = max(map(len, slabs))
    assert largest == each > len(points) // (values + 1) - 2 * k
    copies = max(np.unique(points, axis=0, return_counts=True)[1])
    free = max(len(rows) for rows in partition(coded(points), [sf.KAnonymity(k)]))
    assert free <= 4 * (k - 1) + copies


def test_proposition_1_a_strict_partition_that_no_single_dimensions_can_express() -> None:
    """Cut along x, and only one side along y: y is not cut everywhere, so no intervals of y give these classes."""
    points = [(0, 0), (0, 1)] * 2 + [(1, 0), (1, 1)]
    shown = [sorted({points[row] for row in rows}) for rows in partition(coded(points), [sf.KAnonymity(2)])]
    assert sorted(shown) == [[(0, 0)], [(0, 1)], [(1, 0), (1, 1)]]


def test_proposition_2_equal_rows_may_be_shown_differently_only_when_relaxed() -> None:
    table = sf.datasets.patients().table.select(["zipcode"])
    shown = {}
    for name in ("mondrian", "mondrian-relaxed"):
        release = sf.anonymize(table, quasi_identifiers="zipcode", k=3, method=name, keep_order=True)
        pairs = set(zip(table["zipcode"].to_pylist(), release.data["zipcode"].to_pylist(), strict=True))
        shown[name] = len(pairs) - len(set(table["zipcode"].to_pylist()))
    assert shown["mondrian"] == 0 < shown["mondrian-relaxed"]
