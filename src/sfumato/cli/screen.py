"""Output of the command line: answers go to stdout, messages to stderr."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, TextIO

from sfumato.errors import OutputError, printable

ELLIPSIS = "…"

#: Characters that JSON allows unescaped but that a terminal would interpret; they are escaped.
_OBEYED = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

#: The name of a fact, if the line has one, and the blanks up to its text.
_NAME = re.compile(r"(\S+( \S+)*)?  +")


def answer(text: str) -> None:
    """Print an answer for people."""
    _print(text, sys.stdout)


def answer_json(data: Any) -> None:
    """Print an answer for programs."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    answer(_OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def say(text: str) -> None:
    """Print a message for the person at the screen; a program that reads the answer never sees it."""
    _print(text, sys.stderr)


def _print(text: str, stream: TextIO | None) -> None:
    """Print; a reader that went away, such as ``head``, is no reason to stop the work."""
    if stream is None:  # closed by the parent process
        return
    try:
        print(_printable(text, stream), file=stream, flush=True)
    except OSError as error:
        # Discard whatever is printed from now on, also when Python closes the stream at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise OutputError(f"The answer cannot be written to stdout: {error.strerror}.") from None


def _printable(text: str, stream: TextIO) -> str:
    """Replace characters that the stream cannot encode by question marks."""
    encoding = stream.encoding or "utf-8"
    text = printable(text)
    return text.encode(encoding, "replace").decode(encoding)


def is_watched() -> bool:
    """Whether stderr is a terminal, so that a progress bar makes sense."""
    return sys.stderr.isatty()


def aligned(header: Sequence[str], rows: Sequence[Sequence[object]], width: int | None = None) -> str:
    """Lay out a table with aligned columns; cells are cut where it would be wider than the screen.

    Examples
    --------
    >>> print(aligned(["age", "city"], [[34, "Siena"], ["[20, 29]", None]]))
    age       city
    34        Siena
    [20, 29]
    """
    cells = [list(header), *([_cell(value) for value in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    limits = _narrowed(widths, (width or screen_width()) - 2 * (len(widths) - 1))
    lines = [
        "  ".join(_cut(cell, limit).ljust(limit) for cell, limit in zip(row, limits, strict=True)) for row in cells
    ]
    return "\n".join(line.rstrip() for line in lines)


def wrapped(facts: str, width: int | None = None) -> str:
    """Wrap lines that consist of a name, blanks and a text; the text continues below itself."""
    lines = []
    for line in facts.splitlines():
        name = _NAME.match(line)
        lines += _wrap(line, width or screen_width(), " " * name.end() if name else "") or [""]
    return "\n".join(lines)


def paragraphs(text: str, width: int | None = None) -> str:
    """Wrap lines to the width of the screen, and indent their continuations."""
    return "\n".join(part for line in text.splitlines() for part in _wrap(line, width or screen_width(), "  "))


def _wrap(line: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def screen_width() -> int:
    """Measure how many characters fit on a line, from 60 to 120."""
    return min(max(shutil.get_terminal_size((100, 24)).columns, 60), 120)


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + ELLIPSIS


def _narrowed(widths: Sequence[int], room: int) -> list[int]:
    """Narrow the widest columns until all fit, down to a few characters each."""
    limits = list(widths)
    while sum(limits) > room and max(limits) > 4:
        limits[limits.index(max(limits))] -= 1
    return limits
