"""Levels and rows for differential privacy: drawn by chance, at levels that hardly depend on the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.methods.base import Method, Task
from sfumato.methods.details import MethodDetails
from sfumato.methods.lattice.fixed_levels import node_of
from sfumato.methods.lattice.frequencies import Levels
from sfumato.methods.lattice.full_domain import level_names
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space
from sfumato.privacy import DifferentialPrivacy
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

#: A draw has as many random bits as the chance of a row is a multiple of.
WHOLE = 2**53

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

    def run(self, task: Task) -> Recoding:
        """Choose levels, draw rows, and suppress the others and those of small classes."""
        model = next((one for one in task.requirements.models if isinstance(one, DifferentialPrivacy)), None)
        if model is None:
            raise ParameterError(
                f"The method '{self.name}' is for DifferentialPrivacy alone. Ask for it, or choose another."
            )
        microdata, random = task.microdata, task.random()
        node = node_of(self.levels, microdata) if self.levels is not None else _chosen(*chances(task, model), random)
        drawn = random.integers(0, WHOLE, len(microdata)) < round(model.chance * WHOLE)
        details = MethodDetails(
            levels=dict(zip(microdata.names, node, strict=True)), level_names=level_names(microdata, node)
        )
        kept = drawn & _in_large_classes(microdata, node, drawn, task.requirements.smallest_class)
        return Recoding(levels=node, suppressed=~kept, details=details)


def chances(task: Task, model: DifferentialPrivacy) -> tuple[list[Levels], NDArray[np.float64]]:
    """All nodes, and the chance of each to be chosen: in proportion to e^(ε·worth) for the part of epsilon for levels.

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
    judge = NodeJudge(task)
    # How many rows of the table it takes, on average, for the smallest class to be drawn.
    enough = task.requirements.smallest_class / model.chance
    nodes, worth = list(space.nodes()), np.empty(space.size)
    for at, node in enumerate(nodes):
        task.progress("choosing levels", at / space.size)
        beyond = judge.scan(node).counts - enough
        worth[at] = detail_kept(space, node) * float(beyond[beyond > 0].sum())
    odds = np.exp(model.for_levels * (worth - worth.max()))
    return nodes, odds / odds.sum()


def _chosen(nodes: list[Levels], chances: NDArray[np.float64], random: np.random.Generator) -> Levels:
    return nodes[int(random.choice(len(nodes), p=chances))]


def detail_kept(space: Space, node: Levels) -> float:
    """The mean share of steps that the levels leave up to ``*``: it depends on the declared hierarchies alone."""
    return float(np.mean([1 - level / top if top else 1.0 for level, top in zip(node, space.tops, strict=True)]))


def _in_large_classes(microdata: Microdata, node: Levels, drawn: NDArray[np.bool_], smallest: int) -> NDArray[np.bool_]:
    classes = EquivalenceClasses.of(microdata, Recoding(levels=node, suppressed=~drawn))
    large = np.append(classes.sizes >= smallest, False)  # the last place is that of suppressed rows, -1
    return large[classes.of_row]
