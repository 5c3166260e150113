"""A workload: the queries that a release should answer, their weights, and the span costs that follow from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import ParameterError, invalid_parameter, listed
from sfumato.hierarchies import Domain, TreeDomain, codes_meant
from sfumato.loss.objective import Marginals, Objective, mean
from sfumato.loss.span_prices import SpanSteps, priced_by_steps
from sfumato.table.microdata import Microdata

#: A query as conditions by column, a range of numbers or dates or a list of categories; or the fields of a `Query` by
#: name.
QueryLike = Mapping[str, Any]

AGGREGATES = ("count", "sum", "mean", "min", "max")


@dataclass(frozen=True)
class Query:
    """A query that will be asked of a release.

    Parameters
    ----------
    where
        The condition on each column: a range, or the categories asked for.
    aggregate
        The aggregate of the matching rows: ``"count"``, ``"sum"``, ``"mean"``, ``"min"`` or ``"max"``.
    column
        The column to aggregate; a count has none.
    weight
        The weight of its error relative to other queries; above 0.
    """

    where: Mapping[str, Any] = field(default_factory=dict)
    aggregate: str = "count"
    column: str | None = None
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.where, Mapping):
            raise invalid_parameter("a query", "where", "a condition for every column", self.where)
        parameters.choice("a query", "aggregate", self.aggregate, AGGREGATES)
        parameters.number("a query", "weight", self.weight, above=0)
        if (self.column is None) != (self.aggregate == "count"):
            raise invalid_parameter("a query", "column", "given unless the aggregate is 'count'", self.column)

    @classmethod
    def of(cls, given: QueryLike) -> Query:
        """Read a query: conditions by column, or all fields by name with the conditions as ``"where"``."""
        if not isinstance(given.get("where"), Mapping):
            return cls(dict(given))
        unknown = set(given) - {"where", "aggregate", "column", "weight"}
        if unknown:
            raise ParameterError(
                f"A query has no {listed(sorted(unknown))}. It has 'where', 'aggregate', 'column' and 'weight'."
            )
        return cls(**given)


def is_workload(given: object) -> bool:
    """Whether something is a list of queries."""
    return isinstance(given, Sequence) and bool(given) and all(isinstance(one, Mapping) and one for one in given)


def workload(queries: Sequence[QueryLike]) -> Objective:
    """Make the loss of a workload: the share of its queries' boundaries that lie inside what classes show.

    A query has to guess about a class on its boundary. Each boundary counts by the weight of its query, and more the
    fewer rows match the condition, since a guess about few rows is a large relative error.
    """
    prices = partial(workload_prices, queries=[Query.of(query) for query in queries])
    return Objective("workload", spread=1.0, prices=prices, suppressed=lambda rows: 1.0, shown=mean, upper=1.0)


def workload_prices(
    microdata: Microdata, marginals: Marginals, tie: float = 0.0, queries: Sequence[Query] = ()
) -> Microdata:
    """Price the spans of a table by the share of the queries' boundaries inside them.

    A boundary lies between two neighbours on a scale of which only one meets the condition, or in every group of a tree
    in which some values meet it and others do not. A column to aggregate costs its certainty penalty. In addition, all
    spans cost ``tie`` times their certainty penalty.
    """
    sensitive = {column.name for column in microdata.sensitive}
    unknown = {name for query in queries for name in query.where} - set(microdata.names) - sensitive
    if unknown:
        raise ParameterError(
            f"A query asks for {listed(sorted(unknown))}, which is no quasi-identifier. "
            f"Quasi-identifiers: {listed(microdata.names)}."
        )
    found = [_steps(domain, counts, queries) for domain, counts in zip(microdata.domains, marginals, strict=True)]
    summed = [sum(query.weight for query in queries if query.column == name) for name in microdata.names]
    total = sum(steps.total for steps in found) + sum(summed) or 1.0
    shares = [replace(steps, inside=steps.inside / total, total=steps.total / total) for steps in found]
    return priced_by_steps(microdata, shares, np.array(summed) / total + tie * microdata.weights)


def _steps(domain: Domain, counts: NDArray[np.int64], queries: Sequence[Query]) -> SpanSteps:
    """Sum the boundaries of all queries in one column, each by its weight over the share of matching rows."""
    rows, weighed = max(1, int(counts.sum())), []
    for query in queries:
        if domain.name in query.where:
            mask = codes_meant(domain, query.where[domain.name])
            weighed.append((mask, query.weight * rows / max(1, int(counts[mask].sum()))))
    if isinstance(domain, TreeDomain):
        tree = domain.tree
        split = np.zeros(len(tree.first))
        for mask, weight in weighed:
            kept = np.append(0, np.cumsum(mask))
            held = kept[tree.last + 1] - kept[tree.first]
            split += weight * ((held > 0) & (held < tree.last + 1 - tree.first))
        return SpanSteps(split, float(split.max(initial=0)))
    values = len(domain.values)
    below = np.zeros(values)
    for mask, weight in weighed:
        below[1:] += weight * np.cumsum(mask[1:values] != mask[: values - 1])
    return SpanSteps(below, float(below[-1]) if values else 0.0)
