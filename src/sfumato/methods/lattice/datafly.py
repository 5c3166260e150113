"""Datafly: generalize the attribute with the most distinct values until few enough rows must be suppressed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.methods.base import register
from sfumato.methods.lattice.answers import Search
from sfumato.methods.lattice.box_search import BoxSearch
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.full_domain import FoundAnswers, FullDomain
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.kernels.rollup import MASK, SHIFT, WORD
from sfumato.methods.lattice.nodes import Space


@dataclass(frozen=True)
class Datafly(FullDomain):
    """Generalize greedily until the models hold: fast, but a finer answer may exist.

    Where an answer does not imply that the nodes above it are answers (a model that is not monotone, or suppression
    with a model under which merging a bad class can spoil a good one), the greedy search may miss every answer; then
    all nodes are checked, and the best answer is released.
    """

    name: ClassVar[str] = "datafly"
    summary: ClassVar[str] = "One full-domain answer by greedy generalization: fast, not always minimal."

    def _find(self, judge: NodeJudge, space: Space) -> FoundAnswers:
        search = Search(complete=False)
        frequencies = judge.scan(space.bottom)
        while True:
            search.nodes_checked += 1
            if judge.verdict(frequencies).answer:
                return FoundAnswers([frequencies.levels], search)
            higher = _next(frequencies, judge, space)
            if higher is None:
                return FoundAnswers([] if judge.settled_at_top else self._others(judge, space, search), search)
            frequencies = judge.roller.up(frequencies, higher)

    def _others(self, judge: NodeJudge, space: Space, search: Search) -> list[Levels]:
        """Find all answers of the lattice, after the greedy search found none."""
        space.require_listable()
        everywhere = BoxSearch(judge, space)
        answers = everywhere.run().answers()
        search.nodes_checked += everywhere.checked
        search.complete = True
        return answers


def _next(frequencies: Frequencies, judge: NodeJudge, space: Space) -> Levels | None:
    """Raise the attribute with the most distinct values among those below their highest level; None if none is."""
    levels = frequencies.levels
    distinct = {at: _distinct(frequencies, judge, at) for at, top in enumerate(space.tops) if levels[at] < top}
    if not distinct:
        return None
    raised = max(distinct, key=lambda at: (distinct[at], -at))
    return (*levels[:raised], levels[raised] + 1, *levels[raised + 1 :])


def _distinct(frequencies: Frequencies, judge: NodeJudge, at: int) -> int:
    field = judge.roller.layout.fields[at]
    groups = (frequencies.keys[:, field[WORD]] >> np.uint64(field[SHIFT])) & np.uint64(field[MASK])
    return len(np.unique(groups))


register()(Datafly)
