"""The risk report of a table, for the person who signs a release and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.risk.drivers import DistinctLooks, Drivers, find_drivers
from sfumato.assess.risk.people import PeopleByClass
from sfumato.assess.risk.records import RecordRisk
from sfumato.assess.risk.special_uniques import SpecialUniques, find_special_uniques
from sfumato.common.html import facts, fragment
from sfumato.errors import EngineError, listed
from sfumato.privacy.estimators import PopulationEstimate


@dataclass(frozen=True)
class SensitiveCertainty:
    """How certain an attacker who knows only the class is of a sensitive value.

    Attributes
    ----------
    certain
        The share of people in classes with a single value.
    nearly
        The share of people in classes where one value makes up at least ``limit`` of the rows, the certain included.
    limit
        The share from which on a value counts as nearly certain.
    highest, mean
        The largest share of the most frequent value of a class, and its mean over people.
    """

    certain: float
    nearly: float
    limit: float
    highest: float | None
    mean: float | None


@dataclass(frozen=True)
class Risk:
    """The risk that people in a table are re-identified.

    Attributes
    ----------
    quasi_identifiers
        The columns that the attacker is assumed to know.
    rows, people, classes
        How many of each the table has.
    prosecutor
        The attacker knows that the person is in the table.
    journalist
        The attacker does not know that, and has to choose from the population: by its table, or by survey weights. None
        if neither is given.
    sensitive
        For every sensitive column, how far classes reveal it.
    population
        Estimates of the unique people in the population; None if its size is unknown.
    """

    quasi_identifiers: tuple[str, ...]
    rows: int
    people: int
    classes: int
    prosecutor: RecordRisk
    journalist: RecordRisk | None
    journalist_by: str | None
    sensitive: Mapping[str, SensitiveCertainty]
    population: PopulationEstimate | None
    counted: PeopleByClass | None = field(repr=False)
    sizes: tuple[NDArray[np.int64], NDArray[np.int64]] | None = field(default=None, repr=False)

    @property
    def marketer(self) -> float | None:
        """The share of people that an attacker who tries all at once would find."""
        return (self.journalist or self.prosecutor).mean

    @property
    def unique(self) -> int:
        """How many people are unique in the table."""
        return self.prosecutor.unique

    @cached_property
    def of_record(self) -> NDArray[np.float64]:
        """The prosecutor risk of every row: 1 over the number of people in its class."""
        counted = self._people("of_record")
        return (1 / counted.in_class)[counted.classes.of_row]

    @cached_property
    def _distinct(self) -> DistinctLooks:
        return DistinctLooks.of(self.quasi_identifiers, self._people("drivers and special_uniques()"))

    @cached_property
    def class_sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The distinct class sizes, and how many classes have each."""
        sizes, times = self.sizes if self.counted is None and self.sizes is not None else (self._in_class, None)
        each, place = np.unique(sizes, return_inverse=True)
        return each, np.bincount(place, times, len(each)).astype(np.int64)

    @property
    def _in_class(self) -> NDArray[np.int64]:
        return self._people("class_sizes").in_class

    def _people(self, asking: str) -> PeopleByClass:
        """Give the people by class, or raise an error if only class sizes are known."""
        if self.counted is None:
            raise EngineError(
                f"{asking} of a risk looks at single rows, but an engine counted how many look alike. Ask sfumato.risk "
                "about a sample of the table."
            )
        return self.counted

    @cached_property
    def drivers(self) -> Drivers:
        """Which columns, alone and together, drive the risk; computed on first access."""
        return find_drivers(self._distinct)

    def special_uniques(self, size: int = 3) -> SpecialUniques:
        """Find the minimal sample uniques of up to ``size`` columns, with SUDA's scores."""
        return find_special_uniques(self._distinct, size)

    def summary(self) -> str:
        """Explain each figure in a sentence for the person who signs."""
        return "\n".join(sentences(self.to_dict(), self.quasi_identifiers))

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        first, *rest = sentences(self.to_dict(), self.quasi_identifiers)
        named = [line.partition("  ") for line in rest]
        return fragment(f"Risk: {first}", facts((name, said.strip()) for name, _, said in named))

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON; `drivers` are not included."""
        estimate = self.population
        return {
            "rows": self.rows,
            "people": self.people,
            "classes": self.classes,
            "prosecutor": self.prosecutor.to_dict(),
            "journalist": None if self.journalist is None else self.journalist.to_dict(),
            "journalist_by": self.journalist_by,
            "marketer": self.marketer,
            "sensitive": {name: vars(one) for name, one in self.sensitive.items()},
            "population": None
            if estimate is None
            else {
                "size": estimate.population,
                "fraction": estimate.fraction,
                "uniques": {name: None if np.isnan(count) else count for name, count in estimate.uniques.items()},
                "chosen": estimate.chosen,
                "share": estimate.share,
            },
        }


def sentences(risk: Mapping[str, Any], quasi_identifiers: Sequence[str]) -> Iterator[str]:
    """Yield one line per fact, from the plain values of a `Risk`."""
    people, prosecutor = risk["people"], risk["prosecutor"]
    yield f"{people:,} people in {risk['classes']:,} classes by {listed(quasi_identifiers)}"
    if not people:
        yield "Nobody is in the table, so nobody can be found."
        return
    if people != risk["rows"]:
        yield f"They have {risk['rows']:,} rows; a person with several counts once, by the row that is easiest to find."
    yield from _prosecutor(prosecutor, people)
    yield from _journalist(risk)
    yield (
        f"marketer     An attacker who tries everybody at once would be right for {_of_hundred(risk['marketer'])} "
        "people out of 100."
    )
    for name, one in risk["sensitive"].items():
        yield _certainty(name, one)
    if risk["population"] is not None:
        yield _population(risk["population"])


def _prosecutor(prosecutor: Mapping[str, Any], people: int) -> Iterator[str]:
    highest, mean = prosecutor["highest"], prosecutor["mean"]
    yield (
        f"unique       {prosecutor['unique']:,} people ({_percent(prosecutor['unique_share'])}) look like nobody else: "
        "whoever knows these columns finds their row."
    )
    yield (
        f"prosecutor   An attacker who knows that a person is in the table finds their row with probability {mean:.2f} "
        f"on average and {highest:.2f} at worst."
    )
    shares = ", ".join(f"{_percent(share)} above {limit}" for limit, share in prosecutor["above"].items())
    yield f"thresholds   {shares}"
    bands = [band for band in prosecutor["distribution"] if band["people"]]
    shown = ", ".join(f"{_band(band)}: {_percent(band['share'])}" for band in bands)
    yield f"alike        Share of people by how many look alike: {shown}"


def _journalist(risk: Mapping[str, Any]) -> Iterator[str]:
    journalist = risk["journalist"]
    if journalist is not None:
        yield (
            f"journalist   For an attacker who does not know that, judged by {risk['journalist_by']}: probability "
            f"{journalist['mean']:.3f} on average, {journalist['highest']:.3f} at worst."
        )


def _certainty(name: str, one: Mapping[str, Any]) -> str:
    return (
        f"sensitive    {name}: certain for {_percent(one['certain'])} of the people without finding their row, at "
        f"least {one['limit']:.0%} likely for {_percent(one['nearly'])}."
    )


def _population(population: Mapping[str, Any]) -> str:
    others = ", ".join(
        f"{name} {'does not fit' if count is None else f'{count:,.0f}'}"
        for name, count in population["uniques"].items()
    )
    return (
        f"population   Of {population['size']:,.0f} people, of whom {_percent(population['fraction'])} are in the "
        f"table, about {_percent(population['share'])} would be unique ({population['chosen']}; estimates: {others})."
    )


def _of_hundred(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.095 else f"{100 * share:.1f}"


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _band(band: Mapping[str, Any]) -> str:
    if band["most"] is None:
        return f"{band['least']} or more"
    return f"{band['least']}" if band["least"] == band["most"] else f"{band['least']}-{band['most']}"
