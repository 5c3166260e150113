"""Spark frames: how tables and files become frames, and the names and types of their columns."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import pyarrow as pa

from sfumato import errors
from sfumato.errors import EngineError, SfumatoError, SourceError
from sfumato.io import FileSource, Source, SparkSource
from sfumato.io.sql import spark_identifier
from sfumato.run.large.spark.executors import stored_schema
from sfumato.run.large.spark.session import first_line
from sfumato.run.request import Request
from sfumato.run.where import is_spark_frame

T = TypeVar("T")

#: Separators of cells, the likelier first.
SEPARATORS = (",", ";", "\t", "|")

#: The form of an error of this package in the traceback of an executor's Python.
_OURS = re.compile(r"^\W*sfumato\.errors\.(\w+): (.*)$", re.MULTILINE)

_PACKED_ENDINGS = {".gz", ".bz2", ".zst", ".xz"}


def open_in_spark(session: Any, data: object, request: Request) -> SparkSource:
    """Open a frame, a table by its name, or files where the executors can read them."""
    if isinstance(data, SparkSource):
        return data
    if is_spark_frame(data):
        return SparkSource(data)
    paths = _files_of(data) if isinstance(data, Source) else [data] if isinstance(data, str | os.PathLike) else data
    if not isinstance(paths, Sequence) or not paths or not all(isinstance(one, str | os.PathLike) for one in paths):
        raise SourceError(
            f"Spark reads its own frames, tables by name, and Parquet, CSV and JSON files; an object of type "
            f"{type(data).__name__} is none. Write it to a file that the executors can read, or work in memory."
        )
    return SparkSource(_read(session, [os.fspath(one) for one in paths], request))


def _files_of(source: Source) -> list[Path]:
    """The files of an open source, for the executors to read."""
    return list(source.parquet_files or ([source.path] if isinstance(source, FileSource) else ()))


def _read(session: Any, paths: list[str], request: Request) -> Any:
    ending = _ending(paths[0])
    if len(paths) == 1 and not ending and "/" not in paths[0] and session.catalog.tableExists(paths[0]):
        return session.table(paths[0])
    paths = [located(path) for path in paths]
    if ending in {".csv", ".tsv", ".txt"}:
        return _read_text(session, paths, request)
    if ending in {".json", ".jsonl", ".ndjson"}:
        return computed(lambda: session.read.json(paths))
    if ending in {"", ".parquet", ".pq"}:
        return computed(lambda: session.read.parquet(*paths))
    raise SourceError(f"Spark does not read '{ending}' files here. Accepted are Parquet, CSV and JSON lines.")


def located(path: str) -> str:
    """Make a path absolute: Spark's Java may have another working directory."""
    return path if "://" in path else os.path.abspath(path)


def _ending(path: str) -> str:
    name = PurePosixPath(path)
    return (name.with_suffix("") if name.suffix in _PACKED_ENDINGS else name).suffix.lower()


def _read_text(session: Any, paths: list[str], request: Request) -> Any:
    """Read delimited text; Spark infers numbers and dates, except where leading zeros make them text."""
    separator = request.separator or _separator(session, paths)
    reader = session.read.option("header", True).option("sep", separator).option("escape", '"')
    reader = reader.option("multiLine", True).option("encoding", request.encoding or "UTF-8")
    texts = computed(lambda: reader.csv(paths))
    kinds = computed(lambda: reader.option("inferSchema", True).csv(paths)).schema
    as_text = set(request.read_as_text())
    doubtful = [one.name for one in kinds if one.dataType.typeName() not in {"string", "date", "timestamp"}]
    zeros = [f"max({spark_identifier(name)} RLIKE '^[+-]?0[0-9]')" for name in doubtful]
    found = computed(texts.selectExpr(*zeros).first) if zeros else ()
    as_text |= {name for name, zero in zip(doubtful, found, strict=True) if zero}
    columns = [
        texts[spark_identifier(one.name)]
        if one.name in as_text
        else texts[spark_identifier(one.name)].cast(one.dataType).alias(one.name)
        for one in kinds
    ]
    return texts.select(*columns)


def _separator(session: Any, paths: list[str]) -> str:
    first = computed(session.read.text(paths).first)
    header = "" if first is None else first[0]
    return max(SEPARATORS, key=header.count)


def computed(action: Callable[[], T]) -> T:
    """Let Spark compute something; an error says why it cannot, without the Java stack trace."""
    try:
        return action()
    except SfumatoError:
        raise
    except Exception as error:
        raise _told(error) or EngineError(f"Spark could not finish the work: {first_line(error)}") from None


def _told(error: Exception) -> SfumatoError | None:
    """The error of this package that an executor raised, if that is why Spark failed."""
    found = _OURS.search(str(error))
    kind = getattr(errors, found[1], None) if found else None
    return kind(found[2]) if found and isinstance(kind, type) and issubclass(kind, SfumatoError) else None


def chosen(frame: Any, columns: Sequence[str]) -> Any:
    """Select columns under plain names: Spark's Python functions fail on dots and backticks."""
    return frame.selectExpr(*(f"{spark_identifier(name)} AS c{at}" for at, name in enumerate(columns)))


def arrow_schema(frame: Any) -> pa.Schema:
    """The Arrow schema of a frame."""
    return computed(frame.limit(0).toArrow).schema


def spark_types(schema: pa.Schema) -> Any:
    """A schema in Spark's names of types."""
    return import_module("pyspark.sql.pandas.types").from_arrow_schema(stored_schema(schema))
