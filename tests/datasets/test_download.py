"""Downloads, from a server on this machine."""

from __future__ import annotations

import hashlib
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from sfumato.datasets import download
from sfumato.datasets.download import cache_folder, fetch
from sfumato.errors import SourceError

CONTENT = b"39, State-gov, and so on\n"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
HINT = "Do something else."


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


class Server(HTTPServer):
    asked: int = 0


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.asked += 1
        if self.path == "/broken":
            self.wfile.write(b"this is no HTTP at all\r\n\r\n")
        elif self.path != "/adult.data":
            self.send_error(404)
        else:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(CONTENT)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def server():
    with Server(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def url(server) -> str:
    return f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def unreachable() -> str:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{taken.getsockname()[1]}"


def test_a_file_is_fetched_once_and_kept(server, url, tmp_path):
    folder = tmp_path / "not" / "there"
    path = fetch(f"{url}/adult.data", SHA256, folder, HINT)
    assert path == folder / "adult.data"
    assert path.read_bytes() == CONTENT
    assert fetch(f"{url}/adult.data", SHA256, folder, HINT) == path
    assert server.asked == 1
    assert list(folder.iterdir()) == [path]


def test_a_damaged_file_in_the_cache_is_fetched_again(server, url, tmp_path):
    (tmp_path / "adult.data").write_bytes(CONTENT[:5])
    assert fetch(f"{url}/adult.data", SHA256, tmp_path, HINT).read_bytes() == CONTENT
    assert server.asked == 1


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(url, tmp_path):
    with pytest.raises(SourceError, match=r"checksum differs\. Do something else\."):
        fetch(f"{url}/adult.data", "0" * 64, tmp_path, HINT)
    assert list(tmp_path.iterdir()) == []


def test_more_bytes_than_expected_are_not_read(url, tmp_path, monkeypatch):
    monkeypatch.setattr(download, "MAX_BYTES", 10)
    with pytest.raises(SourceError, match="checksum differs"):
        fetch(f"{url}/adult.data", SHA256, tmp_path, HINT)


@pytest.mark.parametrize(("page", "reason"), [("missing", "Not Found"), ("broken", "no HTTP at all")])
def test_a_refusal_is_told_with_the_hint(url, page, reason, tmp_path):
    with pytest.raises(SourceError, match=rf"{page} cannot be downloaded: .*{reason}.*Do something else\."):
        fetch(f"{url}/{page}", SHA256, tmp_path, HINT)


def test_an_unreachable_server_is_told_with_the_hint(unreachable, tmp_path):
    with pytest.raises(SourceError, match=r"cannot be downloaded: .*refused.*Do something else\."):
        fetch(f"{unreachable}/adult.data", SHA256, tmp_path, HINT)


def test_a_cache_that_cannot_be_written_is_told(url, tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(SourceError, match=r"cannot be kept as .*Do something else\."):
        fetch(f"{url}/adult.data", SHA256, tmp_path / "file" / "below", HINT)


def test_an_interrupt_leaves_no_half_file(url, tmp_path, monkeypatch):
    def interrupted(path: Path, content: bytes) -> None:
        path.touch()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "write_bytes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(f"{url}/adult.data", SHA256, tmp_path, HINT)
    assert list(tmp_path.iterdir()) == []


def test_the_cache_is_where_the_user_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "sfumato"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "sfumato"
