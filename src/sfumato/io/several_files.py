"""Tables in several files: a list of files, all files that match a pattern, or a folder of Parquet files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from sfumato.common.progress import Tell, silent
from sfumato.errors import SourceError, listed
from sfumato.io.columns import is_text, packed, unified
from sfumato.io.files import shown
from sfumato.io.found_files import copies, found_files
from sfumato.io.open import open_file
from sfumato.io.parquet import ParquetSource
from sfumato.io.source import FileOptions, Source, TableSize, without_nulls


@dataclass(frozen=True)
class Part:
    """One file, with the columns that the names of its folders hold: ``year=2024/part-0.parquet``."""

    source: Source
    path: Path
    folders: Mapping[str, str | None] = field(default_factory=dict)


class PartedSource(Source):
    """Files that are parts of one table, with the same columns of the same kinds."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = parts
        first = parts[0]
        self.kind = first.source.kind
        self._folders = tuple(first.folders)
        twice = [name for name in self._folders if name in first.source.columns]
        if twice:
            raise SourceError(f"{shown(first.path)} has the column {listed(twice)}, and so have its folders. Drop one.")
        for part in parts[1:]:
            _check_same_columns(first, part)
        self.columns = (*first.source.columns, *self._folders)
        for part in parts:
            for remark in part.source.remarks:
                self.remark(remark.found, remark.advice, *remark.columns, severity=remark.severity)

    @property
    def parquet_files(self) -> tuple[Path, ...]:
        sources = [part.source for part in self.parts]
        if self._folders or not all(isinstance(source, ParquetSource) for source in sources):
            return ()
        # Files in which a column has different types must be reconciled, which `batches` does.
        kinds = {tuple(sorted(cast("ParquetSource", source).types.items())) for source in sources}
        return tuple(part.path for part in self.parts) if len(kinds) == 1 else ()

    def read(
        self,
        columns: Sequence[str],
        as_text: Collection[str] = (),
        tell: Tell = silent,
        na: Mapping[str, Collection[str]] | None = None,
    ) -> pa.Table:
        self._require(columns)
        self._require(as_text)
        if not columns:
            return pa.table({})
        tables = []
        for at, part in enumerate(self.parts, start=1):
            tables.append(self._part(part, columns, as_text, na))
            tell(at / len(self.parts))
        return pa.table({name: self._joined(name, [table.column(name) for table in tables]) for name in columns})

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        return self.read(columns, as_text, tell)

    def _part(
        self,
        part: Part,
        columns: Sequence[str],
        as_text: Collection[str],
        na: Mapping[str, Collection[str]] | None,
    ) -> pa.Table:
        own = [name for name in columns if name not in self._folders]
        # If only folder columns are asked for, some other column must be read for the number of rows.
        read = own or list(part.source.columns[:1])
        table = part.source.read(read, [name for name in as_text if name in own], na=na)
        by_folder = {name: _repeated(part.folders[name], table.num_rows) for name in columns if name in self._folders}
        return pa.table({name: by_folder[name] if name in by_folder else table.column(name) for name in columns})

    def _joined(self, name: str, pieces: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
        """Join the pieces of a column; the error for incompatible types names the files."""
        filled = [
            (part, piece) for part, piece in zip(self.parts, pieces, strict=True) if piece.null_count < len(piece)
        ]
        if not filled:
            kind = next((piece.type for piece in pieces if not pa.types.is_null(piece.type)), pa.null())
            return pa.chunked_array([pa.nulls(sum(map(len, pieces)), kind)])
        kind = self._agreed(name, [(part, piece.type) for part, piece in filled])
        if is_text(kind):
            return _joined_text(pieces)
        cast = [
            _cast(name, part, one, kind) if one.null_count < len(one) else pa.chunked_array([pa.nulls(len(one), kind)])
            for part, one in zip(self.parts, pieces, strict=True)
        ]
        return pa.chunked_array([chunk for one in cast for chunk in one.chunks], kind)

    def _agreed(self, name: str, kinds: Sequence[tuple[Part, pa.DataType]]) -> pa.DataType:
        """Find a common type of a column; the error for incompatible types names the files."""
        (first, kind), *others = kinds
        for part, other in others:
            if _family(other) != _family(kind):
                raise SourceError(
                    f"Column '{name}' is {_family(kind)} in {shown(first.path)} and {_family(other)} in "
                    f"{shown(part.path)}. Make it one kind in all files; if a word stands for no value, name it (na=, "
                    "on the command line --na)."
                )
        return pa.string() if _family(kind) == "text" else _common([kind for _, kind in kinds])

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        own = [name for name in columns if name not in self._folders]
        by_part = [(part, part.source.kinds(own, [one for one in as_text if one in own], na)) for part in self.parts]
        agreed = {}
        for name in own:
            known = [(part, kinds.field(name).type) for part, kinds in by_part]
            agreed[name] = self._agreed(name, [one for one in known if not pa.types.is_null(one[1])] or known)
        return pa.schema([(name, agreed.get(name, pa.string())) for name in columns])

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        kinds = without_nulls(self.kinds(columns, as_text, na))
        own = [name for name in columns if name not in self._folders]
        for part in self.parts:
            read = own or list(part.source.columns[:1])
            for batch in part.source.batches(read, [one for one in as_text if one in own], na):
                pieces = [
                    pa.repeat(pa.scalar(part.folders[field.name], pa.string()), batch.num_rows)
                    if field.name in self._folders
                    else _cast(field.name, part, batch.column(field.name), field.type)
                    for field in kinds
                ]
                yield pa.RecordBatch.from_arrays(pieces, schema=kinds)

    def extent(self, columns: Sequence[str]) -> TableSize | None:
        """Add up the sizes of the files."""
        own = [name for name in columns if name not in self._folders]
        extents = [part.source.extent(own) for part in self.parts]
        known = [extent for extent in extents if extent is not None]
        if len(known) < len(extents):
            return None
        return TableSize(sum(one.rows for one in known), sum(one.text_bytes for one in known))

    def check_unchanged(self) -> None:
        for part in self.parts:
            part.source.check_unchanged()

    def to_native(self, table: pa.Table) -> object:
        return self.parts[0].source.to_native(table)


def open_files(paths: Sequence[str | os.PathLike[str]], options: FileOptions) -> Source:
    """Open files, patterns and folders as one table."""
    parts = [Part(open_file(path, options), path, folders) for path, folders in found_files(paths)]
    if len(parts) == 1 and not parts[0].folders:
        return parts[0].source
    source = PartedSource(parts)
    for earlier, path in copies([part.path for part in parts if _holds_rows(part)]):
        source.remark(
            f"{shown(path)} is a copy of {shown(earlier)}, byte by byte: everyone in it is counted twice.",
            "Leave one of them out, unless they are about different people.",
            severity="warning",
        )
    return source


def _holds_rows(part: Part) -> bool:
    """Whether a file may hold rows; clusters write many that are empty."""
    extent = part.source.extent(part.source.columns[:1])
    return extent is None or extent.rows > 0


def _check_same_columns(first: Part, other: Part) -> None:
    mine, its = {*first.source.columns, *first.folders}, {*other.source.columns, *other.folders}
    if mine != its:
        without, having = (first, other) if its - mine else (other, first)
        raise SourceError(
            f"{shown(having.path)} has the column {listed(sorted(its - mine or mine - its))}, but "
            f"{shown(without.path)} has not. Parts of one table have the same columns: correct them, or read them one "
            "by one."
        )


def _family(kind: pa.DataType) -> str:
    """The kind of a type, on which all files must agree."""
    if is_text(kind) or pa.types.is_dictionary(kind):
        return "text"
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return "a number"
    if pa.types.is_timestamp(kind):
        return "a time" if kind.tz is None else "a time with a zone"
    return "a date" if pa.types.is_date(kind) else str(kind)


def _common(kinds: Sequence[pa.DataType]) -> pa.DataType:
    """The widest of types of one kind."""
    if len(set(kinds)) == 1:
        return kinds[0]
    if all(pa.types.is_integer(kind) for kind in kinds):
        return pa.int64()
    if all(pa.types.is_timestamp(kind) for kind in kinds):
        return (
            pa.timestamp("ns", kinds[0].tz)
            if any(kind.unit == "ns" for kind in kinds)
            else pa.timestamp("us", kinds[0].tz)
        )
    return pa.date32() if all(pa.types.is_date(kind) for kind in kinds) else pa.float64()


def _cast(name: str, part: Part, column: Any, kind: pa.DataType) -> Any:
    """Cast a column of one file to the common type; an error if a value does not fit."""
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        raise SourceError(
            f"Column '{name}' is of type {column.type} in {shown(part.path)}, and not all of its values fit in "
            f"{kind}, which the other files need. Write it as one type in all files."
        ) from None


def _joined_text(pieces: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    coded = []
    for piece in pieces:
        plain = piece if pa.types.is_dictionary(piece.type) else piece.cast(pa.string()).dictionary_encode()
        coded += plain.chunks
    return packed(unified(coded))


def _repeated(value: str | None, rows: int) -> pa.ChunkedArray:
    values = pa.array([] if value is None else [value], pa.string())
    indices = pa.nulls(rows, pa.int32()) if value is None else pa.repeat(pa.scalar(0, pa.int32()), rows)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, values)])
