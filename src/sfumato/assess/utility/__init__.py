"""What is left of a table in its release: measures for people who want to work with it."""

from __future__ import annotations

from sfumato.assess.utility.comparison import Comparison
from sfumato.assess.utility.divergence import Cube
from sfumato.assess.utility.measures import Measure, MeasureResult
from sfumato.assess.utility.report import MEASURES, Utility, measure_utility

__all__ = ["MEASURES", "Comparison", "Cube", "Measure", "MeasureResult", "Utility", "measure_utility"]
