"""The methods: algorithms that turn microdata into a recoding, each under its name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from sfumato.common.lazy import on_demand
from sfumato.methods.base import REGISTRY, Method, MethodOption, Task, find_method, register

if TYPE_CHECKING:
    from sfumato.methods.auto import Auto
    from sfumato.methods.best import Best
    from sfumato.methods.comparators.k_optimize import KOptimize
    from sfumato.methods.comparators.top_down import TopDown
    from sfumato.methods.enumeration.enum_multi import EnumMulti
    from sfumato.methods.enumeration.partitions import partitions
    from sfumato.methods.lattice.bottom_up import BottomUp
    from sfumato.methods.lattice.datafly import Datafly
    from sfumato.methods.lattice.fixed_levels import FixedLevels
    from sfumato.methods.lattice.incognito import Incognito
    from sfumato.methods.lattice.lattice import Lattice
    from sfumato.methods.lattice.private_levels import PrivateLevels
    from sfumato.methods.lattice.samarati import Samarati
    from sfumato.methods.linear.cost_aware import CostAware, CostOrder
    from sfumato.methods.linear.hilbert import Hilbert, HilbertCurve
    from sfumato.methods.linear.idistance import IDistance
    from sfumato.methods.linear.linear import Linear
    from sfumato.methods.linear.row_order import LinearMapping
    from sfumato.methods.multidim.best_cuts import BestCuts
    from sfumato.methods.multidim.mondrian import Mondrian
    from sfumato.methods.peeling import Peeling
    from sfumato.methods.proven.proven import Proven
    from sfumato.methods.recoding_models.attribute_suppression import AttributeSuppression
    from sfumato.methods.recoding_models.cell_generalization import CellGeneralization
    from sfumato.methods.recoding_models.cell_suppression import CellSuppression
    from sfumato.methods.recoding_models.full_subgraph import FullSubgraph
    from sfumato.methods.recoding_models.full_subtree import FullSubtree
    from sfumato.methods.recoding_models.ordered_set_partition import OrderedSetPartition
    from sfumato.methods.refinement.refined import Refined

#: The module of every method, by the name that ``method=`` takes. A module is imported when its method is first asked
#: for, so that a command starts at once.
_METHODS = {
    "mondrian": "multidim.mondrian",
    "mondrian-relaxed": "multidim.mondrian",
    "best-cuts": "multidim.best_cuts",
    "hilbert": "linear.hilbert",
    "hilbert-fast": "linear.hilbert",
    "cost-aware": "linear.cost_aware",
    "idistance": "linear.idistance",
    "idistance-fast": "linear.idistance",
    "lattice": "lattice.lattice",
    "incognito": "lattice.incognito",
    "incognito-basic": "lattice.incognito",
    "incognito-cube": "lattice.incognito",
    "bottom-up": "lattice.bottom_up",
    "samarati": "lattice.samarati",
    "datafly": "lattice.datafly",
    "enum-multi": "enumeration.enum_multi",
    "top-down": "comparators.top_down",
    "k-optimize": "comparators.k_optimize",
    "peeling": "peeling",
    "refined": "refinement.refined",
    "best": "best",
    "proven": "proven.proven",
    "auto": "auto",
    "attribute-suppression": "recoding_models.attribute_suppression",
    "full-subtree": "recoding_models.full_subtree",
    "ordered-set-partition": "recoding_models.ordered_set_partition",
    "full-subgraph": "recoding_models.full_subgraph",
    "cell-suppression": "recoding_models.cell_suppression",
    "cell-generalization": "recoding_models.cell_generalization",
}

#: The method that runs when the caller names none.
DEFAULT = "auto"

#: The module of every other public name of this package.
_HOMES = {
    "KOptimize": "comparators.k_optimize",
    "TopDown": "comparators.top_down",
    "EnumMulti": "enumeration.enum_multi",
    "partitions": "enumeration.partitions",
    "BottomUp": "lattice.bottom_up",
    "Datafly": "lattice.datafly",
    "FixedLevels": "lattice.fixed_levels",
    "PrivateLevels": "lattice.private_levels",
    "Incognito": "lattice.incognito",
    "Lattice": "lattice.lattice",
    "Samarati": "lattice.samarati",
    "CostAware": "linear.cost_aware",
    "Hilbert": "linear.hilbert",
    "IDistance": "linear.idistance",
    "Linear": "linear.linear",
    "HilbertCurve": "linear.hilbert",
    "LinearMapping": "linear.row_order",
    "CostOrder": "linear.cost_aware",
    "BestCuts": "multidim.best_cuts",
    "Mondrian": "multidim.mondrian",
    "Peeling": "peeling",
    "Auto": "auto",
    "Best": "best",
    "Proven": "proven.proven",
    "Refined": "refinement.refined",
    "AttributeSuppression": "recoding_models.attribute_suppression",
    "CellGeneralization": "recoding_models.cell_generalization",
    "CellSuppression": "recoding_models.cell_suppression",
    "FullSubgraph": "recoding_models.full_subgraph",
    "FullSubtree": "recoding_models.full_subtree",
    "OrderedSetPartition": "recoding_models.ordered_set_partition",
}

__all__ = [
    "DEFAULT",
    "REGISTRY",
    "AttributeSuppression",
    "Auto",
    "Best",
    "BestCuts",
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
    "KOptimize",
    "Lattice",
    "Linear",
    "LinearMapping",
    "Method",
    "MethodOption",
    "Mondrian",
    "OrderedSetPartition",
    "Peeling",
    "PrivateLevels",
    "Proven",
    "Refined",
    "Samarati",
    "Task",
    "TopDown",
    "find_method",
    "partitions",
    "register",
]


def _on_demand(name: str, home: str) -> Callable[[], Method]:
    """Make a factory that imports the method's module, which registers the method itself, and then creates it."""

    def make() -> Method:
        import_module(f"{__name__}.{home}")
        return REGISTRY[name]()

    return make


REGISTRY.update({name: _on_demand(name, home) for name, home in _METHODS.items()})


__getattr__ = on_demand(__name__, {name: f"{__name__}.{home}" for name, home in _HOMES.items()})


def __dir__() -> list[str]:
    return __all__
