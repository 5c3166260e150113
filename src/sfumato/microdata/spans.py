"""Laying out the span costs of all domains in the pools that kernels read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain, IntervalDomain, TreeDomain
from sfumato.kernels.spans import POSITION, TABLE, TREE, Spans

#: Up to this size a tree's costs are tabulated for every pair of codes; larger ones are climbed.
TABLE_LIMIT = 128


def pack_spans(domains: Sequence[Domain], weights: NDArray[np.float64]) -> Spans:
    """Lay out the span costs of ``domains`` one behind the other."""
    positions, tables, trees = [np.empty(0)], [np.empty(0)], []
    kind = np.empty(len(domains), np.int8)
    position_at, table_at, tree_at = (np.zeros(len(domains), np.int64) for _ in range(3))
    for index, domain in enumerate(domains):
        position_at[index] = sum(map(len, positions))
        table_at[index] = sum(map(len, tables))
        tree_at[index] = sum(len(tree.parent) for tree in trees)
        if isinstance(domain, IntervalDomain):
            kind[index] = POSITION
            positions.append(domain.positions)
        elif isinstance(domain, TreeDomain):
            kind[index] = TABLE if domain.size <= TABLE_LIMIT else TREE
            trees.append(domain.tree)
            if kind[index] == TABLE:
                tables.append(_cost_table(domain))
    return Spans(
        kind=kind,
        size=np.array([domain.size for domain in domains], np.int64),
        weight=np.asarray(weights, np.float64),
        position_at=position_at,
        position=np.concatenate(positions),
        table_at=table_at,
        table=np.concatenate(tables),
        tree_at=tree_at,
        parent=np.concatenate([np.empty(0, np.int32), *(tree.parent for tree in trees)]),
        last=np.concatenate([np.empty(0, np.int32), *(tree.last for tree in trees)]),
        cost=np.concatenate([np.empty(0), *(tree.cost for tree in trees)]),
    )


def _cost_table(domain: TreeDomain) -> NDArray[np.float64]:
    lo, hi = np.divmod(np.arange(domain.size**2), domain.size)
    return domain.span_costs(np.minimum(lo, hi), np.maximum(lo, hi))
