"""Figures 12 to 20 of the fast-anonymization paper: loss, time, and accuracy of queries, for k and for l."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from benchmarks.papers import tables
from benchmarks.papers.experiment import LackingError, Panel, Paper, Size, Sweep
from benchmarks.papers.measuring import Recoder, few_rows, first_attributes, loss, recoder, repeated, task
from benchmarks.papers.twins import paper_mondrian
from sfumato.microdata import Microdata
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel

PAPER = Paper(
    "fast-anonymization",
    "Fast Data Anonymization with Low Information Loss",
    "G. Ghinita, P. Karras, P. Kalnis and N. Mamoulis, VLDB 2007",
    "Hilb and iDist order the rows on a line and cut it in the cheapest way; their fast forms judge a class by its "
    "extent on the line. They are compared with Mondrian and TopDown, and with Anatomy by the accuracy of queries. "
    "*Mondrian* is Sfumato's, which is stronger than the paper's: it measures width in what a class loses, and puts "
    "rows at a median on either side. *Mondrian, as in the paper* does neither. *Cost-aware* is Sfumato's own order. "
    "The census is made up, with the paper's attributes, numbers of values and heights of trees; Adult is real.",
)

HILB, FAST, IDIST, IDIST_FAST = "Hilb", "HilbFast", "iDist", "iDistFast"
MONDRIAN, LITERAL, TOP_DOWN, AWARE, ANATOMY = (
    "Mondrian",
    "Mondrian, as in the paper",
    "TopDown",
    "cost-aware",
    "Anatomy",
)
REGISTERED = {
    HILB: "hilbert",
    FAST: "hilbert-fast",
    IDIST: "idistance",
    IDIST_FAST: "idistance-fast",
    AWARE: "cost-aware",
    MONDRIAN: "mondrian",
    TOP_DOWN: "top-down",
}
FOR_K = (HILB, FAST, IDIST, IDIST_FAST, AWARE, MONDRIAN, LITERAL, TOP_DOWN)
FOR_L = (HILB, IDIST, AWARE, MONDRIAN, LITERAL)

KS, LS = (10, 25, 50, 75, 100), (2, 3, 5, 7, 9, 11, 13)
SIZES = (50_000, 100_000, 200_000, 300_000, 400_000)


def method(name: str) -> Recoder:
    return paper_mondrian if name == LITERAL else recoder(REGISTERED[name])


def measure(sweep: Sweep, x: float, microdata: Microdata, names: Sequence[str], model: PrivacyModel) -> None:
    """Measure methods at one place; the twin of the paper's Mondrian is no compiled code, so it has no time."""
    for name in names:
        if name == LITERAL:
            recoding = method(name)(task(microdata, model))
            sweep.add(x, name, GCP=loss("gcp", microdata, recoding), DM=loss("dm", microdata, recoding))
        else:
            sweep.add(x, name, **repeated(method(name), microdata, model))


def warm(microdata: Microdata, names: Sequence[str], model: PrivacyModel) -> None:
    """Compile methods for a table, so that no figure pays for it."""
    few = few_rows(microdata)
    for name in names:
        method(name)(task(few, model))


def rows_of(size: Size) -> int:
    return size.pick(5_000, 200_000, 200_000)


def by_k(title: str, microdata: Microdata, ks: Iterable[int]) -> Sweep:
    sweep = Sweep(title, "k")
    warm(microdata, FOR_K, KAnonymity(5))
    for k in ks:
        measure(sweep, k, microdata, FOR_K, KAnonymity(k))
    return sweep


def by_l(title: str, microdata: Microdata, ls: Iterable[int]) -> Sweep:
    """Vary l as far as the table is eligible."""
    sweep = Sweep(title, "l")
    warm(microdata, FOR_L, LDiversity(2))
    most = len(microdata) / microdata.sensitive[0].counts().max()
    for l in [l for l in ls if l <= most]:  # noqa: E741
        measure(sweep, l, microdata, FOR_L, LDiversity(l))
    return sweep


def by_dimension(title: str, microdata: Microdata, names: Sequence[str], model: PrivacyModel) -> Sweep:
    sweep = Sweep(title, "attributes")
    for count in range(1, len(microdata.domains) + 1):
        part = first_attributes(microdata, count)
        warm(part, names, KAnonymity(5) if isinstance(model, KAnonymity) else LDiversity(2))
        measure(sweep, count, part, names, model)
    return sweep


@PAPER.experiment("12", "Figure 12: Adult, k", "30,162 rows, eight quasi-identifiers.")
def figure_12(size: Size) -> list[Panel]:
    ks = size.pick((50,), (5, 10, 20, 30, 40, 50), (5, 10, 20, 30, 40, 50))
    return by_k("Adult", tables.adult(), ks).panels("GCP", "DM", "seconds")


@PAPER.experiment("13", "Figure 13: census, k", "200,000 rows, seven quasi-identifiers; and four numbers alone.")
def figure_13(size: Size) -> list[Panel]:
    ks = size.pick((10, 50), KS, KS)
    on_numbers = by_k("numbers", tables.numbers(size.pick(2_000, 50_000, 50_000)), ks)
    return [*by_k("census", tables.census(rows_of(size)), ks).panels("GCP", "seconds"), *on_numbers.panels("GCP")]


def by_size(size: Size, names: Sequence[str], model: PrivacyModel) -> Sweep:
    sweep = Sweep("census", "rows")
    for rows in size.pick((2_000, 4_000), SIZES, SIZES):
        microdata = tables.census(rows)
        warm(microdata, names, KAnonymity(5) if isinstance(model, KAnonymity) else LDiversity(2))
        measure(sweep, rows, microdata, names, model)
    return sweep


@PAPER.experiment("14", "Figure 14: census, number of rows, k = 50", "50,000 to 400,000 rows.")
def figure_14(size: Size) -> list[Panel]:
    return by_size(size, FOR_K, KAnonymity(50)).panels("GCP", "seconds")


@PAPER.experiment("15", "Figure 15: number of attributes, k = 50", "The first attributes of the census and of Adult.")
def figure_15(size: Size) -> list[Panel]:
    found = by_dimension("census", tables.census(rows_of(size)), FOR_K, KAnonymity(50)).panels("GCP", "seconds")
    return found + adult_too(size, lambda: by_dimension("Adult", tables.adult(), FOR_K, KAnonymity(50)))


def adult_too(size: Size, make: object) -> list[Panel]:
    """Return the same on Adult, where it is there."""
    if size is Size.QUICK:
        return []
    try:
        return make().panels("GCP")  # type: ignore[operator]
    except LackingError:
        return []


@PAPER.experiment("16", "Figure 16: l", "200,000 census rows; and Adult, as far as its occupations allow.")
def figure_16(size: Size) -> list[Panel]:
    found = by_l("census", tables.census(rows_of(size)), size.pick((2, 5), LS, LS)).panels("GCP", "seconds")
    return found + adult_too(size, lambda: by_l("Adult", tables.adult(), range(2, 8)))


@PAPER.experiment("17", "Figure 17: number of rows, l = 5", "50,000 to 400,000 census rows.")
def figure_17(size: Size) -> list[Panel]:
    return by_size(size, FOR_L, LDiversity(5)).panels("GCP", "seconds")


@PAPER.experiment("18", "Figure 18: number of attributes, l = 5", "The first attributes of the census and of Adult.")
def figure_18(size: Size) -> list[Panel]:
    found = by_dimension("census", tables.census(rows_of(size)), FOR_L, LDiversity(5)).panels("GCP", "seconds")
    return found + adult_too(size, lambda: by_dimension("Adult", tables.adult(), FOR_L, LDiversity(5)))


@PAPER.experiment(
    "19",
    "Figure 19: number of sensitive values, l = 5",
    "200,000 census rows; neighbouring occupations are joined until m are left, where that leaves the table eligible.",
)
def figure_19(size: Size) -> list[Panel]:
    sweep = Sweep("census", "m")
    table = tables.census(rows_of(size))
    for m in size.pick((25, 50), (10, 15, 25, 35, 50), (10, 15, 25, 35, 50)):
        coarse = tables.coarser_sensitive(table, m)
        if coarse.sensitive[0].counts().max() * 5 <= len(coarse):
            warm(coarse, FOR_L, LDiversity(2))
            measure(sweep, m, coarse, FOR_L, LDiversity(5))
    return sweep.panels("GCP", "seconds")
