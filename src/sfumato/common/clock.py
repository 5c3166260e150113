"""Timing of the steps of a request."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Clock:
    """The seconds that each step of a request took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def measuring(self, part: str) -> Iterator[None]:
        """Add the time of a block to a step."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[part] = self.seconds.get(part, 0.0) + time.perf_counter() - begin

    def rounded(self) -> dict[str, float]:
        """The seconds of every step, rounded for manifests."""
        return {part: round(seconds, 4) for part, seconds in self.seconds.items()}
