"""Rows on a Spark cluster: plain frames that Spark counts, and packed rows that executors process as Arrow."""

from __future__ import annotations

import math
import pickle
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.threads import at_most, side_by_side
from sfumato.io.sql import spark_identifier
from sfumato.run.large.engine import COUNT, OnBatch, OnPart, Parted, Rows, Spread, spread_of
from sfumato.run.large.spark.executors import (
    CELL,
    FINISHED,
    PACKED,
    PART,
    ROWS,
    SCATTERED,
    TASK,
    TOLD,
    AsFile,
    AsPlain,
    BatchSteps,
    CountGroups,
    CountValues,
    OnOnePart,
    Scatter,
    ScatterToFiles,
    Select,
    Work,
    filed_schema,
    packed,
    stored_schema,
    typed,
    unpacked,
    with_count,
    without_dictionaries,
)
from sfumato.run.large.spark.frames import arrow_schema, chosen, computed, spark_types
from sfumato.run.large.spark.session import without_pandas_warning

#: Up to this many distinct values of a column are counted at once and remembered.
VALUES = 1 << 20

#: Tasks per core for recoding: parts differ in cost, and all cores should finish at about the same time.
TASKS = 16

#: The column number of a value, where several columns are counted together.
COLUMN = "of"

#: How many columns are counted at the same time, so that Spark plans one count while it runs another.
AT_ONCE = 4


class OnCluster(Rows):
    """Rows that Spark counts."""

    numbered = False

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self._values: dict[str, pa.Table] = {}

    @abstractmethod
    def plain(self, columns: Sequence[str]) -> Any:
        """Select some columns as a frame."""

    @abstractmethod
    def counted(self, columns: Sequence[str]) -> Any:
        """Count the distinct rows of some columns, in a frame."""

    def distinct_counts(self, columns: Sequence[str]) -> list[int]:
        """Count the distinct values of each column; estimate where they are many."""
        self.count_values(columns)
        many = [name for name in columns if name not in self._values]
        # Counting the values is several times faster than estimating their number, unless there are too many.
        about = [f"approx_count_distinct({spark_identifier(name)}) AS c{at}" for at, name in enumerate(many)]
        found = computed(self.plain(many).selectExpr(*about).toArrow).to_pydict().values() if many else ()
        estimates = dict(zip(many, (count for [count] in found), strict=True))
        return [self._values[name].num_rows if name in self._values else estimates[name] for name in columns]

    def count_values(self, columns: Sequence[str]) -> None:
        """Count the values of every column, and remember them where they are few."""
        wanted = [name for name in columns if name not in self._values]
        found = dict(zip(wanted, self._values_of(wanted), strict=True))
        self._values |= {name: counted for name, counted in found.items() if counted.num_rows <= VALUES}

    @abstractmethod
    def _values_of(self, columns: Sequence[str]) -> Iterable[pa.Table]:
        """Count the values of each column, up to one more than are remembered."""

    def groups(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Count by Spark's GROUP BY; groups come to the driver, never rows."""
        schema = with_count(without_dictionaries(pa.schema([*map(self.schema.field, columns)])))
        known = self._values.get(columns[0]) if len(columns) == 1 else None
        counted = computed(self.counted(columns).toArrow) if known is None else known
        yield from (typed(batch, schema) for batch in counted.to_batches())

    def spread(self, columns: Sequence[str], value: str | None = None) -> Spread:
        """Count groups by their sizes; only the distinct sizes come to the driver."""
        expr = import_module("pyspark.sql.functions").expr
        both = [*columns] if value is None else [*columns, value]
        groups = [f"g{at}" for at in range(len(both))]
        found = self.counted(both).toDF(*groups, "n")
        found = found.groupBy(*groups[: len(columns)]).agg(expr("max(n) AS m"), expr("sum(n) AS n"))
        return spread_of(computed(found.groupBy("n", "m").agg(expr("count(*) AS times")).toArrow))


class SparkRows(OnCluster):
    """A Spark frame with plain columns."""

    def __init__(self, frame: Any) -> None:
        super().__init__(arrow_schema(frame))
        self.frame = frame

    def plain(self, columns: Sequence[str]) -> Any:
        """Select some columns of the frame."""
        return self.frame.select(*map(spark_identifier, columns))

    def counted(self, columns: Sequence[str]) -> Any:
        """Let Spark count."""
        count = import_module("pyspark.sql.functions").expr("count(*)").alias(COUNT)
        return self.frame.groupBy(*map(spark_identifier, columns)).agg(count)

    def _values_of(self, columns: Sequence[str]) -> Iterable[pa.Table]:
        """Count one column per pass, so that Spark reads only that column."""

        def values(name: str) -> pa.Table:
            return computed(self.counted([name]).limit(VALUES + 1).toArrow)

        with at_most(AT_ONCE):  # they wait for the cluster
            return side_by_side(values, columns)

    def count(self) -> int:
        """Count the rows."""
        return int(computed(self.frame.count))

    def mapped(self, function: OnBatch, schema: pa.Schema) -> PackedRows:
        """Run a function on the batches on the executors."""
        reads = list(getattr(function, "reads", self.schema.names))
        taken = pa.schema([self.schema.field(name) for name in reads])
        return PackedRows(chosen(self.frame, reads), schema, BatchSteps(taken).then(function))

    def by_part(self, column: str, function: OnPart, schema: pa.Schema) -> PackedParts:
        """Bring the rows of each part together on one executor, and run a function on them."""
        return self._as_packed().by_part(column, function, schema)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows at the driver, one partition at a time."""
        return self._as_packed().batches()

    def _as_packed(self) -> PackedRows:
        return PackedRows(chosen(self.frame, self.schema.names), self.schema, BatchSteps(self.schema))


class PackedRows(OnCluster):
    """Rows that executors compute from a frame; each cell holds a batch.

    Parameters
    ----------
    frame
        The frame that they are computed from.
    schema
        Their schema, whose types need not be Spark's.
    steps
        How they are computed.
    """

    def __init__(self, frame: Any, schema: pa.Schema, steps: BatchSteps) -> None:
        super().__init__(schema)
        self.frame = frame
        self._steps = steps
        self._total: tuple[int, int] | None = None

    @property
    def whole(self) -> Any:
        """The frame to persist."""
        return self._run(packed, PACKED)

    def kept(self, frame: Any) -> PackedRows:
        """The same rows, read from the persisted frame; counting them computes it."""
        rows = type(self).of(frame, self.schema)
        rows._total = _total(frame)
        return rows

    @classmethod
    def of(cls, frame: Any, schema: pa.Schema) -> PackedRows:
        """Wrap a frame of cells."""
        return cls(frame.select(CELL), schema, BatchSteps())

    def _run(self, end: Callable[[pa.RecordBatch], Any], schema: pa.Schema) -> Any:
        """The results of the executors for each batch, as a frame."""
        with without_pandas_warning():
            return self.frame.mapInArrow(Work(self._steps, end), spark_types(schema))

    def plain(self, columns: Sequence[str]) -> Any:
        """Select some columns as a frame."""
        rows = self.select(columns)
        given = stored_schema(rows.schema)
        return rows._run(AsPlain(given), given)

    def select(self, columns: Sequence[str]) -> PackedRows:
        """Select some columns."""
        return self.mapped(Select(tuple(columns)), pa.schema([self.schema.field(name) for name in columns]))

    def counted(self, columns: Sequence[str]) -> Any:
        """Let executors count their rows, and Spark merge the counts."""
        given = with_count(stored_schema(pa.schema([self.schema.field(name) for name in columns])))
        count = import_module("pyspark.sql.functions").expr(f"sum({COUNT})").alias(COUNT)
        return self._run(CountGroups(tuple(columns), given), given).groupBy(*map(spark_identifier, columns)).agg(count)

    def _values_of(self, columns: Sequence[str]) -> Iterable[pa.Table]:
        """Count all columns in one pass, since each pass has to unpack every cell."""
        kinds = stored_schema(pa.schema([self.schema.field(name) for name in columns])).types
        names = [f"c{at}" for at in range(len(columns))]
        given = with_count(pa.schema([(COLUMN, pa.int32()), *zip(names, kinds, strict=True)]))
        sums = import_module("pyspark.sql.functions").expr(f"sum({COUNT})").alias(COUNT)
        found = self._run(CountValues(tuple(columns), given), given).groupBy(COLUMN, *names).agg(sums)
        counted = computed(found.limit(len(columns) * VALUES + 1).toArrow)
        for at, name in enumerate(names):
            yield counted.filter(pc.equal(counted.column(COLUMN), at)).select([name, COUNT])

    def count(self) -> int:
        """Count the rows."""
        return self.total[0]

    @property
    def total(self) -> tuple[int, int]:
        """The number of rows and the bytes of their cells."""
        return _total(self.whole) if self._total is None else self._total

    def mapped(self, function: OnBatch, schema: pa.Schema) -> PackedRows:
        """Run a function on the batches on the executors."""
        return PackedRows(self.frame, schema, self._steps.then(function))

    def by_part(self, column: str, function: OnPart, schema: pa.Schema) -> PackedParts:
        """Bring the rows of each part together on one executor, and run a function on them."""
        work = OnOnePart(function, self.schema)

        def finish(
            key: tuple[pa.Scalar, ...], cells: pa.Table
        ) -> pa.Table:  # Spark inspects the signature of functions
            return work(key, cells)

        session = self.frame.sparkSession
        most = TASKS * session.sparkContext.defaultParallelism
        tasks = task_names(session, max(1, min(most, getattr(function, "parts", most))))
        scattered = self._run(Scatter(column, tasks), SCATTERED).repartition(len(tasks), TASK)
        with without_pandas_warning():
            return PackedParts.of(scattered.groupBy(TASK, PART).applyInArrow(finish, spark_types(FINISHED)), schema)

    def files(self, place: str, count: int) -> Any:
        """A frame of Parquet files, one per cell, in which rows are ordered by their random places."""
        tasks = task_names(self.frame.sparkSession, count)
        cells = self._run(ScatterToFiles(place, tasks), SCATTERED).repartition(count, TASK).select(CELL)
        given = filed_schema(pa.schema([one for one in self.schema if one.name != place]))
        with without_pandas_warning():
            return cells.mapInArrow(AsFile(self.schema, given, place), f"{CELL} binary")

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield all rows at the driver in their order, one partition at a time."""
        rows = computed(self.whole.select(CELL).toLocalIterator)
        while (row := computed(lambda: next(rows, None))) is not None:
            yield from unpacked(row)


class PackedParts(PackedRows, Parted):
    """The results for all parts; the figures of each part are a separate row."""

    def __init__(self, frame: Any, schema: pa.Schema, steps: BatchSteps) -> None:
        super().__init__(frame.select(CELL), schema, steps)
        self._all = frame

    @classmethod
    def of(cls, frame: Any, schema: pa.Schema) -> PackedParts:
        """Wrap a frame of results."""
        return cls(frame, schema, BatchSteps())

    @property
    def whole(self) -> Any:
        """The frame to persist: rows and figures."""
        return self._all

    def told(self) -> list[Any]:
        """The figures of all parts."""
        told = computed(self._all.where(f"{TOLD} IS NOT NULL").select(TOLD).toArrow)
        return [pickle.loads(one) for one in told.column(TOLD).to_pylist()]


def _total(frame: Any) -> tuple[int, int]:
    """Count the rows of all cells, and their bytes."""
    found = computed(frame.selectExpr(f"sum({ROWS})", f"sum(length({CELL}))").toArrow)
    rows, size = (column[0].as_py() or 0 for column in found.columns)
    return rows, size


def task_names(session: Any, tasks: int) -> tuple[int, ...]:
    """Numbers whose hashes Spark sends to different tasks, since it assigns work by the hash of a number.

    If Spark's hash ever changes, the load is less even, but the results stay the same.
    """
    tried = int(tasks * (math.log(tasks) + 12))
    hashes = f"SELECT transform(sequence(0L, {tried}L), one -> pmod(hash(one), {tasks})) AS task"
    found = computed(session.sql(hashes).toArrow).column(0)[0].values.to_numpy()
    return tuple(np.unique(found, return_index=True)[1].tolist())
