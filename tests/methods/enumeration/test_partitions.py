"""Every hierarchical partition, exactly once."""

from __future__ import annotations

import itertools
from functools import cache

import pytest
from tests.methods.enumeration.brute_force import all_partitions

from sfumato.methods import partitions
from sfumato.methods.enumeration.partitions import CutTree

UP_TO_SIX = [(a, b) for a, b in itertools.product(range(7), repeat=2) if a <= b and a + b <= 6]
IN_SPACE = [(1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1), (1, 1, 3), (1, 2, 2)]


@cache
def number_of_partitions(counts: tuple[int, ...]) -> int:
    """Count without enumerating: by inclusion and exclusion over the cuts that go all the way through."""
    cuts = [(attribute, place) for attribute, count in enumerate(counts) for place in range(count)]
    total = 1
    for size in range(1, len(cuts) + 1):
        for chosen in itertools.combinations(cuts, size):
            product = 1
            for part in itertools.product(*(widths(count, at, chosen) for at, count in enumerate(counts))):
                product *= number_of_partitions(part)
            total -= (-1) ** size * product
    return total


def widths(count: int, attribute: int, chosen: tuple[tuple[int, int], ...]) -> list[int]:
    """How many cuts remain in each slab between the chosen cuts of an attribute."""
    places = [-1, *sorted(place for other, place in chosen if other == attribute), count]
    return [after - before - 1 for before, after in itertools.pairwise(places)]


@pytest.mark.parametrize("counts", [*UP_TO_SIX, *IN_SPACE])
def test_every_partition_comes_exactly_once(counts: tuple[int, ...]) -> None:
    found = [frozenset(blocks) for blocks in partitions(counts)]
    assert len(found) == len(set(found)) == number_of_partitions(counts)
    assert set(found) == all_partitions(tuple((0, count) for count in counts))


@pytest.mark.parametrize(("counts", "number"), [((3, 3), 68_480), ((2, 2, 1), 313_138), ((2, 2, 2), 369_362_176)])
def test_the_number_of_partitions_explodes(counts: tuple[int, ...], number: int) -> None:
    assert number_of_partitions(counts) == number


def test_cut_points_and_their_number_mean_the_same() -> None:
    assert list(partitions({"age": [40, 50], "salary": [100]})) == list(partitions([2, 1]))


def test_no_cuts_leave_one_block() -> None:
    assert list(partitions({"age": [], "salary": 0})) == [(((0, 0), (0, 0)),)]


def test_two_orders_of_the_same_cuts_grow_one_tree() -> None:
    """The partition of the paper's Figure 3: age is cut at (1) and (2), salary at (3) and (4)."""
    whole = CutTree.leaf(((0, 2), (0, 2)))
    first_salary = whole.grown(0, (1, 0))
    assert first_salary is not None
    other_salary = whole.grown(0, (1, 1))
    assert other_salary is not None
    # Both salary cuts go through, so the lower one comes first: the other order is not grown.
    assert first_salary.grown(1, (1, 1)) is not None
    assert other_salary.grown(0, (1, 0)) is None


def test_a_cut_of_both_sides_is_a_cut_of_the_whole() -> None:
    by_salary = CutTree.leaf(((0, 1), (0, 1))).grown(0, (1, 0))
    assert by_salary is not None
    left_cut = by_salary.grown(0, (0, 0))
    assert left_cut is not None
    assert left_cut.grown(2, (0, 0)) is None
