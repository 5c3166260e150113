"""Fixed levels: a recoding that was chosen before, applied to this table or to next month's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.common import parameters
from sfumato.errors import InfeasibleError, SchemaError, invalid_parameter, listed
from sfumato.hierarchies import Domain
from sfumato.methods.base import Method, Task
from sfumato.methods.details import MethodDetails
from sfumato.methods.lattice.frequencies import Levels
from sfumato.methods.lattice.full_domain import level_names, suppressed_rows
from sfumato.methods.lattice.judge import NodeJudge, Verdict
from sfumato.methods.on_engine import EngineSupport, LevelsByFrequencies
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding


@dataclass(frozen=True)
class FixedLevels(Method):
    """Recode every quasi-identifier to a given level; suppress the classes that violate a model, within the budget.

    Parameters
    ----------
    levels
        The level of every quasi-identifier: its number, or its name such as ``"width 10"``.
    """

    levels: Mapping[str, int | str]

    name: ClassVar[str] = "levels"
    summary: ClassVar[str] = "Given levels, as chosen before: nothing is searched."
    recoding: ClassVar[str] = "full-domain"

    def __post_init__(self) -> None:
        if not isinstance(self.levels, Mapping):
            expected = "a mapping of every quasi-identifier to its level, by number or by name"
            raise invalid_parameter("recode", "levels", expected, self.levels)

    def run(self, task: Task) -> Recoding:
        """Apply the levels, or raise if they do not satisfy the models."""
        return self.recoded(NodeJudge(task))

    @property
    def on_engine(self) -> EngineSupport:
        """The frequency set says which classes break a model."""
        return LevelsByFrequencies(
            lambda task, counts: self.recoded(NodeJudge(task, counts, prune=task.requirements.monotone))
        )

    def recoded(self, judge: NodeJudge) -> Recoding:
        """Apply the levels to the table of a judge, whose rows may stand for several equal ones each."""
        microdata = judge.task.microdata
        node = node_of(self.levels, microdata)
        verdict = judge.verdict(judge.scan(node))
        if not verdict.answer:
            raise InfeasibleError(self._explanation(verdict, judge.rows))
        levels = dict(zip(microdata.names, node, strict=True))
        details = MethodDetails(levels=levels, level_names=level_names(microdata, node))
        return Recoding(levels=node, suppressed=suppressed_rows(judge, node), details=details)

    def _explanation(self, verdict: Verdict, rows: int) -> str:
        shown = ", ".join(f"{name}={level}" for name, level in self.levels.items())
        needed = np.ceil(verdict.suppressed / max(1, rows) * 1e4) / 1e4
        return (
            f"At the levels {shown} this table does not keep the stated privacy: {verdict.suppressed:,} of {rows:,} "
            f"rows lie in classes that break it. suppression={needed:g} would leave those out; or choose higher levels."
        )


def node_of(levels: Mapping[str, int | str], microdata: Microdata) -> Levels:
    """The numbers of the given levels, in the order of the quasi-identifiers."""
    if set(levels) != set(microdata.names):
        raise SchemaError(
            f"Levels are given for {listed(levels)}, but the quasi-identifiers are {listed(microdata.names)}. "
            "Give one level for each of them."
        )
    return tuple(_level(domain, levels[domain.name]) for domain in microdata.domains)


def _level(domain: Domain, given: int | str) -> int:
    """The number of a level that is given by number or name."""
    names = [level.name for level in domain.levels]
    if isinstance(given, str):
        if given not in names:
            raise SchemaError(f"'{domain.name}' has no level called {given!r}. Its levels are {listed(names)}.")
        return names.index(given)
    level = parameters.integer("levels", domain.name, given, at_least=0)
    if level > domain.top:
        raise SchemaError(f"'{domain.name}' has no level {level}: its levels go from 0 to {domain.top}.")
    return level
