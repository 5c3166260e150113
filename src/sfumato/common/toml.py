"""Write TOML that is easy to read; Python itself can only read it."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

#: The longest value on one line.
WIDTH = 100

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def dumps(data: Mapping[str, Any]) -> str:
    """Write plain values as TOML: short tables on one line, long ones as sections; None is left out.

    Examples
    --------
    >>> print(dumps({"rest": "drop", "columns": {"age": {"widths": [5, 10]}}}), end="")
    rest = "drop"
    <BLANKLINE>
    [columns]
    age = { widths = [5, 10] }
    """
    return "\n".join(_section((), data)).lstrip("\n") + "\n"


def _section(path: tuple[str, ...], table: Mapping[str, Any], brackets: str = "[]") -> Iterator[str]:
    """Yield the lines of a table: its header, its own values, then the tables below it."""
    below = _sections_below(path, table)
    lines = [
        f"{key_text(key)} = {_value(value)}" for key, value in table.items() if value is not None and key not in below
    ]
    if path and (lines or not below or brackets != "[]"):
        name = ".".join(map(key_text, path))
        yield f"\n{brackets[: len(brackets) // 2]}{name}{brackets[len(brackets) // 2 :]}"
    yield from lines
    for key, value in below.items():
        if isinstance(value, Mapping):
            yield from _section((*path, key), value)
        else:
            for item in value:
                yield from _section((*path, key), item, "[[]]")


def _sections_below(path: tuple[str, ...], table: Mapping[str, Any]) -> dict[str, Any]:
    """Select what becomes a section: tables from the first long one on, so that they keep their order."""
    below: dict[str, Any] = {}
    for key, value in table.items():
        if _is_list_of_tables(value) or (isinstance(value, Mapping) and (below or not path or _is_long(key, value))):
            below[key] = value
    return below


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, Mapping) for item in value)


def _is_long(key: str, value: object) -> bool:
    return len(key_text(key)) + len(value_text(value)) + 3 > WIDTH


def key_text(name: str) -> str:
    """A key, in quotation marks where it needs them."""
    return name if _BARE_KEY.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    # JSON escapes as TOML does, but for the one control character that it lets through.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: object) -> str:
    """A value; a long list with one item per line."""
    inline = value_text(value)
    if isinstance(value, Sequence) and not isinstance(value, str) and len(inline) > WIDTH:
        return "[\n" + "".join(f"    {value_text(item)},\n" for item in value) + "]"
    return inline


def value_text(value: object) -> str:
    """A value on one line."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key_text(key)} = {value_text(item)}" for key, item in value.items() if item is not None)
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(value_text, value))}]"
    raise TypeError(f"TOML has no way to write a {type(value).__name__}.")
