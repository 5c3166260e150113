"""Decide where a request runs: in memory, or by an engine that holds the rows."""

from __future__ import annotations

import sys
from pathlib import Path

from sfumato.errors import ParameterError
from sfumato.io import Source
from sfumato.io.memory import allowed_memory, memory_to_anonymize
from sfumato.io.write import names_folder, refuse_other_than_parquet
from sfumato.run.request import AUTO, Request


def in_memory(data: object, request: Request) -> bool:
    """Whether the work is done in memory: the request asks for it, or leaves it open and the table fits."""
    if request.engine != AUTO:
        return request.engine == "memory"
    return not is_spark_frame(data) and _fits(data, request)


def on_spark(data: object, request: Request) -> bool:
    """Whether a Spark cluster does the work: the one that the request names, or the one that holds the frame."""
    return is_spark_frame(data) if request.engine == AUTO else request.engine not in ("memory", "duckdb")


def is_spark_frame(data: object) -> bool:
    """Whether ``data`` is a Spark frame; Spark is not imported to find out."""
    module = sys.modules.get("pyspark.sql.dataframe") or sys.modules.get("pyspark.sql")
    return module is not None and isinstance(data, module.DataFrame)


def opened(data: object, request: Request) -> object:
    """Open the table once if its size decides where the work is done; an engine opens its table itself."""
    return request.open(data) if request.engine == AUTO and not is_spark_frame(data) else data


def _fits(data: object, request: Request) -> bool:
    """Whether the table can be anonymized in memory, as frames and sources of unknown size always are."""
    source = request.open(data)
    if not needs_more(source, source.columns, request):
        return True
    if request.memory is not None:
        return False
    # Without a limit from the user, a request that no engine supports runs in memory, whatever the size.
    from sfumato.run.large.choose import hindrances  # noqa: PLC0415

    return next(hindrances(request), None) is not None


def needs_more(source: Source, columns: tuple[str, ...] | list[str], request: Request) -> bool:
    """Whether these columns of a table are known to take more memory than the request allows."""
    needed = None if source.loaded else memory_to_anonymize(source, columns)
    return needed is not None and needed > allowed_memory(request.caller, request.memory)


def require_memory(data: object, request: Request, wanted: str) -> None:
    """Refuse what looks at all released rows together if an engine would do the work, before anything is read."""
    if not in_memory(data, request):
        raise ParameterError(
            f"{wanted} looks at all rows of the release together, which an engine does not load. Leave it out: "
            "'sfumato report' and 'sfumato attack' take the written file, where it fits in memory. Or work in memory: "
            "engine='memory' (on the command line --engine memory)."
        )


def writes_folder(data: object, request: Request, path: Path, form: str | None) -> bool:
    """Whether the release becomes a folder: a cluster always writes one, DuckDB where the path names no file."""
    if on_spark(data, request):
        refuse_other_than_parquet(path, form)
        return True
    return names_folder(path, form) and not in_memory(data, request)
