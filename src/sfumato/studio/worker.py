"""The worker as the server sees it: a process that answers questions, can be killed at any time, and comes back."""

from __future__ import annotations

import itertools
import multiprocessing
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from sfumato.common.threads import while_running
from sfumato.studio import work

#: The seconds that a cancelled job may take to notice; then the process is killed.
PATIENCE = 0.15
#: Kinds of messages after which a job is over.
LAST = ("done", "failed", "cancelled")

Hear = Callable[[dict[str, Any]], None]


@dataclass
class RunningJob:
    """A question that was asked, and all that was heard about it.

    Attributes
    ----------
    number
        Its number.
    name
        The operation.
    heard
        The messages so far; only the last of a row of progress messages is kept.
    stage
        What it is at.
    """

    number: int
    name: str
    question: Mapping[str, Any] = field(repr=False)
    hear: Hear = field(repr=False)
    stage: str = "starting"
    cancelling: bool = False


class WorkerProcess:
    """One warm process that holds the table.

    It is started at once, so that it is warm when the first question comes, and again whenever it was killed.

    Parameters
    ----------
    on_state
        Called with ``"restarted"`` or ``"died"`` when that happens, from another thread.
    """

    def __init__(self, on_state: Callable[[str], None] = lambda _: None) -> None:
        self._on_state = on_state
        self._lock = threading.RLock()
        self._numbers = itertools.count(1)
        self._jobs: dict[int, RunningJob] = {}
        self._closed = False
        self._start()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    @property
    def busy(self) -> bool:
        """Whether a job is running."""
        return bool(self._jobs)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        self._connection = here
        self._process = context.Process(target=work.run, args=(there,), daemon=True, name="sfumato-studio-worker")
        self._process.start()
        there.close()
        while_running(self._listen, here, self._process)

    def ask(self, name: str, question: Mapping[str, Any], hear: Hear) -> int:
        """Ask an operation; ``hear`` gets its messages from another thread. Returns the number of the job."""
        with self._lock:
            job = RunningJob(next(self._numbers), name, question, hear)
            self._jobs[job.number] = job
            self._send(job)
            return job.number

    def _send(self, job: RunningJob) -> None:
        with suppress(OSError, ValueError):  # the process has just died, which the listener hears too
            self._connection.send(("run", job.number, job.name, job.question))

    def cancel(self, number: int) -> None:
        """Cancel a job: politely, and by killing the process if the job does not notice."""
        with self._lock:
            job = self._jobs.get(number)
            if job is None or job.cancelling:
                return
            job.cancelling = True
            with suppress(OSError, ValueError):
                self._connection.send(("cancel", number))
        while_running(self._kill_for, number, after=PATIENCE)

    def _kill_for(self, number: int) -> None:
        """Kill the process because of a job that did not end; those that nobody cancelled begin again in a new one."""
        with self._lock:
            if number not in self._jobs or self._closed:
                return
            gone = [job for job in self._jobs.values() if job.cancelling]
            self._jobs = {job.number: job for job in self._jobs.values() if not job.cancelling}
            self._end()
            self._start()
            for other in self._jobs.values():
                self._send(other)
        for job in gone:
            job.hear({"kind": "cancelled"})
        self._on_state("restarted")

    def _end(self) -> None:
        process, connection = self._process, self._connection
        self._connection = self._process = None  # type: ignore[assignment]
        process.kill()
        with suppress(OSError):
            connection.close()

    def _listen(self, connection: Connection, process: Any) -> None:
        """Pass messages on until the pipe ends."""
        while True:
            try:
                number, kind, value = connection.recv()
            except (EOFError, OSError, TypeError):
                break
            self._heard(number, kind, value)
        with self._lock:
            if self._closed or connection is not self._connection:
                return
            process.join(5)
            lost = [job for job in self._jobs.values() if not job.cancelling]
            gone = [job for job in self._jobs.values() if job.cancelling]
            self._jobs.clear()
            time.sleep(0.05)
            self._start()
        for job in gone:
            job.hear({"kind": "cancelled"})
        for job in lost:
            kind = "OutOfMemory" if process.exitcode == -9 else "WorkerDied"
            job.hear({"kind": "failed", "error": {"kind": kind, "message": "", "stage": job.stage}})
        self._on_state("died")

    def _heard(self, number: int, kind: str, value: Any) -> None:
        with self._lock:
            job = self._jobs.get(number)
            if job is None:
                return
            if kind in LAST:
                del self._jobs[number]
            if kind == "progress":
                job.stage = value["stage"]
        if kind == "progress":
            job.hear({"kind": kind, **value})
        elif kind == "failed":
            job.hear({"kind": kind, "error": value})
        else:
            job.hear({"kind": kind, "value": value} if kind != "cancelled" else {"kind": kind})

    def close(self) -> None:
        """Kill the process for good."""
        with self._lock:
            self._closed = True
            process = self._process
            jobs, self._jobs = list(self._jobs.values()), {}
            self._end()
        process.join(5)
        for job in jobs:
            job.hear({"kind": "cancelled"})
