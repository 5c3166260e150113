"""Refinement: what lies behind coarse rows, from the order in which a greedy method shows fine ones.

Chhillar, Righi, Sutter and Kornaropoulos, *Exposing Privacy Risks in Anonymizing Clinical Data: Combinatorial
Refinement Attacks on k-Anonymity Without Auxiliary Information*, arXiv 2509.03350, 2025.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.greedy_order import (
    FULL_DOMAIN,
    PEELING,
    ShownLevels,
    order_constraints,
    tight_columns,
    tight_constraints,
)
from sfumato.assess.attacks.hidden_counts import HiddenClass, HiddenCounts, solver_is_installed
from sfumato.assess.attacks.scenario import AttackedColumn, Scenario

#: The most combinations of values behind one class, and behind all classes of a program: wider classes are left out.
MOST_BEHIND, MOST_VARIABLES = 1_000, 8_000
#: The most nodes whose cells become constraints, whole records of a class to ask for, and people.
MOST_NODES, MOST_RECORDS, MOST_PEOPLE = 100, 4, 200
#: So many classes are asked about at least, and all of them while the solver's work stays below this.
LEAST_CLASSES, MOST_WORK = 24, 100_000_000


class Refinement(Attack):
    """Bound how many rows of a class have a value, by a linear program of all that is known about the counts."""

    name: ClassVar[str] = "refinement"
    knows: ClassVar[str] = "the release alone, the levels, k, and the order in which the method makes classes"
    success: ClassVar[str] = "a number of rows with a value that a coarse cell allows is ruled out, rightly"
    guesses: ClassVar[str] = "nothing is ruled out by the cells alone"
    needs: ClassVar[str] = "a coarse class, and the solver HiGHS (pip install highspy)"
    finds: ClassVar[str] = "Whoever knows how the method works settles {rate} {variant}"
    instead: ClassVar[str] = "by the cells alone"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        known = Behind.of(scenario) if solver_is_installed() and not scenario.reading.centres else None
        if known is None:
            return
        asked = known.ask()
        if len(asked.values):
            yield self.outcome(asked.values, 0.0, variant="plausible counts of values")
            yield self.outcome(asked.records, 0.0, variant="plausible counts of whole records")
            yield self.outcome(asked.certain, 0.0, variant="hidden values")
        for secret in scenario.secrets:
            alone, refined = known.certain_people(secret)
            if len(alone):
                yield self.outcome(refined, float(alone.mean()), variant=f"people's {secret.name}")


class AskedClasses(NamedTuple):
    """What was found out about classes, one number for each.

    Attributes
    ----------
    values, certain, records
        The share of plausible counts that values lose, of values that become certain, and of counts that whole
        records lose. Answers that the truth contradicts count nothing.
    """

    values: NDArray[np.float64]
    certain: NDArray[np.float64]
    records: NDArray[np.float64]


@dataclass
class Behind:
    """The counts behind the classes of a scenario, as far as an attacker can know them.

    Attributes
    ----------
    node
        The one node of full-domain recoding; None if classes are at several.
    order_holds
        Whether the release agrees with the order that the method is said to make classes in.
    """

    scenario: Scenario
    levels: ShownLevels
    node: NDArray[np.int64] | None
    program: HiddenCounts
    order_holds: bool = False
    ruled_out: dict[tuple[int, int], bool] = field(default_factory=dict)

    @classmethod
    def of(cls, scenario: Scenario) -> Behind | None:
        """Set up the program of a release; None if no class hides anything that could be listed."""
        levels = ShownLevels(scenario.reading)
        node = _full_domain_node(scenario, levels)
        classes = _coarse_classes(scenario, levels) if node is None else _left_out(scenario, levels, node)
        if not classes:
            return None
        found = cls(scenario, levels, node, HiddenCounts(classes))
        found._constrain()
        return found

    def _constrain(self) -> None:
        k = int(self.scenario.promised.get("k", 1))
        tight = []
        if self.scenario.tight and self.node is None:
            columns = tight_columns(self.levels, self.scenario.class_of)
            tight = list(tight_constraints(self.program, self.levels, columns))
        visited = self._visited() if self.scenario.order and k > 1 else None
        if visited is not None:
            takes_all = self.scenario.order != PEELING
            order = list(order_constraints(self.program, self.levels, k, visited, takes_all))
            trial = HiddenCounts(self.program.classes)
            trial.add([*tight, *order])
            if order and trial.feasible:
                self.program, self.order_holds = trial, True
                return
        self.program.add(tight)

    def _visited(self) -> NDArray[np.int64] | None:
        """The nodes that the method is known to have visited; None if nothing follows from its order."""
        if self.node is not None:
            return self.node[None]
        if self.scenario.order == FULL_DOMAIN:
            return None
        numbers = [one.number for one in self.program.classes[:LEAST_CLASSES]]
        before = self.levels.visited_before(self.levels.nodes[numbers])
        others = self.levels.visited_before(self.levels.nodes)
        random = self.scenario.random
        listed = np.concatenate([random.permutation(before), random.permutation(others)])
        listed = listed[self.levels.known_to_method(listed)]
        nodes = list(dict.fromkeys(map(tuple, listed.tolist())))[:MOST_NODES]
        return np.array(nodes, np.int64).reshape(-1, listed.shape[1])

    def ask(self) -> AskedClasses:
        """Bound the counts of all values behind classes, in random order, while the work stays within its limit."""
        found = []
        for at in self.scenario.patience.through(range(len(self.program.classes))):
            if at >= LEAST_CLASSES and self.program.work > MOST_WORK:
                break
            found.append((*self._values(at), self._records(at)))
        return AskedClasses(*np.array(found, float).reshape(-1, 3).T)

    def _values(self, at: int) -> tuple[float, float]:
        """The share of plausible counts that values of a class lose, and of its values that become certain."""
        members = np.flatnonzero(self.scenario.class_of == self.program.classes[at].number)
        combinations = self.program.classes[at].combinations
        narrowed, certain = [], []
        for place in range(len(self.levels.columns)):
            codes = np.unique(combinations[:, place]).tolist()
            if len(codes) < 2:
                continue
            found = [
                self._bounded(at, self.program.behind(at, place, code), self._same(members, place, code))
                for code in codes
            ]
            narrowed.append(np.mean([lost for lost, _ in found]))
            certain.append(sum(sure for _, sure in found))
        return float(np.mean(narrowed)), float(np.mean(certain))

    def _records(self, at: int) -> float:
        """The share of plausible counts that some whole combinations of values behind a class lose."""
        one, begin = self.program.classes[at], int(self.program.begins[at])
        members = np.flatnonzero(self.scenario.class_of == one.number)
        narrowed = []
        for place in self.scenario.random.permutation(len(one.combinations))[:MOST_RECORDS].tolist():
            same = np.ones(len(members), bool)
            for column, code in enumerate(one.combinations[place].tolist()):
                same &= self._same(members, column, code)
            narrowed.append(self._bounded(at, np.array([begin + place]), same)[0])
        return float(np.mean(narrowed))

    def _bounded(self, at: int, variables: NDArray[np.int64], same: NDArray[np.bool_]) -> tuple[float, float]:
        """The shares of plausible counts lost and of rows certain; none where the truth is outside of the bounds."""
        size = self.program.classes[at].size
        low, high = self.program.bounds(variables)
        return ((size - (high - low)) / size, low / size) if low <= int(same.sum()) <= high else (0.0, 0.0)

    def _same(self, rows: NDArray[np.int64], place: int, code: int) -> NDArray[np.bool_]:
        """Decide which rows have a value; behind full-domain recoding, a value of the same group."""
        column = self.levels.columns[place]
        groups = column.groups[0 if self.node is None else int(self.node[place])]
        return np.asarray(groups[column.column.original[rows]] == groups[code], bool)

    def certain_people(self, secret: AttackedColumn) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Decide for people whether their sensitive value is certain by the cells alone, and by the program too."""
        place_of = {one.number: at for at, one in enumerate(self.program.classes)}
        alone, refined = [], []
        for rows, possible in self.scenario.possible(self.scenario.reading.names, self.scenario.targets[:MOST_PEOPLE]):
            for row, fits in zip(rows.tolist(), possible, strict=True):
                numbers = np.flatnonzero(fits)
                left = [one for one in numbers.tolist() if not self._ruled_out(place_of.get(one), row)]
                mine = int(secret.of_person[row])
                alone.append(_certainly(secret, numbers.tolist(), mine))
                refined.append(_certainly(secret, left, mine))
        return np.array(alone, float), np.array(refined, float)

    def _ruled_out(self, at: int | None, row: int) -> bool:
        """Whether no row of a class can have the values of a person."""
        if at is None or not self.order_holds:
            return False
        codes = np.array([one.column.original[row] for one in self.levels.columns])
        begin, end = int(self.program.begins[at]), int(self.program.begins[at + 1])
        same = begin + np.flatnonzero((self.program.codes[begin:end] == codes).all(axis=1))
        if not len(same):
            return False
        key = at, int(same[0])
        if key not in self.ruled_out:
            self.ruled_out[key] = self.program.bounds(same)[1] == 0
        return self.ruled_out[key]


def _certainly(secret: AttackedColumn, classes: list[int], value: int) -> bool:
    found = {int(code) for number in classes for code in np.unique(secret.values_in(number))}
    return found == {value}


def _full_domain_node(scenario: Scenario, levels: ShownLevels) -> NDArray[np.int64] | None:
    """The node of full-domain recoding; None if there are several, or if nothing tells it from a greedy order."""
    left_out = levels.silent.any() or scenario.release.num_rows < scenario.reading.people
    return levels.one_node if scenario.order == FULL_DOMAIN or left_out else None


def _coarse_classes(scenario: Scenario, levels: ShownLevels) -> list[HiddenClass]:
    """List classes whose cells allow several combinations, in random order, until there are enough variables."""
    found, total = [], 0
    coarse = np.flatnonzero((levels.nodes > 0).any(axis=1))
    for number in scenario.random.permutation(coarse).tolist():
        values = [one.codes(int(levels.cells[number, at])) for at, one in enumerate(levels.columns)]
        behind = int(np.prod([float(len(each)) for each in values]))
        if not 1 < behind <= MOST_BEHIND or total + behind > MOST_VARIABLES:
            continue
        total += behind
        combinations = np.array(list(product(*(each.tolist() for each in values))), np.int64)
        found.append(HiddenClass(number, int(scenario.reading.classes.sizes[number]), combinations))
    return found


def _left_out(scenario: Scenario, levels: ShownLevels, node: NDArray[np.int64]) -> list[HiddenClass]:
    """The rows that full-domain recoding left out, as a class by the cells that they may come from."""
    silent = np.flatnonzero(levels.silent & (levels.nodes != node).any(axis=1))
    size = scenario.reading.people - scenario.release.num_rows
    number = -1
    if len(silent):
        number, size = int(silent[0]), int(scenario.reading.classes.sizes[silent[0]])
    firsts = [
        np.unique(one.groups[int(level)][: one.column.domain.size + one.has_missing], return_index=True)[1]
        for one, level in zip(levels.columns, node, strict=True)
    ]
    if size <= 0 or np.prod([float(len(each)) for each in firsts]) > MOST_VARIABLES:
        return []
    return [HiddenClass(number, size, np.array(list(product(*(each.tolist() for each in firsts))), np.int64))]
