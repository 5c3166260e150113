"""Figures 12 to 19 of the fast-anonymization paper as tables and plots: ``python -m benchmarks.figures_linear``.

Every figure is run on the generated census, those that make sense there also on the real Adult if it lies beside the
repository, and one on numbers alone. Tables are printed, and behind them for each of the paper's claims whether it
holds; plots are written as SVG into ``benchmarks/results``. ``--quick`` uses a tenth of the rows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa

import sfumato as sf
from benchmarks.claims_linear import verdicts
from benchmarks.drawing import line_plot, save
from benchmarks.linear import census, gcp, task
from benchmarks.literal.mondrian import LiteralMondrian
from benchmarks.measure import ADULT
from sfumato.loss import METRICS, RecodedTable
from sfumato.methods import Task, find_method
from sfumato.microdata import EquivalenceClasses, Microdata, Recoding, encode
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel

PAPER = "mondrian-2007"
FOR_K = ("hilbert", "hilbert-fast", "idistance", "idistance-fast", "cost-aware", "mondrian", PAPER)
FOR_L = ("hilbert", "idistance", "cost-aware", "mondrian", PAPER)


@dataclass
class Figure:
    """One figure: for every method, what was measured at every value of the x axis."""

    number: int
    data: str
    varied: str
    axis: str
    methods: Sequence[str]
    shown: Sequence[str] = ("GCP", "seconds")
    xs: list[float] = field(default_factory=list)
    measured: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"Figure {self.number}: {self.data}, {self.varied}"

    def measure(self, x: float, microdata: Microdata, *models: PrivacyModel) -> None:
        self.xs.append(x)
        job = task(microdata, *models)
        for name in self.methods:
            begin = time.perf_counter()
            recoding = recoder(name)(job)
            took = time.perf_counter() - begin
            classes = EquivalenceClasses.of(microdata, recoding)
            self._add("GCP", name, gcp(microdata, recoding))
            self._add("seconds", name, took)
            self._add("DM", name, METRICS["dm"].measure(RecodedTable(microdata, classes)))

    def _add(self, what: str, name: str, value: float) -> None:
        self.measured.setdefault(what, {}).setdefault(name, []).append(value)

    def show(self) -> None:
        for what in self.shown:
            print(f"\n{self.title}: {what}")
            print(f"  {self.axis:<16}" + "".join(f"{x:>12g}" for x in self.xs))
            for name, values in self.measured[what].items():
                print(f"  {name:<16}" + "".join(f"{value:>12.4g}" for value in values), flush=True)
            picture = line_plot(self.title, self.axis, what, self.xs, self.measured[what], order=FOR_K)
            save(picture, f"linear-figure-{self.number}-{self.data.lower()}-{what.lower()}")


def recoder(name: str) -> Callable[[Task], Recoding]:
    """Return a registered method, or the one that the paper compared with."""
    return LiteralMondrian(widths="codes").run if name == PAPER else find_method(name).run


def warm() -> None:
    """Compile everything first, so that no figure pays for it."""
    many = census(2000)
    # Numbers have wider codes, for which kernels are compiled anew.
    for microdata in (many, first_attributes(many, 1), numbers(2000)):
        for name in FOR_K:
            recoder(name)(task(microdata, KAnonymity(5)))
            if microdata.sensitive:
                recoder(name)(task(microdata, LDiversity(3)))


def first_attributes(microdata: Microdata, count: int) -> Microdata:
    codes = np.ascontiguousarray(microdata.codes[:, :count])
    return Microdata(codes, microdata.domains[:count], microdata.sensitive)


def coarser_sensitive(microdata: Microdata, m: int) -> Microdata:
    """Aggregate continuous ranges of the sensitive attribute, as the paper does, to m values."""
    column = microdata.sensitive[0]
    codes = (column.codes.astype(np.int64) * m // column.size).astype(np.int32)
    return replace(microdata, sensitive=(replace(column, values=column.values[:m], codes=codes),))


def numbers(rows: int) -> Microdata:
    """Four numbers of people in eight clouds: nothing but distances, as curves like it."""
    random = np.random.default_rng(1)
    centres, widths = random.random((8, 4)), 0.02 + 0.1 * random.random((8, 4))
    cloud = random.choice(8, rows, p=np.arange(1, 9) / 36)
    points = np.rint(1000 * random.normal(centres[cloud], widths[cloud])).astype(np.int64)
    columns = {f"number {at}": pa.array(points[:, at]) for at in range(4)}
    return encode(pa.table(columns), dict.fromkeys(columns, sf.Numeric()))


def figures(scale: float) -> Iterator[Figure]:
    if ADULT.exists():
        yield from on_adult()
    yield by_k(Figure(13, "numbers", "variable k", "k", FOR_K), numbers(int(50_000 * scale)), (10, 25, 50, 75, 100))
    yield from on_census(scale)


def on_adult() -> Iterator[Figure]:
    adult = sf.datasets.adult(ADULT).without_levels()
    real = encode(adult.table, adult.schema.quasi_identifiers, ["occupation"])
    measures = ("GCP", "DM", "seconds")
    yield by_k(Figure(12, "Adult", "variable k", "k", FOR_K, measures), real, (5, 10, 20, 30, 40, 50))
    yield by_dimension(Figure(15, "Adult", "variable dimensionality, k=50", "d", FOR_K), real, KAnonymity(50))
    yield by_l(Figure(16, "Adult", "variable l", "l", FOR_L), real, range(2, 8))
    yield by_dimension(Figure(18, "Adult", "variable dimensionality, l=5", "d", FOR_L), real, LDiversity(5))


def on_census(scale: float) -> Iterator[Figure]:
    middle = census(int(200_000 * scale))
    yield by_k(Figure(13, "census", "variable k", "k", FOR_K), middle, (10, 25, 50, 75, 100))
    by_size = Figure(14, "census", "variable size, k=50", "rows", FOR_K)
    by_size_l = Figure(17, "census", "variable size, l=5", "rows", FOR_L)
    for size in (50_000, 100_000, 200_000, 300_000, 400_000):
        microdata = census(int(size * scale))
        by_size.measure(len(microdata), microdata, KAnonymity(50))
        by_size_l.measure(len(microdata), microdata, LDiversity(5))
    yield by_size
    yield by_dimension(Figure(15, "census", "variable dimensionality, k=50", "d", FOR_K), middle, KAnonymity(50))
    yield by_l(Figure(16, "census", "variable l", "l", FOR_L), middle, (2, 3, 5, 7, 9, 11, 13))
    yield by_size_l
    yield by_dimension(Figure(18, "census", "variable dimensionality, l=5", "d", FOR_L), middle, LDiversity(5))
    figure = Figure(19, "census", "variable number m of sensitive values, l=5", "m", FOR_L)
    for m in (5, 10, 15, 25, 35, 50):
        coarse = coarser_sensitive(middle, m)
        if coarse.sensitive[0].counts().max() * 5 <= len(coarse):
            figure.measure(m, coarse, LDiversity(5))
    yield figure


def by_k(figure: Figure, microdata: Microdata, ks: Iterable[int]) -> Figure:
    for k in ks:
        figure.measure(k, microdata, KAnonymity(k))
    return figure


def by_l(figure: Figure, microdata: Microdata, ls: Iterable[int]) -> Figure:
    """Vary l as far as the table is eligible."""
    most = len(microdata) / microdata.sensitive[0].counts().max()
    for l in [l for l in ls if l <= most]:  # noqa: E741
        figure.measure(l, microdata, LDiversity(l))
    return figure


def by_dimension(figure: Figure, microdata: Microdata, model: PrivacyModel) -> Figure:
    for d in range(1, len(microdata.domains) + 1):
        figure.measure(d, first_attributes(microdata, d), model)
    return figure


def main(arguments: list[str]) -> None:
    warm()
    shown = []
    for figure in figures(0.1 if "--quick" in arguments else 1.0):
        figure.show()
        shown.append(figure)
    print()
    print("\n".join(verdicts({figure.title: figure.measured for figure in shown})))


if __name__ == "__main__":
    main(sys.argv[1:])
