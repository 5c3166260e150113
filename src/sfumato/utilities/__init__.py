"""What is left of a table in its release: measures for people who want to work with it."""

from __future__ import annotations

from sfumato.utilities.measures import MEASURES, Found, Measure
from sfumato.utilities.report import Utility, measure_utility
from sfumato.utilities.scene import Scene

__all__ = ["MEASURES", "Found", "Measure", "Scene", "Utility", "measure_utility"]
