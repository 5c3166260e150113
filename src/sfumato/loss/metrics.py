"""The losses: functions of a table and its classes, each with a name, a direction and bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain, TreeDomain
from sfumato.microdata import EquivalenceClasses, Microdata


@dataclass(frozen=True)
class Recoded:
    """Everything that a loss may look at.

    Attributes
    ----------
    microdata, classes
        The encoded table and its classes.
    left_out
        Rows that never reached the method because a value is missing; they count as suppressed.
    k
        The class size that was asked for.
    """

    microdata: Microdata
    classes: EquivalenceClasses
    left_out: int = 0
    k: int = 1

    @property
    def rows(self) -> int:
        """All rows of the input."""
        return len(self.microdata) + self.left_out

    @property
    def suppressed(self) -> int:
        """All rows of the input that are not released."""
        return self.classes.suppressed + self.left_out

    @cached_property
    def heights(self) -> NDArray[np.int64]:
        """The level of each quasi-identifier that each class shows, else the lowest at which it is one group."""
        lo, hi, levels = self.classes.lo, self.classes.hi, self.classes.levels
        if levels is not None:
            return np.broadcast_to(np.array(levels), lo.shape)
        heights = np.empty(lo.shape, np.int64)
        for at, domain in enumerate(self.microdata.domains):
            heights[:, at] = domain.top
            for level in range(domain.top - 1, -1, -1):
                groups = domain.levels[level].groups
                heights[groups[lo[:, at]] == groups[hi[:, at]], at] = level
        if self.classes.hidden is not None:
            heights = np.where(self.classes.hidden, [domain.top for domain in self.microdata.domains], heights)
        return heights


@dataclass(frozen=True)
class Metric:
    """A loss with what a report needs to show it."""

    name: str
    title: str
    measure: Callable[[Recoded], float]
    upper: float | None = 1.0
    higher_is_better: bool = False


METRICS: dict[str, Metric] = {}


def metric(
    title: str, upper: float | None = 1.0, higher_is_better: bool = False
) -> Callable[[Callable[[Recoded], float]], Callable[[Recoded], float]]:
    """Register a function as a loss under its own name."""

    def register(measure: Callable[[Recoded], float]) -> Callable[[Recoded], float]:
        METRICS[measure.__name__] = Metric(measure.__name__, title, measure, upper, higher_is_better)
        return measure

    return register


def ncp_by_attribute(microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.float64]:
    """Return the normalized certainty penalty of every class (rows) and quasi-identifier (columns)."""
    return np.stack([_penalties(domain, classes, at) for at, domain in enumerate(microdata.domains)], axis=1)


def _penalties(domain: Domain, classes: EquivalenceClasses, at: int) -> NDArray[np.float64]:
    """Return what every class loses by what it shows of one quasi-identifier: its group of a level, or its span."""
    if classes.levels is None:
        return domain.span_costs(classes.lo[:, at], classes.hi[:, at])
    level = classes.levels[at]
    return domain.level_costs(level)[domain.levels[level].groups[classes.lo[:, at]]]


def ncp(microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.float64]:
    """Return the normalized certainty penalty of every class: 0 for exact values, 1 for nothing told."""
    return ncp_by_attribute(microdata, classes) @ microdata.weights


@metric("global certainty penalty")
def gcp(recoded: Recoded) -> float:
    """Return the mean penalty over all rows and quasi-identifiers; a suppressed row counts as 1."""
    penalties = ncp(recoded.microdata, recoded.classes)
    return _mean_over_rows(recoded, float(recoded.classes.sizes @ penalties))


@metric("discernibility", upper=None)
def dm(recoded: Recoded) -> float:
    """Return the sum of squared class sizes; a suppressed row costs as much as the table has rows."""
    sizes = recoded.classes.sizes
    return float(sizes @ sizes + recoded.suppressed * recoded.rows)


@metric("average class size over k", upper=None)
def c_avg(recoded: Recoded) -> float:
    """Return the mean size of a class, in multiples of k."""
    classes = recoded.classes
    return float(classes.sizes.sum() / max(1, len(classes)) / recoded.k)


@metric("classification penalty")
def cm(recoded: Recoded) -> float:
    """Return the share of rows that are suppressed or differ from the most frequent value of their class.

    The label is the first sensitive column; without one there is nothing to classify and the penalty is that of the
    suppressed rows alone.
    """
    wrong = recoded.suppressed
    if recoded.microdata.sensitive:
        wrong += len(recoded.microdata) - recoded.classes.suppressed - _in_majority(recoded)
    return wrong / max(1, recoded.rows)


@metric("non-uniform entropy")
def entropy(recoded: Recoded) -> float:
    """Return the bits needed to get the original values back, as a share of those of a table that tells nothing.

    A suppressed row tells nothing: its own bits are lost. Nobody knows those of a row left out for a missing value,
    so it counts as an average one.
    """
    lost = total = 0.0
    for at, domain in enumerate(recoded.microdata.domains):
        lost_here, total_here = _entropy_of(recoded, at, domain)
        lost += lost_here * recoded.microdata.weights[at]
        total += total_here * recoded.microdata.weights[at]
    if total <= 0:
        return recoded.suppressed / max(1, recoded.rows)
    # Sums of logarithms may come out a little below what they stand for.
    share = min(max(lost / total, 0.0), 1.0)
    return (share * len(recoded.microdata) + recoded.left_out) / recoded.rows


@metric("precision", higher_is_better=True)
def precision(recoded: Recoded) -> float:
    """Return 1 less the mean share of its hierarchy that a value climbed; a suppressed value climbed all of it."""
    tops = np.array([max(1, domain.top) for domain in recoded.microdata.domains])
    climbed = (recoded.heights / tops) @ recoded.microdata.weights
    return 1 - _mean_over_rows(recoded, float(recoded.classes.sizes @ climbed))


@metric("mean height", upper=None)
def height(recoded: Recoded) -> float:
    """Return the levels that a row climbed, summed over quasi-identifiers: of a full-domain recoding, its height."""
    everything = sum(domain.top for domain in recoded.microdata.domains)
    climbed = float(recoded.classes.sizes @ recoded.heights.sum(axis=1))
    return (climbed + everything * recoded.suppressed) / max(1, recoded.rows)


def _in_majority(recoded: Recoded) -> int:
    """Return how many rows have the most frequent value of their class."""
    label, of_row = recoded.microdata.sensitive[0], recoded.classes.of_row
    kept = of_row >= 0
    keys = of_row[kept].astype(np.int64) * label.size + label.codes[kept]
    possible = len(recoded.classes) * label.size
    if possible <= 4 * len(keys):
        table = np.bincount(keys, minlength=possible).reshape(-1, label.size)
        return int(table.max(axis=1, initial=0).sum())
    # Classes and values can both be as many as rows: then only the pairs that occur are counted.
    pairs, counts = np.unique(keys, return_counts=True)
    most = np.zeros(len(recoded.classes), np.int64)
    np.maximum.at(most, pairs // label.size, counts)
    return int(most.sum())


def _mean_over_rows(recoded: Recoded, released: float) -> float:
    return (released + recoded.suppressed) / max(1, recoded.rows)


def _entropy_of(recoded: Recoded, at: int, domain: Domain) -> tuple[float, float]:
    """Return the bits lost in one quasi-identifier, and those in all of it."""
    codes = recoded.microdata.codes[:, at]
    counts = np.bincount(codes, minlength=domain.size).astype(np.float64)
    lo, hi = recoded.classes.lo[:, at], recoded.classes.hi[:, at]
    if isinstance(domain, TreeDomain):
        nodes = domain.tree.common_ancestors(lo, hi)
        lo, hi = domain.tree.first[nodes].astype(np.int64), domain.tree.last[nodes].astype(np.int64)
    elif domain.has_missing:
        lo = np.where((hi == domain.missing_code) & (lo != hi), 0, lo)
    reached = np.append(0.0, np.cumsum(counts))
    shown = np.log2(reached[hi + 1] - reached[lo])
    surprise = np.log2(counts, where=counts > 0, out=np.zeros_like(counts))
    nothing_told, known = len(codes) * np.log2(max(1, len(codes))), counts @ surprise
    suppressed = nothing_told * recoded.classes.suppressed / max(1, len(codes))
    return float(recoded.classes.sizes @ shown + suppressed - known), float(nothing_told - known)
