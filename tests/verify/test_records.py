"""Records are counted from bytes alone, however they come in pieces."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.verify.delimited import count_records


def counted_slowly(text: str) -> tuple[int, int, bool]:
    """Walk through a text character by character."""
    records, blank, length, quoted, at = 0, 0, 0, False, 0
    while at < len(text):
        if text[at] == '"':
            quoted = not quoted
        if text[at] in "\r\n" and not quoted:
            at += text[at : at + 2] == "\r\n"
            records, blank, length = records + bool(length), blank + (not length), 0
        else:
            length += 1
        at += 1
    return records + bool(length), blank, quoted


@given(st.text('a",\r\n', max_size=30), st.lists(st.integers(0, 30), max_size=4))
def test_any_text_in_any_pieces(text: str, cuts: list[int]) -> None:
    data, places = text.encode(), sorted(cuts)
    count = count_records(data[begin:end] for begin, end in zip([0, *places], [*places, 30], strict=True))
    assert (count.records, count.blank, count.open_quote) == counted_slowly(text)
