"""Random orders of rows in which similar rows lie close together."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.methods.search_levels import search_levels

#: Bits of a sort key for the cell of a row, and for its position inside the cell.
CELL_BITS, FINE_BITS = 31, 32

#: A cell holds up to two to this power rows, if rows are spread evenly.
ROOM = 6.0


@dataclass(frozen=True)
class NeighbourOrders:
    """Sorts rows by the cells of random full-domain nodes.

    Rows that agree in some attributes and are close in the others share a cell of many nodes, whichever attributes
    those are; no single order of a table with many attributes makes all such pairs neighbours. Of many attributes only
    some are used each time: at a node where every row is alone in its cell, no row has neighbours.
    """

    domains: tuple[Domain, ...] = field(repr=False)

    @cached_property
    def levels(self) -> list[list[NDArray[np.int64]]]:
        """The levels of every attribute."""
        return [search_levels(domain) for domain in self.domains]

    def order(self, codes: NDArray[np.unsignedinteger], random: np.random.Generator) -> NDArray[np.int32]:
        """Sort the rows by the cells of a random node, and inside a cell by their values."""
        cells = np.zeros(len(codes), np.uint64)
        left = np.log2(max(2, len(codes))) - random.uniform(0, ROOM)
        for attribute in random.permutation(len(self.levels)):
            levels = self.levels[attribute]
            level = int(random.integers(len(levels)))
            while level < len(levels) - 1 and np.log2(levels[level][-1] + 1) > left:
                level += 1
            groups = levels[level]
            left -= np.log2(groups[-1] + 1)
            marks = random.integers(1 << 63, size=int(groups[-1]) + 1, dtype=np.uint64)
            cells += marks[groups][codes[:, attribute]]
        keys = (cells >> np.uint64(64 - CELL_BITS) << np.uint64(FINE_BITS)) | self._inside(codes, random)
        return np.argsort(keys, kind="stable").astype(np.int32)

    def _inside(self, codes: NDArray[np.unsignedinteger], random: np.random.Generator) -> NDArray[np.uint64]:
        """Pack the codes of attributes in random order, as many as fit, the most significant first."""
        packed = np.zeros(len(codes), np.uint64)
        left = FINE_BITS
        for attribute in random.permutation(len(self.domains)):
            bits = max(1, (self.domains[attribute].size - 1).bit_length())
            if bits > left:
                continue
            left -= bits
            packed = (packed << np.uint64(bits)) | codes[:, attribute].astype(np.uint64)
        return packed
