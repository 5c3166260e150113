"""Lattice: Sfumato's own search for full-domain recodings, and the default of the family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.common import parameters
from sfumato.loss import Objective
from sfumato.loss.metrics import DM
from sfumato.methods.base import register
from sfumato.methods.lattice.answers import Choice, Search, least, status_of
from sfumato.methods.lattice.box_search import BoxSearch
from sfumato.methods.lattice.branch_and_bound import BoundedSearch
from sfumato.methods.lattice.frequencies import Levels
from sfumato.methods.lattice.full_domain import FoundAnswers, FullDomain, frontier
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.node_sweep import can_sweep, sweep_nodes
from sfumato.methods.lattice.nodes import LISTABLE, Map, Space
from sfumato.methods.lattice.scores import Scorer


@dataclass(frozen=True, kw_only=True)
class Lattice(FullDomain):
    """Find all answers with as few frequency sets as possible; in a lattice too large to list, only the best answer.

    Parameters
    ----------
    minimize
        Which answer is released: the one with the least ``"gcp"``, ``"dm"``, ``"c_avg"``, ``"entropy"`` or
        ``"height"``, or the greatest ``"precision"``. Or a list of queries, an `Objective` without labels, or a
        function of two dicts by name, levels and losses.
    weights
        How much each quasi-identifier counts in the loss; by default the weights of the schema.
    max_level
        The highest permitted level of some quasi-identifiers: ``{"sex": 0}`` releases sex unchanged.
    exhaustive
        Also accept models that are not monotone, by checking every node.
    answers
        ``"all"``; ``"minimal"``: only those that generalize no other; ``"best"``: only the released one, found without
        listing the lattice; ``"auto"``: ``"all"``, or ``"best"`` if the lattice has millions of nodes.
    time_limit
        The seconds after which the search for the best answer stops; listing all answers has no limit.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [21, 24, 27, 28], "sex": ["f", "m", "f", "m"]})
    >>> schema = sf.Schema({"age": sf.Numeric(widths=(5, 10)), "sex": None})
    >>> release = sf.anonymize(people, schema, k=2, method=sf.Lattice(max_level={"sex": 0}))
    >>> release.levels
    {'age': 2, 'sex': 0}
    """

    answers: str = "auto"
    time_limit: float = 10.0

    name: ClassVar[str] = "lattice"
    summary: ClassVar[str] = "All full-domain answers, by halving the lattice; releases the best. The fastest."

    def __post_init__(self) -> None:
        super().__post_init__()
        parameters.choice("Lattice", "answers", self.answers, ("auto", "all", "minimal", "best"))
        parameters.number("Lattice", "time_limit", self.time_limit, at_least=0)

    def _find(self, judge: NodeJudge, space: Space) -> FoundAnswers:
        if self.answers == "best" or (self.answers == "auto" and space.size > LISTABLE):
            return self._find_best(judge, space)
        space.require_listable()
        if judge.budget and judge.prune and can_sweep(judge, space):
            found = self._swept(judge, space)
        else:
            searching = BoxSearch(judge, space)
            known = searching.run()
            found = FoundAnswers(known.answers(), Search(searching.checked), known)
        return frontier(found) if self.answers == "minimal" else found

    def _find_best(self, judge: NodeJudge, space: Space) -> FoundAnswers:
        """Search for the best answer alone."""
        choice = Choice(self.objective(), Scorer(judge, self._checked_weights(space)), space)
        return BoundedSearch(choice, self.time_limit).run()

    def _swept(self, judge: NodeJudge, space: Space) -> FoundAnswers:
        """Count and measure every node in one sweep: with suppression most nodes are near the limit."""
        scorer = Scorer(judge, self._checked_weights(space))
        objective = self.objective()
        counted = objective if isinstance(objective, Objective) else DM
        found = sweep_nodes(judge, space, judge.scan(space.bottom), scorer.costs(counted))
        known = Map(space)
        known.status[:] = status_of(found, judge.budget)
        losses = scorer.marginals.loss(counted, found) if counted is objective else None
        return FoundAnswers(known.answers(), Search(space.size), known, losses)

    def _choose(self, choice: Choice, found: FoundAnswers) -> Levels:
        if len(found.answers) == 1:
            return found.answers[0]
        if found.losses is not None:
            return least(found.losses[tuple(np.array(found.answers).T)].tolist(), found.answers)
        return super()._choose(choice, found)


register()(Lattice)
