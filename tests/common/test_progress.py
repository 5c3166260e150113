"""Telling how far the work is: a bar, one line in a notebook, and one line when something is compiled."""

from __future__ import annotations

import sys
from threading import Event
from types import SimpleNamespace

import numpy as np
import pytest

from sfumato.common import progress
from sfumato.common.numba import cache as keeping
from sfumato.common.progress import COMPILING, notebook, reporting, silent, stage, watching, within


def compile_something() -> None:
    keeping.njit(lambda x: x + 1)(np.int64(1))


@pytest.fixture(autouse=True)
def nothing_said(monkeypatch) -> None:
    monkeypatch.setattr(progress, "_said", set())


def test_compilation_is_announced_once_to_whoever_asked_for_no_progress(capsys) -> None:
    for _ in range(2):
        with reporting(False, "anonymize"):
            compile_something()
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("", COMPILING + "\n")


def test_nothing_is_announced_where_nothing_is_compiled(capsys) -> None:
    with reporting(False, "anonymize") as report:
        report("reading", 0.5)
    assert capsys.readouterr().err == ""


def test_whoever_listens_is_told_and_nobody_else(capsys) -> None:
    heard: list[str] = []
    with reporting(lambda stage, share: heard.append(stage), "anonymize"):
        compile_something()
    with reporting(silent, "anonymize"):
        compile_something()
    assert set(heard) == {"compiling, once"}
    assert capsys.readouterr().err == ""


class Handle:
    """A line in a notebook, with all that it ever showed."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def update(self, bundle: dict[str, str], raw: bool) -> None:
        assert raw
        self.shown.append(bundle["text/plain"])


@pytest.fixture
def handles(monkeypatch) -> list[Handle]:
    """Pretend to run in a notebook."""
    made: list[Handle] = []

    def display(bundle: dict[str, str], raw: bool, display_id: bool) -> Handle:
        assert raw
        assert display_id
        made.append(Handle())
        return made[-1]

    shell = SimpleNamespace(kernel=object())
    fake = SimpleNamespace(get_ipython=lambda: shell, display=SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", fake)
    return made


def test_a_notebook_shows_one_line_and_nothing_is_left_of_it(handles, capsys) -> None:
    with reporting(True, "anonymize") as report:
        for share in np.linspace(0, 1, 1000):
            report("reading", float(share))
        report("verifying", 0.0)
    [handle] = handles
    assert handle.shown[0] == "reading"
    assert handle.shown[-2:] == ["verifying", ""]
    assert len(handle.shown) < 100
    assert capsys.readouterr() == ("", "")


def test_ipython_in_a_terminal_is_no_notebook(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=SimpleNamespace))
    assert notebook() is None
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert notebook() is None


def test_compiled_code_is_watched_while_it_runs() -> None:
    heard: list[float] = []
    told = Event()
    counted = np.zeros(1)

    def tell(share: float) -> None:
        heard.append(share)
        told.set()

    with watching(tell, lambda: float(counted[0])):
        counted[0] = 0.25
        assert told.wait(10)
        told.clear()
        counted[0] = 7.0
        assert told.wait(10)
    assert heard[-1] == 1.0
    assert all(0 <= share <= 1 for share in heard)
    with watching(silent, lambda: 1 / 0):
        pass


def test_what_a_callback_raises_while_code_is_watched_is_raised() -> None:
    told = Event()

    def tell(share: float) -> None:
        told.set()
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"), watching(tell, lambda: 0.5):
        assert told.wait(10)


def test_parts_of_a_stage_and_silence() -> None:
    heard: list[float] = []
    within(within(heard.append, 0.5, 1.0), 0.0, 0.5)(0.5)
    assert heard == [0.625]
    assert stage(silent, "cutting") is silent
    assert within(silent, 0.0, 1.0) is silent
