"""Running commands on a terminal of a given width, and keeping what it shows in the end."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Sequence
from pathlib import Path

import pyte
from tests.cli.screens.commands import MARK, TYPED

from sfumato import __version__
from sfumato.cli.app import COMMANDS

__all__ = ["FOLDER", "NAMES", "TYPED", "file_of", "masked", "on_terminal", "shown_by"]

WIDTHS = (80, 120)
#: Lines that the terminal can hold; nothing scrolls out of it.
LINES = 4_000
FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[2]

NAMES = [*TYPED, *(f"{name}.h" for name in COMMANDS)]

#: What differs from run to run, from machine to machine, or with the version.
MASKS = {
    re.compile(re.escape(__version__)): "VERSION",
    re.compile(r"^(seconds +)[\d.]+", re.MULTILINE): r"\1#",
    re.compile(r"\b[\d.]+ s\.\)"): "# s.)",
    re.compile(r"(\d\.\d{4}  +\d\.\d{4} +)\d+\.\d\d"): r"\1#",
    re.compile(r"\b[0-9a-f]{64}\b"): "HASH",
}


def masked(text: str) -> str:
    """Replace what nobody can promise: seconds, versions, paths."""
    for pattern, instead in MASKS.items():
        text = pattern.sub(instead, text)
    return text


class Terminal(pyte.Screen):
    """A terminal that keeps which lines it had to break itself, because they were too wide for it."""

    def __init__(self, columns: int, lines: int) -> None:
        self.broken: list[int] = []
        self._drawing = False
        super().__init__(columns, lines)

    def draw(self, data: str) -> None:
        """Draw text, which may take several lines."""
        self._drawing = True
        super().draw(data)
        self._drawing = False

    def linefeed(self) -> None:
        """Go to the next line, whether a program says so or the line is full."""
        if self._drawing:
            self.broken.append(self.cursor.y)
        super().linefeed()


def on_terminal(width: int, names: Sequence[str]) -> Terminal:
    """Run commands in a process on a terminal of this width, answering every question with Enter."""
    screen = Terminal(width, LINES)
    stream = pyte.ByteStream(screen)
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    environment = kept | {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "tests.cli.screens.commands", *names]
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment, start_new_session=True
        )
        os.close(theirs)
        while True:
            try:
                heard = os.read(ours, 65536)
            except OSError:  # how Linux says that nobody holds the other end any more
                break
            if not heard:
                break
            stream.feed(heard)
            if asks(screen):
                os.write(ours, b"\n")
        os.close(ours)
        assert process.wait() == 0
    return screen


def asks(screen: pyte.Screen) -> bool:
    """Whether the terminal shows a question, with the cursor one blank behind its suggestion."""
    line, place = screen.buffer[screen.cursor.y], screen.cursor.x
    return "".join(line[at].data for at in range(max(0, place - 3), place)) == "]: "


def shown_by(screen: pyte.Screen) -> dict[str, str]:
    """Return what the terminal shows of every command."""
    text = "\n".join(line.rstrip() for line in screen.display).rstrip()
    parts = [part.split("\n", 1) for part in text.split(MARK)[1:]]
    return {name: (said[0] if said else "").rstrip() + "\n" for name, *said in parts}


def file_of(width: int, name: str) -> Path:
    return FOLDER / str(width) / f"{name}.txt"


def main() -> None:
    """Record all screens again."""
    for width in WIDTHS:
        (FOLDER / str(width)).mkdir(exist_ok=True)
        for old in (FOLDER / str(width)).glob("*.txt"):
            old.unlink()
        for name, text in shown_by(on_terminal(width, NAMES)).items():
            file_of(width, name).write_text(masked(text), encoding="utf-8")


if __name__ == "__main__":
    main()
