"""Every privacy model as the verifier defines it: what each class has, and whether that is enough.

The definitions are written a second time here, independently of those that methods use. Histograms are sparse, so
thousands of sensitive values in a hundred thousand classes are no problem.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import HierarchyError, invalid_parameter, shortened
from sfumato.verify.classes import Histogram
from sfumato.verify.numbers import number_distances

#: The relative rounding error of quotients and logarithms; a class exactly at a limit must not fail because of it.
TOLERANCE = 1e-9
#: Sums of shares, which are at most 1, have an error below this.
SHARE_TOLERANCE = 1e-12

DIVERSITY_KINDS = ("frequency", "distinct", "entropy", "recursive")
LIKENESS_KINDS = ("basic", "enhanced")
DISTANCES = ("equal", "ordered", "hierarchical", "numeric")


@dataclass(frozen=True)
class RuleFinding:
    """The value of every class that one rule limits, and whether the class keeps the rule."""

    rule: str
    column: str | None
    asked: float
    measures: str
    found: NDArray[np.float64] = field(repr=False)
    holds: NDArray[np.bool_] = field(repr=False)
    least_is_worst: bool = True


@dataclass(frozen=True)
class SensitiveCounts:
    """A sensitive column: its name, its values and how often they occur in each class.

    For ordered distances the values are sorted.
    """

    name: str
    values: pa.Array = field(repr=False)
    histogram: Histogram


def check_size(requirement: Mapping[str, Any], sizes: NDArray[np.int64]) -> RuleFinding:
    """Check k-anonymity: every class has at least ``k`` rows."""
    k = parameters.integer("k-anonymity", "k", requirement.get("k"), at_least=1)
    return RuleFinding(f"k-anonymity k={k}", None, k, "smallest class", sizes.astype(np.float64), sizes >= k)


def check_diversity(requirement: Mapping[str, Any], column: SensitiveCounts) -> RuleFinding:
    """Check l-diversity of one column, one of its four kinds."""
    kind = parameters.choice("l-diversity", "kind", requirement.get("kind", "frequency"), DIVERSITY_KINDS)
    if kind == "recursive":
        return _check_recursive(requirement, column)
    asked = parameters.number("l-diversity", "l", requirement.get("l"), at_least=1)
    found = DIVERSITIES[kind](column.histogram)
    if kind == "entropy":
        enough = np.log(found) >= math.log(asked) * (1 - TOLERANCE)
    else:
        enough = found * (1 + TOLERANCE) >= asked
    return RuleFinding(f"l-diversity l={asked:g} ({kind})", column.name, asked, "lowest", found, enough)


def _check_recursive(requirement: Mapping[str, Any], column: SensitiveCounts) -> RuleFinding:
    l = parameters.integer("l-diversity", "l", requirement.get("l"), at_least=1)  # noqa: E741
    c = parameters.number("l-diversity", "c", requirement.get("c"), above=0)
    found = _recursive_factors(column.histogram, l)
    # Strictly less: a class exactly at the limit breaks the rule, also if c·(…) is rounded up a little.
    enough = found < c * (1 - TOLERANCE)
    rule = f"l-diversity l={l} (recursive, c={c:g})"
    return RuleFinding(rule, column.name, c, "largest factor", found, enough, least_is_worst=False)


def check_closeness(requirement: Mapping[str, Any], column: SensitiveCounts) -> RuleFinding:
    """Check t-closeness of one column, by one of its four distances."""
    asked = parameters.share("t-closeness", "t", requirement.get("t"))
    distance = parameters.choice("t-closeness", "distance", requirement.get("distance", "equal"), DISTANCES)
    found = _distances(distance, requirement, column)
    rule = f"t-closeness t={asked:g} ({distance})"
    return RuleFinding(
        rule, column.name, asked, "largest", found, found <= asked + SHARE_TOLERANCE, least_is_worst=False
    )


def frequency_l(histogram: Histogram) -> NDArray[np.float64]:
    """The l of every class, of which its most frequent value makes up 1/l."""
    return histogram.heads / histogram.largest


def distinct_l(histogram: Histogram) -> NDArray[np.float64]:
    """The number of distinct values of every class."""
    return histogram.distinct.astype(np.float64)


def entropy_l(histogram: Histogram) -> NDArray[np.float64]:
    """For every class, the number of equally frequent values that would have its entropy."""
    shares = histogram.class_shares
    return np.exp(-histogram.total(shares * np.log(shares)))


DIVERSITIES = {"frequency": frequency_l, "distinct": distinct_l, "entropy": entropy_l}


def _recursive_factors(histogram: Histogram, l: int) -> NDArray[np.float64]:  # noqa: E741
    """For every class, the count of its most frequent value divided by the sum of all counts from the l-th on."""
    counts = histogram.counts[np.lexsort((-histogram.counts, histogram.classes))]
    rank = np.arange(len(counts)) - histogram.starts[histogram.classes]
    rare = histogram.total(np.where(rank >= l - 1, counts, 0).astype(np.float64))
    return np.divide(histogram.largest, rare, out=np.full(len(rare), np.inf), where=rare > 0)


def _distances(distance: str, requirement: Mapping[str, Any], column: SensitiveCounts) -> NDArray[np.float64]:
    """The distance of every class's distribution from the table's, as a requirement measures it."""
    if not len(column.histogram.sizes):
        return np.empty(0)
    if distance == "ordered":
        return _ordered_distances(column.histogram)
    if distance == "hierarchical":
        return _tree_distances(column, _taxonomy_rows(requirement.get("taxonomy")))
    if distance == "numeric":
        return number_distances(column.name, column.values, column.histogram)
    return equal_distances(column.histogram)


def equal_distances(histogram: Histogram) -> NDArray[np.float64]:
    """The total variation distance of every class from the table: the shares that it has in excess."""
    return histogram.total(np.maximum(histogram.class_shares - histogram.shares[histogram.values], 0))


def _ordered_distances(histogram: Histogram) -> NDArray[np.float64]:
    """The area between every class's cumulative distribution and the table's, over the values that occur.

    A class's curve is a staircase that only rises at values it has. Under a stair of height ``a`` the table's curve
    rises too and crosses it at most once, so prefix sums of that curve give the area stair by stair.
    """
    occurs = histogram.shares > 0
    table = np.cumsum(histogram.shares[occurs])
    area = np.append(0.0, np.cumsum(table))
    height = _running_shares(histogram)
    begin = (np.cumsum(occurs) - 1)[histogram.values]
    end = np.append(begin[1:], 0)
    end[np.append(histogram.starts[1:], len(end)) - 1] = len(table)
    cross = np.clip(np.searchsorted(table, height), begin, end)
    below = height * (cross - begin) - (area[cross] - area[begin])
    above = (area[end] - area[cross]) - height * (end - cross)
    before = area[begin[histogram.starts]]
    return (histogram.total(below + above) + before) / max(1, len(table) - 1)


def _running_shares(histogram: Histogram) -> NDArray[np.float64]:
    """The cumulative share of every entry in its class."""
    running = np.cumsum(histogram.counts, dtype=np.int64)
    before = (running - histogram.counts)[histogram.starts]
    return (running - before[histogram.classes]) / histogram.sizes[histogram.classes]


def _tree_distances(column: SensitiveCounts, rows: Sequence[tuple[str, ...]]) -> NDArray[np.float64]:
    """The distances in a tree, where two values are as far apart as their lowest common ancestor is high.

    Such a distance is the mean over the levels below the root of 'are they under different nodes here?', so the cost
    of moving is the mean of the levels' equal distances.
    """
    path_of = {row[0]: row for row in rows}
    texts = column.values.cast(pa.string()).to_pylist()
    occurs = column.histogram.shares > 0
    unknown = next((text for text, there in zip(texts, occurs, strict=False) if there and text not in path_of), None)
    if unknown is not None:
        raise HierarchyError(
            f"Column '{column.name}': the value {shortened(unknown)} occurs in the table but not in the taxonomy of "
            "its t-closeness. Add a row for it."
        )
    height = len(rows[0]) - 1
    levels = [_level_names([path_of.get(text, ())[level:] for text in texts]) for level in range(height)]
    total = np.zeros(len(column.histogram.sizes))
    for names in levels:
        total += equal_distances(column.histogram.renamed(names))
    return total / height


def _level_names(paths: list[tuple[str, ...]]) -> NDArray[np.int64]:
    """Number the nodes above values, identified by their whole paths; a missing value is alone below the root."""
    number_of: dict[tuple[str, ...], int] = {}
    names = [number_of.setdefault(path, len(number_of)) for path in paths]
    return np.array([*names, len(number_of)], np.int64)


def _taxonomy_rows(taxonomy: object) -> list[tuple[str, ...]]:
    """The rows of a taxonomy, one per value, each ending in the root."""
    given = taxonomy.get("rows") if isinstance(taxonomy, Mapping) else taxonomy
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        expected = "a taxonomy with its rows (value, parent, …, '*') for distance='hierarchical'"
        raise invalid_parameter("t-closeness", "taxonomy", expected, taxonomy)
    rows = [tuple(map(str, row)) for row in given]
    if len({len(row) for row in rows}) > 1 or len({row[0] for row in rows}) < len(rows):
        raise HierarchyError("The taxonomy of t-closeness needs one row per value, all of the same length.")
    complete = len(rows[0]) > 1 and all(row[-1] == "*" for row in rows)
    return rows if complete else [(*row, "*") for row in rows]


def check_likeness(requirement: Mapping[str, Any], column: SensitiveCounts) -> RuleFinding:
    """Check β-likeness: the largest relative gain in frequency of each class's values over the table.

    For the enhanced kind a gain is measured relative to what the value may gain, so that the limit is β again.
    """
    asked = parameters.number("beta-likeness", "beta", requirement.get("beta"), above=0)
    kind = parameters.choice("beta-likeness", "kind", requirement.get("kind", "basic"), LIKENESS_KINDS)
    histogram = column.histogram
    whole = histogram.shares[histogram.values]
    gains = histogram.class_shares / whole - 1
    if kind == "enhanced":
        allowed = np.minimum(asked, np.log(1 / whole))
        gains = np.where(gains <= allowed + TOLERANCE, np.minimum(gains, asked), np.maximum(gains, 2 * asked))
    found = np.maximum.reduceat(gains, histogram.starts) if len(histogram.sizes) else np.empty(0)
    holds = found <= asked + TOLERANCE * (1 + asked)
    return RuleFinding(
        f"beta-likeness beta={asked:g} ({kind})", column.name, asked, "largest gain", found, holds, False
    )


def check_disclosure(requirement: Mapping[str, Any], column: SensitiveCounts) -> RuleFinding:
    """Check δ-disclosure privacy: by how many powers of two a class's shares differ from the table's, at most."""
    asked = parameters.number("delta-disclosure", "delta", requirement.get("delta"), above=0)
    histogram = column.histogram
    found = np.empty(0)
    if len(histogram.sizes):
        changes = np.abs(np.log2(histogram.class_shares) - np.log2(histogram.shares[histogram.values]))
        found = np.maximum.reduceat(changes, histogram.starts)
        found[histogram.distinct < np.count_nonzero(histogram.shares)] = np.inf  # some value does not occur at all
    holds = found < asked * (1 - TOLERANCE)
    return RuleFinding(f"delta-disclosure delta={asked:g}", column.name, asked, "largest change", found, holds, False)
