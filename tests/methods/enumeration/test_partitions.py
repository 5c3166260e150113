"""Every hierarchical partition, exactly once."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import LONG, examples
from tests.methods.enumeration.brute_force import all_partitions

from sfumato.methods import partitions
from sfumato.methods.enumeration.partitions import Box, Cut, PartitionTree, cuts_of, sides

UP_TO_SIX = [(a, b) for a, b in itertools.product(range(7), repeat=2) if a <= b and a + b <= 6]
IN_SPACE = [(1, 1, 1), (1, 1, 2), (1, 2, 1), (2, 1, 1), (1, 1, 3), (1, 2, 2)]

#: Six cuts in space: between one million and 369 million partitions, too many to list in a test.
SIX_IN_SPACE = [counts for counts in itertools.product(range(1, 5), repeat=3) if sum(counts) == 6]


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


#: Partitions that a test lists one by one, and as sets; how many more there are is counted below for all.
LISTED = 1_000_000 if LONG else 12_000


@pytest.mark.parametrize("counts", [one for one in (*UP_TO_SIX, *IN_SPACE) if number_of_partitions(one) <= LISTED])
def test_every_partition_comes_exactly_once(counts: tuple[int, ...]) -> None:
    found = [frozenset(blocks) for blocks in partitions(counts)]
    assert len(found) == len(set(found)) == number_of_partitions(counts)
    assert set(found) == all_partitions(tuple((0, count) for count in counts))


@pytest.mark.parametrize(("counts", "number"), [((3, 3), 68_480), ((2, 2, 1), 313_138), ((2, 2, 2), 369_362_176)])
def test_the_number_of_partitions_explodes(counts: tuple[int, ...], number: int) -> None:
    assert number_of_partitions(counts) == number


@cache
def canonical_trees(box: Box) -> Counter[frozenset[Cut]]:
    """How many canonical trees a box has, by the cuts that go through it: all that joining two trees depends on."""
    found = Counter({frozenset[Cut](): 1})
    for cut in cuts_of(box):
        left, right = sides(box, cut)
        for (one, ones), (other, others) in itertools.product(
            canonical_trees(left).items(), canonical_trees(right).items()
        ):
            tree = PartitionTree.joined(box, cut, PartitionTree(left, through=one), PartitionTree(right, through=other))
            if tree is not None:
                found[tree.through] += ones * others
    return found


@pytest.mark.parametrize("counts", [*UP_TO_SIX, *IN_SPACE, *SIX_IN_SPACE])
def test_there_are_as_many_canonical_trees_as_partitions(counts: tuple[int, ...]) -> None:
    assert canonical_trees(tuple((0, count) for count in counts)).total() == number_of_partitions(counts)


def test_with_six_cuts_in_space_the_first_partitions_are_distinct_and_fill_the_box() -> None:
    seen = set()
    for blocks in itertools.islice(partitions((2, 2, 2)), 8_000):
        cells = [cell for box in blocks for cell in itertools.product(*(range(lo, hi + 1) for lo, hi in box))]
        assert len(cells) == len(set(cells)) == 27
        seen.add(frozenset(blocks))
    assert len(seen) == 8_000


def random_partition(random: np.random.Generator, box: Box, stop: float) -> list[Box]:
    cuts = list(cuts_of(box))
    if not cuts or random.random() < stop:
        return [box]
    return [
        leaf for side in sides(box, cuts[random.integers(len(cuts))]) for leaf in random_partition(random, side, stop)
    ]


def through(box: Box, blocks: list[Box]) -> list[Cut]:
    """All cuts of a box that no block lies across, the first first."""
    return [(at, slab) for at, slab in cuts_of(box) if not any(one[at][0] <= slab < one[at][1] for one in blocks)]


def walk(box: Box, blocks: list[Box], leaf: int = 0) -> Iterator[tuple[int, Cut]]:
    """The cuts that make these blocks, in the order of a depth-first walk, always the first that goes through."""
    if len(blocks) == 1:
        return
    cut = through(box, blocks)[0]
    yield leaf, cut
    for side in sides(box, cut):
        attribute = cut[0]
        within = [one for one in blocks if side[attribute][0] <= one[attribute][0] <= side[attribute][1]]
        yield from walk(side, within, leaf)
        leaf += len(within)


@pytest.mark.parametrize("counts", SIX_IN_SPACE)
@given(seed=st.integers(0, 2**32 - 1), stop=st.sampled_from([0.0, 0.1, 0.3]))
@settings(max_examples=examples(20))
def test_any_partition_is_grown_by_its_first_cuts_and_begins_with_no_other(
    counts: tuple[int, ...], seed: int, stop: float
) -> None:
    whole: Box = tuple((0, count) for count in counts)
    blocks = random_partition(np.random.default_rng(seed), whole, stop)
    tree: PartitionTree | None = PartitionTree.leaf(whole)
    last = 0
    for leaf, cut in walk(whole, blocks):
        assert tree is not None
        assert leaf >= last
        tree, last = tree.grown(leaf, cut), leaf
    assert tree is not None
    assert set(tree.leaves) == set(blocks)
    assert set(tree.through) == set(through(whole, blocks))
    for cut in through(whole, blocks)[1:]:
        left, right = (PartitionTree(side, through=_within(side, blocks)) for side in sides(whole, cut))
        assert PartitionTree.joined(whole, cut, left, right) is None


def _within(side: Box, blocks: list[Box]) -> frozenset[Cut]:
    inside = [
        one
        for one in blocks
        if all(lo <= first and last <= hi for (lo, hi), (first, last) in zip(side, one, strict=True))
    ]
    return frozenset(through(side, inside))


def test_cut_points_and_their_number_mean_the_same() -> None:
    assert list(partitions({"age": [40, 50], "salary": [100]})) == list(partitions([2, 1]))


def test_no_cuts_leave_one_block() -> None:
    assert list(partitions({"age": [], "salary": 0})) == [(((0, 0), (0, 0)),)]


def test_two_orders_of_the_same_cuts_grow_one_tree() -> None:
    """The partition of the paper's Figure 3: age is cut at (1) and (2), salary at (3) and (4)."""
    whole = PartitionTree.leaf(((0, 2), (0, 2)))
    first_salary = whole.grown(0, (1, 0))
    assert first_salary is not None
    other_salary = whole.grown(0, (1, 1))
    assert other_salary is not None
    # Both salary cuts go through, so the lower one comes first: the other order is not grown.
    assert first_salary.grown(1, (1, 1)) is not None
    assert other_salary.grown(0, (1, 0)) is None


def test_a_cut_of_both_sides_is_a_cut_of_the_whole() -> None:
    by_salary = PartitionTree.leaf(((0, 1), (0, 1))).grown(0, (1, 0))
    assert by_salary is not None
    left_cut = by_salary.grown(0, (0, 0))
    assert left_cut is not None
    assert left_cut.grown(2, (0, 0)) is None
