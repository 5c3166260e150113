"""A released table in a Spark frame, checked by Spark's own GROUP BY and written by its executors."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.common.progress import Progress, silent
from sfumato.errors import OutputError
from sfumato.io.sql import spark_identifier
from sfumato.io.write import refuse_other_than_parquet
from sfumato.release.shown import Promises
from sfumato.run.large.engine import COUNT, ShownAs, ShownElsewhere
from sfumato.run.large.spark.executors import CELL, PARQUET
from sfumato.run.large.spark.frames import arrow_schema, computed, located
from sfumato.run.large.spark.groups import verified_by_spark
from sfumato.run.large.spark.rows import OnCluster, PackedRows
from sfumato.verify.verification import Verification

#: About how many rows and bytes a file has at most. This never depends on the cluster: files are part of a release.
FILE_ROWS, FILE_BYTES = 1_000_000, 1 << 26


class ShownInSpark(ShownElsewhere):
    """A released table in a frame of Spark, and which of its columns stand for each quasi-identifier.

    Parameters
    ----------
    kept
        The released rows with their places, which the executors keep.
    place
        A column of random numbers, not released, which alone decides where a row goes.
    shown_as
        The columns that stand for each quasi-identifier.
    """

    rows: OnCluster

    def __init__(self, kept: PackedRows, place: str, shown_as: ShownAs) -> None:
        super().__init__(shown_as)
        names = [name for name in kept.schema.names if name != place]
        rows_of_all, size = kept.total
        files = max(1, -(-rows_of_all // FILE_ROWS), -(-size // FILE_BYTES))
        scattered = kept.plain([*names, place]).repartition(files, spark_identifier(place))
        # What is checked and counted are the batches that become rows of the frame; texts are still numbered there.
        rows = kept.select(names)
        data = scattered.sortWithinPartitions(spark_identifier(place)).drop(place)
        self.data = data
        self.rows = rows
        self.files = kept.files(place, files)

    @property
    def table(self) -> pa.Table:
        """All rows, loaded into memory."""
        return computed(self.data.toArrow)

    def first(self, rows: int) -> pa.Table:
        """Some rows of the frame."""
        return computed(self.data.limit(rows).toArrow)

    def classes(self) -> Any:
        """The classes as a frame."""
        names = [spark_identifier(name) for name in self.class_columns]
        return self.rows.counted(self.class_columns).withColumnRenamed(COUNT, "size").select("size", *names)

    def verify(self, promised: Promises) -> Verification:
        """Check every promise from the rows, by Spark's own counts."""
        return verified_by_spark(self.rows, self.class_columns, promised.sensitive, promised.models)

    def write(
        self,
        path: str | os.PathLike[str],
        promised: Promises,
        known: Verification,
        progress: Progress = silent,
        form: str | None = None,
    ) -> Verification:
        """Write a folder of Parquet files, check what was written, and only then rename it to its final name."""
        refuse_other_than_parquet(path, form)
        target = Folder(self.data.sparkSession, located(os.fspath(path)))
        target.require_free()
        beside = target.beside()
        try:
            progress("writing files", 0.0)
            beside.fill(self.files)
            progress("reading the files back", 0.0)
            there = rows_in_files(self.data.sparkSession, beside.name)
            found = promised.kept_by(verified_by_spark(there, self.class_columns, promised.sensitive, promised.models))
            beside.rename(target)
        except BaseException:
            beside.remove()
            raise
        return found


def rows_in_files(session: Any, folder: str) -> PackedRows:
    """The rows of the Parquet files of a folder, which executors read as they were written.

    Spark fetches the bytes from any storage that it knows; Arrow reads them, not the code that wrote them.
    """
    files = session.read.format("binaryFile").option("pathGlobFilter", "*.parquet").load(folder)
    schema = arrow_schema(session.read.parquet(folder))
    return PackedRows.of(files.withColumnRenamed("content", CELL), schema)


class Folder:
    """A folder on any file system that Spark can write to."""

    def __init__(self, session: Any, name: str) -> None:
        self.name = name
        self._session = session
        self._path = session._jvm.org.apache.hadoop.fs.Path(name)
        self._system = computed(lambda: self._path.getFileSystem(session._jsc.hadoopConfiguration()))

    def beside(self) -> Folder:
        """A folder in the same place, with a fresh hidden name."""
        parent = self._path.getParent()
        hidden = f".{self._path.getName()}.{secrets.token_hex(8)}"
        return Folder(self._session, f"{parent.toString()}/{hidden}" if parent is not None else hidden)

    def require_free(self) -> None:
        """Refuse to overwrite anything."""
        if self._system.exists(self._path):
            raise OutputError(f"'{self.name}' is there already. Remove it, or write to another folder.")

    def fill(self, files: Any) -> None:
        """Write files, each of which is a cell of a frame of Parquet files.

        Spark stores bytes as text and ends every text with a separator: with the last letter that such a file has.
        """
        texts = files.selectExpr(f"CAST(substring({CELL}, 1, length({CELL}) - 1) AS STRING)")
        writer = texts.write.option("lineSep", PARQUET[-1:].decode()).option("compression", "none")
        computed(lambda: writer.text(self.name))
        for number, file in enumerate(sorted(self._files("part-"))):
            self._system.rename(self._within(file), self._within(f"part-{number:05d}.parquet"))

    def _files(self, begin: str) -> list[str]:
        names = [status.getPath().getName() for status in self._system.listStatus(self._path)]
        return [name for name in names if name.startswith(begin)]

    def _within(self, file: str) -> Any:
        return self._session._jvm.org.apache.hadoop.fs.Path(self._path, file)

    def rename(self, target: Folder) -> None:
        """Remove what Spark leaves besides the rows, and give the folder its name."""
        self._system.delete(self._within("_SUCCESS"), False)
        if self._system.getScheme() == "file":
            for checksum in Path(self._path.toUri().getPath()).glob(".*.crc"):
                checksum.unlink()
        if not self._system.rename(self._path, target._path):
            raise OutputError(f"The release cannot be given the name '{target.name}'.")

    def remove(self) -> None:
        """Remove the folder, if it is there."""
        self._system.delete(self._path, True)
