"""Which rows may lie behind the cells of a release: a linear program over counts, solved by HiGHS, an optional extra.

A variable is the number of rows of one class that have one combination of original values. What a release shows, and
how it was made, become linear constraints; the least and the greatest value of a sum of variables are what an attacker
knows for certain about it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: How far a solution may be from a whole number: the solver keeps its constraints to 1e-7.
SLACK = 1e-5

#: The steps of the simplex method that one question may take: more would only narrow its answer.
MOST_STEPS = 20_000

Places = NDArray[np.int64]


class Constraint(NamedTuple):
    """The sum of some variables lies between two numbers."""

    variables: Places
    low: float
    high: float


@dataclass(frozen=True)
class HiddenClass:
    """A class of a release whose rows may have several combinations of original values.

    Attributes
    ----------
    number
        The class; -1 for the rows that were left out.
    size
        How many rows it has.
    combinations
        The codes of every combination that its cells allow, one row each.
    """

    number: int
    size: int
    combinations: NDArray[np.int64] = field(repr=False)


def solver_is_installed() -> bool:
    """Whether a solver for linear programs is installed."""
    return find_spec("highspy") is not None


class HiddenCounts:
    """The linear program of the counts behind some classes.

    Parameters
    ----------
    classes
        The classes with what each may hold. Others may be left out: their rows are not counted, which only weakens
        upper limits.
    """

    def __init__(self, classes: Sequence[HiddenClass]) -> None:
        self.classes = tuple(classes)
        sizes = [len(one.combinations) for one in classes]
        self.begins = np.append(0, np.cumsum(sizes)).astype(np.int64)
        self.of_class = np.repeat(np.arange(len(classes)), sizes)
        self.codes = np.concatenate([one.combinations for one in classes])
        self.sizes = np.array([one.size for one in classes], np.int64)
        #: Steps of the simplex method so far, each times the constraints of its program: what answers have cost.
        self.work = 0
        self.constraints: list[Constraint] = [
            Constraint(np.arange(begin, end), one.size, one.size)
            for one, begin, end in zip(classes, self.begins[:-1], self.begins[1:], strict=True)
        ]

    def __len__(self) -> int:
        return len(self.codes)

    def add(self, constraints: Iterable[Constraint]) -> None:
        """Add what is known; the next question takes it into account."""
        self.constraints += constraints
        for name in ("_merged", "_solvers"):
            self.__dict__.pop(name, None)

    def behind(self, at: int, column: int, code: int) -> Places:
        """List the variables of a class whose rows have a value in a column."""
        begin, end = int(self.begins[at]), int(self.begins[at + 1])
        return begin + np.flatnonzero(self.codes[begin:end, column] == code)

    def broken_by(self, counts: NDArray[np.number]) -> int:
        """Count the constraints that given counts break."""
        sums = np.array([counts[one.variables].sum() for one in self.constraints])
        low, high = (np.array([getattr(one, side) for one in self.constraints]) for side in ("low", "high"))
        return int(((sums < low - SLACK) | (sums > high + SLACK)).sum())

    @property
    def feasible(self) -> bool:
        """Whether any counts keep all constraints."""
        nothing = np.arange(0)
        return all(self._extreme(part, nothing, highest=True) is not None for part in range(self._merged.parts))

    def bounds(self, variables: Places) -> tuple[int, int]:
        """Find the least and the greatest sum of some variables of one class, in whole rows."""
        merged = self._merged
        chosen, counts = np.unique(merged.of_variable[variables], return_counts=True)
        size = int(self.sizes[self.of_class[variables[0]]])
        part = int(merged.part[chosen[0]])
        # Rows of merged variables are interchangeable: all of them, or none, may be among those that are asked for.
        low = self._extreme(part, chosen[counts == merged.sizes[chosen]], highest=False)
        high = self._extreme(part, chosen, highest=True)
        return (
            0 if low is None else max(0, math.ceil(low - SLACK)),
            size if high is None else min(size, math.floor(high + SLACK)),
        )

    def _extreme(self, part: int, chosen: Places, highest: bool) -> float | None:
        """Solve one part for an extreme; None if it has no solution, or none was found in time."""
        import highspy  # noqa: PLC0415

        if part not in self._solvers:
            self._solvers[part] = self._solver(part)
        solver = self._solvers[part]
        places = self._merged.place[chosen].astype(np.int32)
        solver.changeColsCost(len(places), places, np.ones(len(places)))
        solver.changeObjectiveSense(highspy.ObjSense.kMaximize if highest else highspy.ObjSense.kMinimize)
        solver.run()
        self.work += max(0, int(solver.getInfo().simplex_iteration_count)) * solver.getNumRow()
        solved = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
        value = float(solver.getInfo().objective_function_value) if solved else None
        solver.changeColsCost(len(places), places, np.zeros(len(places)))
        return value

    @cached_property
    def _merged(self) -> MergedVariables:
        return MergedVariables.of(len(self), self.constraints)

    @cached_property
    def _solvers(self) -> dict[int, Any]:
        return {}

    def _solver(self, part: int) -> Any:
        """Set up the program of one part."""
        import highspy  # noqa: PLC0415

        merged = self._merged
        inside = np.flatnonzero(merged.part == part)
        of_class = self.of_class[merged.first[inside]]
        limits = merged.limits_of[part]
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(inside), len(limits)
        program.col_cost_ = np.zeros(len(inside))
        program.col_lower_ = np.zeros(len(inside))
        program.col_upper_ = self.sizes[of_class].astype(np.float64)
        program.row_lower_ = np.array([low for _, low, _ in limits], np.float64)
        program.row_upper_ = np.array([high for _, _, high in limits], np.float64)
        lengths = [len(one) for one, _, _ in limits]
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.append(0, np.cumsum(lengths)).astype(np.int32)
        program.a_matrix_.index_ = merged.place[np.concatenate([one for one, _, _ in limits])].astype(np.int32)
        program.a_matrix_.value_ = np.ones(sum(lengths))
        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in _OPTIONS.items():
            solver.setOptionValue(option, value)
        solver.passModel(program)
        return solver


# One thread gives the same answer on every machine. Questions differ in their objective alone, so the simplex method
# goes on from the last answer; presolving would begin anew.
_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "threads": 1,
    "solver": "simplex",
    "presolve": "off",
    "simplex_iteration_limit": MOST_STEPS,
}


@dataclass(frozen=True)
class MergedVariables:
    """Variables that no constraint tells apart, as one each, and the parts that no constraint connects.

    Attributes
    ----------
    of_variable
        The merged variable of every variable.
    first, sizes
        One variable of each, and how many it stands for.
    part, place
        The part that each belongs to, and its place there.
    limits_of
        The constraints of every part, in merged variables.
    """

    of_variable: Places
    first: Places
    sizes: Places
    part: Places
    place: Places
    limits_of: list[list[tuple[Places, float, float]]]

    @property
    def parts(self) -> int:
        """The number of parts."""
        return int(self.part.max(initial=-1)) + 1

    @classmethod
    def of(cls, variables: int, constraints: Sequence[Constraint]) -> MergedVariables:
        """Merge the variables of constraints, each of which belongs to one class at least."""
        # The sum of random numbers of its constraints tells a variable from others with other constraints.
        marks = np.random.default_rng(0).integers(1, 1 << 63, len(constraints), dtype=np.uint64)
        signs = np.zeros(variables, np.uint64)
        for one, mark in zip(constraints, marks, strict=True):
            signs[one.variables] += mark
        _, first, of_variable, sizes = np.unique(signs, return_index=True, return_inverse=True, return_counts=True)
        limits = [(np.unique(of_variable[one.variables]), one.low, one.high) for one in constraints]
        part = _connected(len(first), [one for one, _, _ in limits])
        order = np.argsort(part, kind="stable")
        begins = np.searchsorted(part[order], part)
        place = np.empty(len(first), np.int64)
        place[order] = np.arange(len(first)) - begins[order]
        limits_of: list[list[tuple[Places, float, float]]] = [[] for _ in range(int(part.max(initial=-1)) + 1)]
        for limit in limits:
            limits_of[int(part[limit[0][0]])].append(limit)
        return cls(of_variable, first, sizes, part, place, limits_of)


def _connected(count: int, sets: Iterable[Places]) -> Places:
    """Number the parts of a graph whose edges join all members of each set."""
    root = list(range(count))

    def find(one: int) -> int:
        while root[one] != one:
            root[one] = root[root[one]]
            one = root[one]
        return one

    for members in sets:
        top = find(int(members[0]))
        for other in members[1:].tolist():
            root[find(other)] = top
    return np.unique([find(one) for one in range(count)], return_inverse=True)[1].astype(np.int64)
