"""Assess the risk of a table: class sizes, the population, survey weights, sensitive columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.risk.people import PeopleByClass
from sfumato.assess.risk.records import THRESHOLDS, RecordRisk
from sfumato.assess.risk.report import Risk, SensitiveCertainty
from sfumato.assess.risk.survey_weights import benedetti_franconi, survey_weights
from sfumato.common import parameters
from sfumato.common.grouping import code_column, highest_counts
from sfumato.errors import ParameterError, SchemaError, invalid_parameter, listed
from sfumato.hierarchies import Hierarchy
from sfumato.hierarchies.reading import read_release
from sfumato.privacy.estimators import PopulationEstimate, estimate

#: The share of a class from which on a sensitive value counts as nearly certain.
NEARLY = 0.9


@dataclass(frozen=True)
class Context:
    """What is known about a table beyond its rows.

    Attributes
    ----------
    population
        A table of the population, the number of people in it, or (below 1) the share of it that the table holds.
    weights, person
        The columns with the survey weight of each row, and with the person it belongs to.
    thresholds
        Thresholds to report in addition to the standard ones.
    nearly
        The share of a class from which on a sensitive value counts as nearly certain.
    """

    population: pa.Table | float | None = field(default=None, repr=False)
    weights: str | None = None
    person: str | None = None
    thresholds: Sequence[float] = ()
    nearly: float = NEARLY


def assess(
    table: pa.Table,
    quasi_identifiers: Mapping[str, Hierarchy | None],
    sensitive: Sequence[str] = (),
    context: Context | None = None,
    shown: Sequence[str] | None = None,
) -> Risk:
    """Assess the risk of a table.

    Parameters
    ----------
    table
        Any table: an original, a release, a file from elsewhere.
    quasi_identifiers
        The columns that the attacker knows, each with its hierarchy, which is needed only with a population table.
    sensitive
        The columns that the attacker wants to know.
    context
        The population, the weights, the persons.
    shown
        The columns that show the quasi-identifiers, if they are named differently (bounds).
    """
    given = context or Context()
    names = tuple(quasi_identifiers if shown is None else shown)
    _check(table, [*names, *sensitive, *filter(None, (given.weights, given.person))])
    people = PeopleByClass.of(table, names, given.person)
    in_class = people.in_class
    thresholds = sorted({*THRESHOLDS, *(_threshold(one) for one in given.thresholds)})
    journalist = _journalist(table, quasi_identifiers, people, given)
    return Risk(
        quasi_identifiers=names,
        rows=table.num_rows,
        people=people.total(),
        classes=len(in_class),
        prosecutor=RecordRisk.of(*people.worst(1 / in_class), thresholds),
        journalist=None if journalist is None else RecordRisk.of(*people.worst(journalist[0]), thresholds),
        journalist_by=None if journalist is None else journalist[1],
        sensitive={name: _certainty(table, name, people, given.nearly) for name in sensitive},
        population=_estimated(table, people, given),
        counted=people,
    )


#: Classes by size: the sizes, the counts of their most frequent value, and how many classes have both.
Sizes = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def assess_classes(names: Sequence[str], classes: Mapping[str | None, Sizes]) -> Risk:
    """Assess the risk of a table of which only the class sizes are known.

    Parameters
    ----------
    names
        The columns that the attacker knows.
    classes
        For every sensitive column (None if there is none) how many classes have which size, and how many rows of their
        most frequent value.
    """
    sizes, _, times = next(iter(classes.values()))
    people = int((sizes * times).sum())
    return Risk(
        quasi_identifiers=tuple(names),
        rows=people,
        people=people,
        classes=int(times.sum()),
        prosecutor=RecordRisk.of(1 / sizes, sizes * times, THRESHOLDS),
        journalist=None,
        journalist_by=None,
        sensitive={
            name: _certain(sizes, largest, times, NEARLY)
            for name, (sizes, largest, times) in classes.items()
            if name is not None
        },
        population=None,
        counted=None,
        sizes=(sizes, times),
    )


def _check(table: pa.Table, names: Iterable[str]) -> None:
    wanted = list(names)
    unknown = [name for name in wanted if name not in table.column_names]
    if unknown:
        raise SchemaError(f"The table has no column {listed(unknown)}. Its columns: {listed(table.column_names)}.")
    twice = sorted({name for name in wanted if wanted.count(name) > 1})
    if twice:
        raise SchemaError(f"{listed(twice)}: each column can have one role only.")


def _threshold(value: float) -> float:
    limit = parameters.number("risk", "thresholds", value, above=0)
    if limit >= 1:
        raise invalid_parameter("risk", "thresholds", "risks above 0 and below 1, such as 0.09", value)
    return limit


def _journalist(
    table: pa.Table, quasi_identifiers: Mapping[str, Hierarchy | None], people: PeopleByClass, given: Context
) -> tuple[NDArray[np.float64], str] | None:
    """Compute the risk of every class against the population, and name what it is based on."""
    if isinstance(given.population, pa.Table):
        alike = population_per_class(table, given.population, quasi_identifiers, people)
        return 1 / np.maximum(alike, people.in_class), "the table of the population"
    if given.weights is not None:
        return benedetti_franconi(people.in_class, _weight_per_class(table, people, given.weights)), "the weights"
    return None


def population_per_class(
    table: pa.Table,
    population: pa.Table,
    quasi_identifiers: Mapping[str, Hierarchy | None],
    people: PeopleByClass,
) -> NDArray[np.int64]:
    """Count the people of the population who may be in each class of a table."""
    _check(population, quasi_identifiers)
    reading = read_release(population, table, quasi_identifiers)
    counts = reading.candidates()
    # A reading has the same classes as the table: equal cells are read alike.
    return counts[reading.classes.of_row[people.classes.first_rows]]


def _weight_per_class(table: pa.Table, people: PeopleByClass, weights: str) -> NDArray[np.float64]:
    """Sum the weights of every class; a person with several rows counts with their mean weight."""
    each = survey_weights(table, weights)
    sums = np.bincount(people.classes.of_row, weights=each, minlength=len(people.classes))
    return sums * people.in_class / people.classes.sizes


def _certainty(table: pa.Table, name: str, people: PeopleByClass, nearly: float) -> SensitiveCertainty:
    parameters.share("risk", "nearly", nearly)
    if not table.num_rows:
        return SensitiveCertainty(0.0, 0.0, nearly, None, None)
    highest = highest_counts(people.classes, code_column(name, table.column(name)))
    return _certain(people.classes.sizes, highest, np.ones(len(highest), np.int64), nearly)


def _certain(
    sizes: NDArray[np.int64], largest: NDArray[np.integer], times: NDArray[np.int64], nearly: float
) -> SensitiveCertainty:
    shares = largest / sizes
    weight = sizes * times / (sizes * times).sum()
    return SensitiveCertainty(
        certain=float(weight[shares == 1].sum()),
        nearly=float(weight[shares >= nearly - 1e-9].sum()),
        limit=nearly,
        highest=float(shares.max()),
        mean=float(shares @ weight),
    )


def _estimated(table: pa.Table, people: PeopleByClass, given: Context) -> PopulationEstimate | None:
    """Estimate the number of unique people in the population, if its size is known."""
    total = people.total()
    if (given.population is None and given.weights is None) or not total:
        return None
    if isinstance(given.population, pa.Table):
        size = float(given.population.num_rows)
    elif given.population is None:
        size = float(_weight_per_class(table, people, str(given.weights)).sum())
    else:
        size = _population_size(given.population, total)
    return estimate(people.in_class, max(size, total))


def _population_size(given: float, people: int) -> float:
    size = parameters.number("risk", "population", given, above=0)
    size = people / size if size < 1 else size
    if size < people:
        raise ParameterError(
            f"The population has {size:,.0f} people, but the table already has {people:,}. Give the number of people "
            "in the population, or the share of it that the table holds."
        )
    return size
