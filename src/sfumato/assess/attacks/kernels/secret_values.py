"""The sensitive values among the rows that may be a person's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def tally_values(
    begins: NDArray[np.int64],
    classes: NDArray[np.int32],
    row_begins: NDArray[np.int64],
    values: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Count for every person how often each value occurs in the person's candidate classes.

    Parameters
    ----------
    begins, classes
        The candidates of all people, and where each person's begin.
    row_begins, values
        The values of the rows of all classes, and where each class begins.
    counts
        A row per person with a count for every value, to which is added.
    """
    for person in range(len(begins) - 1):
        for at in range(begins[person], begins[person + 1]):
            one = classes[at]
            for row in range(row_begins[one], row_begins[one + 1]):
                counts[person, values[row]] += 1
