"""Values that stand for a missing one: words such as ``?``, and numbers far from all others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: What people write for a missing value, in lower case.
MISSING_WORDS = frozenset(
    {"", "?", "-", "--", "---", ".", "..", "*", "na", "n/a", "n.a.", "n.a", "#n/a", "nan", "<na>", "null", "(null)"}
    | {"none", "nil", "unknown", "unk", "missing", "not available", "not stated", "not known", "no answer", "refused"}
    | {"(blank)", "blank", "undefined", "k.a.", "keine angabe", "s/d", "n/d", "nd", "xxx", "#value!", "#null!"}
    | {"0000-00-00", "00/00/0000", "00.00.0000", "99/99/9999", "99.99.9999"}
)
#: Words that are as often ordinary values, so that they count only among numbers and dates.
AMBIGUOUS = frozenset({"none", "nil", "refused", "nd", "xxx", "*"})
#: Numbers that mean a missing value if they lie far from all others.
SENTINELS = (77, 88, *(10**digits - end for digits in (2, 3, 4, 5, 6) for end in (1, 2, 3)), 777, 888, 7777, 8888)
#: From here on codes are no answers, however many rows have them.
LONG = 100
#: Numbers that mean a missing value if nothing else is negative.
NEGATIVES = (-1, -2, -7, -8, -9)


def sentinels(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> dict[int, int]:
    """Find the numbers that look like codes for a missing value, and how often they occur.

    >>> sentinels(np.array([18.0, 44.0, 90.0, 999.0]), np.array([3, 5, 2, 7]))
    {999: 7}
    >>> sentinels(np.array([1.0, 2.0, 3.0, 88.0]), np.array([3, 5, 2, 70]))
    {}
    """
    order = np.argsort(numbers)
    numbers, counts = numbers[order], counts[order]
    above = far_away(numbers, counts)
    below = far_away(-numbers[::-1], counts[::-1]) or _only_negatives(numbers, counts)
    places = [*range(below), *range(len(numbers) - above, len(numbers))]
    found = {int(numbers[at]): int(counts[at]) for at in places}
    # What most rows say is an answer: 88 is 'none' in surveys of health, -1 'never'. Longer codes are none.
    most = counts.sum() / 2
    return {code: count for code, count in found.items() if count <= most or abs(code) >= LONG}


def far_away(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> int:
    """Count the sentinels among the largest numbers: farther from the others than these are spread."""
    for size in (3, 2, 1):
        rest, end = numbers[:-size], numbers[-size:]
        if len(rest) < 2 or counts[-size:].sum() < 2 or not np.isin(np.abs(end), SENTINELS).all():
            continue
        if end[0] - rest[-1] > rest[-1] - rest[0]:
            return size
    return 0


def _only_negatives(numbers: NDArray[np.float64], counts: NDArray[np.int64]) -> int:
    """Count the negative numbers, if they are few, repeated, and all of them usual codes."""
    size = int(np.count_nonzero(numbers < 0))
    usual = np.isin(numbers[:size], (*NEGATIVES, *(-sentinel for sentinel in SENTINELS)))
    return size if size <= 3 and size < len(numbers) and usual.all() and counts[:size].sum() > 1 else 0
