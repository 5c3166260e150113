"""Mondrian once more, slowly and obviously: lists of rows, sorted medians, classes counted by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.hierarchies import Hierarchy, TreeDomain
from sfumato.methods import Mondrian, Task
from sfumato.privacy import PrivacyModel, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

Rows = list[int]
Allowed = Callable[[Rows], bool]


def table_of(points: Sequence[Sequence[int]], sensitive: Sequence[object] = ()) -> pa.Table:
    """Return points as a table with the columns x0, x1, … and, if given, s."""
    columns = {f"x{at}": list(column) for at, column in enumerate(zip(*points, strict=True))}
    return pa.table(columns | ({"s": list(sensitive)} if len(sensitive) else {}))


def coded(
    points: Sequence[Sequence[int]],
    sensitive: Sequence[object] = (),
    hierarchies: dict[str, Hierarchy] | None = None,
    weights: dict[str, float] | None = None,
) -> Microdata:
    """Encode points; every column is a number unless a hierarchy is given."""
    names = {f"x{at}": (hierarchies or {}).get(f"x{at}") for at in range(len(points[0]))}
    return encode(table_of(points, sensitive), names, ["s"] if len(sensitive) else [], weights)


def partition(microdata: Microdata, models: Sequence[PrivacyModel], method: Mondrian | None = None) -> list[Rows]:
    """Return the classes that the real Mondrian makes, as lists of rows."""
    task = Task(microdata, Requirements(tuple(models), microdata))
    classes = (method or Mondrian()).run(task).classes
    assert classes is not None
    groups: dict[int, Rows] = {}
    for row, group in enumerate(classes.tolist()):
        groups.setdefault(group, []).append(row)
    return sorted(groups.values())


def rule_for(microdata: Microdata, models: Sequence[PrivacyModel]) -> Allowed:
    """Return what decides whether rows may be a class, from the definitions of the models."""
    sensitive = microdata.sensitive[0].codes.tolist() if microdata.sensitive else []

    def allowed(rows: Rows) -> bool:
        return bool(rows) and all(_holds(model, rows, sensitive) for model in models)

    return allowed


def _holds(model: PrivacyModel, rows: Rows, sensitive: list[int]) -> bool:
    if isinstance(model, sf.KAnonymity):
        return len(rows) >= model.k
    assert isinstance(model, sf.LDiversity)
    counts = Counter(sensitive[row] for row in rows)
    if model.kind == "frequency":
        return max(counts.values()) * model.l <= len(rows) + 1e-9
    if model.kind == "distinct":
        return len(counts) >= model.l
    assert model.kind == "entropy"
    shares = [count / len(rows) for count in counts.values()]
    return -sum(share * math.log(share) for share in shares) >= math.log(model.l) - 1e-9


@dataclass
class Twin:
    """Mondrian on a list of rows."""

    microdata: Microdata
    allowed: Allowed
    relaxed: bool = False
    taxonomy: bool = False

    def partition(self) -> list[Rows]:
        """Return the classes, as lists of rows."""
        return sorted(sorted(rows) for rows in self._cut(list(range(len(self.microdata)))))

    def _cut(self, rows: Rows) -> list[Rows]:
        for attribute in self._widest_first(rows):
            if self.relaxed:
                rows = _dealt(rows, self._codes(rows, attribute))
            for left, right in self._cuts(rows, attribute):
                if self.allowed(left) and self.allowed(right):
                    return self._cut(left) + self._cut(right)
        return [rows]

    def _codes(self, rows: Rows, attribute: int) -> list[int]:
        return self.microdata.codes[rows, attribute].astype(int).tolist()

    def _widest_first(self, rows: Rows) -> list[int]:
        widths = {}
        for attribute, domain in enumerate(self.microdata.domains):
            codes = self._codes(rows, attribute)
            if min(codes) < max(codes):
                cost = domain.span_costs(np.array([min(codes)]), np.array([max(codes)]))[0]
                widths[attribute] = cost * self.microdata.weights[attribute]
        return sorted(widths, key=lambda attribute: -widths[attribute])

    def _cuts(self, rows: Rows, attribute: int) -> list[tuple[Rows, Rows]]:
        """Return the cuts at the median, the more even one first."""
        codes = self._codes(rows, attribute)
        half = (len(rows) + 1) // 2
        median = sorted(codes)[half - 1]
        if self.relaxed:
            return [(rows[:half], rows[half:])]
        domain = self.microdata.domains[attribute]
        first = last = median
        if self.taxonomy and isinstance(domain, TreeDomain):
            first, last = self._child(domain, codes, median)
        cuts = [_split(rows, codes, first), _split(rows, codes, last + 1)]
        return sorted(cuts, key=lambda cut: abs(len(cut[0]) - half))

    def _child(self, domain: TreeDomain, codes: list[int], median: int) -> tuple[int, int]:
        """Return the codes under the median's branch of the lowest node that is above all rows."""
        for level in range(domain.top, -1, -1):
            groups = domain.levels[level].groups
            if len({groups[code] for code in codes}) > 1:
                branch = np.flatnonzero(groups == groups[median])
                return int(branch[0]), int(branch[-1])
        raise AssertionError("there is nothing to cut")


def _split(rows: Rows, codes: list[int], bound: int) -> tuple[Rows, Rows]:
    left = [row for row, code in zip(rows, codes, strict=True) if code < bound]
    right = [row for row, code in zip(rows, codes, strict=True) if code >= bound]
    return left, right


def _dealt(rows: Rows, codes: list[int]) -> Rows:
    """Return rows below the median, at it, and above it; each in the order in which swapping from both ends puts it."""
    median = sorted(codes)[(len(rows) + 1) // 2 - 1]
    code_of = dict(zip(rows, codes, strict=True))
    below = _swapped(rows, lambda row: code_of[row] < median)
    middle = sum(code < median for code in codes)
    return below[:middle] + _swapped(below[middle:], lambda row: code_of[row] <= median)


def _swapped(rows: Rows, goes_left: Callable[[int], bool]) -> Rows:
    """Exchange the first row that goes right with the last that goes left, until all are in place."""
    rows = list(rows)
    while True:
        wrong_left = [at for at, row in enumerate(rows) if not goes_left(row)]
        wrong_right = [at for at, row in enumerate(rows) if goes_left(row)]
        if not wrong_left or not wrong_right or wrong_left[0] > wrong_right[-1]:
            return rows
        one, other = wrong_left[0], wrong_right[-1]
        rows[one], rows[other] = rows[other], rows[one]
