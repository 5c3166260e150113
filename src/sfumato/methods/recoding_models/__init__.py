"""The other recoding models of the taxonomy in Section 5 of the Incognito paper, one method for each."""

from __future__ import annotations

from sfumato.methods.recoding_models.attribute_suppression import AttributeSuppression
from sfumato.methods.recoding_models.cells import CellGeneralization, CellSuppression
from sfumato.methods.recoding_models.full_subgraph import FullSubgraph
from sfumato.methods.recoding_models.single_dimension import FullSubtree, OrderedSetPartition

__all__ = [
    "AttributeSuppression",
    "CellGeneralization",
    "CellSuppression",
    "FullSubgraph",
    "FullSubtree",
    "OrderedSetPartition",
]
