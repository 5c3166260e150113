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
    """The interval of a label: its lower end, and its upper end, which is excluded; infinite for an open end."""

    low: float
    high: float


class Fitted(NamedTuple):
    """A domain, and the code of every value that it was fitted to."""

    domain: Domain
    codes: NDArray[np.int64]


class Hierarchy(ABC):
    """How the values of a quasi-identifier may be generalized.

    Subclasses are small value objects: they hold what the user declared and nothing from data. Fitting them to a column
    yields a `Domain`. Those that declare how to learn a hierarchy from a table return it in `learned`.
    """

    name: ClassVar[str]
    #: How it is written on the command line: an example with all parameters.
    shorthand: ClassVar[str]
    #: Whether columns of untyped files (CSV) are read as text for it, so that a zip code keeps its leading zero.
    reads_text: bool = False
    #: The other columns from which it is learned.
    looks_at: tuple[str, ...] = ()

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        """Parse the parameters after the colon on the command line."""
        raise ParameterError(f"'{cls.name}' takes nothing after the colon. Leave out {shortened(text)}.")

    def learned(self, column: str, table: pa.Table) -> Hierarchy:
        """The hierarchy to use for a table: itself, unless it is learned from the rows."""
        return self

    def is_fixed(self, kind: pa.DataType) -> bool:
        """Whether a level shows a value of this type by the declaration alone, whatever other values the column has.

        Differential privacy rests on it, so a hierarchy has to say so.
        """
        return False

    @abstractmethod
    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        """Order ``values`` (distinct, none missing) and arrange them in levels."""

    @abstractmethod
    def to_policy(self) -> dict[str, Any]:
        """The declaration as plain values, for a policy file."""

    def preview(self, data: object, column: str) -> Preview:
        """Preview this hierarchy on a column of a table, a frame or a file, before anything is released.

        The result prints the levels, says which values are not covered (``uncovered``, ``refuse_gaps()``), and gives a
        taxonomy to write to a file and edit (``taxonomy()``).
        """
        # Imported here, since only previews read tables.
        from sfumato.hierarchies.preview import preview  # noqa: PLC0415
        from sfumato.io import open_source  # noqa: PLC0415

        wanted = [column, *(name for name in self.looks_at if name != column)]
        return preview(column, open_source(data).read(wanted, [column] if self.reads_text else []), self)

    def meaning(self, label: str) -> LabelMeaning | None:
        """The interval on the column's scale of a label that only this declaration explains; None for other labels."""
        return None

    def paths(self, values: Sequence[str]) -> Sequence[Sequence[str]] | None:
        """Every value with the labels above it, if the declaration defines them; else None."""
        return None

    def __repr__(self) -> str:
        shown = ", ".join(f"{key}={value!r}" for key, value in self.to_policy().items() if key != "type")
        return f"{type(self).__name__}({shown})"

    def _repr_html_(self) -> str:
        return fragment(type(self).__name__, self.as_table())

    def as_table(self) -> Markup:
        """The declaration as a table of HTML."""
        summary = element("p", (type(self).__doc__ or "").partition("\n")[0].replace("``", ""))
        said = {name: value for name, value in self.to_policy().items() if name != "type"}
        return joined(summary, facts((name, ", ".join(map(str, _several(value)))) for name, value in said.items()))

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.to_policy() == other.to_policy()

    __hash__ = None  # type: ignore[assignment]


def _several(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else [value]


def sort_codes(values: pa.Array) -> tuple[pa.Array, NDArray[np.int64]]:
    """Sort values, dropping duplicates; return them and the place of each original value."""
    order = pc.sort_indices(values).to_numpy()
    ordered, codes = values.take(pa.array(order)), inverse(order)
    begins = np.ones(len(ordered), bool)
    begins[1:] = pc.not_equal(ordered.slice(1), ordered.slice(0, max(0, len(ordered) - 1)))
    if begins.all():
        return ordered, codes
    # Different texts can denote the same number or date.
    return ordered.filter(pa.array(begins)), (np.cumsum(begins) - 1)[codes]


def inverse(order: NDArray[np.integer]) -> NDArray[np.int64]:
    """The inverse of a permutation."""
    codes = np.empty(len(order), np.int64)
    codes[order] = np.arange(len(order))
    return codes


def whole_offsets(ordered: NDArray[np.integer]) -> NDArray[np.float64]:
    """The distance of every integer from the first, which is exact modulo 2**64, signed or not."""
    whole = ordered.astype(np.uint64)
    return (whole - whole[:1]).astype(np.float64)


def as_text(value: object) -> str:
    """Convert a value that a user listed to its text in a table: ``1.0`` is ``1``, True is ``true``."""
    if isinstance(value, str):
        return value
    try:
        return str(pa.scalar(value).cast(pa.string()).as_py())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return str(value)


def refuse_unknown(column: str, texts: Sequence[str], known: Container[str], where: str) -> None:
    """Refuse values that a hierarchy lacks; the caller knows where they are and whether they may be named."""
    unknown = [place for place, text in enumerate(texts) if text not in known]
    if unknown:
        several = "1 value that is" if len(unknown) == 1 else f"{len(unknown):,} values that are"
        raise HierarchyError(
            f"Column '{column}' holds {several} not in {where}. Add what is lacking, or clean the column."
        ).blaming(unknown)


def converted(column: str, values: pa.Array, target: pa.DataType, what: str) -> pa.Array:
    """Cast values to the type that a hierarchy needs; the error says that the column is of another kind."""
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
    """Find the first value that cannot be cast, by bisection."""
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
    """Split a text of the command line and strip its parts."""
    return [part.strip() for part in text.split(separator)]


def numbers_between(text: str, separator: str = ",") -> list[Any]:
    """Parse a list of numbers; anything else stays text, for the caller to refuse.

    >>> numbers_between("5, 2.5,x")
    [5, 2.5, 'x']
    """
    return [as_number(part) for part in texts_between(text, separator)]


def as_number(text: str) -> int | float | str:
    """Parse a number; any other text stays text."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
