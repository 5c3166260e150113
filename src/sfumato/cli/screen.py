"""Output of the command line: answers go to stdout, messages to stderr."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from typing import Any, TextIO

from sfumato.errors import OutputError, printable

#: Characters that JSON allows unescaped but that a terminal would interpret; they are escaped.
_OBEYED = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")

#: The name of a fact, if the line has one, and the blanks up to its text.
_NAME = re.compile(r"(\S+( \S+)*)?  +")

#: Blanks, wide characters one by one, between which a line may end, and words. A bracket that opens stays with what
#: follows, punctuation with what precedes.
_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6"
_PIECES = re.compile(f" +|[{_WIDE}][、。，．：；？！」』）】〉》]*|[^ {_WIDE}]+")

_RED, _YELLOW, _GREEN = "1;31", "1;33", "1;32"
#: What stands out on a terminal, by how bad it is.
_EMPHASIS = {
    re.compile(r"^(Error:|NOT verified|BREAKS A PROMISE|A promise does NOT hold)|\bBROKEN\b", re.MULTILINE): _RED,
    re.compile(r"^(Warning:|Caution:|Partly verified|warning(?=  ))", re.MULTILINE): _YELLOW,
    re.compile(r"^Verified", re.MULTILINE): _GREEN,
}

#: A name in the first column of a table that is longer may stand on a line of its own.
LONG_NAME = 8

#: The width of a terminal that does not say how wide it is.
NARROW = 80

#: Combining characters and those that only say how others are shown.
NO_CELL = {"Mn", "Me", "Cf"}


def answer(text: str) -> None:
    """Print an answer for people."""
    _print(text, sys.stdout)


def answer_verbatim(text: str) -> None:
    """Print an answer that other programs may read: its lines stay as they are, however long."""
    _print(text, sys.stdout, verbatim=True)


def answer_json(data: Any) -> None:
    """Print an answer for programs."""
    text = json.dumps(data, indent=2, ensure_ascii=False)
    answer_verbatim(_OBEYED.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def say(text: str) -> None:
    """Print a message for the person at the screen; a program that reads the answer never sees it."""
    _print(text, sys.stderr)


def _print(text: str, stream: TextIO | None, verbatim: bool = False) -> None:
    """Print; a reader that went away, such as ``head``, is no reason to stop the work."""
    if stream is None:  # closed by the parent process
        return
    text = _printable(text, stream)
    if not verbatim:
        text = _emphasized(_fitted(text, stream), stream)
    try:
        print(text, file=stream, flush=True)
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


def _fitted(text: str, stream: TextIO) -> str:
    """Wrap lines that a terminal would break inside a word; files and pipes get them as they are."""
    if not stream.isatty():
        return text
    width = terminal_width() or NARROW
    return "\n".join(part for line in text.split("\n") for part in _fit(line, width))


def _fit(line: str, width: int) -> list[str]:
    if cells_of(line) <= width:
        return [line]
    name = _NAME.match(line)
    return wrap(line, width, " " * name.end() if name and name[1] else " " * (len(line) - len(line.lstrip()) + 2))


def _emphasized(text: str, stream: TextIO) -> str:
    """Let what must not be overlooked stand out on a terminal; the words say the same without colour."""
    if not in_colour(stream):
        return text
    for pattern, style in _EMPHASIS.items():
        text = pattern.sub(f"\x1b[{style}m\\g<0>\x1b[0m", text)
    return text


def in_colour(stream: TextIO) -> bool:
    """Whether a stream is a terminal whose user wants colours: see no-color.org."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def is_watched() -> bool:
    """Whether stderr is a terminal, so that a progress bar makes sense."""
    return sys.stderr.isatty()


def aligned(header: Sequence[str], rows: Sequence[Sequence[object]], width: int | None = None) -> str:
    """Lay out a table with aligned columns; where it would be wider than the screen, cells take several lines.

    A table that does not fit even so is shown row by row, each column on a line of its own. Nothing is cut.

    Examples
    --------
    >>> print(aligned(["age", "city"], [[34, "Siena"], ["[20, 29]", None]]))
    age       city
    34        Siena
    [20, 29]
    """
    cells = [[_cell(name) for name in header], *([_cell(value) for value in row] for row in rows)]
    columns = list(zip(*cells, strict=True))
    room = (width or screen_width()) - 2 * (len(columns) - 1)
    widths, least = [max(map(cells_of, column)) for column in columns], [_widest_word(one) for one in columns]
    least[0] = min(least[0], LONG_NAME) if len(columns) > 2 else least[0]
    limits = _narrowed(widths, least, room)
    if sum(limits) > room:
        return _row_by_row(cells[0], cells[1:], width or screen_width())
    lines = [line for row in cells for line in _side_by_side(row, limits)]
    return "\n".join(line.rstrip() for line in lines)


def _side_by_side(row: Sequence[str], limits: Sequence[int]) -> Iterator[str]:
    """Write the cells of a row beside each other, in as many lines as the longest needs; a long name above the rest."""
    if any(cells_of(piece) > limits[0] for piece in wrap(row[0], limits[0], "")):
        yield row[0]
        row = ["", *row[1:]]
    parts = [wrap(cell, limit, "") or [""] for cell, limit in zip(row, limits, strict=True)]
    for pieces in zip_longest(*parts, fillvalue=""):
        yield "  ".join(padded(piece, limit) for piece, limit in zip(pieces, limits, strict=True))


def _row_by_row(header: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Write every row as a list of its columns."""
    room = max(map(cells_of, header)) + 2
    names = [padded(name, room) for name in header]
    blocks = ([wrap(name + cell, width, " " * room) for name, cell in zip(names, row, strict=True)] for row in rows)
    return "\n\n".join("\n".join(line.rstrip() for lines in block for line in lines) for block in blocks)


def wrapped(facts: str, width: int | None = None) -> str:
    """Wrap lines that consist of a name, blanks and a text; the text continues below itself."""
    lines = []
    for line in facts.splitlines():
        name = _NAME.match(line)
        lines += wrap(line, width or screen_width(), " " * name.end() if name else "") or [""]
    return "\n".join(lines)


def paragraphs(text: str, width: int | None = None) -> str:
    """Wrap lines to the width of the screen, and indent their continuations."""
    return "\n".join(part for line in text.splitlines() for part in wrap(line, width or screen_width(), "  "))


def wrap(line: str, width: int, indent: str) -> list[str]:
    """Wrap a line at blanks, and between wide characters; other words stay whole, even if one is wider than the screen.

    Examples
    --------
    >>> wrap("l-diversity of a well-known kind", 14, "  ")
    ['l-diversity of', '  a well-known', '  kind']
    """
    lines, gap = [""], ""
    for piece in _PIECES.findall(line.expandtabs()):
        if piece.isspace():
            gap += piece
        elif lines[-1].strip() and cells_of(lines[-1]) + len(gap) + cells_of(piece) > width:
            lines.append(indent + piece)
            gap = ""
        else:
            lines[-1] += gap + piece
            gap = ""
    return lines if lines[-1] else []


def cells_of(text: str) -> int:
    """Count the cells of a terminal that a text takes: wide characters take two, combining ones none.

    Examples
    --------
    >>> cells_of("age"), cells_of("年齢"), cells_of("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    return sum(0 if category(one) in NO_CELL else 1 + (east_asian_width(one) in "WF") for one in text)


def padded(text: str, width: int) -> str:
    """Pad a text with blanks to a number of cells."""
    return text + " " * (width - cells_of(text))


def screen_width() -> int:
    """Measure how many characters fit on a line, from 60 to 120; 100 where there is no terminal."""
    return min(max(terminal_width() or 100, 60), 120)


def terminal_width() -> int | None:
    """Measure the width of the terminal, even if an answer or a question goes elsewhere; None without one."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said):
        return int(said)
    for stream in (sys.stderr, sys.stdout, sys.stdin):
        with suppress(OSError, ValueError, AttributeError):  # no terminal, closed, or none at all
            return os.get_terminal_size(stream.fileno()).columns or None
    return None


def _cell(value: object) -> str:
    return "" if value is None else " ".join(str(value).split())


def _widest_word(column: Sequence[str]) -> int:
    return max((cells_of(word) for cell in column for word in _PIECES.findall(cell)), default=0)


def _narrowed(widths: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Narrow the widest columns until all fit, but none below its widest word."""
    limits = list(widths)
    while sum(limits) > room:
        wide = [at for at, limit in enumerate(limits) if limit > least[at]]
        if not wide:
            break
        limits[max(wide, key=limits.__getitem__)] -= 1
    return limits
