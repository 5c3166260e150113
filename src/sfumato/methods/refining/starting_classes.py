"""Classes to start from where an objective is about something else than spans: even sizes, and equal labels."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.refining.objective import Objective
from sfumato.microdata import Recoding
from sfumato.privacy import Requirements

Classes = NDArray[np.int32]


def shaped(objective: Objective, classes: Classes) -> Iterator[tuple[str, Classes]]:
    """Yield other classes of the same rows that suit the objective by their shape, where every rule allows them."""
    smallest = max(1, objective.task.requirements.smallest_class)
    rows = np.argsort(classes, kind="stable")
    rows = rows[np.searchsorted(classes[rows], 0) :]
    made: list[tuple[str, Classes]] = []
    if objective.name == "dm":
        made.append(("sizes evened", _cut(rows, [len(rows)], smallest, len(classes))))
    if objective.label >= 0:
        label = objective.task.microdata.sensitive[objective.label].codes
        made.append(("by label", _by_label(rows, label, smallest, len(classes))))
    kept = classes >= 0
    requirements = objective.task.requirements
    if not kept.all():
        requirements = Requirements(requirements.models, objective.task.microdata.take(kept))
    for name, found in made:
        if not requirements.broken_by(Recoding(classes=found[kept])):
            yield name, found


def _cut(rows: NDArray[np.intp], ends: list[int], smallest: int, total: int) -> Classes:
    """Cut rows, in their order, into as many and as equal runs as can be, none across an end; all others stay out."""
    classes = np.full(total, -1, np.int32)
    begin = count = 0
    for end in ends:
        part = rows[begin:end]
        runs = max(1, len(part) // smallest)
        classes[part] = count + np.arange(len(part)) * runs // max(1, len(part))
        begin, count = end, count + runs
    return classes


def _by_label(rows: NDArray[np.intp], label: NDArray[np.int32], smallest: int, total: int) -> Classes:
    """Cut the rows of each label by themselves; labels of too few rows go with the one before."""
    rows = rows[np.argsort(label[rows], kind="stable")]
    ends = [*(np.flatnonzero(np.diff(label[rows])) + 1).tolist(), len(rows)]
    kept: list[int] = []
    for end in ends:
        if end - (kept[-1] if kept else 0) >= smallest:
            kept.append(end)
    return _cut(rows, [*kept[:-1], len(rows)], smallest, total)
