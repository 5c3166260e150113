"""Experiments 1 to 7 of the EnumMulti paper: how much better than greedy, and how near to the optimum."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from benchmarks.drawing import save
from benchmarks.enumeration import optimality
from benchmarks.enumeration_greedy import median_itself, nearest_to_median, strict_greedy
from benchmarks.enumeration_tables import ADULT_SPLITS, adult, coil, normal
from benchmarks.measure import ADULT, RESULTS, Result
from sfumato.hierarchies import IntervalDomain
from sfumato.methods import EnumMulti
from sfumato.methods.enumeration.splits import split_codes
from sfumato.microdata import Microdata
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, PrivacyModel
from sfumato.report import charts

#: Seconds for every point; the paper took up to five hours.
TIME = 10.0

KS = (10, 25, 50, 100, 250, 500, 1000)

#: How many times better than greedy the paper's optimum is on average, by splits per attribute; it names no other.
PAPER_FACTORS = {5: 8.2, 20: 4.0}

COLUMNS = (
    "experiment",
    "parameter",
    "value",
    "Mondrian / EnumMulti",
    "single choice: nearest to median / EnumMulti",
    "single choice: median itself / EnumMulti",
    "cost / bound",
)

LONG = ("age", "native-country", "race", "workclass", "occupation", "education", "marital-status")


@dataclass
class Curve:
    """One line of a figure: how many times better than three greedies, and cost over bound, for every parameter.

    The first greedy is Sfumato's Mondrian, which EnumMulti starts from. The others have one choice for every block:
    the cut nearest to the median of its widest attribute, or that median itself, if there is a cut.
    """

    name: str
    parameter: str
    at: list[float] = field(default_factory=list)
    better: list[float] = field(default_factory=list)
    nearest: list[float] = field(default_factory=list)
    median: list[float] = field(default_factory=list)
    ratio: list[float] = field(default_factory=list)

    def measure(self, value: float, microdata: Microdata, models: list[PrivacyModel], method: EnumMulti) -> Result:
        found = optimality(microdata, models, method)
        self.at.append(value)
        self.better.append(found.greedy / found.cost)
        self.nearest.append(strict_greedy(microdata, models, method, nearest_to_median) / found.cost)
        self.median.append(strict_greedy(microdata, models, method, median_itself) / found.cost)
        self.ratio.append(1 + found.gap)
        proof = "optimal, proven" if found.proven else f"cost / bound {1 + found.gap:.3f}"
        note = f"{self.better[-1]:.2f} × better ({self.nearest[-1]:.2f}, {self.median[-1]:.2f}), {proof}"
        return Result(
            f"{self.name}, {self.parameter}={value:g}: EnumMulti / greedy", 1 / self.better[-1], 1.0, note=note
        )

    def against(self, factor: float) -> Result:
        """Return how far this curve is from a factor that the paper reports on average."""
        mean, nearest, median = (float(np.mean(values)) for values in (self.better, self.nearest, self.median))
        note = f"{mean:.2f} × better on average ({nearest:.2f}, {median:.2f}), the paper: {factor:g} ×"
        if max(self.ratio) <= 1:
            note += "; every point is optimal, proven, so no search could be better by more"
        return Result(f"{self.name}: EnumMulti / greedy, mean", 1 / mean, 1 / factor, note=note)

    def rows(self) -> Iterator[tuple[str, str, *tuple[float, ...]]]:
        """Yield the points of the curve as rows of a table."""
        for point in zip(self.at, self.better, self.nearest, self.median, self.ratio, strict=True):
            yield self.name, self.parameter, *point


def run() -> Iterator[Result]:
    for title in EXPERIMENTS:
        if ADULT.exists() or not title.endswith("Adult"):
            yield from run_one(title)


def run_one(title: str) -> Iterator[Result]:
    """Run one experiment, with its table and its figure."""
    curves: list[Curve] = []
    yield from EXPERIMENTS[title](curves)
    RESULTS.mkdir(exist_ok=True)
    tabulate(title, curves)
    plot(title, curves)


def by_k(
    curves: list[Curve], name: str, microdata: Microdata, method: EnumMulti, extra: list[PrivacyModel] | None = None
) -> Iterator[Result]:
    curves.append(Curve(name, "k"))
    for k in KS:
        yield curves[-1].measure(k, microdata, [KAnonymity(k), *(extra or [])], method)


def normal_k(curves: list[Curve]) -> Iterator[Result]:
    for splits, factor in PAPER_FACTORS.items():
        method = EnumMulti(splits=splits, placing="width", time_limit=TIME)
        yield from by_k(curves, f"1 SimpleNormal, {splits} × {splits} splits", normal(), method)
        yield curves[-1].against(factor)


def adult_k(curves: list[Curve]) -> Iterator[Result]:
    yield from by_k(curves, "2 Adult, 101 splits", adult(), EnumMulti(splits=ADULT_SPLITS, time_limit=TIME))


def coil_k(curves: list[Curve]) -> Iterator[Result]:
    yield from by_k(curves, "3 Coil-like", coil(), EnumMulti(time_limit=TIME))


def normal_length(curves: list[Curve]) -> Iterator[Result]:
    lengths: list[PrivacyModel] = [MinimumSpan(name, 10) for name in ("x", "y")]
    method = EnumMulti(splits=50, placing="width", time_limit=TIME)
    yield from by_k(curves, "4 SimpleNormal, 50 × 50 splits, length 10", normal(), method, lengths)


def adult_length(curves: list[Curve]) -> Iterator[Result]:
    microdata = adult(ordered=True)
    method = EnumMulti(splits=ADULT_SPLITS, time_limit=TIME)
    yield from by_k(curves, "5 Adult, 101 splits, length 2", microdata, method, lengths_of(microdata, method, LONG))


def coil_length(curves: list[Curve]) -> Iterator[Result]:
    microdata = coil()
    method = EnumMulti(time_limit=TIME)
    lengths = lengths_of(microdata, method, microdata.names)
    yield from by_k(curves, "6 Coil-like, length 2", microdata, method, lengths)


def adult_diversity(curves: list[Curve]) -> Iterator[Result]:
    microdata = adult(sensitive="occupation")
    method = EnumMulti(splits=ADULT_SPLITS, time_limit=TIME)
    for k in (25, 50):
        curves.append(Curve(f"7 Adult, entropy l-diverse occupation, k={k}", "l"))
        for l in (2, 3, 4, 5, 6, 7, 8):  # noqa: E741
            models: list[PrivacyModel] = [KAnonymity(k), LDiversity(l, kind="entropy")]
            yield curves[-1].measure(l, microdata, models, method)


def lengths_of(microdata: Microdata, method: EnumMulti, names: tuple[str, ...]) -> list[PrivacyModel]:
    """A block of two slabs is the least: its values lie at least one mean distance between cuts apart."""
    lengths: list[PrivacyModel] = []
    for domain, cuts in zip(microdata.domains, split_codes(microdata, method.splits, method.placing), strict=True):
        if domain.name in names and isinstance(domain, IntervalDomain):
            lengths.append(MinimumSpan(domain.name, float(domain.extent / (len(cuts) + 1))))
    return lengths


EXPERIMENTS = {
    "1 SimpleNormal": normal_k,
    "2 Adult": adult_k,
    "3 Coil-like": coil_k,
    "4 SimpleNormal": normal_length,
    "5 Adult": adult_length,
    "6 Coil-like": coil_length,
    "7 Adult": adult_diversity,
}


def tabulate(title: str, curves: list[Curve]) -> None:
    """Write the table of an experiment, for other tools."""
    with (RESULTS / f"enumeration-{title[0]}.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        table.writerows(row for curve in curves for row in curve.rows())


def plot(title: str, curves: list[Curve]) -> None:
    """Draw the two figures of an experiment: against greedy searches, and against the proven bound."""
    greedy: dict[str, list[float]] = {}
    for curve in curves:
        name = curve.name[2:]
        greedy |= {
            f"{name}: Mondrian": curve.better,
            f"{name}: cut nearest to the median": curve.nearest,
            f"{name}: median": curve.median,
        }
    at, parameter = curves[0].at, curves[0].parameter
    x = charts.Axis(parameter, log=max(at) > 20, ticks=at, low=min(at), high=max(at))
    y = charts.Axis("DM of greedy / DM of EnumMulti, logarithmic", log=True, low=1.0)
    save(charts.lines(f"Experiment {title}: against greedy", x, y, at, greedy), f"enumeration-{title[0]}-greedy")
    ratios = {curve.name[2:]: curve.ratio for curve in curves}
    y = charts.Axis("DM of EnumMulti / proven bound", low=1.0)
    save(charts.lines(f"Experiment {title}: against the bound", x, y, at, ratios), f"enumeration-{title[0]}-bound")
