"""Refinement: lowering the loss of the classes that any method found."""

from __future__ import annotations

from sfumato.methods.refining.refined import Refined
from sfumato.methods.refining.search import Limit, refine

__all__ = ["Limit", "Refined", "refine"]
