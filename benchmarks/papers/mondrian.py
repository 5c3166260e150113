"""Figures 10 to 17 of the Mondrian paper: discernibility of three models of recoding, and queries on two of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from statistics import fmean, pstdev

import pyarrow as pa

import sfumato as sf
from benchmarks.papers import tables
from benchmarks.papers.experiment import Panel, Panels, Paper, Size, Sweep, Verdict
from benchmarks.papers.judging import gap_trend, no_more, only, ratios, told, trend
from benchmarks.papers.measuring import loss, task
from benchmarks.papers.single_dimensional import best_cuts
from benchmarks.papers.twins import paper_mondrian
from sfumato.hierarchies import Numeric
from sfumato.methods import KOptimize, Lattice, Mondrian
from sfumato.privacy import KAnonymity
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

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
    "Nothing here is random but the tables, so each figure is one run.",
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


def compare(sweep: Sweep, x: float, free: Microdata, levelled: Microdata, k: int, size: Size) -> None:
    """Measure the discernibility of all models at one place."""
    job = task(free, KAnonymity(k))
    sweep.add(x, MULTI, DM=loss("dm", free, Mondrian().run(job)))
    sweep.add(x, LITERAL, DM=loss("dm", free, paper_mondrian(job)))
    full = loss("dm", levelled, Lattice(minimize="dm").run(task(levelled, KAnonymity(k))))
    searched = KOptimize(splits=100, time_limit=size.pick(0.1, 3.0, 120.0)).run(job).details["optimality"]
    found, _ = best_cuts(free, k, size.pick(1, 60, 600))
    sweep.add(x, SINGLE, DM=min(found, searched.cost, full))
    sweep.add(x, BOUND, DM=searched.bound)
    sweep.add(x, FULL, DM=full)


def synthetic(
    size: Size, distribution: str = "skewed", attributes: int = ATTRIBUTES, sigma: float = 0.2
) -> tuple[Microdata, Microdata]:
    """A synthetic table twice: with intervals of any kind, and with binary trees."""
    rows = size.pick(1_000, ROWS, ROWS)
    people = sf.datasets.discrete(rows, attributes, CARDINALITY, distribution, sigma=sigma)
    return tables.discrete(people, levels=False), tables.discrete(people, levels=True)


def by_k(size: Size, distribution: str) -> list[Panel]:
    sweep = Sweep(f"{distribution} distribution", "k")
    for k in size.pick((5, 50), KS, KS):
        compare(sweep, k, *synthetic(size, distribution), k, size)
    return sweep.panels()


@PAPER.experiment("10", "Figure 10: k, uniform distribution", "10,000 rows, 5 attributes of 8 values, uniform.")
def figure_10(size: Size) -> list[Panel]:
    return by_k(size, "uniform")


@PAPER.experiment("11", "Figure 11: k, skewed distribution", "The same with a discrete normal distribution, σ = 0.2.")
def figure_11(size: Size) -> list[Panel]:
    return by_k(size, "skewed")


@PAPER.experiment("12", "Figure 12: skew", "10,000 rows, 5 attributes, k = 10; the smaller σ, the more skew.")
def figure_12(size: Size) -> list[Panel]:
    sweep = Sweep("k = 10", "σ")
    for sigma in size.pick((0.1, 0.3), SIGMAS, SIGMAS):
        compare(sweep, sigma, *synthetic(size, sigma=sigma), 10, size)
    return sweep.panels()


@PAPER.experiment("13", "Figure 13: number of attributes", "10,000 rows, k = 10, σ = 0.2.")
def figure_13(size: Size) -> list[Panel]:
    sweep = Sweep("k = 10, σ = 0.2", "attributes")
    for attributes in size.pick((2, 4), (2, 3, 4, 5, 6, 7, 8), (2, 3, 4, 5, 6, 7, 8)):
        compare(sweep, attributes, *synthetic(size, attributes=attributes), 10, size)
    return sweep.panels()


@PAPER.experiment(
    "14",
    "Figure 14: Adult",
    "30,162 rows, eight attributes in an order without hierarchies; for the full-domain model with hierarchies.",
)
def figure_14(size: Size) -> list[Panel]:
    free = tables.adult_ordered(leave_out=("occupation",))
    levelled = tables.adult_lattice(30_162, tuple(name for name in tables.ADULT_ORDER if name != "occupation"))
    sweep = Sweep("Adult", "k")
    for k in size.pick((25,), KS, (*KS, 250, 500, 1000)):
        compare(sweep, k, free, levelled, k, size)
    return sweep.panels()


@cache
def plane() -> pa.Table:
    """The table of the last experiment: two attributes, X and Y."""
    people = sf.datasets.discrete(1_000, 2, 50, "skewed", sigma=0.2, mu=25)
    return people.table.rename_columns(["X", "Y"])


@cache
def released(model: str, k: int) -> sf.Release:
    """A release of the plane by one of two models."""
    table = plane()
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
    "1,000 rows, two attributes of 50 values, μ = 25, σ = 0.2: into how many intervals the best single-dimensional "
    "recoding cuts X and Y, and how many classes both models make. The best single-dimensional recoding is sought by "
    "exact cuts of X and of Y in turns, from 300 beginnings.",
)
def figure_16(size: Size) -> list[Panel]:
    cuts, classes = Sweep("two attributes", "k"), Sweep("two attributes", "k")
    for k in size.pick((50,), (10, 25, 50), (10, 25, 50)):
        for model in ("single", "multi"):
            release = released(model, k)
            classes.add(k, model, classes=release.classes)
            for name in ("X", "Y"):
                shown = len(set(release.table.column(name).to_pylist()))
                cuts.add(k, f"{model}, {name}", intervals=shown)
    return [*cuts.panels(), *classes.panels()]


@PAPER.experiment(
    "17",
    "Figure 17: count queries",
    "The same table: the error of 50 counts where X, and 50 where Y, has one value; uniform inside a class.",
)
def figure_17(size: Size) -> list[Panel]:
    table = plane()
    sweep = Sweep("50 queries each", "k")
    ks = size.pick((50,), (10, 25, 50), (10, 25, 50))
    for k in ks:
        for model in ("single", "multi"):
            release = released(model, k)
            for name in ("X", "Y"):
                errors = count_errors(release, table, name)
                sweep.add(k, f"{model}, {name}", mean_error=fmean(errors), standard_deviation=pstdev(errors))
    beside = {"mean error": PAPER_ERRORS, "standard deviation": PAPER_DEVIATIONS}
    note = "The paper's k are lost in our copy of its text; its figures stand in their order."
    return [sweep.panel(unit, theirs(numbers, ks), note) for unit, numbers in beside.items()]


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


def skew_matters(panels: Panels) -> Verdict:
    """Judge that the gap between the models is larger on the skewed table than on the uniform one, at every k."""
    uniform, skewed = (only(panels, "DM", word) for word in ("uniform", "skewed"))
    even, odd = ratios(uniform, FULL, MULTI), ratios(skewed, FULL, MULTI)
    narrow, wide = ratios(uniform, SINGLE, MULTI), ratios(skewed, SINGLE, MULTI)
    pairs = [(two[k], one[k]) for one, two in ((even, odd), (narrow, wide)) for k in one if k in two]
    held = sum(after > before for after, before in pairs)
    shown = (
        f"full-domain / multidimensional, uniform: {told([*even.values()])}; skewed: {told([*odd.values()])}; "
        f"single-dimensional / multidimensional, uniform: {told([*narrow.values()])}; skewed: {told([*wide.values()])}"
    )
    return Verdict(held / len(pairs), f"at {held} of {len(pairs)} points; {shown}")


def consistent(panels: Panels) -> Verdict:
    """Judge that the mean error differs less between X and Y with the multidimensional model, at every k."""
    panel = only(panels, "mean error")
    gaps = {
        model: [abs(panel.at(f"{model}, X")[k] - panel.at(f"{model}, Y")[k]) for k in panel.xs]
        for model in ("single", "multi")
    }
    held = sum(multi <= single for multi, single in zip(gaps["multi"], gaps["single"], strict=True))
    shown = f"|error on X − error on Y|, multi: {told(gaps['multi'])}; single: {told(gaps['single'])}"
    return Verdict(held / len(panel.xs), f"at {held} of {len(panel.xs)} k; {shown}")


def one_sided(panels: Panels) -> Verdict:
    """Judge that the single-dimensional recoding cuts one attribute much more finely than the other for the least k."""
    panel = only(panels, "intervals")
    pairs = [sorted((panel.at("single, X")[k], panel.at("single, Y")[k])) for k in panel.xs]
    shown = ", ".join(f"k = {k:g}: {low:g} and {high:g}" for k, (low, high) in zip(panel.xs, pairs, strict=True))
    low, high = pairs[0]
    return Verdict(float(high >= 2 * low), f"intervals of the two attributes, {shown}")


SYNTHETIC = ("10", "11", "12", "13")
BEST = "Multidimensional cuts give the lowest discernibility"
PAPER.claim(f"{BEST} on synthetic tables: below single-dimensional ones", SYNTHETIC, no_more(MULTI, SINGLE, "DM"))
PAPER.claim(f"{BEST}: below what any single-dimensional recoding can reach", SYNTHETIC, no_more(MULTI, BOUND, "DM"))
PAPER.claim(f"{BEST}: with cuts as in the paper, below single-dimensional", SYNTHETIC, no_more(LITERAL, SINGLE, "DM"))
PAPER.claim(f"{BEST} on synthetic tables: below full-domain ones", SYNTHETIC, no_more(MULTI, FULL, "DM"))
PAPER.claim(f"{BEST}: with cuts as in the paper, below full-domain", SYNTHETIC, no_more(LITERAL, FULL, "DM"))
PAPER.claim("The difference is much larger on the skewed table than on the uniform one", ("10", "11"), skew_matters)
PAPER.claim("The gap to single-dimensional recoding grows with skew", "12", gap_trend(SINGLE, MULTI, "DM"))
PAPER.claim("The gap to full-domain recoding grows with skew", "12", gap_trend(FULL, MULTI, "DM"))
for line in (MULTI, SINGLE, FULL):
    PAPER.claim(f"More attributes lower the discernibility: {line}", "13", trend(line, "DM"))
for line in (MULTI, LITERAL):
    PAPER.claim(f"Adult: {line}, is below single-dimensional", "14", no_more(line, SINGLE, "DM"))
    PAPER.claim(f"Adult: {line}, is below full-domain", "14", no_more(line, FULL, "DM"))
PAPER.claim("Adult: the gap to single-dimensional recoding shrinks as k grows", "14", gap_trend(SINGLE, MULTI, "DM"))
PAPER.claim("Adult: the gap to full-domain recoding shrinks as k grows", "14", gap_trend(FULL, MULTI, "DM"))
PAPER.claim("For small k the best single-dimensional recoding mostly cuts one attribute", "15-16", one_sided)
PAPER.claim("Errors differ less between X and Y with multidimensional cuts", "17", consistent)
