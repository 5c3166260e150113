"""The verifier's questions answered the slow and obvious way: dicts, loops and no arrays."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

Row = tuple[Any, ...]


def normal(value: Any) -> Any:
    """Make every missing value None."""
    return None if isinstance(value, float) and math.isnan(value) else value


def classes_of(rows: Sequence[Row], width: int) -> dict[Row, list[Row]]:
    """Group rows by their first ``width`` cells; the rest of each row is kept."""
    groups: dict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        cells = tuple(normal(cell) for cell in row)
        groups[cells[:width]].append(cells[width:])
    return dict(groups)


def histograms(rows: Sequence[Row], width: int, at: int) -> tuple[dict[Row, Counter[Any]], Counter[Any]]:
    groups = {shown: Counter(row[at] for row in members) for shown, members in classes_of(rows, width).items()}
    return groups, sum(groups.values(), Counter())


def frequency(counts: Counter[Any]) -> Fraction:
    return Fraction(counts.total(), max(counts.values()))


def entropy(counts: Counter[Any]) -> float:
    total = counts.total()
    return math.exp(sum(count / total * math.log(total / count) for count in counts.values()))


def recursive(counts: Counter[Any], l: int) -> float:  # noqa: E741
    ordered = [count for _, count in counts.most_common()]
    rare = sum(ordered[l - 1 :])
    return ordered[0] / rare if rare else math.inf


def equal(counts: Counter[Any], table: Counter[Any]) -> Fraction:
    return sum((abs(extra) for extra in extras(counts, table).values()), Fraction(0)) / 2


def ordered(counts: Counter[Any], table: Counter[Any]) -> Fraction:
    extra = extras(counts, table)
    walk = sorted(extra, key=lambda value: (value is None, 0 if value is None else value))
    carried = work = Fraction(0)
    for value in walk:
        carried += extra[value]
        work += abs(carried)
    return work / max(1, len(walk) - 1)


def hierarchical(counts: Counter[Any], table: Counter[Any], rows: Sequence[Sequence[str]]) -> Fraction:
    """Match surplus with lack greedily, nearest pairs first, which is best where distances come from a tree."""
    path = {row[0]: list(row) for row in rows}
    height = len(rows[0]) - 1

    def apart(one: Any, other: Any) -> int:
        if one == other:
            return 0
        if one is None or other is None:
            return height
        return next(level for level in range(height + 1) if path[one][level:] == path[other][level:])

    extra = extras(counts, table)
    work = Fraction(0)
    for distance in range(1, height + 1):
        for one in extra:
            for other in extra:
                if apart(one, other) == distance and extra[one] > 0 > extra[other]:
                    moved = min(extra[one], -extra[other])
                    extra[one] -= moved
                    extra[other] += moved
                    work += moved * Fraction(distance, height)
    return work


def extras(counts: Counter[Any], table: Counter[Any]) -> dict[Any, Fraction]:
    return {
        value: Fraction(counts[value], counts.total()) - Fraction(count, table.total())
        for value, count in table.items()
    }
