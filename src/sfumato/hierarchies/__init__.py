"""How the values of a quasi-identifier generalize: as intervals, as trees, as prefixes, by the calendar."""

from __future__ import annotations

from sfumato.hierarchies.base import Fitted, Hierarchy
from sfumato.hierarchies.categories import Categorical, Prefix
from sfumato.hierarchies.conditions import codes_meant
from sfumato.hierarchies.dates import Dates
from sfumato.hierarchies.defaults import default_hierarchy
from sfumato.hierarchies.domain import Domain, Tree, TreeDomain
from sfumato.hierarchies.grids import CountedGridDomain, GridDomain, gridded
from sfumato.hierarchies.levels import ROOT, Ends, Level
from sfumato.hierarchies.scaled import CountedDomain, IntervalDomain, LevelledDomain, ScaledDomain
from sfumato.hierarchies.scales import Numeric, Ordered
from sfumato.hierarchies.taxonomy import Taxonomy

__all__ = [
    "ROOT",
    "Categorical",
    "CountedDomain",
    "CountedGridDomain",
    "Dates",
    "Domain",
    "Ends",
    "Fitted",
    "GridDomain",
    "Hierarchy",
    "IntervalDomain",
    "Level",
    "LevelledDomain",
    "Numeric",
    "Ordered",
    "Prefix",
    "ScaledDomain",
    "Taxonomy",
    "Tree",
    "TreeDomain",
    "codes_meant",
    "default_hierarchy",
    "gridded",
]
