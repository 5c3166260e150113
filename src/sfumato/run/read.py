"""Read the columns of a table that a request needs, and change them as it declares."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.meaning.words import says_person
from sfumato.common.progress import Progress, Tell, silent, stage
from sfumato.common.randomness import Secret
from sfumato.errors import DataError
from sfumato.io import FileSource, Source, open_source
from sfumato.io.several_files import PartedSource
from sfumato.privacy import PrivacyModel
from sfumato.privacy.population import PopulationModel
from sfumato.run import transform
from sfumato.run.request import Request
from sfumato.table.schema import Schema

#: The roles of the columns that are read.
READ = {"quasi-identifier", "sensitive", "plain", "person", "weight"}

#: The names that pandas gives to a column without one, and to an index that it writes into a Parquet file.
UNNAMED = re.compile(r"Unnamed:[ _]\d+|__index_level_\d+__")

#: Words in the name of a column that is dropped without being declared an identifier, though it may name people.
NAMES_PEOPLE = re.compile(
    r"(^|[^a-z])(id|ids|ssn|patient|person|customer|client|user|member|employee|passenger|subject|participant|respondent|"
    r"student|name|email|mail|phone|mrn|nhs|account)($|[^a-z])"
)


class OpenTable(NamedTuple):
    """A table whose columns are known, and the request as the preset and the populations make it.

    Attributes
    ----------
    source, request
        The table and the request.
    preset
        What the preset did to both, for the manifest.
    """

    source: Source
    request: Request
    preset: Mapping[str, Any]


def open_table(data: object, request: Request) -> OpenTable:
    """Open a table, apply the preset, and read the populations that models are about."""
    source = request.open(data)
    done: dict[str, Any] = {}
    if request.preset is not None:
        from sfumato.run.presets import apply_preset  # noqa: PLC0415

        source, request, done = apply_preset(source, request)
    return OpenTable(source, with_populations(request, source), done)


def with_populations(request: Request, source: Source | None = None) -> Request:
    """Read the populations that models are about, with the columns recoded that a preset recodes in the table."""
    about = [model for model in request.privacy if isinstance(model, PopulationModel) and model.by_table]
    if not about:
        return request
    from sfumato.run.presets import recoded_like  # noqa: PLC0415

    names, as_text = list(request.schema.quasi_identifiers), request.schema.read_as_text()

    def read(model: PrivacyModel) -> PrivacyModel:
        if not isinstance(model, PopulationModel) or not model.by_table:
            return model
        people = recoded_like(source, open_source(model.population, separator=request.separator))
        return replace(model, population=people.read(names, as_text))

    return replace(request, privacy=tuple(read(model) for model in request.privacy))


@dataclass(frozen=True)
class TableRead:
    """The rows of a table that take part, before they are encoded.

    Attributes
    ----------
    source
        The table as it was opened.
    table
        The columns that were read, changed as declared.
    rows
        Where each row of ``table`` stands in the source.
    schema
        The roles; a pseudonym that several rows share makes its column the person.
    roles
        The role of every column of the table.
    secret
        The source of all random choices of this release.
    identifiers
        The dropped columns that may name people.
    row_numbers
        The unnamed columns that were dropped, since they only number the rows.
    drawn_from
        The number of rows of the source, if only some of them were drawn; None without a sample.
    """

    source: Source
    table: pa.Table = field(repr=False)
    rows: NDArray[np.int64] = field(repr=False)
    schema: Schema
    roles: dict[str, str]
    secret: Secret
    identifiers: Sequence[str] = ()
    row_numbers: tuple[str, ...] = ()
    drawn_from: int | None = None


def read_table(source: Source, request: Request, progress: Progress = silent) -> TableRead:
    """Read the columns that the request needs, draw the sample, and apply the transformations."""
    columns = [*source.columns, *(transform.derived(request, source.columns) if request.transform else ())]
    request.check_columns(columns)
    row_numbers = numbering_columns(source, request.schema)
    source.check_names([name for name in request.schema.declared() if name not in columns])
    roles = request.schema.with_identifiers(row_numbers).roles(columns)
    naming = _naming_columns(roles, row_numbers) if request.schema.person is None else []
    stored = frozenset(source.columns)
    wanted = [name for name, role in roles.items() if role in READ and name in stored]
    if request.changes_rows or request.schema.looked_at():
        wanted = transform.looked_at(request, roles, wanted)
    table = _read_beside(source, wanted, naming, request, stage(progress, "reading"))
    if not table.num_rows:
        raise DataError("The table has no rows, so there is nobody to protect and nothing to release.")
    schema = transform.with_person(request, table) if request.pseudonymize else request.schema
    roles |= {} if schema.person is None else {schema.person: "person"}
    secret, rows = Secret.of(request.seed), np.arange(table.num_rows)
    drawn_from = None if request.sample is None else table.num_rows
    if request.changes_rows:
        table, rows = transform.changed(table, request, schema, secret)
    if request.preset is not None and request.transform:
        from sfumato.run.presets import after_transformations  # noqa: PLC0415

        table = after_transformations(source, table, request)
    return TableRead(source, table, rows, schema, roles, secret, naming, row_numbers, drawn_from)


def numbering_columns(source: Source, schema: Schema) -> tuple[str, ...]:
    """The unnamed columns without a role that only number the rows, or hold nothing."""
    unnamed = _unnamed(source, schema)
    return tuple(name for name in unnamed if numbers_rows(source.read([name]).column(0)) or name.startswith("__index"))


def numbering_columns_by_batches(source: Source, schema: Schema) -> tuple[str, ...]:
    """The same for files that do not fit in memory; a source that can be read only once is not searched."""
    if not isinstance(source, FileSource | PartedSource):
        return ()
    return tuple(
        name
        for name in _unnamed(source, schema)
        if name.startswith("__index") or _count_up(batch.column(0) for batch in source.batches([name]))
    )


def _unnamed(source: Source, schema: Schema) -> list[str]:
    return [name for name in source.columns if UNNAMED.fullmatch(name) and name not in schema.declared()]


def numbers_rows(column: pa.ChunkedArray) -> bool:
    """Whether a column is 0, 1, 2, … or 1, 2, 3, … from top to bottom, or holds nothing at all.

    >>> [numbers_rows(pa.chunked_array([cells])) for cells in ([0, 1, 2], [1, 2, 3], [None], [2, 1], ["a"])]
    [True, True, True, False, False]
    """
    return _count_up(column.chunks)


def _count_up(chunks: Iterable[pa.Array]) -> bool:
    first, seen, missing = None, 0, 0
    for chunk in chunks:
        missing += chunk.null_count
        seen += len(chunk)
        if missing == seen:
            continue
        if missing or not pa.types.is_integer(chunk.type):
            return False
        first = chunk[0].as_py() if first is None else first
        begin = first + seen - len(chunk)
        if first not in (0, 1) or not (chunk.to_numpy() == np.arange(begin, begin + len(chunk))).all():
            return False
    return True


def _naming_columns(roles: Mapping[str, str], skipped: Sequence[str]) -> list[str]:
    """The columns that are dropped and may name people."""
    dropped = {name: role for name, role in roles.items() if role in {"identifier", "drop"} and name not in skipped}
    return [name for name, role in dropped.items() if role == "identifier" or _may_name_people(name)]


def _may_name_people(name: str) -> bool:
    return says_person(name) or NAMES_PEOPLE.search(name.lower()) is not None


def _read_beside(
    source: Source, wanted: Sequence[str], naming: Sequence[str], request: Request, tell: Tell
) -> pa.Table:
    """Read the wanted columns, and beside them those that name people, as far as these can be read at all."""
    as_text = request.read_as_text()
    if naming:
        with suppress(DataError):  # A dropped column may have a type that no release could show.
            return source.read([*wanted, *naming], as_text, tell, request.na)
    table = source.read(wanted, as_text, tell, request.na)
    for name in naming:
        with suppress(DataError):
            table = table.append_column(name, source.read([name]).column(0))
    return table
