"""The order that knows what spans cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.nesting import Rows, nest_rows
from sfumato.methods.linear.mapping import HilbertCurve, Mapping
from sfumato.microdata import Microdata


@dataclass(frozen=True)
class CostOrder(Mapping):
    """Cut the rows where that saves most, and each side again; what no cut tells apart stays on the curve.

    A curve treats a category like a number, although two categories may cost everything wherever they lie. Here a cut
    between them comes before cuts that save less, level by level down the taxonomies.
    """

    bits: int = 12
    name: ClassVar[str] = "cost"

    def keys(self, microdata: Microdata, random: np.random.Generator) -> NDArray[np.uint64]:
        curve = HilbertCurve(self.bits).keys(microdata, random)
        order = np.lexsort([*microdata.codes.T, *curve[::-1]])
        codes = np.ascontiguousarray(microdata.codes[order].T)
        nest_rows(Rows(codes, order, np.empty(len(order), np.int64)), microdata.spans)
        keys = np.empty((1, len(order)), np.uint64)
        keys[0, order] = np.arange(len(order))
        return keys

    def distinguishes(self, microdata: Microdata) -> bool:
        return True
