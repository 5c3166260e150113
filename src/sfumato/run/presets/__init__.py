"""Presets for what regulations ask for, each a readable file with its source and what it does not cover."""

from __future__ import annotations

from sfumato.run.presets.adapt import (
    after_transformations,
    apply_preset,
    recoded_like,
    with_left_over,
)
from sfumato.run.presets.preset import Preset, Question, preset_name

__all__ = [
    "Preset",
    "Question",
    "after_transformations",
    "apply_preset",
    "preset_name",
    "recoded_like",
    "with_left_over",
]
