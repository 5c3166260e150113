"""Small text files that people write by hand: hierarchies, policies, workloads.

The path may come from another person's policy, so it must lead to a regular file of limited size: reading a device
would never end, and reading a pipe would block.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sfumato.errors import ParameterError, SfumatoError, shortened

#: Limits in bytes: of a file written by hand, and of a hierarchy that a program wrote, with millions of values.
HANDWRITTEN = 16 * 1024**2
LISTED = 256 * 1024**2
#: How deep lists and tables may lie in one another: deeper than anybody writes, less deep than Python can follow.
DEEPEST = 100

_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
#: A key of very many parts, which takes Python's reader of TOML forever.
_ENDLESS_KEY = re.compile(rf"""(?<![\w"'-]){_PART}(?:[ \t]*+\.[ \t]*+{_PART}){{{DEEPEST}}}""")


def read_text(path: Path, what: str, error: type[SfumatoError], limit: int = HANDWRITTEN) -> str:
    """Read a text file, or say why it cannot be read.

    Parameters
    ----------
    path
        The file.
    what
        What it is to the reader, such as ``"The policy file"``.
    error
        What is raised.
    limit
        How many bytes it may have.
    """
    name = f"{what} {shortened(str(path), 300)}"
    try:
        content = _bytes(path, limit)
    except FileNotFoundError:
        raise error(f"{name} does not exist. Check the path.") from None
    except (OSError, ValueError) as reason:
        said = getattr(reason, "strerror", None) or "the path is not valid"
        raise error(f"{name} cannot be read: {said}.") from None
    if content is None:
        raise error(f"{name} is not a regular file. Save its text to a file first.")
    if len(content) > limit:
        raise error(f"{name} is larger than {limit // 1024**2} MB, so it is something else.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise error(f"{name} is not UTF-8 text. Save it as UTF-8.") from None


def refuse_readable_by_others(path: Path, what: str) -> None:
    """Refuse a secret that others can read, such as a key file."""
    if os.name == "posix" and path.is_file() and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ParameterError(f"The {what} {path} can be read by others. Take that away (chmod 600), or make a new one.")


def _bytes(path: Path, limit: int) -> bytes | None:
    """Read a regular file, up to one byte past the limit; None if it is not a regular file."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        return file.read(limit + 1) if stat.S_ISREG(os.fstat(handle).st_mode) else None


def parsed_json(text: str, error: Callable[[str], SfumatoError]) -> Any:
    """Read JSON that somebody else may have written: never deeper than ``DEEPEST``, never a number without end.

    Parameters
    ----------
    text
        The text.
    error
        Makes what is raised, given the reason.

    Examples
    --------
    >>> from sfumato.errors import ParameterError
    >>> parsed_json("[" * 200 + "]" * 200, lambda reason: ParameterError(f"The list is not valid: {reason}."))
    Traceback (most recent call last):
    sfumato.errors.ParameterError: The list is not valid: it is nested more than 100 deep.
    """
    return _parsed(json.loads, text, error)


def parsed_toml(text: str, error: Callable[[str], SfumatoError]) -> dict[str, Any]:
    """Read TOML likewise."""
    if _ENDLESS_KEY.search(text):
        raise error(_TOO_DEEP)
    found: dict[str, Any] = _parsed(tomllib.loads, text, error)
    return found


_TOO_DEEP = f"it is nested more than {DEEPEST} deep"


def _parsed(parse: Callable[[str], Any], text: str, error: Callable[[str], SfumatoError]) -> Any:
    try:
        found = parse(text)
    except RecursionError:
        raise error(_TOO_DEEP) from None
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as reason:
        raise error(str(reason)) from None
    except ValueError:  # of Python itself, about numbers with thousands of digits
        raise error("it holds a number that is too long") from None
    if _is_deeper(found, DEEPEST):
        raise error(_TOO_DEEP)
    return found


def _is_deeper(value: Any, limit: int) -> bool:
    """Whether lists and tables lie deeper in one another than a limit; one layer after the other, without recursion."""
    layer = [value]
    for _ in range(limit):
        layer = [inner for one in layer if isinstance(one, dict | list) for inner in _inside(one)]
    return any(isinstance(one, dict | list) for one in layer)


def _inside(value: Mapping[str, Any] | list[Any]) -> list[Any]:
    return value if isinstance(value, list) else list(value.values())
