"""The application: the addresses of the studio, as a function of the session behind them."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import unicodedata
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp

from sfumato.errors import SfumatoError
from sfumato.studio.gate import Gate
from sfumato.studio.operations import OPERATIONS
from sfumato.studio.plan import Plan
from sfumato.studio.session import NotAllowedError, Notice, Session

STATIC = Path(__file__).parent / "static"
#: The types of our files, whatever the system's table says: it may call scripts plain text, which no browser runs.
TYPES = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
#: The most bytes of an uploaded file.
MOST_UPLOADED = 8 * 2**30
#: Endings that tell how a file is read; others are read as text.
ENDING = re.compile(r"(\.[A-Za-z0-9]{1,10}){1,2}$")
#: Lines of comments, and the indentation of others.
COMMENT = re.compile(r"^[ ]*(//.*\n|/\*\*.*\*/\n)?", re.MULTILINE)
#: Spaces that mean nothing in styles.
SPACE = re.compile(r"(?<=[{};:,])\s+|\s+(?=[{}])")
#: The examples, each made by the function of this name in `sfumato.datasets`.
EXAMPLES = ("census", "patients")
#: The status of a refusal by its kind; 409 for all others.
STATUS = {"token": 403, "ticket": 404, "no-job": 404, "too-large": 413, "stale": 412, "not-verified": 409}

Handler = Callable[[Request], Awaitable[Response]]


def create_app(session: Session, hosts: Iterable[str]) -> ASGIApp:
    """Make the application of a session.

    Parameters
    ----------
    session
        The state behind the page.
    hosts
        The values of the header Host that are ours.
    """
    routes = _Routes(session)
    listed = [
        ("/", routes.page, "GET"),
        ("/static/{name:path}", routes.static, "GET"),
        ("/download/{ticket}", routes.download, "GET"),
        ("/api/session", routes.exchange, "POST"),
        ("/api/state", routes.state, "GET"),
        ("/api/presence", routes.presence, "GET"),
        ("/api/tables", routes.open_table, "POST"),
        ("/api/upload", routes.upload, "PUT"),
        ("/api/policy", routes.policy, "GET"),
        ("/api/policy", routes.change, "POST"),
        ("/api/policy/open", routes.open_policy, "POST"),
        ("/api/policy/{step}", routes.step, "POST"),
        ("/api/rows", routes.rows, "GET"),
        ("/api/ask/{name}", routes.ask, "POST"),
        ("/api/jobs", routes.start, "POST"),
        ("/api/jobs/{number:int}/events", routes.events, "GET"),
        ("/api/jobs/{number:int}", routes.cancel, "DELETE"),
        ("/api/tickets", routes.ticket, "POST"),
        ("/api/close", routes.close, "POST"),
    ]
    app = Starlette(routes=[Route(path, _explained(do), methods=[method]) for path, do, method in listed])
    return Gate(app, session, hosts)


def _explained(handler: Handler) -> Handler:
    """Turn Sfumato's errors into answers that name their kind."""

    async def handle(request: Request) -> Response:
        try:
            return await handler(request)
        except NotAllowedError as error:
            return JSONResponse({"error": {"kind": error.kind}}, STATUS.get(error.kind, 409))
        except SfumatoError as error:
            return JSONResponse({"error": {"kind": type(error).__name__, "message": str(error)}}, 400)
        except Exception:
            # What it says may hold values of the table.
            return JSONResponse({"error": {"kind": "Unexpected"}}, 500)

    return handle


async def _body(request: Request) -> dict[str, Any]:
    """Read a request's JSON."""
    try:
        found = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError):
        raise NotAllowedError("json") from None
    if not isinstance(found, dict):
        raise NotAllowedError("json")
    return found


def _text(record: dict[str, Any], name: str, most: int = 1000) -> str:
    value = record.get(name)
    if not isinstance(value, str) or len(value) > most:
        raise NotAllowedError("json")
    return value


def shown_name(name: str) -> str:
    """Make the name of a file fit to be shown: no marks that turn the writing direction, no control characters.

    >>> shown_name("a/b\u202ecsv.exe")
    'bcsv.exe'
    """
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(sign for sign in last if unicodedata.category(sign) not in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
    return kept.strip()[:200] or "table"


class _Routes:
    """What each address answers."""

    def __init__(self, session: Session) -> None:
        self._session = session
        paths = [path for path in STATIC.rglob("*") if path.suffix in TYPES]
        self._files = {path.relative_to(STATIC).as_posix(): path for path in paths}

    # Files

    async def page(self, request: Request) -> Response:
        return _file(STATIC / "index.html")

    async def static(self, request: Request) -> Response:
        path = self._files.get(request.path_params["name"])
        return Response(status_code=404) if path is None else _file(path)

    async def download(self, request: Request) -> Response:
        name, path = self._session.redeem(request.path_params["ticket"])
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return FileResponse(path, media_type="application/octet-stream", headers=headers)

    # Who may speak

    async def exchange(self, request: Request) -> Response:
        token = _text(await _body(request), "token")
        return JSONResponse({"key": self._session.exchange(token, request.headers.get("x-tab", ""))})

    async def state(self, request: Request) -> Response:
        return JSONResponse(self._state())

    def _state(self) -> dict[str, Any]:
        session = self._session
        table, history = session.table, session.history
        return {
            "table": None if table is None else {"id": table.number, "name": table.name, "columns": session.columns},
            "given": None if session.given is None else shown_name(session.given.name),
            "examples": list(EXAMPLES),
            "policy": None if history is None else self._policy(),
            "made": None if session.made is None else self._made(),
            "worker": session.worker_state,
        }

    def _policy(self) -> dict[str, Any]:
        history = self._session.plans
        steps = {"undo": history.can_undo, "redo": history.can_redo}
        made = None if self._session.made is None else self._made()
        return {"plan": history.plan.to_dict(), "etag": history.etag, **steps, "made": made}

    def _made(self) -> dict[str, Any]:
        made = self._session.made or {}
        shown = {key: value for key, value in made.items() if key not in {"folder", "plan"}}
        found = {"stale": self._session.stale, "undecided": self._session.undecided}
        return {**shown, **found, "downloadable": self._session.downloadable}

    async def presence(self, request: Request) -> Response:
        if self._session.present:
            raise NotAllowedError("open-elsewhere")
        return _stream(self._session.presence())

    # The table

    async def open_table(self, request: Request) -> Response:
        given, session = await _body(request), self._session
        if given.get("given") and session.given is not None:
            session.open(session.given, shown_name(session.given.name))
        elif given.get("example") in EXAMPLES:
            path = session.folder.path / f"{given['example']}.csv"
            session.open(path, path.name, given["example"])
        else:
            raise NotAllowedError("no-table")
        return JSONResponse(self._state())

    async def upload(self, request: Request) -> Response:
        session = self._session
        name = shown_name(unquote(request.headers.get("x-name", ""), errors="replace"))
        ending = ENDING.search(name)
        folder = session.folder.new(f"upload-{secrets.token_hex(8)}")
        path = folder / f"table{ending.group() if ending else '.csv'}"
        try:
            await _received(request, path)
        except BaseException:
            path.unlink(missing_ok=True)
            folder.rmdir()
            raise
        session.open(path, name, keep=request.headers.get("x-keep") == "1")
        return JSONResponse(self._state())

    async def rows(self, request: Request) -> Response:
        numbers = [request.query_params.get("start", "0"), request.query_params.get("count", "50")]
        if not all(one.isascii() and one.isdigit() and len(one) < 12 for one in numbers):
            raise NotAllowedError("json")
        return await self._answered("rows", dict(zip(("start", "count"), map(int, numbers), strict=True)))

    # The plan

    async def policy(self, request: Request) -> Response:
        found = self._policy()
        return JSONResponse(found, headers={"etag": found["etag"]})

    async def change(self, request: Request) -> Response:
        self._session.change(await _body(request), request.headers.get("if-match", ""))
        return await self.policy(request)

    async def open_policy(self, request: Request) -> Response:
        """Put the plan in force that a policy file says."""
        session, etag = self._session, self._session.plans.etag
        last = await session.answer("policy_read", {"files": (await _body(request)).get("files")})
        if last["kind"] != "done":
            return JSONResponse({"error": last.get("error", {"kind": "cancelled"})}, 422)
        if etag != session.plans.etag:
            raise NotAllowedError("stale")
        session.plans.add(Plan.from_dict(last["value"]))
        return await self.policy(request)

    async def step(self, request: Request) -> Response:
        steps = {"undo": self._session.plans.undo, "redo": self._session.plans.redo}
        step = steps.get(request.path_params["step"])
        if step is None:
            return Response(status_code=404)
        step()
        return await self.policy(request)

    # Questions

    async def ask(self, request: Request) -> Response:
        return await self._answered(request.path_params["name"], await _body(request))

    async def _answered(self, name: str, args: dict[str, Any]) -> Response:
        last = await self._session.answer(_operation(name), args)
        if last["kind"] == "done":
            return JSONResponse({"value": last["value"]})
        return JSONResponse({"error": last.get("error", {"kind": "cancelled"})}, 422)

    async def start(self, request: Request) -> Response:
        given = await _body(request)
        args = given.get("args", {})
        if not isinstance(args, dict):
            raise NotAllowedError("json")
        return JSONResponse({"id": self._session.start(_operation(_text(given, "name")), args)})

    async def events(self, request: Request) -> Response:
        return _stream(self._session.stream(request.path_params["number"]).listen())

    async def cancel(self, request: Request) -> Response:
        number = request.path_params["number"]
        stream = self._session.stream(number)
        self._session.worker.cancel(number)
        async for _ in stream.listen():
            pass
        return Response(status_code=204)

    # The end

    async def ticket(self, request: Request) -> Response:
        return JSONResponse({"ticket": self._session.ticket(_text(await _body(request), "file"))})

    async def close(self, request: Request) -> Response:
        await run_in_threadpool(self._session.close)
        return Response(status_code=204)


def _operation(name: str) -> str:
    if name not in OPERATIONS:
        raise NotAllowedError("no-operation")
    return name


def _file(path: Path) -> Response:
    return Response(sent(path), media_type=f"{TYPES[path.suffix]}; charset=utf-8")


@cache
def sent(path: Path) -> bytes:
    """What is sent of a file of the page: our own scripts and styles without comments and spaces that mean nothing."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".css":
        text = SPACE.sub("", text).replace(";}", "}")
    elif path.suffix == ".js" and path.parent.name != "vendor":
        text = COMMENT.sub("", text)
    return text.encode()


async def _received(request: Request, path: Path) -> None:
    """Stream a body into a file, up to the limit."""
    left = MOST_UPLOADED
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        async for chunk in request.stream():
            left -= len(chunk)
            if left < 0:
                raise NotAllowedError("too-large")
            await run_in_threadpool(file.write, chunk)


def _stream(messages: AsyncIterator[Notice]) -> Response:
    async def lines() -> AsyncIterator[bytes]:
        async for message in messages:
            yield f"data: {json.dumps(message)}\n\n".encode()
            await asyncio.sleep(0)

    return StreamingResponse(lines(), media_type="text/event-stream")
