"""One quasi-identifier of a release, matched with the values that its cells may stand for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.grouping import CodedColumn, code_column, group_rows
from sfumato.errors import SchemaError
from sfumato.hierarchies import Domain, Hierarchy, Ordered, Prefix, ScaledDomain, Structured, Taxonomy
from sfumato.hierarchies.defaults import default_hierarchy
from sfumato.hierarchies.reading.extents import (
    ABSENT,
    CUT_OFF,
    Extents,
    positions,
    read_bounds,
    read_extents,
    unreadable,
)

#: A range of codes, both ends included.
Range = tuple[int, int]
EMPTY: Range = (1, 0)


@dataclass(frozen=True)
class ShownColumn:
    """What a release shows of one quasi-identifier, cell by cell.

    Attributes
    ----------
    domain
        The original values in the order of their codes; the code after the last is a missing value.
    original
        The code of every row of the original.
    cell_of_row
        The number of the cell of every released row; equal cells have one number.
    first, last
        For every cell the ranges of codes that it may stand for, both ends included, padded with empty ranges.
    low, high
        For a column on a scale, the ends of every cell.
    centres
        Whether the release shows midpoints or means, which stand for other values than the one shown.
    """

    domain: Domain
    original: NDArray[np.int64] = field(repr=False)
    cell_of_row: NDArray[np.int32] = field(repr=False)
    first: NDArray[np.int64] = field(repr=False)
    last: NDArray[np.int64] = field(repr=False)
    low: NDArray[np.float64] = field(repr=False)
    high: NDArray[np.float64] = field(repr=False)
    centres: bool = False

    @property
    def name(self) -> str:
        """The column's name in the original."""
        return self.domain.name

    @property
    def numbers(self) -> NDArray[np.float64] | None:
        """The position of every value on the column's scale; None for categories."""
        return self.domain.numbers if isinstance(self.domain, ScaledDomain) else None

    def covers(self, codes: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether every cell (column) may stand for every code (row)."""
        inside = np.zeros((len(codes), len(self.first)), bool)
        for first, last in zip(self.first.T, self.last.T, strict=True):
            inside |= (codes[:, None] >= first) & (codes[:, None] <= last)
        return inside


def read_column(
    release: pa.Table, name: str, original: pa.ChunkedArray | pa.Array, hierarchy: Hierarchy | None = None
) -> ShownColumn:
    """Match one quasi-identifier of a release with the original column, or with any list of possible values.

    Parameters
    ----------
    release
        The released table; the column is there under its name, or as two columns ``name_min`` and ``name_max``.
    name
        The quasi-identifier.
    original
        Its original values.
    hierarchy
        How it was generalized; by default what its type implies.
    """
    coded = code_column(name, original if isinstance(original, pa.ChunkedArray) else pa.chunked_array([original]))
    chosen = hierarchy or _implied(release, name, coded.values)
    domain, code_of = chosen.fit(name, coded.values, has_missing=False)
    codes = np.append(code_of, domain.size)[coded.codes].astype(np.int64)
    order = chosen.order if isinstance(chosen, Ordered) else None
    bounds = [f"{name}_min", f"{name}_max"]
    if name in release.column_names:
        cells = code_column(name, release.column(name))
        return _by_cells(domain, codes, cells, chosen)
    if set(bounds) <= set(release.column_names):
        return _by_bounds(domain, codes, [code_column(one, release.column(one)) for one in bounds], order)
    raise SchemaError(f"The release has no column '{name}', nor '{bounds[0]}' and '{bounds[1]}'.")


def _implied(release: pa.Table, name: str, values: pa.Array) -> Hierarchy:
    """The hierarchy that the type implies; Prefix if the release shows truncated codes."""
    implied = default_hierarchy(values.type)
    if pa.types.is_string(values.type) and name in release.column_names:
        shown = code_column(name, release.column(name)).values
        if pa.types.is_string(shown.type) and pc.any(pc.match_substring_regex(shown, CUT_OFF.pattern)).as_py():
            return Prefix()
    return implied


def _by_cells(domain: Domain, original: NDArray[np.int64], cells: CodedColumn, hierarchy: Hierarchy) -> ShownColumn:
    shown = pa.concat_arrays([cells.values, pa.nulls(1, cells.values.type)])
    low, high = np.full(len(shown), np.inf), np.full(len(shown), -np.inf)
    if isinstance(domain, ScaledDomain) and not _is_text(shown.type):
        return _by_points(domain, original, cells, shown)
    ranges_of = _labelled_ranges(domain)
    ranges = [ranges_of.get(text, []) for text in shown.cast(pa.string()).to_pylist()]
    if isinstance(domain, ScaledDomain):
        order = hierarchy.order if isinstance(hierarchy, Ordered) else None
        calendar = pa.types.is_temporal(domain.values.type)
        sets = [_set_members(text, _of_scale(order)) or [text] for text in shown.to_pylist()]
        members = pa.array(list(chain.from_iterable(sets)), shown.type)
        extents = read_extents(domain.name, members, order, calendar, hierarchy.meaning)
        begins = np.cumsum([0, *map(len, sets)])
        found = _ranges_of(extents, domain.numbers)
        ranges = [
            here or list(chain.from_iterable(found[begins[at] : begins[at + 1]])) for at, here in enumerate(ranges)
        ]
        low, high = np.minimum.reduceat(extents.low, begins[:-1]), np.maximum.reduceat(extents.high, begins[:-1])
    else:
        _fill_categories(ranges, shown.cast(pa.string()).to_pylist(), ranges_of, hierarchy, domain)
    first, last = _padded(ranges)
    return ShownColumn(domain, original, cells.codes, first, last, low, high)


def _by_points(domain: ScaledDomain, original: NDArray[np.int64], cells: CodedColumn, shown: pa.Array) -> ShownColumn:
    """Read a column of plain numbers or dates: the values themselves, or midpoints and means of other ones."""
    at = positions(shown)
    centres = not np.isin(at[:-1], domain.numbers).all()
    silent = np.isnan(at)
    low = np.where(silent, -np.inf if centres else np.inf, at)
    high = np.where(silent, np.inf if centres else -np.inf, at)
    closed = np.zeros(len(at), bool)
    extents = Extents(low, high, closed, silent, closed)
    first, last = _padded(_ranges_of(extents, domain.numbers))
    return ShownColumn(domain, original, cells.codes, first, last, low, high, centres)


def _by_bounds(
    domain: Domain, original: NDArray[np.int64], sides: list[CodedColumn], order: list[str] | None
) -> ShownColumn:
    pairs = group_rows(sides)
    lows, highs = (np.append(positions(side.values, order), np.nan)[side.codes[pairs.first_rows]] for side in sides)
    extents = read_bounds(lows, highs)
    assert isinstance(domain, ScaledDomain)
    first, last = _padded(_ranges_of(extents, domain.numbers))
    return ShownColumn(domain, original, pairs.of_row, first, last, extents.low, extents.high)


def _labelled_ranges(domain: Domain) -> dict[str | None, list[Range]]:
    """The codes below every label of a hierarchy; a label may occur in several branches."""
    found: dict[str | None, set[Range]] = defaultdict(set)
    for level in domain.levels[:-1] if domain.size else ():
        starts = level.starts
        ends = np.append(starts[1:], len(level.groups)) - 1
        for label, first, last in zip(level.labels.to_pylist(), starts.tolist(), ends.tolist(), strict=True):
            found[label].add((first, last))
    missing = [(domain.size, domain.size)]
    known = {label: sorted(ranges) for label, ranges in found.items()}
    return {ABSENT: missing} | known | {"*": [(0, domain.size)], None: missing}


def _slack(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far a number may be off that is written as each end; a large number elsewhere does not blur a small one."""
    return np.where(np.isfinite(ends), 4 * np.spacing(np.where(np.isfinite(ends), np.abs(ends), 0.0)), 0.0)


def _ranges_of(extents: Extents, numbers: NDArray[np.float64]) -> list[list[Range]]:
    """The codes whose numbers lie within each extent; numbers may be off by their last digit."""
    below, above = _slack(extents.low), _slack(extents.high)
    first = np.where(
        extents.open_start,
        np.searchsorted(numbers, extents.low + below, side="right"),
        np.searchsorted(numbers, extents.low - below),
    )
    beyond = np.where(
        extents.open_end,
        np.searchsorted(numbers, extents.high - above),
        np.searchsorted(numbers, extents.high + above, side="right"),
    )
    ranges = [[(begin, end - 1)] for begin, end in zip(first.tolist(), beyond.tolist(), strict=True)]
    for at in np.flatnonzero(extents.missing):
        ranges[at].append((len(numbers), len(numbers)))
    return ranges


def _fill_categories(
    ranges: list[list[Range]],
    texts: list[str | None],
    ranges_of: dict[str | None, list[Range]],
    hierarchy: Hierarchy,
    domain: Domain,
) -> None:
    """Read cells that are not labels of values that occur: sets, and labels or prefixes of other values."""

    def known(label: str) -> bool:
        return label in ranges_of or _is_label(label, hierarchy)

    for at, text in enumerate(texts):
        if ranges[at] or text is None:
            continue
        members = [text] if known(text) else _set_members(text, known)
        if members is None:
            raise unreadable(domain.name, text)
        ranges[at] = [one for member in members for one in ranges_of.get(member, [])]


def _of_scale(order: list[str] | None) -> Callable[[str], bool]:
    """Whether a text may be a single member of a set of numbers, or of values of an order."""
    return (lambda text: ", " not in text) if order is None else set(map(str, order)).__contains__


def _set_members(text: str | None, known: Callable[[str], bool]) -> list[str] | None:
    """The members of a set such as ``{a, b}``; None if it is none, or has a member that is not known.

    A member may have a comma in it, so the longest that is known counts.
    """
    if text is None or text[:1] != "{" or text[-1:] != "}":
        return None
    parts, found = text[1:-1].split(", "), list[str]()
    while parts:
        longest = next((many for many in range(len(parts), 0, -1) if known(", ".join(parts[:many]))), 0)
        if not longest:
            return None
        found.append(", ".join(parts[:longest]))
        parts = parts[longest:]
    return found


def _is_label(text: str, hierarchy: Hierarchy) -> bool:
    """Whether a text is a label of the hierarchy although no value below it occurs in the original."""
    if isinstance(hierarchy, Structured):
        return True
    if isinstance(hierarchy, Taxonomy):
        return any(text in row for row in hierarchy.rows)
    return isinstance(hierarchy, Prefix) and text.endswith("*")


def _padded(ranges: list[list[Range]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Lay ranges out as two arrays, one row per cell."""
    width = max([1, *map(len, ranges)])
    laid = np.array([[*one, *([EMPTY] * (width - len(one)))] for one in ranges], np.int64).reshape(-1, width, 2)
    return laid[:, :, 0], laid[:, :, 1]


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_null(kind)
