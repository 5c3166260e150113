"""What is left of a table in its release: measures for people who want to work with it."""

from __future__ import annotations

from sfumato.utilities.divergence import Cube
from sfumato.utilities.measures import Found, Measure
from sfumato.utilities.report import MEASURES, Utility, measure_utility
from sfumato.utilities.scene import Scene

__all__ = ["MEASURES", "Cube", "Found", "Measure", "Scene", "Utility", "measure_utility"]
