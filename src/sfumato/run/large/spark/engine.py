"""The distributed engine: Spark counts with its own aggregates, and its executors run functions on Arrow data."""

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

#: The most rows of a part: few enough that every core gets some and that a part fits in the memory of its Python.
PART_ROWS = 1 << 18


class InSpark(Engine):
    """A Spark session as an engine.

    Parameters
    ----------
    session
        The session; it stays open afterwards.
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
        """Select some columns of a frame."""
        assert isinstance(source, SparkSource)
        texts = set(as_text)
        shown = (cast_to_text(name) if name in texts else spark_identifier(name) for name in columns)
        return SparkRows(source.frame.selectExpr(*shown))

    def kept(self, rows: Rows) -> PackedRows:
        """Persist rows on the executors: in memory, and on disk what does not fit.

        If an executor is lost, the others compute its share again.
        """
        assert isinstance(rows, PackedRows)
        frame = rows.whole.persist()
        self._kept.append(frame)
        return rows.kept(frame)

    def released(self, rows: Rows, place: str, names: Sequence[str], shown_as: ShownAs) -> ShownInSpark:
        """Persist the rows of the release on the executors, and unpersist what they were computed from."""
        before, self._kept = self._kept, []
        kept = self.kept(rows)
        for frame in before:
            frame.unpersist()
        return ShownInSpark(kept, place, shown_as)

    def close(self) -> None:
        """Unpersist everything."""
        while self._kept:
            self._kept.pop().unpersist()


def cast_to_text(name: str) -> str:
    """The SQL that casts a column to text."""
    return f"CAST({spark_identifier(name)} AS STRING) AS {spark_identifier(name)}"
