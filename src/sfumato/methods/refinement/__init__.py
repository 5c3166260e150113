"""Refinement: lowering the loss of the classes that any method found."""

from __future__ import annotations

from sfumato.methods.refinement.refined import ABLE, Refined, RefinementLimit

__all__ = ["ABLE", "Refined", "RefinementLimit"]
