"""What people and programs see: answers go to stdout, talk goes to stderr."""

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

#: What JSON may hold as it is and a terminal would obey; in JSON it can be written in digits as well.
_OBEYED = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

#: The name of a fact, if the line has one, and the blanks up to its text.
_NAME = re.compile(r"(\S+( \S+)*)?  +")


def answer(text: str) -> None:
    """Print what was asked for."""
    _print(text, sys.stdout)


def answer_json(data: Any) -> None:
    """Print what was asked for, for a program."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    answer(_OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def say(text: str) -> None:
    """Tell the person at the screen something; a program that reads the answer never sees it."""
    _print(text, sys.stderr)


def _print(text: str, stream: TextIO | None) -> None:
    """Print; a reader that went away, such as ``head``, is no reason to stop the work."""
    if stream is None:  # closed by whoever started us
        return
    try:
        print(_printable(text, stream), file=stream, flush=True)
    except OSError as error:
        # Whatever is still printed, also when Python closes the stream at its end, goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        if stream is sys.stdout and not isinstance(error, BrokenPipeError):
            raise OutputError(f"The answer cannot be written to stdout: {error.strerror}.") from None


def _printable(text: str, stream: TextIO) -> str:
    """Return text that the stream can show: an old terminal gets a question mark instead of an accident."""
    encoding = stream.encoding or "utf-8"
    text = printable(text)
    return text.encode(encoding, "replace").decode(encoding)


def is_watched() -> bool:
    """Return whether somebody sits before the screen, so that a progress bar makes sense."""
    return sys.stderr.isatty()


def aligned(header: Sequence[str], rows: Sequence[Sequence[object]], width: int | None = None) -> str:
    """Return a table with aligned columns; cells are cut where it would be wider than the screen.

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
    """Return lines of a name, blanks and a text with the text wrapped under itself."""
    lines = []
    for line in facts.splitlines():
        name = _NAME.match(line)
        lines += _wrap(line, width or screen_width(), " " * name.end() if name else "") or [""]
    return "\n".join(lines)


def paragraphs(text: str, width: int | None = None) -> str:
    """Return lines that fit on the screen, each continued a little to the right."""
    return "\n".join(part for line in text.splitlines() for part in _wrap(line, width or screen_width(), "  "))


def _wrap(line: str, width: int, indent: str) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def screen_width() -> int:
    """Return how many characters fit on a line, within reason."""
    return min(max(shutil.get_terminal_size((100, 24)).columns, 60), 120)


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + ELLIPSIS


def _narrowed(widths: Sequence[int], room: int) -> list[int]:
    """Take from the widest columns until all fit, but leave each a few characters."""
    limits = list(widths)
    while sum(limits) > room and max(limits) > 4:
        limits[limits.index(max(limits))] -= 1
    return limits
