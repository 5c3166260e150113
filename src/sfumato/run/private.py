"""What a request has to be for differential privacy: nothing that is released may depend on the data in another way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING

import pyarrow as pa

from sfumato.errors import DataError, ParameterError, listed
from sfumato.hierarchies import Hierarchy, Learned, Numeric
from sfumato.hierarchies.bands import Banded
from sfumato.methods import Auto, FixedLevels, PrivateLevels
from sfumato.privacy import DifferentialPrivacy, KAnonymity
from sfumato.table.schema import Schema

if TYPE_CHECKING:
    from sfumato.run.request import Request

#: Options that make rows or cells depend on other rows, or that somebody could replay.
EXCLUDED = ("preset", "seed", "keep_order", "transform", "pseudonymize", "sample")

#: How every refusal begins.
ONLY_IF = "Differential privacy holds only if a release depends on the data in no other way."


def refuse_faulty(request: Request) -> None:
    """Refuse a request under which the proof would not hold."""
    fault = next(_faults(request), None)
    if fault is not None:
        raise ParameterError(f"{ONLY_IF} {fault}")


def refuse_several(request: Request) -> None:
    """Refuse several releases of one table and a choice among them: each spends ε and δ, and so does the choice."""
    raise ParameterError(
        f"{ONLY_IF} '{request.caller}' makes several releases and chooses among them by what they lost, which depends "
        "on the data. Decide beforehand, and make one (sf.anonymize, sf.recode)."
    )


def for_privacy(request: Request) -> Request:
    """The same request with the one method that keeps differential privacy."""
    given = request.method
    changed = copy(request)
    method = PrivateLevels(given.levels if isinstance(given, FixedLevels | PrivateLevels) else None)
    object.__setattr__(changed, "method", method)
    return changed


def _faults(request: Request) -> Iterator[str]:
    """Say what of a request would void the proof, and what to do."""
    schema, method = request.schema, request.method
    as_they_are = [*schema.sensitive, *schema.plain]
    if as_they_are:
        yield (
            f"{listed(as_they_are)} would be released as it is. Declare every released column as a quasi-identifier "
            "with a hierarchy, and the others as identifiers."
        )
    if schema.rest not in {None, "drop"}:
        yield f"rest={schema.rest!r} would release columns as they are. Drop the rest, or declare each column."
    if schema.person is not None or schema.survey_weights is not None:
        yield "It protects rows: neither people with several rows nor weights of a survey are supported."
    if not isinstance(method, Auto | FixedLevels | PrivateLevels):
        yield (
            f"The classes of '{method.name}' depend on the data. Anonymize without a method, and levels are chosen at "
            "random by their worth (for_levels); or give the levels (sf.recode). A search for levels cannot keep it, "
            "neither in a database nor to explain them."
        )
    learned = [name for name, how in schema.quasi_identifiers.items() if isinstance(how, Learned)]
    if learned:
        yield _shaped(learned)
    others = [one.name for one in request.privacy if not isinstance(one, DifferentialPrivacy | KAnonymity)]
    if others or sum(isinstance(one, DifferentialPrivacy) for one in request.privacy) > 1:
        yield f"It cannot be asked for together with {listed(others) if others else 'another one'}. Leave that out."
    for name in EXCLUDED:
        if getattr(request, name):
            yield f"'{name}' would void the proof. Leave it out."
    if request.seed is not None:
        yield "Whoever knows the seed can undo it. Leave it out: the system's randomness is used."
    if request.missing == "error":
        yield "missing='error' would tell that no value is missing. Choose 'category' or 'suppress'."
    if request.suppression:
        yield "How many rows are left out is up to chance. Leave out 'suppression'."


def fractional(table: pa.Table, schema: Schema) -> pa.Table:
    """A table with the whole numbers of its scales as numbers that may have fractions."""
    for name, how in schema.quasi_identifiers.items():
        column = as_fractions(name, how, table.column(name))
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def as_fractions(name: str, how: Hierarchy | None, values: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of a column, as fractions if they are whole numbers of a scale.

    Files and frames say by their values whether a column is whole: one row with 20.5, or one without a value, would
    show ``[20, 30)`` to everybody instead of ``[20, 29]``.
    """
    kind = _kind(values.type, how)
    if kind == _kind(values.type):
        return values
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        raise DataError(
            f"{ONLY_IF} So '{name}' is read as numbers that may have fractions, and it holds whole numbers of more "
            "than 15 digits, which would lose some. Declare it as Categorical() or as an identifier."
        ) from None


def refuse_unfixed(columns: pa.Schema, schema: Schema) -> None:
    """Refuse hierarchies whose labels depend on other rows than the one that is shown."""
    unfixed = [
        name
        for name, how in schema.quasi_identifiers.items()
        if how is None or not how.is_fixed(_kind(columns.field(name).type, how))
    ]
    if unfixed:
        raise ParameterError(f"{ONLY_IF} {_shaped(unfixed)}")


def _shaped(names: Sequence[str]) -> str:
    return (
        f"The data shape the levels of {listed(names)}. Declare the hierarchy in full, without looking at the table: "
        "a taxonomy, Numeric(widths=…), Bands, Prefix(length=…), Dates of days with levels, or codes."
    )


def _kind(kind: pa.DataType, how: Hierarchy | None = None) -> pa.DataType:
    """The type of the values of a column, as a hierarchy gets them."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return pa.float64() if isinstance(how, Numeric | Banded) and pa.types.is_integer(kind) else kind
