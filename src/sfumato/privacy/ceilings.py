"""Ceilings on the release as a whole: on the mean risk, on who is unique, on who may be found in a population."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.errors import invalid_parameter
from sfumato.hierarchies import Hierarchy
from sfumato.kernels import rules
from sfumato.microdata import EquivalenceClasses, Microdata
from sfumato.privacy.base import PrivacyModel, Rule
from sfumato.reading import read_release


@dataclass(frozen=True)
class Whole:
    """A release as a whole: the classes that a reader can tell apart.

    Attributes
    ----------
    people
        How many people each class has.
    shown
        One row per class: what it shows of every quasi-identifier.
    hierarchies
        How the quasi-identifiers generalize.
    """

    people: NDArray[np.int64]
    shown: pa.Table = field(repr=False)
    hierarchies: Mapping[str, Hierarchy | None] = field(repr=False)

    def matching(self, population: pa.Table) -> NDArray[np.int64]:
        """Return how many people of a population may be in each class."""
        reading = read_release(population, self.shown, self.hierarchies)
        return reading.candidates()[reading.classes.of_row]


class WholeModel(PrivacyModel):
    """A condition on the release as a whole; a method is asked for the least k that meets it."""

    whole: ClassVar[bool] = True

    @abstractmethod
    def kept_by(self, release: Whole) -> bool:
        """Return whether a release keeps it."""

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        return [Rule(self, rules.SIZE, first=1)]

    def holds(self, rule: Rule, microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Return that no class on its own is in the way."""
        return np.ones(len(classes), bool)

    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        return f"{self} is not possible, not even with everybody in one class. Ask for less."


@dataclass(frozen=True)
class AverageRisk(WholeModel):
    """The mean risk over all people is at most ``limit``; a person's risk is one over the size of their class.

    Parameters
    ----------
    limit
        The largest mean risk, above 0 and at most 1.
    """

    limit: float
    name: ClassVar[str] = "average-risk"

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", _positive_share("AverageRisk", self.limit))

    def kept_by(self, release: Whole) -> bool:
        return bool(len(release.people) <= self.limit * release.people.sum() * (1 + rules.TOLERANCE))

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "limit": self.limit}


@dataclass(frozen=True)
class UniqueShare(WholeModel):
    """At most a share ``limit`` of all people is unique in the release.

    Parameters
    ----------
    limit
        The largest share, from 0 to 1.
    """

    limit: float
    name: ClassVar[str] = "unique-share"

    def __post_init__(self) -> None:
        object.__setattr__(self, "limit", parameters.share("UniqueShare", "limit", self.limit))

    def kept_by(self, release: Whole) -> bool:
        alone = int((release.people == 1).sum())
        return bool(alone <= self.limit * release.people.sum() * (1 + rules.TOLERANCE))

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "limit": self.limit}


@dataclass(frozen=True)
class PopulationModel(WholeModel):
    """A condition on who of a population may be behind a class.

    Attributes
    ----------
    population
        The population that the table was drawn from, with the same quasi-identifiers: a table, a frame or a file.
    """

    population: Any = field(kw_only=True, repr=False, compare=False)

    def recorded(self) -> dict[str, Any]:
        """Return where the population is, for manifests and policy files."""
        file = self.population if isinstance(self.population, str) else getattr(self.population, "__fspath__", None)
        if callable(file):
            file = file()
        return {"population": {"file": str(file)} if file is not None else "given"}

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

    def kept_by(self, release: Whole) -> bool:
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

    def kept_by(self, release: Whole) -> bool:
        fitting = release.matching(self.people)
        least, most = self.low * fitting * (1 - rules.TOLERANCE), self.high * fitting * (1 + rules.TOLERANCE)
        return bool(((release.people >= least) & (release.people <= most)).all())

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "low": self.low, "high": self.high} | self.recorded()


def _positive_share(owner: str, value: object) -> float:
    limit = parameters.share(owner, "limit", value)
    if limit <= 0:
        raise invalid_parameter(owner, "limit", "a share above 0 and at most 1", value)
    return limit
