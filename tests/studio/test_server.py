"""The studio as a program: where it listens, how a browser finds it, what it leaves behind, and what it survives."""

from __future__ import annotations

import concurrent.futures
import contextlib
import http.client
import json
import os
import random
import re
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sfumato.errors import MissingExtraError, ParameterError
from sfumato.io.temporary import remove_left_folders
from sfumato.studio import server
from sfumato.studio.session import Session

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#([\w-]+)")


class Running:
    """A studio in a process of its own."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder
        environment = {**os.environ, "TMPDIR": str(folder)}
        command = [sys.executable, "-m", "sfumato", "studio", "--no-open", *arguments]
        self.process = subprocess.Popen(
            command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        found = ADDRESS.search(line)
        if found is None:
            self.process.kill()
            pytest.fail(line + self.process.stderr.read())
        self.port, self.token = int(found[1]), found[2]
        self.headers = {"origin": f"http://127.0.0.1:{self.port}", "x-tab": "0" * 32}

    def send(self, method: str, path: str, body: Any = None, timeout: float = 30, **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, self.headers | headers)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def enter(self) -> Running:
        status, body = self.send("POST", "/api/session", {"token": self.token})
        assert status == 200
        self.headers["authorization"] = f"Bearer {json.loads(body)['key']}"
        return self

    def workers(self) -> list[int]:
        """Return the processes that it started."""
        found = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if int(fields[1]) == self.process.pid and fields[0] != "Z":
                found.append(int(path.parent.name))
        return found

    def left(self) -> list[Path]:
        """Return its folders."""
        return [path for path in self.folder.iterdir() if path.name.startswith("sfumato-")]

    def end(self, number: int = signal.SIGTERM) -> str:
        if self.process.poll() is None:
            self.process.send_signal(number)
        out, err = self.process.communicate(timeout=30)
        return out + err


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Running]:
    studio = Running(tmp_path)
    yield studio
    studio.end(signal.SIGKILL)


def gone(pids: list[int], seconds: float = 10) -> bool:
    """Whether processes end within some seconds."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return True
        time.sleep(0.05)
    return False


def test_it_listens_on_this_machine_only_on_a_random_port(running: Running, tmp_path: Path) -> None:
    assert running.send("GET", "/")[0] == 200
    other = Running(tmp_path)
    try:
        assert other.port != running.port
    finally:
        other.end()
    addresses = [line.split()[1] for line in Path("/proc/net/tcp").read_text(encoding="utf-8").splitlines()[1:]]
    ours = [one for one in addresses if one.endswith(f":{running.port:04X}")]
    assert ours
    assert all(one.startswith("0100007F:") for one in ours), "only 127.0.0.1"
    listening6 = Path("/proc/net/tcp6").read_text(encoding="utf-8") if Path("/proc/net/tcp6").exists() else ""
    assert f":{running.port:04X} " not in listening6


def test_the_address_is_in_no_argument_of_a_process(running: Running) -> None:
    for pid in [running.process.pid, *running.workers()]:
        for name in ("cmdline", "environ"):
            assert running.token.encode() not in Path(f"/proc/{pid}/{name}").read_bytes()


def test_a_browser_gets_the_address_by_a_file_of_mode_0600(tmp_path: Path) -> None:
    opened: list[str] = []
    path = server.open_browser('http://127.0.0.1:1/#secret&"<', tmp_path, opened.append)
    assert opened == [path.as_uri()]
    assert "secret" not in opened[0]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert 'url=http://127.0.0.1:1/#secret&amp;&quot;&lt;"' in path.read_text(encoding="utf-8")
    with pytest.raises(FileExistsError):
        server.open_browser("http://127.0.0.1:1/#other", tmp_path, opened.append)


def test_a_port_that_is_taken_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(ParameterError, match="Name another --port"):
        server.listen(taken.getsockname()[1])


def test_without_the_extra_the_line_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(MissingExtraError, match=re.escape("pip install 'sfumato[studio]'")):
        server.require_extra()


def test_a_wrong_file_is_an_error() -> None:
    command = [sys.executable, "-m", "sfumato", "studio", "--no-open", "nowhere.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3
    assert "There is no file nowhere.csv" in done.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_leaves_nothing(running: Running, how: int) -> None:
    running.enter()
    workers = running.workers()
    assert workers
    assert running.send("PUT", "/api/upload", "age", **{"x-name": "people.csv"})[0] == 200
    assert list(running.left()[0].rglob("table.csv"))
    printed = running.end(how)
    assert running.left() == []
    assert gone(workers)
    assert "Traceback" not in printed
    assert "age" not in printed


def test_close_and_erase_ends_the_program(running: Running) -> None:
    running.enter()
    workers = running.workers()
    assert running.send("POST", "/api/close", {})[0] == 204
    assert running.process.wait(10) == 0
    assert running.left() == []
    assert gone(workers)


def test_a_killed_server_leaves_nothing_readable_after_the_next_start(running: Running, tmp_path: Path) -> None:
    running.enter()
    workers = running.workers()
    running.send("PUT", "/api/upload", "name,age", **{"x-name": "people.csv"})
    running.end(signal.SIGKILL)
    assert gone(workers), "a worker ends with its server"
    [left] = running.left()
    assert stat.S_IMODE(left.stat().st_mode) == 0o700
    after = Running(tmp_path)
    try:
        assert left not in running.left()
    finally:
        after.end()
    assert running.left() == []
    assert remove_left_folders(tmp_path) == []


def test_an_idle_studio_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr("sfumato.studio.session.IDLE_SECONDS", 1.0)
    said: list[str] = []
    begun = time.monotonic()
    too_long = threading.Timer(30, signal.raise_signal, [signal.SIGINT])  # so that the test fails, and does not hang
    too_long.start()
    with contextlib.suppress(KeyboardInterrupt):
        server.serve(None, 0, opens=False, say=said.append)
    too_long.cancel()
    assert 1.0 <= time.monotonic() - begun < 30
    assert "#" in said[0]
    assert list(tmp_path.iterdir()) == []


def test_whoever_does_not_say_what_they_want_is_hung_up_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(server, "PATIENCE", 0.5)
    monkeypatch.setattr("sfumato.studio.session.IDLE_SECONDS", 6.0)
    heard: dict[str, object] = {}

    def visit(said: str) -> None:
        found = ADDRESS.search(said)
        assert found is not None
        port = int(found[1])
        with socket.create_connection(("127.0.0.1", port), timeout=5) as half:
            half.sendall(b"GET / HTTP/1.1\r\nHost: 127")
            begun = time.monotonic()
            heard["half"] = half.recv(10), time.monotonic() - begun < 4
        with socket.create_connection(("127.0.0.1", port), timeout=5) as whole:
            # What was asked in full is answered, and what follows in halves is not waited for.
            whole.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\nGET".encode())
            parts = list(iter(lambda: whole.recv(10_000), b""))
            heard["whole"] = b"".join(parts)[:15]

    with concurrent.futures.ThreadPoolExecutor(1) as visitor:
        visits: list[concurrent.futures.Future[None]] = []
        server.serve(None, 0, opens=False, say=lambda said: visits.append(visitor.submit(visit, said)))
        visits[0].result(timeout=1)
    assert heard == {"half": (b"", True), "whole": b"HTTP/1.1 200 OK"}


# Hostile requests

LINES = [
    b"GET / HTTP/1.1\r\nHost: {host}\r\n" + b"X: y\r\n" * 5000 + b"\r\n",
    b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\nHost: evil\r\n\r\n",
    b"POST /api/session HTTP/1.1\r\nHost: {host}\r\nContent-Length: 99999999999\r\n\r\n{}",
    b"POST /api/session HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\n",
    b"PUT /api/upload HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\n\r\nabc",
    b"\x00\x01\x02\x16\x03\x01",
    b"GET http://evil.example/ HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET /static/..%2f..%2f..%2fetc%2fpasswd HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET /api/jobs/99999999999999999999999/events HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"GET / HTTP/1.1\r\n",
    b"",
]


def hostile(port: int, seed: int) -> None:
    """Send a bad request and go away, sometimes before the answer."""
    draw = random.Random(seed)
    line = LINES[seed % len(LINES)].replace(b"{host}", f"127.0.0.1:{port}".encode())
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.settimeout(2)
        try:
            connection.sendall(line)
            if draw.random() < 0.5:
                connection.recv(1000)
        except OSError:
            pass


def test_fifty_clients_and_a_thousand_hostile_requests_leave_it_serving(running: Running) -> None:
    running.enter()
    worker = running.workers()
    with concurrent.futures.ThreadPoolExecutor(50) as clients:
        bad = [clients.submit(hostile, running.port, seed) for seed in range(1000)]
        good = [clients.submit(running.send, "GET", "/api/state") for _ in range(200)]
        strangers = [
            clients.submit(running.send, "GET", "/api/state", None, 30, **{"x-tab": "1" * 32}) for _ in range(100)
        ]
        for one in bad:
            one.result(timeout=120)
        assert {one.result(timeout=120)[0] for one in good} == {200}
        assert {one.result(timeout=120)[0] for one in strangers} == {409}
    begun = time.perf_counter()
    assert running.send("GET", "/api/state")[0] == 200
    assert time.perf_counter() - begun < 2
    assert running.workers() == worker
    printed = running.end()
    assert "Traceback" not in printed
    assert "evil" not in printed


def test_a_session_closes_once(tmp_path: Path) -> None:
    from tests.studio.conftest import NoWorker  # noqa: PLC0415

    from sfumato.io.temporary import TemporaryFolder  # noqa: PLC0415

    session = Session(TemporaryFolder(tmp_path), worker=NoWorker)  # type: ignore[arg-type]
    session.close()
    session.close()
    assert list(tmp_path.iterdir()) == []
