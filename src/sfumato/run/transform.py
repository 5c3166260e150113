"""Sample, transform and pseudonymize the rows that were read, before they are encoded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.randomness import Secret
from sfumato.errors import DataError, SchemaError, did_you_mean, listed
from sfumato.run.request import Request
from sfumato.table.pseudonyms import rows_per_value
from sfumato.table.schema import Schema
from sfumato.table.transform_base import Transform, TransformContext


def derived(request: Request, columns: Sequence[str]) -> list[str]:
    """List the columns that transformations add; refuse those that the table already has."""
    names = [name for name, how in request.transform.items() if how.derives]
    clash = [name for name in names if name in columns]
    if clash:
        raise SchemaError(f"A transformation makes {listed(clash)}, which the table already has. Call it otherwise.")
    return names


def looked_at(request: Request, roles: Mapping[str, str], wanted: Sequence[str]) -> list[str]:
    """List the columns to read: the wanted ones, and those that others are computed from.

    Raises
    ------
    SchemaError
        If the table lacks a column, or its role does not fit its use.
    """
    made = derived(request, ())
    sources = [name for column, how in request.transform.items() for name in how.looks_at(column)]
    by = [] if request.sample is None or request.sample.by is None else [request.sample.by]
    learned = [name for name in request.schema.looked_at() if name not in made]
    lacking = [name for name in (*sources, *request.pseudonymize, *by, *learned) if name not in roles or name in made]
    if lacking:
        raise SchemaError(
            f"{listed(lacking)} is to be transformed, replaced, sampled by or learned from, but the table has no such "
            f"column. Its columns are {listed(name for name in roles if name not in made)}. "
            f"{did_you_mean(lacking[0], roles)}".rstrip()
        )
    _check_roles(request, roles)
    return list(dict.fromkeys([*wanted, *sources, *request.pseudonymize, *by, *learned]))


def _check_roles(request: Request, roles: Mapping[str, str]) -> None:
    wrong = [name for name in request.pseudonymize if roles[name] not in {"identifier", "person"}]
    if wrong:
        raise SchemaError(
            f"{listed(wrong)} is to be replaced by pseudonyms, but is no identifier. Declare it as one "
            "(identifiers=, on the command line --identifiers), or as the person."
        )
    unseen = [name for name in request.transform if roles[name] in {"identifier", "drop", "person"}]
    if unseen:
        raise SchemaError(f"{listed(unseen)} is transformed, but not released. Give it a role, or leave it as it is.")


def with_person(request: Request, table: pa.Table) -> Schema:
    """Make a pseudonymized column the person if several rows share a pseudonym.

    Readers can link the rows of one pseudonym, so models must count people instead of rows.
    """
    schema = request.schema
    several = [name for name in request.pseudonymize if rows_per_value(table.column(name)) > 1]
    if schema.person is not None or not several:
        return schema
    if len(several) > 1:
        raise SchemaError(
            f"Who is a person here? {listed(several)} are all released as pseudonyms that several rows share, and k of "
            f"one are not k of another. Say who is counted: person={several[0]!r} or another of them (on the command "
            "line --person)."
        )
    others = [name for name in schema.identifiers if name != several[0]]
    return replace(schema, identifiers=others, person=several[0])


def changed(table: pa.Table, request: Request, schema: Schema, secret: Secret) -> tuple[pa.Table, NDArray[np.int64]]:
    """Sample and change the rows as declared; return them and where they stand in the table."""
    drawn = np.arange(table.num_rows)
    if request.sample is not None:
        drawn = request.sample.rows(table, secret, schema.person)
        table = table.take(pa.array(drawn))
        if not len(drawn):
            raise DataError("The sample is empty: its share of this table is less than a row. Draw a larger one.")
    scene = TransformContext(table, secret, schema.person)
    made = {name: how.apply(name, scene) for name, how in request.transform.items()}
    made |= {name: how.apply(name, table.column(name), secret) for name, how in request.pseudonymize.items()}
    return _with_columns(table, made), drawn


def repeated(table: pa.Table, transforms: Mapping[str, Transform]) -> pa.Table:
    """Change a table as a release was changed, by those transformations that need no secret."""
    scene = TransformContext(table, Secret.of(None))
    return _with_columns(table, {name: how.apply(name, scene) for name, how in transforms.items() if not how.secret})


def _with_columns(table: pa.Table, made: Mapping[str, pa.ChunkedArray]) -> pa.Table:
    for name, cells in made.items():
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), name, cells)
        else:
            table = table.append_column(name, cells)
    return table
