"""Experiments 1 to 7 of the EnumMulti paper, and its own search with three priorities."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import ceil
from statistics import fmean

import numpy as np

from benchmarks.papers import tables
from benchmarks.papers.experiment import Panel, Paper, Size, Sweep
from benchmarks.papers.greedy import median_itself, nearest_to_median, strict_greedy
from benchmarks.papers.measuring import task
from sfumato.hierarchies import IntervalDomain
from sfumato.methods import EnumMulti
from sfumato.methods.enumeration.optimality import Optimality
from sfumato.methods.enumeration.splits import split_codes
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, PrivacyModel
from sfumato.table.microdata import Microdata

PAPER = Paper(
    "enummulti",
    "Flexible Anonymization for Privacy Preserving Data Publishing",
    "B. Hore, R. C. Jammalamadaka and S. Mehrotra, SDM 2007",
    "The best partition that given cuts can make, by discernibility, against greedy cuts: how many times what "
    "EnumMulti finds a greedy costs, and, below 1, the proven bound that no partition is below. There are three "
    "greedies. *Mondrian* is Sfumato's, which tries both cuts around the median in every attribute; the others have "
    "one choice for every block, in its widest attribute, and leave it whole if that is not allowed: *one choice, "
    "nearest cut* the cut nearest to the median, *one choice, the median* that itself, if there is a cut. The search "
    "stops after one second at every point (with `--full` after the paper's five hours), and each point is one run; of "
    "SimpleNormal there are five tables, and figures are medians over them. "
    "SimpleNormal has values from 0 to 100, as in the paper, which gives neither the number of its rows nor its "
    "spread: factors over greedy depend on both. Coil is made up, five attributes with the numbers of values of the "
    "real one, unless SFUMATO_COIL names the folder of the real one: nothing is judged on the made-up one.",
)

MONDRIAN, NEAREST, MEDIAN, BOUND = "Mondrian", "one choice, nearest cut", "one choice, the median", "proven bound"
GREEDIES = (MONDRIAN, NEAREST, MEDIAN)
UNIT = "times EnumMulti"

KS = (10, 25, 50, 100, 250, 500, 1000)

#: 101 in all: everything that the eight categories have, countries but for one, and 16 of age.
ADULT_SPLITS = {"age": 16, "native-country": 39}
#: What has a minimum length in Experiment 5.
LONG = ("age", "native-country", "race", "workclass", "occupation", "education", "marital-status")

#: How many times better than greedy the paper's optimum is on average, by splits per attribute; it names no other.
PAPER_FACTORS = {5: 8.2, 20: 4.0}


#: How many tables are drawn of SimpleNormal.
TABLES = 5

#: The modules of Sfumato that results rest on.
CODE = tuple(
    f"sfumato.methods.enumeration.{name}"
    for name in (
        *("box_search", "cut_grid", "enum_multi", "minimum_lengths", "optimality", "partition_problem"),
        *("partition_search", "partitions", "splits", "kernels"),
    )
)
MADE = (*CODE, "sfumato.datasets.synthetic", "sfumato.datasets.sampling")


def patience(size: Size) -> float:
    """How long the search over boxes is given at each point; the paper's was given five hours."""
    return size.pick(0.2, 1.0, 18_000.0)


def budget(size: Size) -> str:
    """The same for the page."""
    return f"{patience(size):g} s a point"


def pet_patience(size: Size) -> float:
    """How long the paper's own search is given at each point: its half an hour with `--full`."""
    return size.pick(0.5, 5.0, 1_800.0)


def searched(microdata: Microdata, models: Sequence[PrivacyModel], method: EnumMulti) -> Optimality:
    found: Optimality = method.run(task(microdata, *models)).details["optimality"]
    return found


def compare(
    sweep: Sweep,
    x: float,
    drawn: Sequence[Microdata],
    models: Sequence[PrivacyModel],
    method: EnumMulti,
    least: Sequence[int] | None = None,
) -> None:
    """Measure three greedies and the bound at one place, on every table."""
    found = [measured(table, models, method, least) for table in drawn]
    for line in found[0]:
        sweep.add_all(x, line, times_EnumMulti=[one[line] for one in found])


def measured(
    microdata: Microdata, models: Sequence[PrivacyModel], method: EnumMulti, least: Sequence[int] | None
) -> dict[str, float]:
    """What three greedies and the bound are, as multiples of what EnumMulti finds, on one table."""
    cuts = split_codes(microdata, method.splits, method.placing)
    ways = [method] if least is None else every_few(microdata, method, least)
    found = min((searched(microdata, models, way) for way in ways), key=lambda answer: answer.cost)
    costs = {
        MONDRIAN: found.greedy,
        NEAREST: strict_greedy(microdata, models, cuts, nearest_to_median, least),
        MEDIAN: strict_greedy(microdata, models, cuts, median_itself, least),
    }
    best = min(found.cost, *costs.values())
    # The bound is about the cuts that were searched, which are not all where blocks have a least length.
    costs |= {BOUND: found.bound} if least is None else {}
    return {line: cost / best for line, cost in costs.items()}


def every_few(microdata: Microdata, method: EnumMulti, least: Sequence[int]) -> list[EnumMulti]:
    """The method with few enough of its splits that all blocks are long enough, beginning at each place in turn."""
    cuts = split_codes(microdata, method.splits, method.placing)
    seconds = None if method.time_limit is None else method.time_limit / max(least)
    ways = []
    for start in range(max(least)):
        splits = {}
        for domain, places, many in zip(microdata.domains, cuts, least, strict=True):
            kept = places[many - 1 + start % many : len(places) - many + 1 : many]
            points = [str(domain.texts[int(cut) - 1]) for cut in kept]
            splits[domain.name] = [int(point) if point.isdigit() else point for point in points]
        ways.append(EnumMulti(splits=splits, time_limit=seconds))
    return ways


def by_k(
    title: str,
    size: Size,
    drawn: Sequence[Microdata],
    method: EnumMulti,
    extra: Sequence[PrivacyModel] = (),
    least: Sequence[int] | None = None,
) -> list[Panel]:
    sweep = Sweep(title, "k", title.startswith("Coil") and tables.COIL_MADE_UP)
    for k in size.pick((100, 500), KS, KS):
        compare(sweep, k, drawn, [KAnonymity(k), *extra], method, least)
    return sweep.panels()


def least_slabs(
    microdata: Microdata, method: EnumMulti, names: Sequence[str], length: float | None = None
) -> list[int]:
    """How many slabs a block must hold of every attribute: two, or as many as a length in its unit needs."""
    cuts = split_codes(microdata, method.splits, method.placing)
    return [
        1
        if domain.name not in names
        else 2
        if length is None
        else ceil(length / (float(domain.extent) / (len(places) + 1)))  # type: ignore[attr-defined]
        for domain, places in zip(microdata.domains, cuts, strict=True)
    ]


def shown_lengths(microdata: Microdata, method: EnumMulti, names: Sequence[str]) -> list[PrivacyModel]:
    """The same for shown values: those of two slabs are at least one mean distance between cuts apart."""
    cuts = split_codes(microdata, method.splits, method.placing)
    return [
        MinimumSpan(domain.name, float(domain.extent / (len(places) + 1)))
        for domain, places in zip(microdata.domains, cuts, strict=True)
        if domain.name in names and isinstance(domain, IntervalDomain)
    ]


@PAPER.experiment(
    "pet",
    "Section 5, scalability: the paper's own search",
    '`engine="pet"`, the partition enumeration tree with its three priorities: on SimpleNormal with 5 × 5 splits, and '
    "on three attributes of Adult with 10 splits. Seconds by a clock, until the optimum is proven or 5 s are over; "
    "the paper needed up to 30 minutes.",
    rests_on=MADE,
    budget=lambda size: f"{pet_patience(size):g} s a point",
    theirs="ten splits and fewer are solved in under 30 minutes",
)
def pet(size: Size) -> list[Panel]:
    found = whole_partitions("SimpleNormal, 5 × 5 splits", size, tables.normal(), {"x": 5, "y": 5}, "width")
    if tables.ADULT.exists():
        splits = {"age": 4, "education": 3, "marital-status": 3}
        some = [tables.adult_trees().names.index(name) for name in splits]
        found += whole_partitions("Adult, 10 splits", size, attributes(tables.adult_trees(), some), splits, "auto")
    return found


def whole_partitions(title: str, size: Size, table: Microdata, splits: dict[str, int], placing: str) -> list[Panel]:
    """Let the paper's search run with each priority, beside the optimum that the search over boxes proves."""
    sweep = Sweep(title, "k")
    for k in size.pick((100,), (25, 100, 1000), (10, 25, 50, 100, 250, 500, 1000)):
        best = searched(table, [KAnonymity(k)], EnumMulti(splits=splits, placing=placing))
        for priority in ("bound", "cost", "ratio"):
            seconds = pet_patience(size)
            method = EnumMulti(splits=splits, placing=placing, engine="pet", priority=priority, time_limit=seconds)
            begin = time.perf_counter()
            found = searched(table, [KAnonymity(k)], method)
            sweep.add(k, priority, seconds=time.perf_counter() - begin, partitions=found.nodes)
            sweep.add(k, priority, cost_by_bound=found.cost / found.bound, cost_by_optimum=found.cost / best.cost)
    return sweep.panels("seconds", "partitions", "cost by bound", "cost by optimum")


def attributes(microdata: Microdata, places: Sequence[int]) -> Microdata:
    """The table with some of its quasi-identifiers alone."""
    codes = np.ascontiguousarray(microdata.codes[:, list(places)])
    return Microdata(codes, tuple(microdata.domains[at] for at in places), microdata.sensitive)


def normals(size: Size) -> list[Microdata]:
    """SimpleNormal, drawn with five seeds."""
    return [tables.normal(seed=seed) for seed in range(size.pick(1, TABLES, TABLES))]


@PAPER.experiment(
    "1",
    "Experiment 1: SimpleNormal",
    "10,000 points, cut at equal widths: 5 × 5, 20 × 20, and beyond the paper 50 × 50.",
    rests_on=MADE,
    budget=budget,
    theirs="a greedy costs 8.2 times EnumMulti with 5 × 5 splits and 4 times with 20 × 20, on average",
)
def experiment_1(size: Size) -> list[Panel]:
    found = []
    for splits in size.pick((5, 20), (5, 20, 50), (5, 20, 50)):
        method = EnumMulti(splits=splits, placing="width", time_limit=patience(size))
        found += by_k(f"SimpleNormal, {splits} × {splits} splits", size, normals(size), method)
    return found


#: How many points SimpleNormal may have had, and their standard deviation: the paper gives neither.
POINTS, SPREADS = (300, 1_000, 3_000, 10_000), (5.0, 10.0, 17.0, 25.0, 40.0)


@PAPER.experiment(
    "1-spread",
    "Experiment 1, further: other numbers of points, other spreads",
    "The paper gives neither the number of points nor their standard deviation σ. How many times EnumMulti a greedy "
    "costs, on average over k: five tables each.",
    rests_on=MADE,
    budget=budget,
    theirs="a greedy costs 8.2 times EnumMulti with 5 × 5 splits and 4 times with 20 × 20, on average",
)
def spreads(size: Size) -> list[Panel]:
    found = []
    for splits, places in size.pick({5: (10.0,)}, {5: SPREADS, 20: SPREADS[1:4]}, {5: SPREADS, 20: SPREADS}).items():
        method = EnumMulti(splits=splits, placing="width", time_limit=patience(size))
        for spread in places:
            sweep = Sweep(f"{splits} × {splits} splits, σ = {spread:g}", "points")
            for points in size.pick((300,), POINTS, POINTS):
                drawn = [tables.normal_of(points, spread, seed) for seed in range(size.pick(1, TABLES, TABLES))]
                for line, figures in over_all_k(drawn, method, points).items():
                    sweep.add_all(points, line, times_EnumMulti=figures)
            found += sweep.panels()
    return found


def over_all_k(drawn: Sequence[Microdata], method: EnumMulti, most: int) -> dict[str, list[float]]:
    """What three greedies and the bound are as multiples of EnumMulti, on average over k, on every table."""
    ks = [k for k in KS if k <= most]
    found = [[measured(table, [KAnonymity(k)], method, None) for k in ks] for table in drawn]
    return {line: [fmean(one[line] for one in by_k) for by_k in found] for line in found[0][0]}


@PAPER.experiment(
    "2",
    "Experiment 2: Adult",
    "30,162 rows, nine attributes, 101 splits.",
    rests_on=CODE,
    budget=budget,
    theirs="1.35 times the lower bound at k = 1000",
)
def experiment_2(size: Size) -> list[Panel]:
    method = EnumMulti(splits=ADULT_SPLITS, time_limit=patience(size))
    return by_k("Adult, 101 splits", size, [tables.adult_trees()], method)


@PAPER.experiment(
    "3",
    "Experiment 3: Coil",
    "9,882 rows, five attributes, up to 32 splits of each.",
    rests_on=CODE,
    budget=budget,
)
def experiment_3(size: Size) -> list[Panel]:
    return by_k("Coil", size, [tables.coil()], EnumMulti(time_limit=patience(size)))


SHOWN, BLOCKS = "lengths of what is shown", "lengths of blocks"
TWO_WAYS = (
    "Once the length is that of what is shown, as Sfumato asks it; once that of blocks from edge to edge, as the paper "
    "does: there EnumMulti cuts at so few of the splits that all blocks are long enough, and is never taken to be "
    "worse than a greedy, which its search begins with; so its lead is at least this."
)


@PAPER.experiment(
    "4",
    "Experiment 4: SimpleNormal, minimum length",
    f"50 × 50 splits, length 10 in x and y. {TWO_WAYS}",
    rests_on=MADE,
    budget=budget,
)
def experiment_4(size: Size) -> list[Panel]:
    drawn, method = normals(size), EnumMulti(splits=50, placing="width", time_limit=patience(size))
    lengths = [MinimumSpan(name, 10) for name in ("x", "y")]
    least = least_slabs(drawn[0], method, ("x", "y"), 10.0)
    shown = by_k(f"SimpleNormal, {SHOWN}", size, drawn, method, lengths)
    return shown + by_k(f"SimpleNormal, {BLOCKS}", size, drawn, method, least=least)


def two_slabs(name: str, size: Size, table: Microdata, method: EnumMulti, names: Sequence[str]) -> list[Panel]:
    shown = by_k(f"{name}, {SHOWN}", size, [table], method, shown_lengths(table, method, names))
    return shown + by_k(f"{name}, {BLOCKS}", size, [table], method, least=least_slabs(table, method, names))


@PAPER.experiment(
    "5",
    "Experiment 5: Adult, minimum lengths",
    f"Twice the distance of splits in seven of nine attributes. {TWO_WAYS}",
    rests_on=CODE,
    budget=budget,
)
def experiment_5(size: Size) -> list[Panel]:
    method = EnumMulti(splits=ADULT_SPLITS, time_limit=patience(size))
    return two_slabs("Adult", size, tables.adult_ordered(), method, LONG)


@PAPER.experiment(
    "6",
    "Experiment 6: Coil, minimum lengths",
    f"Twice the distance of splits in all attributes. {TWO_WAYS}",
    rests_on=CODE,
    budget=budget,
)
def experiment_6(size: Size) -> list[Panel]:
    table = tables.coil()
    return two_slabs("Coil", size, table, EnumMulti(time_limit=patience(size)), table.names)


@PAPER.experiment(
    "7",
    "Experiment 7: Adult, l-diversity",
    "Entropy l-diversity of the occupation, k = 25 and 50.",
    rests_on=CODE,
    budget=budget,
)
def experiment_7(size: Size) -> list[Panel]:
    table, method = tables.adult_trees("occupation"), EnumMulti(splits=ADULT_SPLITS, time_limit=patience(size))
    found = []
    for k in (25, 50):
        sweep = Sweep(f"Adult, k = {k}", "l")
        for l in size.pick((3, 6), (2, 3, 4, 5, 6, 7, 8), (2, 3, 4, 5, 6, 7, 8)):  # noqa: E741
            compare(sweep, l, [table], [KAnonymity(k), LDiversity(l, kind="entropy")], method)
        found += sweep.panels()
    return found
