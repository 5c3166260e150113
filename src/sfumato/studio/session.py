"""The session: who may speak to the server, the table, the history of the plan, running jobs, and files to download."""

from __future__ import annotations

import asyncio
import hmac
import itertools
import secrets
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.errors import ParameterError, SfumatoError
from sfumato.io.temporary import TemporaryFolder
from sfumato.studio.plan import Change, History, Plan
from sfumato.studio.worker import LAST, WorkerProcess

#: The seconds for which a ticket is good.
TICKET_SECONDS = 30.0
#: The seconds without a request after which everything is erased.
IDLE_SECONDS = 30 * 60.0
#: The seconds between signs of life on a stream.
HEARTBEAT = 5.0
#: From this share of unique rows on, a column is not called harmless without being asked about.
NEARLY_UNIQUE = 0.1
#: Operations that make releases, for which every role has to be decided.
DECIDED_ONLY = ("make", "frontier")
#: The most jobs whose messages are kept for a page that is loaded again.
MOST_JOBS = 50

#: Files to download with the names they get; all but the report and the release hold what only the owner may know.
FILES = {
    "release": "release.csv",
    "report": "report.html",
    "certificate": "certificate.json",
    "policy": "policy.toml",
}

Notice = dict[str, Any]


class NotAllowedError(SfumatoError):
    """The session does not allow this now; the kind says why, for the page."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True)
class TableShown:
    """The table of the session: its number, the name that the page shows, its file, and the example that it is."""

    number: int
    name: str
    path: Path = field(repr=False)
    example: str | None = None


@dataclass
class Stream:
    """The messages of a job: those so far, and a bell for those who wait for more."""

    heard: list[Notice] = field(default_factory=list)
    bell: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def over(self) -> bool:
        """Whether there will be no more."""
        return bool(self.heard) and self.heard[-1]["kind"] in LAST

    def add(self, message: Notice) -> None:
        """Add a message; progress replaces the progress before it."""
        if message["kind"] == "progress" and self.heard and self.heard[-1]["kind"] == "progress":
            self.heard[-1] = message
        else:
            self.heard.append(message)
        self.bell.set()

    async def listen(self) -> AsyncIterator[Notice]:
        """Yield the messages from the first to the last."""
        at, shown = 0, None
        while True:
            while at < len(self.heard):
                shown = self.heard[at]
                at += 1
                yield shown
            if self.over:
                return
            self.bell.clear()
            await self.bell.wait()
            # The last progress may have been replaced by a newer one.
            if shown is not None and shown["kind"] == "progress" and at and self.heard[at - 1] is not shown:
                at -= 1


class Session:
    """All that the server knows.

    Parameters
    ----------
    folder
        A private folder, for uploads and for files to download.
    given
        The file of the command line, if there is one.
    worker
        Makes the worker process.
    clock
        Tells the time in seconds.
    """

    def __init__(
        self,
        folder: TemporaryFolder,
        given: Path | None = None,
        worker: Callable[[Callable[[str], None]], WorkerProcess] = WorkerProcess,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder = folder
        self.given = given
        self.token: str | None = secrets.token_urlsafe(32)
        self._key: str | None = None
        self._nonce: str | None = None
        self._clock = clock
        self.active = clock()
        self.closed = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.table: TableShown | None = None
        self.columns: list[dict[str, Any]] = []
        self.history: History | None = None
        self._before: tuple[list[str], Plan] | None = None
        self.made: dict[str, Any] | None = None
        self._numbers = itertools.count(1)
        self._streams: dict[int, Stream] = {}
        self._tickets: dict[str, tuple[float, str]] = {}
        self.present = 0
        self._listeners: set[asyncio.Queue[Notice]] = set()
        self.worker_state = "starting"
        self.worker = worker(self._worker_is)

    # Who may speak

    def exchange(self, token: str, nonce: str) -> str:
        """Exchange the token for a key, once; from then on the key is good together with this nonce only."""
        if self.token is None or not _same(token, self.token) or len(nonce) < 16:
            raise NotAllowedError("token")
        self.token = None
        self._key, self._nonce = secrets.token_urlsafe(32), nonce
        return self._key

    def allows(self, key: str, nonce: str) -> bool:
        """Whether a request comes from the tab that exchanged the token."""
        if self._key is None or self._nonce is None or self.closed.is_set():
            return False
        allowed = _same(key, self._key) & _same(nonce, self._nonce)
        if allowed:
            self.active = self._clock()
        return allowed

    def knows_key(self, key: str) -> bool:
        """Whether a key is right, though the tab may be another one."""
        return self._key is not None and _same(key, self._key)

    @property
    def idle(self) -> bool:
        """Whether nobody has asked anything for a long time, and nothing is running."""
        return self._clock() - self.active > IDLE_SECONDS and not self.worker.busy

    # The table and the plan

    def open(self, path: Path, name: str, example: str | None = None, keep: bool = False) -> TableShown:
        """Put another table in place of the present one; the worker makes examples up.

        Parameters
        ----------
        path, name, example
            The file, the name that the page shows, and the example that it is.
        keep
            Whether the plan is kept if the table has the same columns.
        """
        self._before = (self._names, self.history.plan) if keep and self.history is not None else None
        for number, stream in self._streams.items():
            if not stream.over:
                self.worker.cancel(number)
        self.table = TableShown(next(self._numbers), name, path, example)
        self.columns, self.history, self.made = [], None, None
        self._tickets.clear()
        return self.table

    def profiled(self, columns: list[dict[str, Any]]) -> None:
        """Begin the history of the plan with what the profile suggests."""
        self.columns = columns
        if self.history is not None:
            return
        plan = Plan.of_profile(columns)
        if self._before is not None and self._before[0] == self._names:
            plan = self._before[1].for_next_table()
        elif self._before is not None:
            self.tell({"kind": "other-columns"})
        self.history = History(plan)

    @property
    def _names(self) -> list[str]:
        return [one["name"] for one in self.columns]

    @property
    def plans(self) -> History:
        """The history of the plan."""
        if self.history is None:
            raise NotAllowedError("no-table")
        return self.history

    def change(self, change: Change, etag: str) -> None:
        """Change the plan, if the page has seen the one in force."""
        if etag != self.plans.etag:
            raise NotAllowedError("stale")
        said = dict(change)
        if self._is_telling(said) and said.pop("sure", False) is not True:
            raise NotAllowedError("telling")
        said.pop("sure", None)
        self.plans.add(self.plans.plan.changed(said))

    def _is_telling(self, change: Change) -> bool:
        """Whether a change would release a column as it is though many rows are alone with their value in it."""
        column = change.get("column")
        if change.get("change") != "role" or change.get("role") != "plain" or not isinstance(column, int):
            return False
        found = self.columns[column : column + 1] if column >= 0 else []
        return any(one["unique_share"] >= NEARLY_UNIQUE for one in found)

    # Questions

    def question(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Add to a question what the worker needs to answer it from nothing."""
        if self.table is None:
            raise NotAllowedError("no-table")
        plan = None if self.history is None else self.history.plan.to_dict()
        table = {"path": str(self.table.path), "name": self.table.name, "example": self.table.example}
        return {**table, "plan": plan, "args": args, "folder": str(self.folder.path)}

    def start(self, name: str, args: Mapping[str, Any]) -> int:
        """Start a job; its messages are kept until the page has heard them."""
        stream, loop = Stream(), asyncio.get_running_loop()
        question = self.question(args)
        if name in DECIDED_ONLY and self.plans.plan.unsure:
            raise NotAllowedError("undecided")
        plan, table = None if self.history is None else release_plan(self.history.plan), self.table

        def hear(message: Notice) -> None:
            loop.call_soon_threadsafe(self._hear, stream, name, plan, table, message)

        number = self.worker.ask(name, question, hear)
        self._streams[number] = stream
        for old in [one for one, other in self._streams.items() if other.over][:-MOST_JOBS]:
            del self._streams[old]
        return number

    def _hear(self, stream: Stream, name: str, plan: Plan | None, table: TableShown | None, message: Notice) -> None:
        if table is self.table:
            if message["kind"] == "done" and name == "profile":
                self.profiled(message["value"]["columns"])
            elif message["kind"] == "message" and name == "make":
                self.made = {**message["value"], "plan": plan}
        stream.add(message)

    def stream(self, number: int) -> Stream:
        """The messages of a job."""
        if number not in self._streams:
            raise NotAllowedError("no-job")
        return self._streams[number]

    async def answer(self, name: str, args: Mapping[str, Any]) -> Notice:
        """Ask an operation and wait for its last message."""
        last: Notice = {"kind": "cancelled"}
        async for message in self.stream(self.start(name, args)).listen():
            last = message
        return last

    # What is worth knowing at once

    def _worker_is(self, state: str) -> None:
        """Tell the page about the worker; called from its threads."""
        self.worker_state = state
        self._tell_from_thread({"kind": "worker", "state": state})

    def _tell_from_thread(self, notice: Notice) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.tell, notice)

    def tell(self, notice: Notice) -> None:
        """Tell the page something that it did not ask."""
        for queue in self._listeners:
            queue.put_nowait(notice)

    async def presence(self) -> AsyncIterator[Notice]:
        """Yield notices while the page is open, and signs of life."""
        self._loop = asyncio.get_running_loop()
        queue: asyncio.Queue[Notice] = asyncio.Queue()
        self.present += 1
        self._listeners.add(queue)
        try:
            yield {"kind": "worker", "state": self.worker_state}
            while not self.closed.is_set():
                try:
                    yield await asyncio.wait_for(queue.get(), HEARTBEAT)
                except TimeoutError:
                    yield {"kind": "alive"}
        finally:
            self._listeners.discard(queue)
            self.present -= 1

    # Files

    @property
    def downloadable(self) -> bool:
        """Whether the last release is verified, follows from the plan in force, and left nothing to decide."""
        made = self.made
        return bool(
            made and not self.stale and made["verified"] and made["state"] in {"green", "amber"} and not self.undecided
        )

    @property
    def undecided(self) -> list[str]:
        """The open concerns of page one about which the user has not decided."""
        decided = () if self.history is None else self.history.plan.decided
        return [one for one in (self.made or {}).get("open", []) if one not in decided]

    @property
    def stale(self) -> bool:
        """Whether the last release follows from another plan than the one in force; decisions do not change it."""
        return self.made is None or self.history is None or self.made["plan"] != release_plan(self.history.plan)

    def ticket(self, file: str) -> str:
        """Give out a ticket for one download of a file of a verified release."""
        if file not in FILES:
            raise ParameterError("There is no such file to download.")
        if not self.downloadable or self.made is None or file not in self.made["files"]:
            raise NotAllowedError("not-verified")
        self._tickets = {one: until for one, until in self._tickets.items() if until[0] >= self._clock()}
        ticket = secrets.token_urlsafe(32)
        self._tickets[ticket] = (self._clock() + TICKET_SECONDS, file)
        return ticket

    def redeem(self, ticket: str) -> tuple[str, Path]:
        """Take a ticket back for the name and the path of its file."""
        until, file = self._tickets.pop(ticket, (float("-inf"), ""))
        if self._clock() > until or not self.downloadable:
            raise NotAllowedError("ticket")
        assert self.made is not None
        return FILES[file], self.folder.path / self.made["folder"] / FILES[file]

    def close(self) -> None:
        """Erase everything: memory, files and the worker."""
        if self.closed.is_set():
            return
        self._key = self._nonce = self.token = None
        self.worker.close()
        self.table, self.history, self.made, self.columns = None, None, None, []
        self._streams.clear()
        self._tickets.clear()
        self.folder.close()
        self.closed.set()
        self._tell_from_thread({"kind": "closed"})


def release_plan(plan: Plan) -> Plan:
    """What a release follows from: all but the decisions about it."""
    return replace(plan, decided=())


def _same(given: str, secret: str) -> bool:
    """Compare in a time that says nothing about where the two differ."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())
