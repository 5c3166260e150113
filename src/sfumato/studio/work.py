"""What runs in the worker process: it takes questions from a pipe, answers each in a thread, and warms up meanwhile."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sfumato.common.threads import while_running

#: Operations that go on by themselves, and let others go first between two of their values.
PATIENT = ("frontier", "contributions", "warm")
#: The seconds between looks at whether others are done.
LOOK = 0.02

#: Messages to the server: the number of the job, what kind, and plain values.
Message = tuple[int, str, Any]


class Cancelled(BaseException):
    """Raised where an operation reports progress after the user cancelled it."""


class Desk:
    """Answers questions, each in a thread of its own.

    Parameters
    ----------
    connection
        The pipe to the server.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._sending = threading.Lock()
        self._cancelled: set[int] = set()
        self._waited_for: set[int] = set()
        self._held: dict[str, Any] = {}

    def serve(self) -> None:
        """Answer questions until the server closes the pipe."""
        while True:
            try:
                kind, job, *rest = self._connection.recv()
            except (EOFError, OSError):
                return
            if kind == "cancel":
                self._cancelled.add(job)
            else:
                while_running(self._answer, job, *rest)

    def _send(self, job: int, kind: str, value: Any) -> None:
        with self._sending:
            self._connection.send((job, kind, value))

    def _answer(self, job: int, name: str, question: Mapping[str, Any]) -> None:
        """Answer one question; whatever goes wrong becomes a message."""
        from sfumato.studio.desk import error_record  # noqa: PLC0415

        at = ["reading"]

        def tell(stage: str, share: float) -> None:
            if job in self._cancelled:
                raise Cancelled
            at[0] = stage
            self._send(job, "progress", {"stage": stage, "share": float(share)})

        if name not in PATIENT:
            self._waited_for.add(job)
        try:
            self._send(job, "done", self._run(job, name, question, tell))
        except Cancelled:
            self._send(job, "cancelled", None)
        except BaseException as error:
            self._send(job, "failed", error_record(error, at[0], question["path"], question["name"]))
        finally:
            self._waited_for.discard(job)
            self._cancelled.discard(job)

    def _run(self, job: int, name: str, question: Mapping[str, Any], tell: Any) -> Any:
        from sfumato.studio.desk import Bench, Held  # noqa: PLC0415
        from sfumato.studio.operations import find  # noqa: PLC0415
        from sfumato.studio.plan import Plan  # noqa: PLC0415

        path = question["path"]
        if path not in self._held:
            self._held = {path: Held(Path(path), question["name"], question["example"])}
        plan = Plan.from_dict(question["plan"]) if question["plan"] else Plan(())
        bench = Bench(self._held[path], plan, question["args"], tell, Path(question["folder"]))
        found = find(name)(bench)
        if not isinstance(found, Iterator):
            return found
        for value in found:
            self._send(job, "message", value)
            while job not in self._cancelled and name in PATIENT and self._waited_for:
                time.sleep(LOOK)
            if job in self._cancelled:
                raise Cancelled
        return None


def run(connection: Connection) -> None:
    """Run the worker process until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt is for the server, which ends its worker
    # Nothing that a library prints about a table may reach a terminal or a log.
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(null, stream)
    sys.excepthook = lambda *_: None
    threading.excepthook = lambda *_: None
    Desk(connection).serve()
    os._exit(0)
