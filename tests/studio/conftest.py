"""A session of the studio without a browser: its application in this process, and a worker that can be real or none."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from sfumato.io.temporary import TemporaryFolder
from sfumato.studio.app import create_app
from sfumato.studio.session import Session

HOST = "127.0.0.1:8765"
ORIGIN = f"http://{HOST}"
NONCE = "0123456789abcdef0123456789abcdef"


class NoWorker:
    """Takes questions and never answers."""

    busy = False
    pid = None

    def __init__(self, on_state: Callable[[str], None]) -> None:
        self.asked: list[tuple[str, Mapping[str, Any]]] = []
        self.answers: dict[str, Any] = {}

    def ask(self, name: str, question: Mapping[str, Any], hear: Callable[[dict[str, Any]], None]) -> int:
        self.asked.append((name, question))
        if name in self.answers:
            hear({"kind": "done", "value": self.answers[name]})
        return len(self.asked)

    def cancel(self, number: int) -> None: ...

    def close(self) -> None: ...


class Clock:
    """A clock that stands still until it is moved."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


class Client:
    """Sends requests to an application in this process, one at a time."""

    def __init__(self, app: Any) -> None:
        self._transport = httpx.ASGITransport(app, raise_app_exceptions=False)

    def request(self, method: str, path: str, **given: Any) -> httpx.Response:
        async def sent() -> httpx.Response:
            async with httpx.AsyncClient(transport=self._transport, base_url=ORIGIN) as client:
                return await client.request(method, path, **given)

        return asyncio.run(sent())

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self.request("GET", path, **given)

    def post(self, path: str, **given: Any) -> httpx.Response:
        return self.request("POST", path, **given)

    def put(self, path: str, **given: Any) -> httpx.Response:
        return self.request("PUT", path, **given)


class Studio:
    """A session, its application, and the headers of the tab that was let in."""

    def __init__(self, folder: TemporaryFolder) -> None:
        self.clock = Clock()
        self.session = Session(folder, worker=NoWorker, clock=self.clock)  # type: ignore[arg-type]
        self.client = Client(create_app(self.session, [HOST]))
        self.headers = {"origin": ORIGIN, "x-tab": NONCE, "sec-fetch-site": "same-origin"}

    def enter(self) -> Studio:
        token = self.session.token
        answer = self.client.post("/api/session", json={"token": token}, headers=self.headers)
        self.headers["authorization"] = f"Bearer {answer.json()['key']}"
        return self

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(path, headers=self.headers | headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.client.post(path, json={} if body is None else body, headers=self.headers | headers)

    def with_table(self, *roles: str) -> Studio:
        """Open a table of which the profile is known."""
        columns = [
            {"name": f"c{at}", "role": role, "certainty": "sure", "unique_share": 0.0} for at, role in enumerate(roles)
        ]
        self.session.open(Path("table.csv"), "table.csv")
        self.session.profiled(columns)
        return self


@pytest.fixture
def locked() -> Iterator[Studio]:
    """A studio that nobody has entered."""
    with TemporaryFolder() as folder:
        yield Studio(folder)


@pytest.fixture
def studio(locked: Studio) -> Studio:
    """A studio that one tab has entered."""
    return locked.enter()
