"""The distributed engine: frames of Spark, counted by its own aggregates and worked on by its executors as Arrow."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any

import pyarrow as pa

from sfumato.io import Source, SparkSource
from sfumato.request import Request
from sfumato.scale.engine import COUNT, Engine, OnBatch, OnPart, Parted, Rows, ShownAs, Spread, spread_of
from sfumato.scale.executors import (
    TOLD,
    OnBatches,
    OnOnePart,
    stored_schema,
    typed,
    with_told,
    without_dictionaries,
)
from sfumato.scale.sessions import without_pandas_warning
from sfumato.scale.spark_frames import arrow_schema, chosen, computed, open_in_spark, quoted, spark_types, streamed
from sfumato.scale.spark_release import ShownInSpark

#: How many rows a part may have at most: few enough for every core to have some, and for the memory of its Python.
PART_ROWS = 1 << 18

#: Up to so many different values of a column are counted at once, and looked at again from here.
VALUES = 1 << 20

#: How many tasks there are for each core where parts are worked on: parts differ, and cores should end together.
TASKS = 16


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
        frame = source.frame.selectExpr(*(cast_to_text(name) if name in texts else quoted(name) for name in columns))
        return SparkRows(frame, arrow_schema(frame))

    def kept(self, rows: Rows) -> Rows:
        """Let the executors keep what they compute: in their memory, and on their disks what does not fit there.

        What an executor kept that is lost is computed again by the others.
        """
        assert isinstance(rows, SparkRows)
        frame = rows.whole.persist()
        self._kept.append(frame)
        computed(frame.count)
        return rows.like(frame)

    def released(self, rows: Rows, place: str, names: Sequence[str], shown_as: ShownAs) -> ShownInSpark:
        """Let the executors keep the rows of the release, and forget what led to them."""
        before, self._kept = self._kept, []
        kept = self.kept(rows)
        assert isinstance(kept, SparkRows)
        for frame in before:
            frame.unpersist()
        names = [name for name in rows.schema.names if name != place]
        plain = SparkRows(kept.frame.drop(place), pa.schema([rows.schema.field(name) for name in names]))
        return ShownInSpark(plain, kept.frame, place, shown_as)

    def close(self) -> None:
        """Let the executors forget what they kept."""
        while self._kept:
            self._kept.pop().unpersist()


class SparkRows(Rows):
    """A frame of Spark.

    Parameters
    ----------
    frame
        The frame.
    schema
        The types in which functions see its columns, where Spark has none that small.
    """

    numbered = False

    def __init__(self, frame: Any, schema: pa.Schema) -> None:
        self.frame = frame
        self.schema = schema
        self._values: dict[str, pa.Table] = {}

    @property
    def whole(self) -> Any:
        """All that has to be kept of it."""
        return self.frame

    def like(self, whole: Any) -> SparkRows:
        """Return the same rows, from what was kept of them."""
        return SparkRows(whole, self.schema)

    def count(self) -> int:
        """Return how many rows there are."""
        return int(computed(self.frame.count))

    def distinct_counts(self, columns: Sequence[str]) -> list[int]:
        """Return how many different values each column has, about where these are many."""
        for name in columns:
            # To count the values is several times faster than to estimate how many there are.
            counted = computed(self._counted([name]).limit(VALUES + 1).toArrow)
            if counted.num_rows <= VALUES:
                self._values[name] = counted
        many = [name for name in columns if name not in self._values]
        about = [f"approx_count_distinct({quoted(name)}) AS c{at}" for at, name in enumerate(many)]
        found = computed(self.frame.selectExpr(*about).toArrow).to_pydict().values() if many else ()
        estimates = dict(zip(many, (count for [count] in found), strict=True))
        return [self._values[name].num_rows if name in self._values else estimates[name] for name in columns]

    def groups(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Count by Spark's own GROUP BY; what comes to the driver are groups, never rows."""
        schema = without_dictionaries(pa.schema([*map(self.schema.field, columns), pa.field(COUNT, pa.int64())]))
        known = self._values.pop(columns[0], None) if len(columns) == 1 else None
        counted = computed(self._counted(columns).toArrow) if known is None else known
        yield from (typed(batch, schema) for batch in counted.to_batches())

    def _counted(self, columns: Sequence[str]) -> Any:
        count = import_module("pyspark.sql.functions").expr("count(*)").alias(COUNT)
        return self.frame.groupBy(*map(quoted, columns)).agg(count)

    def spread(self, columns: Sequence[str], value: str | None = None) -> Spread:
        """Count groups by their sizes; what comes to the driver are the different sizes."""
        expr = import_module("pyspark.sql.functions").expr
        names = [quoted(name) for name in columns]
        both = names if value is None else [*names, quoted(value)]
        renamed = self.frame.selectExpr(*(f"{name} AS g{at}" for at, name in enumerate(both)))
        groups = [f"g{at}" for at in range(len(both))]
        found = renamed.groupBy(*groups).agg(expr("count(*) AS n"))
        found = found.groupBy(*groups[: len(names)]).agg(expr("sum(n) AS n"), expr("max(n) AS m"))
        return spread_of(computed(found.groupBy("n", "m").agg(expr("count(*) AS times")).toArrow))

    def mapped(self, function: OnBatch, schema: pa.Schema) -> Rows:
        """Run a function on batches, where they are."""
        reads = getattr(function, "reads", self.schema.names)
        work = OnBatches(function, pa.schema([self.schema.field(name) for name in reads]), stored_schema(schema))
        with without_pandas_warning():
            frame = chosen(self.frame, reads).mapInArrow(work, spark_types(schema))
        return SparkRows(frame, schema)

    def by_part(self, column: str, function: OnPart, schema: pa.Schema) -> SparkParted:
        """Bring the rows of each part together on one executor, and run a function on them."""
        work = OnOnePart(function, column, self.schema, with_told(stored_schema(schema)))

        def finish(key: tuple[pa.Scalar, ...], part: pa.Table) -> pa.Table:  # Spark counts the arguments of functions
            return work(key, part)

        frame = self._scattered(column, getattr(function, "parts", None))
        with without_pandas_warning():
            frame = frame.groupBy(quoted(column)).applyInArrow(finish, spark_types(with_told(schema)))
        return SparkParted(frame, schema)

    def _scattered(self, column: str, parts: int | None) -> Any:
        """Return the frame with each part in one task, and few in the same."""
        if parts is None:
            return self.frame
        cores = self.frame.sparkSession.sparkContext.defaultParallelism
        return self.frame.repartition(max(1, min(2 * parts, TASKS * cores)), quoted(column))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows at the driver, as many at a time as an executor's task has."""
        yield from (typed(batch, self.schema) for batch in streamed(self.frame))


class SparkParted(Parted, SparkRows):
    """What became of all parts; each part told about itself in a row of its own."""

    def __init__(self, frame: Any, schema: pa.Schema) -> None:
        self._all = frame
        SparkRows.__init__(self, frame.where(f"{quoted(TOLD)} IS NULL").drop(TOLD), schema)

    @property
    def whole(self) -> Any:
        """The rows, and what parts told."""
        return self._all

    def like(self, whole: Any) -> SparkParted:
        """Return the same rows, from what was kept of them."""
        return SparkParted(whole, self.schema)

    def told(self) -> list[Any]:
        """Return what the function told about the parts."""
        told = computed(self._all.where(f"{quoted(TOLD)} IS NOT NULL").select(quoted(TOLD)).toArrow)
        return [pickle.loads(one) for one in told.column(TOLD).to_pylist()]


def cast_to_text(name: str) -> str:
    """Return a column as text, in SQL."""
    return f"CAST({quoted(name)} AS STRING) AS {quoted(name)}"
