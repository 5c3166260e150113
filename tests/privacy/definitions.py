"""The privacy models written down once more: exact fractions, one class and one table as lists of counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

Counts = Sequence[int]


def frequency(counts: Counts, l: Fraction) -> bool:  # noqa: E741
    return max(counts) * l <= sum(counts)


def distinct(counts: Counts, l: int) -> bool:  # noqa: E741
    return sum(count > 0 for count in counts) >= l


def entropy(counts: Counts, l: Fraction) -> bool:  # noqa: E741
    """H >= log l, raised to the power of n: n^n >= l^n * product of c^c, which whole numbers decide exactly."""
    size = sum(counts)
    return size**size >= l**size * math.prod(count**count for count in counts if count)


def recursive(counts: Counts, l: int, c: Fraction) -> bool:  # noqa: E741
    ordered = sorted(counts, reverse=True)
    return ordered[0] < c * sum(ordered[l - 1 :])


def extras(counts: Counts, table: Counts) -> list[Fraction]:
    return [
        Fraction(mine, sum(counts)) - Fraction(all_of_it, sum(table))
        for mine, all_of_it in zip(counts, table, strict=True)
    ]


def equal_distance(counts: Counts, table: Counts) -> Fraction:
    return sum(map(abs, extras(counts, table)), Fraction(0)) / 2


def ordered_distance(counts: Counts, table: Counts) -> Fraction:
    extra = [extra for extra, there in zip(extras(counts, table), table, strict=True) if there]
    carried = [abs(sum(extra[: at + 1], Fraction(0))) for at in range(len(extra))]
    return sum(carried, Fraction(0)) / max(1, len(extra) - 1)


def number_distance(counts: Counts, table: Counts, numbers: Sequence[int]) -> Fraction:
    """The area between the two cumulative shares, by the range of the numbers that occur."""
    there = [at for at, count in enumerate(table) if count]
    extra = extras(counts, table)
    reach = numbers[there[-1]] - numbers[there[0]] or 1
    area = Fraction(0)
    for place, at in enumerate(there[:-1]):
        carried = sum((extra[one] for one in there[: place + 1]), Fraction(0))
        area += abs(carried) * (numbers[there[place + 1]] - numbers[at])
    return area / reach


def alike(counts: Counts, table: Counts, beta: Fraction, enhanced: bool) -> bool:
    for mine, all_of_it in zip(counts, table, strict=True):
        if mine:
            here, whole = Fraction(mine, sum(counts)), Fraction(all_of_it, sum(table))
            allowed = min(float(beta), -math.log(whole)) if enhanced else beta
            if float((here - whole) / whole) > float(allowed) + 1e-9:
                return False
    return True


def undisclosed(counts: Counts, table: Counts, delta: float) -> bool:
    for mine, all_of_it in zip(counts, table, strict=True):
        if all_of_it and not mine:
            return False
        if mine and abs(math.log2(Fraction(mine, sum(counts)) / Fraction(all_of_it, sum(table)))) >= delta - 1e-12:
            return False
    return True


def tree_distance(counts: Counts, table: Counts, paths: Sequence[tuple[str, ...]]) -> Fraction:
    """Two values are as far apart as their lowest common ancestor is high, so every level counts its own difference."""
    extra, height = extras(counts, table), len(paths[0]) - 1
    total = Fraction(0)
    for level in range(height):
        groups: dict[tuple[str, ...], Fraction] = {}
        for share, path in zip(extra, paths, strict=True):
            groups[path[level:]] = groups.get(path[level:], Fraction(0)) + share
        total += sum(map(abs, groups.values()), Fraction(0)) / 2
    return total / height


def earth_movers_distance(counts: Counts, table: Counts, distance: Callable[[int, int], float]) -> float:
    """The cheapest way to turn one distribution into another, found by linear programming."""
    import numpy as np  # noqa: PLC0415
    from scipy.optimize import linprog  # noqa: PLC0415

    size = len(counts)
    costs = [distance(start, end) for start in range(size) for end in range(size)]
    leaving = np.kron(np.eye(size), np.ones(size))
    arriving = np.kron(np.ones(size), np.eye(size))
    have = [count / sum(counts) for count in counts]
    want = [count / sum(table) for count in table]
    found = linprog(costs, A_eq=np.vstack([leaving, arriving]), b_eq=[*have, *want])
    assert found.success
    return float(found.fun)
