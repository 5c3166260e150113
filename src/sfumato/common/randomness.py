"""Randomness: every random choice of a release derives from one secret."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sfumato.common.rows import LONG, by_bucket, counted, shares, stretches
from sfumato.common.threads import side_by_side

#: The length of a drawn secret, too long for brute force.
BITS = 128

#: How many numbers a part of a purpose may draw before it meets the next one, as a power of 2.
FURTHEST = 128

#: How many rows a bucket of a permutation holds on average, and the most buckets.
BUCKET, MOST_BUCKETS = 1 << 14, 1024


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

    def generator(self, purpose: str, part: int = 0) -> np.random.Generator:
        """A random generator for one purpose, or a part of it; its numbers cannot be predicted from earlier ones."""
        return np.random.Generator(np.random.Philox(key=self.number(purpose), counter=part << FURTHEST))

    def permutation(self, purpose: str, rows: int) -> NDArray[np.int64]:
        """The numbers below ``rows`` in random order.

        Many rows are first dealt to buckets at random, and each bucket is then shuffled: every order is as likely as
        every other, and threads can share the work.
        """
        if rows < LONG:
            return self.generator(purpose).permutation(rows)
        parts = stretches(rows)
        many = min(MOST_BUCKETS, rows // BUCKET)
        dealt = np.empty(rows, np.uint16)
        counts = np.empty((len(parts), many), np.int64)

        def deal(at: int) -> None:
            start, stop = parts[at]
            dealt[start:stop] = self.generator(purpose, 1 + at).integers(many, size=stop - start, dtype=np.uint16)
            counts[at] = counted(dealt[start:stop], many)

        side_by_side(deal, range(len(parts)))
        order, ends = by_bucket(dealt, counts)
        buckets = [0, *ends.tolist()]

        def shuffle(some: tuple[int, int]) -> None:
            for at in range(*some):
                self.generator(purpose, 1 + len(parts) + at).shuffle(order[buckets[at] : buckets[at + 1]])

        side_by_side(shuffle, shares(many))
        return order
