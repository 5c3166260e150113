"""Conditions that are met by a larger k: on people with several rows, and on the release as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sfumato.errors import InfeasibleError
from sfumato.privacy.base import PrivacyModel
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.requirements import Requirements

T = TypeVar("T")


def with_size(models: Sequence[PrivacyModel], size: int) -> tuple[PrivacyModel, ...]:
    """Return the models with a k of at least ``size``."""
    asked = [model.k for model in models if isinstance(model, KAnonymity)]
    return (KAnonymity(max([size, *asked])), *(model for model in models if not isinstance(model, KAnonymity)))


def least_that_works(tried: Callable[[int], T | None], least: int, most: int, requirements: Requirements) -> T:
    """Return what is found with the least k that works: double until one does, then halve in on it.

    ``tried`` returns None for a k that does not work; ``least`` is known not to.
    """
    low, high, found = least, least, None
    while found is None:
        if high >= most:
            raise InfeasibleError(_why(requirements))
        low, high = high, min(2 * high, most)
        try:
            found = tried(high)
        except InfeasibleError:
            raise InfeasibleError(_why(requirements)) from None
    while high - low > 1:
        middle = (low + high) // 2
        better = tried(middle)
        low, high, found = (middle, high, found) if better is None else (low, middle, better)
    return found


def _why(requirements: Requirements) -> str:
    broken = requirements.broken_by_table()
    if broken:
        return " ".join(rule.model.nearest(rule, requirements.microdata) for rule in broken)
    whole = [rule.model for rule in requirements.bound if rule.model.whole]
    if whole:
        asked = ", ".join(map(str, whole))
        return f"No k is large enough for {asked}, not even with everybody in one class. Ask for less."
    return (
        "No k is large enough: even with everybody in a few classes the rules are broken, counting people instead of "
        "rows. Ask for less, or leave out the people with the most rows."
    )
