"""JSON lines, read and written, and JSON files that hold one array of objects, which are read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell
from sfumato.common.threads import in_order
from sfumato.errors import SchemaError, SourceError
from sfumato.io.files import (
    PACKING_ERRORS,
    QueriedSource,
    opened,
    query_errors,
    session,
    shown,
)
from sfumato.io.lines import joined, joined_lines, slices, text_cells, text_scalar, write_chunks
from sfumato.io.source import checked_names
from sfumato.io.sql import identifier, literal, literal_path

# The types of DuckDB that are kept. All others are read as text, in which dates are found afterwards, so that a column
# asked for as text is exactly the text of the file.
_KEPT = re.compile(r"BOOLEAN|U?BIGINT|HUGEINT|DOUBLE|STRUCT.*|MAP.*|.*\[\d*\]", re.DOTALL)

#: Characters that some program reads as the end of a line, and their JSON escapes.
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


class JsonSource(QueriedSource):
    """A file of JSON objects, one per row; a key is a column."""

    kind = "jsonl"
    _digits_count = False

    def __init__(self, path: Path, lines: bool) -> None:
        super().__init__(path)
        self._lines = lines
        self.form = "jsonl" if lines else "json"
        try:
            with session() as connection:
                self._types = self._detected(connection)
        except query_errors() as error:
            raise self._explained(error) from None
        self.columns = checked_names(self._types)

    def _detected(self, connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
        scan = self._scan("sample_size=-1, map_inference_threshold=-1")
        relation = connection.sql(f"FROM {scan}")
        names = list(relation.columns)
        doubtful = [name for name in names if _may_be_renamed(name, names)]
        if doubtful:
            self._refuse_renamed(connection, doubtful)
        return {
            name: str(kind) if _KEPT.fullmatch(str(kind)) else "VARCHAR"
            for name, kind in zip(names, relation.types, strict=True)
        }

    def _refuse_renamed(self, connection: duckdb.DuckDBPyConnection, doubtful: Sequence[str]) -> None:
        objects = f"read_json({literal_path(self.path)}, format='{self._format}', records=false, columns={{o: 'JSON'}})"
        keys = connection.sql(f"SELECT DISTINCT unnest(json_keys(o)) FROM {objects}").fetchall()
        renamed = [name for name in doubtful if (name,) not in keys]
        if renamed:
            name = renamed[0].rpartition("_")[0]
            raise SchemaError(f"{shown(self.path)} has keys that differ from '{name}' only in case. Rename them.")

    @property
    def _format(self) -> str:
        return "newline_delimited" if self._lines else "auto"

    def _scan(self, options: str) -> str:
        return f"read_json({literal_path(self.path)}, format='{self._format}', records=true, {options})"

    def _query(self, columns: Sequence[str], as_text: frozenset[str]) -> str:
        kinds = {name: "VARCHAR" if name in as_text else self._types[name] for name in columns}
        struct = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in kinds.items())
        scan = self._scan(f"columns={{{struct}}}")
        return f"SELECT {', '.join(identifier(name) for name in columns)} FROM {scan}"

    def _explained(self, error: Exception) -> SourceError:
        line = self._first_bad_line() if self._lines else None
        where = f" In line {line} it is not." if line else ""
        return SourceError(
            f"{shown(self.path)} must hold {'one JSON object per line' if self._lines else 'JSON objects'}, "
            f"in UTF-8, each key once.{where} Correct it, or give it the ending of what it is."
        )

    def _first_bad_line(self) -> int | None:
        """Find the line ourselves: DuckDB counts lines differently from version to version."""
        with suppress(*PACKING_ERRORS), opened(self.path) as file:
            for number, line in enumerate(file, start=1):
                if line.strip() and not _is_object(line):
                    return number
        return None


def _may_be_renamed(name: str, names: Sequence[str]) -> bool:
    # DuckDB renames a key "A" to "A_1" if there is an "a".
    stem = name.rpartition("_")[0].casefold()
    return bool(re.search(r"_\d+$", name)) and any(stem == other.casefold() for other in names)


def _is_object(line: bytes) -> bool:
    try:
        pairs = json.loads(line.decode(), object_pairs_hook=lambda pairs: pairs)
    except (ValueError, RecursionError):
        return False
    return isinstance(pairs, list) and line.lstrip()[:1] == b"{" and len(dict(pairs)) == len(pairs)


# Writing


def write_jsonl(table: pa.Table, path: Path, tell: Tell) -> None:
    """Write a table as JSON lines."""
    write_chunks(path, jsonl_chunks(table), table.num_rows, tell)


def jsonl_chunks(table: pa.Table) -> Iterator[pa.Buffer]:
    """Render a table as one JSON object per line: numbers and booleans as such, all else as text.

    A missing value is ``null``. JSON has no infinite numbers, so they are texts, ``"inf"`` or ``"-inf"``.
    """
    keys = [("," if place else "{") + _string(name) + ":" for place, name in enumerate(table.column_names)]

    def rendered(chunk: pa.Table) -> pa.Buffer:
        parts = []
        for key, column in zip(keys, chunk.columns, strict=True):
            cells = _infinite_quoted(text_cells(column, _strings), column.type)
            parts += [text_scalar(key), pc.fill_null(cells, text_scalar("null"))]
        return joined_lines([*parts, text_scalar("}")], "")

    yield from in_order(rendered, slices(table))


def _infinite_quoted(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    if not pa.types.is_floating(kind):
        return cells
    return pc.if_else(pc.match_substring(cells, "inf"), joined('"', cells, '"'), cells)


def _strings(values: pa.Array) -> pa.Array:
    return pa.array([_string(value) for value in values.to_pylist()], pa.large_string())


def _string(value: str) -> str:
    """Write a text as JSON, without any character that some program reads as the end of a line."""
    quoted = json.dumps(value, ensure_ascii=False)
    for end, escape in _LINE_ENDS.items():
        quoted = quoted.replace(end, escape)
    return quoted
