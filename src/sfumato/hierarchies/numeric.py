"""Values on a scale: numbers and explicit orders. Classes show intervals of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import DataError, invalid_parameter, shortened
from sfumato.hierarchies.base import (
    Fitted,
    Hierarchy,
    as_text,
    converted,
    inverse,
    numbers_between,
    refuse_unknown,
    sort_codes,
    texts_between,
    whole_offsets,
)
from sfumato.hierarchies.bins import binned_levels
from sfumato.hierarchies.levels import identity_level, root_level
from sfumato.hierarchies.scale_domain import IntervalDomain, LevelledDomain


class Numeric(Hierarchy):
    """Numbers of any kind, shown as intervals such as ``[25, 27]``.

    Parameters
    ----------
    widths
        Interval widths of the levels, each a multiple of the one before, such as ``(5, 10, 20)``. With widths,
        every method shows only these: a class shows the finest such interval that holds all its rows, else ``*``.
        Without, classes show the interval from their smallest number to their largest, and full-domain methods show
        the number itself or ``*``.

    Examples
    --------
    >>> Numeric(widths=(5, 10, 20))
    Numeric(widths=[5, 10, 20])
    """

    name: ClassVar[str] = "numeric"
    shorthand: ClassVar[str] = "numeric:5,10,20"
    #: Whether only intervals of these widths are shown.
    shows_only_levels: ClassVar[bool] = True

    def __init__(self, widths: Sequence[float] = ()) -> None:
        self.widths = parameters.multiples("Numeric", "widths", widths)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"widths": numbers_between(text)}

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "widths": list(self.widths)} if self.widths else {"type": self.name}

    def is_fixed(self, kind: pa.DataType) -> bool:
        """Without widths, full-domain methods would get some that fit the table."""
        return bool(self.widths) and self.shows_only_levels

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        ordered, codes = sort_codes(numbers_only(column, values, "Numeric()"))
        numbers = finite_numbers(column, ordered)
        levels = [
            identity_level(ordered, has_missing),
            *binned_levels(ordered, numbers, self.widths, has_missing),
            root_level(len(ordered) + has_missing),
        ]
        offsets = offsets_of(ordered, numbers)
        shape = LevelledDomain if self.widths and self.shows_only_levels else IntervalDomain
        return Fitted(shape(column, ordered, has_missing, tuple(levels), numbers, offsets), codes)


class Stepped(Numeric):
    """Numbers without declared levels, with widths for methods that need some; all others show plain intervals."""

    shows_only_levels: ClassVar[bool] = False


class Ordered(Hierarchy):
    """Values with an order of their own, such as school grades, shown as intervals such as ``[low, medium]``.

    Parameters
    ----------
    order
        All values, from first to last.
    """

    name: ClassVar[str] = "ordered"
    shorthand: ClassVar[str] = "ordered:low|mid|high"
    reads_text = True

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"order": texts_between(text, "|")}

    def __init__(self, order: Sequence[object]) -> None:
        if isinstance(order, str) or not order:
            raise invalid_parameter("Ordered", "order", "a list of at least one value", order)
        self.order = [as_text(value) for value in order]
        value, times = Counter(self.order).most_common(1)[0]
        if times > 1:
            hint = f"{shortened(value)} stands in it {times} times."
            raise invalid_parameter("Ordered", "order", "a list of different values", self.order, hint)

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "order": self.order}

    def is_fixed(self, kind: pa.DataType) -> bool:
        return True

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        rank_of = {value: rank for rank, value in enumerate(self.order)}
        texts = values.cast(pa.string()).to_pylist()
        refuse_unknown(column, texts, rank_of, "the order given to Ordered")
        ranks = np.array([rank_of[text] for text in texts], dtype=np.int64)
        order = np.argsort(ranks)
        ordered = values.take(pa.array(order))
        levels = (identity_level(ordered, has_missing), root_level(len(ordered) + has_missing))
        steps = ranks[order].astype(np.float64)
        domain = IntervalDomain(column, ordered, has_missing, levels, steps, steps - steps[:1], averageable=False)
        return Fitted(domain, inverse(order))


def _is_number(kind: pa.DataType) -> bool:
    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def numbers_only(column: str, values: pa.Array, what: str) -> pa.Array:
    """Convert a column to numbers: booleans to 0 and 1, and text to the numbers that it holds."""
    if pa.types.is_boolean(values.type):
        return values.cast(pa.int8())
    if _is_number(values.type):
        return values
    return converted(column, values, pa.float64(), what)


def finite_numbers(column: str, ordered: pa.Array) -> NDArray[np.float64]:
    """Convert numbers to floats; refuse infinite ones, which fit no interval."""
    numbers: NDArray[np.float64] = ordered.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    if len(numbers) and not np.isfinite(numbers).all():
        raise DataError(
            f"Column '{column}' holds infinite numbers, which fit no interval. "
            "Replace them by a number or by a missing value."
        )
    return numbers


def offsets_of(ordered: pa.Array, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """The distance of every value from the first, computed before rounding."""
    if pa.types.is_integer(ordered.type):
        return whole_offsets(ordered.to_numpy(zero_copy_only=False))
    if pa.types.is_decimal(ordered.type):
        exact = [Fraction(value) for value in ordered.to_pylist()]
        return np.array([float(value - exact[0]) for value in exact])
    return _float_offsets(numbers)


def _float_offsets(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        offsets = numbers - numbers[:1]
    if np.isfinite(offsets).all():
        return offsets
    # The range of the largest floats overflows, a quarter of it does not, and positions are relative anyway.
    quarters: NDArray[np.float64] = numbers / 4 - numbers[:1] / 4
    return quarters
