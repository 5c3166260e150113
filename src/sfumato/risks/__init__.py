"""How likely it is that a person in a table is found, what drives that, and what it says about a population."""

from __future__ import annotations

from sfumato.risks.assess import assess
from sfumato.risks.comparison import BeforeAfter
from sfumato.risks.records import THRESHOLDS, RecordRisk, smallest_class
from sfumato.risks.report import Risk

__all__ = ["THRESHOLDS", "BeforeAfter", "RecordRisk", "Risk", "assess", "smallest_class"]
