"""The best local recoding of a small table: all partitions into classes, each shown at its lowest common levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.base import Task
from sfumato.methods.recoding_models.kernels.multisets import cheapest_multisets
from sfumato.table.frequency import group_rows
from sfumato.table.kernels.classes import groups_allowed
from sfumato.table.kernels.rules import KIND, SPAN
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import Recoding

#: The most sets of rows whose costs are listed, and the most pairs of a set and a subset that are compared.
MOST_SETS, MOST_PAIRS = 50_000, 5_000_000


@dataclass(frozen=True)
class BestClasses:
    """The best recoding, its total loss, and how many sets of rows were examined."""

    recoding: Recoding
    loss: float
    looked_at: int


@dataclass(frozen=True)
class Sets:
    """All sets of rows of a table; rows that are equal in every column are interchangeable.

    Attributes
    ----------
    rows
        The rows, grouped by kind: equal rows are of one kind.
    counts
        How many rows each kind has.
    places
        What one row of each kind adds to the number of a set.
    """

    rows: NDArray[np.int64]
    counts: NDArray[np.int64]
    places: NDArray[np.int64]

    @classmethod
    def of(cls, task: Task) -> Sets | None:
        """Set up the sets of rows of a task; None if there are too many."""
        sensitive = task.requirements.sensitive_codes
        columns = np.concatenate([task.microdata.codes.astype(np.int64), sensitive.astype(np.int64)], axis=1)
        kinds = group_rows(columns, (columns.max(axis=0, initial=0) + 1).tolist())
        bases = kinds.counts.astype(np.float64) + 1
        sets, pairs = np.log(bases).sum(), np.log(bases * (bases + 1) / 2).sum()
        if sets > np.log(MOST_SETS) or pairs > np.log(MOST_PAIRS):
            return None
        places = np.append(1, np.cumprod(kinds.counts + 1))[:-1]
        return cls(np.argsort(kinds.of_row, kind="stable"), kinds.counts, places)

    def digits(self) -> NDArray[np.int64]:
        """Count the rows of each kind in every set, the empty set first."""
        numbers = np.arange(int((self.counts + 1).prod()))
        return numbers[:, None] // self.places % (self.counts + 1)


def best_classes(task: Task) -> BestClasses | None:
    """Find the best local recoding; None if there are too many sets of rows to examine."""
    # Minimum spans are conditions on what is shown, which the rows of a set alone do not determine.
    sets = None if (task.requirements.rules.table[:, KIND] == SPAN).any() else Sets.of(task)
    if sets is None:
        return None
    digits = sets.digits()
    first = np.cumsum(sets.counts) - sets.counts
    levels = shared_levels(task.microdata, task.microdata.codes[sets.rows[first]], digits > 0)
    lo, hi = shown_edges(task.microdata, task.microdata.codes[sets.rows[first]], digits > 0, levels)
    costs = np.where(_allowed(task, sets, digits), task.microdata.penalties(lo, hi) * digits.sum(axis=1), np.inf)
    best, taken = cheapest_multisets(costs, sets.counts, sets.places)
    if not np.isfinite(best[-1]):
        return None
    classes = np.empty(len(task.microdata), np.int32)
    shown: list[int] = []
    left, used = len(costs) - 1, np.zeros(len(sets.counts), np.int64)
    while left:
        chosen = int(taken[left])
        for kind, size in enumerate(digits[chosen]):
            begin = first[kind] + used[kind]
            classes[sets.rows[begin : begin + size]] = len(shown)
        used += digits[chosen]
        shown.append(chosen)
        left -= chosen
    hidden = levels[shown] == [domain.top for domain in task.microdata.domains]
    return BestClasses(
        Recoding(classes=classes, bounds=(lo[shown], hi[shown]), hidden=hidden), float(best[-1]), len(costs)
    )


def _allowed(task: Task, sets: Sets, digits: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Decide which sets of rows may be a class; the empty set may not."""
    sizes = digits[1:].sum(axis=1)
    # The rows of every set: the first rows of each kind, as many as the set has.
    place = np.arange(len(sets.rows)) - np.repeat(np.cumsum(sets.counts) - sets.counts, sets.counts)
    kind = np.repeat(np.arange(len(sets.counts)), sets.counts)
    inside = place < digits[1:, kind]
    rows = np.broadcast_to(sets.rows, inside.shape)[inside]
    requirements = task.requirements
    offsets = np.append(0, np.cumsum(sizes))
    found = groups_allowed(task.microdata.codes, requirements.sensitive_codes, rows, offsets, requirements.rules)
    return np.append(False, found)


def shared_levels(
    microdata: Microdata, kinds: NDArray[np.unsignedinteger], inside: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Find for every set of kinds the lowest level of every attribute at which its rows are alike."""
    levels = np.empty((len(inside), len(microdata.domains)), np.int64)
    for at, domain in enumerate(microdata.domains):
        least, most = _ends(kinds[:, at].astype(np.int64), inside, domain.size)
        levels[:, at] = domain.top
        for number in range(domain.top, -1, -1):
            groups = domain.levels[number].groups
            levels[groups[least] == groups[most], at] = number
    return levels


def shown_edges(
    microdata: Microdata,
    kinds: NDArray[np.unsignedinteger],
    inside: NDArray[np.bool_],
    levels: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the first and last code of every attribute that every set shows at these levels."""
    lo, hi = np.empty_like(levels), np.empty_like(levels)
    for at, domain in enumerate(microdata.domains):
        least, _ = _ends(kinds[:, at].astype(np.int64), inside, domain.size)
        for number, level in enumerate(domain.levels):
            here = levels[:, at] == number
            group = level.groups[least[here]]
            lo[here, at], hi[here, at] = level.starts[group], level.lasts[group]
    return lo, hi


def _ends(
    codes: NDArray[np.int64], inside: NDArray[np.bool_], size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Find the least and greatest code of every set; 0 for the empty set."""
    least = np.where(inside, codes, size).min(axis=1, initial=size)
    most = np.where(inside, codes, -1).max(axis=1, initial=-1)
    empty = most < 0
    return np.where(empty, 0, least), np.where(empty, 0, most)
