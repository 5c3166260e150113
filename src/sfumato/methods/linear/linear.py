"""Linear: optimal runs along any mapping, including one that the caller writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sfumato.errors import invalid_parameter
from sfumato.methods.linear.base import LinearMethod
from sfumato.methods.linear.hilbert import HilbertCurve
from sfumato.methods.linear.row_order import LinearMapping


@dataclass(frozen=True)
class Linear(LinearMethod):
    """Sort the rows by any mapping, including one of your own, and cut the order into the runs with the least loss.

    Parameters
    ----------
    mapping
        How rows are put in order: `HilbertCurve`, `CostOrder`, or a class of yours with one method ``keys``.
    minimize, keep_equal
        As in `Hilbert`.
    """

    mapping: LinearMapping = HilbertCurve()  # noqa: RUF009

    name: ClassVar[str] = "linear"
    along: ClassVar[str] = "any order of the rows"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.mapping, LinearMapping):
            raise invalid_parameter("Linear", "mapping", "a LinearMapping such as HilbertCurve()", self.mapping)

    def make_mapping(self) -> LinearMapping:
        return self.mapping

    def parameters(self) -> dict[str, Any]:
        return super().parameters() | {"mapping": repr(self.mapping)}
