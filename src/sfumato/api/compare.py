"""``sfumato.compare``: several methods at several k on one table that is read and encoded once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa

from sfumato.api import utility as measuring
from sfumato.common import parameters
from sfumato.common.charts import charts
from sfumato.common.html import element, fragment
from sfumato.common.html import table as markup_table
from sfumato.common.patience import INTERRUPT
from sfumato.common.progress import Clock, Progress, ProgressOption, reporting
from sfumato.common.threads import at_most
from sfumato.errors import SfumatoError
from sfumato.methods import Method, find_method
from sfumato.privacy import KAnonymity
from sfumato.release.release import Release
from sfumato.run.build import Attempts, build_release
from sfumato.run.find import FoundClasses
from sfumato.run.frontier import checked_sizes
from sfumato.run.origin import bound_of
from sfumato.run.prepare import Prepared
from sfumato.run.request import AttemptArguments, Request, spelled_out
from sfumato.table.schema import Schema

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True)
class Cell:
    """One method at one k: its loss and its time, or why it failed.

    ``achieved`` is the size of the smallest class that a reader sees, ``l`` and ``t`` are what the sensitive columns
    achieve; ``bound`` is a GCP that no release can beat at this k; ``frontier`` says that no cell of at least this k
    loses less; ``utility`` has the measures of `sfumato.utility`, if requested.
    """

    method: str
    k: int
    gcp: float | None = None
    dm: float | None = None
    c_avg: float | None = None
    seconds: float | None = None
    achieved: int | None = None
    suppressed: int | None = None
    bound: float | None = None
    frontier: bool = False
    failed: str | None = None
    l: float | None = None  # noqa: E741
    t: float | None = None
    utility: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return asdict(self)


@dataclass(frozen=True)
class Comparison:
    """The losses and times of several methods at several k.

    Attributes
    ----------
    cells
        One for every method and k.
    ended
        Why it ended before all cells were done: Ctrl-C; None if they are.
    """

    cells: tuple[Cell, ...]
    ended: str | None = None

    @property
    def table(self) -> pa.Table:
        """The cells as an Arrow table, one row each; every measure of utility is a column."""
        plain = [cell.to_dict() for cell in self.cells]
        names = dict.fromkeys(name for cell in self.cells for name in cell.utility)
        return pa.Table.from_pylist([{**row, **dict.fromkeys(names), **row.pop("utility")} for row in plain])

    @property
    def frontier(self) -> tuple[Cell, ...]:
        """The cells that no other beats: none of at least their k loses less."""
        return tuple(cell for cell in self.cells if cell.frontier)

    @property
    def picture(self) -> charts.Picture:
        """The loss of every method as k grows, and the bound that no release can beat, as a picture with its table."""
        losses: dict[str, dict[int, float]] = {cell.method: {} for cell in self.cells}
        for cell in self.cells:
            if cell.gcp is not None:
                losses[cell.method][cell.k] = cell.gcp
        bounds = {cell.k: cell.bound for cell in self.cells if cell.bound is not None}
        return charts.loss_against_k(losses, bounds, [(cell.method, cell.k) for cell in self.frontier])

    def plot(self) -> alt.TopLevelMixin:
        """Plot the loss of every method as k grows, as an Altair chart; needs ``sfumato[report]``."""
        return self.picture.chart

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """Lay out the cells as a table, header first; columns without any figure are left out."""
        measures = list(dict.fromkeys(name for cell in self.cells for name in cell.utility))
        columns: dict[str, Callable[[Cell], str]] = {
            "method": lambda cell: cell.method,
            "k": lambda cell: f"{cell.k:,}",
            "has k": lambda cell: _told(cell.achieved, ",d"),
            "l": lambda cell: _told(cell.l, ".2f"),
            "t": lambda cell: _told(cell.t, ".3f"),
            "GCP": lambda cell: _told(cell.gcp, ".4f"),
            "bound": lambda cell: _told(cell.bound, ".4f"),
            "suppressed": lambda cell: _told(cell.suppressed or None, ",d"),
            "seconds": lambda cell: _told(cell.seconds, ".2f"),
            **{name: partial(_utility, name) for name in measures},
            "": lambda cell: "*" if cell.frontier else cell.failed or "",
        }
        shown = {title: [say(cell) for cell in self.cells] for title, say in columns.items()}
        kept = {title: cells for title, cells in shown.items() if any(cells)}
        return list(kept), [list(row) for row in zip(*kept.values(), strict=True)]

    def __str__(self) -> str:
        header, rows = self.rows()
        widths = [max(map(len, column)) for column in zip(header, *(row[:-1] for row in rows), strict=False)]
        lines = [_aligned(row, widths) for row in (header, *rows)]
        return "\n".join([*lines, BEST, *([] if self.ended is None else [self._cut_short])])

    @property
    def _cut_short(self) -> str:
        return f"{self.ended} ended the comparison: the cells that are not here were not tried."

    def _repr_html_(self) -> str:
        header, rows = self.rows()
        return fragment(
            "Comparison",
            markup_table(header, rows, range(1, len(header) - 1)),
            element("p", BEST),
            self.ended and element("p", self._cut_short),
        )


#: The meaning of the mark in the last column.
BEST = "* no cell of at least this k loses less"


def _told(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _utility(name: str, cell: Cell) -> str:
    return _told(cell.utility.get(name), ".4f")


def _aligned(row: Sequence[str], widths: Sequence[int]) -> str:
    """Align a line: the method to the left, figures to the right, a mark or a sentence at the end."""
    name, *figures = row[: len(widths)]
    cells = [name.ljust(widths[0]), *(one.rjust(width) for one, width in zip(figures, widths[1:], strict=True))]
    return "  ".join([*cells, *row[len(widths) :]]).rstrip()


@spelled_out
def compare(
    data: object,
    schema: Schema | None = None,
    *,
    methods: Sequence[str | Method] | str | Method = ("auto", "hilbert", "mondrian"),
    k: Sequence[int] | int = (2, 5, 10, 50),
    time_limit: float | None = None,
    utility: bool = False,
    progress: ProgressOption = False,
    **arguments: Unpack[AttemptArguments],
) -> Comparison:
    """Try several methods at several k on one table, which is read and encoded once.

    Parameters
    ----------
    methods
        Names of methods, or methods with parameters.
    k
        The k to try with each of them.
    time_limit
        Seconds for every cell, for methods that take a time limit.
    utility
        Whether to measure the utility of every cell as well, as `sfumato.utility` does; it takes longer.
    data, schema, quasi_identifiers, sensitive, person, identifiers, plain, rest, weights, l, t, privacy,
    preset, suppression, missing, intervals, ends, keep_order, seed, na, confirm, strict, transform, pseudonymize,
    sample, engine, memory, temporary, threads, progress, separator, encoding, sheet, layout,
    decimal, dates, skip
        As in `anonymize`; all models hold in every cell. A comparison works in memory. Ctrl-C keeps the cells that are
        done.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.datasets.patients()
    >>> found = sf.compare(people.table, people.schema, methods=["mondrian", "hilbert"], k=[2, 1000], seed=1)
    >>> [(cell.method, cell.k, cell.failed is None) for cell in found.cells]
    [('mondrian', 2, True), ('hilbert', 2, True), ('mondrian', 1000, False), ('hilbert', 1000, False)]
    """
    request = Request.of("compare", schema, **arguments)
    return compare_for(data, request, methods, k, time_limit, utility=utility, progress=progress)


def compare_for(
    data: object,
    request: Request,
    methods: Sequence[str | Method] | str | Method,
    k: Sequence[int] | int,
    time_limit: float | None = None,
    *,
    utility: bool = False,
    progress: ProgressOption = False,
) -> Comparison:
    """Try methods at several k, with all other options of a request."""
    sizes = checked_sizes("compare", k, at_least=1)
    names = [methods] if isinstance(methods, str | Method) else methods
    tried = [_limited(find_method(method), time_limit) for method in names]
    cells: list[Cell] = []
    ended = None
    with at_most(request.threads), reporting(progress, "compare") as report:
        table = Attempts.of(data, request, report, several=True, guarded=False)
        original = table.prepared.originals() if utility else None
        try:
            for cell in _cells(table, sizes, tried, original, report):
                cells.append(cell)  # noqa: PERF402  # one by one: Ctrl-C keeps those that are done
        except KeyboardInterrupt:
            if not cells:
                raise
            ended = INTERRUPT
    return Comparison(tuple(replace(cell, frontier=_unbeaten(cell, cells)) for cell in cells), ended)


def _cells(
    table: Attempts, sizes: Sequence[int], methods: Sequence[Method], original: pa.Table | None, report: Progress
) -> Iterator[Cell]:
    """Try every method at every k; the bound of a k is computed once."""
    for at, size in enumerate(sizes):
        asked = replace(table.request, privacy=(KAnonymity(size), *table.request.privacy))
        bound = None
        for place, method in enumerate(methods):
            report(f"trying {method.name} at k={size:,}", (at * len(methods) + place) / (len(sizes) * len(methods)))
            cell, found = _cell(table, replace(asked, method=method), original)
            if found is not None and bound is None:
                bound = float(bound_of(table.prepared, found))
            yield replace(cell, k=size, bound=None if found is None else bound)


def _limited(method: Method, time_limit: float | None) -> Method:
    """Set the time limit of a method, if it takes one."""
    if time_limit is None:
        return method
    parameters.number("compare", "time_limit", time_limit, above=0)
    takes = any(one.name == "time_limit" for one in fields(method))  # type: ignore[arg-type]
    return replace(method, time_limit=time_limit) if takes else method  # type: ignore[type-var]


def _cell(table: Attempts, request: Request, original: pa.Table | None) -> tuple[Cell, FoundClasses | None]:
    """Run one method and measure its release, against the original if given; a failure is recorded, too."""
    name, clock = request.method.name, Clock()
    try:
        found = table.find(request, clock=clock)
        release = build_release(table.source, table.prepared, found, Clock())
        measured = {} if original is None else _measured(original, release, table.prepared)
    except SfumatoError as error:
        return Cell(name, 0, failed=str(error)), None
    achieved = release.verification
    cell = Cell(
        name,
        0,
        found.loss["gcp"],
        found.loss["dm"],
        found.loss["c_avg"],
        clock.seconds["method"],
        achieved.k,
        found.recoded.suppressed,
        l=achieved.l,
        t=achieved.t,
        utility=measured,
    )
    return cell, found


def _measured(original: pa.Table, release: Release, prepared: Prepared) -> dict[str, float]:
    """Measure the utility of a release; every cell draws the same queries."""
    found = measuring.utility(original, release, seed=prepared.secret.number("utility"))
    return {name: one.value for name, one in found.items()}


def _unbeaten(cell: Cell, cells: Sequence[Cell]) -> bool:
    if cell.gcp is None:
        return False
    return all(other.gcp is None or other.k < cell.k or other.gcp >= cell.gcp for other in cells)
