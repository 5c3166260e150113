"""What a user declares for a quasi-identifier: how its values may be generalized."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import DataError, HierarchyError, ParameterError, shortened
from sfumato.hierarchies.domain import Domain

if TYPE_CHECKING:
    from sfumato.hierarchies.preview import Preview
from sfumato.common.html import Markup, element, facts, fragment, joined


class LabelMeaning(NamedTuple):
    """From where a label reaches up to where, which is not part of it; endless where it is open."""

    low: float
    high: float


class Fitted(NamedTuple):
    """A domain, and the code in it of every value that it was fitted to."""

    domain: Domain
    codes: NDArray[np.int64]


class Hierarchy(ABC):
    """How the values of a quasi-identifier may be generalized.

    Subclasses are small value objects: they hold what the user said and learn nothing from data. Fitting them to a
    column yields a `Domain`. Those that only say how to learn a hierarchy from a table return it in `learned`.
    """

    name: ClassVar[str]
    #: How it is written on the command line, in an example of everything that it takes.
    shorthand: ClassVar[str]
    #: Files without types (CSV) are read as text for these, so that a zip code keeps its leading zero.
    reads_text: bool = False
    #: The other columns that a hierarchy is learned from.
    looks_at: tuple[str, ...] = ()

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        """Return the parameters that stand after the colon on the command line."""
        raise ParameterError(f"'{cls.name}' takes nothing after the colon. Leave out {shortened(text)}.")

    def learned(self, column: str, table: pa.Table) -> Hierarchy:
        """Return what becomes of this in a table: itself, unless it is learned from the rows."""
        return self

    @abstractmethod
    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        """Order ``values`` (distinct, none missing) and arrange them in levels."""

    @abstractmethod
    def to_policy(self) -> dict[str, Any]:
        """Return the declaration as plain values, for a policy file."""

    def preview(self, data: object, column: str) -> Preview:
        """Look at what this makes of a column of a table, a frame or a file, before anything is released.

        The result prints its levels, says what is not covered (``uncovered``, ``refuse_gaps()``), and gives a taxonomy
        to write to a file and edit (``taxonomy()``).
        """
        # Only who looks at a table needs what reads one.
        from sfumato.hierarchies.preview import preview  # noqa: PLC0415
        from sfumato.io import open_source  # noqa: PLC0415

        wanted = [column, *(name for name in self.looks_at if name != column)]
        return preview(column, open_source(data).read(wanted, [column] if self.reads_text else []), self)

    def meaning(self, label: str) -> LabelMeaning | None:
        """Return from where to where on the column's scale a label reaches that only its declaration explains."""
        return None

    def paths(self, values: Sequence[str]) -> Sequence[Sequence[str]] | None:
        """Return every value with the labels above it, where the declaration says them; None where it does not."""
        return None

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.to_policy().items() if key != "type")
        return f"{type(self).__name__}({shown})"

    def _repr_html_(self) -> str:
        return fragment(type(self).__name__, self.as_table())

    def as_table(self) -> Markup:
        """Return the declaration as a table of HTML."""
        told = element("p", (type(self).__doc__ or "").partition("\n")[0].replace("``", ""))
        said = {name: value for name, value in self.to_policy().items() if name != "type"}
        return joined(told, facts((name, ", ".join(map(str, _several(value)))) for name, value in said.items()))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.to_policy() == other.to_policy()

    __hash__ = None  # type: ignore[assignment]


def _several(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else [value]


def sort_codes(values: pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return ``values`` in ascending order, equal ones once, and each original value's place in it."""
    order = pc.sort_indices(values).to_numpy()
    ordered, codes = values.take(pa.array(order)), inverse(order)
    begins = np.ones(len(ordered), bool)
    begins[1:] = pc.not_equal(ordered.slice(1), ordered.slice(0, max(0, len(ordered) - 1)))
    if begins.all():
        return ordered, codes
    # Different texts can mean the same number or date.
    return ordered.filter(pa.array(begins)), (np.cumsum(begins) - 1)[codes]


def inverse(order: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the place of every element in ``order``."""
    codes = np.empty(len(order), np.int64)
    codes[order] = np.arange(len(order))
    return codes


def whole_offsets(ordered: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return how far every whole number lies above the first: modulo 2**64, signed or not, that is exact."""
    whole = ordered.astype(np.uint64)
    return (whole - whole[:1]).astype(np.float64)


def as_text(value: object) -> str:
    """Return a value that a user listed as the text that it has in a table: ``1.0`` is ``1``, True is ``true``."""
    if isinstance(value, str):
        return value
    try:
        return str(pa.scalar(value).cast(pa.string()).as_py())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return str(value)


def refuse_unknown(column: str, texts: Sequence[str], known: Container[str], where: str) -> None:
    """Refuse values that a hierarchy lacks; where they stand, and whether they may be named, others know."""
    unknown = [place for place, text in enumerate(texts) if text not in known]
    if unknown:
        several = "1 value that is" if len(unknown) == 1 else f"{len(unknown):,} values that are"
        raise HierarchyError(
            f"Column '{column}' holds {several} not in {where}. Add what is lacking, or clean the column."
        ).blaming(unknown)


def converted(column: str, values: pa.Array, target: pa.DataType, what: str) -> pa.Array:
    """Cast values to the type that a hierarchy works on, or say that this column is not of that kind."""
    try:
        return values.cast(target)
    except pa.ArrowInvalid:
        raise DataError(
            f"Column '{column}' is declared as {what}, but some of its values cannot be read so. "
            "Clean the column, name the values that mean 'no value' (na=), or declare it as Categorical()."
        ).blaming([_first_misfit(values, target)]) from None
    except pa.ArrowNotImplementedError:
        raise DataError(
            f"Column '{column}' is declared as {what}, but its type is {values.type}. Declare it as Categorical()."
        ) from None


def _first_misfit(values: pa.Array, target: pa.DataType) -> int:
    """Return the place of the first value that cannot be cast, halving in on it."""
    low, high = 0, len(values)
    while high - low > 1:
        middle = (low + high) // 2
        try:
            values.slice(low, middle - low).cast(target)
            low = middle
        except pa.ArrowInvalid:
            high = middle
    return low


def texts_between(text: str, separator: str = ",") -> list[str]:
    """Return the parts of a text on the command line, without the blanks around them."""
    return [part.strip() for part in text.split(separator)]


def numbers_between(text: str, separator: str = ",") -> list[Any]:
    """Return the numbers that a text lists; what is no number stays text, for whoever refuses it.

    >>> numbers_between("5, 2.5,x")
    [5, 2.5, 'x']
    """
    return [as_number(part) for part in texts_between(text, separator)]


def as_number(text: str) -> int | float | str:
    """Return the number that a text is, or the text."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
