"""Telling how far long work is, without knowing who listens."""

from __future__ import annotations

from collections.abc import Callable

#: Called with the name of a stage and the share of it that is done, from 0 to 1.
Progress = Callable[[str, float], None]


def silent(stage: str, share: float) -> None:
    """Tell nobody."""
