"""Which method at which k? Several of each on one table that is read and encoded once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato import parameters
from sfumato.errors import SfumatoError
from sfumato.io import open_source
from sfumato.loss import gcp_bound
from sfumato.markup import Content, element, fragment, table
from sfumato.methods import Method, find_method
from sfumato.pipeline.finding import find_classes
from sfumato.pipeline.preparing import Prepared, prepare
from sfumato.privacy import KAnonymity, PrivacyModel
from sfumato.progress import ProgressOption, reporting, silent
from sfumato.report import charts
from sfumato.request import Request
from sfumato.schema import Schema

if TYPE_CHECKING:
    import altair as alt


@dataclass(frozen=True)
class Cell:
    """One method at one k: what it lost and took, or why there is nothing.

    ``achieved`` is the size of its smallest class; ``bound`` is a GCP that nobody can beat at this k; ``frontier`` says
    that no cell of at least this k loses less.
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


@dataclass(frozen=True)
class Comparison:
    """What several methods lose and take at several k.

    Attributes
    ----------
    cells
        One for every method and k.
    """

    cells: tuple[Cell, ...]

    @property
    def table(self) -> pa.Table:
        """The cells as an Arrow table, one row each."""
        return pa.Table.from_pylist([asdict(cell) for cell in self.cells])

    @property
    def frontier(self) -> tuple[Cell, ...]:
        """The cells that no other beats: none of at least their k loses less."""
        return tuple(cell for cell in self.cells if cell.frontier)

    @property
    def picture(self) -> charts.Picture:
        """What every method loses as k grows, and what no release can be below, as a picture with its table."""
        losses: dict[str, dict[int, float]] = {cell.method: {} for cell in self.cells}
        for cell in self.cells:
            if cell.gcp is not None:
                losses[cell.method][cell.k] = cell.gcp
        bounds = {cell.k: cell.bound for cell in self.cells if cell.bound is not None}
        return charts.loss_against_k(losses, bounds, [(cell.method, cell.k) for cell in self.frontier])

    def plot(self) -> alt.TopLevelMixin:
        """Return the loss of every method as k grows as an Altair chart; it needs ``sfumato[report]``."""
        return self.picture.chart

    def __str__(self) -> str:
        width = max(len("method"), *(len(cell.method) for cell in self.cells))
        lines = [f"{'method':<{width}} {'k':>6} {'GCP':>8} {'bound':>8} {'seconds':>8}"]
        for cell in self.cells:
            shown = f"{cell.method:<{width}} {cell.k:>6,}"
            if cell.gcp is None:
                lines.append(f"{shown} {cell.failed}")
            else:
                mark = "  *" if cell.frontier else ""
                lines.append(f"{shown} {cell.gcp:>8.4f} {cell.bound or 0.0:>8.4f} {cell.seconds:>8.2f}{mark}")
        return "\n".join([*lines, "* no cell of at least this k loses less"])

    def _repr_html_(self) -> str:
        rows: list[list[Content]] = [
            [cell.method, f"{cell.k:,}", *_figures(cell), "best" if cell.frontier else cell.failed]
            for cell in self.cells
        ]
        header = ["method", "k", "GCP", "bound", "seconds", ""]
        explained = element("p", "best: no cell of at least this k loses less")
        return fragment("Comparison", table(header, rows, numbers={1, 2, 3, 4}), explained)


def _figures(cell: Cell) -> list[str]:
    if cell.gcp is None:
        return ["", "", ""]
    return [f"{cell.gcp:.4f}", f"{cell.bound or 0.0:.4f}", f"{cell.seconds:.2f}"]


def compare(
    data: object,
    schema: Schema,
    *,
    methods: Sequence[str | Method] = ("auto", "hilbert", "mondrian"),
    k: Sequence[int] = (2, 5, 10, 50),
    privacy: Sequence[PrivacyModel] = (),
    suppression: float = 0.0,
    time_limit: float | None = None,
    seed: int | None = None,
    progress: ProgressOption = False,
    separator: str | None = None,
) -> Comparison:
    """Try several methods at several k on one table, which is read and encoded once.

    Parameters
    ----------
    data, schema, suppression, seed, progress, separator
        As in `anonymize`.
    methods
        Names of methods, or methods with parameters.
    k
        The k to try with each of them.
    privacy
        More models that hold in every cell.
    time_limit
        Seconds for every cell, for methods that take a time limit.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = sf.datasets.patients()
    >>> found = sf.compare(people.table, people.schema, methods=["mondrian", "hilbert"], k=[2, 1000], seed=1)
    >>> [(cell.method, cell.k, cell.failed is None) for cell in found.cells]
    [('mondrian', 2, True), ('hilbert', 2, True), ('mondrian', 1000, False), ('hilbert', 1000, False)]
    """
    sizes = [parameters.integer("compare", "k", size, at_least=1) for size in k]
    tried = [_limited(find_method(method), time_limit) for method in methods]
    options: dict[str, Any] = {"suppression": suppression, "seed": seed, "separator": separator, "caller": "compare"}
    request = Request(schema, privacy, **options)
    with reporting(progress, "compare") as report:
        prepared = prepare(open_source(data, separator=separator), request, report)
        request = replace(request, schema=prepared.schema)
        cells: list[Cell] = []
        for size in sizes:
            asked = replace(request, privacy=(KAnonymity(size), *request.privacy))
            bound = float(gcp_bound(prepared.microdata, size, prepared.left_out, prepared.secret.number("bound")))
            for method in tried:
                report(f"trying {method.name} at k={size:,}", len(cells) / (len(sizes) * len(tried)))
                cells.append(_cell(prepared, replace(asked, method=method), size, bound))
    return Comparison(tuple(replace(cell, frontier=_unbeaten(cell, cells)) for cell in cells))


def _limited(method: Method, time_limit: float | None) -> Method:
    """Return a method with a limit on time, if it takes one."""
    if time_limit is None:
        return method
    parameters.number("compare", "time_limit", time_limit, above=0)
    takes = any(one.name == "time_limit" for one in fields(method))  # type: ignore[arg-type]
    return replace(method, time_limit=time_limit) if takes else method  # type: ignore[type-var]


def _cell(prepared: Prepared, request: Request, k: int, bound: float) -> Cell:
    """Run one method; a failure is an answer, too."""
    begun = time.perf_counter()
    name = request.method.name
    try:
        found = find_classes(prepared, request, silent)
    except SfumatoError as error:
        return Cell(name, k, failed=str(error))
    took = time.perf_counter() - begun
    sizes = found.recoded.classes.sizes
    return Cell(
        name,
        k,
        found.loss["gcp"],
        found.loss["dm"],
        found.loss["c_avg"],
        took,
        int(sizes.min()) if len(sizes) else None,
        found.recoded.suppressed,
        bound,
    )


def _unbeaten(cell: Cell, cells: Sequence[Cell]) -> bool:
    if cell.gcp is None:
        return False
    return all(other.gcp is None or other.k < cell.k or other.gcp >= cell.gcp for other in cells)
