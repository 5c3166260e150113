"""The number of records of a delimited text, counted from its bytes alone.

Readers have been known to lose rows: the last one of a file, or all after a header of two lines. So the rows that a
reader returns are compared with this count, which knows nothing but quotation marks and line ends.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

NEWLINE, RETURN, QUOTE = b'\n\r"'


@dataclass
class RecordCount:
    """The count so far.

    Attributes
    ----------
    records
        Lines that are not empty, the header included; line breaks between quotation marks do not end a line.
    blank
        Empty lines.
    """

    records: int = 0
    blank: int = 0
    _quoted: bool = False
    _filled: bool = False
    _after_return: bool = False

    @property
    def open_quote(self) -> bool:
        """Whether a quotation mark was opened and never closed."""
        return self._quoted

    def add(self, chunk: bytes) -> None:
        """Count another chunk."""
        if not chunk:
            return
        data = np.frombuffer(chunk, np.uint8)
        places = np.flatnonzero((data == NEWLINE) | (data == RETURN) | (data == QUOTE))
        marks = data[places]
        quotes = marks == QUOTE
        quoted = (np.cumsum(quotes) + self._quoted) % 2 == 1
        is_end = ~quotes & ~quoted
        ends, kinds = places[is_end], marks[is_end]
        before = np.append(-1, ends[:-1])
        filled = ends - before > 1
        # A line feed right after a carriage return does not end another line.
        second = (kinds == NEWLINE) & ~filled & (np.append(NEWLINE, kinds[:-1]) == RETURN)
        if len(ends):
            filled[0] |= self._filled
            second[0] = kinds[0] == NEWLINE and ends[0] == 0 and self._after_return
        self.records += int(filled.sum())
        self.blank += int((~filled & ~second).sum())
        last = int(ends[-1]) if len(ends) else -1
        self._filled = len(data) - 1 > last or (not len(ends) and self._filled)
        self._after_return = bool(len(ends) and not self._filled and kinds[-1] == RETURN)
        self._quoted = bool(quoted[-1]) if len(quoted) else self._quoted

    def end(self) -> RecordCount:
        """Count a last line that has no line end."""
        self.records += self._filled
        self._filled = False
        return self


def count_records(chunks: Iterable[bytes]) -> RecordCount:
    r"""Count the records of a text that comes in pieces.

    Examples
    --------
    >>> count = count_records([b'name,note\r\nEva,"two\nli', b'nes"\r\n\r\nTom,'])
    >>> count.records, count.blank
    (3, 1)
    """
    count = RecordCount()
    for chunk in chunks:
        count.add(chunk)
    return count.end()
