"""Differential privacy for rows, ours beside the approach of ARX (SafePub), on Adult at the same ε and δ.

SafePub (Bild, Kuhn and Prasser, PoPETs 2018, and the open code of ARX) is written here from its description, to compare
what the two lose: a sample with β = 1 - e^-ε; classes of fewer than k drawn rows go, where k is one more than the least
that the theorem allows; levels by a walk through the lattice from its top, whose every step the exponential mechanism
chooses by the score of ARX's loss, computed on the drawn rows; of the nodes visited the one with the best score. No
program of ARX takes part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.measure import ADULT, NO_ADULT, RESULTS, Result
from sfumato.methods import Task
from sfumato.methods.lattice.private_levels import chances
from sfumato.privacy import Requirements
from sfumato.table.encoding import encode

DELTA = 1e-6
EPSILONS = (0.5, 1.0, 2.0, 3.0)
#: The part of ε for levels, and how many steps ARX's walk takes in its own benchmarks.
FOR_LEVELS, STEPS = 0.1, 300
#: Releases of each kind; fewer with many columns, where ARX's walk takes half a minute.
REPEATS, FEWER, MANY = 20, 5, 8
COLUMNS = (
    ("age", "sex", "education"),
    ("age", "sex", "race", "marital-status", "education"),
    ("age", "sex", "race", "marital-status", "education", "workclass", "salary-class", "native-country"),
)
Node = tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """A table at every level of every column: the group of each row, and the share of all values that a group holds."""

    rows: int
    groups: Sequence[Sequence[NDArray[np.int64]]] = field(repr=False)
    shares: Sequence[Sequence[NDArray[np.float64]]] = field(repr=False)

    @classmethod
    def of(cls, microdata: Any) -> Table:
        """Look up the levels of an encoded table."""
        groups, shares = [], []
        for at, domain in enumerate(microdata.domains):
            of_value = [level.groups.astype(np.int64) for level in domain.levels]
            groups.append([one[microdata.codes[:, at]] for one in of_value])
            shares.append([np.bincount(one) / len(one) for one in of_value])
        return cls(len(microdata), groups, shares)

    @property
    def top(self) -> Node:
        """The node that shows nothing."""
        return tuple(len(levels) - 1 for levels in self.groups)

    def released(self, node: Node, drawn: NDArray[np.bool_], k: int) -> NDArray[np.bool_]:
        """Decide which rows come out: drawn ones in classes of at least k."""
        keys = np.zeros(self.rows, np.int64)
        for levels, shares, level in zip(self.groups, self.shares, node, strict=True):
            keys = keys * len(shares[level]) + levels[level]
        _, which = np.unique(keys, return_inverse=True)
        return np.asarray(drawn & (np.bincount(which[drawn], minlength=int(which.max()) + 1) >= k)[which], bool)

    def lost(self, node: Node, rows: NDArray[np.bool_]) -> float:
        """ARX's loss of some rows, summed: the mean share of all values that a cell may stand for."""
        cells = (
            shares[level][levels[level][rows]].sum()
            for levels, shares, level in zip(self.groups, self.shares, node, strict=True)
        )
        return float(sum(cells)) / len(self.groups)


@dataclass(frozen=True)
class Outcome:
    """One release: how many rows came out, and ARX's loss of these, and of all rows, where others lose everything."""

    rows: int
    of_released: float
    of_all: float

    @classmethod
    def of(cls, table: Table, node: Node, out: NDArray[np.bool_]) -> Outcome:
        """Measure a release."""
        many, lost = int(out.sum()), table.lost(node, out)
        return cls(many, lost / max(1, many), (lost + table.rows - many) / table.rows)


def ours(microdata: Any, model: sf.DifferentialPrivacy, random: np.random.Generator, repeats: int) -> Iterator[Outcome]:
    """Make releases as `PrivateLevels` does: the chances of all nodes are its own, and computed once."""
    table = Table.of(microdata)
    nodes, odds = chances(Task(microdata, Requirements((model,), microdata)), model)
    for _ in range(repeats):
        node = nodes[int(random.choice(len(nodes), p=odds))]
        yield Outcome.of(table, node, table.released(node, random.random(table.rows) < model.chance, model.k))


def safepub(microdata: Any, epsilon: float, random: np.random.Generator, repeats: int) -> Iterator[Outcome]:
    """Make releases as SafePub does."""
    table = Table.of(microdata)
    model = sf.DifferentialPrivacy(epsilon, DELTA, for_levels=FOR_LEVELS * epsilon)
    k, spent = model.k + 1, FOR_LEVELS * epsilon / STEPS
    for _ in range(repeats):
        drawn = random.random(table.rows) < model.chance
        scores: dict[Node, float] = {}
        best, best_score = _walk(table, drawn, k, spent, scores, random)
        assert best_score == max(best_score, scores[table.top])
        yield Outcome.of(table, best, table.released(best, drawn, k))


def _walk(
    table: Table, drawn: NDArray[np.bool_], k: int, spent: float, scores: dict[Node, float], random: np.random.Generator
) -> tuple[Node, float]:
    """Walk from the top; each step goes to one of the nodes seen so far, by the exponential mechanism."""

    def score(node: Node) -> float:
        if node not in scores:
            out = table.released(node, drawn, k)
            # One row changes the sum by at most k - 1: a class of that many others may appear with it.
            scores[node] = -(table.lost(node, out) + table.rows - int(out.sum())) / (k - 1)
        return scores[node]

    pivot = best = table.top
    waiting, seen = {pivot}, {pivot}
    for _ in range(STEPS):
        below = [(*pivot[:at], level - 1, *pivot[at + 1 :]) for at, level in enumerate(pivot) if level]
        waiting |= {node for node in below if node not in seen}
        seen |= waiting
        waiting.discard(pivot)
        if not waiting:
            break
        listed = sorted(waiting)
        odds = np.array([0.5 * spent * score(node) for node in listed])
        odds = np.exp(odds - odds.max())
        pivot = listed[int(random.choice(len(listed), p=odds / odds.sum()))]
        best = max(best, pivot, key=score)
    return best, score(best)


def run() -> Iterator[Result]:
    """Write the table of the page to a file; the figures shown are ours over SafePub's loss of all rows."""
    if not ADULT.exists():
        yield NO_ADULT
        return
    adult = sf.datasets.adult(ADULT)
    head = ("quasi-identifiers", "ε", "", "k", "rows that come out", "loss of these", "loss of all rows")
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for names in COLUMNS:
        microdata = encode(adult.table, {name: adult.schema.quasi_identifiers[name] for name in names}, [])
        for epsilon in EPSILONS:
            losses = []
            for name, k, outcomes in _compared(microdata, epsilon):
                losses.append(np.mean([one.of_all for one in outcomes]))
                lines.append(f"| {len(names)} | {epsilon:g} | {name} | {k} | {_cells(outcomes)} |")
                print(lines[-1], flush=True)
            yield Result(f"{len(names)} columns, ε = {epsilon:g}: our loss of all rows", losses[0] / losses[-1])
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "safepub.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _compared(microdata: Any, epsilon: float) -> Iterator[tuple[str, int, list[Outcome]]]:
    repeats = REPEATS if len(microdata.domains) < MANY else FEWER
    for name, beta in (("ours", None), ('ours, `beta="best"`', "best")):
        model = sf.DifferentialPrivacy(epsilon, DELTA, for_levels=FOR_LEVELS * epsilon, beta=beta)
        yield name, model.k, list(ours(microdata, model, np.random.default_rng(1), repeats))
    least = sf.DifferentialPrivacy(epsilon, DELTA, for_levels=FOR_LEVELS * epsilon)
    yield "SafePub", least.k + 1, list(safepub(microdata, epsilon, np.random.default_rng(1), repeats))


def _cells(outcomes: Sequence[Outcome]) -> str:
    """Mean and 95 % interval of the mean over all releases."""
    found = np.array([[one.rows, 100 * one.of_released, 100 * one.of_all] for one in outcomes])
    doubt = 1.96 * found.std(axis=0, ddof=1) / np.sqrt(len(found))
    return f"{found[:, 0].mean():,.0f} ± {doubt[0]:,.0f} | " + " | ".join(
        f"{found[:, at].mean():.1f} ± {doubt[at]:.1f} %" for at in (1, 2)
    )
