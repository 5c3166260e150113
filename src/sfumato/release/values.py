"""The released values of a recoding: intervals, labels, ``*``, bounds, midpoints or means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.grouping import code_column, group_rows
from sfumato.common.progress import Tell, silent
from sfumato.common.rows import gather, stretches
from sfumato.common.threads import in_order as in_turn
from sfumato.common.threads import side_by_side
from sfumato.errors import SchemaError
from sfumato.hierarchies import ROOT, Domain, Ends, ScaledDomain, SetDomain
from sfumato.hierarchies.calendar import held_by
from sfumato.io.columns import packed
from sfumato.release.shown import ShownInMemory
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding, shown_sets

#: How intervals can be shown.
INTERVALS = ("text", "bounds", "midpoint", "mean")

#: The rows of a chunk of a released column.
CHUNK_ROWS = 1 << 18

MICROSECONDS_PER_DAY = 86_400_000_000

#: The digits to which midpoints and means are rounded, counted from the first digit of what their class spans; those of
#: numbers of four bytes, which have no more than seven in all.
FINE, FINE_OF_SINGLE = 6, 4


@dataclass(frozen=True)
class Showing:
    """What is needed to show the classes of one quasi-identifier."""

    domain: Domain
    place: int
    level: int | None
    microdata: Microdata
    classes: EquivalenceClasses

    @property
    def lo(self) -> NDArray[np.int64]:
        """The first code of every class."""
        return self.classes.lo[:, self.place]

    @property
    def hi(self) -> NDArray[np.int64]:
        """The last code of every class."""
        return self.classes.hi[:, self.place]

    @property
    def hidden(self) -> NDArray[np.bool_]:
        """Which classes are hidden: their text is ``*``, so they show no end, no midpoint and no mean either."""
        texts = _texts(self)
        nothing = pc.equal(texts.dictionary, ROOT).fill_null(False).to_numpy(zero_copy_only=False)
        return np.append(nothing, False)[texts.indices.fill_null(-1).to_numpy(zero_copy_only=False)]

    @property
    def ends(self) -> Ends:
        """The lower and upper ends of what every class shows."""
        assert isinstance(self.domain, ScaledDomain)
        if self.level is None:
            return self.domain.span_ends(self.lo, self.hi).hidden(self.hidden)
        return self.domain.level_ends(self.level).take(self.domain.levels[self.level].groups[self.lo])


def show(
    table: pa.Table,
    roles: Mapping[str, str],
    microdata: Microdata,
    recoding: Recoding,
    classes: EquivalenceClasses,
    intervals: str,
    order: NDArray[np.int64],
    places: NDArray[np.int64],
    tell: Tell = silent,
) -> ShownInMemory:
    """Build the released table.

    Parameters
    ----------
    table
        The columns that are released row by row: sensitive and plain ones, and pseudonyms.
    roles
        The role of every column of the input, in its order.
    microdata, recoding, classes
        The encoded table and its recoding.
    intervals
        How intervals are shown, one of ``INTERVALS``.
    order
        The rows of ``microdata`` to release, in the order of the release.
    places
        Where these rows stand in ``table``.
    tell
        Called with the share of columns that are shown.
    """
    of_row = gather(classes.of_row, order)

    def shown(name: str) -> dict[str, pa.ChunkedArray]:
        if roles[name] != "quasi-identifier":
            return {name: without_traces(_taken(_single(table.column(name)), places))}
        place = microdata.names.index(name)
        level = None if recoding.levels is None else recoding.levels[place]
        made = _per_class(Showing(microdata.domains[place], place, level, microdata, classes), intervals)
        # Labels are sorted once per class instead of once per row.
        return {column: _taken(in_order(values), of_row) for column, values in made.items()}

    as_they_are = frozenset(table.column_names)
    names = [name for name, role in roles.items() if role == "quasi-identifier" or name in as_they_are]
    columns: dict[str, pa.ChunkedArray] = {}
    classed: dict[str, tuple[str, ...]] = {}
    for at, (name, new) in enumerate(zip(names, in_turn(shown, names), strict=True)):
        tell(at / len(names))
        _refuse_clash(name, [one for one in new if one in columns or (one in roles and one != name)])
        columns |= new
        if roles[name] == "quasi-identifier":
            classed[name] = tuple(new)
    return ShownInMemory(pa.table(columns), classed)


def _taken(values: pa.Array, places: NDArray[np.integer]) -> pa.ChunkedArray:
    """The values at some places, in chunks that threads take side by side; all chunks share a dictionary."""
    chunks = side_by_side(lambda some: values.take(pa.array(places[slice(*some)])), stretches(len(places), CHUNK_ROWS))
    return pa.chunked_array(chunks, values.type)


def _per_class(showing: Showing, intervals: str) -> dict[str, pa.Array]:
    """The columns that show a quasi-identifier, with one value per class."""
    domain = showing.domain
    if intervals == "text" or not isinstance(domain, ScaledDomain):
        return {domain.name: _texts(showing)}
    if intervals == "bounds":
        return {f"{domain.name}_min": showing.ends.low, f"{domain.name}_max": showing.ends.high}
    if not domain.averageable:
        return {domain.name: _texts(showing)}
    ends = showing.ends
    numbers = ends.middles if intervals == "midpoint" else class_means(showing)
    if not pa.types.is_temporal(domain.values.type):
        single = domain.values.type == pa.float32()
        numbers = _rounded(numbers, ends.widths, FINE_OF_SINGLE if single else FINE)
        numbers = _without_noise(numbers) if single else numbers
    return {domain.name: _on_scale(domain, numbers)}


def _rounded(numbers: NDArray[np.float64], widths: NDArray[np.float64], fine: int) -> NDArray[np.float64]:
    """Round midpoints and means to a small part of what their class spans: further digits say nothing.

    >>> _rounded(np.array([36.333333333333336, 5234567.123456789, 70.9]), np.array([20.0, 3e6, 0.0]), 6).tolist()
    [36.33333, 5234567.0, 70.9]
    """
    spans = np.isfinite(widths) & (widths > 0)
    digits = fine - np.floor(np.log10(widths, where=spans, out=np.zeros(len(widths))))
    up, down = 10.0 ** np.clip(digits, 0, 300), 10.0 ** np.clip(-digits, 0, 300)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.rint(numbers * up / down) / up * down
    return np.where(spans & np.isfinite(rounded), rounded, numbers)


def _without_noise(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Show numbers of four bytes by the digits that they have, such as 70.9 instead of 70.9000015258789."""
    short = np.abs(numbers) <= np.finfo(np.float32).max
    found = pa.array(np.where(short, numbers, 0).astype(np.float32)).cast(pa.string()).cast(pa.float64()).to_numpy()
    return np.where(short, found, numbers)


def _texts(showing: Showing) -> pa.DictionaryArray:
    """The label of every class, each label once in the dictionary."""
    domain, level = showing.domain, showing.level
    if level is not None:
        shown, of_class = _different(
            domain.levels[level].groups[showing.lo].astype(np.int64), len(domain.levels[level])
        )
        labels = domain.levels[level].labels.take(pa.array(shown))
    else:
        shown, of_class = _different(_spans(showing), domain.size**2 + 1)
        labels = _span_labels(domain, shown)
    texts = labels.dictionary_encode().take(pa.array(of_class))
    if level is None and isinstance(domain, SetDomain) and domain.sets:
        return shown_sets(
            showing.microdata, showing.classes, showing.place, texts.cast(pa.string())
        ).dictionary_encode()
    return texts


def _spans(showing: Showing) -> NDArray[np.int64]:
    """Number the spans of classes; hidden classes get a number beyond all others."""
    spans = showing.lo * showing.domain.size + showing.hi
    hidden = showing.classes.hidden
    return spans if hidden is None else np.where(hidden[:, showing.place], showing.domain.size**2, spans)


def _span_labels(domain: Domain, spans: NDArray[np.int64]) -> pa.StringArray:
    nothing = spans == domain.size**2
    labels = _single(domain.span_labels(*np.divmod(np.where(nothing, 0, spans), domain.size)))
    return pc.if_else(pa.array(nothing), ROOT, labels) if nothing.any() else labels


def _different(keys: NDArray[np.int64], possible: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The keys that occur, in order, and the place of each key among them."""
    if possible > 4 * len(keys):
        return np.unique(keys, return_inverse=True)
    occurs = np.zeros(possible, np.bool_)
    occurs[keys] = True
    return np.flatnonzero(occurs), (np.cumsum(occurs) - 1)[keys]


def class_means(showing: Showing) -> NDArray[np.float64]:
    """The mean of every class on the column's scale; not a number where it shows ``*`` or is missing."""
    assert isinstance(showing.domain, ScaledDomain)
    of_row = showing.classes.of_row
    kept = of_row >= 0
    numbers = np.append(showing.domain.numbers, np.nan)[showing.microdata.codes[kept, showing.place]]
    sizes = showing.classes.sizes
    means = np.bincount(of_row[kept], weights=numbers, minlength=len(showing.classes)) / sizes
    if np.isinf(means).any():  # a sum beyond the largest float, of numbers that are not
        parts = np.bincount(of_row[kept], weights=numbers / sizes[of_row[kept]], minlength=len(showing.classes))
        means = np.where(np.isinf(means), parts, means)
    return np.where(showing.hidden, np.nan, means)


def _on_scale(domain: Domain, numbers: NDArray[np.float64]) -> pa.Array:
    """Convert numbers of a column's scale to an array: of dates where the scale counts days, else of numbers."""
    lacking = np.isnan(numbers)
    if not pa.types.is_temporal(domain.values.type):
        return pa.array(numbers, mask=lacking)
    # Rounding must not leave the calendar.
    ticks = np.clip(np.where(lacking, 0, np.rint(numbers * MICROSECONDS_PER_DAY)).astype(np.int64), *held_by("us"))
    moments = pa.array(ticks, pa.timestamp("us", getattr(domain.values.type, "tz", None)), mask=lacking)
    return moments.cast(domain.values.type, safe=False)


def in_order(values: pa.Array) -> pa.Array:
    """Reduce the dictionary of class labels to those that occur, in order; leave anything else as it is."""
    if not pa.types.is_dictionary(values.type):
        return values
    return _single(packed(pa.chunked_array([values]), ordered=True))


def without_traces(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column whose dictionary, if any, holds nothing but the released values."""
    return packed(column, ordered=True) if pa.types.is_dictionary(column.type) else column


def _single(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def with_weights(
    shown: ShownInMemory, order: Sequence[str], name: str, weights: NDArray[np.float64], total: float
) -> ShownInMemory:
    """Add the weights of a survey: the mean of each class, scaled so that they sum to the total.

    A row that kept its own weight would stand out from the others of its class. The weight of suppressed rows is spread
    over all others in proportion.

    Parameters
    ----------
    shown
        The table without weights.
    order
        The columns of the input, in whose order those of the release are.
    name, weights
        The column of weights, and the weight of every released row.
    total
        What all rows of the input stand for.
    """
    alike = group_rows(code_column(column, shown.table.column(column)) for column in shown.class_columns)
    sums = np.bincount(alike.of_row, weights=weights, minlength=len(alike))
    means = (sums / alike.sizes * (total / weights.sum()))[alike.of_row] if len(weights) else weights
    before = set(order[: order.index(name)])
    made = {own: column for column, all_own in shown.quasi_identifiers.items() for own in all_own}
    at = sum(made.get(column, column) in before for column in shown.table.column_names)
    return replace(shown, table=shown.table.add_column(at, name, pa.array(means)))


def _refuse_clash(name: str, taken: Sequence[str]) -> None:
    if taken:
        raise SchemaError(
            f"Showing '{name}' by its bounds needs a column '{taken[0]}', which the table already has. "
            "Rename that column, or use intervals='text'."
        )


@dataclass(frozen=True)
class ValueCounts:
    """How often every value of a quasi-identifier occurs in the original; for the publisher's own eyes.

    Attributes
    ----------
    values
        The different values, without the missing one.
    counts, suppressed
        How many rows have each of them, and how many of these are not released; at the end those that lack a value.
    """

    values: pa.Array
    counts: NDArray[np.int64]
    suppressed: NDArray[np.int64]


def count_values(microdata: Microdata, left_out: NDArray[np.bool_]) -> dict[str, ValueCounts]:
    """Count the values of every quasi-identifier, in all rows and in those that are left out."""
    found = {}
    for place, domain in enumerate(microdata.domains):
        codes, size = microdata.codes[:, place], len(domain.values) + 1
        counts, gone = (np.bincount(part, minlength=size) for part in (codes, codes[left_out]))
        found[domain.name] = ValueCounts(domain.values, counts, gone)
    return found


def class_table(microdata: Microdata, recoding: Recoding, classes: EquivalenceClasses) -> pa.Table:
    """One row per class: its size, what it shows of every quasi-identifier, and the means of numbers."""
    columns: dict[str, pa.Array] = {"size": pa.array(classes.sizes)}
    for place, domain in enumerate(microdata.domains):
        level = None if recoding.levels is None else recoding.levels[place]
        showing = Showing(domain, place, level, microdata, classes)
        columns[domain.name] = pc.cast(_texts(showing), pa.string())
        if isinstance(domain, ScaledDomain) and domain.averageable:
            columns[f"{domain.name}_mean"] = _on_scale(domain, class_means(showing))
    return pa.table(columns)
