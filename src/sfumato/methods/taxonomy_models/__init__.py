"""The other recoding models of the taxonomy in Section 5 of the Incognito paper, one method for each."""

from __future__ import annotations

from sfumato.methods.taxonomy_models.attribute_suppression import AttributeSuppression
from sfumato.methods.taxonomy_models.cells import CellGeneralization, CellSuppression
from sfumato.methods.taxonomy_models.full_subgraph import FullSubgraph
from sfumato.methods.taxonomy_models.single_dimension import FullSubtree, OrderedSetPartition

__all__ = [
    "AttributeSuppression",
    "CellGeneralization",
    "CellSuppression",
    "FullSubgraph",
    "FullSubtree",
    "OrderedSetPartition",
]
