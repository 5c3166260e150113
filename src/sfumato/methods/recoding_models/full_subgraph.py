"""Full-subgraph recoding: multidimensional regions that are products of subtrees, narrow where many rows lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Method, Task, register
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.recoding_models.best_regions import best_regions
from sfumato.methods.recoding_models.optimality import gcp_of, least_by_row, with_optimality
from sfumato.methods.recoding_models.value_groups import Span, broken_rows, children
from sfumato.methods.suppression import trim
from sfumato.table.recoding import Recoding


@dataclass(frozen=True)
class FullSubgraph(Method):
    """Divide the table along the hierarchies, each region separately, while every part is allowed.

    A region is a subtree of every quasi-identifier, and all rows in it are shown alike. The best choice of regions is
    NP-hard; a greedy search from the top down divides the attribute that loses most. On small tables without
    suppression an exact search follows; elsewhere the optimality gives a bound.
    """

    name: ClassVar[str] = "full-subgraph"
    summary: ClassVar[str] = "Regions along the hierarchies of all attributes together; top down, the best if few."
    recoding: ClassVar[str] = "global"

    def run(self, task: Task) -> Recoding:
        """Divide the table; then look for a better recoding, or bound the distance to the best."""
        greedy = self._greedy(task)
        if task.suppressible or not task.requirements.monotone:
            return greedy  # suppressed rows may narrow a class to less than its region spans
        found = best_regions(task, gcp_of(task, greedy) * len(task.microdata))
        recoding = greedy if found.classes is None else Recoding(classes=found.classes)
        bound = least_by_row(NodeJudge(task), as_regions=False) if found.bound is None else found.bound
        return recoding if bound is None else with_optimality(task, recoding, self.name, bound, found.looked_at)

    def _greedy(self, task: Task) -> Recoding:
        """Divide the table; then spend the suppression budget on the outliers that widen their classes most."""
        microdata = task.microdata
        everything: list[Span] = [(0, domain.size - 1) for domain in microdata.domains]
        waiting = [(np.arange(len(microdata)), everything)]
        classes = np.zeros(len(microdata), np.int32)
        count = 0
        while waiting:
            rows, region = waiting.pop()
            parts = _divided(task, rows, region)
            waiting += parts
            if not parts:
                classes[rows] = count
                count += 1
        return Recoding(classes=trim(task, classes))


def _divided(task: Task, rows: NDArray[np.int64], region: list[Span]) -> list[tuple[NDArray[np.int64], list[Span]]]:
    """Divide a region along the attribute that loses most among those that allow it; empty if none does."""
    if len(rows) < 2 * task.requirements.smallest_class:
        return []
    domains, weights = task.microdata.domains, task.microdata.weights
    losses = [
        weights[at] * domain.span_costs(np.array([span[0]]), np.array([span[1]]))[0]
        for at, (domain, span) in enumerate(zip(domains, region, strict=True))
    ]
    for at in sorted(range(len(domains)), key=lambda place: (-losses[place], place)):
        codes = task.microdata.codes[rows, at]
        spans = _filled_children(task, at, region[at], codes)
        if not spans:
            continue
        part = np.searchsorted([last for _, last in spans], codes)
        if len(spans) == 1 or not len(broken_rows(task, rows, part)):
            return [(rows[part == place], [*region[:at], span, *region[at + 1 :]]) for place, span in enumerate(spans)]
    return []


def _filled_children(task: Task, at: int, span: Span, codes: NDArray[np.unsignedinteger]) -> list[Span]:
    """List the child subtrees that hold any of the codes."""
    present = np.unique(codes)
    return [child for child in children(task.microdata.domains[at], span) if _any_between(present, child)]


def _any_between(ordered: NDArray[np.unsignedinteger], span: Span) -> bool:
    place = int(np.searchsorted(ordered, span[0]))
    return place < len(ordered) and int(ordered[place]) <= span[1]


register()(FullSubgraph)
