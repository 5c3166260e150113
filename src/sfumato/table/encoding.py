"""Encoding: columns of any type become codes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.grouping import code_column
from sfumato.common.progress import Tell, silent
from sfumato.common.rows import count_codes, gather
from sfumato.common.threads import in_chunks, side_by_side
from sfumato.errors import DataError, HierarchyError, shortened
from sfumato.hierarchies import CellDomain, Domain, Hierarchy, IntervalDomain, Ordered, default_hierarchy, gridded
from sfumato.hierarchies.base import inverse
from sfumato.table.microdata import Microdata, SensitiveColumn, smallest_unsigned

#: The least rows with a value before a message may name it.
FEWEST_TO_NAME = 20

#: The distinct values of a column, and the place of every row's value, -1 for missing ones.
Distinct = tuple[pa.Array, NDArray[np.int32]]


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
    names = [*quasi_identifiers, *sensitive]
    found = dict(zip(names, side_by_side(lambda name: distinct(name, table.column(name)), names), strict=True))
    encoded = []
    for name, hierarchy in quasi_identifiers.items():
        values, indices = found[name]
        try:
            declared = hierarchy or _own_order(table.column(name))
            encoded.append(_encode_quasi_identifier(name, declared, values, indices))
        except (DataError, HierarchyError) as error:
            raise type(error)(f"{error}{located(error.misfits, values, indices, place)}") from None
        tell(len(encoded) / len(names))
    domains = tuple(with_ends(domain, ends) for domain, *_ in encoded)
    codes = np.empty((table.num_rows, len(domains)), smallest_unsigned([domain.size for domain in domains]))

    def write(start: int, stop: int) -> None:
        for index, (_, code_of, indices) in enumerate(encoded):
            codes[start:stop, index] = code_of.take(indices[start:stop], mode="wrap")  # missing ones are -1

    in_chunks(len(codes), write)
    columns = tuple(encode_sensitive(name, *found[name]) for name in sensitive)
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


def located(misfits: Sequence[int], values: pa.Array, indices: NDArray[np.int32], place: Callable[[int], str]) -> str:
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


def encode_sensitive(name: str, values: pa.Array, indices: NDArray[np.int32]) -> SensitiveColumn:
    """Code a sensitive column in the order of its values, the missing one last, from the result of `distinct`."""
    ordered, code_of = fit_sensitive(name, values, len(indices) > 0 and bool(indices.min() < 0))
    codes = np.empty(len(indices), code_of.dtype)
    in_chunks(len(codes), lambda start, stop: code_of.take(indices[start:stop], 0, codes[start:stop], "wrap"))
    return SensitiveColumn(name, ordered, codes)


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
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    try:
        coded = code_column(name, column)
    except DataError:
        raise DataError(
            f"Column '{name}' has the type {column.type}, which cannot be grouped. Convert it to text or numbers, "
            "or declare it as an identifier so that it is dropped."
        ) from None
    # Of a dictionary, rows may use some values only.
    occurring = count_codes(coded.codes, coded.size) > 0 if pa.types.is_dictionary(column.type) else np.ones(coded.size)
    missing = len(coded.values)
    if occurring[:-1].all() and (not len(coded.codes) or coded.codes.max() < missing):
        return coded.values, coded.codes
    renumbered = np.cumsum(occurring, dtype=np.int32) - np.int32(1)
    renumbered[missing] = -1
    values = coded.values.take(pa.array(np.flatnonzero(occurring[:missing])))
    return values, gather(renumbered, coded.codes)


def _encode_quasi_identifier(
    name: str, declared: Hierarchy | None, values: pa.Array, indices: NDArray[np.int32]
) -> tuple[Domain, NDArray[np.unsignedinteger], NDArray[np.int32]]:
    """Fit a hierarchy; return the code of every distinct value, the missing one last, and the value of every row."""
    has_missing = bool(len(indices)) and bool(indices.min() < 0)
    domain, code_of = fit(name, declared, values, has_missing)
    return domain, code_of, indices


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
