"""Options are read as Typer reads them, without loading what it has values checked by."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import pytest
import typer
from tests.cli.command import RUNNER

from sfumato.cli.app import COMMANDS, Command, app

LINES = (
    "in.csv",
    "in.csv -k 5",
    "in.csv -k five",
    "in.csv -k -5",
    "in.csv -k \u0665",
    "in.csv -k 5.0",
    "in.csv --share 0.5 -k 007",
    "in.csv --share much",
    "in.csv --qi a --qi b,c -o out/there.csv",
    "in.csv --qi a -o",
    "in.csv --quiet --name x",
    "in.csv other.csv",
    "",
)


def shown(
    place: Annotated[str, typer.Argument()],
    output: Annotated[Path | None, typer.Option("-o")] = None,
    qi: Annotated[list[str] | None, typer.Option("--qi")] = None,
    k: Annotated[int | None, typer.Option("-k")] = None,
    share: Annotated[float | None, typer.Option("--share")] = None,
    name: Annotated[str, typer.Option("--name")] = "nobody",
    quiet: Annotated[bool, typer.Option("--quiet")] = False,
) -> None:
    """Print what was given."""
    typer.echo([place, output, qi, k, share, name, quiet])


shown.__annotations__ = {name: eval(hint) for name, hint in shown.__annotations__.items()}


def app_of(cls: type[typer.core.TyperCommand] | None) -> typer.Typer:
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(cls=cls)(shown)
    return app


@pytest.mark.parametrize("line", LINES)
def test_a_command_line_means_what_it_means_to_typer(line: str) -> None:
    ours, theirs = (RUNNER.invoke(app_of(cls), line.split()) for cls in (Command, None))
    assert (ours.stdout, ours.exit_code) == (theirs.stdout, theirs.exit_code)
    same, _, _ = theirs.stderr.partition("Input should be")
    assert ours.stderr.startswith(same.rstrip())
    assert ours.stderr.endswith(("such as 10.\n", "is not a number.\n")) if same != theirs.stderr else True
    assert ours.stdout or ours.stderr


def loaded_by(*words: str) -> set[str]:
    """Return the commands whose modules a fresh interpreter imports for a command line."""
    code = (
        "import sys\n"
        "from sfumato.cli import main\n"
        f"sys.argv = ['sfumato', *{words}]\n"
        "try:\n    main()\n"
        "except SystemExit as stop:\n    assert not stop.code, stop.code\n"
        "print(*[name for name in sys.modules if name.startswith('sfumato.cli.')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = {name.removeprefix("sfumato.cli.") for name in done.stdout.splitlines()[-1].split()}
    return modules & set(COMMANDS)


@pytest.mark.parametrize(
    ("words", "loaded"), [(("--help",), set()), (("--version",), set()), (("risk", "--help"), {"risk"})]
)
def test_only_the_named_command_is_imported(words: tuple[str, ...], loaded: set[str]) -> None:
    assert loaded_by(*words) == loaded


def test_every_command_is_in_the_module_of_its_name() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert list(commands) == list(COMMANDS)
    assert {name: command.name for name, command in commands.items()} == {name: name for name in COMMANDS}
    assert RUNNER.invoke(app, ["anonymise"]).stderr.endswith("Did you mean 'anonymize', 'anatomize'?\n")
