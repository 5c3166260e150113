"""The answers of a search in the lattice, their losses, and the choice of the one to release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.loss import METRICS, Objective, names_of
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.kernels.node_sweep import SUPPRESSED
from sfumato.methods.lattice.node_sweep import can_sweep, sweep_nodes
from sfumato.methods.lattice.nodes import ANSWER, REJECTED, Map, Space, minimal
from sfumato.methods.lattice.scores import ABLE, Scorer, Worth

#: Up to this many answers are measured one by one; for more, all nodes are counted in one sweep.
FEW = 300

STATUS = {ANSWER: "answer", REJECTED: "rejected"}


@dataclass
class Search:
    """Statistics of a search.

    Attributes
    ----------
    nodes_checked
        The number of nodes counted and checked.
    scans
        How often the table itself was scanned.
    rollups
        The number of frequency sets computed from finer ones.
    candidates
        The number of candidate nodes for each size of subset, for searches that go by subsets.
    seconds
        The duration of the search.
    complete
        Whether all answers are known; if not, the search stopped at the answer it was asked for, or at its time limit.
    bound
        A lower bound of the minimized loss of every answer, for searches with a time limit.
    """

    nodes_checked: int = 0
    scans: int = 0
    rollups: int = 0
    candidates: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0
    complete: bool = True
    bound: float | None = None


@dataclass
class Alternatives:
    """The answers of a search with their levels and losses, computed on first access.

    A release shows them as a frame of the same library as the input.
    """

    space: Space
    scorer: Scorer
    answers: list[Levels]
    chosen: Levels
    minimal_only: bool = False

    def __len__(self) -> int:
        return len(self.answers)

    def to_columns(self) -> dict[str, list[Any]]:
        """One list per column: the levels, the number of suppressed rows, every loss, and which answer is released."""
        return self._columns

    def frontier(self, most: int) -> Alternatives:
        """The released answer and the lowest of the minimal answers, at most ``most`` in all."""
        lowest = sorted((node for node in minimal(self.answers) if node != self.chosen), key=sum)
        return replace(self, answers=[self.chosen, *lowest[: most - 1]])

    @cached_property
    def _columns(self) -> dict[str, list[Any]]:
        columns: dict[str, list[Any]] = {
            name: [node[at] for node in self.answers] for at, name in enumerate(self.space.names)
        }
        many = len(self.answers) > FEW and can_sweep(self.scorer.judge, self.space)
        rest = self._swept() if many else self._walked()
        lowest = set(minimal(self.answers))
        return (
            columns
            | rest
            | {
                "minimal": [node in lowest for node in self.answers],
                "released": [node == self.chosen for node in self.answers],
            }
        )

    def _walked(self) -> dict[str, list[Any]]:
        """Measure the answers one by one."""
        found: dict[str, list[Any]] = {name: [] for name in ("suppressed", *names_of(ABLE))}
        for frequencies in walk(self.scorer, self.answers):
            found["suppressed"].append(self.scorer.judge.verdict(frequencies).suppressed)
            for name, loss in self.scorer.reported(frequencies).items():
                found[name].append(loss)
        return found

    def _swept(self) -> dict[str, list[Any]]:
        """Measure all nodes in one sweep per loss."""
        judge, places = self.scorer.judge, tuple(np.array(self.answers).T)
        base = judge.scan(self.space.bottom)
        columns: dict[str, list[Any]] = {}
        for name in names_of(ABLE):
            objective = METRICS[name]
            found = sweep_nodes(judge, self.space, base, self.scorer.costs(objective))[places]
            columns["suppressed"] = found[:, SUPPRESSED].astype(int).tolist()
            columns[name] = np.asarray(objective.reported(self.scorer.marginals.loss(objective, found))).tolist()
        return columns


@dataclass
class NodeTable:
    """Every node of the lattice with its height and status, for charts."""

    map: Map
    chosen: Levels

    def to_columns(self) -> dict[str, list[Any]]:
        """One list per column: the levels, the height, the status."""
        space = self.map.space
        nodes = list(space.nodes())
        columns: dict[str, list[Any]] = {name: [node[at] for node in nodes] for at, name in enumerate(space.names)}
        return columns | {
            "height": [sum(node) for node in nodes],
            "status": [
                "released" if node == self.chosen else STATUS[int(status)]
                for node, status in zip(nodes, self.map.status.reshape(-1), strict=True)
            ],
        }


def walk(scorer: Scorer, nodes: Sequence[Levels]) -> Iterator[Frequencies]:
    """Yield the frequency set of every node, in order; consecutive nodes share the roll-ups of their common prefix."""
    if not nodes:
        return
    roller = scorer.judge.roller
    low = tuple(np.array(nodes).min(axis=0).tolist())
    # stack[i] has the first i attributes at the node's levels, the others at their lowest.
    stack = [scorer.judge.scan(low)]
    for node in nodes:
        while stack[-1].levels[: len(stack) - 1] != node[: len(stack) - 1]:
            stack.pop()
        for depth in range(len(stack), len(node) + 1):
            stack.append(roller.up(stack[-1], (*node[:depth], *low[depth:])))
        yield stack[-1]


@dataclass(frozen=True)
class Choice:
    """The choice among answers.

    Attributes
    ----------
    minimize
        A loss, or a function of the levels and the losses by name.
    scorer
        Measures nodes.
    space
        The lattice.
    """

    minimize: Objective | Worth
    scorer: Scorer
    space: Space

    def best(self, answers: list[Levels]) -> Levels:
        """Find the answer with the least loss; among equals the lowest, then the first."""
        objective = self.minimize
        if not isinstance(objective, Objective):
            return least([self.score(frequencies) for frequencies in walk(self.scorer, answers)], answers)
        if not self.scorer.judge.budget:
            # Without suppression, a generalization of an answer never loses less.
            answers = minimal(answers)
            if objective.additive:
                return least(self.scorer.at_least(objective, np.array(answers)).tolist(), answers)
        elif objective.additive:
            return self._best_bounded(objective, answers)
        elif can_sweep(self.scorer.judge, self.space):
            return self._best_swept(objective, answers)
        return least([self.score(frequencies) for frequencies in walk(self.scorer, answers)], answers)

    def score(self, frequencies: Frequencies) -> float:
        """The value to minimize, for the node of a frequency set."""
        if isinstance(self.minimize, Objective):
            return self.scorer.loss(frequencies, self.minimize)
        levels = dict(zip(self.space.names, frequencies.levels, strict=True))
        return float(self.minimize(levels, self.scorer.reported(frequencies)))

    @property
    def additive(self) -> Objective:
        """The loss that guides a search: the minimized one if it adds up over attributes, else GCP."""
        given = self.minimize
        return given if isinstance(given, Objective) and given.additive else METRICS["gcp"]

    def _best_bounded(self, objective: Objective, answers: list[Levels]) -> Levels:
        """Measure answers in the order of their lower bounds, until no other can be better."""
        least_losses = self.scorer.at_least(objective, np.array(answers))
        base = self.scorer.judge.scan(self.space.bottom)
        measured: dict[Levels, float] = {}
        best = np.inf
        for at in np.argsort(least_losses, kind="stable"):
            if least_losses[at] > best + tolerance(best):
                break
            node = answers[at]
            measured[node] = self.score(self.scorer.judge.roller.up(base, node))
            best = min(best, measured[node])
        return least(list(measured.values()), list(measured))

    def _best_swept(self, objective: Objective, answers: list[Levels]) -> Levels:
        judge = self.scorer.judge
        found = sweep_nodes(judge, self.space, judge.scan(self.space.bottom), self.scorer.costs(objective))
        losses = self.scorer.marginals.loss(objective, found)[tuple(np.array(answers).T)]
        return least(losses.tolist(), answers)


def least(losses: Sequence[float], nodes: Sequence[Levels]) -> Levels:
    """Find the node with the least loss; among losses equal up to rounding the lowest node, then the first."""
    best = min(losses)
    close = [node for loss, node in zip(losses, nodes, strict=True) if loss <= best + tolerance(best)]
    return min(close, key=lambda node: (sum(node), node))


def tolerance(loss: float) -> float:
    """The difference that rounding may cause between equal losses, summed in different orders."""
    return 1e-9 * abs(loss) if np.isfinite(loss) else 0.0


def status_of(found: NDArray[np.float64], budget: int) -> NDArray[np.int8]:
    """Turn the findings of a sweep into the status of every node."""
    return np.where(found[..., SUPPRESSED] <= budget, ANSWER, REJECTED).astype(np.int8)
