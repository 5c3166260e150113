"""What guardrails need of a table besides what is released: the columns that never leave, as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions import (
    CODES,
    Caution,
    RequestView,
    check_confirmed,
    look_before,
    refuse,
    with_confirmations,
)
from sfumato.assess.cautions.registry import look_after
from sfumato.assess.cautions.view import ReleaseView
from sfumato.common.progress import Tell
from sfumato.errors import DataError, SchemaError, listed
from sfumato.io import FileSource, Source
from sfumato.io.missing import EVERY_COLUMN
from sfumato.io.several_files import PartedSource
from sfumato.run.request import Request
from sfumato.table.encoding import distinct
from sfumato.table.schema import Schema
from sfumato.verify.verification import Verification

#: What pandas calls a column without a name, and an index that it wrote into a Parquet file.
UNNAMED = re.compile(r"Unnamed: \d+|__index_level_\d+__")
#: Words in the name of a column that is dropped without being called an identifier, though it may name people.
NAMES_PEOPLE = re.compile(
    r"(^|[^a-z])(id|ids|ssn|patient|person|customer|client|user|member|employee|passenger|subject|participant|respondent|"
    r"student|name|email|mail|phone|mrn|nhs|account)($|[^a-z])"
)


def check_names(request: Request, columns: Sequence[str]) -> None:
    """Refuse confirmations and missing values of columns that the table does not have."""
    check_confirmed(request.confirm, columns, CODES)
    unknown = [name for name in request.na if name not in columns and name != EVERY_COLUMN]
    if unknown:
        raise SchemaError(
            f"'na' names {listed(unknown)}, which the table does not have. Its columns are {listed(columns)}."
        )


def as_preset_wants(source: Source, request: Request) -> tuple[Source, Request, dict[str, Any]]:
    """Return a table and a request as the preset wants them, and what it did for the manifest."""
    if request.preset is None:
        return source, request, {}
    from sfumato.run.presets import adapted  # noqa: PLC0415

    rules = request.rules
    found = adapted(rules, source, request.schema, request.confirm, request.na)
    told = {"name": rules.name, "title": rules.title, "dropped": dict(found.dropped), "recoded": dict(found.recoded)}
    return found.source, replace(request, schema=found.schema), {"preset": told}


def with_preset(result: Verification, source: Source, request: Request) -> Verification:
    """Return a verification with what a table still shows that the preset forbids."""
    if request.preset is None:
        return result
    from sfumato.run.presets import left_over  # noqa: PLC0415

    return replace(result, checks=(*result.checks, *left_over(request.rules, source, request.confirm)))


def row_numbers(source: Source, schema: Schema) -> tuple[str, ...]:
    """Return the unnamed columns without a role that only number the rows, or hold nothing."""
    unnamed = _unnamed(source, schema)
    return tuple(name for name in unnamed if numbers_rows(source.read([name]).column(0)) or name.startswith("__index"))


def row_numbers_by_batches(source: Source, schema: Schema) -> tuple[str, ...]:
    """Return the same of files that do not fit in memory; what can be read only once is not looked at."""
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
    """Return whether a column is 0, 1, 2, … or 1, 2, 3, … from top to bottom, or holds nothing at all.

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


def naming_columns(roles: Mapping[str, str], skipped: Sequence[str]) -> list[str]:
    """Return the columns that are dropped and may name people."""
    dropped = {name: role for name, role in roles.items() if role in {"identifier", "drop"} and name not in skipped}
    return [name for name, role in dropped.items() if role == "identifier" or NAMES_PEOPLE.search(name.lower())]


def read_with(source: Source, wanted: Sequence[str], naming: Sequence[str], request: Request, tell: Tell) -> pa.Table:
    """Read the wanted columns, and beside them those that name people as far as they can be read at all."""
    as_text = request.read_as_text()
    if naming:
        with suppress(DataError):  # of some type that has no place in a release, where it is not going to be
            return source.read([*wanted, *naming], as_text, tell, request.na)
    table = source.read(wanted, as_text, tell, request.na)
    for name in naming:
        with suppress(DataError):
            table = table.append_column(name, source.read([name]).column(0))
    return table


def identifier_codes(table: pa.Table, naming: Sequence[str]) -> dict[str, NDArray[np.integer]]:
    """Return for every row a number in place of what names somebody: the names themselves go no further."""
    codes: dict[str, NDArray[np.integer]] = {}
    for name in naming:
        if name in table.column_names:
            with suppress(DataError):
                codes[name] = distinct(name, table.column(name))[1]
    return codes


def cautions_before(view: RequestView, request: Request) -> tuple[Caution, ...]:
    """Look at a request, and stop it if it is careless."""
    cautions = with_confirmations(look_before(view), request.confirm)
    refuse(cautions, strict=False)
    return cautions


def cautions_after(view: ReleaseView, request: Request, before: Sequence[Caution]) -> tuple[Caution, ...]:
    """Look at what a method made; with what was said before, stop a release if it is to be strict."""
    cautions = with_confirmations([*before, *look_after(view)], request.confirm)
    refuse(cautions, request.strict)
    return cautions
