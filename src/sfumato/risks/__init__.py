"""How likely it is that a person in a table is found, what drives that, and what it says about a population."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.on_demand import on_demand

if TYPE_CHECKING:
    from sfumato.risks.assessing import assess, assess_classes
    from sfumato.risks.comparison import BeforeAfter
    from sfumato.risks.records import THRESHOLDS, RecordRisk, smallest_class
    from sfumato.risks.report import Risk

__all__ = ["THRESHOLDS", "BeforeAfter", "RecordRisk", "Risk", "assess", "assess_classes", "smallest_class"]

__getattr__ = on_demand(
    __name__,
    {
        **dict.fromkeys(("assess", "assess_classes"), "sfumato.risks.assessing"),
        "BeforeAfter": "sfumato.risks.comparison",
        "Risk": "sfumato.risks.report",
        **dict.fromkeys(("THRESHOLDS", "RecordRisk", "smallest_class"), "sfumato.risks.records"),
    },
)
