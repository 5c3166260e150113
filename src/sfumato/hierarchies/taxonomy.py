"""Taxonomies: trees of categories, given as rows, as a nested dict or as a file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from sfumato.common import parameters
from sfumato.common.html import Markup, element, joined, table
from sfumato.errors import HierarchyError, ParameterError, invalid_parameter, listed, shortened
from sfumato.hierarchies.base import Fitted, Hierarchy, as_text, inverse, refuse_unknown
from sfumato.hierarchies.domain import TreeDomain
from sfumato.hierarchies.files import Row, read_json, read_rows, write_rows
from sfumato.hierarchies.levels import ROOT, grouped_level, identity_level, root_level
from sfumato.hierarchies.skos import SKOS_FORMS, read_skos

Nested = Mapping[str, Any]

#: The most faults of a taxonomy that an error lists.
MOST_FAULTS = 10

#: The most values of a taxonomy that a notebook shows.
ROWS_SHOWN = 40


class Taxonomy(Hierarchy):
    """A tree of categories: every value, what it generalizes to, and so on up to ``*``.

    Parameters
    ----------
    tree
        Nested dicts with lists of values at the bottom; uneven branches are padded. Or one row per value: the value,
        its parent, its parent's parent, …; a last column of ``*`` may be left out.
    unknown
        Where values go that the tree does not contain, such as those of next month's table: a label of the tree, or a
        new one such as ``"other"``. By default a table with such values is refused.

    Examples
    --------
    >>> country = Taxonomy({"Europe": ["France", "Italy"], "Asia": ["Japan"]})
    >>> country.rows[0]
    ('France', 'Europe', '*')
    """

    name: ClassVar[str] = "taxonomy"
    shorthand: ClassVar[str] = "taxonomy:zip.csv|other"
    reads_text = True

    def __init__(self, tree: Nested | Sequence[Sequence[object]], unknown: str | None = None) -> None:
        if not isinstance(tree, Mapping | Iterable):
            raise invalid_parameter("Taxonomy", "tree", "nested dicts, or one row per value", tree)
        rows = _padded(list(_paths(tree))) if isinstance(tree, Mapping) else tree
        self._load([_row(number, row) for number, row in enumerate(rows, start=1)])
        self.path: Path | None = None
        self.delimiter = ";"
        self.unknown = None if unknown is None else parameters.text("Taxonomy", "unknown", unknown)

    def _load(self, rows: list[Row]) -> None:
        self.rows = _with_root(_checked(rows))

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[object]]) -> Taxonomy:
        """Make a taxonomy from one row per value: the value, its parent, its parent's parent, …."""
        return cls(rows)

    @classmethod
    def from_dict(cls, tree: Nested) -> Taxonomy:
        """Make a taxonomy from nested dicts whose innermost parts are lists of values; uneven branches are padded."""
        return cls(tree)

    @classmethod
    def from_paths(cls, paths: Iterable[str], separator: str = ">") -> Taxonomy:
        """Make a taxonomy from paths such as ``"Europe > Italy > Pisa"``, from the coarsest group to the value."""
        split = [tuple(part.strip() for part in path.split(separator))[::-1] for path in dict.fromkeys(paths)]
        return cls(_padded(split))

    @classmethod
    def read(
        cls, path: str | Path, delimiter: str | None = None, unknown: str | None = None, language: str = "en"
    ) -> Taxonomy:
        """Read a taxonomy from a file.

        Parameters
        ----------
        path
            A text file with one line per value; ``.json``, nested or as rows; SKOS as ``.ttl``, ``.rdf``, ``.jsonld``.
        delimiter
            What stands between the cells of a line; detected unless given.
        unknown
            As above.
        language
            The language of labels in SKOS, where there are several.
        """
        file = Path(path)
        taxonomy = cls.__new__(cls)
        taxonomy.delimiter, taxonomy.path = ";", file
        taxonomy.unknown = None if unknown is None else parameters.text("Taxonomy", "unknown", unknown)
        if file.suffix.lower() == ".json":
            tree = read_json(file)
            cells = _padded(list(_paths(tree))) if isinstance(tree, Mapping) else tree
            rows = [_row(number, row, f"{file}, row") for number, row in enumerate(cells, start=1)]
        elif file.suffix.lower() in SKOS_FORMS:
            found = read_skos(file, language)
            rows = [Row(f"{file}, concept {at}", cells) for at, cells in enumerate(_padded(found), 1)]
        else:
            rows, taxonomy.delimiter = read_rows(file, delimiter)
        taxonomy._load(rows)
        return taxonomy

    def merged(self, other: Taxonomy) -> Taxonomy:
        """Combine the values of both; contradictions are an error that names the rows."""
        height = max(self.height, other.height)
        mine = [Row(f"row {at} of the first", _stretched(row, height)) for at, row in enumerate(self.rows, 1)]
        known = {row.cells for row in mine}
        theirs = [Row(f"row {at} of the second", _stretched(row, height)) for at, row in enumerate(other.rows, 1)]
        joined = _checked([*mine, *(row for row in theirs if row.cells not in known)])
        return Taxonomy(joined, self.unknown)

    def renamed(self, names: Mapping[str, str]) -> Taxonomy:
        """Rename labels or values; two labels with the same new name become one group."""
        unknown = set(names) - {cell for row in self.rows for cell in row}
        if unknown:
            raise HierarchyError(f"The taxonomy has no {listed(sorted(unknown))}, so it cannot be renamed.")
        return Taxonomy([[names.get(cell, cell) for cell in row] for row in self.rows], self.unknown)

    def moved(self, label: str, under: str) -> Taxonomy:
        """Move a value or a group, and all below it, under another group one level up."""
        places = [(row, row.index(label)) for row in self.rows if label in row[:-1]]
        if not places:
            raise HierarchyError(f"The taxonomy has no {shortened(label)}, so it cannot be moved.")
        # The highest place: in uneven branches a value is repeated on several levels.
        level = max(len(row) - 1 - row[::-1].index(label) for row, _ in places)
        above = next((row[level + 1 :] for row in self.rows if row[level + 1] == under), None)
        if above is None:
            raise HierarchyError(f"No group {shortened(under)} stands one level above {shortened(label)}.")
        return Taxonomy(
            [(*row[: level + 1], *above) if row[level] == label else row for row in self.rows], self.unknown
        )

    def write(self, path: str | Path, delimiter: str | None = None) -> None:
        """Write the taxonomy as `read` reads it, with its original delimiter, atomically."""
        write_rows(Path(path), self.rows, self.delimiter if delimiter is None else delimiter)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        file, bar, unknown = text.partition("|")
        return {"file": file} | ({"unknown": unknown.strip()} if bar else {})

    @classmethod
    def from_policy(
        cls, file: str | None = None, rows: Sequence[Sequence[object]] | None = None, unknown: str | None = None
    ) -> Taxonomy:
        """Make a taxonomy from a policy: from a file, or from the rows themselves."""
        if (file is None) == (rows is None):
            raise ParameterError("A taxonomy needs either 'file' or 'rows'. Give one of them.")
        return cls.read(file, unknown=unknown) if file is not None else cls(rows or (), unknown)

    def is_fixed(self, kind: pa.DataType) -> bool:
        return not (pa.types.is_timestamp(kind) or pa.types.is_floating(kind))

    def paths(self, values: Sequence[str]) -> Sequence[Sequence[str]]:
        return self._extended(values).rows

    @cached_property
    def _line_of(self) -> dict[str, int]:
        return {row[0]: number for number, row in enumerate(self.rows)}

    @cached_property
    def _places(self) -> list[int]:
        return _walk_places(self.rows)

    @property
    def height(self) -> int:
        """The number of steps from a value to ``*``."""
        return len(self.rows[0]) - 1

    def to_policy(self) -> dict[str, Any]:
        rule = {} if self.unknown is None else {"unknown": self.unknown}
        if self.path is not None:
            return {"type": self.name, "file": str(self.path)} | rule
        return {"type": self.name, "rows": [list(row) for row in self.rows]} | rule

    def __repr__(self) -> str:
        source = f", file={str(self.path)!r}" if self.path else ""
        return f"Taxonomy({len(self.rows)} values, height {self.height}{source})"

    def as_table(self) -> Markup:
        """The values in the order of the tree, each with what it generalizes to, as a table of HTML."""
        walked = sorted(range(len(self.rows)), key=self._places.__getitem__)[:ROWS_SHOWN]
        header = ["value", *(f"level {depth}" for depth in range(1, self.height + 1))]
        sizes = [len({row[depth:] for row in self.rows}) for depth in range(self.height + 1)]
        summary = element("p", f"Values from level to level: {' → '.join(f'{size:,}' for size in sizes)}")
        more = len(self.rows) - len(walked)
        rest = element("p", f"and {more:,} more values") if more else None
        return joined(summary, table(header, [self.rows[place] for place in walked]), rest)

    def lacks(self, texts: Iterable[str]) -> list[str]:
        """The values that no row has."""
        return [text for text in texts if text not in self._line_of]

    def _extended(self, texts: Sequence[str]) -> Taxonomy:
        """Add new values where ``unknown`` puts them."""
        new = self.lacks(texts)
        if self.unknown is None or not new:
            return self
        above = self._place_of_unknown(self.unknown)
        return Taxonomy([*self.rows, *((text, *above) for text in new)])

    def _place_of_unknown(self, label: str) -> tuple[str, ...]:
        """The path above new values: that of a label of the tree, or a new group."""
        for row in self.rows:
            for level in range(1, len(row)):
                if row[level] == label:
                    return (label,) * (level - 1) + row[level:]
        return (label,) * (self.height - 1) + (ROOT,)

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        texts = values.cast(pa.string()).to_pylist()
        return self._extended(texts)._fit(column, values, texts, has_missing)

    def _fit(self, column: str, values: pa.Array, texts: list[str], has_missing: bool) -> Fitted:
        line_of = self._line_of
        refuse_unknown(column, texts, line_of, f"hierarchy file {self.path}" if self.path else "its taxonomy")
        places = self._places
        order = np.argsort(np.array([places[line_of[text]] for text in texts], dtype=np.int64))
        ordered = values.take(pa.array(order))
        rows = [self.rows[line_of[texts[index]]] for index in order]
        levels = [identity_level(ordered, has_missing)]
        for depth in range(1, self.height):
            # A label may occur in two branches at different depths, so a group is identified by its whole path.
            number_of: dict[tuple[str, ...], int] = {}
            keys = np.array([number_of.setdefault(row[depth:], len(number_of)) for row in rows])
            levels.append(grouped_level(f"level {depth}", keys, pa.array([row[depth] for row in rows]), has_missing))
        levels.append(root_level(len(ordered) + has_missing))
        return Fitted(TreeDomain(column, ordered, has_missing, tuple(levels)), inverse(order))


def _walk_places(rows: Sequence[tuple[str, ...]]) -> list[int]:
    """The place of every row in the in-order walk, with children in the order in which rows first name them."""
    first_seen: dict[tuple[str, ...], int] = {}
    for row in rows:
        for depth in range(len(row)):
            first_seen.setdefault(row[depth:], len(first_seen))
    height = len(rows[0])
    keys = [tuple(first_seen[row[depth:]] for depth in range(height - 1, -1, -1)) for row in rows]
    places = [0] * len(rows)
    for place, index in enumerate(sorted(range(len(rows)), key=keys.__getitem__)):
        places[index] = place
    return places


def _checked(rows: list[Row]) -> list[tuple[str, ...]]:
    """Refuse rows that do not form a tree, naming the row and the value."""
    if not rows:
        raise HierarchyError("The taxonomy has no rows. Give one row per value: value, parent, …, '*'.")
    depth = len(rows[0].cells)
    seen: dict[str, Row] = {}
    parents: dict[tuple[int, str], tuple[str, Row]] = {}
    faults = [fault for row in rows for fault in _faults(row, depth, seen, parents)]
    if faults:
        more = [f"… and {len(faults) - MOST_FAULTS:,} more."] if len(faults) > MOST_FAULTS else []
        raise HierarchyError("\n".join([*faults[:MOST_FAULTS], *more]))
    return [row.cells for row in rows]


def _faults(
    row: Row, depth: int, seen: dict[str, Row], parents: dict[tuple[int, str], tuple[str, Row]]
) -> Iterator[str]:
    """Yield the faults of a row, given the rows before it."""
    value = f"the value{row.quoted(row.cells[0])}"
    if len(row.cells) != depth:
        yield (
            f"{row.where}: {value} has {_columns(len(row.cells))}, but the first row has {depth}. "
            "Give every row the same number of columns."
        )
        return
    if "" in row.cells[1:]:
        empty = row.cells[1:].index("") + 2
        yield f"{row.where}: column {empty} of {value} is empty. Name the group, or repeat the value."
        return
    previous = seen.setdefault(row.cells[0], row)
    if previous is not row:
        yield f"{row.where}: {value} {_contradiction(previous, row)}. Keep one row."
        return
    yield from _other_parents(row, parents)


def _columns(count: int) -> str:
    return f"{count} column" if count == 1 else f"{count} columns"


def _contradiction(first: Row, second: Row) -> str:
    """Say how two rows of one value differ, at the lowest level that differs."""
    for mine, other in zip(second.cells, first.cells, strict=True):
        if mine != other:
            here = second.quoted(mine) or " another here"
            return f"has two parents,{first.quoted(other) or ' one'} ({first.where}) and{here}"
    return f"is listed twice (first at {first.where})"


def _other_parents(row: Row, parents: dict[tuple[int, str], tuple[str, Row]]) -> Iterator[str]:
    for level in range(1, len(row.cells) - 1):
        label, parent = row.cells[level], row.cells[level + 1]
        known, first = parents.setdefault((level, label), (parent, row))
        if known != parent:
            what, here = (
                row.quoted(label) or f" what stands in column {level + 1}",
                row.quoted(parent) or " another here",
            )
            yield (
                f"{row.where}:{what} has two parents,{first.quoted(known) or ' one'} ({first.where}) and{here}. "
                "Give it one."
            )
            return


def _with_root(rows: list[tuple[str, ...]]) -> tuple[tuple[str, ...], ...]:
    complete = len(rows[0]) > 1 and all(row[-1] == ROOT for row in rows)
    return tuple(rows) if complete else tuple((*row, ROOT) for row in rows)


def _stretched(row: tuple[str, ...], height: int) -> tuple[str, ...]:
    """Repeat the value of a row until it has ``height`` levels."""
    return (row[0],) * (height + 1 - len(row)) + row


def _row(number: int, row: Sequence[object], where: str = "row") -> Row:
    if isinstance(row, str) or not isinstance(row, Iterable):
        raise HierarchyError(
            f"Row {number} of the taxonomy is {shortened(row)}. Give each row as a list: "
            "the value, its parent, its parent's parent, …."
        )
    return Row(f"{where} {number}", tuple(map(as_text, row)))


def _padded(paths: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Give all paths the same length by repeating the value below its parent, where generalizing it changes nothing."""
    depth = max((len(path) for path in paths), default=1)
    return [(path[0],) * (depth - len(path)) + path for path in paths]


def _paths(tree: Nested | Sequence[object], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the path from every value to the top of a nested dict."""
    if isinstance(tree, Mapping):
        for label, below in tree.items():
            yield from _paths(below, (as_text(label), *above)) if below else iter([(as_text(label), *above)])
    elif isinstance(tree, str) or not isinstance(tree, Sequence):
        raise HierarchyError(
            f"A nested taxonomy ends in lists of values, but under {shortened(above[0] if above else ROOT)} there is "
            f"{shortened(tree)}. Write it as a list."
        )
    else:
        for value in tree:
            if isinstance(value, Mapping):
                yield from _paths(value, above)
            else:
                yield (as_text(value), *above)
