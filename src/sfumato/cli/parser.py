"""How the words of a command become its options, at once.

Typer has every value checked by a library that takes longer to load than all else that reads the command line, also of
options that nobody gave. Text needs no check, and neither does what is not there; everything else, and all that is
wrong, is left to Typer, whose messages users know.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from typer.core import TyperCommand, TyperGroup

if TYPE_CHECKING:
    Mixed = TyperCommand
else:
    Mixed = object

#: The types of options whose values are text, one or several, or are easily made of it.
TEXT = (str, str | None)
TEXTS = (list[str], list[str] | None)
PATH = (Path, Path | None)
WHOLE = (int, int | None)


class _AtOnce(Mixed):
    """A command, or a group of them, that has only those values checked that may be wrong."""

    def get_params(self, ctx: Any) -> Any:
        """Return the options and arguments, also those that every command has."""
        types = getattr(self.callback, "__annotations__", {})
        found = super().get_params(ctx)
        for one in found:
            if "process_value" not in vars(one):
                one.process_value = partial(process, one, types.get(one.name), one.process_value)  # type: ignore[method-assign]
        return found


class Command(_AtOnce, TyperCommand):
    """A command of Sfumato."""


class Group(_AtOnce, TyperGroup):
    """The commands of Sfumato."""


def process(option: Any, annotation: object, by_typer: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """Return the value of an option or argument, as Typer would."""
    if value is None and not option.required:
        nothing: Any = () if option.multiple or option.nargs == -1 else None
        return nothing if option.callback is None else option.callback(ctx, option, nothing)
    made = of_text(value, next(iter(get_args(annotation)), None))
    return by_typer(ctx, value) if made is None or option.callback is not None else made


def of_text(value: object, wanted: object) -> object:
    """Return what a word, or several, stands for where nothing can be wrong with it; otherwise None."""
    if isinstance(value, list | tuple):
        return value if value and wanted in TEXTS and all(isinstance(one, str) for one in value) else None
    if not isinstance(value, str):
        return None
    if wanted in TEXT:
        return value
    if wanted in PATH and value:
        return Path(value)
    return int(value) if wanted in WHOLE and value.isascii() and value.isdigit() else None
