"""The measures of utility: each with a name, a direction, bounds, and a sentence in plain words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.utility.comparison import UtilityComparison

Numbers = NDArray[np.float64]

#: The floor of probabilities, so that logarithms stay finite.
LEAST = 1e-9


@dataclass(frozen=True)
class MeasureResult:
    """The result of a measure.

    Attributes
    ----------
    name, value
        The measure and its figure.
    sentence
        What the figure means.
    details
        The figure by column, by pair of columns, or by kind of query.
    """

    name: str
    value: float
    sentence: str
    details: Mapping[str, float] = field(default_factory=dict)
    higher_is_better: bool = False


class Measure(ABC):
    """One way to measure the utility of a release.

    Attributes
    ----------
    name, title
        Its name in programs, and its title for people.
    higher_is_better
        Its direction.
    lower, upper
        Its bounds; None for no bound.
    needs_learning
        Whether it needs scikit-learn.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    higher_is_better: ClassVar[bool] = False
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float | None] = 1.0
    needs_learning: ClassVar[bool] = False

    @abstractmethod
    def measure(self, comparison: UtilityComparison) -> MeasureResult | None:
        """Compare the original with the release; None if there is nothing to compare."""

    def found(self, value: float, sentence: str, details: Mapping[str, float] | None = None) -> MeasureResult:
        """Make the result from a figure and its sentence."""
        return MeasureResult(self.name, float(value), sentence, details or {}, self.higher_is_better)


class QueryError(Measure):
    """The error of estimates for random count queries."""

    name = "query_error"
    title = "error of count queries"
    upper = None

    #: The number of queries of each kind, of columns that they ask about, and the share of rows that they should match.
    QUERIES: ClassVar[int] = 100
    ATTRIBUTES: ClassVar[tuple[int, ...]] = (1, 2, 3)
    SELECTIVITIES: ClassVar[tuple[float, ...]] = (0.01, 0.1)

    def measure(self, comparison: UtilityComparison) -> MeasureResult | None:
        """Compute the median of |estimate - truth| / truth over all queries, and the median of every kind."""
        random = comparison.secret.generator("queries")
        names = [name for name in comparison.names if comparison.bins(name).size]
        kinds = {}
        errors: list[float] = []
        for count, share in product(self.ATTRIBUTES, self.SELECTIVITIES):
            if count <= len(names):
                found = [self._error(comparison, names, count, share, random) for _ in range(self.QUERIES)]
                errors += found
                kinds[f"{count} columns, {share:.0%} of the rows"] = float(np.median(found))
        if not errors:
            return None
        middle = float(np.median(errors))
        return self.found(middle, f"Half of the random count queries are off by less than {middle:.1%}.", kinds)

    def _error(
        self, comparison: UtilityComparison, names: list[str], count: int, share: float, random: np.random.Generator
    ) -> float:
        where, meant = {}, np.ones(comparison.original.num_rows, bool)
        for name in random.choice(names, count, replace=False):
            bins = comparison.bins(name)
            wanted = max(1, round(share ** (1 / count) * bins.size))
            first = int(random.integers(0, bins.size - wanted + 1))
            where[str(name)] = bins.condition(first, first + wanted - 1)
            meant &= (bins.of_row >= first) & (bins.of_row < first + wanted)
        truth = int(meant.sum())
        return abs(comparison.released.matching(where).estimate - truth) / max(truth, 1)


class TotalVariation(Measure):
    """How much of each column's distribution would have to change to be as before."""

    name = "total_variation"
    title = "difference of distributions"

    def measure(self, comparison: UtilityComparison) -> MeasureResult | None:
        """Compute half the sum of differences of shares, on average over columns."""
        details = {}
        for name in comparison.names:
            before, after = _shares(comparison, (name,))
            if before is not None:
                details[name] = float(np.abs(before - after).sum() / 2)
        if not details:
            return None
        value = float(np.mean(list(details.values())))
        worst = max(details, key=lambda name: details[name])
        text = f"On average {value:.1%} of a column's rows would have to change to be as before; most in '{worst}'."
        return self.found(value, text, details)


class EarthMovers(Measure):
    """How far values have moved along their scale, by the earth mover's distance."""

    name = "earth_movers"
    title = "distance that values moved"

    def measure(self, comparison: UtilityComparison) -> MeasureResult | None:
        """Compute the distance as a share of each column's range; categories are all equally far apart."""
        details = {}
        for name in comparison.names:
            before, after = _shares(comparison, (name,))
            if before is None:
                continue
            places = comparison.bins(name).places
            if places is None:
                details[name] = float(np.abs(before - after).sum() / 2)
            else:
                steps = np.diff(places) / max(float(np.ptp(places)), LEAST) if len(places) > 1 else np.empty(0)
                details[name] = float(np.abs(np.cumsum(before - after))[:-1] @ steps)
        if not details:
            return None
        value = float(np.mean(list(details.values())))
        return self.found(value, f"Values have moved by {value:.1%} of their column's range on average.", details)


class Association(Measure):
    """How well the release keeps the associations between columns."""

    name = "association"
    title = "associations kept"
    higher_is_better = True

    def measure(self, comparison: UtilityComparison) -> MeasureResult | None:
        """Compute 1 minus the mean difference of Cramér's V over all pairs of columns."""
        details = {}
        for names in combinations(comparison.names, 2):
            before, after = _cramers_v(comparison.observed(names)), _cramers_v(comparison.expected(names))
            details[" and ".join(names)] = abs(before - after)
        if not details:
            return None
        value = 1 - float(np.mean(list(details.values())))
        worst = max(details, key=lambda pair: details[pair])
        text = f"Associations between columns are {value:.1%} as they were; least so between {worst}."
        return self.found(value, text, details)


def _shares(comparison: UtilityComparison, names: tuple[str, ...]) -> tuple[Numbers, Numbers] | tuple[None, Numbers]:
    """Compute the shares of all bins before and after, each adding up to 1; None if there is nothing."""
    before, after = comparison.observed(names), comparison.expected(names)
    if not before.sum() or not after.sum():
        return None, after
    return before / before.sum(), after / after.sum()


def _cramers_v(counts: Numbers) -> float:
    """Compute Cramér's V of a table of counts: 0 for independent columns, 1 if one determines the other."""
    table = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    if min(table.shape) < 2:
        return 0.0
    independent = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    squares = ((table - independent) ** 2 / independent).sum() / table.sum()
    return float(np.sqrt(squares / (min(table.shape) - 1)))
