"""The best l-diverse partitions of a few rows: the paper's lemmas about them, and how far heuristics are off."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from benchmarks.literal.exact_diversity import MEASURES, least_by_boundaries, least_loss
from benchmarks.literal.linear import diversity_groups
from tests.methods.linear.test_diversity import eligible, groups_of

Group = tuple[int, ...]
Partition = list[Group]


def instances(count: int, most_rows: int = 8) -> Iterator[tuple[list[int], np.ndarray, int]]:
    """Yield values, places and l of eligible tables, no two rows at one place."""
    random = np.random.default_rng(11)
    while count:
        l = int(random.integers(2, 4))  # noqa: E741
        rows = int(random.integers(2 * l, most_rows + 1))
        values = random.integers(0, int(random.integers(l, l + 3)), rows).tolist()
        if eligible(values, l):
            yield values, np.sort(random.choice(100, rows, replace=False)).astype(float), l
            count -= 1


def partitions(values: list[int], l: int, rows: Group | None = None, singular: bool = True) -> Iterator[Partition]:  # noqa: E741
    """Yield every l-diverse partition; by default with groups of l to 2l - 1 different values alone."""
    rows = tuple(range(len(values))) if rows is None else rows
    if not rows:
        yield []
        return
    most = min(2 * l - 1, len(rows)) if singular else len(rows)
    for size in range(l, most + 1):
        for more in combinations(rows[1:], size - 1):
            group = (rows[0], *more)
            inside = [values[row] for row in group]
            if max(map(inside.count, inside)) * l <= size:
                for others in partitions(values, l, tuple(row for row in rows if row not in group), singular):
                    yield [group, *others]


def loss(partition: Partition, places: np.ndarray, measure: str) -> float:
    extents = [places[max(group)] - places[min(group)] for group in partition]
    if measure == "widest":
        return max(extents)
    return sum(len(group) * extent for group, extent in zip(partition, extents, strict=True))


def precedence(partition: Partition, values: list[int]) -> np.ndarray:
    """Return which group comes before which along the rows of some value, and along chains of that."""
    of_row = {row: at for at, group in enumerate(partition) for row in group}
    before = np.zeros((len(partition), len(partition)), bool)
    for value in set(values):
        chain = [of_row[row] for row, other in enumerate(values) if other == value]
        before[chain[:-1], chain[1:]] = True
    for at in range(len(partition)):
        before |= before[:, [at]] & before[[at], :]
    return before


def ordered(partition: Partition, values: list[int]) -> bool:
    """Lemma 3: groups come in the same order along all values."""
    return not precedence(partition, values).diagonal().any()


def borders_ordered(partition: Partition, values: list[int]) -> bool:
    """Lemma 4: what comes before begins before and ends before."""
    return all(
        min(partition[one]) < min(partition[two]) and max(partition[one]) < max(partition[two])
        for one, two in np.argwhere(precedence(partition, values))
    )


def covered(partition: Partition, values: list[int]) -> bool:
    """Lemma 5: where neighbours cross, one of the two crossing values is in both groups."""
    before = precedence(partition, values)
    for one, two in np.argwhere(before & ~(before @ before)):
        of = [{values[row] for row in partition[at]} for at in (one, two)]
        crossing = [(r, t) for r in partition[one] for t in partition[two] if r > t]
        if any(values[r] not in of[1] and values[t] not in of[0] for r, t in crossing):
            return False
    return True


def test_the_oracle_is_the_best_of_all_partitions() -> None:
    for values, places, l in instances(12, most_rows=7):  # noqa: E741
        every = list(partitions(values, l, singular=False))
        for measure in MEASURES:
            best = min(loss(partition, places, measure) for partition in every)
            assert least_loss(np.array(values), places, l, measure) == pytest.approx(best)


def test_lemmas_2_to_5_and_corollary_1_for_the_widest_group() -> None:
    """Some optimum has groups of l to 2l - 1 different values, in order, with borders in order, that do not cross."""
    for values, places, l in instances(40):  # noqa: E741
        best = least_loss(np.array(values), places, l, "widest")
        optima = [found for found in partitions(values, l) if loss(found, places, "widest") <= best + 1e-9]
        assert any(
            ordered(found, values) and borders_ordered(found, values) and covered(found, values) for found in optima
        )


def test_boundaries_are_enough_for_the_widest_group_and_not_for_the_sum() -> None:
    """What the lemmas prune is safe for the paper's simpler measure; for GCP groups of different sizes count."""
    for values, places, l in instances(40):  # noqa: E741
        values = np.array(values)  # noqa: PLW2901
        assert least_by_boundaries(values, places, l, "widest") == pytest.approx(
            least_loss(values, places, l, "widest")
        )
        assert least_by_boundaries(values, places, l) >= least_loss(values, places, l) - 1e-9
    values, places = np.array([2, 1, 2, 2, 0, 0, 0]), np.array([6.0, 45.0, 51.0, 60.0, 63.0, 70.0, 76.0])
    assert (least_loss(values, places, 2), least_by_boundaries(values, places, 2)) == (214.0, 221.0)


def test_lemma_2_and_corollary_1_hold_for_the_sum_too() -> None:
    for values, places, l in instances(20):  # noqa: E741
        small = min(loss(found, places, "sum") for found in partitions(values, l))
        assert small == pytest.approx(least_loss(np.array(values), places, l))


def test_no_heuristic_is_better_than_the_best() -> None:
    for values, places, l in instances(40, most_rows=11):  # noqa: E741
        best = least_loss(np.array(values), places, l)
        made = [diversity_groups(np.array(values, np.int32), places, l), groups_of(values, l, places.tolist())]
        for groups in made:
            found = [tuple(np.flatnonzero(groups == group).tolist()) for group in range(groups.max() + 1)]
            assert loss(found, places, "sum") >= best - 1e-9
