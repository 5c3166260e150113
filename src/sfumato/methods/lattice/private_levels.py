"""Levels and rows for differential privacy: drawn by chance, at levels that hardly depend on the table."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common.randomness import Secret
from sfumato.errors import ParameterError, invalid_parameter
from sfumato.methods.base import Method, Task
from sfumato.methods.details import MethodDetails
from sfumato.methods.lattice.fixed_levels import node_of
from sfumato.methods.lattice.frequencies import Levels
from sfumato.methods.lattice.full_domain import level_names
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space
from sfumato.methods.on_engine import EngineSupport, LevelsOfDrawnRows
from sfumato.privacy import DifferentialPrivacy
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: A draw has as many random bits as the chance of a row is a multiple of.
WHOLE = 2**53

#: A label is taken to stand for so many times the values of a label one step below.
PER_STEP = 3

#: Weights of nodes are integers of so many bits, from decimals of as many digits: rounding them is far below any delta.
WEIGHT_BITS, WEIGHT_DIGITS = 192, 60

#: More nodes than this would take minutes to look at.
MOST_NODES = 50_000


@dataclass(frozen=True)
class PrivateLevels(Method):
    """Draw every row by chance, show it at given or randomly chosen levels, and leave out classes of few drawn rows.

    `DifferentialPrivacy` asks for it. Levels are chosen by the exponential mechanism from the whole table, before rows
    are drawn: the more detail a node keeps for classes that are likely to survive, the likelier it is.

    Parameters
    ----------
    levels
        The level of every quasi-identifier, by number or name; by default they are chosen.
    """

    levels: Mapping[str, int | str] | None = None

    name: ClassVar[str] = "private-levels"
    summary: ClassVar[str] = "Rows drawn by chance, at levels that are given or chosen by chance."
    recoding: ClassVar[str] = "full-domain"

    def __post_init__(self) -> None:
        if self.levels is not None and not isinstance(self.levels, Mapping):
            expected = "a mapping of every quasi-identifier to its level, by number or by name"
            raise invalid_parameter(type(self).__name__, "levels", expected, self.levels)

    def run(self, task: Task) -> Recoding:
        """Choose levels, draw rows, and suppress the others and those of small classes."""
        chosen, drawn = self.at_levels(task), drawn_rows(task)
        classes = EquivalenceClasses.of(task.microdata, replace(chosen, suppressed=~drawn))
        large = np.append(classes.sizes >= task.requirements.smallest_class, False)  # the last place is for -1
        return replace(chosen, suppressed=~large[classes.of_row])

    @property
    def on_engine(self) -> EngineSupport:
        """The frequency set is enough to choose levels, and a part to draw its rows."""
        return LevelsOfDrawnRows(self.at_levels, drawn_rows)

    def at_levels(self, task: Task, counts: NDArray[np.int64] | None = None) -> Recoding:
        """Choose levels for all rows, drawn or not; rows of the task may stand for several equal ones each."""
        microdata, model = task.microdata, _model(task)
        node = _chosen(task, *weights(task, model, counts)) if self.levels is None else node_of(self.levels, microdata)
        levels = dict(zip(microdata.names, node, strict=True))
        return Recoding(levels=node, details=MethodDetails(levels=levels, level_names=level_names(microdata, node)))


def drawn_rows(task: Task) -> NDArray[np.bool_]:
    """Draw every row of a task by itself, with the chance that its model allows."""
    return _random(task, "rows").integers(0, WHOLE, len(task.microdata)) < round(_model(task).chance * WHOLE)


def _model(task: Task) -> DifferentialPrivacy:
    for model in task.requirements.models:
        if isinstance(model, DifferentialPrivacy):
            return model
    raise ParameterError(
        f"The method '{PrivateLevels.name}' is for DifferentialPrivacy alone. Ask for it, or choose another."
    )


def _random(task: Task, purpose: str) -> np.random.Generator:
    """Random numbers of a task for levels or for rows: the proof asks that the two have nothing in common."""
    return Secret(task.seed).generator(purpose)


def weights(
    task: Task, model: DifferentialPrivacy, counts: NDArray[np.int64] | None = None
) -> tuple[list[Levels], list[int]]:
    """All nodes, and the weight of each in the choice: proportional to e^(ε·worth) for the part of epsilon for levels.

    A further row adds at most 1 to the worth of any node and takes nothing from it. So it changes the chance of every
    node by a factor of e^ε at most, in either direction.
    """
    if not model.for_levels:
        raise ParameterError(
            "Choosing levels by the table costs a part of epsilon. Say how much, for example DifferentialPrivacy("
            f"{model.epsilon:g}, {model.delta:g}, for_levels={model.epsilon / 10:g}), or give the levels (sf.recode)."
        )
    space = Space(task.microdata.domains)
    if space.size > MOST_NODES:
        raise ParameterError(
            f"The hierarchies allow {space.size:,} combinations of levels, too many to weigh each. Declare fewer "
            "levels, or give them (sf.recode)."
        )
    judge = NodeJudge(task, counts)
    # How many rows of the table it takes, on average, for the smallest class to be drawn. A class counts with its rows
    # beyond half of that: no worth that one row changes by at most 1 is nearer to the rows that come out.
    enough = Fraction(task.requirements.smallest_class) / Fraction(model.chance) / 2
    nodes, worth = list(space.nodes()), []
    for at, node in enumerate(nodes):
        task.progress("choosing levels", at / space.size)
        counts_there = judge.scan(node).counts
        likely = counts_there[counts_there > math.floor(enough)]
        worth.append(detail_kept(space, node) * (int(likely.sum()) - len(likely) * enough))
    # In floats, sums over millions of rows would change chances by more than some delta allows.
    best, spent = max(worth), Fraction(model.for_levels)
    with localcontext(prec=WEIGHT_DIGITS):
        exponents = [spent * (one - best) for one in worth]
        odds = [(Decimal(one.numerator) / Decimal(one.denominator)).exp() for one in exponents]
        return nodes, [int(one * 2**WEIGHT_BITS) for one in odds]


def _chosen(task: Task, nodes: Sequence[Levels], weights: Sequence[int]) -> Levels:
    """Draw a node: the one in whose stretch of the added weights a random number falls."""
    ends = list(accumulate(weights))
    drawn = int.from_bytes(_random(task, "levels").bytes(2 * WEIGHT_BITS // 8), "big")
    return nodes[bisect(ends, drawn * ends[-1] >> 2 * WEIGHT_BITS)]


def detail_kept(space: Space, node: Levels) -> Fraction:
    """The mean detail that the levels keep: all at the values, none at ``*``; it depends on the declared levels alone.

    What a label really stands for depends on the values that occur, which must not count here.
    """
    whole = PER_STEP ** max(space.tops)
    kept = [whole - (whole // PER_STEP ** (top - at) if at else 0) for at, top in zip(node, space.tops, strict=True)]
    return Fraction(sum(kept), whole * len(kept))
