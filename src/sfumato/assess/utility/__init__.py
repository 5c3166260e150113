"""The utility of a release: how well it still serves the people who work with it."""

from __future__ import annotations

from sfumato.assess.utility.comparison import UtilityComparison
from sfumato.assess.utility.divergence import Cube
from sfumato.assess.utility.measures import Measure, MeasureResult
from sfumato.assess.utility.report import MEASURES, Utility, measure_utility

__all__ = ["MEASURES", "Cube", "Measure", "MeasureResult", "Utility", "UtilityComparison", "measure_utility"]
