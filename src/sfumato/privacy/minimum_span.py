"""Minimum spans: no class shows an interval that is too narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import SchemaError, listed
from sfumato.hierarchies import ScaledDomain
from sfumato.hierarchies.widths import exact_extent, first_reached
from sfumato.privacy.base import PrivacyModel, Rule
from sfumato.table.kernels import rules
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses


@dataclass(frozen=True)
class MinimumSpan(PrivacyModel):
    """Every class spans at least ``width`` of a column; ``*`` always does.

    Parameters
    ----------
    column
        A quasi-identifier with numbers, dates or an order.
    width
        In the unit of the column; days for dates, steps for an order. Widths are computed exactly from the shown ends:
        ``[0.2, 0.3]`` spans 0.1, without rounding errors of floats.
    """

    column: str
    width: float
    name: ClassVar[str] = "minimum-span"

    def __post_init__(self) -> None:
        number = parameters.number("MinimumSpan", "width", self.width, above=0)
        # Integers beyond 2**53 cannot be represented as floats.
        object.__setattr__(self, "width", int(self.width) if number.is_integer() else number)

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        if self.column not in microdata.names:
            raise SchemaError(
                f"MinimumSpan is about the column '{self.column}', which is not a quasi-identifier. "
                f"Quasi-identifiers: {listed(microdata.names)}."
            )
        at = microdata.names.index(self.column)
        domain = microdata.domains[at]
        if not isinstance(domain, ScaledDomain):
            raise SchemaError(
                f"MinimumSpan is about the column '{self.column}', which is shown as categories, not as intervals. "
                "Declare it as Numeric(), Dates() or Ordered([...])."
            )
        share = min(1.0, self.width / domain.extent) if domain.extent else 1.0
        return [Rule(self, rules.SPAN, at, share, reach=first_reached(domain, self.width))]

    def holds(self, rule: Rule, microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        assert rule.reach is not None
        at = rule.column
        return classes.hi[:, at] >= rule.reach[classes.lo[:, at]]

    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        domain = microdata.domains[rule.column]
        extent = exact_extent(domain) if isinstance(domain, ScaledDomain) else 0.0
        return (
            f"A minimum span of {self.width:g} is not possible for '{self.column}': the whole table spans only "
            f"{extent!r}. " + (f"The largest width that works is {extent!r}." if extent else "No width works.")
        )

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "column": self.column, "width": self.width}
