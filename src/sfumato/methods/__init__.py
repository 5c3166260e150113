"""The methods: algorithms that turn microdata into a recoding, registered by name."""

from __future__ import annotations

from sfumato.methods.base import REGISTRY, Method, Task, find_method, register
from sfumato.methods.linear.linear import CostAware, Hilbert, IDistance, Linear
from sfumato.methods.linear.mapping import HilbertCurve, Mapping
from sfumato.methods.linear.nested import CostOrder
from sfumato.methods.multidim.mondrian import Mondrian

#: What ``method="auto"`` means.
DEFAULT = "hilbert"
REGISTRY["auto"] = REGISTRY[DEFAULT]

__all__ = [
    "DEFAULT",
    "REGISTRY",
    "CostAware",
    "CostOrder",
    "Hilbert",
    "HilbertCurve",
    "IDistance",
    "Linear",
    "Mapping",
    "Method",
    "Mondrian",
    "Task",
    "find_method",
    "register",
]
