"""Counts numbers for the verifier, in a loop of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import kernel


@kernel
def count_each(numbers: NDArray[np.int64], counts: NDArray[np.int64]) -> None:
    """Add to ``counts`` how often each number occurs."""
    for number in numbers:
        counts[number] += 1
