"""How long work that can be left early goes on: until its time limit, or until Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from sfumato.common import parameters
from sfumato.common.interrupts import Interrupts
from sfumato.common.progress import Progress, silent

Block = TypeVar("Block")

#: Why work ended before it was done.
TIME, INTERRUPT = "the time limit", "Ctrl-C"


class EndedEarlyError(Exception):
    """Raised inside work that its owner leaves early; whoever started the work keeps what is done."""


class Patience:
    """Tells work how long it may go on, and its user how far it is.

    Parameters
    ----------
    seconds
        The time limit; None for none.
    report
        Where progress goes.
    """

    def __init__(self, seconds: float | None = None, report: Progress = silent) -> None:
        self._report = report
        self._until = None if seconds is None else time.monotonic() + seconds
        self._interrupts = Interrupts()
        self._stage, self._share, self._length, self._done = "", 0.0, 1.0, 0.0

    @classmethod
    def of(cls, caller: str, time_limit: object, report: Progress) -> Patience:
        """Make one of the arguments of a public function."""
        limit = None if time_limit is None else parameters.number(caller, "time_limit", time_limit, above=0)
        return cls(limit, report)

    @property
    def ended(self) -> str | None:
        """Why the work has to end; None if it may go on."""
        if self._interrupts.asked:
            return INTERRUPT
        return TIME if self._until is not None and time.monotonic() > self._until else None

    @property
    def left(self) -> float | None:
        """The seconds that are left; None without a limit."""
        return None if self._until is None else max(0.0, self._until - time.monotonic())

    def begin(self, stage: str, share: float = 0.0, length: float = 1.0) -> None:
        """Begin a stage, which is a stretch of the whole work: where it begins, and how long it is."""
        self._stage, self._share, self._length, self._done = stage, share, length, 0.0
        self.tell(0.0)

    def tell(self, share: float) -> None:
        """Report the share of the stage that is done; raise `EndedEarlyError` if the work has to end."""
        self._done = max(self._done, share)  # a part that others need reports its own share first
        # Rounded, since the end of a stage must not lie beyond the beginning of the next by the last digit.
        self._report(self._stage, round(self._share + self._done * self._length, 9))
        self.check()

    def check(self) -> None:
        """Raise `EndedEarlyError` if the work has to end."""
        reason = self.ended
        if reason is not None:
            raise EndedEarlyError(reason)

    def through(self, blocks: Sequence[Block]) -> Iterator[Block]:
        """Yield the blocks of a stage, reporting after each."""
        for at, block in enumerate(blocks):
            yield block
            self.tell((at + 1) / len(blocks))

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Let the first Ctrl-C end the work and the second one the program."""
        with self._interrupts:
            yield
