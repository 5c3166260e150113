"""Limits on the release as a whole: on the mean risk, and on the share of people who are unique."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import invalid_parameter
from sfumato.hierarchies import Hierarchy
from sfumato.privacy.base import PrivacyModel, Rule
from sfumato.table.kernels import rules
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses


@dataclass(frozen=True)
class WholeRelease:
    """A release as a whole: the classes that a reader can distinguish.

    Attributes
    ----------
    people
        How many people each class has.
    shown
        One row per class: what it shows for every quasi-identifier.
    hierarchies
        How the quasi-identifiers generalize.
    """

    people: NDArray[np.int64]
    shown: pa.Table = field(repr=False)
    hierarchies: Mapping[str, Hierarchy | None] = field(repr=False)
    _known: dict[int, NDArray[np.int64]] = field(default_factory=dict, repr=False, compare=False)

    def matching(self, population: pa.Table) -> NDArray[np.int64]:
        """Count the people of a population who may be in each class."""
        if id(population) not in self._known:  # several models may share one population
            from sfumato.hierarchies.reading import read_release  # noqa: PLC0415

            reading = read_release(population, self.shown, self.hierarchies)
            self._known[id(population)] = reading.candidates()[reading.classes.of_row]
        return self._known[id(population)]


class WholeModel(PrivacyModel):
    """A condition on the release as a whole, met by the least k that satisfies it."""

    whole: ClassVar[bool] = True

    @abstractmethod
    def kept_by(self, release: WholeRelease) -> bool:
        """Whether a release keeps the condition."""

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        return [Rule(self, rules.SIZE, first=1)]

    def holds(self, rule: Rule, microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Allow every class: no single class can break a condition on the whole release."""
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
        object.__setattr__(self, "limit", positive_share("AverageRisk", self.limit))

    def kept_by(self, release: WholeRelease) -> bool:
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

    def kept_by(self, release: WholeRelease) -> bool:
        alone = int((release.people == 1).sum())
        return bool(alone <= self.limit * release.people.sum() * (1 + rules.TOLERANCE))

    def to_policy(self) -> dict[str, Any]:
        return {"model": self.name, "limit": self.limit}


def positive_share(owner: str, value: object) -> float:
    """Check a limit that is a share above 0 and at most 1."""
    limit = parameters.share(owner, "limit", value)
    if limit <= 0:
        raise invalid_parameter(owner, "limit", "a share above 0 and at most 1", value)
    return limit
