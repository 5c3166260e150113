"""The distributed engine: frames of Spark, counted by its own aggregates and worked on by its executors as Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sfumato.io import Source, SparkSource
from sfumato.io.sql import spark_identifier
from sfumato.run.large.engine import Engine, Rows, ShownAs
from sfumato.run.large.spark.frames import open_in_spark
from sfumato.run.large.spark.release import ShownInSpark
from sfumato.run.large.spark.rows import PackedRows, SparkRows
from sfumato.run.request import Request

#: How many rows a part may have at most: few enough for every core to have some, and for the memory of its Python.
PART_ROWS = 1 << 18


class InSpark(Engine):
    """A session of Spark as an engine.

    Parameters
    ----------
    session
        The session that does the work; it stays open.
    """

    name = "spark"
    part_rows = PART_ROWS

    def __init__(self, session: Any) -> None:
        self.session = session
        self._kept: list[Any] = []

    def source(self, data: object, request: Request) -> Source:
        """Open a frame, a table by its name, or files where the executors can read them."""
        return open_in_spark(self.session, data, request)

    def open(self, source: Source, columns: Sequence[str], as_text: Sequence[str] = ()) -> Rows:
        """Return some columns of a frame."""
        assert isinstance(source, SparkSource)
        texts = set(as_text)
        shown = (cast_to_text(name) if name in texts else spark_identifier(name) for name in columns)
        return SparkRows(source.frame.selectExpr(*shown))

    def kept(self, rows: Rows) -> PackedRows:
        """Let the executors keep what they compute: in their memory, and on their disks what does not fit there.

        What an executor kept that is lost is computed again by the others.
        """
        assert isinstance(rows, PackedRows)
        frame = rows.whole.persist()
        self._kept.append(frame)
        return rows.kept(frame)

    def released(self, rows: Rows, place: str, names: Sequence[str], shown_as: ShownAs) -> ShownInSpark:
        """Let the executors keep the rows of the release, and forget what led to them."""
        before, self._kept = self._kept, []
        kept = self.kept(rows)
        for frame in before:
            frame.unpersist()
        return ShownInSpark(kept, place, shown_as)

    def close(self) -> None:
        """Let the executors forget what they kept."""
        while self._kept:
            self._kept.pop().unpersist()


def cast_to_text(name: str) -> str:
    """Return a column as text, in SQL."""
    return f"CAST({spark_identifier(name)} AS STRING) AS {spark_identifier(name)}"
