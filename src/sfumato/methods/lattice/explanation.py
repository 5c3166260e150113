"""Why this node was released: which attribute binds, and what the next finer or safer node would cost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from sfumato.loss import Objective
from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.nodes import Space
from sfumato.methods.lattice.scores import Scorer


@dataclass(frozen=True)
class Neighbour:
    """A node near the released one."""

    levels: Levels
    suppressed: int
    loss: float
    answer: bool


class NodeExplanation:
    """The alternatives next to the released node, in sentences; `str` joins them."""

    def __init__(self, scorer: Scorer, space: Space, chosen: Levels, objective: Objective) -> None:
        self.scorer = scorer
        self.space = space
        self.chosen = chosen
        self.objective = objective
        self._known: dict[Levels, Neighbour] = {}

    @cached_property
    def _base(self) -> Frequencies:
        return self.scorer.judge.scan(self.space.bottom)

    def at(self, node: Levels) -> Neighbour:
        """Count and measure a node."""
        if node not in self._known:
            judge = self.scorer.judge
            counted = judge.roller.up(self._base, node)
            verdict = judge.verdict(counted)
            loss = self.scorer.loss(counted, self.objective)
            self._known[node] = Neighbour(node, verdict.suppressed, loss, verdict.answer)
        return self._known[node]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """Yield one sentence per line."""
        here = self.at(self.chosen)
        shown = ", ".join(f"{name} {self._level(at, self.chosen[at])}" for at, name in enumerate(self.space.names))
        yield f"Released: {shown}."
        yield f"It loses {self._measured(here)} and leaves out {self._share(here)} of the rows."
        yield from self._binding(here)
        yield from self._trades(here)
        yield from self._safer(here)

    def _binding(self, here: Neighbour) -> Iterator[str]:
        """Say what each attribute would cost one level finer; the most expensive one binds."""
        finer = {at: self.at(self._moved(at, -1)) for at, level in enumerate(self.chosen) if level}
        blocked = {at: node for at, node in finer.items() if not node.answer}
        if not blocked:
            yield "Nothing binds: every attribute is as fine as it can be, or could be finer at a greater loss."
            return
        binding = max(blocked, key=lambda at: (blocked[at].suppressed, -at))
        yield f"What binds most is {self.space.names[binding]}."
        for at, node in sorted(blocked.items(), key=lambda item: item[1].suppressed):
            yield (
                f"  {self.space.names[at]} one level finer ({self._level(at, node.levels[at])}) would leave out "
                f"{self._share(node)} of the rows; {self._allowed()} may be."
            )

    def _trades(self, here: Neighbour) -> Iterator[str]:
        """Say which attribute could be finer if another were one level coarser."""
        for raised in range(len(self.chosen)):
            if self.chosen[raised] == self.space.tops[raised]:
                continue
            above = self._moved(raised, 1)
            for lowered in range(len(self.chosen)):
                if lowered == raised or not self.chosen[lowered]:
                    continue
                found = self._lowest_answer(above, lowered)
                if found is not None and found.levels[lowered] < self.chosen[lowered]:
                    yield self._trade(here, found, raised, lowered)

    def _trade(self, here: Neighbour, found: Neighbour, raised: int, lowered: int) -> str:
        names = self.space.names
        stays = "stay exact" if found.levels[lowered] == 0 else f"be {self._level(lowered, found.levels[lowered])}"
        without = self.at((*self.chosen[:lowered], found.levels[lowered], *self.chosen[lowered + 1 :]))
        return (
            f"  Releasing {names[raised]} one level higher ({self._level(raised, found.levels[raised])}) lets "
            f"{names[lowered]} {stays}: {self._change(here, found)}; suppression "
            f"{self._share(without)} → {self._share(found)}."
        )

    def _lowest_answer(self, node: Levels, at: int) -> Neighbour | None:
        """Find the answer with one attribute as fine as possible and the others as in a node."""
        for level in range(node[at] + 1):
            found = self.at((*node[:at], level, *node[at + 1 :]))
            if found.answer:
                return found
        return None

    def _safer(self, here: Neighbour) -> Iterator[str]:
        for at in range(len(self.chosen)):
            if self.chosen[at] < self.space.tops[at]:
                found = self.at(self._moved(at, 1))
                if found.answer:
                    yield (
                        f"  Safer: {self.space.names[at]} one level higher ({self._level(at, found.levels[at])}) costs "
                        f"{self._change(here, found)}; suppression {self._share(here)} → {self._share(found)}."
                    )

    def _moved(self, at: int, step: int) -> Levels:
        return (*self.chosen[:at], self.chosen[at] + step, *self.chosen[at + 1 :])

    def _level(self, at: int, level: int) -> str:
        return f"'{self.scorer.judge.roller.domains[at].levels[level].name}'"

    def _share(self, node: Neighbour) -> str:
        return f"{node.suppressed / max(1, self.scorer.judge.rows):.1%}"

    def _allowed(self) -> str:
        return f"{self.scorer.judge.budget / max(1, self.scorer.judge.rows):.1%}"

    def _measured(self, node: Neighbour) -> str:
        return f"{self.objective.name} {self.objective.reported(node.loss):,.4g}"

    def _change(self, here: Neighbour, there: Neighbour) -> str:
        return f"{self._measured(here)} → {self._measured(there).removeprefix(self.objective.name + ' ')}"
