"""Read an original and its release: one reader for attacks, utility, reports and certificates."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from sfumato.errors import ParameterError, SchemaError, no_column
from sfumato.io import Source, open_source
from sfumato.release.release import Release
from sfumato.run.presets import after_transformations, apply_preset
from sfumato.run.request import Request
from sfumato.run.transform import derived, repeated
from sfumato.table.schema import Declared, Schema


class Originals(NamedTuple):
    """The table that a release was made from.

    Attributes
    ----------
    read
        As it was read.
    changed
        As the release shows its people: changed by the transformations of the policy that need no secret.
    """

    read: pa.Table
    changed: pa.Table


def open_original(data: object, separator: str | None, policy: Request | None) -> Source:
    """Open the table that a release was made from, as its policy says."""
    given = {} if separator is None else {"separator": separator}
    return open_source(data, **{**({} if policy is None else policy.reading()), **given})


def read_original(
    data: object, schema: Schema, separator: str | None = None, policy: Request | None = None
) -> Originals:
    """Read the table that a release was made from, all columns; it must have those of the schema.

    Parameters
    ----------
    data, separator
        As in `anonymize`.
    schema
        The roles of its columns.
    policy
        How the release was made: the original is read, recoded by a preset and changed alike.
    """
    source = open_original(data, separator, policy)
    made = [] if policy is None else derived(policy, source.columns)
    source.check_names([name for name in schema.declared() if name not in made])
    if policy is None:
        schema.roles(source.columns)
        table = read_columns(source, schema.quasi_identifiers, source.columns)
        return Originals(table, table)
    schema.roles([*source.columns, *made])
    if policy.preset is not None:
        source, policy, _ = apply_preset(source, policy)
    as_text = [name for name in (*schema.read_as_text(), *policy.read_as_text()) if name in source.columns]
    table = source.read(source.columns, as_text, na=policy.na)
    changed = repeated(table, policy.transform)
    if policy.preset is not None and policy.transform:
        changed = after_transformations(source, changed, policy)
    return Originals(table, changed)


def refuse_swapped(caller: str, original: object, release: object) -> None:
    """Refuse a release in the place of the original."""
    if isinstance(original, Release) and not isinstance(release, Release):
        raise ParameterError(f"The original comes first: {caller}(original, release).")


def read_release(data: object, schema: Schema, separator: str | None) -> pa.Table:
    """Read all columns of a release, whatever made it; a quasi-identifier may be shown by its bounds."""
    if isinstance(data, Release):
        return data.table
    source = open_source(data, separator=separator)
    lacking = [name for name in schema.sensitive if name not in source.columns]
    if lacking:
        raise SchemaError(no_column(lacking, source.columns, "The release"))
    return read_columns(source, schema.quasi_identifiers, source.columns)


def read_columns(
    source: Source,
    hierarchies: Mapping[str, Declared],
    columns: Sequence[str],
    na: Mapping[str, Collection[str]] | None = None,
) -> pa.Table:
    """Read some columns, as text where the hierarchy of a quasi-identifier wants text; ``na`` means "no value"."""
    as_text = [name for name, how in hierarchies.items() if how is not None and how.reads_text]
    return source.read(columns, [name for name in as_text if name in columns], na=na)
