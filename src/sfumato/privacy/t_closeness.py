"""t-closeness: the sensitive values of every class are distributed nearly as in the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import DataError, invalid_parameter
from sfumato.hierarchies import Taxonomy
from sfumato.hierarchies.domain import Tree
from sfumato.privacy.base import Rule, SensitiveModel
from sfumato.table.kernels import rules
from sfumato.table.kernels.rules import SHARE_TOLERANCE
from sfumato.table.microdata import Microdata, SensitiveColumn

DISTANCES = {
    "equal": rules.CLOSE_EQUAL,
    "ordered": rules.CLOSE_ORDERED,
    "hierarchical": rules.CLOSE_TREE,
    "numeric": rules.CLOSE_NUMBERS,
}


@dataclass(frozen=True)
class TCloseness(SensitiveModel):
    """The distribution of sensitive values in every class is within earth mover's distance ``t`` of the release's.

    Parameters
    ----------
    t
        The largest distance, from 0 to 1.
    distance
        How far two values are apart: ``"equal"``: all pairs equally; ``"ordered"``: by the number of values between
        them; ``"hierarchical"``: by the height of their common ancestor in ``taxonomy``; ``"numeric"``: by their
        difference, as a share of the range of the column.
    taxonomy
        The taxonomy of the sensitive values, for the hierarchical distance.
    column
        The sensitive column that it constrains; None for all of them.
    """

    t: float
    distance: str = "equal"
    taxonomy: Taxonomy | None = None
    name: ClassVar[str] = "t-closeness"

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", parameters.share("TCloseness", "t", self.t))
        parameters.choice("TCloseness", "distance", self.distance, tuple(DISTANCES))
        if (self.taxonomy is not None) != (self.distance == "hierarchical"):
            expected = "given if, and only if, distance='hierarchical'"
            raise invalid_parameter("TCloseness", "taxonomy", expected, self.taxonomy)

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        return [
            Rule(self, DISTANCES[self.distance], column, self.t, tree=self._places(microdata.sensitive[column]))
            for column in self.columns(microdata)
        ]

    def holds_for(
        self, counts: NDArray[np.int64], rule: Rule, table: NDArray[np.int64] | None = None
    ) -> NDArray[np.bool_]:
        whole = counts.sum(axis=0) if table is None else table
        if self.distance == "numeric":
            return self._number_distances(counts, whole, rule) <= self.t + SHARE_TOLERANCE
        if self.distance == "ordered":
            # Steps are counted between released values.
            counts, whole = counts[:, whole > 0], whole[whole > 0]
        extra = counts / counts.sum(axis=1, keepdims=True) - whole / whole.sum()
        return self._distances(extra, rule) <= self.t + SHARE_TOLERANCE

    def _distances(self, extra: NDArray[np.float64], rule: Rule) -> NDArray[np.float64]:
        """Compute the distances of classes, given how far each share exceeds that in the table."""
        if self.distance == "equal":
            return np.abs(extra).sum(axis=1) / 2
        if self.distance == "ordered":
            return np.abs(extra.cumsum(axis=1)).sum(axis=1) / max(1, extra.shape[1] - 1)
        assert rule.tree is not None
        parents, heights = rule.tree
        work = np.zeros(len(extra))
        nodes = np.zeros((len(extra), len(parents)))
        nodes[:, : extra.shape[1]] = extra
        for node in range(extra.shape[1], len(parents)):
            children = np.flatnonzero((parents == node) & (np.arange(len(parents)) < node))
            above = np.maximum(nodes[:, children], 0).sum(axis=1)
            below = np.maximum(-nodes[:, children], 0).sum(axis=1)
            nodes[:, node] = above - below
            work += heights[node] * np.minimum(above, below)
        return work

    def _number_distances(self, counts: NDArray[np.int64], whole: NDArray[np.int64], rule: Rule) -> NDArray[np.float64]:
        """Compute the area between the cumulative shares of every class and of the table, relative to the range."""
        assert rule.tree is not None
        missing, places = rule.tree[0][whole > 0] > 0, rule.tree[1][whole > 0].copy()
        known = places[~missing]
        reach = float(known[-1] - known[0]) if len(known) > 1 else 1.0
        places[missing] = (known[-1] if len(known) else 0.0) + reach  # one range beyond the largest
        extra = counts[:, whole > 0] / counts.sum(axis=1, keepdims=True) - whole[whole > 0] / whole.sum()
        return np.abs(extra.cumsum(axis=1)[:, :-1]) @ (np.diff(places) / reach)

    def _places(self, column: SensitiveColumn) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Locate the values: in a tree, or as numbers on their scale with a mark at the missing value."""
        if self.distance != "numeric":
            return self._tree(column)
        kind = column.values.type
        if not (
            pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind) or _is_moment(kind)
        ):
            raise DataError(
                f"t-closeness by distance='numeric' is about '{column.name}', which holds no numbers. Use "
                "distance='ordered' or distance='equal'."
            )
        values = column.values.cast(pa.timestamp("us")).cast(pa.int64()) if _is_moment(kind) else column.values
        numbers = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return np.isnan(numbers).astype(np.int64), np.nan_to_num(numbers)

    def _tree(self, column: SensitiveColumn) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Compute the parent and height of every node; the first nodes are the sensitive values in their order."""
        if self.taxonomy is None:
            return None
        known = column.values.drop_null()
        domain, codes = self.taxonomy.fit(column.name, known, has_missing=len(known) < column.size)
        tree = Tree.from_levels(domain.levels)
        leaf_of = np.append(codes, len(known))[: column.size]
        parents = tree.parent.astype(np.int64)
        parents[: column.size] = tree.parent[leaf_of]
        depth = np.concatenate([np.full(len(level), at) for at, level in enumerate(domain.levels)])
        return parents, depth / domain.top

    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        return f"t={self.t:g} is not possible for '{microdata.sensitive[rule.column].name}'."

    def to_policy(self) -> dict[str, Any]:
        policy = {"model": self.name, "t": self.t, "distance": self.distance, "column": self.column}
        if self.taxonomy is not None:
            policy["taxonomy"] = self.taxonomy.to_policy()
        return {key: value for key, value in policy.items() if value is not None}


def _is_moment(kind: pa.DataType) -> bool:
    return pa.types.is_date(kind) or pa.types.is_timestamp(kind)
