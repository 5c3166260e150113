"""Encoding: columns of any type become codes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.progress import Tell, silent
from sfumato.common.threads import threads
from sfumato.errors import DataError, HierarchyError, shortened
from sfumato.hierarchies import CellDomain, Domain, Hierarchy, IntervalDomain, Ordered, default_hierarchy, gridded
from sfumato.hierarchies.base import inverse
from sfumato.table.microdata import Microdata, SensitiveColumn, smallest_unsigned

#: The least rows with a value before a message may name it.
FEWEST_TO_NAME = 20

#: The distinct values of a column, and the place of every row's value, -1 for missing ones.
Distinct = tuple[pa.Array, NDArray[np.int64]]


def encode(
    table: pa.Table,
    quasi_identifiers: Mapping[str, Hierarchy | None],
    sensitive: Sequence[str] = (),
    weights: Mapping[str, float] | None = None,
    tell: Tell = silent,
    ends: str = "data",
    place: Callable[[int], str] = lambda row: f"row {row + 1:,}",
) -> Microdata:
    """Encode the quasi-identifiers and the sensitive columns of a table.

    Parameters
    ----------
    table
        The rows; missing quasi-identifiers become the last code of their domain.
    quasi_identifiers
        The hierarchy of each; None for the default of the column's type.
    sensitive
        The sensitive columns.
    weights
        The weights of quasi-identifiers in the loss; 1 by default.
    tell
        Called with the share of columns that are encoded.
    ends
        Which ends intervals have, one of ``ENDS``.
    place
        Says where a row, counted from 0, can be found, for messages.
    """
    encoded = []
    with threads() as pool:
        # Several columns are scanned at once, and released one by one.
        names = [*quasi_identifiers, *sensitive]
        found = deque(pool.submit(distinct, name, table.column(name)) for name in names)
        for name, hierarchy in quasi_identifiers.items():
            values, indices = found.popleft().result()
            try:
                declared = hierarchy or _own_order(table.column(name))
                encoded.append(_encode_quasi_identifier(name, declared, values, indices))
            except (DataError, HierarchyError) as error:
                raise type(error)(f"{error}{located(error.misfits, values, indices, place)}") from None
            tell(len(encoded) / (len(quasi_identifiers) + len(sensitive)))
        columns = tuple(encode_sensitive(name, *found.popleft().result()) for name in sensitive)
    domains = tuple(with_ends(domain, ends) for domain, _ in encoded)
    codes = np.empty((table.num_rows, len(domains)), smallest_unsigned([domain.size for domain in domains]))
    for index, (_, column) in enumerate(encoded):
        codes[:, index] = column
    given = np.array([(weights or {}).get(domain.name, 1.0) for domain in domains])
    return Microdata(codes, domains, columns, given / given.sum())


def _own_order(column: pa.ChunkedArray) -> Ordered | None:
    """The order of ordered categories, such as those of pandas; None for other columns."""
    if not (pa.types.is_dictionary(column.type) and column.type.ordered and column.num_chunks):
        return None
    orders = {tuple(chunk.dictionary.cast(pa.string()).to_pylist()) for chunk in column.chunks}
    order = orders.pop()
    # Chunks that are ordered differently have no common order.
    return None if orders or None in order or len(set(order)) < len(order) or not order else Ordered(order)


def with_ends(domain: Domain, ends: str) -> Domain:
    """Give a domain the requested ends of intervals: values of the class, or round values.

    Cells already have round ends.
    """
    if ends != "grid" or not isinstance(domain, IntervalDomain) or isinstance(domain, CellDomain):
        return domain
    return gridded(domain)


def located(misfits: Sequence[int], values: pa.Array, indices: NDArray[np.int64], place: Callable[[int], str]) -> str:
    """Say where the values are that a hierarchy refuses; name the first if many people share it."""
    if not len(misfits):
        return ""
    rows = np.flatnonzero(np.isin(indices, misfits))
    first = indices[rows[0]]
    often = int(np.count_nonzero(indices == first))
    named = f", {shortened(str(values[int(first)]))}," if often >= FEWEST_TO_NAME else ""
    return f" The first{named} stands in {place(int(rows[0]))}."


def missing_rows(table: pa.Table, columns: Sequence[str]) -> NDArray[np.bool_]:
    """Which rows have a missing value in any of these columns, not-a-number included."""
    missing = np.zeros(table.num_rows, bool)
    for name in columns:
        missing |= _is_missing(table.column(name))
    return missing


def refuse_missing(table: pa.Table, columns: Sequence[str]) -> None:
    """Refuse missing values; the error names the columns and their numbers of missing values."""
    lacking = {name: int(_is_missing(table.column(name)).sum()) for name in columns}
    found = [f"'{name}' ({count:,})" for name, count in lacking.items() if count]
    if found:
        raise DataError(
            f"Missing values in {', '.join(found)} and missing='error' was asked for. "
            "Use missing='category' to treat missing as a value, or missing='suppress' to leave such rows out."
        )


def encode_sensitive(name: str, values: pa.Array, indices: NDArray[np.int64]) -> SensitiveColumn:
    """Code a sensitive column in the order of its values, the missing one last, from the result of `distinct`."""
    ordered, code_of = fit_sensitive(name, values, len(indices) > 0 and bool(indices.min() < 0))
    return SensitiveColumn(name, ordered, code_of[indices])


def fit_sensitive(name: str, values: pa.Array, has_missing: bool) -> tuple[pa.Array, NDArray[np.int32]]:
    """The values of a sensitive column in order, the missing one last, and the code of each and of a missing value."""
    try:
        order = pc.sort_indices(values).to_numpy()
        values.cast(pa.string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise DataError(
            f"Column '{name}' of type {values.type} cannot be a sensitive column. Convert it to text or numbers first."
        ) from None
    code_of = np.append(inverse(order), len(values)).astype(np.int32)
    ordered = values.take(pa.array(order))
    return pa.concat_arrays([ordered, pa.nulls(1, ordered.type)]) if has_missing else ordered, code_of


def distinct(name: str, column: pa.ChunkedArray) -> Distinct:
    """The distinct values that occur in a column, and the place of every row's value, -1 for missing ones."""
    if pa.types.is_floating(column.type):
        # Adding 0 turns -0.0 into 0.0.
        one_zero = pc.add(column, pa.scalar(0.0, column.type))
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), one_zero)
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    if pa.types.is_dictionary(column.type):
        return _distinct_of_dictionary(name, column)
    try:
        coded = _single(column.dictionary_encode())
    except pa.ArrowNotImplementedError:
        raise DataError(
            f"Column '{name}' has the type {column.type}, which cannot be grouped. Convert it to text or numbers, "
            "or declare it as an identifier so that it is dropped."
        ) from None
    return coded.dictionary, _indices(coded)


def _distinct_of_dictionary(name: str, column: pa.ChunkedArray) -> Distinct:
    """Do the same for a dictionary column, whose dictionary may hold unused, repeated and missing values."""
    try:
        coded = _single(column)
    except pa.ArrowInvalid:  # Arrow cannot unify dictionaries with missing values
        return distinct(name, column.cast(column.type.value_type))
    values, place = distinct(name, pa.chunked_array([coded.dictionary]))
    # Usually all entries are distinct, and then their places are the indices that the rows already have.
    same = len(values) == len(coded.dictionary) and not coded.dictionary.null_count
    places = _indices(coded) if same else np.append(place, place.dtype.type(-1))[_indices(coded)]
    complete = same and not coded.indices.null_count
    used = np.flatnonzero(np.bincount(places if complete else places[places >= 0], minlength=len(values)))
    if len(used) == len(values):
        return values, places
    renumbered = np.full(len(values) + 1, -1, np.int64)
    renumbered[used] = np.arange(len(used))
    return values.take(pa.array(used)), renumbered[places]


def _single(coded: pa.ChunkedArray) -> pa.DictionaryArray:
    """Combine the chunks of a column, with one dictionary."""
    places = {tuple(0 if one is None else one.address for one in c.dictionary.buffers()) for c in coded.chunks}
    if len(places) == 1 and coded.num_chunks > 1:
        # All chunks share one dictionary, which may be as long as the column: it is scanned once.
        first = coded.chunk(0)
        indices = pa.concat_arrays([chunk.indices for chunk in coded.chunks])
        return pa.DictionaryArray.from_arrays(indices, first.dictionary, ordered=first.type.ordered)
    coded = coded.unify_dictionaries().combine_chunks()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.chunk(0) if coded.num_chunks else pa.array([], coded.type)
    return coded


def _indices(coded: pa.DictionaryArray) -> NDArray[np.int64]:
    """The indices with -1 for missing, in a type with room for that and for one more than the largest."""
    kind = coded.indices.type
    wide = pa.int32() if kind.bit_width < 32 or kind == pa.int32() else pa.int64()
    indices = coded.indices.cast(wide)
    filled: NDArray[np.int64] = (indices.fill_null(-1) if indices.null_count else indices).to_numpy()
    return filled


def _encode_quasi_identifier(
    name: str, declared: Hierarchy | None, values: pa.Array, indices: NDArray[np.int64]
) -> tuple[Domain, NDArray[np.unsignedinteger]]:
    has_missing = bool(len(indices)) and bool(indices.min() < 0)
    domain, code_of = fit(name, declared, values, has_missing)
    return domain, code_of[indices]


def fit(
    name: str, declared: Hierarchy | None, values: pa.Array, has_missing: bool
) -> tuple[Domain, NDArray[np.unsignedinteger]]:
    """Fit a hierarchy to the distinct values of a column; return the code of each, and at the end that of missing."""
    if not len(values) and has_missing:
        raise DataError(
            f"Column '{name}' holds only missing values, so it says nothing about anybody. Drop it "
            f"(identifiers=['{name}']) or leave it out of the quasi-identifiers."
        )
    hierarchy = declared or default_hierarchy(values.type)
    try:
        domain, code_of = hierarchy.fit(name, values, has_missing)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        raise DataError(
            f"Column '{name}' has the type {values.type}, which {hierarchy!r} cannot generalize. "
            "Convert it to text or numbers."
        ) from None
    return domain, np.append(code_of, len(domain.values)).astype(smallest_unsigned([domain.size]))


def _is_missing(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    if pa.types.is_dictionary(column.type):
        # Older versions of Arrow check only the indices, and would miss a missing value in the dictionary.
        column = column.cast(column.type.value_type)
    flags: NDArray[np.bool_] = pc.is_null(column, nan_is_null=True).to_numpy()
    return flags
