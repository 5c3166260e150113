"""Tables and lines on a screen: nothing cut, no word broken, wide characters by cells, colours only where wanted."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.cli import screen

HEADER = ("name", "what it is", "how many")
ROWS = [["age", "a number of years, up to which nobody is told apart", 12], ["国籍", "出生地と国籍と住所", 3]]

texts = st.text(st.sampled_from("ab -é漢字한\u0301"), max_size=30)


def words_of(text: str) -> list[str]:
    return "".join(one if one.isascii() else f" {one} " for one in text).split()


@pytest.mark.parametrize("width", [24, 40, 80])
def test_a_table_fits_the_screen_and_keeps_every_word(width: int) -> None:
    text = screen.aligned(HEADER, ROWS, width)
    assert max(map(screen.cells_of, text.splitlines())) <= width
    said = " ".join(text.split())
    assert all(word in said for row in ROWS for cell in row for word in words_of(str(cell)))
    assert "\u2026" not in text


def test_columns_stand_below_each_other_by_cells() -> None:
    lines = screen.aligned(("a", "b"), [["漢字", "x"], ["ab", "y"]], 80).splitlines()
    assert [screen.cells_of(line[: line.index(last)]) for line, last in zip(lines, "bxy", strict=True)] == [6, 6, 6]


def test_a_table_too_wide_for_the_screen_is_shown_row_by_row() -> None:
    row = ["x" * 30, "y" * 30]
    assert screen.aligned(("one", "other"), [row], 40) == f"one    {row[0]}\nother  {row[1]}"


@given(texts, st.integers(5, 40))
def test_wrapping_loses_nothing_and_breaks_no_word(text: str, width: int) -> None:
    lines = screen.wrap(text, width, "  ")
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        too_wide = screen.cells_of(line) > width
        assert not too_wide or len([one for one in line.strip().split(" ") if one]) == 1
    whole = set(text.split(" "))
    assert all(word in whole for line in lines for word in line.split() if word.isascii() and text.isascii())


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


SAID = "NOT verified: 3 rows\nk-anonymity k=2: BROKEN by 1 class\nWarning: the column\nUNBROKEN"


def printed(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr("sys.stderr", stream)
    screen.say(SAID)
    return stream.getvalue()


def test_what_is_broken_stands_out_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    text = printed(Terminal(), monkeypatch)
    assert "\x1b[1;31mNOT verified\x1b[0m: 3" in text
    assert "k=2: \x1b[1;31mBROKEN\x1b[0m by" in text
    assert "\x1b[1;33mWarning:\x1b[0m the" in text
    assert text.endswith("\nUNBROKEN\n")


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_nothing_is_coloured_where_nobody_wants_it(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert printed(io.StringIO(), monkeypatch) == SAID + "\n"
    monkeypatch.setenv(name, value)
    assert printed(Terminal(), monkeypatch) == SAID + "\n"
