"""Datafly: generalize the attribute with most distinct values until little enough is left to suppress."""

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

    Where an answer says nothing about the nodes above it (a model that is not monotone, or suppression and a model that
    a bad class can spoil), the search may miss every answer; then all nodes are checked, and the best is released.
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
        """Return all answers of the lattice, when the climb met none."""
        space.require_listable()
        everywhere = BoxSearch(judge, space)
        answers = everywhere.run().answers()
        search.nodes_checked += everywhere.checked
        search.complete = True
        return answers


def _next(frequencies: Frequencies, judge: NodeJudge, space: Space) -> Levels | None:
    """Raise the attribute that shows most distinct values, of those that may still rise."""
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
