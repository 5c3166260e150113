"""The complete set of answers by halving boxes of the lattice, the search behind `Lattice`.

A box is all nodes between two of them. If its lowest node makes all above answers, or its highest rules out all below,
one count decides the whole box. Otherwise the box shrinks to what is still open and is cut in two. A box brings along
the frequency set of its lowest node, the cheapest set from which all its nodes can be counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.judge import NodeJudge, Verdict
from sfumato.methods.lattice.nodes import UNKNOWN, Map, Space


@dataclass(frozen=True)
class Box:
    """The nodes from ``low`` to ``high``, and a frequency set at or below ``low``."""

    low: Levels
    high: Levels
    frequencies: Frequencies


class BoxSearch:
    """Classifies every node of a space."""

    def __init__(self, judge: NodeJudge, space: Space) -> None:
        self.judge = judge
        self.space = space
        self.map = Map(space)
        self.checked = 0

    def run(self) -> Map:
        """Classify all nodes and return the map."""
        base = self.judge.scan(self.space.bottom)
        waiting = [Box(self.space.bottom, self.space.tops, base)]
        while waiting:
            box = self._shrunk(waiting.pop())
            if box is None or self._decided(box):
                continue
            if self._probe(box):
                waiting.append(box)
            else:
                waiting += self._halves(box)
        return self.map

    def _shrunk(self, box: Box) -> Box | None:
        """Return the box around what is still open, or None when all is known."""
        part = self.map.open_part(box.low, box.high)
        return None if part is None else Box(*part, self.judge.roller.up(box.frequencies, part[0]))

    def _check(self, box: Box, node: Levels) -> Verdict | None:
        """Check a node of a box unless it is known; return what was found."""
        if self.map.status[node] != UNKNOWN:
            return None
        self.checked += 1
        verdict = self.judge.verdict(self.judge.roller.up(box.frequencies, node))
        self.map.note(node, verdict)
        return verdict

    def _decided(self, box: Box) -> bool:
        """Check both ends of a box; return whether that settles it."""
        upper = self._check(box, box.high)
        if box.low == box.high or (upper is not None and upper.hopeless):
            return True
        lower = self._check(box, box.low)
        return lower is not None and lower.clean

    def _probe(self, box: Box) -> bool:
        """Lower each attribute of the highest node alone, as far as that is hopeless; return whether any was."""
        shrinks = False
        for at, (low, high) in enumerate(zip(box.low, box.high, strict=True)):
            first, last = low, high
            line = box
            while first < last:
                level = (first + last) // 2
                node = (*box.high[:at], level, *box.high[at + 1 :])
                if line is box and self.map.status[node] == UNKNOWN:
                    # All nodes of this line can be counted from its lowest, which is small: the others tell little.
                    lowest = (*box.high[:at], low, *box.high[at + 1 :])
                    line = Box(lowest, box.high, self.judge.roller.up(box.frequencies, lowest))
                verdict = self._check(line, node)
                if verdict is None:
                    break
                if verdict.hopeless:
                    first, shrinks = level + 1, True
                else:
                    last = level
        return shrinks

    def _halves(self, box: Box) -> list[Box]:
        """Cut a box along its longest side; the lower half waits, since what is hopeless above is so below."""
        sides = [high - low for low, high in zip(box.low, box.high, strict=True)]
        at = int(np.argmax(sides))
        middle = box.low[at] + sides[at] // 2
        lower = Box(box.low, (*box.high[:at], middle, *box.high[at + 1 :]), box.frequencies)
        low = (*box.low[:at], middle + 1, *box.low[at + 1 :])
        return [lower, Box(low, box.high, box.frequencies)]
