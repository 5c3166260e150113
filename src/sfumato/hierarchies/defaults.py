"""The default hierarchy by column type, and default levels for methods that need levels."""

from __future__ import annotations

import math

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.hierarchies.base import Hierarchy
from sfumato.hierarchies.categories import Categorical
from sfumato.hierarchies.dates import Days
from sfumato.hierarchies.grid_domain import round_steps
from sfumato.hierarchies.numeric import Numeric, Stepped


def default_hierarchy(kind: pa.DataType) -> Hierarchy:
    """Numeric for numbers, Days for dates and timestamps, Categorical for the rest."""
    types = pa.types
    if types.is_dictionary(kind):
        return default_hierarchy(kind.value_type)
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return Numeric()
    if types.is_date(kind) or types.is_timestamp(kind):
        return Days()
    return Categorical()


def with_levels(declared: Hierarchy | None, values: pa.Array | pa.ChunkedArray) -> Hierarchy | None:
    """Add intervals of round widths to numbers without levels, which full-domain methods need; all else stays.

    Examples
    --------
    >>> with_levels(None, pa.array([17, 44, 90]))
    Stepped(widths=[5, 10, 50])
    """
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    plain = declared is None and isinstance(default_hierarchy(kind), Numeric)
    if not plain and not (isinstance(declared, Numeric) and not declared.widths and not pa.types.is_boolean(kind)):
        return declared
    try:
        ends = pc.min_max(values.cast(pa.float64(), safe=False))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return declared
    least, greatest = (float(end) if (end := ends[side].as_py()) is not None else math.nan for side in ("min", "max"))
    extent = greatest - least
    if not (math.isfinite(extent) and extent > 1):
        return declared
    whole = pa.types.is_integer(kind)
    return Stepped([step for step in round_steps(extent, whole) if step > 1 or not whole])
