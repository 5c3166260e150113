"""The methods: algorithms that turn microdata into a recoding, registered by name."""

from __future__ import annotations

from sfumato.methods.base import REGISTRY, Method, Task, find_method, register
from sfumato.methods.multidim.mondrian import Mondrian

#: What ``method="auto"`` means.
DEFAULT = "mondrian"
REGISTRY["auto"] = REGISTRY[DEFAULT]

__all__ = ["DEFAULT", "REGISTRY", "Method", "Mondrian", "Task", "find_method", "register"]
