"""Groups of values: their subgroups in a hierarchy, what they cost, and which rows they leave without a class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.methods.base import Task
from sfumato.table.kernels.classes import groups_allowed
from sfumato.table.recoding import SUPPRESSED, Recoding

#: The first and the last code of a group of values.
Span = tuple[int, int]


def broken_rows(task: Task, rows: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Select the given rows that lie in groups that are not allowed."""
    order = np.argsort(groups, kind="stable")
    begins = np.flatnonzero(np.diff(groups[order], prepend=-1))
    offsets = np.append(begins, len(rows))
    requirements = task.requirements
    allowed = groups_allowed(
        task.microdata.codes,
        requirements.sensitive_codes,
        rows[order],
        offsets,
        requirements.rules,
    )
    return rows[order][np.repeat(~allowed, np.diff(offsets))]


def mean_cost(domain: Domain, counts: NDArray[np.int64], spans: Sequence[Span]) -> float:
    """Sum the loss of an attribute over the rows that these spans show."""
    lo, hi = np.array(spans).T
    reached = np.append(0, np.cumsum(counts))
    return float((reached[hi + 1] - reached[lo]) @ domain.span_costs(lo, hi))


def children(domain: Domain, span: Span) -> list[Span]:
    """List the groups of the next lower level that divides a group; none for a single value."""
    lo, hi = span
    for level in reversed(domain.levels):
        groups = level.groups[lo : hi + 1]
        if groups[0] != groups[-1]:
            begins = lo + np.flatnonzero(np.diff(groups, prepend=-1))
            ends = np.append(begins[1:], hi + 1) - 1
            return list(zip(begins.tolist(), ends.tolist(), strict=True))
    return []


def keeps(task: Task, recoding: Recoding) -> bool:
    """Whether the released rows keep every model; t-closeness compares with these rows only."""
    assert recoding.classes is not None
    return bool((recoding.classes != SUPPRESSED).all()) or task.requirements.kept_by(recoding)
