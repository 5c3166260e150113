"""Open a released column: find its kind, and read its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from sfumato.assess.queries.categories import CategoryColumn
from sfumato.assess.queries.columns import ReleasedColumn, ScaleColumn
from sfumato.common.grouping import CodedColumn, code_column, group_rows
from sfumato.errors import DataError, SchemaError, did_you_mean, listed
from sfumato.hierarchies import Ages, Categorical, Dates, Hierarchy, Ordered, Prefix, Structured, Taxonomy
from sfumato.hierarchies.reading.extents import Extents, positions, read_bounds, read_extents

DATE = pa.date32()
#: A time of day with a zone.
ZONED = re.compile(r":\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2})")


def open_shown(table: pa.Table, name: str, hierarchy: Hierarchy | None, statistic: str | None) -> ReleasedColumn:
    """Read a quasi-identifier of a release: its own column, or the two columns of its bounds."""
    bounds = [f"{name}_min", f"{name}_max"]
    if name in table.column_names:
        return _shown(name, code_column(name, table.column(name)), hierarchy, statistic)
    if set(bounds) <= set(table.column_names):
        return _between(name, [code_column(side, table.column(side)) for side in bounds], hierarchy)
    raise SchemaError(
        f"The release has no column '{name}', nor '{bounds[0]}' and '{bounds[1]}'. "
        f"Its columns are {listed(table.column_names)}."
    )


def open_plain(table: pa.Table, name: str, known: Iterable[str] = ()) -> ReleasedColumn:
    """Read a column that is released unchanged; ``known`` are the other columns, for a message."""
    if name not in table.column_names:
        hint = did_you_mean(name, [*table.column_names, *known]) or f"Its columns are {listed(table.column_names)}."
        raise SchemaError(f"The release has no column '{name}'. {hint}")
    coded = code_column(name, table.column(name))
    if _has_scale(coded.values.type):
        extents = read_extents(name, _with_missing(coded))
        return ScaleColumn(name, coded.codes, extents, kind=_date_type(coded.values.type))
    return CategoryColumn(name, coded.codes, _labels(coded), exact=True)


def _shown(name: str, coded: CodedColumn, hierarchy: Hierarchy | None, statistic: str | None) -> ReleasedColumn:
    if isinstance(hierarchy, Taxonomy | Prefix | Categorical | Structured):
        return CategoryColumn(name, coded.codes, _labels(coded), hierarchy)
    order = hierarchy.order if isinstance(hierarchy, Ordered) else None
    numbers = _has_scale(coded.values.type)
    try:
        meaning = (lambda label: None) if hierarchy is None else hierarchy.meaning
        calendar = isinstance(hierarchy, Dates | Ages)
        extents = read_extents(name, _with_missing(coded), order, calendar, meaning, _shows_days(hierarchy))
    except DataError:
        if hierarchy is not None:
            raise
        return CategoryColumn(name, coded.codes, _labels(coded), hierarchy)
    kind = _shown_type(coded.values, extents) if isinstance(hierarchy, Dates | Ages) else _date_type(coded.values.type)
    if statistic is not None and numbers:
        # A class that shows no number includes missing values, and may include any number.
        silent = np.isinf(extents.low)
        low, high = np.where(silent, -np.inf, extents.low), np.where(silent, np.inf, extents.high)
        return ScaleColumn(
            name, coded.codes, Extents(low, high, extents.open_end, silent, extents.open_start), order, kind, statistic
        )
    return ScaleColumn(name, coded.codes, extents, order, kind)


def _between(name: str, sides: list[CodedColumn], hierarchy: Hierarchy | None) -> ReleasedColumn:
    pairs = group_rows(sides)
    order = hierarchy.order if isinstance(hierarchy, Ordered) else None
    low, high = (np.append(positions(side.values, order), np.nan)[side.codes[pairs.first_rows]] for side in sides)
    return ScaleColumn(name, pairs.of_row, read_bounds(low, high), order, _date_type(sides[0].values.type))


def _with_missing(coded: CodedColumn) -> pa.Array:
    return pa.concat_arrays([coded.values, pa.nulls(1, coded.values.type)])


def _labels(coded: CodedColumn) -> tuple[str | None, ...]:
    return (*coded.values.cast(pa.string()).to_pylist(), None)


def _has_scale(kind: pa.DataType) -> bool:
    types = pa.types
    return types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or _date_type(kind) is not None


def _date_type(kind: pa.DataType) -> pa.DataType | None:
    return kind if pa.types.is_date(kind) or pa.types.is_timestamp(kind) else None


def _shown_type(cells: pa.Array, extents: Extents) -> pa.DataType:
    """The type of what a column of dates shows: times, if any of its ends has a time of day."""
    own = _date_type(cells.type)
    ends = np.concatenate([extents.low, extents.high])
    if own is not None or not (np.isfinite(ends) & (ends != np.floor(ends))).any():
        return own or DATE
    texts = cells.cast(pa.string()).to_pylist()
    return pa.timestamp("us", "UTC" if any(ZONED.search(text) for text in texts) else None)


def _shows_days(hierarchy: Hierarchy | None) -> bool:
    """Whether a day may stand for all times of that day."""
    return isinstance(hierarchy, Dates) and "day" in (hierarchy.levels or ())
