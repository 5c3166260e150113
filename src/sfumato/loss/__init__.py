"""What a release lost: per class, per table, by every measure the field uses."""

from __future__ import annotations

from sfumato.loss.bound import Bound, gcp_bound
from sfumato.loss.metrics import METRICS, Metric, Recoded, metric, ncp, ncp_by_attribute
from sfumato.loss.report import LossReport

__all__ = ["METRICS", "Bound", "LossReport", "Metric", "Recoded", "gcp_bound", "metric", "ncp", "ncp_by_attribute"]
