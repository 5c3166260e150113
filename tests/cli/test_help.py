"""The help of every command: groups, the everyday options by -h, all by --help-all, nothing broken at any width."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

import pytest
import typer
from tests.cli.command import run

from sfumato.cli.app import COMMANDS, GROUPS, app
from sfumato.cli.exits import MEANING
from sfumato.cli.help import EVERYDAY, NEW_HERE
from sfumato.cli.help import GROUPS as OPTION_GROUPS
from sfumato.cli.options import Asked


def options_of(name: str) -> list[Any]:
    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    return [one for one in command.params if one.param_type_name == "option" and one.name != "help_all"]


def shown_in(text: str) -> set[str]:
    """Return the options that have a line of their own."""
    named = re.findall(r"^  (-.*?)(?:  |$)", text, re.MULTILINE)
    return {one for line in named for one in re.findall(r"(?<![\w-])--?[a-z][\w-]*", line)}


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself_at_any_width(command: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    short, long = (run(command, option) for option in ("-h", "--help-all"))
    assert run(command, "--help") == short
    for done in (short, long):
        assert (done.code, done.stderr) == (0, "")
        assert "Usage: sfumato " + command in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= width
    assert shown_in(short.stdout) <= shown_in(long.stdout)
    assert shown_in(long.stdout) == {flag for one in options_of(command) for flag in (*one.opts, *one.secondary_opts)}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_word_is_broken(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = " ".join(run(command, "--help-all").stdout.split())
    for option in options_of(command):
        assert " ".join(option.help.split()) in words


def test_the_help_of_anonymize_is_a_dozen_options_and_says_where_to_begin() -> None:
    short = run("anonymize", "-h").stdout
    assert short.splitlines()[0] == NEW_HERE
    assert 12 <= len(re.findall(r"^  -", short, re.MULTILINE)) <= 15
    left = len(options_of("anonymize")) - len(re.findall(r"^  -", short, re.MULTILINE))
    assert short.rstrip().endswith(f"{left} more options: sfumato anonymize --help-all")
    titles = re.findall(r"^(\w.*):$", run("anonymize", "--help-all").stdout, re.MULTILINE)
    assert titles == ["For example", "Arguments", *OPTION_GROUPS]


def test_every_shared_option_has_one_group() -> None:
    grouped = [name for names in OPTION_GROUPS.values() for name in names]
    assert len(grouped) == len(set(grouped))
    assert {one.name for one in fields(Asked)} - {"command"} <= set(grouped)
    assert {one.name for one in options_of("anonymize")} == set(grouped)
    assert set(grouped) >= EVERYDAY


def test_an_example_can_be_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    [example] = re.findall(r"For example:\n((?:  .*\n)+)", run("anonymize", "-h").stdout)
    assert example.count("\\\n") == example.count("\n") - 1
    assert example.replace("\\\n", "").split()[-4:] == ["-k", "10", "-l", "3"]


def test_help_lists_commands_in_groups_and_exit_codes() -> None:
    text = run("--help").stdout
    assert text.splitlines()[0] == NEW_HERE
    titles = re.findall(r"^(\w.*):$", text, re.MULTILINE)
    assert titles == ["Start", "Make", "Check", "Understand", "Hand out", "Options", "Exit codes"]
    for title, lines in GROUPS.items():
        part = text.split(f"{title}:\n")[1].split("\n\n")[0]
        assert re.findall(r"^  (\w+)", part, re.MULTILINE) == list(lines)
    assert all(f"  {code:<3}  {meaning}\n" in text for code, meaning in MEANING.items())
    assert "..." not in text
