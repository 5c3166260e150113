"""Every command on terminals of 80 and 120 columns shows what was recorded, and breaks no word."""

from __future__ import annotations

import shlex

import pytest

from sfumato.cli.app import COMMANDS

pyte = pytest.importorskip("pyte", reason="pyte is not installed: tools/setup dev")
record = pytest.importorskip("tests.cli.screens.record", reason="no terminals on this system")

HOW = "If that is meant, record the screens again with `make screens`, and look at them."


@pytest.fixture(scope="module", params=[80, 120])
def terminal(request: pytest.FixtureRequest) -> tuple[int, object]:
    return request.param, record.on_terminal(request.param, record.NAMES)


def test_every_command_is_recorded() -> None:
    typed = {shlex.split(line)[0] for line in record.TYPED.values()}
    assert set(COMMANDS) <= typed


def test_screens_are_as_recorded(terminal: tuple[int, object]) -> None:
    width, screen = terminal
    shown = record.shown_by(screen)
    folder = record.FOLDER / str(width)
    assert set(shown) == {path.stem for path in folder.glob("*.txt")}, HOW
    for name, text in shown.items():
        recorded = record.file_of(width, name).read_text(encoding="utf-8")
        assert record.masked(text) == record.masked(recorded), f"{name} at {width} columns differs. {HOW}"


def test_the_terminal_never_has_to_break_a_line(terminal: tuple[int, object]) -> None:
    """Terminals break lines anywhere; only statements for a database, which are to be copied, are left to that."""
    _, screen = terminal
    broken = [screen.display[row] for row in screen.broken]
    assert [line for line in broken if not line.startswith("-- Printed, not run")] == []


def test_what_is_broken_is_red(terminal: tuple[int, object]) -> None:
    _, screen = terminal
    found = [
        screen.buffer[row][column].fg
        for row, line in enumerate(screen.display)
        for column in range(len(line))
        if line[column:].startswith("BROKEN")
    ]
    assert found
    assert set(found) == {"red"}
