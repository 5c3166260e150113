"""How long fuzzers search: a moment with the other tests, as long as you like by ``make fuzz SECONDS=…``."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Iterator

SECONDS = float(os.environ.get("SFUMATO_FUZZ_SECONDS", "8"))
SEED = int(os.environ.get("SFUMATO_FUZZ_SEED", "0"))

#: Rounds at most with the other tests, however fast the machine is: a change is judged by what it changed, not by what
#: a faster machine finds. A search that was asked for goes on until its time is up.
ROUNDS = float("inf") if "SFUMATO_FUZZ_SECONDS" in os.environ else 120


def rounds(share: float = 1.0) -> Iterator[random.Random]:
    """Yield a source of random choices for every round, until the time is up; the seed of a round is its number.

    The first rounds are the same every time. What fails is repeated by ``SFUMATO_FUZZ_SEED=NUMBER``.
    """
    end = time.monotonic() + share * SECONDS
    number = SEED
    while number == SEED or (time.monotonic() < end and number < SEED + share * ROUNDS):
        yield random.Random(number)
        number += 1
