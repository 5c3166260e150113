"""Information loss: the measures of the field, the objectives that methods minimize, and a lower bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.common.lazy import on_demand
from sfumato.loss.interval_ends import IntervalEndRisk, singling_out
from sfumato.loss.metrics import (
    METRICS,
    LossReport,
    Minimized,
    can_minimize,
    find_objective,
    metric,
    names_of,
    register_loss,
)
from sfumato.loss.objective import Blocks, LossTotal, Objective
from sfumato.loss.recoded_table import RecodedTable, ncp, ncp_by_attribute

if TYPE_CHECKING:
    from sfumato.loss.bound.bound import Bound, bound_by, gcp_bound
    from sfumato.loss.bound.row_prices import Mixed

__all__ = [
    "METRICS",
    "Blocks",
    "Bound",
    "IntervalEndRisk",
    "LossReport",
    "LossTotal",
    "Minimized",
    "Mixed",
    "Objective",
    "RecodedTable",
    "bound_by",
    "can_minimize",
    "find_objective",
    "gcp_bound",
    "metric",
    "names_of",
    "ncp",
    "ncp_by_attribute",
    "register_loss",
    "singling_out",
]

__getattr__ = on_demand(
    __name__,
    {
        **dict.fromkeys(("Bound", "bound_by", "gcp_bound"), "sfumato.loss.bound.bound"),
        "Mixed": "sfumato.loss.bound.row_prices",
    },
)
