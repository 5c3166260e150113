"""Which figures are derived a second time, with what, and how close the two derivations should be."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean, median, pstdev
from typing import NamedTuple

import numpy as np

import sfumato as sf
from benchmarks.rederived import enummulti, fast_anonymization, incognito
from benchmarks.rederived.mondrian_greedy import at_least, diverse, greedy
from benchmarks.rederived.tables import NINE, Attribute, Ints, adult, census, dm, drawn, gcp, matrix

#: Figures by line, as the first derivation calls it, and by place on the axis.
Lines = dict[str, dict[float, float]]

#: The seeds of tables that are drawn; figures are medians over them.
SEEDS = range(5)

MULTI, FULL = "multidimensional, as in the paper", "full-domain"
HILB, HILB_2007, MONDRIAN, ANATOMY = "Hilb", "Hilb, as in the paper", "Mondrian, as in the paper", "Anatomy"


class Figure(NamedTuple):
    """A figure of a paper, the stored panel that it is compared with, and how it is derived here.

    ``experiment``, ``panel`` and ``unit`` name the stored panel, by the beginning of its name or a part of it.

    ``within`` is by how much, as a share, two figures may differ; ``because`` says why they may at all.
    """

    title: str
    experiment: str
    panel: str
    unit: str
    derive: Callable[[], Lines]
    within: float = 1e-6
    because: str = ""


def two_recodings(tables: Callable[[int], Sequence[Attribute]], k: int, full: bool) -> dict[str, float]:
    """The discernibility of the greedy and of the best levels, medians over tables of five seeds."""
    found: dict[str, list[float]] = {MULTI: []} | ({FULL: []} if full else {})
    for seed in SEEDS:
        attributes = tables(seed)
        found[MULTI].append(dm(greedy(matrix(attributes), at_least(k), [one.size - 1 for one in attributes])))
        if full:
            found[FULL].append(incognito.least_discernibility(attributes, k)[0])
    return {line: median(values) for line, values in found.items()}


def along(places: Sequence[float], derive: Callable[[float], dict[str, float]]) -> Lines:
    """Figures at places of an axis, by line."""
    lines: Lines = {}
    for x in places:
        for line, value in derive(x).items():
            lines.setdefault(line, {})[x] = value
    return lines


def mondrian_k(distribution: str) -> Lines:
    return along(
        (2, 5, 10, 25, 50, 100), lambda k: two_recodings(lambda seed: drawn(5, distribution, seed), int(k), True)
    )


def mondrian_12() -> Lines:
    sigmas = (0.1, 0.2, 0.3, 0.4, 0.5)
    return along(sigmas, lambda sigma: two_recodings(lambda seed: drawn(5, "skewed", seed, sigma), 10, True))


def mondrian_13() -> Lines:
    return along(
        (2, 3, 4, 5, 6, 7, 8), lambda many: two_recodings(lambda seed: drawn(int(many), "skewed", seed), 10, many <= 5)
    )


def mondrian_14() -> Lines:
    people = adult()
    ordered, levelled = [people[name] for name in people if name != "salary-class"], [people[name] for name in NINE]
    return along(
        (2, 5, 10, 25, 50, 100),
        lambda k: {
            MULTI: dm(greedy(matrix(ordered), at_least(int(k)))),
            FULL: incognito.least_discernibility(levelled, int(k))[0],
        },
    )


def mondrian_17(deviation: bool = False) -> Lines:
    """Errors of counts, read off the cells that people are shown."""
    lines: Lines = {}
    for k in (10, 25, 50):
        errors: dict[str, list[float]] = {"X": [], "Y": []}
        for seed in SEEDS:
            table = sf.datasets.discrete(1_000, 2, 50, "skewed", sigma=0.2, mu=25, seed=seed).table
            table = table.rename_columns(["X", "Y"])
            release = sf.anonymize(table, quasi_identifiers=["X", "Y"], k=k, method=sf.Mondrian(), seed=1)
            for name, of_seeds in errors.items():
                truth = np.bincount(table.column(name).to_numpy(), minlength=50)
                told = np.zeros(50)
                for cell in release.table.column(name).to_pylist():
                    low, high = interval(str(cell))
                    told[low : high + 1] += 1 / (high - low + 1)
                off = np.abs(told - truth).tolist()
                of_seeds.append(pstdev(off) if deviation else fmean(off))
        for name, of_seeds in errors.items():
            lines.setdefault(f"multi, {name}", {})[k] = median(of_seeds)
    return lines


def interval(cell: str) -> tuple[int, int]:
    """The ends of a shown interval, as ``[26, 28]`` or ``26``."""
    ends = [int(part) for part in cell.strip("[]").split(",")]
    return ends[0], ends[-1]


def on_adult(measure: Callable[[Sequence[Attribute], Ints], float]) -> Lines:
    people = adult()
    eight = [people[name] for name in people if name != "occupation"]
    order, points = fast_anonymization.hilbert_order(eight), matrix(eight)
    return along(
        (5, 10, 20, 30, 40, 50),
        lambda k: {
            HILB: measure(eight, fast_anonymization.runs(eight, order, int(k))),
            MONDRIAN: measure(eight, greedy(points, at_least(int(k)))),
        },
    )


def census_by(places: Sequence[float], given: Callable[[float], tuple[Sequence[Attribute], int]]) -> Lines:
    """GCP on the census for k: the attributes and the k of every place."""

    def derive(x: float) -> dict[str, float]:
        attributes, k = given(x)
        order = fast_anonymization.hilbert_order(attributes)
        return {
            HILB: gcp(attributes, fast_anonymization.runs(attributes, order, k)),
            MONDRIAN: gcp(attributes, greedy(matrix(attributes), at_least(k))),
        }

    return along(places, derive)


def diverse_by(places: Sequence[float], given: Callable[[float], tuple[Sequence[Attribute], int]]) -> Lines:
    """GCP on the census for l: the attributes and the l of every place."""
    sensitive = census(200_000)[1]

    def derive(x: float) -> dict[str, float]:
        attributes, diversity = given(x)
        order = fast_anonymization.hilbert_order(attributes)
        return {
            HILB_2007: gcp(attributes, fast_anonymization.diverse_groups(order, sensitive, diversity)),
            MONDRIAN: gcp(attributes, greedy(matrix(attributes), diverse(sensitive, diversity))),
        }

    return along(places, derive)


def first(many: float) -> list[Attribute]:
    return census(200_000)[0][: int(many)]


def fast_20() -> Lines:
    attributes, sensitive = census(200_000)
    points = matrix(attributes)

    def derive(diversity: float) -> dict[str, float]:
        least = int(diversity)
        buckets = [fast_anonymization.anatomy(sensitive, least, seed) for seed in SEEDS]
        boxes = greedy(points, diverse(sensitive, least))
        return {
            ANATOMY: median(bits(attributes, sensitive, one, exact=True) for one in buckets),
            MONDRIAN: bits(attributes, sensitive, boxes),
        }

    return along((2, 3, 5, 9, 13), derive)


def bits(attributes: Sequence[Attribute], sensitive: Ints, classes: Ints, exact: bool = False) -> float:
    return fast_anonymization.divergence(attributes, sensitive, classes, 2, exact) / math.log(2)


def simple_normal(splits: int, shortest: float = 0.0) -> Lines:
    """What the greedy costs over the optimum, by k; medians over five tables."""

    def derive(k: float) -> dict[str, float]:
        ratios = []
        for seed in SEEDS:
            data = enummulti.points(seed=seed)
            best = enummulti.optimum(data, splits, int(k), shortest)
            ratios.append(enummulti.greedy(data, splits, at_least(int(k)), shortest) / best)
        return {"Mondrian": median(ratios)}

    return along((10, 25, 50, 100, 250, 500, 1000), derive)


ROUNDED = "how an attribute of few values is stretched to 12 bits, and equal places on the curve"
EQUALS = (
    "which of two rows with the same quasi-identifiers comes first on the line, and so which sensitive values a group "
    "finds there; with one attribute or two nearly all rows have such equals, and nearly nothing is lost"
)
BLOCKS = (
    "with least lengths of blocks the first derivation searches some of the splits, and says that EnumMulti's lead is "
    "at least what it finds; the second finds the optimum over all splits, and a larger lead"
)
TIES = "which of two equally wide attributes is cut, which of two equally near splits is taken"

FIGURES: dict[str, Figure] = {
    "incognito-nodes": Figure(
        "Incognito, table of Section 4.2.1: nodes searched",
        "incognito-nodes",
        "Adult",
        "nodes",
        incognito.nodes_by_attributes,
    ),
    "incognito-11": Figure(
        "Incognito, Figure 11, in nodes",
        "incognito-11",
        "Adult",
        "nodes",
        lambda: incognito.nodes_by_k(8, (2, 10, 25, 50)),
    ),
    "mondrian-10": Figure(
        "Mondrian, Figure 10", "mondrian-10", "uniform", "DM", lambda: mondrian_k("uniform"), 0.03, TIES
    ),
    "mondrian-11": Figure(
        "Mondrian, Figure 11", "mondrian-11", "skewed", "DM", lambda: mondrian_k("skewed"), 0.03, TIES
    ),
    "mondrian-12": Figure("Mondrian, Figure 12", "mondrian-12", "", "DM", mondrian_12, 0.03, TIES),
    "mondrian-13": Figure("Mondrian, Figure 13", "mondrian-13", "", "DM", mondrian_13, 0.03, TIES),
    "mondrian-14": Figure("Mondrian, Figure 14", "mondrian-14", "Adult", "DM", mondrian_14, 0.03, TIES),
    "mondrian-17": Figure("Mondrian, Figure 17: mean error", "mondrian-17", "", "mean error", mondrian_17),
    "fast-anonymization-12a": Figure(
        "Fast anonymization, Figure 12(a)",
        "fast-anonymization-12",
        "Adult, ",
        "GCP",
        lambda: on_adult(gcp),
        0.02,
        ROUNDED,
    ),
    "fast-anonymization-12b": Figure(
        "Fast anonymization, Figure 12(b)",
        "fast-anonymization-12",
        "Adult, ",
        "DM",
        lambda: on_adult(lambda _, classes: dm(classes)),
        0.02,
        ROUNDED,
    ),
    "fast-anonymization-13": Figure(
        "Fast anonymization, Figure 13",
        "fast-anonymization-13",
        "census",
        "GCP",
        lambda: census_by((10, 25, 50, 75, 100), lambda k: (first(7), int(k))),
        0.02,
        ROUNDED,
    ),
    "fast-anonymization-15": Figure(
        "Fast anonymization, Figure 15",
        "fast-anonymization-15",
        "census",
        "GCP",
        lambda: census_by((1, 2, 3, 4, 5, 6, 7), lambda many: (first(many), 50)),
        0.02,
        ROUNDED,
    ),
    "fast-anonymization-16": Figure(
        "Fast anonymization, Figure 16",
        "fast-anonymization-16",
        "census",
        "GCP",
        lambda: diverse_by(range(2, 14), lambda least: (first(7), int(least))),
        0.05,
        EQUALS,
    ),
    "fast-anonymization-18": Figure(
        "Fast anonymization, Figure 18",
        "fast-anonymization-18",
        "census",
        "GCP",
        lambda: diverse_by((1, 2, 3, 4, 5, 6, 7), lambda many: (first(many), 5)),
        0.05,
        EQUALS,
    ),
    "fast-anonymization-20a": Figure(
        "Fast anonymization, Figure 20(a)",
        "fast-anonymization-20",
        "(a)",
        "KL",
        fast_20,
        0.05,
        "which of several equally full buckets Anatomy takes from: the second takes those that come first, and pairs "
        "the same values again and again; with chance among equals it is within a hundredth",
    ),
    "enummulti-1": Figure(
        "EnumMulti, Figure 5: 5 × 5 splits",
        "enummulti-1",
        " 5 × 5 ",
        "times EnumMulti",
        lambda: simple_normal(5),
        0.1,
        TIES,
    ),
    "enummulti-1-many": Figure(
        "EnumMulti, Figure 5: 20 × 20 splits",
        "enummulti-1",
        " 20 × 20 ",
        "times EnumMulti",
        lambda: simple_normal(20),
        0.1,
        TIES,
    ),
    "enummulti-4": Figure(
        "EnumMulti, Figure 8",
        "enummulti-4",
        "lengths of blocks",
        "times EnumMulti",
        lambda: simple_normal(50, 10.0),
        0.1,
        BLOCKS,
    ),
}
