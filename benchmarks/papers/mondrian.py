"""Figures 10 to 17 of the Mondrian paper: discernibility of three models of recoding, and queries on two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from statistics import fmean, pstdev

import numpy as np
import pyarrow as pa

import sfumato as sf
from benchmarks.papers import tables
from benchmarks.papers.experiment import Panel, Paper, Size, Sweep
from benchmarks.papers.measuring import loss, task
from benchmarks.papers.single_dimensional import Cuts, best_cuts
from benchmarks.papers.twins import paper_mondrian
from sfumato.hierarchies import Numeric
from sfumato.methods import KOptimize, Lattice, Mondrian
from sfumato.privacy import KAnonymity
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

PAPER = Paper(
    "mondrian",
    "Mondrian Multidimensional K-Anonymity",
    "K. LeFevre, D. J. DeWitt and R. Ramakrishnan, ICDE 2006",
    "Greedy cuts of the space of all attributes (*multidimensional*) against the best intervals that are the same for "
    "all rows (*single-dimensional*, by K-Optimize) and the best levels (*full-domain*), by discernibility: the sum of "
    "squared class sizes, the lower the better. *As in the paper* is the greedy with rows at the median always to the "
    "lower side. K-Optimize seldom proves its optimum in the time given, so its line is the best that it, a search by "
    "attributes in turns, or the full-domain search (whose levels are intervals too) has found; beside it stands the "
    "bound that no single-dimensional recoding is below. "
    "Nothing here is random but the tables: of synthetic ones there are five, and figures are medians over them.",
)

MULTI, LITERAL, SINGLE, BOUND, FULL = (
    "multidimensional",
    "multidimensional, as in the paper",
    "single-dimensional",
    "single-dimensional, bound",
    "full-domain",
)
KS = (2, 5, 10, 25, 50, 100)
SIGMAS = (0.1, 0.2, 0.3, 0.4, 0.5)
ROWS, CARDINALITY, ATTRIBUTES = 10_000, 8, 5

#: Count queries of Figure 17 as far as the text has them: by predicate, by model, in the order of k; k itself is lost.
PAPER_ERRORS: Mapping[str, Mapping[str, tuple[float | None, ...]]] = {
    "X": {"single": (None, 12.68, 7.73), "multi": (4.66, 5.69, 7.94)},
    "Y": {"single": (3.18, None, None), "multi": (4.03, None, 8.06)},
}
PAPER_DEVIATIONS: Mapping[str, Mapping[str, tuple[float | None, ...]]] = {
    "X": {"single": (5.94, 7.17, 5.94), "multi": (3.26, 3.86, 5.87)},
    "Y": {"single": (2.56, 4.17, 6.15), "multi": (3.44, 3.80, 5.58)},
}


#: The modules of Sfumato that results rest on.
CODE = (
    "sfumato.methods.multidim.mondrian",
    "sfumato.methods.multidim.kernels.mondrian",
    *(
        f"sfumato.methods.comparators.{name}"
        for name in ("k_optimize", "cut_search", "cut_table", "kernels.k_optimize")
    ),
    "sfumato.methods.lattice.lattice",
    "sfumato.loss.metrics",
)
MADE = (*CODE, "sfumato.datasets.synthetic", "sfumato.datasets.sampling")

#: How many tables are drawn of every synthetic kind.
TABLES = 5

#: A table twice: with intervals of any kind, and with levels.
Twice = tuple[Microdata, Microdata]


def patience(size: Size) -> str:
    """How long K-Optimize is given at each point."""
    return f"{size.pick(0.1, 3.0, 120.0):g} s a point (K-Optimize)"


def compare(sweep: Sweep, x: float, drawn: Sequence[Twice], k: int, size: Size) -> None:
    """Measure the discernibility and the class sizes of all models at one place, on every table."""
    found = [measured(free, levelled, k, size, len(drawn)) for free, levelled in drawn]
    for line, units in found[0].items():
        sweep.add_all(x, line, **{unit: [one[line][unit] for one in found] for unit in units})


def measured(free: Microdata, levelled: Microdata, k: int, size: Size, share: int) -> dict[str, dict[str, float]]:
    """What all models lose on one table, by line and unit; so many tables share the time of a point."""
    job = task(free, KAnonymity(k))
    lines = {}
    for line, recode in ((MULTI, Mondrian().run), (LITERAL, paper_mondrian)):
        recoding = recode(job)
        lines[line] = {"DM": loss("dm", free, recoding), "C_AVG": mean_class_size(free, recoding, k)}
    best_levels = Lattice(minimize="dm").run(task(levelled, KAnonymity(k)))
    full = loss("dm", levelled, best_levels)
    searched = KOptimize(splits=100, time_limit=size.pick(0.1, 3.0, 120.0) / share).run(job).details["optimality"]
    found, cuts = best_cuts(free, k, size.pick(1, 60, 600) // share)
    lines[SINGLE] = {"DM": min(found, searched.cost, full), "C_AVG": len(free) / cells_of(free, cuts) / k}
    lines[BOUND] = {"DM": searched.bound}
    lines[FULL] = {"DM": full, "C_AVG": mean_class_size(levelled, best_levels, k)}
    return lines


def mean_class_size(microdata: Microdata, recoding: Recoding, k: int) -> float:
    """The paper's C_AVG: rows over classes, over k."""
    return len(microdata) / len(EquivalenceClasses.of(microdata, recoding)) / k


def cells_of(microdata: Microdata, cuts: list[Cuts]) -> int:
    """How many classes the same cuts for all rows make."""
    places = [
        np.searchsorted(begins, codes, side="right") for begins, codes in zip(cuts, microdata.codes.T, strict=True)
    ]
    return len(np.unique(np.stack(places, axis=1), axis=0))


def synthetic(
    size: Size, distribution: str = "skewed", attributes: int = ATTRIBUTES, sigma: float = 0.2
) -> list[Twice]:
    """Synthetic tables of five seeds, each twice: with intervals of any kind, and with binary trees."""
    rows = size.pick(1_000, ROWS, ROWS)
    drawn = []
    for seed in range(size.pick(1, TABLES, TABLES)):
        people = sf.datasets.discrete(rows, attributes, CARDINALITY, distribution, sigma=sigma, seed=seed)
        drawn.append((tables.discrete(people, levels=False), tables.discrete(people, levels=True)))
    return drawn


def by_k(size: Size, distribution: str) -> list[Panel]:
    sweep = Sweep(f"{distribution} distribution", "k")
    for k in size.pick((5, 50), KS, KS):
        compare(sweep, k, synthetic(size, distribution), k, size)
    return sweep.panels()


@PAPER.experiment(
    "10",
    "Figure 10: k, uniform distribution",
    "10,000 rows, 5 attributes of 8 values, uniform.",
    rests_on=MADE,
    budget=patience,
)
def figure_10(size: Size) -> list[Panel]:
    return by_k(size, "uniform")


@PAPER.experiment(
    "11",
    "Figure 11: k, skewed distribution",
    "The same with a discrete normal distribution, σ = 0.2.",
    rests_on=MADE,
    budget=patience,
)
def figure_11(size: Size) -> list[Panel]:
    return by_k(size, "skewed")


@PAPER.experiment(
    "12",
    "Figure 12: skew",
    "10,000 rows, 5 attributes, k = 10; the smaller σ, the more skew.",
    rests_on=MADE,
    budget=patience,
)
def figure_12(size: Size) -> list[Panel]:
    sweep = Sweep("k = 10", "σ")
    for sigma in size.pick((0.1, 0.3), SIGMAS, SIGMAS):
        compare(sweep, sigma, synthetic(size, sigma=sigma), 10, size)
    return sweep.panels()


@PAPER.experiment(
    "13",
    "Figure 13: number of attributes",
    "10,000 rows, k = 10, σ = 0.2.",
    rests_on=MADE,
    budget=patience,
)
def figure_13(size: Size) -> list[Panel]:
    sweep = Sweep("k = 10, σ = 0.2", "attributes")
    for attributes in size.pick((2, 4), (2, 3, 4, 5, 6, 7, 8), (2, 3, 4, 5, 6, 7, 8)):
        compare(sweep, attributes, synthetic(size, attributes=attributes), 10, size)
    return sweep.panels()


@PAPER.experiment(
    "14",
    "Figure 14: Adult",
    "30,162 rows, eight attributes in an order without hierarchies; for the full-domain model with hierarchies. The "
    "paper configures them as Bayardo and Agrawal did: all but the salary class. Beside it the same without "
    "*occupation* instead, as figures of Adult often are; nothing is judged on that.",
    rests_on=CODE,
    budget=patience,
)
def figure_14(size: Size) -> list[Panel]:
    found = on_adult(size, "Adult", "salary-class").panels()
    return found + [replace(panel, unit=f"{panel.unit}, other attributes") for panel in without_occupation(size)]


def on_adult(size: Size, title: str, dropped: str) -> Sweep:
    """Measure all models on Adult without one of its nine attributes."""
    free = tables.adult_ordered(leave_out=(dropped,))
    levelled = tables.adult_lattice(30_162, tuple(name for name in tables.ADULT_ORDER if name != dropped))
    sweep = Sweep(title, "k")
    for k in size.pick((25,), KS, (*KS, 250, 500, 1000)):
        compare(sweep, k, [(free, levelled)], k, size)
    return sweep


def without_occupation(size: Size) -> list[Panel]:
    return [] if size is Size.QUICK else on_adult(size, "Adult without occupation", "occupation").panels("DM")


@cache
def plane(seed: int) -> pa.Table:
    """A table of the last experiment: two attributes, X and Y."""
    people = sf.datasets.discrete(1_000, 2, 50, "skewed", sigma=0.2, mu=25, seed=seed)
    return people.table.rename_columns(["X", "Y"])


@cache
def released(model: str, k: int, seed: int) -> sf.Release:
    """A release of a plane by one of two models."""
    table = plane(seed)
    method: sf.Method = Mondrian()
    if model == "single":
        coded = encode(table, {name: Numeric() for name in ("X", "Y")})
        _, cuts = best_cuts(coded, k, beginnings=300)
        # A cut point lies on the left of its cut.
        points = {
            domain.name: [int(domain.texts[begin - 1].as_py()) for begin in begins[1:]]
            for domain, begins in zip(coded.domains, cuts, strict=True)
        }
        method = KOptimize(splits=points)
    return sf.anonymize(table, quasi_identifiers=["X", "Y"], k=k, method=method, seed=1)


@PAPER.experiment(
    "15-16",
    "Figures 15 and 16: partitionings of two attributes",
    "1,000 rows, two attributes of 50 values, μ = 25, σ = 0.2, five tables: into how many intervals the best "
    "single-dimensional recoding cuts X and Y, how many classes both models make, and how many times finer the "
    "single-dimensional one cuts one attribute than the other (which of the two is chance). It is sought by exact cuts "
    "of X and of Y in turns, from 300 beginnings.",
    rests_on=MADE,
)
def figure_16(size: Size) -> list[Panel]:
    cuts, classes, sides = (Sweep("two attributes", "k") for _ in range(3))
    for k in size.pick((50,), (10, 25, 50), (10, 25, 50)):
        for model in ("single", "multi"):
            releases = [released(model, k, seed) for seed in range(size.pick(1, TABLES, TABLES))]
            classes.add_all(k, model, classes=[release.classes for release in releases])
            for name in ("X", "Y"):
                shown = [len(set(release.table.column(name).to_pylist())) for release in releases]
                cuts.add_all(k, f"{model}, {name}", intervals=shown)
            if model == "single":
                finer = [max(pair) / min(pair) for pair in map(intervals, releases)]
                sides.add_all(k, model, finer_by_coarser=finer)
    return [*cuts.panels(), *classes.panels(), *sides.panels()]


def intervals(release: sf.Release) -> tuple[int, int]:
    """Into how many intervals a release cuts X and Y."""
    x, y = (len(set(release.table.column(name).to_pylist())) for name in ("X", "Y"))
    return x, y


@PAPER.experiment(
    "17",
    "Figure 17: count queries",
    "The same tables: the error of 50 counts where X, and 50 where Y, has one value; uniform inside a class.",
    rests_on=MADE,
)
def figure_17(size: Size) -> list[Panel]:
    sweep, apart = Sweep("50 queries each", "k"), Sweep("50 queries each", "k")
    ks = size.pick((50,), (10, 25, 50), (10, 25, 50))
    seeds = range(size.pick(1, TABLES, TABLES))
    for k in ks:
        for model in ("single", "multi"):
            means: dict[str, list[float]] = {}
            for name in ("X", "Y"):
                errors = [count_errors(released(model, k, seed), plane(seed), name) for seed in seeds]
                means[name] = [fmean(one) for one in errors]
                line = f"{model}, {name}"
                sweep.add_all(k, line, mean_error=means[name], standard_deviation=[pstdev(one) for one in errors])
            gaps = [abs(x - y) for x, y in zip(means["X"], means["Y"], strict=True)]
            apart.add_all(k, model, difference_of_X_and_Y=gaps)
    beside = {"mean error": PAPER_ERRORS, "standard deviation": PAPER_DEVIATIONS}
    note = "The paper's k are lost in our copy of its text; its figures stand in their order."
    return [*(sweep.panel(unit, theirs(numbers, ks), note) for unit, numbers in beside.items()), *apart.panels()]


def theirs(
    numbers: Mapping[str, Mapping[str, tuple[float | None, ...]]], ks: tuple[int, ...]
) -> dict[str, dict[float, float]]:
    """The paper's numbers as lines over k."""
    return {
        f"{model}, {name}": {k: value for k, value in zip(ks, values, strict=False) if value is not None}
        for name, models in numbers.items()
        for model, values in models.items()
    }


def count_errors(release: sf.Release, table: pa.Table, name: str) -> list[float]:
    """How far the counts of single values are off, one by one."""
    values = table.column(name).to_pylist()
    return [abs(release.count({name: (at, at)}).estimate - values.count(at)) for at in range(50)]
