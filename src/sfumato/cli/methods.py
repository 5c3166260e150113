"""``sfumato methods``: the methods to choose from."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

from sfumato.cli import options
from sfumato.cli.screen import answer, answer_json, screen_width

if TYPE_CHECKING:
    from sfumato.methods import Method

RECODING = {
    "full-domain": "full-domain recoding: every value of a column is shown at the same level",
    "global": "global recoding: equal rows are shown alike",
    "local": "local recoding: equal rows may be shown differently",
}


def methods(as_json: options.AsJson = False) -> None:
    """List the methods and what each guarantees."""
    from sfumato.methods import REGISTRY

    made = {name: make() for name, make in REGISTRY.items()}
    if as_json:
        answer_json([record(name, method) for name, method in made.items()])
    else:
        answer("\n\n".join(describe(name, method) for name, method in made.items()))


def record(name: str, method: Method) -> dict[str, Any]:
    """Describe a method in plain values, for programs."""
    return {
        "name": name,
        "default": _is_default(name),
        "summary": method.summary,
        "recoding": method.recoding,
        "order_free": method.order_free,
        "parameters": method.parameters(),
    }


def describe(name: str, method: Method) -> str:
    """Describe a method in a paragraph."""
    parameters = ", ".join(f"{key}={_plain(value)}" for key, value in method.parameters().items())
    order = "the order of rows does not matter" if method.order_free else "the order of rows can change the result"
    lines = [
        method.summary,
        f"{RECODING[method.recoding]}; {order}",
        f"parameters (--set): {parameters or 'none'}",
    ]
    wrapped = (textwrap.fill(line, screen_width(), initial_indent="  ", subsequent_indent="    ") for line in lines)
    return "\n".join([f"{name} (default)" if _is_default(name) else name, *wrapped])


def _is_default(name: str) -> bool:
    from sfumato.methods import DEFAULT

    return name == DEFAULT


def _plain(value: object) -> str:
    """Show a value as ``--set`` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
