"""Levels that are given: a recoding that was chosen before, applied to this table or to the next month's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato import parameters
from sfumato.errors import InfeasibleError, SchemaError, listed
from sfumato.methods.base import Method, Task
from sfumato.methods.lattice.frequencies import Levels
from sfumato.methods.lattice.full_domain import suppressed_rows
from sfumato.methods.lattice.verdicts import Judge, Verdict
from sfumato.microdata import Microdata, Recoding


@dataclass(frozen=True)
class FixedLevels(Method):
    """Recode every quasi-identifier to a given level; leave out the classes that break a model, if that is allowed.

    Parameters
    ----------
    levels
        The level of every quasi-identifier, by name.
    """

    levels: Mapping[str, int]

    name: ClassVar[str] = "levels"
    summary: ClassVar[str] = "Given levels, as chosen before: nothing is searched."
    recoding: ClassVar[str] = "full-domain"

    def recode(self, task: Task) -> Recoding:
        """Apply the levels, or say that they no longer keep the models."""
        node = self._node(task.microdata)
        judge = Judge(task)
        verdict = judge.verdict(judge.scan(node))
        if not verdict.answer:
            raise InfeasibleError(self._explanation(verdict, task))
        return Recoding(levels=node, suppressed=suppressed_rows(judge, node), details={"levels": dict(self.levels)})

    def _node(self, microdata: Microdata) -> Levels:
        if set(self.levels) != set(microdata.names):
            raise SchemaError(
                f"Levels are given for {listed(self.levels)}, but the quasi-identifiers are {listed(microdata.names)}. "
                "Give one level for each of them."
            )
        for domain in microdata.domains:
            level = parameters.integer("levels", domain.name, self.levels[domain.name], at_least=0)
            if level > domain.top:
                raise SchemaError(f"'{domain.name}' has no level {level}: its levels go from 0 to {domain.top}.")
        return tuple(int(self.levels[name]) for name in microdata.names)

    def _explanation(self, verdict: Verdict, task: Task) -> str:
        rows = len(task.microdata)
        shown = ", ".join(f"{name}={level}" for name, level in self.levels.items())
        needed = np.ceil(verdict.suppressed / max(1, rows) * 1e4) / 1e4
        return (
            f"At the levels {shown} this table does not keep the stated privacy: {verdict.suppressed:,} of {rows:,} "
            f"rows lie in classes that break it. suppression={needed:g} would leave those out; or choose higher levels."
        )
