"""What a release lost, and what methods minimize: per class, per table, by every measure the field uses."""

from __future__ import annotations

from sfumato.loss.bound import Bound, bound_by, gcp_bound
from sfumato.loss.metrics import (
    METRICS,
    Minimized,
    can_minimize,
    find_objective,
    metric,
    names_of,
    register_loss,
)
from sfumato.loss.objective import Blocks, Objective, Total
from sfumato.loss.recoded import RecodedTable, ncp, ncp_by_attribute
from sfumato.loss.report import LossReport
from sfumato.loss.row_prices import Mixed
from sfumato.loss.singling import SinglingOut, singling_out

__all__ = [
    "METRICS",
    "Blocks",
    "Bound",
    "LossReport",
    "Minimized",
    "Mixed",
    "Objective",
    "RecodedTable",
    "SinglingOut",
    "Total",
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
