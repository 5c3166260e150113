"""Models about a population that the table was drawn from: k-map, δ-presence, marketer risk, population uniques."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import invalid_parameter
from sfumato.privacy.whole_release import WholeModel, WholeRelease, positive_share
from sfumato.table.kernels import rules

#: What stands for a population that is a table in memory.
GIVEN = "given"


@dataclass(frozen=True)
class PopulationModel(WholeModel):
    """A condition on the people of a population who may be in a class.

    Attributes
    ----------
    population
        The population that the table was drawn from, with the same quasi-identifiers: a table, a frame or a file.
    """

    population: Any = field(kw_only=True, repr=False, compare=False)

    @property
    def by_table(self) -> bool:
        """Whether the population is given as a table of people, not only by their number."""
        return True

    def recorded(self) -> dict[str, Any]:
        """Record where the population is, for manifests and policy files."""
        if not self.by_table:
            return {"population": self.population}
        file = self.population if isinstance(self.population, str) else getattr(self.population, "__fspath__", None)
        if callable(file):
            file = file()
        return {"population": {"file": str(file)} if file is not None else GIVEN}

    @cached_property
    def people(self) -> pa.Table:
        """The table of the population, which must have been read."""
        if not isinstance(self.population, pa.Table):
            raise invalid_parameter(type(self).__name__, "population", "a table of people", self.population)
        return self.population


@dataclass(frozen=True)
class KMap(PopulationModel):
    """Every class fits at least ``k`` people of a population, whether they are in the table or not.

    Parameters
    ----------
    k
        How many people of the population every class must fit.
    population
        The population that the table was drawn from, with the same quasi-identifiers: a table, a frame or a file.
    """

    k: int
    name: ClassVar[str] = "k-map"

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", parameters.integer("KMap", "k", self.k, at_least=1))

    def kept_by(self, release: WholeRelease) -> bool:
        return bool((release.matching(self.people) >= self.k).all())

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "k": self.k} | self.recorded()


@dataclass(frozen=True)
class DeltaPresence(PopulationModel):
    """Of the people of a population who fit a class, a share from ``low`` to ``high`` is in the table (Nergiz 2007).

    Parameters
    ----------
    low, high
        The smallest and the largest share, from 0 to 1.
    population
        The population that the table was drawn from, with the same quasi-identifiers: a table, a frame or a file.
    """

    low: float
    high: float
    name: ClassVar[str] = "delta-presence"

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            object.__setattr__(self, name, parameters.share("DeltaPresence", name, getattr(self, name)))
        if self.low > self.high:
            raise invalid_parameter("DeltaPresence", "low", f"at most high={self.high:g}", self.low)

    def kept_by(self, release: WholeRelease) -> bool:
        fitting = release.matching(self.people)
        least, most = self.low * fitting * (1 - rules.TOLERANCE), self.high * fitting * (1 + rules.TOLERANCE)
        return bool(((release.people >= least) & (release.people <= most)).all())

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "low": self.low, "high": self.high} | self.recorded()


@dataclass(frozen=True)
class MarketerRisk(PopulationModel):
    """The mean risk against a population is at most ``limit``; a person's is one over the people who fit their class.

    Parameters
    ----------
    limit
        The largest mean risk, above 0 and at most 1.
    population
        The population that the table was drawn from, with the same quasi-identifiers: a table, a frame or a file.
    """

    limit: float
    name: ClassVar[str] = "marketer-risk"

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", positive_share("MarketerRisk", self.limit))

    def kept_by(self, release: WholeRelease) -> bool:
        fitting = np.maximum(release.matching(self.people), release.people)
        mean = (release.people / fitting).sum() / max(1, release.people.sum())
        return bool(mean <= self.limit * (1 + rules.TOLERANCE))

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "limit": self.limit} | self.recorded()


@dataclass(frozen=True)
class PopulationUniques(PopulationModel):
    """At most a share ``limit`` is unique in the population.

    With a table of the population: the share of the people in the release whose class fits no one else. With the number
    of people in the population: the share of these that the estimators of `sfumato.risk` expect to be unique.

    Parameters
    ----------
    limit
        The largest share, from 0 to 1.
    population
        The population: a table, a frame or a file with the same quasi-identifiers, the number of people, or (below 1)
        the share of it that is in the table.
    """

    limit: float
    name: ClassVar[str] = "population-uniques"

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", parameters.share("PopulationUniques", "limit", self.limit))
        if not self.by_table:
            parameters.number("PopulationUniques", "population", self.population, above=0)

    @property
    def by_table(self) -> bool:
        return not isinstance(self.population, int | float)

    def kept_by(self, release: WholeRelease) -> bool:
        if not self.by_table:
            return self._expected(release.people) <= self.limit * (1 + rules.TOLERANCE)
        alone = np.maximum(release.matching(self.people), release.people) == 1
        return bool(alone.sum() <= self.limit * release.people.sum() * (1 + rules.TOLERANCE))

    def _expected(self, people: NDArray[np.int64]) -> float:
        """Estimate the share of the population that is unique."""
        size = people.sum() / self.population if self.population < 1 else self.population
        from sfumato.privacy.estimators import estimate  # noqa: PLC0415

        return estimate(people, max(float(size), float(people.sum()))).share

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "limit": self.limit} | self.recorded()
