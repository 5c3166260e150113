"""Bars at the end of ``sfumato anonymize``: on a terminal, as wide as it is, in signs that it has."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.cli.command import ROLES, run
from tests.test_printable import EVIL, is_harmless

import sfumato as sf
from sfumato.cli.bars import ASCII, BLOCKS, characters_for, loss_lines, risk_lines

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def release() -> sf.Release:
    people = sf.datasets.patients()
    return sf.anonymize(people.table, people.schema, k=2, method="mondrian", seed=1)


@pytest.mark.parametrize(
    ("share", "drawn"),
    [(0.0, "    "), (1e-9, "▏   "), (0.5, "██  "), (0.53, "██▏ "), (1.0, "████"), (7.0, "████"), (-1.0, "    ")],
)
def test_a_bar_is_as_long_as_its_share(share: float, drawn: str) -> None:
    assert BLOCKS.bar(share, 4) == drawn
    assert ASCII.bar(share, 4).count("#") == pytest.approx(len(drawn.strip()), abs=1)


@pytest.mark.parametrize(
    ("encoding", "signs"), [("utf-8", BLOCKS), ("ascii", ASCII), ("latin-1", ASCII), ("cp437", ASCII), ("?", ASCII)]
)
def test_signs_are_those_that_the_terminal_has(encoding: str, signs: object) -> None:
    assert characters_for(encoding) is signs


@pytest.mark.parametrize("width", [20, 46, 60, 80, 200])
@pytest.mark.parametrize("signs", [BLOCKS, ASCII], ids=["blocks", "ascii"])
def test_lines_fit_the_terminal(release: sf.Release, width: int, signs: object) -> None:
    losses = {"age": 0.42, "x" * 10_000: 0.1, "数据" * 40: 0.0, EVIL: 1.0}
    lines = [*loss_lines(losses, signs, width), *risk_lines(release.risk, signs, width)]
    assert len(lines) == 9
    for line in lines:
        assert cell_len(line.plain) <= max(width, 36)
        assert is_harmless(line.plain)
    # All figures of a part stand below each other.
    assert len({cell_len(line.plain) for line in lines[1:5]}) == 1
    assert (signs.parts[-1] in lines[1].plain) == (width >= 46)
    assert (signs.parts[-1] in lines[6].plain) == (width >= 46)


def test_of_many_columns_the_first_are_shown() -> None:
    lines = [line.plain for line in loss_lines({f"c{n}": n / 300 for n in range(300)}, BLOCKS, 80)]
    assert len(lines) == 14
    assert "c299" in lines[1]
    assert "and 288 more" in lines[-1]
    assert [line.plain for line in loss_lines({}, BLOCKS, 80)] == ["lost by column"]


def test_a_program_that_reads_gets_no_bars(folder: Path) -> None:
    done = run("anonymize", "patients.csv", "-o", "out.csv", *ROLES, "-k", 5, "--method", "mondrian")
    assert done.code == 0
    assert "lost by column" not in done.stderr


pty = pytest.importorskip("pty", reason="pseudo-terminals are Unix's")


def on_terminal(*arguments: str, **environment: str) -> str:
    """Return what a person sees who runs a command on a terminal."""
    main, other = pty.openpty()
    command = [sys.executable, "-m", "sfumato", *arguments]
    known = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "FORCE_COLOR"}}
    settings = known | {"TERM": "xterm", "COLUMNS": "80", "PYTHONIOENCODING": "utf-8"} | environment
    done = subprocess.Popen(command, stdin=other, stdout=subprocess.DEVNULL, stderr=other, env=settings)
    os.close(other)
    seen = bytearray()
    while True:
        try:
            part = os.read(main, 65536)
        except OSError:  # the terminal ends with the last process on it
            break
        if not part:
            break
        seen += part
    os.close(main)
    assert done.wait(120) == 0, bytes(seen)
    return seen.decode("utf-8", "replace").rpartition("wrote ")[2]


ASKED = ("anonymize", "patients.csv", "-o", "out.csv", *ROLES, "-k", "5", "--method", "mondrian")


def test_a_person_sees_bars_in_colour(folder: Path) -> None:
    seen = on_terminal(*ASKED)
    assert "█" in seen
    assert COLOUR.search(seen)
    assert "risk, before → after" in seen
    assert "100.0% → " in COLOUR.sub("", seen)


def test_a_person_who_wants_no_colour_and_has_no_blocks_sees_bars_too(folder: Path) -> None:
    seen = on_terminal(*ASKED, NO_COLOR="1", PYTHONIOENCODING="ascii")
    assert "####" in seen
    assert "before -> after" in seen
    assert not COLOUR.search(seen)
    assert seen.isascii()


def test_there_are_no_bars_beside_an_answer_for_programs(folder: Path) -> None:
    assert "lost by column" not in on_terminal(*ASKED, "--json")
