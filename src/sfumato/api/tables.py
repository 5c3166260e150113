"""Read an original and its release: one reader for attacks, utility, reports and certificates."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import pyarrow as pa

from sfumato.errors import SchemaError, listed
from sfumato.io import Source, open_source
from sfumato.release.release import Release
from sfumato.run.presets import recoded_original
from sfumato.table.schema import Declared, Schema


def read_original(data: object, schema: Schema, separator: str | None, release: Release | None = None) -> pa.Table:
    """Read the table that a release was made from, all columns; it must have those of the schema.

    Parameters
    ----------
    data, separator
        As in `anonymize`.
    schema
        The roles of its columns.
    release
        The release, whose preset may have recoded columns before anything else and whose policy may name values that
        mean "no value"; the original is read alike.
    """
    data = data if release is None else recoded_original(data, release.manifest, separator)
    source = open_source(data, separator=separator)
    source.check_names(schema.declared())
    schema.roles(source.columns)
    na = None if release is None else release.manifest.get("options", {}).get("na")
    return read_columns(source, schema.quasi_identifiers, source.columns, na)


def read_release(data: object, schema: Schema, separator: str | None) -> pa.Table:
    """Read all columns of a release, whatever made it; a quasi-identifier may be shown by its bounds."""
    if isinstance(data, Release):
        return data.table
    source = open_source(data, separator=separator)
    lacking = [name for name in schema.sensitive if name not in source.columns]
    if lacking:
        raise SchemaError(f"The release has no column {listed(lacking)}. Its columns are {listed(source.columns)}.")
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
