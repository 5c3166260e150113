"""The commands by name; the module of a command is imported when the command runs or prints its help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import typer

from sfumato import __version__
from sfumato.cli.exits import MEANING, end_cleanly_when_terminated, explained
from sfumato.cli.parser import Command, Group
from sfumato.cli.screen import answer

#: Every command with its line in ``sfumato --help``, in that order. ``sfumato.cli.risk.risk`` is the command ``risk``.
COMMANDS = {
    "profile": "Say what is in a table, and which role each column should have.",
    "init": "Write a policy to begin with, after asking about every column.",
    "anonymize": "Anonymize a table; the release is checked before it is written.",
    "recode": "Recode next month's table to the levels of last month's release.",
    "anatomize": "Release two tables: exact rows with groups, and the groups' sensitive values.",
    "check": "Check any table against privacy models.",
    "risk": "Measure how likely it is that people in a table are found.",
    "attack": "Attack a release, as somebody would who knows some columns.",
    "report": "Write a report about a release, for the person who signs.",
    "utility": "Measure what is left of a table in its release.",
    "compare": "Compare methods at several k on one table.",
    "explain": "Explain why a release looks as it does, and what other wishes would cost.",
    "sql": "Print SQL that makes a full-domain release inside the database.",
    "methods": "List the methods and what each guarantees.",
    "presets": "List the presets: what regulations ask for.",
    "hierarchy": "Preview the hierarchy of a column, and write it to a file to edit.",
    "clean": "Remove the temporary files of runs that were killed.",
    "demo": "Make up a census, anonymize it and show the result.",
}


class _Loaded(Mapping[str, Any]):
    """The commands by name, each imported and prepared when it is first looked up."""

    def __init__(self) -> None:
        self._prepared: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._prepared:
            self._prepared[name] = _prepare(name, COMMANDS[name])
        return self._prepared[name]

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


def _prepare(name: str, short_help: str) -> Any:
    """Make a command of the function that has the name of its module."""
    function = getattr(import_module(f"sfumato.cli.{name}"), name)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    alone.command(name, cls=Command, short_help=short_help)(explained()(function))
    return typer.main.get_command(alone)


class Commands(Group):
    """All commands, of which only the one that the user typed is imported."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _Loaded()  # type: ignore[assignment]

    def list_commands(self, ctx: Any) -> list[str]:
        """List the names in the order of the help."""
        return list(COMMANDS)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write a line for every command, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


app = typer.Typer(
    name="sfumato",
    cls=Commands,
    help="Publish tables about people so that nobody in them can be singled out.",
    epilog=MEANING,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def run() -> None:
    """Run the command that the user typed."""
    end_cleanly_when_terminated()
    app()


def _show_version(wanted: bool) -> None:
    if wanted:
        answer(f"sfumato {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Publish tables about people so that nobody in them can be singled out."""
