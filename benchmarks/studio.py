"""The studio beside the command line: shell, clicks while a job runs, cancel, memory, and a million rows to a download.

Needs Chromium on PATH and playwright for the shell; all figures are ratios or times of one run.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchmarks.measure import Result
from sfumato.datasets import census
from sfumato.io import write_table

ROWS, CLICKS = 1_000_000, 30
#: Limits: the shell over an empty page, seconds of a click and of a cancel, bytes over the command line, time over it.
SHELL, CLICK, CANCEL, MEMORY, TIME = 2.0, 0.1, 0.3, 150 * 2**20, 1.5


class Studio:
    """A running studio, spoken to as the page does."""

    def __init__(self, file: Path | None = None) -> None:
        command = [sys.executable, "-m", "sfumato", "studio", "--no-open", *([str(file)] if file else [])]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        found = re.search(r"http://127\.0\.0\.1:(\d+)/#(\S+)", self.process.stderr.readline())
        assert found is not None
        self.port, self.token = int(found[1]), found[2]
        self.headers = {"origin": f"http://127.0.0.1:{self.port}", "x-tab": "0" * 32}

    def enter(self) -> Studio:
        key = self.send("POST", "/api/session", {"token": self.token})["key"]
        self.headers["authorization"] = f"Bearer {key}"
        return self

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, self.headers | headers)
        text = connection.getresponse().read()
        connection.close()
        return json.loads(text) if text[:1] == b"{" else text

    def job(self, name: str) -> Any:
        """Run a job to its end, and return its last message."""
        number = self.send("POST", "/api/jobs", {"name": name, "args": {}})["id"]
        stream = self.send("GET", f"/api/jobs/{number}/events")
        return json.loads(stream.split(b"\n\n")[-2][6:])

    def made(self, file: str) -> Any:
        """Wait until a file of the release can be downloaded once everything is decided; return what is known of it."""
        while True:
            made = self.send("GET", "/api/state")["made"]
            if made and file in made["files"]:
                return made
            time.sleep(0.05)

    def change(self, what: dict[str, Any]) -> None:
        etag = self.send("GET", "/api/policy")["etag"]
        self.send("POST", "/api/policy", what, **{"if-match": etag})

    def peak(self) -> int:
        """The most memory that the processes of the studio had together."""
        return sum(_peak(pid) for pid in self._processes())

    def processor(self) -> float:
        """The seconds of processor time that the processes of the studio took."""
        ticks = sum(int(one) for fields in self._processes().values() for one in fields[11:13])
        return ticks / os.sysconf("SC_CLK_TCK")

    def _processes(self) -> dict[int, list[str]]:
        """The processes of the studio, each with the fields of its state."""
        found = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(FileNotFoundError, ProcessLookupError):
                pid, fields = int(path.parent.name), path.read_text().rpartition(")")[2].split()
                if self.process.pid in {pid, int(fields[1])}:
                    found[pid] = fields
        return found

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


def run() -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "people.csv"
        write_table(census(ROWS).table, file)
        if shutil.which("chromium"):
            yield from _shell()
        yield from _clicks()
        yield from _million(file)


def _shell() -> Iterator[Result]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        times: dict[str, list[float]] = {"empty": [], "shell": []}
        for _ in range(5):
            studio = Studio()
            for name, address in (
                ("empty", f"http://127.0.0.1:{studio.port}/nowhere"),
                ("shell", f"http://127.0.0.1:{studio.port}/#{studio.token}"),
            ):
                page = browser.new_page()
                begun = time.perf_counter()
                page.goto(address)
                if name == "shell":
                    page.wait_for_selector(".drop")
                times[name].append(time.perf_counter() - begun)
                page.close()
            studio.end()
        browser.close()
    ratio = statistics.median(times["shell"]) / statistics.median(times["empty"])
    yield Result("shell over an empty page", ratio, SHELL)


def _clicks() -> Iterator[Result]:
    """Change roles while a release is made, and cancel it."""
    studio = Studio().enter()
    studio.send("POST", "/api/tables", {"example": "census"})
    studio.job("profile")
    studio.job("warm")
    number = studio.send("POST", "/api/jobs", {"name": "make", "args": {}})["id"]
    taken = []
    for at in range(CLICKS):
        begun = time.perf_counter()
        studio.change({"change": "role", "column": 7, "role": ("sensitive", "quasi-identifier")[at % 2]})
        studio.send("POST", "/api/ask/risk", {})
        taken.append(time.perf_counter() - begun)
    yield Result("a click while a job runs, median", statistics.median(taken), CLICK, "s")
    begun = time.perf_counter()
    studio.send("DELETE", f"/api/jobs/{number}")
    yield Result("cancel", time.perf_counter() - begun, CANCEL, "s")
    studio.end()


def _million(file: Path) -> Iterator[Result]:
    """From opening a file to a downloaded release, and to all of its files, beside the same on the command line."""
    studio = Studio(file).enter()
    begun = time.perf_counter()
    studio.send("POST", "/api/tables", {"given": True})
    studio.job("profile")
    number = studio.send("POST", "/api/jobs", {"name": "make", "args": {}})["id"]
    made = studio.made("release")
    for concern in made["open"]:
        studio.change({"change": "decide", "concern": concern})
    for name in ("release", "policy"):
        ticket = studio.send("POST", "/api/tickets", {"file": name})["ticket"]
        (file.parent / name).write_bytes(studio.send("GET", f"/download/{ticket}"))
    release, release_work = time.perf_counter() - begun, studio.processor()
    studio.send("GET", f"/api/jobs/{number}/events")
    studio.made("certificate")
    whole, whole_work, memory = time.perf_counter() - begun, studio.processor(), studio.peak()
    studio.end()
    policy, out = file.parent / "policy.toml", file.parent / "release.csv"
    (file.parent / "policy").rename(policy)
    make = ["anonymize", str(file), "--policy", str(policy), "-o", str(out)]
    all_files = ["--report", str(out.with_suffix(".html")), "--certificate", str(out.with_suffix(".json"))]
    looked, look_work, most = _run(["profile", str(file)])
    alone, alone_work, more = _run(make)
    out.unlink()
    together, together_work, most_of_all = _run([*make, *all_files])
    most = max(most, more, most_of_all)
    # On a busy machine the clock says little: what runs beside one half does not run beside the other.
    yield Result("processor time to a downloaded release", release_work / (look_work + alone_work))
    yield Result("processor time with report and certificate", whole_work / (look_work + together_work))
    yield Result(f"{ROWS:,} rows to a downloaded release, over profile and anonymize", release / (looked + alone), TIME)
    yield Result("the same with report and certificate", whole / (looked + together), TIME)
    yield Result("memory over the command line's", (memory - most) / 2**20, MEMORY / 2**20, "MB")


def _run(words: list[str]) -> tuple[float, float, int]:
    """Run a command; return its seconds, those of the processor, and the most memory that it had."""
    begun, most, before = time.perf_counter(), 0, os.times()
    process = subprocess.Popen([sys.executable, "-m", "sfumato", *words], stdout=subprocess.DEVNULL)
    while process.poll() is None:
        most = max(most, _peak(process.pid))
        time.sleep(0.1)
    assert process.returncode == 0, words
    after = os.times()
    work = after.children_user + after.children_system - before.children_user - before.children_system
    return time.perf_counter() - begun, work, most


def _peak(pid: int) -> int:
    """The most memory that a process had, in bytes."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", text)
    return int(found[1]) * 1024 if found else 0
