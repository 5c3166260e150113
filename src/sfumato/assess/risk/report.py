"""The risk report of a table, for the person who signs a release and for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.risk.drivers import DistinctLooks, Drivers, find_drivers
from sfumato.assess.risk.people import PeopleByClass
from sfumato.assess.risk.records import RecordRisk
from sfumato.assess.risk.sentences import sentences
from sfumato.assess.risk.special_uniques import SpecialUniques, find_special_uniques
from sfumato.common.html import facts, fragment
from sfumato.errors import EngineError
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
