"""Bottom-up breadth-first search of the whole lattice: the simplest way to find all answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.common import parameters
from sfumato.methods.base import register
from sfumato.methods.lattice.answers import Search
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.full_domain import FoundAnswers, FullDomain
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import UNKNOWN, Map, Space


@dataclass(frozen=True)
class BottomUp(FullDomain):
    """Check every node from the bottom up, height by height, except those that an answer below already implies.

    Parameters
    ----------
    rollup
        Compute the frequency set of each node from a node that it directly generalizes; False scans the table instead.
    minimize, weights, max_level, exhaustive
        As in `Lattice`.
    """

    rollup: bool = True

    name: ClassVar[str] = "bottom-up"
    summary: ClassVar[str] = "All full-domain answers by breadth-first search: the baseline of Incognito's paper."

    def __post_init__(self) -> None:
        super().__post_init__()
        parameters.flag("BottomUp", "rollup", self.rollup)

    def _find(self, judge: NodeJudge, space: Space) -> FoundAnswers:
        space.require_listable()
        search, known = Search(), Map(space)
        row: dict[Levels, Frequencies | None] = {space.bottom: None}
        while row:
            above: dict[Levels, Frequencies | None] = {}
            for node, source in row.items():
                if known.status[node] != UNKNOWN:
                    above |= dict.fromkeys(space.above(node))
                    continue
                frequencies = judge.scan(node) if source is None else judge.roller.up(source, node)
                verdict = judge.verdict(frequencies)
                search.nodes_checked += 1
                known.note(node, verdict)
                above |= dict.fromkeys(space.above(node), frequencies if self.rollup else None)
            row = above
        return FoundAnswers(known.answers(), search, known)


register()(BottomUp)
