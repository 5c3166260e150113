"""What all full-domain methods share: parameters, the choice among answers, and the details of the release."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import InfeasibleError, ParameterError, SchemaError, invalid_parameter, listed
from sfumato.loss import METRICS, Minimized, Objective, find_objective
from sfumato.methods.base import Method, Task
from sfumato.methods.details import MethodDetails
from sfumato.methods.lattice.answers import Alternatives, Choice, NodeTable, Search
from sfumato.methods.lattice.explanation import NodeExplanation
from sfumato.methods.lattice.frequencies import Levels
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Map, Space, minimal
from sfumato.methods.lattice.scores import ABLE, Scorer, Worth
from sfumato.methods.on_engine import EngineSupport, LevelsByFrequencies
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding


@dataclass(frozen=True)
class FoundAnswers:
    """The answers of a search; the map of all nodes and their losses, if the search computed them."""

    answers: list[Levels]
    search: Search
    map: Map | None = None
    losses: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class Solution:
    """The result of a search, and the node to release."""

    scorer: Scorer
    space: Space
    found: FoundAnswers
    chosen: Levels
    objective: Objective

    def details(self) -> MethodDetails:
        """The details that become attributes of the release."""
        return MethodDetails(
            search=self.found.search,
            levels=dict(zip(self.space.names, self.chosen, strict=True)),
            level_names=level_names(self.scorer.judge.task.microdata, self.chosen),
            alternatives=self.alternatives,
            explanation=NodeExplanation(self.scorer, self.space, self.chosen, self.objective),
            lattice=None if self.found.map is None else NodeTable(self.found.map, self.chosen),
        )

    @property
    def alternatives(self) -> Alternatives:
        """Every answer; their losses are computed on first access."""
        return Alternatives(self.space, self.scorer, self.found.answers, self.chosen)


@dataclass(frozen=True, kw_only=True)
class FullDomain(Method):
    """One level for each quasi-identifier, the same for all rows.

    Parameters
    ----------
    minimize
        Which answer is released: the one with the least ``"gcp"``, ``"dm"``, ``"c_avg"``, ``"entropy"`` or
        ``"height"``, the greatest ``"precision"``, or the least value of a list of queries, of an `Objective` without
        labels, or of a function of two dicts by name, levels and losses.
    weights
        How much each quasi-identifier counts in the loss; by default the weights of the schema.
    max_level
        The highest permitted level of some quasi-identifiers: ``{"sex": 0}`` releases sex unchanged.
    exhaustive
        Also accept models that are not monotone, by checking every node.
    """

    minimize: Minimized | Worth = "gcp"
    weights: Mapping[str, float] | None = None
    max_level: Mapping[str, int] = field(default_factory=dict)
    exhaustive: bool = False

    recoding: ClassVar[str] = "full-domain"
    lowers: ClassVar[frozenset[str]] = ABLE

    def __post_init__(self) -> None:
        self.objective()
        parameters.flag(type(self).__name__, "exhaustive", self.exhaustive)
        for name, given, expected in (
            ("weights", self.weights or {}, "a mapping from names to numbers, such as {'age': 2.0}"),
            ("max_level", self.max_level, "a mapping from names to levels, such as {'sex': 0}"),
        ):
            if not isinstance(given, Mapping):
                raise invalid_parameter(type(self).__name__, name, expected, given)
        for name, weight in (self.weights or {}).items():
            parameters.number("weights", name, weight, at_least=0)

    def objective(self) -> Objective | Worth:
        """What is minimized: a loss, or a function given by the caller."""
        return self.minimize if callable(self.minimize) else find_objective(type(self).__name__, self.minimize, ABLE)

    def run(self, task: Task) -> Recoding:
        """Search, choose an answer, and mark the rows to suppress."""
        return self.recoded(NodeJudge(task, prune=self.may_prune(task)))

    def recoded(self, judge: NodeJudge) -> Recoding:
        """Recode the table of a judge, whose rows may stand for several equal ones each."""
        solution = self.solve(judge)
        gone = suppressed_rows(judge, solution.chosen) if judge.budget else None
        return Recoding(levels=solution.chosen, suppressed=gone, details=solution.details())

    @property
    def on_engine(self) -> EngineSupport:
        """The search needs the frequency set alone."""
        return LevelsByFrequencies(self.by_frequencies)

    def by_frequencies(self, task: Task, counts: NDArray[np.int64]) -> Recoding:
        """Choose levels for distinct rows that occur as often as counted."""
        return self.recoded(NodeJudge(task, counts, self.may_prune(task)))

    def may_prune(self, task: Task) -> bool:
        """Whether the models allow pruning; raises if they do not and ``exhaustive`` is False."""
        if not (task.requirements.monotone or self.exhaustive):
            names = [model.name for model in task.requirements.models if not model.monotone]
            raise ParameterError(
                f"{listed(names)} is not monotone: a more general release may break it although a finer one keeps it, "
                f"so a search may not prune. Use {type(self).__name__}(exhaustive=True) to look at every node."
            )
        return task.requirements.monotone

    def solve(self, judge: NodeJudge) -> Solution:
        """Search the lattice of a judge's task and choose among the answers."""
        space = Space(judge.task.microdata.domains, self.max_level)
        started = time.perf_counter()
        found = self._find(judge, space)
        found.search.seconds = time.perf_counter() - started
        found.search.scans, found.search.rollups = judge.roller.scans, judge.roller.rollups
        if not found.answers:
            raise InfeasibleError(self._explanation(judge, space))
        scorer = Scorer(judge, self._checked_weights(space))
        objective = self.objective()
        chosen = self._choose(Choice(objective, scorer, space), found)
        return Solution(scorer, space, found, chosen, objective if isinstance(objective, Objective) else METRICS["gcp"])

    @abstractmethod
    def _find(self, judge: NodeJudge, space: Space) -> FoundAnswers:
        """Search the space."""

    def _choose(self, choice: Choice, found: FoundAnswers) -> Levels:
        return choice.best(found.answers)

    def _checked_weights(self, space: Space) -> Mapping[str, float] | None:
        unknown = [name for name in self.weights or {} if name not in space.names]
        if unknown:
            raise SchemaError(
                f"'weights' names {listed(unknown)}, which is not a quasi-identifier. "
                f"Quasi-identifiers: {listed(space.names)}."
            )
        return self.weights

    def _explanation(self, judge: NodeJudge, space: Space) -> str:
        verdict = judge.verdict(judge.scan(space.tops))
        limits = ", ".join(f"{name}={level}" for name, level in self.max_level.items()) or "none"
        needed = np.ceil(verdict.suppressed / max(1, judge.rows) * 1e4) / 1e4
        return (
            f"No full-domain recoding keeps the stated privacy within the limits (max_level: {limits}). Even the most "
            f"general one would leave out {verdict.suppressed:,} rows. Raise a limit, or allow suppression={needed:g}."
        )


def level_names(microdata: Microdata, levels: Levels) -> dict[str, str]:
    """The name of the level of every quasi-identifier: ``{"age": "width 10"}``."""
    return {domain.name: domain.levels[level].name for domain, level in zip(microdata.domains, levels, strict=True)}


def suppressed_rows(judge: NodeJudge, levels: Levels) -> NDArray[np.bool_] | None:
    """Which rows a node suppresses; None if it suppresses none."""
    gone = judge.suppressed_rows(levels)
    return gone if gone.any() else None


def frontier(found: FoundAnswers) -> FoundAnswers:
    """Keep only the minimal answers, which generalize no other answer."""
    return replace(found, answers=minimal(found.answers)) if found.answers else found
