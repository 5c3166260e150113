"""The hierarchy of a quasi-identifier for which none was declared."""

from __future__ import annotations

import pyarrow as pa

from sfumato.hierarchies.base import Hierarchy
from sfumato.hierarchies.categories import Categorical
from sfumato.hierarchies.dates import Dates
from sfumato.hierarchies.scales import Numeric


def default_hierarchy(kind: pa.DataType) -> Hierarchy:
    """Return Numeric for numbers, Dates for dates and timestamps, Categorical for the rest."""
    types = pa.types
    if types.is_dictionary(kind):
        return default_hierarchy(kind.value_type)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return Numeric()
    if types.is_date(kind) or types.is_timestamp(kind):
        return Dates()
    return Categorical()
