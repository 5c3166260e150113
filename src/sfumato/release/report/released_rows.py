"""What the released rows themselves show: who stands out over all columns, and what a row looks like."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from unicodedata import east_asian_width

import pyarrow as pa

from sfumato.common.grouping import CodedColumn, code_column, group_rows
from sfumato.errors import DataError

#: How many rows a report shows as an example.
EXAMPLE_ROWS = 3

#: How many columns an example shows at most, and how many quasi-identifiers before it shows others.
EXAMPLE_COLUMNS = 9
MOST_KNOWN = 4

#: The most characters of a cell in an example, and of all columns together; a Chinese character is as wide as two.
LONGEST_CELL = 22
WIDEST = 104

#: The order of roles in an example: what attackers know first.
ROLES = ("quasi-identifier", "sensitive", "plain", "weight", "identifier")


@dataclass(frozen=True)
class UniqueRows:
    """How many released rows are the only ones with their values.

    Attributes
    ----------
    rows
        How many rows are released.
    columns
        How many columns were compared: all that are released, except for pseudonyms, which mean nothing to outsiders.
    everywhere
        How many rows are unique over all of these columns.
    without_sensitive
        How many are unique without the sensitive columns, which outsiders are assumed not to know.
    """

    rows: int
    columns: int
    everywhere: int
    without_sensitive: int

    @property
    def share(self) -> float:
        """The share of rows that are unique over all released columns."""
        return self.everywhere / self.rows if self.rows else 0.0


@dataclass(frozen=True)
class Example:
    """A few released rows, cut to what fits on a line.

    Attributes
    ----------
    columns, rows
        The names of the columns that are shown, and their cells as text; None for a missing value.
    left_out
        How many further columns the release has.
    """

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = field(default=(), repr=False)
    left_out: int = 0


def count_unique(table: pa.Table, sensitive: Collection[str], pseudonyms: Collection[str] = ()) -> UniqueRows | None:
    """Count the rows that nobody shares; None if the values of some column cannot be compared."""
    names = [name for name in table.column_names if name not in pseudonyms]
    try:
        coded = {name: code_column(name, table.column(name)) for name in names}
    except DataError:
        return None
    known = [column for name, column in coded.items() if name not in sensitive]
    return UniqueRows(table.num_rows, len(names), _alone(list(coded.values())), _alone(known))


def _alone(columns: Sequence[CodedColumn]) -> int:
    return int((group_rows(columns).sizes == 1).sum()) if columns else 0


def example_of(table: pa.Table, roles: Mapping[str, str]) -> Example:
    """The first rows of a release, in the columns that matter most."""
    some = table.slice(0, EXAMPLE_ROWS)
    columns: dict[str, list[str | None]] = {}
    used = 0
    for name in _by_importance(table.column_names, roles)[:EXAMPLE_COLUMNS]:
        cells = [_cell(value) for value in some.column(name).to_pylist()]
        wide = 2 + max(_width(text or "") for text in (_cell(name), *cells))
        if not columns or used + wide <= WIDEST:
            columns[name] = cells
            used += wide
    shown = sorted(columns, key=lambda name: _rank(roles.get(name)))
    rows = zip(*(columns[name] for name in shown), strict=True)
    return Example(tuple(_cell(name) or "" for name in shown), tuple(rows), len(table.column_names) - len(shown))


def _by_importance(names: Sequence[str], roles: Mapping[str, str]) -> list[str]:
    """The columns of which a reader should see some of each kind, however many others there are."""
    ranked = sorted(names, key=lambda name: _rank(roles.get(name)))
    known = [name for name in ranked if not _rank(roles.get(name))]
    others = [name for name in ranked if _rank(roles.get(name))]
    return [*known[:MOST_KNOWN], *others[:2], *known[MOST_KNOWN:], *others[2:]]


def _width(text: str) -> int:
    """How many letters wide a text is."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _rank(role: str | None) -> int:
    """Columns that show a quasi-identifier under another name, such as bounds, come with the quasi-identifiers."""
    return ROLES.index(role) if role in ROLES else 0


def _cell(value: object) -> str | None:
    if value is None:
        return None
    text = " ".join(str(value).split())
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"
