"""Check a table that does not fit in memory: an engine groups and counts.

Parquet and text are read by the verifier itself. Any other table (a relation, a lazy frame, a stream, a database) goes
row by row into a Parquet file of the temporary folder first, which the verifier then reads.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow.parquet as pq

from sfumato.errors import ParameterError, SourceError
from sfumato.io import FileSource, Source, SparkSource
from sfumato.io.atomic import explained
from sfumato.io.memory import allowed_memory
from sfumato.io.several_files import PartedSource
from sfumato.io.temporary import TemporaryFolder
from sfumato.run.build import promise_of
from sfumato.run.check import columns_shown
from sfumato.run.large.choose import start
from sfumato.run.large.engine import require_distinct_names
from sfumato.run.large.spark.session import OfFrame
from sfumato.run.read import with_populations
from sfumato.run.request import AUTO, Request
from sfumato.table.schema import Schema
from sfumato.verify.verification import Verification

#: Formats of files that can be checked without loading them.
FORMS = ("parquet", "csv", "jsonl", "json")

#: Suffixes of text files: Spark does not return their cells exactly as written.
TEXTS = {".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson"}


def check_by_engine(source: Source, names: Sequence[str], columns: Sequence[str], request: Request) -> Verification:
    """Let DuckDB group and count the rows, without loading them."""
    require_distinct_names(source.columns, "duckdb")
    promises = _promises(source, names, request)
    form, files = _files(source)
    # DuckDB takes long to import, and most tables do without.
    from sfumato.verify.grouped_files import check_files  # noqa: PLC0415

    with TemporaryFolder(request.temporary) as folder:
        found = check_files(
            files or [_streamed(source, columns, folder.path / "table.parquet")],
            form,
            names,
            request.schema.sensitive,
            promises,
            folder=folder.path,
            memory=allowed_memory(request.caller, request.memory),
            separator=getattr(source, "separator", ","),
        )
    source.check_unchanged()
    return replace(found, notes=(*map(str, source.remarks), *found.notes))


def check_on_spark(data: object, request: Request, reason: str | None) -> Verification:
    """Let a cluster group, count and judge the rows, which are not loaded here; ``reason`` says why it cannot."""
    if reason is not None:
        raise ParameterError(f"Nothing of a table on Spark is loaded here, and {reason} Take engine='memory' for it.")
    if isinstance(data, str | os.PathLike | FileSource) and _is_text(data):
        raise SourceError(
            "Text is checked as it stands on paper, which Spark's own readers do not show. Check it with "
            "engine='duckdb' (on the command line --engine duckdb), which loads nothing either, or write it as Parquet."
        )
    # PySpark takes long to import, and most tables do without.
    from sfumato.run.large.spark.groups import verified_by_spark  # noqa: PLC0415
    from sfumato.run.large.spark.rows import SparkRows  # noqa: PLC0415

    engine = start(request if request.engine != AUTO else replace(request, engine=OfFrame(data)))
    try:
        source = engine.source(data, request)
        assert isinstance(source, SparkSource)
        require_distinct_names(source.columns, engine.name)
        names = columns_shown(request.schema, source.columns)
        promises = _promises(source, names, request)
        return verified_by_spark(SparkRows(source.frame), names, request.schema.sensitive, promises)
    finally:
        engine.close()


def _is_text(data: str | os.PathLike[str] | FileSource) -> bool:
    name = PurePosixPath(data.path if isinstance(data, FileSource) else os.fspath(data))
    return any(ending.lower() in TEXTS for ending in name.suffixes)


def _promises(source: Source, names: Sequence[str], request: Request) -> list[dict[str, Any]]:
    """What the request promises about a table; columns that the table lacks are refused."""
    Schema(names, request.schema.sensitive, rest="drop").roles(source.columns)
    return [promise_of(model, request.schema) for model in with_populations(request).privacy]


def _files(source: Source) -> tuple[str, list[Path]]:
    """The files of a table and their format if the verifier can read them itself, else no files."""
    if isinstance(source, FileSource) and source.form in FORMS:
        return source.form, [source.path]
    if isinstance(source, PartedSource) and source.parquet_files:
        return "parquet", list(source.parquet_files)
    return "parquet", []


def _streamed(source: Source, columns: Sequence[str], path: Path) -> Path:
    """Stream the rows of a table to one Parquet file."""
    batches = source.batches(columns)
    first = next(batches, None)
    kinds = source.kinds(columns) if first is None else first.schema
    with explained(path.parent), pq.ParquetWriter(path, kinds, write_statistics=False) as writer:
        for batch in chain([] if first is None else [first], batches):
            writer.write_batch(batch)
    return path
