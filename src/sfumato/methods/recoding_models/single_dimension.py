"""Single-dimension recoding with groups of different widths: what full subtrees and ordered sets share."""

from __future__ import annotations

import heapq
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain, IntervalDomain
from sfumato.methods.base import Method, Task
from sfumato.methods.lattice.lattice import Lattice
from sfumato.methods.recoding_models.best_columns import (
    BestColumns,
    Way,
    best_ways,
    least_by_column,
)
from sfumato.methods.recoding_models.optimality import gcp_of, with_optimality
from sfumato.methods.recoding_models.value_groups import Span, broken_rows, keeps, mean_cost
from sfumato.table.frequency import group_rows
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding

#: How many seconds the search for the full-domain start may take in a huge lattice.
SECONDS = 2.0

#: A group in the queue: the negative saving of its division, the attribute, the group, the ways to divide it.
Entry = tuple[float, int, Span, list[list[Span]]]


@dataclass(frozen=True)
class SingleDimension(Method):
    """Every value of a quasi-identifier is shown by the same group wherever it occurs.

    The search divides the group whose division saves most, in all rows at once, if every class stays allowed; a
    division that is not allowed now never will be, since classes only shrink. It starts once from one group per quasi-
    identifier and once from the best full-domain recoding, and releases the better result. On small tables without
    suppression it then looks for the best of all such recodings; elsewhere the optimality gives a bound.
    """

    recoding: ClassVar[str] = "global"

    def run(self, task: Task) -> Recoding:
        """Divide groups; then look for a better recoding, or bound the distance to the best."""
        greedy = self._greedy(task)
        rows, cost = len(task.microdata), gcp_of(task, greedy)
        bound = least_by_column(task, self._spans)
        found = BestColumns(None, 0.0, 0)
        if task.requirements.monotone and not task.suppressible and bound < rows * cost:
            found = best_ways(task, self._ways, rows * cost)
        recoding = greedy if found.ways is None else DividedTable.of_ways(task, found.ways).recoding()
        return with_optimality(task, recoding, self.name, max(bound, found.bound), found.checks)

    def _greedy(self, task: Task) -> Recoding:
        """Divide groups from both starts; without suppression if that would break a model of the release."""
        found = [
            self._divided(DividedTable.of(task)),
            self._divided(DividedTable.at_levels(task, Lattice(time_limit=SECONDS).run(task))),
        ]
        kept = [recoding for recoding in found if not task.suppressible or keeps(task, recoding)]
        if not kept:
            return self._greedy(replace(task, suppressible=0))
        return min(kept, key=lambda recoding: gcp_of(task, recoding))

    def _divided(self, state: DividedTable) -> Recoding:
        waiting: list[Entry] = []
        for at, spans in enumerate(state.spans):
            waiting += [entry for span in spans for entry in self._entries(state, at, span)]
        heapq.heapify(waiting)
        while waiting:
            _, at, _, divisions = heapq.heappop(waiting)
            made = next((parts for parts in divisions if state.divide(at, parts)), [])
            for span in made:
                for entry in self._entries(state, at, span):
                    heapq.heappush(waiting, entry)
        return state.recoding()

    def _entries(self, state: DividedTable, at: int, span: Span) -> list[Entry]:
        """Make the queue entry of a group: how it can be divided, and what that saves; none for a single value."""
        domain, counts = state.task.microdata.domains[at], state.counts[at]
        divisions = self._divisions(domain, counts, span)
        if not divisions:
            return []
        saved = mean_cost(domain, counts, [span]) - mean_cost(domain, counts, divisions[0])
        return [(-saved * float(state.task.microdata.weights[at]), at, span, divisions)]

    @abstractmethod
    def _ways(self, domain: Domain, allowed: Callable[[Span], bool]) -> list[Way] | None:
        """List all ways to recode a column by allowed groups; None if there are too many."""

    @abstractmethod
    def _spans(self, domain: Domain) -> NDArray[np.int64] | None:
        """List all groups that a column may be shown by; None if there are too many."""

    @abstractmethod
    def _divisions(self, domain: Domain, counts: NDArray[np.int64], span: Span) -> list[list[Span]]:
        """List the ways to divide a group of values, in the order in which to try them."""


@dataclass
class DividedTable:
    """The groups so far, the class of every row, and how many rows may still be suppressed."""

    task: Task
    spans: list[list[Span]]
    group_of: list[NDArray[np.int64]]
    classes: NDArray[np.int64]
    count: int
    left: int

    @classmethod
    def of(cls, task: Task) -> DividedTable:
        """Start with one group per quasi-identifier."""
        return cls.at_levels(task, Recoding(levels=tuple(domain.top for domain in task.microdata.domains)))

    @classmethod
    def at_levels(cls, task: Task, recoding: Recoding) -> DividedTable:
        """Start with the groups of a full-domain recoding."""
        microdata = task.microdata
        assert recoding.levels is not None
        chosen = [domain.levels[level] for domain, level in zip(microdata.domains, recoding.levels, strict=True)]
        groups = [level.groups.astype(np.int64) for level in chosen]
        spans = []
        for group in groups:
            begins = np.flatnonzero(np.diff(group, prepend=-1))
            spans.append(list(zip(begins.tolist(), (np.append(begins[1:], len(group)) - 1).tolist(), strict=True)))
        classes = EquivalenceClasses.of(microdata, recoding)
        return cls(
            task, spans, groups, classes.of_row.astype(np.int64), len(classes), task.suppressible - classes.suppressed
        )

    @classmethod
    def of_ways(cls, task: Task, ways: Sequence[Way]) -> DividedTable:
        """Build the table from given groups of every quasi-identifier."""
        codes = task.microdata.codes
        groups = [np.repeat(np.arange(len(way)), [hi - lo + 1 for lo, hi in way]) for way in ways]
        grouped = group_rows(
            np.stack([group[codes[:, at]] for at, group in enumerate(groups)], axis=1), [len(way) for way in ways]
        )
        return cls(task, [list(way) for way in ways], groups, grouped.of_row.astype(np.int64), len(grouped), 0)

    @cached_property
    def counts(self) -> list[NDArray[np.int64]]:
        """How often every code of every attribute occurs."""
        microdata = self.task.microdata
        return [np.bincount(microdata.codes[:, at], minlength=d.size) for at, d in enumerate(microdata.domains)]

    def divide(self, at: int, parts: list[Span]) -> bool:
        """Divide a group of an attribute if every class stays allowed, apart from rows that may be suppressed."""
        codes = self.task.microdata.codes[:, at]
        inside = (codes >= parts[0][0]) & (codes <= parts[-1][1]) & (self.classes != SUPPRESSED)
        rows = np.flatnonzero(inside)
        if not len(rows):
            return False
        part = np.searchsorted([last for _, last in parts], codes[rows])
        pairs = np.stack([self.classes[rows], part], axis=1)
        grouped = group_rows(pairs, [self.count, len(parts)])
        broken = broken_rows(self.task, rows, grouped.of_row.astype(np.int64))
        if len(broken) > self.left or len(broken) == len(rows):
            return False
        self.left -= len(broken)
        self.classes[rows] = self.count + grouped.of_row
        self.classes[broken] = SUPPRESSED
        self.count += len(grouped)
        for span in parts:
            self.group_of[at][span[0] : span[1] + 1] = len(self.spans[at])
            self.spans[at].append(span)
        return True

    def recoding(self) -> Recoding:
        """Build the recoding: classes, each shown by its groups."""
        kept = self.classes != SUPPRESSED
        _, first, numbered = np.unique(self.classes[kept], return_index=True, return_inverse=True)
        classes = np.full(len(self.classes), SUPPRESSED, np.int32)
        classes[kept] = numbered
        examples = self.task.microdata.codes[kept][first]
        shown = [
            np.array(spans)[group_of[examples[:, at]]]
            for at, (spans, group_of) in enumerate(zip(self.spans, self.group_of, strict=True))
        ]
        bounds = np.stack(shown, axis=1).astype(np.int64)
        return Recoding(classes=classes, bounds=(bounds[:, :, 0], bounds[:, :, 1]), hidden=self._hidden(bounds))

    def _hidden(self, bounds: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Mark where a class shows an undivided scale: the top of its hierarchy instead of an interval."""
        domains = self.task.microdata.domains
        whole = (bounds[:, :, 0] == 0) & (bounds[:, :, 1] == [domain.size - 1 for domain in domains])
        return whole & [isinstance(domain, IntervalDomain) and domain.size > 1 for domain in domains]
