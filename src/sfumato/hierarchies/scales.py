"""Values on a scale: numbers and explicit orders. Classes show intervals of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.errors import DataError, HierarchyError, ParameterError, shortened
from sfumato.hierarchies.base import Fitted, Generalization, converted, inverse, sort_codes
from sfumato.hierarchies.domain import IntervalDomain, Level, grouped_level, identity_level, root_level


class Numeric(Generalization):
    """Numbers of any kind, shown as intervals such as ``[25, 27]``.

    Parameters
    ----------
    widths
        Interval widths of the levels for full-domain methods, each a multiple of the one before, such as
        ``(5, 10, 20)``. Without them the levels are the number itself and ``*``.

    Examples
    --------
    >>> Numeric(widths=(5, 10, 20))
    Numeric(widths=[5, 10, 20])
    """

    name: ClassVar[str] = "numeric"

    def __init__(self, widths: Sequence[float] = ()) -> None:
        for width in widths:
            parameters.number("Numeric", "widths", width, above=0)
        for narrow, wide in itertools.pairwise(widths):
            if wide <= narrow or abs(wide / narrow - round(wide / narrow)) > 1e-9:
                raise ParameterError(
                    f"The 'widths' parameter of Numeric must nest: {wide:g} is not a multiple of {narrow:g}. "
                    "Each width must be a multiple of the one before it, such as 5, 10, 20."
                )
        self.widths = tuple(widths)

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "widths": list(self.widths)} if self.widths else {"type": self.name}

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        ordered, codes = sort_codes(self._numbers_only(column, values))
        numbers = _as_float(ordered)
        if len(numbers) and not np.isfinite(numbers).all():
            raise DataError(
                f"Column '{column}' holds infinite numbers, which have no place in an interval. "
                "Replace them by a number or by a missing value."
            )
        levels = [identity_level(ordered, has_missing)]
        levels += [_binned(ordered, numbers, width, has_missing) for width in self.widths]
        levels.append(root_level(len(ordered) + has_missing))
        return Fitted(IntervalDomain(column, ordered, has_missing, tuple(levels), numbers), codes)

    def _numbers_only(self, column: str, values: pa.Array) -> pa.Array:
        if pa.types.is_boolean(values.type):
            return values.cast(pa.int8())
        if _is_number(values.type):
            return values
        return converted(column, values, pa.float64(), "Numeric()")


class Ordered(Generalization):
    """Values with an order of their own, such as school grades, shown as intervals such as ``[low, medium]``.

    Parameters
    ----------
    order
        All values, from first to last.
    """

    name: ClassVar[str] = "ordered"
    reads_text: ClassVar[bool] = True

    def __init__(self, order: Sequence[object]) -> None:
        self.order = [str(value) for value in order]
        if not self.order:
            raise ParameterError("The 'order' parameter of Ordered must list at least one value.")
        repeated = {value for value in self.order if self.order.count(value) > 1} if len(self.order) < 10_000 else set()
        if repeated:
            raise ParameterError(f"The 'order' parameter of Ordered lists {shortened(min(repeated))} more than once.")

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "order": self.order}

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        rank_of = {value: rank for rank, value in enumerate(self.order)}
        texts = values.cast(pa.string()).to_pylist()
        unknown = next((text for text in texts if text not in rank_of), None)
        if unknown is not None:
            raise HierarchyError(
                f"Column '{column}': the value {shortened(unknown)} occurs in the table but not in the order given to "
                "Ordered. Add it to the list, or clean the column."
            )
        ranks = np.array([rank_of[text] for text in texts], dtype=np.int64)
        order = np.argsort(ranks)
        ordered = values.take(pa.array(order))
        levels = (identity_level(ordered, has_missing), root_level(len(ordered) + has_missing))
        domain = IntervalDomain(
            column, ordered, has_missing, levels, ranks[order].astype(np.float64), averageable=False
        )
        return Fitted(domain, inverse(order))


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _as_float(ordered: pa.Array) -> NDArray[np.float64]:
    numbers: NDArray[np.float64] = ordered.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return numbers


def _binned(ordered: pa.Array, numbers: NDArray[np.float64], width: float, has_missing: bool) -> Level:
    bins = np.floor(numbers / width)
    whole = pa.types.is_integer(ordered.type) and float(width).is_integer()
    low = pa.array(bins * width).cast(pa.int64() if whole else pa.float64(), safe=False)
    if whole:
        high, closing = pc.add(low, int(width) - 1), "]"
    else:
        high, closing = pc.add(low, float(width)), ")"
    labels = pc.binary_join_element_wise("[", low.cast(pa.string()), ", ", high.cast(pa.string()), closing, "")
    return grouped_level(f"width {width:g}", bins, labels, has_missing)
