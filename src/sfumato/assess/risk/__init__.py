"""Re-identification risk: how likely people in a table are found, what drives it, and population estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.common.lazy import on_demand

if TYPE_CHECKING:
    from sfumato.assess.risk.assessment import assess, assess_classes
    from sfumato.assess.risk.before_after import BeforeAfter
    from sfumato.assess.risk.records import THRESHOLDS, RecordRisk, smallest_class
    from sfumato.assess.risk.report import Risk

__all__ = ["THRESHOLDS", "BeforeAfter", "RecordRisk", "Risk", "assess", "assess_classes", "smallest_class"]

__getattr__ = on_demand(
    __name__,
    {
        **dict.fromkeys(("assess", "assess_classes"), "sfumato.assess.risk.assessment"),
        "BeforeAfter": "sfumato.assess.risk.before_after",
        "Risk": "sfumato.assess.risk.report",
        **dict.fromkeys(("THRESHOLDS", "RecordRisk", "smallest_class"), "sfumato.assess.risk.records"),
    },
)
