"""Refinement: lowering the loss of the classes that any method found."""

from __future__ import annotations

from sfumato.methods.refinement.refined import ABLE, Limit, Refined

__all__ = ["ABLE", "Limit", "Refined"]
