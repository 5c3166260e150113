"""A release that Spark holds: a frame, checked by Spark's own GROUP BY, and written by its executors."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.errors import OutputError
from sfumato.progress import Progress, silent
from sfumato.scale.engine import Promised, Rows, ShownAs, WritesItself
from sfumato.scale.spark_frames import arrow_schema, computed, located, quoted, streamed
from sfumato.verify.grouping import verify_grouped
from sfumato.verify.groups import TABLE
from sfumato.verify.verification import Verification

#: About how many rows a written file has.
FILE_ROWS = 4_000_000

_QUOTED = re.compile(r'"((?:[^"]|"")*)"')


class ShownInSpark(WritesItself):
    """A released table in a frame of Spark, and which of its columns stand for each quasi-identifier.

    Parameters
    ----------
    rows
        The released rows, for who counts them.
    frame
        The same rows with their places, which the executors keep.
    place
        A column of random numbers, which is not released: they alone say where a row lies.
    shown_as
        The columns that stand for each quasi-identifier.
    """

    _rows: Any

    def __init__(self, rows: Rows, frame: Any, place: str, shown_as: ShownAs) -> None:
        super().__init__(shown_as)
        count = computed(frame.count)
        files = max(1, -(-count // FILE_ROWS))
        scattered = frame.repartition(files, quoted(place)).sortWithinPartitions(quoted(place)).drop(place)
        vars(self).update(data=scattered, rows=rows, _rows=frame.drop(place))

    @property
    def table(self) -> pa.Table:
        """All rows, loaded into memory."""
        return computed(self.data.toArrow)

    def first(self, rows: int) -> pa.Table:
        """Return some rows of the frame."""
        return computed(self.data.limit(rows).toArrow)

    def classes(self) -> Any:
        """Return the classes as a frame."""
        names = [quoted(name) for name in self.class_columns]
        size = import_module("pyspark.sql.functions").expr("count(*) AS size")
        return self._rows.groupBy(*names).agg(size).select("size", *names)

    def verify(self, promised: Promised) -> Verification:
        """Check every promise from the rows, by Spark's own counts."""
        return verified_by_spark(self._rows, self.class_columns, promised)

    def write(self, path: str | os.PathLike[str], promised: Promised, progress: Progress = silent) -> Verification:
        """Write a folder of Parquet files, check what lies there, and only then give it its name."""
        target = Folder(self.data.sparkSession, located(os.fspath(path)))
        target.require_free()
        beside = target.beside()
        try:
            progress("writing files", 0.0)
            computed(lambda: self.data.write.parquet(beside.name))
            progress("reading the files back", 0.0)
            there = self.data.sparkSession.read.parquet(beside.name)
            found = promised.kept_by(verified_by_spark(there, self.class_columns, promised))
            beside.rename(target)
        except BaseException:
            beside.remove()
            raise
        return found


def verified_by_spark(frame: Any, columns: Sequence[str], promised: Promised) -> Verification:
    """Check a frame against promises."""
    engine = GroupsInSpark(frame)
    try:
        return verify_grouped(engine, columns, promised.sensitive, promised.models)
    finally:
        engine.close()


class GroupsInSpark:
    """A frame of Spark as the verifier asks for it: by SQL, with small tables beside it."""

    def __init__(self, frame: Any) -> None:
        self.schema = arrow_schema(frame)
        self._session = frame.sparkSession
        self._mark = secrets.token_hex(8)  # two runs may share a session
        self._views: set[str] = set()
        self._add(TABLE, frame)

    def query(self, sql: str) -> Iterator[pa.RecordBatch]:
        """Run a query; what comes out are groups, and where these are many and in order, a few at a time."""
        for name in self._views:
            sql = re.sub(rf"\b{name}\b", f"{name}_{self._mark}", sql)
        found = computed(lambda: self._session.sql(_QUOTED.sub(_in_backticks, sql)))
        yield from streamed(found) if "ORDER BY" in sql else computed(found.toArrow).to_batches()

    def load(self, name: str, table: pa.Table) -> None:
        """Put a small table beside the frame."""
        self._add(name, self._session.createDataFrame(table))

    def _add(self, name: str, frame: Any) -> None:
        self._views.add(name)
        frame.createOrReplaceTempView(f"{name}_{self._mark}")

    def close(self) -> None:
        """Forget the names."""
        for name in self._views:
            self._session.catalog.dropTempView(f"{name}_{self._mark}")


def _in_backticks(found: re.Match[str]) -> str:
    return quoted(found[1].replace('""', '"'))


class Folder:
    """A folder where Spark writes, on any file system that it knows."""

    def __init__(self, session: Any, name: str) -> None:
        self.name = name
        self._session = session
        self._path = session._jvm.org.apache.hadoop.fs.Path(name)
        self._system = computed(lambda: self._path.getFileSystem(session._jsc.hadoopConfiguration()))

    def beside(self) -> Folder:
        """Return a folder in the same place, with a name that nobody has."""
        parent = self._path.getParent()
        hidden = f".{self._path.getName()}.{secrets.token_hex(8)}"
        return Folder(self._session, f"{parent.toString()}/{hidden}" if parent is not None else hidden)

    def require_free(self) -> None:
        """Refuse to write over anything."""
        if self._system.exists(self._path):
            raise OutputError(f"'{self.name}' is there already. Remove it, or write to another folder.")

    def rename(self, target: Folder) -> None:
        """Give the folder its name, once what Spark leaves besides the rows is gone."""
        self._system.delete(type(self)(self._session, f"{self.name}/_SUCCESS")._path, False)
        if self._system.getScheme() == "file":
            for checksum in Path(self._path.toUri().getPath()).glob(".*.crc"):
                checksum.unlink()
        if not self._system.rename(self._path, target._path):
            raise OutputError(f"The release cannot be given the name '{target.name}'.")

    def remove(self) -> None:
        """Remove the folder, if it is there."""
        self._system.delete(self._path, True)
