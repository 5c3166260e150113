"""Checking a table past memory: an engine groups and counts, wherever the table does not fit.

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
from sfumato.io.memory import allowed_memory, memory_to_anonymize
from sfumato.io.several_files import PartedSource
from sfumato.io.temporary import TemporaryFolder
from sfumato.run import pipeline
from sfumato.run.build import promise_of
from sfumato.run.large.choose import on_spark, start
from sfumato.run.large.engine import require_distinct_names
from sfumato.run.large.spark.session import OfFrame
from sfumato.run.pipeline import shown_as
from sfumato.run.prepare import with_populations
from sfumato.run.request import AUTO, Request
from sfumato.table.schema import Schema
from sfumato.verify.verification import Verification

#: Formats of files that can be checked without loading them.
FORMS = ("parquet", "csv", "jsonl", "json")

#: Endings of text, whose cells Spark does not show as they stand there.
TEXTS = {".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson"}


def check(data: object, request: Request) -> Verification:
    """Check a table in memory where it fits, else without loading it; where a cluster has it or is named, there."""
    if on_spark(data, request):
        return _by_spark(data, request)
    source = request.open(data)
    schema = request.schema
    names = [shown for name in schema.quasi_identifiers for shown in shown_as(name, source.columns)]
    columns = list(dict.fromkeys([*names, *schema.sensitive]))
    known = set(source.columns).issuperset(columns)
    if request.engine == "memory" or not known or (request.engine == AUTO and _fits(source, columns, request)):
        return pipeline.check(source, request)
    reason = _only_in_memory(request)
    if reason is not None:
        found = pipeline.check(source, request)
        return replace(found, notes=(*found.notes, f"Checked in memory, not by an engine: {reason}"))
    return _by_engine(source, names, columns, request)


def _only_in_memory(request: Request) -> str | None:
    """Say what of a request is checked in memory alone."""
    if request.schema.person is not None:
        return "people with several rows are counted there."
    if request.preset is not None:
        return "a preset looks at the values themselves."
    return None


def _by_engine(source: Source, names: Sequence[str], columns: Sequence[str], request: Request) -> Verification:
    """Let DuckDB group and count the rows, which nobody loads."""
    require_distinct_names(source.columns, "duckdb")
    promises = _promises(source, names, request)
    form, files = _files(source)
    # DuckDB is heavy to import, and most tables need none.
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


def _by_spark(data: object, request: Request) -> Verification:
    """Let a cluster group, count and judge the rows, which nobody loads."""
    reason = _only_in_memory(request)
    if reason is not None:
        raise ParameterError(f"Nothing of a table on Spark is loaded here, and {reason} Take engine='memory' for it.")
    if isinstance(data, str | os.PathLike | FileSource) and _is_text(data):
        raise SourceError(
            "Text is checked as it stands on paper, which Spark's own readers do not show. Check it with "
            "engine='duckdb' (on the command line --engine duckdb), which loads nothing either, or write it as Parquet."
        )
    # PySpark is heavy to import, and most tables need none.
    from sfumato.run.large.spark.groups import verified_by_spark  # noqa: PLC0415
    from sfumato.run.large.spark.rows import SparkRows  # noqa: PLC0415

    engine = start(request if request.engine != AUTO else replace(request, engine=OfFrame(data)))
    try:
        source = engine.source(data, request)
        assert isinstance(source, SparkSource)
        require_distinct_names(source.columns, engine.name)
        names = [shown for name in request.schema.quasi_identifiers for shown in shown_as(name, source.columns)]
        promises = _promises(source, names, request)
        return verified_by_spark(SparkRows(source.frame), names, request.schema.sensitive, promises)
    finally:
        engine.close()


def _is_text(data: str | os.PathLike[str] | FileSource) -> bool:
    name = PurePosixPath(data.path if isinstance(data, FileSource) else os.fspath(data))
    return any(ending.lower() in TEXTS for ending in name.suffixes)


def _promises(source: Source, names: Sequence[str], request: Request) -> list[dict[str, Any]]:
    """Return what is asked of a table, whose columns have to be there."""
    Schema(names, request.schema.sensitive, rest="drop").roles(source.columns)
    return [promise_of(model, request.schema) for model in with_populations(request).privacy]


def _files(source: Source) -> tuple[str, list[Path]]:
    """Return the files of a table that the verifier reads by itself, and how; else none, and how they come."""
    if isinstance(source, FileSource) and source.form in FORMS:
        return source.form, [source.path]
    if isinstance(source, PartedSource) and source.parquet_files:
        return "parquet", list(source.parquet_files)
    return "parquet", []


def _streamed(source: Source, columns: Sequence[str], path: Path) -> Path:
    """Write the rows of a table to one Parquet file, some at a time."""
    batches = source.batches(columns)
    first = next(batches, None)
    kinds = source.kinds(columns) if first is None else first.schema
    with explained(path.parent), pq.ParquetWriter(path, kinds, write_statistics=False) as writer:
        for batch in chain([] if first is None else [first], batches):
            writer.write_batch(batch)
    return path


def _fits(source: Source, columns: Sequence[str], request: Request) -> bool:
    needed = None if source.loaded else memory_to_anonymize(source, columns)
    return needed is None or needed <= allowed_memory(request.caller, request.memory)
