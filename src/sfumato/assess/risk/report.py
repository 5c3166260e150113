"""What was found about the risk of a table, for people who sign and for machines."""

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
    """How sure an attacker is of a sensitive value who knows only the class.

    Attributes
    ----------
    certain
        The share of people in classes where all have one value.
    nearly
        The share of people in classes where one value makes up at least ``limit`` of the rows, the certain included.
    limit
        From which share on a value counts as nearly certain.
    highest, mean
        The largest share of one value in a class, and its mean over people.
    """

    certain: float
    nearly: float
    limit: float
    highest: float | None
    mean: float | None


@dataclass(frozen=True)
class Risk:
    """How likely it is that people in a table are found.

    Attributes
    ----------
    quasi_identifiers
        The columns that the attacker is taken to know.
    rows, people, classes
        How many of each the table has.
    prosecutor
        The attacker knows that the person is in the table.
    journalist
        The attacker does not know that, and has the population to choose from: its table, or its size by weights. None
        where neither is given.
    sensitive
        For every sensitive column, where it is certain or nearly so.
    population
        How many people would be unique in the population; None where its size is not known.
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
        """The share of people whom an attacker would find who tries everybody at once."""
        return (self.journalist or self.prosecutor).mean

    @property
    def unique(self) -> int:
        """How many people look like nobody else in the table."""
        return self.prosecutor.unique

    @cached_property
    def of_record(self) -> NDArray[np.float64]:
        """The prosecutor's risk of every row: 1 divided by the people who look like it."""
        counted = self._people("of_record")
        return (1 / counted.in_class)[counted.classes.of_row]

    @cached_property
    def _distinct(self) -> DistinctLooks:
        return DistinctLooks.of(self.quasi_identifiers, self._people("drivers and special_uniques()"))

    @cached_property
    def class_sizes(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """How many people look alike, and how many classes have so many; each size once."""
        sizes, times = self.sizes if self.counted is None and self.sizes is not None else (self._in_class, None)
        each, place = np.unique(sizes, return_inverse=True)
        return each, np.bincount(place, times, len(each)).astype(np.int64)

    @property
    def _in_class(self) -> NDArray[np.int64]:
        return self._people("class_sizes").in_class

    def _people(self, asking: str) -> PeopleByClass:
        """Return who is in which class, or say that only the sizes of classes are known."""
        if self.counted is None:
            raise EngineError(
                f"{asking} of a risk looks at single rows, but an engine counted how many look alike. Ask sfumato.risk "
                "about a sample of the table."
            )
        return self.counted

    @cached_property
    def drivers(self) -> Drivers:
        """Which columns, alone and together, drive the risk; worked out when first asked for."""
        return find_drivers(self._distinct)

    def special_uniques(self, size: int = 3) -> SpecialUniques:
        """Return the minimal sample uniques of up to ``size`` columns, with SUDA's scores."""
        return find_special_uniques(self._distinct, size)

    def summary(self) -> str:
        """Say in words what each figure means for the person who signs."""
        return "\n".join(sentences(self.to_dict(), self.quasi_identifiers))

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        first, *rest = sentences(self.to_dict(), self.quasi_identifiers)
        named = [line.partition("  ") for line in rest]
        return fragment(f"Risk: {first}", facts((name, said.strip()) for name, _, said in named))

    def to_dict(self) -> dict[str, Any]:
        """Return all figures as plain values, ready for JSON; drivers are left to `drivers`."""
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
