"""Anatomy: groups of rows with distinct sensitive values, for a release in two tables (Xiao and Tao, VLDB 2006)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.methods.comparators.kernels.anatomy import deal
from sfumato.privacy.l_diversity import most_frequent
from sfumato.table.microdata import SensitiveColumn

#: The group of a row that is not yet in one.
NONE = -1


def anatomy_groups(column: SensitiveColumn, l: int, random: np.random.Generator) -> NDArray[np.int64]:  # noqa: E741
    """Assign every row to a group, so that every group has at least l rows, all with distinct sensitive values.

    Each value has a bucket of rows. As long as l buckets are not empty, a group takes one row from each of the l
    fullest; each of the fewer than l remaining rows joins a random group without its value. Groups are numbered at
    random.

    Parameters
    ----------
    column
        The sensitive column, with rows in random order: among rows with equal values, that order decides.
    l
        The least number of rows, and of distinct values, in a group.

    Raises
    ------
    InfeasibleError
        If more than 1/l of all rows have the same value.
    """
    check_eligible(column, l)
    by_bucket = np.argsort(column.codes, kind="stable")
    counts = column.counts()
    shuffled = random.permutation(len(counts))
    fullest_first = shuffled[np.argsort(-counts[shuffled], kind="stable")]
    dealt = np.full(len(by_bucket), NONE, np.int64)
    groups = deal(counts, fullest_first, l, dealt)
    of_row = np.empty(len(by_bucket), np.int64)
    of_row[by_bucket] = dealt
    for row in np.flatnonzero(of_row == NONE):
        taken = np.zeros(groups, np.bool_)
        alike = of_row[column.codes == column.codes[row]]
        taken[alike[alike != NONE]] = True
        of_row[row] = random.choice(np.flatnonzero(~taken))
    return random.permutation(groups)[of_row]


def check_eligible(column: SensitiveColumn, l: int) -> None:  # noqa: E741
    """Reject a table in which a value is too frequent, and name the largest l that works."""
    rows, most = len(column.codes), int(column.counts().max(initial=0))
    if most * l <= rows:
        return
    works = rows // most
    instead = f"The largest l that works is {works}." if works > 1 else "No l above 1 works for this column."
    raise InfeasibleError(
        f"Groups of {l} different values are not possible: the most frequent value of '{column.name}'"
        f"{most_frequent(column)} makes up {most / rows:.1%} of the rows, more than 1/{l}. {instead}"
    )
