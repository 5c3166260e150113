"""Shares work among threads: the one way to use several processors; results never depend on the number of threads.

Threads help where the work releases the interpreter, as compiled kernels, Arrow and DuckDB do. A request hires one
`Crew`, and all of its work shares it, however deeply nested: whoever waits for a piece that nobody has begun does it
itself, and while another thread is busy with it, helps with the parts of that piece. So no more threads work than were
asked for, and none waits for work that nobody does.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from threading import Condition, Lock, Thread, Timer
from typing import Any, Generic, Self, TypeVar, cast, overload

import numpy as np
from numpy.typing import NDArray

from sfumato.common.processors import allowed_processors
from sfumato.errors import ParameterError

#: The least rows that a thread takes at a time, and into how many chunks rows are divided at most: each has its price.
CHUNK, MOST_CHUNKS = 1 << 15, 64

#: From how many rows on threads share the parts, and into how many stretches of neighbouring parts these are divided.
LONG, STRETCHES = 1 << 14, 64

#: The size in bytes from which on the memory of an array is given back when it is freed, and glibc's number for that.
LARGE_ARRAY, MMAP_THRESHOLD = 1 << 22, -3

#: How many stores of freed memory threads share, and glibc's number for that.
STORES, ARENA_MAX = 4, -8

#: The environment variable that says how many threads to use.
VARIABLE = "SFUMATO_THREADS"

#: The name of every thread begins with this.
NAME = "sfumato"

Piece = TypeVar("Piece")
Made = TypeVar("Made")


# What work uses


@contextmanager
def at_most(number: int | None = None) -> Iterator[None]:
    """Let the work of the block use so many threads, that of the caller included, and hold Arrow's own to it.

    Without a number, a block within another one shares its threads; the outermost takes what `usual_threads` says.
    """
    if number is None and _HERE.get() is not None:
        yield
        return
    crew = Crew(number or usual_threads())
    token = _HERE.set(Place(crew))
    try:
        with _arrow_within(crew.size):
            yield
    finally:
        _HERE.reset(token)
        crew.leave()


def how_many() -> int:
    """The number of threads that work here may use."""
    here = _HERE.get()
    return usual_threads() if here is None else here.crew.size


def usual_threads() -> int:
    """How many threads to use where nobody asks for a number: what the environment says, or one per processor."""
    asked = os.environ.get(VARIABLE, "").strip()
    if not asked:
        return allowed_processors()
    if not asked.isdecimal() or int(asked) < 1:
        raise ParameterError(f"The environment variable {VARIABLE} must be an integer of at least 1. Got {asked!r}.")
    return int(asked)


@contextmanager
def threads() -> Iterator[Beside]:
    """Do work beside that of the block; at the end of the block all of it is done.

    What work raises is raised where its result is asked for. If the block itself fails, or the user interrupts it,
    work that has not begun is dropped, and the error goes on once the threads are done with the rest.
    """
    with at_most():
        beside = Beside()
        try:
            yield beside
        except BaseException:
            drop(beside.jobs)
            raise
        for job in beside.jobs:
            job.finish()


def side_by_side(work: Callable[[Piece], Made], pieces: Iterable[Piece]) -> list[Made]:
    """Do work on all pieces, on several threads if there is more than one piece; results are in the pieces' order."""
    pieces = list(pieces)
    if len(pieces) <= 1:
        return [work(piece) for piece in pieces]
    with at_most():
        here = _here()
        jobs = [Job(here, work, piece) for piece in pieces]
        here.crew.add(jobs, at_once=True)
        try:
            return [job.result() for job in jobs]
        except BaseException:
            drop(jobs)
            raise


def in_order(work: Callable[[Piece], Made], pieces: Iterable[Piece], ahead: int | None = None) -> Iterator[Made]:
    """Yield the result for each piece, in their order.

    No more pieces are taken in advance than there are threads, or than ``ahead``; with a single thread, none.
    """
    hired = None if _HERE.get() is not None else Crew(usual_threads())
    place = _here() if hired is None else Place(hired)
    most = place.crew.size if ahead is None else ahead
    waiting: deque[Job[Made]] = deque()
    try:
        for piece in pieces:
            waiting.append(Job(place, work, piece))
            place.crew.add([waiting[-1]])
            if place.crew.size == 1 or len(waiting) > most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        drop(waiting)
        if hired is not None:
            hired.leave()


def in_chunks(rows: int, work: Callable[[int, int], object]) -> None:
    """Do work on stretches of rows on several threads."""
    length = max(CHUNK, -(-rows // MOST_CHUNKS))
    side_by_side(lambda stretch: work(*stretch), pairwise([*range(0, rows, length), rows]))


def on_stretches(parts: NDArray[np.int64], work: Callable[[NDArray[np.int64]], object]) -> None:
    """Do work on several threads on parts that lie one behind the other, given where each begins and the last ends.

    Neighbouring parts go to the same thread; no part is divided.
    """
    if len(parts) <= 2 or parts[-1] - parts[0] < LONG:
        work(parts)
        return
    wanted = np.linspace(parts[0], parts[-1], STRETCHES + 1)
    places = np.unique(np.searchsorted(parts, wanted)).tolist()
    side_by_side(lambda ends: work(parts[ends[0] : ends[1] + 1]), pairwise(places))


class shared_property(Generic[Made]):  # noqa: N801  named as other kinds of properties are
    """A property that is computed once, by all threads that ask for it meanwhile."""

    def __init__(self, work: Callable[[Any], Made]) -> None:
        self._work, self._name = work, work.__name__
        self._making = f"_making_{self._name}"
        self.__doc__ = work.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Made: ...
    def __get__(self, instance: object, owner: type) -> Made | Self:
        """Compute the value and keep it in place of the property."""
        if instance is None:
            return self
        here = _HERE.get()
        if here is None or here.crew.size == 1:
            return cast("Made", vars(instance).setdefault(self._name, self._work(instance)))
        return self._together(instance, here)

    def _together(self, instance: object, here: Place) -> Made:
        kept = vars(instance)
        with here.crew.asking:
            if self._name in kept:
                return cast("Made", kept[self._name])
            job, mine = kept.get(self._making), False
            if job is None or job.crew is not here.crew:
                job, mine = Job(here, self._work, instance), True
                here.crew.begin(job)
                kept[self._making] = job
        if not mine:
            return cast("Made", job.result())
        try:
            job.run()
            return cast("Made", kept.setdefault(self._name, job.result()))
        finally:
            kept.pop(self._making, None)


def in_background(work: Callable[..., object], *given: object) -> None:
    """Start work in the background, without waiting for a result; the program does not end before the work does."""
    Thread(target=work, args=given, name=f"{NAME}-background").start()


def while_running(work: Callable[..., object], *given: object, after: float = 0.0) -> None:
    """Start work beside the program, after some seconds; the program may end before the work does."""
    waiting = Timer(after, work, given)
    waiting.name, waiting.daemon = f"{NAME}-beside", True
    waiting.start()


# How it is done


class Job(Generic[Made]):
    """A piece of work, done once: by a helper, or by whoever asks for its result before one has begun."""

    __slots__ = ("_error", "_made", "_work", "begun", "crew", "done", "news", "parent", "parts")

    def __init__(self, place: Place, work: Callable[..., Made], *given: object) -> None:
        self.crew, self.parent = place.crew, place.job
        self._work: Callable[[], Made] | None = lambda: work(*given)
        self._made: Made | None = None
        self._error: BaseException | None = None
        self.begun = self.done = False
        self.parts: dict[Job[Any], None] = {}  # those that are not done, in their order
        self.news: Condition | None = None  # where threads wait for it, if any do

    def run(self) -> None:
        """Do the work, and keep its result or what it raised; only for the thread that has claimed it."""
        token = _HERE.set(Place(self.crew, self))  # kept no longer: what a job made may be large, and has to go with it
        try:
            assert self._work is not None
            self._made = self._work()
        except BaseException as error:
            self._error = error
            if isinstance(error, KeyboardInterrupt):
                raise
        finally:
            _HERE.reset(token)
            self._work = None  # it may hold tables
            self.crew.note(self)

    def finish(self) -> None:
        """Wait until the work is done, doing what is left of it."""
        if self.crew.claim(self):
            self.run()
        else:
            self.crew.help_with(self)

    def result(self) -> Made:
        """The result, or the error that the work raised."""
        self.finish()
        if self._error is not None:
            raise self._error
        return cast("Made", self._made)

    def free_part(self) -> Job[Any] | None:
        """Find a part, or a part of a part, that nobody has begun."""
        for part in self.parts:
            free = part.free_part() if part.begun else part
            if free is not None:
                return free
        return None


@dataclass(frozen=True)
class Place:
    """Where a thread is: with which crew it works, and on which of its jobs."""

    crew: Crew
    job: Job[Any] | None = None


_HERE: ContextVar[Place | None] = ContextVar("sfumato_threads", default=None)


def _here() -> Place:
    here = _HERE.get()
    assert here is not None
    return here


class Beside:
    """Takes work that is done beside that of a block."""

    def __init__(self) -> None:
        self.jobs: list[Job[Any]] = []

    def submit(self, work: Callable[..., Made], *given: object) -> Job[Made]:
        """Let another thread do the work; a single thread does it when its result is asked for."""
        place = _here()
        job = Job(place, work, *given)
        self.jobs.append(job)
        place.crew.add([job])
        return job


def drop(jobs: Iterable[Job[Any]]) -> None:
    """Drop the jobs that have not begun, and wait for the others."""
    begun = [job for job in jobs if not job.crew.claim(job)]
    for job in begun:
        job.crew.help_with(job)


class Crew:
    """The threads that share the work of a request: the one that asks for it, and helpers that start when needed."""

    def __init__(self, size: int) -> None:
        if size > 1:
            keep_little_freed_memory()
        self.size = size
        self.asking = Lock()  # held while a thread looks whether another one computes what it asks for
        self._lock = Lock()
        self._work = Condition(self._lock)
        self._waiting: deque[Job[Any]] = deque()
        self._helpers: list[Thread] = []
        self._idle = 0
        self._leaving = False

    def add(self, jobs: Sequence[Job[Any]], at_once: bool = False) -> None:
        """Offer jobs to the helpers, in their order; ``at_once`` puts them before all others."""
        if self.size == 1:
            return
        with self._lock:
            if at_once:
                self._waiting.extendleft(reversed(jobs))
            else:
                self._waiting.extend(jobs)
            above = jobs[0].parent
            if above is not None:
                above.parts.update(dict.fromkeys(jobs))
            with suppress(RuntimeError):  # the system allows no more threads; those that there are do the work
                for _ in range(min(len(self._waiting) - self._idle, self.size - 1 - len(self._helpers))):
                    self._helpers.append(self._started())
            # Only those who find something to do are woken: whoever wakes waits for the interpreter first.
            self._work.notify(len(jobs))
            while above is not None:
                if above.news is not None:
                    above.news.notify_all()
                above = above.parent

    def _started(self) -> Thread:
        helper = Thread(target=self._help, name=f"{NAME}-{len(self._helpers) + 1}", daemon=True)
        helper.start()
        return helper

    def begin(self, job: Job[Any]) -> None:
        """Note that whoever asks for a job does it at once, so that others may help with its parts."""
        with self._lock:
            job.begun = True
            if job.parent is not None:
                job.parent.parts[job] = None

    def claim(self, job: Job[Any]) -> bool:
        """Take a job that nobody has begun; False if it is too late."""
        with self._lock:
            return self._claimed(job)

    def _claimed(self, job: Job[Any]) -> bool:
        if job.begun:
            return False
        job.begun = True
        with suppress(ValueError):  # a single thread puts nothing there
            self._waiting.remove(job)
        return True

    def note(self, job: Job[Any]) -> None:
        """Note that a job is done."""
        with self._lock:
            job.done = True
            if job.parent is not None:
                job.parent.parts.pop(job, None)  # its result may be large
            if job.news is not None:
                job.news.notify_all()

    def help_with(self, job: Job[Any]) -> None:
        """Wait for a job that another thread does, and do parts of it meanwhile."""
        while (part := self._next_part(job)) is not None:
            part.run()
            del part  # what it made may be large, and the next may be long in coming

    def _next_part(self, job: Job[Any]) -> Job[Any] | None:
        """Claim the next part of a job; None once the job is done."""
        with self._lock:
            while not job.done:
                part = job.free_part()
                if part is not None:
                    self._claimed(part)
                    return part
                job.news = job.news or Condition(self._lock)
                job.news.wait()
            return None

    def _help(self) -> None:
        while (job := self._next()) is not None:
            with suppress(KeyboardInterrupt):  # whoever asks for the result raises it
                job.run()
            del job  # what it made may be large, and the next may be long in coming

    def _next(self) -> Job[Any] | None:
        """Claim the next job, waiting for one; None once the crew leaves."""
        with self._lock:
            self._idle += 1
            while not self._waiting and not self._leaving:
                self._work.wait()
            self._idle -= 1
            if not self._waiting:
                return None
            job = self._waiting.popleft()
            job.begun = True
            return job

    def leave(self) -> None:
        """Send the helpers home, once they are done."""
        with self._lock:
            self._leaving = True
            self._work.notify_all()
        for helper in self._helpers:
            helper.join()


# Arrow's own threads, and the memory that the C library keeps

_ARROW = Lock()
_ARROW_LIMITS: list[int] = []


@cache
def keep_little_freed_memory() -> None:
    """Have the C library return the memory of large arrays at once when they are freed, and share that of small ones.

    That of Linux by default keeps up to 32 MB of large arrays for every thread that had one, in case it needs them
    again, and smaller ones for every thread without end.
    """
    if sys.platform.startswith("linux"):
        with suppress(AttributeError, OSError):  # other C libraries have no such settings
            settings = ctypes.CDLL(None)
            settings.mallopt(MMAP_THRESHOLD, LARGE_ARRAY)
            settings.mallopt(ARENA_MAX, STORES)


@contextmanager
def _arrow_within(number: int) -> Iterator[None]:
    """Hold Arrow's computing threads to a number during a block; the lowest counts where several blocks overlap.

    They belong to the whole process, so a number that is lower already stays, and returns at the end.
    """
    import pyarrow as pa  # noqa: PLC0415

    with _ARROW:
        usual = _ARROW_LIMITS[0] if _ARROW_LIMITS else pa.cpu_count()
        if not _ARROW_LIMITS:
            _ARROW_LIMITS.append(usual)
        _ARROW_LIMITS.append(number)
        _hold_arrow()
    try:
        yield
    finally:
        with _ARROW:
            _ARROW_LIMITS.remove(number)
            _hold_arrow()
            if len(_ARROW_LIMITS) == 1:
                _ARROW_LIMITS.clear()


def _hold_arrow() -> None:
    import pyarrow as pa  # noqa: PLC0415

    if pa.cpu_count() != min(_ARROW_LIMITS):
        pa.set_cpu_count(min(_ARROW_LIMITS))
