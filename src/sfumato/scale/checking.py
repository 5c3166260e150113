"""Checking a table past memory: an engine groups and counts, wherever the table does not fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sfumato import pipeline
from sfumato.io import FileSource, Source
from sfumato.io.parts import PartedSource
from sfumato.pipeline.building import promise_of
from sfumato.pipeline.preparing import with_populations
from sfumato.pipeline.running import shown_as
from sfumato.request import AUTO, Request
from sfumato.scale.memory import allowed_memory, memory_to_anonymize
from sfumato.scale.temporary import TemporaryFolder
from sfumato.schema import Schema
from sfumato.verify.verification import Verification

#: Formats of files that can be checked without loading them.
FORMS = ("parquet", "csv")


def check(data: object, request: Request) -> Verification:
    """Check a table in memory where it fits, else file by file."""
    source = request.open(data)
    form, files = _files(source)
    # People with several rows are counted in memory, and so is what a preset looks for in the values themselves.
    schema = request.schema
    unable = not files or schema.person is not None or request.preset is not None
    names = [shown for name in schema.quasi_identifiers for shown in shown_as(name, source.columns)]
    known = set(source.columns).issuperset([*names, *schema.sensitive])
    fits = request.engine == AUTO and known and _fits(source, [*names, *schema.sensitive], request)
    if unable or fits or not known or request.engine == "memory":
        return pipeline.check(source, request)
    released = Schema(names, schema.sensitive, rest="drop")
    released.roles(source.columns)
    request = with_populations(request)
    promises = [promise_of(model, schema) for model in request.privacy]
    # DuckDB is heavy to import, and most tables need none.
    from sfumato.verify.grouped_files import check_files  # noqa: PLC0415

    with TemporaryFolder(request.temporary) as folder:
        found = check_files(
            files,
            form,
            names,
            released.sensitive,
            promises,
            folder=folder.path,
            memory=allowed_memory(request.caller, request.memory),
            separator=getattr(source, "separator", ","),
        )
    source.check_unchanged()
    return replace(found, notes=(*map(str, source.remarks), *found.notes))


def _files(source: Source) -> tuple[str, list[Path]]:
    """Return the files of a table, and how they are read; none where they are no plain files of one format."""
    if isinstance(source, FileSource) and source.form in FORMS:
        return source.form, [source.path]
    if isinstance(source, PartedSource) and source.parquet_files:
        return "parquet", list(source.parquet_files)
    return "", []


def _fits(source: Source, columns: Sequence[str], request: Request) -> bool:
    needed = memory_to_anonymize(source, columns)
    return needed is None or needed <= allowed_memory(request.caller, request.memory)
