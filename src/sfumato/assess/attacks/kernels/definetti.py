"""The loops of the deFinetti attack: the sensitive values of each class, shared out among its members by a model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel

#: Sums below this are taken for it, so that nothing is divided by zero.
TINY = 1e-300


@inner
def _scaled(
    shares: NDArray[np.float64],
    counts: NDArray[np.int64],
    members: int,
    many: int,
    steps: int,
    sums: NDArray[np.float64],
) -> None:
    """Scale the shares of a class, again and again, to the counts of its values and to 1 per member."""
    for _ in range(steps):
        for value in range(many):
            sums[value] = 0.0
        for member in range(members):
            for value in range(many):
                sums[value] += shares[member, value]
        for value in range(many):
            sums[value] = counts[value] / sums[value] if sums[value] > 0.0 else 0.0
        for member in range(members):
            total = 0.0
            for value in range(many):
                shares[member, value] *= sums[value]
                total += shares[member, value]
            for value in range(many):
                shares[member, value] /= max(total, TINY)


@kernel
def share_out(
    members: NDArray[np.int64],
    begins: NDArray[np.int64],
    values: NDArray[np.int64],
    counts: NDArray[np.int64],
    value_begins: NDArray[np.int64],
    codes: NDArray[np.int64],
    learned: NDArray[np.float64],
    steps: int,
    seen: NDArray[np.float64],
    likeliest: NDArray[np.int64],
) -> None:
    """Share the values of every class out among its members, and add up what this teaches.

    Parameters
    ----------
    members, begins
        The people of all classes, and where each class begins.
    values, counts, value_begins
        The values of all classes in ascending order with their counts, and where each class begins.
    codes
        The bin of every person in every column, columns one behind the other: bins of all columns have one numbering.
    learned
        The logarithm of how likely every bin (row) is given every value; 0 before anything is learned.
    steps
        How often shares are scaled; 0 leaves them as they are.
    seen
        The output: how many people of each bin have each value.
    likeliest
        The output: the likeliest value of every person.
    """
    widest, most = 1, 1
    for one in range(len(begins) - 1):
        widest = max(widest, value_begins[one + 1] - value_begins[one])
        most = max(most, begins[one + 1] - begins[one])
    shares, sums = np.empty((most, widest)), np.empty(widest)
    for one in range(len(begins) - 1):
        size, first = begins[one + 1] - begins[one], value_begins[one]
        many = value_begins[one + 1] - first
        for member in range(size):
            person = members[begins[one] + member]
            highest = -np.inf
            for at in range(many):
                score = np.log(counts[first + at] / size)
                for column in range(codes.shape[1]):
                    score += learned[codes[person, column], values[first + at]]
                shares[member, at] = score
                highest = max(highest, score)
            for at in range(many):
                shares[member, at] = np.exp(shares[member, at] - (highest if steps else 0.0))
        _scaled(shares, counts[first : first + many], size, many, steps, sums)
        for member in range(size):
            person = members[begins[one] + member]
            best = 0
            for at in range(many):
                if shares[member, at] > shares[member, best]:
                    best = at
                for column in range(codes.shape[1]):
                    seen[codes[person, column], values[first + at]] += shares[member, at]
            likeliest[person] = values[first + best] if many else -1
