"""k-anonymity: every row is indistinguishable from at least k - 1 others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.privacy.base import PrivacyModel, Rule
from sfumato.table.kernels import rules
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses


@dataclass(frozen=True)
class KAnonymity(PrivacyModel):
    """Every class holds at least ``k`` rows.

    Parameters
    ----------
    k
        The smallest size of a class.

    Examples
    --------
    >>> KAnonymity(10)
    KAnonymity(k=10)
    """

    k: int
    name: ClassVar[str] = "k-anonymity"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", parameters.integer("KAnonymity", "k", self.k, at_least=1))

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        return [Rule(self, rules.SIZE, first=self.k)]

    def holds(self, rule: Rule, microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        return classes.sizes >= self.k

    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        rows = "1 row" if len(microdata) == 1 else f"{len(microdata):,} rows"
        return (
            f"k={self.k:,} is not possible: the table has only {rows} to release. "
            f"The largest k that works is {len(microdata):,}."
        )

    def smallest_class(self) -> int:
        return self.k

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "k": self.k}
