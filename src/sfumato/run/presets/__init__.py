"""Presets: what regulations ask for, each a readable file with its source and what it does not cover."""

from __future__ import annotations

from sfumato.run.presets.adapt import Adapted, adapted, left_over, recoded_like
from sfumato.run.presets.preset import Preset, Question, preset_name

__all__ = ["Adapted", "Preset", "Question", "adapted", "left_over", "preset_name", "recoded_like"]
