"""Chance: everything random about a release follows from one secret."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: How long a drawn secret is: nobody tries all of them.
BITS = 128


def fresh_seed() -> int:
    """Draw a secret from the system."""
    return secrets.randbits(BITS)


@dataclass(frozen=True)
class Secret:
    """Where all chance of one release comes from.

    Whoever knows it can repeat every choice, and so test guesses about the original: it is the owner's alone. Each
    purpose gets numbers of its own by a one-way function, so that what one of them shows tells nothing of another.

    Examples
    --------
    >>> Secret(7).permutation("an example", 5).tolist() == Secret(7).permutation("an example", 5).tolist()
    True
    """

    seed: int

    def __repr__(self) -> str:
        return "Secret(...)"

    @classmethod
    def of(cls, seed: int | None) -> Secret:
        """Return the secret that was given, or a fresh one."""
        return cls(fresh_seed() if seed is None else seed)

    def key(self, purpose: str) -> bytes:
        """Return bytes for one purpose."""
        return hashlib.blake2b(str(self.seed).encode(), digest_size=BITS // 8, person=purpose.encode()).digest()

    def number(self, purpose: str) -> int:
        """Return a number for one purpose, such as the seed of a method."""
        return int.from_bytes(self.key(purpose), "little")

    def generator(self, purpose: str) -> np.random.Generator:
        """Return random numbers for one purpose; whoever sees some of them cannot go on to the others."""
        return np.random.Generator(np.random.Philox(key=self.number(purpose)))

    def permutation(self, purpose: str, rows: int) -> NDArray[np.int64]:
        """Return the numbers below ``rows`` in random order."""
        return self.generator(purpose).permutation(rows)
