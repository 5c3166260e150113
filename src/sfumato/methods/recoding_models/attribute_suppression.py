"""Attribute suppression: every quasi-identifier is released as it is, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Task, register
from sfumato.methods.details import MethodDetails
from sfumato.methods.lattice.lattice import Lattice
from sfumato.privacy import Requirements
from sfumato.table.recoding import Recoding


@dataclass(frozen=True)
class AttributeSuppression(Lattice):
    """Release each quasi-identifier intact or as ``*``: full-domain recoding with two levels.

    The best choice is NP-hard in the number of attributes; the lattice of their subsets is searched exactly, with the
    parameters of `Lattice`. In its search and its alternatives level 1 means suppressed.
    """

    name: ClassVar[str] = "attribute-suppression"
    summary: ClassVar[str] = "Every quasi-identifier intact or as *, the best choice of all."

    def run(self, task: Task) -> Recoding:
        """Search the subsets, and show suppressed attributes at their highest level."""
        return _at_top(task, super().run(with_two_levels(task)))

    def by_frequencies(self, task: Task, counts: NDArray[np.int64]) -> Recoding:
        """Do so for distinct rows."""
        return _at_top(task, super().by_frequencies(with_two_levels(task), counts))


register()(AttributeSuppression)


def _at_top(task: Task, recoding: Recoding) -> Recoding:
    """Turn the second of two levels into the highest that there is."""
    domains = task.microdata.domains
    levels = tuple(domain.top if level else 0 for domain, level in zip(domains, recoding.levels or (), strict=True))
    shown = dict(zip(task.microdata.names, levels, strict=True))
    return replace(recoding, levels=levels, details=replace(MethodDetails.of(recoding.details), levels=shown))


def with_two_levels(task: Task) -> Task:
    """Drop every level between the value and ``*``."""
    domains = tuple(replace(domain, levels=(domain.levels[0], domain.levels[-1])) for domain in task.microdata.domains)
    microdata = replace(task.microdata, domains=domains)
    return replace(task, microdata=microdata, requirements=Requirements(task.requirements.models, microdata))
