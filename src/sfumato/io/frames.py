"""Frames of any library that narwhals knows, without importing one that the caller did not."""

from __future__ import annotations

import datetime
import numbers
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from importlib import import_module
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common.progress import Tell
from sfumato.errors import DataError, MissingExtraError, SourceError
from sfumato.io.columns import encoded, plain, tidy
from sfumato.io.files import query_errors, record_batches
from sfumato.io.source import BATCH_ROWS, Source, TableSize, checked_names, gathered
from sfumato.io.sql import identifier, spark_identifier

ACCEPTED = (
    "Accepted are a pandas, Polars or PyArrow table, any Arrow stream, a DuckDB relation, a table in a database "
    "(sfumato.engines), and the path of a file (CSV, Parquet, JSON, Excel, SPSS, Stata, SAS, R and others), several of "
    "them, a pattern, or a folder of Parquet files."
)

_CONVERSION_ERRORS = (pa.ArrowException, OverflowError, TypeError, ValueError)


def open_frame(data: object) -> Source:
    """Wrap a frame that is already in memory."""
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return ArrowSource(data)
    if isinstance(data, duckdb.DuckDBPyRelation):
        return RelationSource(data)
    checked_names(_native_names(data))
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.LazyFrame) and frame.implementation.is_pyspark():
        return SparkSource(data)
    if isinstance(frame, nw.LazyFrame):
        return LazySource(frame)
    if not isinstance(frame, nw.DataFrame):
        with suppress(pa.ArrowException):  # a stream of something else than rows
            if hasattr(data, "__arrow_c_stream__"):
                is_reader = isinstance(data, pa.RecordBatchReader)
                return StreamSource(data if is_reader else pa.RecordBatchReader.from_stream(data))
        raise SourceError(f"An object of type {type(data).__name__} is not a table. {_made_of(data)}{ACCEPTED}")
    return FrameSource(frame)


def _made_of(data: object) -> str:
    """Say how what is nearly a table becomes one."""
    if isinstance(data, Mapping):
        return "pyarrow.table(…), pandas.DataFrame(…) and polars.DataFrame(…) make one of a dictionary. "
    if isinstance(data, list) and data and all(isinstance(one, Mapping) for one in data):
        return "pyarrow.Table.from_pylist(…) and pandas.DataFrame(…) make one of a list of rows. "
    return "Its method to_frame() makes one. " if hasattr(data, "to_frame") else ""


def _native_names(data: object) -> Iterable[object]:
    # Checked first, since narwhals raises its own error for duplicate names.
    is_frame = nw.dependencies.is_pandas_like_dataframe(data)
    return data.columns if is_frame else ("unchecked",)  # type: ignore[attr-defined]


def to_frame(table: pa.Table, library: str) -> Any:
    """Turn a table into a data frame of ``"pandas"`` or ``"polars"``, importing it only now."""
    try:
        return nw.from_arrow(plain(table), backend=import_module(library)).to_native()
    except ImportError:
        raise MissingExtraError(f"A {library} data frame", library) from None


def pandas_intervals(frame: Any, low: pa.ChunkedArray, high: pa.ChunkedArray) -> Any:
    """Make intervals for a frame of pandas between two ends, both included; None if it has none of this kind."""
    pandas = nw.get_native_namespace(frame)
    kind = low.type
    one_sided = pc.any(pc.xor(pc.is_null(low), pc.is_null(high))).as_py()
    if pa.types.is_temporal(kind) and not one_sided and not pa.types.is_time(kind):
        moments = [side.cast(pa.timestamp("us", getattr(kind, "tz", None))).to_pandas() for side in (low, high)]
        return pandas.arrays.IntervalArray.from_arrays(*moments, closed="both")
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return None
    if kind == pa.float32():  # pandas makes eight bytes of the four, and 70.9000015258789 of 70.9
        low, high = (side.cast(pa.string()).cast(pa.float64()) for side in (low, high))
    if not low.null_count and not high.null_count:
        return pandas.arrays.IntervalArray.from_arrays(low.to_numpy(), high.to_numpy(), closed="both")
    left, right = (side.cast(pa.float64()).to_numpy(zero_copy_only=False) for side in (low, high))
    left, right = left.copy(), right.copy()
    nothing = np.isnan(left) & np.isnan(right)
    left[np.isnan(left) & ~nothing], right[np.isnan(right) & ~nothing] = -np.inf, np.inf
    return pandas.arrays.IntervalArray.from_arrays(left, right, closed="both")


class ArrowSource(Source):
    """A ``pyarrow.Table``."""

    kind = "pyarrow"
    _digits_count = False
    _reads_words = True

    def __init__(self, table: pa.Table) -> None:
        self._table = table
        self.columns = checked_names(table.column_names)

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        return gathered(columns, lambda name: tidy(name, self._table[name], name in as_text), tell)

    @property
    def loaded(self) -> bool:
        return True

    def extent(self, columns: Sequence[str]) -> TableSize:
        return TableSize(self._table.num_rows, 0)  # its text is in memory already

    def to_native(self, table: pa.Table) -> pa.Table:
        """The table with plain text instead of dictionaries."""
        return plain(table)


class RelationSource(Source):
    """A DuckDB relation; it is computed when it is read."""

    kind = "duckdb"

    def __init__(self, relation: duckdb.DuckDBPyRelation) -> None:
        self._relation = relation
        self.columns = checked_names(relation.columns)

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        with _relation_explained():
            arrays = encoded(self._stream(columns))
        pairs = zip(columns, arrays, strict=True)
        return pa.table({name: tidy(name, array, name in as_text) for name, array in pairs})

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        with _relation_explained():
            yield from StreamSource(self._stream(columns)).batches(columns, as_text, na)

    def _stream(self, columns: Sequence[str]) -> pa.RecordBatchReader:
        return record_batches(self._relation.project(", ".join(identifier(name) for name in columns)))

    def extent(self, columns: Sequence[str]) -> TableSize:
        """Let DuckDB count the rows."""
        with _relation_explained():
            [(rows,)] = self._relation.aggregate("count(*)").fetchall()
        return TableSize(rows, 0)

    def to_native(self, table: pa.Table) -> pa.Table:
        """The table itself: a relation would need a connection that stays open."""
        return plain(table)


@contextmanager
def _relation_explained() -> Iterator[None]:
    """Report that a relation cannot be computed, without DuckDB's message, which may quote rows."""
    try:
        yield
    except query_errors() as error:
        reason = type(error).__name__
        raise SourceError(f"The DuckDB relation cannot be computed ({reason}). Run it alone to see why.") from None


class StreamSource(Source):
    """An Arrow stream, which can be read once: into memory or batch by batch."""

    kind = "arrow stream"

    def __init__(self, reader: pa.RecordBatchReader) -> None:
        self._reader: pa.RecordBatchReader | None = reader
        self._table: pa.Table | None = None
        self.columns = checked_names(reader.schema.names)
        self._schema = reader.schema

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        if self._table is None:
            self._table = pa.table(encoded(self._taken()), names=list(self.columns))
        return ArrowSource(self._table).stored().read(columns, as_text, tell)

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        if na:
            return super().kinds(columns, as_text, na)
        return plain(ArrowSource(self._schema.empty_table()).stored().read(columns, as_text)).schema

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        if na or self._table is not None:  # the type that is left without the missing codes depends on all values
            yield from super().batches(columns, as_text, na)
            return
        for batch in self._taken():
            piece = ArrowSource(pa.Table.from_batches([batch])).stored().read(columns, as_text)
            yield from plain(piece).to_batches()

    def _taken(self) -> pa.RecordBatchReader:
        if self._reader is None:
            raise SourceError("An Arrow stream goes by once, and this one has. Make it anew.")
        reader, self._reader = self._reader, None
        return reader

    def to_native(self, table: pa.Table) -> pa.Table:
        """The table itself."""
        return plain(table)


class LazySource(Source):
    """A lazy frame: computed once, so that every column has its rows in the same order; all at once, or by batches."""

    def __init__(self, frame: nw.LazyFrame[Any]) -> None:
        self._frame = frame
        with _frame_explained():
            names = frame.collect_schema().names()
        self.columns = checked_names(names)
        self.kind = str(frame.implementation.value)

    @cached_property
    def _collected(self) -> FrameSource:
        with _frame_explained():
            return FrameSource(self._frame.collect())

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        return self._collected.stored().read(columns, as_text, tell)

    def kinds(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> pa.Schema:
        if na:
            return super().kinds(columns, as_text, na)
        return plain(FrameSource(self._frame.head(0).collect()).stored().read(columns, as_text)).schema

    def batches(
        self, columns: Sequence[str], as_text: Collection[str] = (), na: Mapping[str, Collection[str]] | None = None
    ) -> Iterator[pa.RecordBatch]:
        native = self._frame.select(list(columns)).to_native()
        if na or "_collected" in vars(self) or not hasattr(native, "collect_batches"):
            yield from super().batches(columns, as_text, na)
            return
        frames = iter(native.collect_batches(chunk_size=BATCH_ROWS, maintain_order=True))
        while True:
            with _frame_explained():
                frame = next(frames, None)
            if frame is None:
                return
            piece = FrameSource(nw.from_native(frame, eager_only=True)).stored().read(columns, as_text)
            yield from plain(piece).to_batches()

    def extent(self, columns: Sequence[str]) -> TableSize:
        """Let the library count the rows, for which it need not compute the columns."""
        with _frame_explained():
            return TableSize(int(self._frame.select(nw.len()).collect().item()), 0)

    def to_native(self, table: pa.Table) -> object:
        """Convert rows to a frame of the same library."""
        return self._collected.to_native(table)


@contextmanager
def _frame_explained() -> Iterator[None]:
    """Report that a lazy frame cannot be computed, without its library's message, which may quote rows."""
    try:
        yield
    except Exception as error:  # every library has its own errors, and none of them is imported here
        reason = type(error).__name__
        raise SourceError(f"The lazy frame cannot be computed ({reason}). Collect it alone to see why.") from None


#: Spark's collation that calls only the same bytes equal; all others can make a class of several texts.
BINARY = "UTF8_BINARY"


class SparkSource(Source):
    """A Spark frame. Reading it here loads its rows; the Spark engine leaves them on the cluster."""

    kind = "spark"

    def __init__(self, frame: Any) -> None:
        self.frame = _by_bytes(frame)
        self.columns = checked_names(frame.columns)

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        # All columns at once: fetched one by one, their rows may come in different orders.
        rows = self.frame.select(*map(spark_identifier, columns)).toArrow()
        return gathered(columns, lambda name: tidy(name, rows[name], name in as_text), tell)

    def to_native(self, table: pa.Table) -> object:
        """Convert rows to a frame of the same session."""
        return self.frame.sparkSession.createDataFrame(plain(table))


def _by_bytes(frame: Any) -> Any:
    """Compare texts by their bytes, as readers do, whatever collation a column has."""
    collated = {one.name for one in frame.schema if getattr(one.dataType, "collation", BINARY) != BINARY}
    if not collated:
        return frame
    shown = []
    for name in frame.columns:
        column = spark_identifier(name)
        shown.append(f"collate({column}, '{BINARY}') AS {column}" if name in collated else column)
    return frame.selectExpr(*shown)


class FrameSource(Source):
    """An eager frame of any other library, seen through narwhals. Its index, if any, is ignored."""

    _digits_count = False
    _reads_words = True

    def __init__(self, frame: nw.DataFrame[Any]) -> None:
        self._frame = frame
        self.columns = checked_names(frame.columns)
        self.kind = str(frame.implementation.value)

    def _read(self, columns: Sequence[str], as_text: frozenset[str], tell: Tell) -> pa.Table:
        return gathered(columns, lambda name: self._column(name, name in as_text), tell)

    def _column(self, name: str, as_text: bool) -> pa.ChunkedArray:
        series = self._frame.get_column(name)
        array = None if series.dtype == nw.Object else _to_arrow(series)
        if array is None:
            array = _from_objects(name, series.to_list())
        return tidy(name, pa.chunked_array([array]), as_text)

    @property
    def loaded(self) -> bool:
        return True

    def extent(self, columns: Sequence[str]) -> TableSize:
        return TableSize(len(self._frame), 0)

    def to_native(self, table: pa.Table) -> object:
        """Convert rows to a frame of the same library; in pandas with a fresh index."""
        table = plain(table)
        if self._frame.implementation.is_pandas():
            return _to_pandas(table, self._frame.implementation.to_native_namespace())
        return nw.from_arrow(table, backend=self._frame.implementation).to_native()


def _to_pandas(table: pa.Table, pandas: Any) -> object:
    frame = table.to_pandas(date_as_object=True)
    for name, column in zip(table.column_names, table.columns, strict=True):
        dtype = _nullable(column.type, pandas) if column.null_count else None
        if dtype is not None:
            frame[name] = column.to_pandas(types_mapper={column.type: dtype}.get)
    return frame


def _nullable(kind: pa.DataType, pandas: Any) -> Any:
    """The nullable pandas type, where pandas would otherwise make floats or objects of missing values."""
    if pa.types.is_boolean(kind):
        return pandas.BooleanDtype()
    if pa.types.is_integer(kind):
        return pandas.UInt64Dtype() if pa.types.is_unsigned_integer(kind) else pandas.Int64Dtype()
    return None


def _to_arrow(series: nw.Series[Any]) -> pa.Array | None:
    # None instead of the error, which would quote a value of the table.
    with suppress(*_CONVERSION_ERRORS):
        return series.to_arrow()
    return None


def _from_objects(name: str, values: list[object]) -> pa.Array:
    """Convert Python objects; refuse what Arrow refuses and what it would silently truncate."""
    kinds = sorted({_family(value) for value in values} - {"missing"})
    if len(kinds) > 1:
        raise DataError(f"Column '{name}' mixes types: {', '.join(kinds)}. Convert it to one of them.")
    try:
        return pa.array(values, from_pandas=True)
    except _CONVERSION_ERRORS:
        # Without the original error, which quotes a value of the table.
        kind = kinds[0] if kinds else "object"
        raise DataError(
            f"Column '{name}' holds values of type {kind} that have no place in a table. "
            "Turn them into text, numbers or dates."
        ) from None


def _family(value: object) -> str:
    """The kind of a value, as far as mixing matters: ints and floats may mix, dates and times may not."""
    if value is None or type(value).__name__ in {"NaTType", "NAType"}:
        return "missing"
    if isinstance(value, float) and value != value:  # noqa: PLR0124 (NaN)
        return "missing"
    if isinstance(value, datetime.datetime):
        return "datetime"
    if type(value).__name__ in {"bool", "bool_"}:
        return "bool"
    return "number" if isinstance(value, numbers.Number) else type(value).__name__
