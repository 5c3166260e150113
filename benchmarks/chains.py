"""The longest chain: which share of every step no number of cores makes shorter, in processor seconds.

``python -m benchmarks chains`` takes 1,000,000 made-up people and Hilbert; ``python -m benchmarks chains 3000000 auto``
another number, and other methods. One thread does all the work, so that a busy machine matters little. Each piece of it
that other threads could do is noted: when it was handed over, and when its result was first needed. That gives the
longest chain of work in which each piece waits for the one before. *n* threads that always find something to do take
at most the chain and an *n*-th of all other work. Two things are left out: waiting for the interpreter's lock, and
memory that is slower when several threads use it.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import sfumato as sf
from benchmarks.cores import WARM
from benchmarks.measure import Result, show
from benchmarks.scale import QIS, make
from sfumato.common.progress import Clock
from sfumato.common.threads import Job, in_order

ROWS, METHOD = 1_000_000, "hilbert"

#: The numbers of threads whose gain is computed.
NUMBERS = (2, 16)


@dataclass
class Step:
    """The processor seconds of a step: of all its work, and of its longest chain."""

    work: float = 0.0
    chain: float = 0.0

    def gain(self, threads: int) -> float:
        """How many times faster it gets with so many threads."""
        return self.work / max(1e-9, self.chain + (self.work - self.chain) / threads)


@dataclass
class Watch:
    """Follows the work of one thread.

    Attributes
    ----------
    work
        All processor seconds so far.
    at
        How far along its own chain the piece is that runs now.
    steps
        The steps, by name.
    """

    work: float = 0.0
    at: float = 0.0
    steps: dict[str, Step] = field(default_factory=dict)
    _last: float = field(default_factory=time.process_time)
    _handed: dict[int, tuple[Job[Any], float]] = field(default_factory=dict)
    _done: dict[int, float] = field(default_factory=dict)
    _turns: dict[FrameType, float] = field(default_factory=dict)

    def look(self) -> float:
        """Take note of the time that has passed."""
        now = time.process_time()
        self.work += now - self._last
        self.at += now - self._last
        self._last = now
        return self.at

    def hand_over(self, job: Job[Any], frame: FrameType) -> None:
        """Take note of a new piece of work, and that pieces in turn could all begin when the first one does."""
        at = self.look()
        if frame.f_code is in_order.__code__:
            at = self._turns.setdefault(frame, at)
        self._handed[id(job)] = job, at

    def begin(self, job: Job[Any]) -> float:
        """Follow a piece of work from where it was handed over; return how far what waits for it is."""
        waiting = self.look()
        self.at = self._handed[id(job)][1]
        return waiting

    def end(self, job: Job[Any], waiting: float) -> None:
        """Go back to what waits for a piece of work."""
        self._done[id(job)] = self.look()
        self.at = waiting

    def wait(self, job: Job[Any]) -> None:
        """Go on when a piece of work is done."""
        self.at = max(self.look(), self._done.get(id(job), 0.0))

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Measure a step."""
        at, work = self.look(), self.work
        try:
            yield
        finally:
            step = self.steps.setdefault(name, Step())
            step.chain += self.look() - at
            step.work += self.work - work


@contextmanager
def watched() -> Iterator[Watch]:
    """Watch the work of a block, which must be that of one thread."""
    watch = Watch()
    start, run, finish, measuring = Job.__init__, Job.run, Job.finish, Clock.measuring

    def started(job: Job[Any], *given: Any) -> None:
        start(job, *given)
        watch.hand_over(job, sys._getframe(1))

    def ran(job: Job[Any]) -> None:
        waiting = watch.begin(job)
        run(job)
        watch.end(job, waiting)

    def finished(job: Job[Any]) -> None:
        finish(job)
        watch.wait(job)

    @contextmanager
    def measured(clock: Clock, name: str) -> Iterator[None]:
        with watch.step(name), measuring(clock, name):
            yield

    with patch.multiple(Job, __init__=started, run=ran, finish=finished), patch.object(Clock, "measuring", measured):
        yield watch


def run() -> Iterator[Result]:
    yield from chains(ROWS, METHOD)


def chains(rows: int, method: str) -> Iterator[Result]:
    """Make and write a release, print the table, and yield the share of the longest chain."""
    asked: dict[str, Any] = {"quasi_identifiers": QIS, "sensitive": "illness", "k": 10, "seed": 1, "engine": "memory"}
    asked |= {"method": method, "threads": 1}
    with tempfile.TemporaryDirectory(prefix="sfumato-bench-") as name:
        few, people, released = (Path(name) / f"{part}.parquet" for part in ("few", "people", "released"))
        make(few, WARM)
        make(people, rows)
        sf.anonymize(few, **asked).write(released)
        with watched() as watch:
            release = sf.anonymize(people, **asked)
            with watch.step("write"):
                release.write(released)
    heads = ("work", "chain", "share", *(f"× {number}" for number in NUMBERS))
    print(f"  {method}, {rows:,} rows, processor seconds")
    print(f"  {'step':>10} " + " ".join(f"{head:>8}" for head in heads))
    for step, found in watch.steps.items():
        gains = " ".join(f"{found.gain(number):>8.2f}" for number in NUMBERS)
        print(
            f"  {step:>10} {found.work:>8.2f} {found.chain:>8.3f} {found.chain / found.work:>8.1%} {gains}", flush=True
        )
    total = watch.steps["total"]
    yield Result(f"{method}, {rows:,} rows: the longest chain of anonymize over all its work", total.chain / total.work)


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks chains", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", nargs="?", type=int, default=ROWS)
    parser.add_argument("methods", nargs="*", default=[METHOD])
    given = parser.parse_args(arguments)
    for method in given.methods:
        show("The longest chain", chains(given.rows, method))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
