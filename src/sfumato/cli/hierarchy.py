"""``sfumato hierarchy``: a hierarchy spelled out value by value, to be edited by hand."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.cli.files import refuse_overwriting
from sfumato.cli.screen import say
from sfumato.cli.shorthand import hierarchy_of
from sfumato.errors import DataError
from sfumato.hierarchies import Domain, Taxonomy, default_hierarchy
from sfumato.io import check_writable, open_source


def run(table: Path, column: str, output: Path, separator: str | None) -> None:
    """Write the hierarchy of a column's values to a file."""
    name, _, how = column.partition("=")
    declared = hierarchy_of(how, column) if how else None
    refuse_overwriting({"output": output}, {"input": table})
    check_writable(output, table=False)
    source = open_source(table, separator=separator)
    values = source.read([name], as_text=[name] if declared is not None and declared.reads_text else []).column(0)
    distinct = _plain(pc.unique(values)).drop_null()
    if not len(distinct):
        raise DataError(f"Column '{name}' has no values, so there is nothing to generalize.")
    chosen = declared or default_hierarchy(distinct.type)
    taxonomy = spelled_out(chosen.fit(name, distinct, has_missing=False).domain)
    taxonomy.write(output)
    say(f"{len(taxonomy.rows):,} values in {taxonomy.height + 1} levels: {output}")
    say(f"Edit it, and use it with --hierarchy {name}={output}")


def spelled_out(domain: Domain) -> Taxonomy:
    """Return a hierarchy as one row per value."""
    columns = [level.labels.take(pa.array(level.groups)).to_pylist() for level in domain.levels]
    return Taxonomy.from_rows(list(zip(*columns, strict=True)))


def _plain(values: pa.Array) -> pa.Array:
    return values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
