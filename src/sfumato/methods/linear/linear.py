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

    Examples
    --------
    >>> import numpy as np, pyarrow as pa, sfumato as sf
    >>> class ByAge(sf.methods.LinearMapping):
    ...     name = "by age"
    ...
    ...     def keys(self, microdata, random):
    ...         return microdata.codes[:, :1].T.astype(np.uint64)
    >>> people = pa.table({"age": [61, 21, 39, 22, 64, 35], "height": [165, 160, 190, 181, 175, 170]})
    >>> by_age = sf.methods.Linear(mapping=ByAge())
    >>> release = sf.anonymize(people, quasi_identifiers=["age", "height"], k=2, method=by_age, seed=1)
    >>> sorted(set(release.table["age"].to_pylist()))
    ['[21, 22]', '[35, 39]', '[61, 64]']
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
