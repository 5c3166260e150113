"""The gate: every request passes it, and every answer leaves by it with the headers that keep the page to itself.

A browser runs pages of strangers beside ours, which may send requests to any port of this machine. So a request must
name exactly our host (a name of theirs that leads here does not), come from our page (Origin, Sec-Fetch-Site), and, to
learn anything, show the key and the nonce of the one tab that was let in. There are no cookies, so nothing that a
stranger's page makes the browser send carries the key.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sfumato.studio.session import NotAllowedError, Session

#: What the page may load, run, frame and send: its own files only.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
#: Methods that the page uses, and those of them that browsers send without an Origin.
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE")
READING = ("GET", "HEAD")
#: Addresses below this prefix need the key, but for the one that gives it out.
LOCKED, EXCHANGE = "/api/", "/api/session"
#: The most bytes of a body that is not an upload: steps of a column that are read from a file can be long.
MOST_BODY = 32 * 2**20
#: The most bytes and seconds that those get who show no key.
MOST_UNLOCKED, PATIENCE = 100_000, 10.0
UPLOAD = "/api/upload"
#: Headers by which requests are let in: two of them would be read in two ways.
DECIDING = ("origin", "authorization", "x-tab", "sec-fetch-site", "sec-fetch-mode", "sec-fetch-dest")


class Gate:
    """Let requests through to an application only if they come from our page.

    Parameters
    ----------
    app
        The application.
    session
        Who may speak.
    hosts
        The values of the header Host that are ours, such as ``127.0.0.1:8765``.
    """

    def __init__(self, app: ASGIApp, session: Session, hosts: Iterable[str]) -> None:
        self._app = app
        self._session = session
        self._hosts = frozenset(hosts)
        self._origins = frozenset(f"http://{host}" for host in self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it; whatever goes wrong inside is not told to anybody."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        answer = _Answer(send)
        refused = self._refused(scope)
        if refused is not None:
            await answer.refuse(*refused)
            return
        try:
            patience = PATIENCE if scope["path"] == EXCHANGE else None
            await asyncio.wait_for(self._app(scope, _Limited(scope, receive), answer), patience)
        except Exception:
            # A traceback could show values of the table.
            await answer.refuse(500, "Unexpected")

    def _refused(self, scope: Scope) -> tuple[int, str] | None:
        """Say why a request is refused, if it is."""
        found = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        headers, names = dict(found), [name for name, _ in found]
        if names.count("host") != 1 or headers["host"] not in self._hosts:
            return 421, "host"
        if scope["method"] not in METHODS:
            return 405, "method"
        if any(names.count(name) > 1 for name in DECIDING) or not self._comes_from_us(scope, headers):
            return 403, "origin"
        return self._locked_out(headers) if _is_locked(scope["path"]) else None

    def _locked_out(self, headers: dict[str, str]) -> tuple[int, str] | None:
        key, nonce = headers.get("authorization", "").removeprefix("Bearer "), headers.get("x-tab", "")
        if self._session.closed.is_set():
            return 410, "closed"
        if self._session.allows(key, nonce):
            return None
        return (409, "open-elsewhere") if self._session.knows_key(key) else (401, "locked")

    def _comes_from_us(self, scope: Scope, headers: dict[str, str]) -> bool:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        if origin is not None and origin not in self._origins:
            return False
        if origin is None and scope["method"] not in READING:
            return False
        if site in {None, "same-origin"}:
            return True
        # The user may come to the page from anywhere: from the terminal, or from the file that opens it.
        navigates = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-dest") == "document"
        return scope["path"] == "/" and scope["method"] in READING and navigates


def _is_locked(path: str) -> bool:
    """Whether an address answers only those who have the key."""
    return path.startswith(LOCKED) and path != EXCHANGE


class _Limited:
    """Receives a body up to a limit; uploads have a limit of their own."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._receive = receive
        path = scope["path"]
        self._left = float("inf") if path == UPLOAD else MOST_BODY if _is_locked(path) else MOST_UNLOCKED

    async def __call__(self) -> Message:
        message = await self._receive()
        self._left -= len(message.get("body", b""))
        if self._left < 0:
            raise NotAllowedError("too-large")
        return message


class _Answer:
    """Sends an answer with our headers, whoever made it."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            message = {**message, "headers": _with_ours(message.get("headers", []))}
        await self._send(message)

    async def refuse(self, status: int, kind: str) -> None:
        """Send an error that says only its kind."""
        if self._begun:
            return
        body = json.dumps({"error": {"kind": kind}}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await self({"type": "http.response.start", "status": status, "headers": headers})
        await self({"type": "http.response.body", "body": body})


def _with_ours(headers: Sequence[Any]) -> list[tuple[bytes, bytes]]:
    ours = {name.encode(): value.encode() for name, value in HEADERS.items()}
    return [(name, value) for name, value in headers if name.lower() not in ours] + list(ours.items())
