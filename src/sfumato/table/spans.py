"""The span costs of all domains, packed into the arrays that kernels read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import CountedDomain, CountedGridDomain, Domain, GridDomain, IntervalDomain, Tree, TreeDomain
from sfumato.table.kernels.spans import GRID, GRID_LOGARITHM, LOGARITHM, POSITION, TABLE, TREE, Spans

#: Up to this size the costs of a tree are tabulated for every pair of codes; larger trees are climbed.
TABLE_LIMIT = 128


def pack_spans(domains: Sequence[Domain], weights: NDArray[np.float64]) -> Spans:
    """Pack the span costs of all domains."""
    values = _Pool(np.empty(0))
    nodes = _Pool(np.empty((0, 3), np.int32))
    index = []
    for domain in domains:
        if isinstance(domain, CountedDomain):
            missing = -1 if domain.missing_code is None else domain.missing_code
            index.append((LOGARITHM, domain.size, values.add(domain.reached.astype(np.float64)), missing, 0))
        elif isinstance(domain, CountedGridDomain):
            missing = -1 if domain.missing_code is None else domain.missing_code
            laid_out = np.concatenate([domain.reached.astype(np.float64), _grid(domain)])
            index.append((GRID_LOGARITHM, domain.size, values.add(laid_out), missing, len(domain.grid)))
        elif isinstance(domain, GridDomain):
            index.append((GRID, domain.size, values.add(_grid(domain)), 0, len(domain.grid)))
        elif isinstance(domain, IntervalDomain):
            index.append((POSITION, domain.size, values.add(domain.positions), 0, 0))
        elif isinstance(domain, TreeDomain):
            small = domain.size <= TABLE_LIMIT
            table_at = values.add(_cost_table(domain)) if small else 0
            tree_at, costs_at = nodes.add(_node_table(domain.tree)), values.add(domain.tree.cost)
            index.append((TABLE if small else TREE, domain.size, table_at, tree_at, costs_at))
    return Spans(
        index=np.array(index, np.int64).reshape(-1, 5),
        weight=np.asarray(weights, np.float64),
        values=values.joined(),
        nodes=nodes.joined(),
    )


class _Pool:
    """Concatenated arrays."""

    def __init__(self, empty: NDArray[Any]) -> None:
        self._parts: list[NDArray[Any]] = [empty]
        self._length = 0

    def add(self, part: NDArray[Any]) -> int:
        """Append an array and return where it begins."""
        begin = self._length
        self._parts.append(part)
        self._length += len(part)
        return begin

    def joined(self) -> NDArray[Any]:
        return np.concatenate(self._parts)


def _grid(domain: GridDomain) -> NDArray[np.float64]:
    """The positions and, for every step, the least share of the range, the grid lines below and those above."""
    steps = zip(domain.least_shares, domain.downs, domain.ups, strict=True)
    return np.concatenate([domain.positions, *(part for least, *lines in steps for part in ([least], *lines))])


def _node_table(tree: Tree) -> NDArray[np.int32]:
    return np.stack([tree.parent, tree.first, tree.last], axis=1)


def _cost_table(domain: TreeDomain) -> NDArray[np.float64]:
    """The cost of every pair of codes: that of the lowest group that holds both, so lower levels are written last."""
    costs = np.empty((domain.size, domain.size))
    ends = np.cumsum([len(level) for level in domain.levels])
    for level, end in zip(reversed(domain.levels), reversed(ends), strict=True):
        groups = level.groups
        own = domain.tree.cost[end - len(level) + groups]
        np.copyto(costs, own, where=groups[:, None] == groups)
    return costs.ravel()
