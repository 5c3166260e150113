"""``sfumato methods``: the methods to choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.screen import aligned, answer, answer_json, paragraphs, wrapped

if TYPE_CHECKING:
    from sfumato.methods import Method

HEADER = ("method", "recoding", "what it does")

RECODING = {
    "full-domain": "full-domain: every value of a column is shown at the same level",
    "global": "global: equal rows are shown alike",
    "local": "local: equal rows may be shown differently",
}


def methods(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="Describe this one: its parameters and what it guarantees."),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """List the methods. With a name, describe one: its parameters and what it guarantees.

    For example: sfumato methods mondrian
    """
    from sfumato.methods import REGISTRY, find_method

    if name is not None:
        method = find_method(name)
        answer_json(record(name, method)) if as_json else answer(describe(name, method))
        return
    made = {name: make() for name, make in sorted(REGISTRY.items(), key=lambda item: not _is_default(item[0]))}
    if as_json:
        answer_json([record(name, method) for name, method in made.items()])
        return
    answer(aligned(HEADER, [[_named(name), method.recoding, method.summary] for name, method in made.items()]))
    answer("\n" + paragraphs("sfumato methods NAME says what a method guarantees, and its parameters (--set)."))


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
    """Describe a method in a few lines."""
    parameters = ", ".join(f"{key}={_plain(value)}" for key, value in method.parameters().items())
    order = "the order of rows does not matter" if method.order_free else "the order of rows can change the result"
    lines = {
        _named(name): method.summary,
        "recoding": RECODING[method.recoding],
        "order": order,
        "parameters": f"{parameters} (--set NAME=VALUE)" if parameters else "none",
    }
    room = max(map(len, lines)) + 2
    return wrapped("\n".join(f"{title:<{room}}{text}" for title, text in lines.items()))


def _named(name: str) -> str:
    return f"{name} (default)" if _is_default(name) else name


def _is_default(name: str) -> bool:
    from sfumato.methods import DEFAULT

    return name == DEFAULT


def _plain(value: object) -> str:
    """Show a value as ``--set`` takes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
