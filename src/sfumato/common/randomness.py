"""Randomness: every random choice of a release derives from one secret."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: The length of a drawn secret, too long for brute force.
BITS = 128


def fresh_seed() -> int:
    """Draw a secret from the system."""
    return secrets.randbits(BITS)


@dataclass(frozen=True)
class Secret:
    """The source of all randomness of one release.

    With it, an attacker could repeat every choice and so test guesses about the original: it must stay with the owner.
    A one-way function derives separate numbers for each purpose, so that those of one purpose reveal nothing about
    another's.

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
        """The secret that was given, or a fresh one."""
        return cls(fresh_seed() if seed is None else seed)

    def key(self, purpose: str) -> bytes:
        """Derive the bytes for one purpose."""
        return hashlib.blake2b(str(self.seed).encode(), digest_size=BITS // 8, person=purpose.encode()).digest()

    def number(self, purpose: str) -> int:
        """A number for one purpose, such as the seed of a method."""
        return int.from_bytes(self.key(purpose), "little")

    def generator(self, purpose: str) -> np.random.Generator:
        """A random generator for one purpose; its numbers cannot be predicted from earlier ones."""
        return np.random.Generator(np.random.Philox(key=self.number(purpose)))

    def permutation(self, purpose: str, rows: int) -> NDArray[np.int64]:
        """The numbers below ``rows`` in random order."""
        return self.generator(purpose).permutation(rows)
