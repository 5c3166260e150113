"""All answers by bisecting boxes of the lattice: the search behind `Lattice`.

A box is the set of nodes between two corners. If its lowest node makes all nodes above it answers, or its highest rules
out all nodes below it, one count decides the whole box. Otherwise the box shrinks to its undecided nodes and is cut in
two. A box carries the frequency set of its lowest node, the smallest set from which all its nodes can be counted.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sfumato.methods.lattice.frequencies import Frequencies, Levels
from sfumato.methods.lattice.judge import NodeJudge, Verdict
from sfumato.methods.lattice.nodes import UNKNOWN, Map, Space


@dataclass(frozen=True)
class Box:
    """The nodes from ``low`` to ``high``, and the frequency set of a node at or below ``low``."""

    low: Levels
    high: Levels
    frequencies: Frequencies


class BoxSearch:
    """Decides every node of a space."""

    def __init__(self, judge: NodeJudge, space: Space) -> None:
        self.judge = judge
        self.space = space
        self.map = Map(space)
        self.checked = 0

    def run(self) -> Map:
        """Decide all nodes and return the map."""
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
        """Shrink a box to its undecided nodes; None if there are none."""
        part = self.map.open_part(box.low, box.high)
        return None if part is None else Box(*part, self.judge.roller.up(box.frequencies, part[0]))

    def _check(self, box: Box, node: Levels) -> Verdict | None:
        """Check a node of a box; None if it was already decided."""
        if self.map.status[node] != UNKNOWN:
            return None
        self.checked += 1
        verdict = self.judge.verdict(self.judge.roller.up(box.frequencies, node))
        self.map.note(node, verdict)
        return verdict

    def _decided(self, box: Box) -> bool:
        """Check both corners of a box; return whether that decides the whole box."""
        upper = self._check(box, box.high)
        if box.low == box.high or (upper is not None and upper.hopeless):
            return True
        lower = self._check(box, box.low)
        return lower is not None and lower.clean

    def _probe(self, box: Box) -> bool:
        """Bisect each attribute of the top alone for its lowest hopeful level; return whether any node was hopeless."""
        shrinks = False
        for at, (low, high) in enumerate(zip(box.low, box.high, strict=True)):
            first, last = low, high
            line = box
            while first < last:
                level = (first + last) // 2
                node = (*box.high[:at], level, *box.high[at + 1 :])
                if line is box and self.map.status[node] == UNKNOWN:
                    # All nodes of this line can be counted from its lowest one, whose frequency set is small.
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
        """Cut a box along its longest side; the upper half comes first, as what is hopeless there is so below."""
        sides = [high - low for low, high in zip(box.low, box.high, strict=True)]
        at = int(np.argmax(sides))
        middle = box.low[at] + sides[at] // 2
        lower = Box(box.low, (*box.high[:at], middle, *box.high[at + 1 :]), box.frequencies)
        low = (*box.low[:at], middle + 1, *box.low[at + 1 :])
        return [lower, Box(low, box.high, box.frequencies)]
