"""Queries on a release: counts, sums, means and extremes, estimated and with certain bounds."""

from __future__ import annotations

from sfumato.assess.queries.anatomized import Anatomized
from sfumato.assess.queries.answer import Answer
from sfumato.assess.queries.conditions import Condition, Where
from sfumato.assess.queries.released import Released

__all__ = ["Anatomized", "Answer", "Condition", "Released", "Where"]
