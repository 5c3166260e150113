"""Samarati's binary search over the height of the lattice: one answer of minimal height."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from sfumato.methods.base import register
from sfumato.methods.lattice.answers import Search
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.full_domain import FoundAnswers, FullDomain
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.nodes import Space


@dataclass(frozen=True)
class Samarati(FullDomain):
    """Find the lowest height with an answer by binary search, and release the first answer found there.

    With suppression, under a model for which merging a bad class can spoil a good one (see the page on Incognito), an
    answer implies nothing about greater heights; then all heights are tried from the lowest.
    """

    name: ClassVar[str] = "samarati"
    summary: ClassVar[str] = "One full-domain answer of the least height, by binary search on the height."

    def _find(self, judge: NodeJudge, space: Space) -> FoundAnswers:
        space.require_listable()
        search = Search(complete=False)
        base = judge.scan(space.bottom)
        best: Levels | None = None
        halving = judge.settled_at_top
        low, high = 0, sum(space.tops)
        while low <= high:
            height = (low + high) // 2 if halving else low
            found = self._first_answer(judge, base, space, height, search)
            if found is None:
                low = height + 1
                continue
            best, high = found, height - 1
            if not halving:
                break
        return FoundAnswers([] if best is None else [best], search)

    def _first_answer(
        self, judge: NodeJudge, base: Frequencies, space: Space, height: int, search: Search
    ) -> Levels | None:
        for node in nodes_of_height(space.tops, height):
            search.nodes_checked += 1
            if judge.verdict(self.counted(judge, base, node)).answer:
                return node
        return None

    def counted(self, judge: NodeJudge, base: Frequencies, node: Levels) -> Frequencies:
        """Compute the frequency set of a node, here from that of the exact values."""
        return judge.roller.up(base, node)


def nodes_of_height(tops: Levels, height: int) -> Iterator[Levels]:
    """Yield all nodes of a height."""
    if not tops:
        if height == 0:
            yield ()
        return
    for level in range(min(tops[0], height), -1, -1):
        if height - level <= sum(tops[1:]):
            for rest in nodes_of_height(tops[1:], height - level):
                yield (level, *rest)


register()(Samarati)
