"""Figures 12 to 20 of the fast-anonymization paper: loss, time, and accuracy of queries, for k and for l."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from benchmarks.papers import tables
from benchmarks.papers.cube import Shares, divergence, of_classes, of_groups
from benchmarks.papers.experiment import Panel, Paper, Size, Sweep
from benchmarks.papers.measuring import (
    REPEATS,
    Recoder,
    few_rows,
    first_attributes,
    loss,
    losses,
    recoder,
    repeated,
    task,
)
from benchmarks.papers.twins import mondrian_causes, paper_diversity, paper_mondrian
from sfumato.methods import TopDown
from sfumato.methods.comparators.anatomy import anatomy_groups
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel
from sfumato.table.microdata import Microdata

HILB, FAST, IDIST, IDIST_FAST = "Hilb", "HilbFast", "iDist", "iDistFast"
MONDRIAN, LITERAL, TOP_DOWN, OWN_TOP_DOWN, BY_SEEDS, AWARE, ANATOMY, HILB_2007 = (
    "Mondrian",
    "Mondrian, as in the paper",
    "TopDown",
    "TopDown, by growth",
    "TopDown, by seeds",
    "cost-aware",
    "Anatomy",
    "Hilb, as in the paper",
)

PAPER = Paper(
    "fast-anonymization",
    "Fast Data Anonymization with Low Information Loss",
    "G. Ghinita, P. Karras, P. Kalnis and N. Mamoulis, VLDB 2007",
    "Hilb and iDist order the rows on a line and cut it in the cheapest way; their fast forms judge a class by its "
    "extent on the line. They are compared with Mondrian and TopDown, and with Anatomy by the accuracy of queries. "
    "*Mondrian* is Sfumato's, which is stronger than the paper's: it measures width in what a class loses, and puts "
    "rows at a median on either side. *Mondrian, as in the paper* does neither, and *Hilb, as in the paper* (for l) "
    "makes its groups by the paper's pseudocode; these two have nothing random, so they are run once, and are not "
    "written for speed, so they have no times. *TopDown* is as published: a row goes to the side whose penalty with "
    "it is lower; *by growth* is Sfumato's own, the side whose loss grows less, and *by seeds* compares with the "
    "seeds alone, as scripts in circulation do. *Cost-aware* is Sfumato's own order. The census is made up, with the "
    "paper's attributes, numbers of values and heights of trees, unless SFUMATO_IPUMS names an extract of the real "
    "one; Adult is real, once with trees for all categories, once "
    "with years of schooling as a second number, as the paper had it. DM is by classes as they were made; by "
    "visible classes, where those that show the same are one, stands beside it. The divergence of queries is by tree "
    "nodes, and in one panel by ranges of the tree's order: the paper says neither.",
    own=(AWARE, MONDRIAN, OWN_TOP_DOWN, BY_SEEDS),
)
REGISTERED = {
    HILB: "hilbert",
    FAST: "hilbert-fast",
    IDIST: "idistance",
    IDIST_FAST: "idistance-fast",
    AWARE: "cost-aware",
    MONDRIAN: "mondrian",
    OWN_TOP_DOWN: "top-down",
}
OTHERS: dict[str, Recoder] = {
    LITERAL: paper_mondrian,
    TOP_DOWN: TopDown(joining="penalty").run,
    BY_SEEDS: TopDown(joining="seed").run,
    HILB_2007: paper_diversity,
}
#: What draws at random is run with five seeds, but TopDown on Adult alone: on the census one run takes seconds.
RANDOM = (IDIST, IDIST_FAST)
SLOW = (TOP_DOWN, OWN_TOP_DOWN, BY_SEEDS)
#: So many rows and fewer are few: Adult's.
MANY = 30_162

FOR_K = (HILB, FAST, IDIST, IDIST_FAST, AWARE, MONDRIAN, LITERAL, TOP_DOWN, OWN_TOP_DOWN, BY_SEEDS)
FOR_D = FOR_K[:-1]
FOR_L = (HILB, HILB_2007, IDIST, AWARE, MONDRIAN, LITERAL)

KS, LS = (10, 25, 50, 75, 100), (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
SIZES = tuple(range(50_000, 400_001, 50_000))
#: Fewer places where no line turns.
FEW_SIZES = (50_000, 100_000, 200_000, 400_000)

#: The modules of Sfumato that results rest on.
LINEAR = tuple(f"sfumato.methods.linear.{name}" for name in ("hilbert", "idistance", "cost_aware"))
CUTS = ("sfumato.methods.multidim.mondrian", "sfumato.methods.multidim.kernels.mondrian")
SEEDS = ("sfumato.methods.comparators.top_down", "sfumato.methods.comparators.kernels.top_down")
DIVERSE = ("sfumato.methods.linear.diversity", "sfumato.methods.linear.kernels.diversity")
ANATOMIZED = ("sfumato.methods.comparators.anatomy", "sfumato.methods.comparators.kernels.anatomy")
PEOPLE = (
    *("sfumato.datasets.census", "sfumato.datasets.census_model", "sfumato.datasets.census_domains"),
    "sfumato.datasets.sampling",
)
LOSSES = ("sfumato.loss.metrics",)
K_CODE, L_CODE = (*LINEAR, *CUTS, *SEEDS, *PEOPLE, *LOSSES), (*LINEAR, *CUTS, *DIVERSE, *PEOPLE, *LOSSES)


def method(name: str) -> Recoder:
    return OTHERS.get(name) or recoder(REGISTERED[name])


def measure(sweep: Sweep, x: float, microdata: Microdata, names: Sequence[str], model: PrivacyModel) -> None:
    """Measure methods at one place; the papers' own forms are not written for speed, so they have no time."""
    random = RANDOM if len(microdata) > MANY else (*RANDOM, *SLOW)
    for name in names:
        if name in {LITERAL, HILB_2007}:
            recoding = method(name)(task(microdata, model))
            sweep.add(x, name, **losses(microdata, recoding))
        else:
            seeds = REPEATS if name in random else 1
            sweep.add_all(x, name, **repeated(method(name), microdata, model, seeds=seeds))


def warm(microdata: Microdata, names: Sequence[str], model: PrivacyModel) -> None:
    """Compile methods for a table, so that no figure pays for it."""
    few = few_rows(microdata)
    for name in names:
        method(name)(task(few, model))


def made_up(title: str) -> bool:
    """Whether a table stands for a real one that the paper had."""
    return title == "census" and tables.CENSUS_MADE_UP


def rows_of(size: Size) -> int:
    """How many census rows are taken where their number does not vary: the paper's number."""
    return size.pick(5_000, 200_000, 200_000)


def by_k(title: str, microdata: Microdata, ks: Iterable[int], names: Sequence[str] = FOR_K) -> Sweep:
    sweep = Sweep(f"{title}, {len(microdata):,} rows", "k", made_up(title))
    warm(microdata, names, KAnonymity(5))
    for k in ks:
        measure(sweep, k, microdata, names, KAnonymity(k))
    return sweep


def by_l(title: str, microdata: Microdata, ls: Iterable[int]) -> Sweep:
    """Vary l as far as the table is eligible."""
    sweep = Sweep(f"{title}, {len(microdata):,} rows", "l", made_up(title))
    warm(microdata, FOR_L, LDiversity(2))
    most = len(microdata) / microdata.sensitive[0].counts().max()
    for l in [l for l in ls if l <= most]:  # noqa: E741
        measure(sweep, l, microdata, FOR_L, LDiversity(l))
    return sweep


def by_dimension(title: str, microdata: Microdata, names: Sequence[str], model: PrivacyModel) -> Sweep:
    sweep = Sweep(f"{title}, {len(microdata):,} rows", "attributes", made_up(title))
    for count in range(1, len(microdata.domains) + 1):
        part = first_attributes(microdata, count)
        warm(part, names, KAnonymity(5) if isinstance(model, KAnonymity) else LDiversity(2))
        measure(sweep, count, part, names, model)
    return sweep


@PAPER.experiment(
    "12",
    "Figure 12: Adult, k",
    "30,162 rows, eight quasi-identifiers: with age as the only number, and with age and years of schooling.",
    rests_on=K_CODE,
    timed=True,
)
def figure_12(size: Size) -> list[Panel]:
    ks = size.pick((50,), (5, 10, 20, 30, 40, 50), (5, 10, 20, 30, 40, 50))
    found = by_k("Adult", tables.adult(), ks).panels("GCP", "DM", "DM by visible classes", "seconds")
    return found + by_k("Adult with two numbers", tables.adult_two_numbers(), ks).panels("GCP", "DM")


#: Over how many orders of sibling categories the paper's Mondrian is run.
ORDERS = 12


@PAPER.experiment(
    "orders",
    "Figure 12(b): orders of sibling categories",
    "Mondrian as in the paper cuts categories in some order, which the paper does not give. Its discernibility on "
    "Adult over Hilb's, in 12 random orders of siblings; Hilb in the order of the files. Medians and ranges.",
    rests_on=(*LINEAR, *CUTS, *LOSSES),
    theirs="Mondrian is one order of magnitude worse",
)
def orders(size: Size) -> list[Panel]:
    sweep = Sweep("Adult", "k")
    shuffled = [tables.adult_shuffled(seed) for seed in range(1, 1 + size.pick(2, ORDERS, ORDERS))]
    for k in size.pick((50,), (5, 10, 20, 30, 40, 50), (5, 10, 20, 30, 40, 50)):
        hilbert = loss("dm", tables.adult(), method(HILB)(task(tables.adult(), KAnonymity(k))))
        for name in (LITERAL, MONDRIAN):
            found = [loss("dm", table, method(name)(task(table, KAnonymity(k)))) / hilbert for table in shuffled]
            sweep.add_all(k, name, DM_by_Hilb=found)
    return sweep.panels()


@PAPER.experiment(
    "13",
    "Figure 13: census, k",
    "The census, 200,000 rows with seven quasi-identifiers; and 10,000 rows of four numbers alone.",
    rests_on=K_CODE,
    timed=True,
    theirs="Hilb needs 60 s at most; TopDown about 2 hours",
)
def figure_13(size: Size) -> list[Panel]:
    ks = size.pick((10, 50), KS, KS)
    on_numbers = by_k("numbers", tables.numbers(size.pick(2_000, 10_000, 50_000)), ks)
    census = tables.census(rows_of(size))
    return [*by_k("census", census, ks, FOR_D).panels("GCP", "seconds"), *on_numbers.panels("GCP")]


def by_size(size: Size, names: Sequence[str], model: PrivacyModel, sizes: Sequence[int]) -> Sweep:
    sweep = Sweep("census", "rows", made_up("census"))
    for rows in size.pick((2_000, 4_000), sizes, SIZES):
        microdata = tables.census(rows)
        warm(microdata, names, KAnonymity(5) if isinstance(model, KAnonymity) else LDiversity(2))
        measure(sweep, rows, microdata, names, model)
    return sweep


@PAPER.experiment(
    "14",
    "Figure 14: census, number of rows, k = 50",
    "Up to 400,000 rows. TopDown is run with five seeds on Adult only, where Figure 12 shows its spread.",
    rests_on=K_CODE,
    timed=True,
    theirs="Hilb needs 40 s for 400,000 rows; TopDown 8 minutes for 50,000 and 6 hours for 400,000",
)
def figure_14(size: Size) -> list[Panel]:
    return by_size(size, FOR_D, KAnonymity(50), FEW_SIZES).panels("GCP", "seconds")


@PAPER.experiment(
    "15",
    "Figure 15: number of attributes, k = 50",
    "The first attributes of the census, and of Adult.",
    rests_on=K_CODE,
    timed=True,
)
def figure_15(size: Size) -> list[Panel]:
    found = by_dimension("census", tables.census(rows_of(size)), FOR_D, KAnonymity(50)).panels("GCP", "seconds")
    return found + adult_too(size, lambda: by_dimension("Adult", tables.adult(), FOR_D, KAnonymity(50)))


def adult_too(size: Size, make: Callable[[], Sweep]) -> list[Panel]:
    """The losses on Adult, too, if the file exists; if not, Figure 12, which needs it, reports that."""
    if size is Size.QUICK or not tables.ADULT.exists():
        return []
    return make().panels("GCP")


@PAPER.experiment(
    "16",
    "Figure 16: l",
    "The census; and Adult, as far as its occupations allow.",
    rests_on=L_CODE,
    timed=True,
)
def figure_16(size: Size) -> list[Panel]:
    found = by_l("census", tables.census(rows_of(size)), size.pick((2, 5), LS, LS)).panels("GCP", "seconds")
    return found + adult_too(size, lambda: by_l("Adult", tables.adult(), range(2, 8)))


@PAPER.experiment(
    "17",
    "Figure 17: number of rows, l = 5",
    "Up to 400,000 census rows.",
    rests_on=L_CODE,
    timed=True,
)
def figure_17(size: Size) -> list[Panel]:
    return by_size(size, FOR_L, LDiversity(5), SIZES).panels("GCP", "seconds")


@PAPER.experiment(
    "18",
    "Figure 18: number of attributes, l = 5",
    "The first attributes of the census, and of Adult.",
    rests_on=L_CODE,
    timed=True,
)
def figure_18(size: Size) -> list[Panel]:
    found = by_dimension("census", tables.census(rows_of(size)), FOR_L, LDiversity(5)).panels("GCP", "seconds")
    return found + adult_too(size, lambda: by_dimension("Adult", tables.adult(), FOR_L, LDiversity(5)))


@PAPER.experiment(
    "19",
    "Figure 19: number of sensitive values, l = 5",
    "The census; neighbouring occupations are joined until m are left, where that leaves the table eligible.",
    rests_on=L_CODE,
    timed=True,
)
def figure_19(size: Size) -> list[Panel]:
    table = tables.census(rows_of(size))
    sweep = Sweep(f"census, {len(table):,} rows", "m", made_up("census"))
    for m in size.pick((25, 50), (10, 15, 25, 35, 50), (10, 15, 25, 35, 50)):
        coarse = tables.coarser_sensitive(table, m)
        if coarse.sensitive[0].counts().max() * 5 <= len(coarse):
            warm(coarse, FOR_L, LDiversity(2))
            measure(sweep, m, coarse, FOR_L, LDiversity(5))
    return sweep.panels("GCP", "seconds")


FOR_QUERIES = (HILB, IDIST, MONDRIAN, LITERAL, ANATOMY)


def accuracy(
    sweep: Sweep,
    x: float,
    microdata: Microdata,
    l: int,  # noqa: E741
    levels: Iterable[int] = (2,),
    ranges: bool = False,
    seeds: int = 1,
) -> None:
    """Measure the divergence of all methods at one place, or along the levels of the cube."""
    for name in FOR_QUERIES:
        # What has nothing random gives the same with every seed.
        drawn = range(1, 1 + (seeds if name in {ANATOMY, IDIST} else 1))
        told = [revealed(name, microdata, l, seed, ranges) for seed in drawn]
        for level in levels:
            place = x if tuple(levels) == (2,) else level
            sweep.add_all(place, name, KL=[divergence(microdata, shares, level) for shares in told])


def revealed(name: str, microdata: Microdata, l: int, seed: int, ranges: bool) -> Shares:  # noqa: E741
    """What a method's release reveals."""
    if name == ANATOMY:
        return of_groups(microdata, anatomy_groups(microdata.sensitive[0], l, np.random.default_rng(seed)))
    return of_classes(microdata, method(name)(task(microdata, LDiversity(l), seed=seed)), ranges)


@PAPER.experiment(
    "20",
    "Figure 20: accuracy of queries",
    "The Kullback-Leibler divergence, in bits, of the counts of all group-bys of some quasi-identifiers and a "
    "sensitive value, on the census: (a) by l, at level 2 of the cube; (b) by "
    "level, from the third on of the cells of 300 rows of each group-by; (c) by the number of quasi-identifiers; (d) "
    "by the number of rows. In (a) Anatomy and iDist with five seeds, elsewhere with one; the others have nothing "
    "random.",
    rests_on=(*L_CODE, *ANATOMIZED),
    theirs="for small l, Hilb is two orders of magnitude better than Mondrian and one better than Anatomy",
)
def figure_20(size: Size) -> list[Panel]:
    table = tables.census(rows_of(size))
    rows_told = f"{len(table):,} rows"
    invented = made_up("census")
    by_l, by_level = (
        Sweep(f"(a) level 2, {rows_told}", "l", invented),
        Sweep(f"(b) l = 5, {rows_told}", "level", invented),
    )
    by_ranges = Sweep(f"by ranges instead of tree nodes, {rows_told}", "l", invented)
    by_count = Sweep(f"(c) level 2, l = 5, {rows_told}", "attributes", invented)
    by_rows = Sweep("(d) level 2, l = 5", "rows", invented)
    for l in size.pick((2, 5), (2, 3, 4, 5, 7, 9, 13), LS):  # noqa: E741
        accuracy(by_l, l, table, l, seeds=size.pick(1, REPEATS, REPEATS))
    for l in size.pick((2, 5), (2, 4, 7, 13), LS):  # noqa: E741
        accuracy(by_ranges, l, table, l, ranges=True)
    accuracy(by_level, 0, table, 5, size.pick((1, 3), range(1, 8), range(1, 8)))
    for count in size.pick((2, 3), range(2, 8), range(2, 8)):
        accuracy(by_count, count, first_attributes(table, count), 5)
    for rows in size.pick((2_000, 4_000), FEW_SIZES, SIZES):
        accuracy(by_rows, rows, tables.census(rows), 5)
    return [panel for sweep in (by_l, by_ranges, by_level, by_count, by_rows) for panel in sweep.panels()]


@PAPER.experiment(
    "causes",
    "Why Sfumato's Mondrian loses less than the paper's",
    "Both differences one at a time, and together: widths by what a class loses, and rows at a median on either side. "
    "50,000 census rows, and Adult. Beside them Hilb.",
    rests_on=(*LINEAR, *CUTS, *PEOPLE, *LOSSES),
)
def causes(size: Size) -> list[Panel]:
    found = on_causes("census", tables.census(size.pick(2_000, 50_000, 200_000)), size)
    return found.panels() + adult_too(size, lambda: on_causes("Adult", tables.adult(), size))


def on_causes(name: str, table: Microdata, size: Size) -> Sweep:
    sweep = Sweep(name, "k", made_up(name))
    for k in size.pick((50,), (5, 10, 25, 50, 100), (5, 10, 25, 50, 100)):
        job = task(table, KAnonymity(k))
        for cause, recode in {**mondrian_causes, HILB: method(HILB)}.items():
            sweep.add(k, cause, GCP=loss("gcp", table, recode(job)))
    return sweep


@PAPER.experiment(
    "trees",
    "Adult with other hierarchies",
    "All figures of Adult on these pages are with the hierarchy files that lie beside its rows. The Adult table that "
    "`sfumato.datasets.adult()` downloads has hierarchies of its own, and other losses: these.",
    rests_on=K_CODE,
)
def trees(size: Size) -> list[Panel]:
    found = []
    for name, table in (("hierarchy files", tables.adult()), ("built-in hierarchies", tables.adult_built_in())):
        sweep = Sweep(name, "k")
        for k in size.pick((50,), (5, 10, 50), (5, 10, 50)):
            for line in (HILB, AWARE, MONDRIAN, TOP_DOWN, OWN_TOP_DOWN):
                sweep.add_all(k, line, GCP=repeated(method(line), table, KAnonymity(k))["GCP"])
        found += sweep.panels()
    return found
