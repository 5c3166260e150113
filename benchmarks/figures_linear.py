"""Figures 12 to 19 of the fast-anonymization paper as tables and plots: ``python -m benchmarks.figures_linear``.

Every figure is run on the generated census, Figure 12 on the real Adult if it lies beside the repository. Tables are
printed; plots are written as SVG into ``benchmarks/results``. ``--quick`` uses a tenth of the rows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

import sfumato as sf
from benchmarks.linear import census, gcp, task
from benchmarks.measure import ADULT, RESULTS
from benchmarks.plot import line_plot
from sfumato.loss import METRICS, Recoded
from sfumato.methods import find_method
from sfumato.microdata import EquivalenceClasses, Microdata, encode
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel

FOR_K = ("hilbert", "hilbert-fast", "idistance", "idistance-fast", "cost-aware", "mondrian")
FOR_L = ("hilbert", "idistance", "cost-aware", "mondrian")


@dataclass
class Figure:
    """One figure: for every method, what was measured at every value of the x axis."""

    title: str
    axis: str
    methods: Sequence[str]
    xs: list[float] = field(default_factory=list)
    measured: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    def measure(self, x: float, microdata: Microdata, *models: PrivacyModel) -> None:
        self.xs.append(x)
        job = task(microdata, *models)
        for name in self.methods:
            method = find_method(name)
            begin = time.perf_counter()
            recoding = method.recode(job)
            took = time.perf_counter() - begin
            classes = EquivalenceClasses.of(microdata, recoding)
            self._add("GCP", name, gcp(microdata, recoding))
            self._add("seconds", name, took)
            self._add("DM", name, METRICS["dm"].measure(Recoded(microdata, classes)))

    def _add(self, what: str, name: str, value: float) -> None:
        self.measured.setdefault(what, {}).setdefault(name, []).append(value)

    def show(self, *measures: str) -> None:
        for what in measures:
            print(f"\n{self.title}: {what}")
            print(f"  {self.axis:<16}" + "".join(f"{x:>12g}" for x in self.xs))
            for name, values in self.measured[what].items():
                print(f"  {name:<16}" + "".join(f"{value:>12.4g}" for value in values), flush=True)
            RESULTS.mkdir(parents=True, exist_ok=True)
            file = RESULTS / f"{self.title.split(':')[0].lower().replace(' ', '-')}-{what.lower()}.svg"
            file.write_text(line_plot(f"{self.title}: {what}", self.axis, self.xs, self.measured[what]))

    def at_most(self, better: str, worse: str) -> str:
        pairs = zip(self.measured["GCP"][better], self.measured["GCP"][worse], strict=True)
        held = [ours <= theirs for ours, theirs in pairs]
        return f"{sum(held)} of {len(held)}"


def warm() -> None:
    """Compile everything first, so that no figure pays for it."""
    microdata = census(2000)
    for name in FOR_K:
        find_method(name).recode(task(microdata, KAnonymity(5)))
        find_method(name).recode(task(microdata, LDiversity(3)))


def first_attributes(microdata: Microdata, count: int) -> Microdata:
    codes = np.ascontiguousarray(microdata.codes[:, :count])
    return Microdata(codes, microdata.domains[:count], microdata.sensitive)


def coarser_sensitive(microdata: Microdata, m: int) -> Microdata:
    """Aggregate continuous ranges of the sensitive attribute, as the paper does, to m values."""
    column = microdata.sensitive[0]
    codes = (column.codes.astype(np.int64) * m // column.size).astype(np.int32)
    return replace(microdata, sensitive=(replace(column, values=column.values[:m], codes=codes),))


def figures(scale: float) -> Iterator[tuple[Figure, tuple[str, ...]]]:
    rows = int(200_000 * scale)
    if ADULT.exists():
        adult = sf.datasets.adult(ADULT)
        real = encode(adult.table, adult.schema.quasi_identifiers, [])
        figure = Figure("Figure 12: Adult, variable k", "k", FOR_K)
        for k in (5, 10, 20, 30, 40, 50):
            figure.measure(k, real, KAnonymity(k))
        yield figure, ("GCP", "DM", "seconds")
    middle = census(rows)
    figure = Figure("Figure 13: census, variable k", "k", FOR_K)
    for k in (10, 25, 50, 75, 100):
        figure.measure(k, middle, KAnonymity(k))
    yield figure, ("GCP", "seconds")
    sizes = [int(size * scale) for size in (50_000, 100_000, 200_000, 300_000, 400_000)]
    by_size, by_size_l = (
        Figure("Figure 14: census, variable size, k=50", "rows", FOR_K),
        Figure("Figure 17: census, variable size, l=5", "rows", FOR_L),
    )
    for size in sizes:
        microdata = census(size)
        by_size.measure(size, microdata, KAnonymity(50))
        by_size_l.measure(size, microdata, LDiversity(5))
    yield by_size, ("GCP", "seconds")
    figure = Figure("Figure 15: census, variable dimensionality, k=50", "d", FOR_K)
    for d in range(1, 8):
        figure.measure(d, first_attributes(middle, d), KAnonymity(50))
    yield figure, ("GCP", "seconds")
    figure = Figure("Figure 16: census, variable l", "l", FOR_L)
    most = int(len(middle) / middle.sensitive[0].counts().max())
    for l in [l for l in (2, 3, 5, 7, 9, 11, 13) if l <= most]:  # noqa: E741
        figure.measure(l, middle, LDiversity(l))
    yield figure, ("GCP", "seconds")
    yield by_size_l, ("GCP", "seconds")
    figure = Figure("Figure 18: census, variable dimensionality, l=5", "d", FOR_L)
    for d in range(1, 8):
        figure.measure(d, first_attributes(middle, d), LDiversity(5))
    yield figure, ("GCP", "seconds")
    figure = Figure("Figure 19: census, variable number m of sensitive values, l=5", "m", FOR_L)
    for m in (5, 10, 15, 25, 35, 50):
        coarse = coarser_sensitive(middle, m)
        if coarse.sensitive[0].counts().max() * 5 <= len(coarse):
            figure.measure(m, coarse, LDiversity(5))
    yield figure, ("GCP", "seconds")


def main(arguments: list[str]) -> None:
    warm()
    claims = []
    for figure, measures in figures(0.1 if "--quick" in arguments else 1.0):
        figure.show(*measures)
        claims.append(
            f"  {figure.title:<66} hilbert ≤ idistance {figure.at_most('hilbert', 'idistance')}, hilbert ≤ mondrian "
            f"{figure.at_most('hilbert', 'mondrian')}, idistance ≤ mondrian {figure.at_most('idistance', 'mondrian')}, "
            f"cost-aware ≤ mondrian {figure.at_most('cost-aware', 'mondrian')}"
        )
    print("\nThe paper's claims, by the number of points at which they hold (GCP):")
    print("\n".join(claims))


if __name__ == "__main__":
    main(sys.argv[1:])
