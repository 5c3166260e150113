"""Questions to a release: how many, how much, how large on average; estimated, and within certain bounds."""

from __future__ import annotations

from sfumato.queries.anatomized import Anatomized
from sfumato.queries.answer import Answer
from sfumato.queries.conditions import Condition, Where
from sfumato.queries.released import Released

__all__ = ["Anatomized", "Answer", "Condition", "Released", "Where"]
