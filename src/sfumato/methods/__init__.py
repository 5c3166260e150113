"""The methods: algorithms that turn microdata into a recoding, registered by name."""

from __future__ import annotations

from sfumato.methods.base import REGISTRY, Method, Task, find_method, register
from sfumato.methods.enumeration.costs import BlockCost, Blocks
from sfumato.methods.enumeration.enum_multi import EnumMulti
from sfumato.methods.enumeration.partitions import partitions
from sfumato.methods.lattice import BottomUp, Datafly, FixedLevels, Incognito, Lattice, Samarati
from sfumato.methods.linear.linear import CostAware, Hilbert, IDistance, Linear
from sfumato.methods.linear.mapping import HilbertCurve, Mapping
from sfumato.methods.linear.nested import CostOrder
from sfumato.methods.multidim.best_cuts import BestCuts
from sfumato.methods.multidim.mondrian import Mondrian
from sfumato.methods.peeling import Peeling
from sfumato.methods.portfolio import Balanced, Best
from sfumato.methods.refining import Refined
from sfumato.methods.taxonomy_models import (
    AttributeSuppression,
    CellGeneralization,
    CellSuppression,
    FullSubgraph,
    FullSubtree,
    OrderedSetPartition,
)

#: What ``method="auto"`` means.
DEFAULT = "balanced"
REGISTRY["auto"] = REGISTRY[DEFAULT]

__all__ = [
    "DEFAULT",
    "REGISTRY",
    "AttributeSuppression",
    "Balanced",
    "Best",
    "BestCuts",
    "BlockCost",
    "Blocks",
    "BottomUp",
    "CellGeneralization",
    "CellSuppression",
    "CostAware",
    "CostOrder",
    "Datafly",
    "EnumMulti",
    "FixedLevels",
    "FullSubgraph",
    "FullSubtree",
    "Hilbert",
    "HilbertCurve",
    "IDistance",
    "Incognito",
    "Lattice",
    "Linear",
    "Mapping",
    "Method",
    "Mondrian",
    "OrderedSetPartition",
    "Peeling",
    "Refined",
    "Samarati",
    "Task",
    "find_method",
    "partitions",
    "register",
]
