"""Start the studio: a server on this machine only, and a browser that finds it by a file of the user's own."""

from __future__ import annotations

import asyncio
import html
import logging
import os
import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from sfumato.errors import MissingExtraError, ParameterError
from sfumato.io.temporary import TemporaryFolder
from sfumato.studio.session import Session

#: The only address that is served: this machine.
HERE = "127.0.0.1"
#: The seconds between looks at whether anybody is still there.
WATCH = 0.5
#: The seconds within which a request has to say what it wants, and the most files and connections at a time.
PATIENCE, MOST_FILES = 10.0, 65_536
#: The page that sends the browser on; its name and its place say nothing.
OPENING = "open.html"

REDIRECT = """<!doctype html>
<meta charset="utf-8"><meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url={address}"><title>Sfumato</title>
<p><a href="{address}">Sfumato</a></p>
"""


def require_extra() -> None:
    """Refuse to start without the libraries of the extra, and name the line that installs them."""
    try:
        import starlette  # noqa: F401, PLC0415
        import uvicorn  # noqa: F401, PLC0415
    except ImportError:
        raise MissingExtraError("The studio", "studio") from None


def serve(given: Path | None, port: int, opens: bool, say: Callable[[str], None]) -> None:
    """Serve the studio until the user closes it, interrupts it, or has been away for half an hour.

    Parameters
    ----------
    given
        The table to offer first, if any.
    port
        The port; 0 for a random one.
    opens
        Whether to open a browser; otherwise the address is said.
    say
        Says something to the user.
    """
    require_extra()
    take_connections()
    listening = listen(port)
    with TemporaryFolder() as folder, listening:
        asyncio.run(_served(given, listening, folder, opens, say))


def take_connections() -> None:
    """Let the server hold as many connections as the system allows, so that a stranger's do not use them up."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - not on Windows

        least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        enough = MOST_FILES if most == resource.RLIM_INFINITY else min(most, MOST_FILES)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(least, enough), most))


def listen(port: int) -> socket.socket:
    """Listen on this machine only."""
    try:
        listening = socket.create_server((HERE, port))
    except OSError as error:
        raise ParameterError(f"Port {port} cannot be used: {error.strerror}. Name another --port, or none.") from None
    # asyncio sends at once only on sockets that name their protocol; on others each answer waits 40 ms for the browser.
    return socket.socket(listening.family, listening.type, socket.IPPROTO_TCP, fileno=listening.detach())


async def _served(
    given: Path | None, listening: socket.socket, folder: TemporaryFolder, opens: bool, say: Callable[[str], None]
) -> None:
    import uvicorn  # noqa: PLC0415

    from sfumato.studio.app import create_app  # noqa: PLC0415

    _silence()
    host = f"{HERE}:{listening.getsockname()[1]}"
    session = Session(folder, given)
    config = uvicorn.Config(
        create_app(session, [host]),
        log_config=None,
        access_log=False,
        server_header=False,
        http=_impatient(),
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    watching = asyncio.create_task(_watch(session, server))
    address = f"http://{host}/#{session.token}"
    try:
        if opens:
            open_browser(address, folder.path)
            say(f"The studio is open in your browser, at port {host.rpartition(':')[2]}. Ctrl+C ends it.")
        else:
            say(f"Open {address}\nIt works once, on this machine. Ctrl+C ends the studio.")
        await server.serve(sockets=[listening])
    finally:
        watching.cancel()
        session.close()


def _impatient() -> type:
    """Make the protocol of a server that hangs up on whoever does not say in time what they want."""
    import h11  # noqa: PLC0415
    from uvicorn.protocols.http.h11_impl import H11Protocol  # noqa: PLC0415

    class Impatient(H11Protocol):
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._look_later()

        def _look_later(self) -> None:
            self.loop.call_later(PATIENCE, self._look)

        def _look(self) -> None:
            if self.transport.is_closing():
                return
            begun = self.cycle is None or bool(self.conn.trailing_data[0])
            if begun and self.conn.their_state is h11.IDLE:
                self.transport.close()
            else:
                self._look_later()

    return Impatient


async def _watch(session: Session, server: Any) -> None:
    """End the server when the session is closed or has been idle for too long."""
    while not session.closed.is_set():
        await asyncio.sleep(WATCH)
        if session.idle:
            session.close()
    server.should_exit = True


def open_browser(address: str, folder: Path, opener: Callable[[str], object] = webbrowser.open) -> Path:
    """Open a browser at an address that other users must not see.

    Whoever lists processes sees their arguments, so the browser gets the path of a file, which only the user can read.
    """
    path = folder / OPENING
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(REDIRECT.format(address=html.escape(address)))
    opener(path.as_uri())
    return path


def _silence() -> None:
    """Keep the server's own log off the terminal: a traceback may show values."""
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "asyncio"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [logging.NullHandler()]
        logger.propagate = False
