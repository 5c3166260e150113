"""How many examples a generated test looks at: a part of them with the other tests, all of them by ``make fuzz``."""

from __future__ import annotations

import os

#: Set by ``make fuzz``.
LONG = "SFUMATO_FUZZ_SECONDS" in os.environ

#: The least that a short run looks at: hypothesis begins with the simplest tables, which are the likeliest to break.
FEWEST = 4


def examples(number: int) -> int:
    """All examples of a test in a long run, a third of them otherwise."""
    return number if LONG else min(number, max(FEWEST, number // 3))
