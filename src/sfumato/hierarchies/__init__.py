"""How the values of a quasi-identifier generalize: as intervals, as trees, as codes, by the calendar."""

from __future__ import annotations

from collections.abc import Callable

from sfumato.hierarchies.ages import Ages
from sfumato.hierarchies.bands import Bands, Capped, Rounded
from sfumato.hierarchies.base import Fitted, Hierarchy
from sfumato.hierarchies.categories import Categorical, Prefix
from sfumato.hierarchies.cell_domain import CellDomain
from sfumato.hierarchies.codes import ICD10, ISCO, NACE, Structured, Weekdays
from sfumato.hierarchies.countries import Countries
from sfumato.hierarchies.dates import Dates
from sfumato.hierarchies.defaults import default_hierarchy, with_levels
from sfumato.hierarchies.domain import Domain, SetDomain, Tree, TreeDomain
from sfumato.hierarchies.grid_domain import CountedGridDomain, GridDomain, gridded
from sfumato.hierarchies.learned import Clusters, Learned, Quantiles, Similar, Within
from sfumato.hierarchies.levels import ROOT, Ends, Level
from sfumato.hierarchies.numeric import Numeric, Ordered
from sfumato.hierarchies.queried_codes import codes_meant
from sfumato.hierarchies.scale_domain import CountedDomain, IntervalDomain, LevelledDomain, ScaledDomain
from sfumato.hierarchies.taxonomy import Taxonomy

#: Every kind of hierarchy by its name in policies and on the command line. A new one only needs an entry here.
KINDS: dict[str, type[Hierarchy]] = {
    kind.name: kind
    for kind in (
        *(Numeric, Bands, Capped, Rounded, Quantiles, Clusters),
        *(Categorical, Ordered, Prefix, Taxonomy, Within, Similar),
        *(Dates, Ages, Weekdays, ICD10, ISCO, NACE, Countries),
    )
}
#: How each is made from a policy; the parameters of the maker are the keys in the policy.
HIERARCHIES: dict[str, Callable[..., Hierarchy]] = {**KINDS, Taxonomy.name: Taxonomy.from_policy}

__all__ = [
    "HIERARCHIES",
    "ICD10",
    "ISCO",
    "KINDS",
    "NACE",
    "ROOT",
    "Ages",
    "Bands",
    "Capped",
    "Categorical",
    "CellDomain",
    "Clusters",
    "CountedDomain",
    "CountedGridDomain",
    "Countries",
    "Dates",
    "Domain",
    "Ends",
    "Fitted",
    "GridDomain",
    "Hierarchy",
    "IntervalDomain",
    "Learned",
    "Level",
    "LevelledDomain",
    "Numeric",
    "Ordered",
    "Prefix",
    "Quantiles",
    "Rounded",
    "ScaledDomain",
    "SetDomain",
    "Similar",
    "Structured",
    "Taxonomy",
    "Tree",
    "TreeDomain",
    "Weekdays",
    "Within",
    "codes_meant",
    "default_hierarchy",
    "gridded",
    "with_levels",
]
