"""What different readers make of one and the same text.

A file is published for all of them. So what was promised of it has to hold as it stands on paper, and also for a
reader who cannot tell an empty text from a missing one, and for a reader who takes some words for missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from sfumato.verify.classes import code_column

#: What pandas takes for missing if nobody tells it otherwise, and many other programs with it.
_WORDS = "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null"
MISSING_WORDS = frozenset(_WORDS.split("|"))

_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True)
class Interpretation:
    """A way to read text.

    Attributes
    ----------
    title
        Who reads so, for messages.
    confuses
        What such a reader cannot tell apart, for messages.
    seen
        What such a reader sees of a text; None for a missing value.
    """

    title: str
    confuses: str
    seen: Callable[[str], str | None]


def _plainly(text: str) -> str | None:
    return _LINE_END.sub("\n", text) or None


def _with_words(text: str) -> str | None:
    return None if text in MISSING_WORDS else _plainly(text)


PLAIN = Interpretation("as plain text", "empty text and missing values, or different kinds of line breaks", _plainly)
PANDAS = Interpretation(
    "with the defaults of pandas", "missing values and words such as NA, None, null or nan", _with_words
)

#: By the format of the file, from the finest to the coarsest, beside what stands on paper.
INTERPRETATIONS: dict[str, tuple[Interpretation, ...]] = {"csv": (PLAIN, PANDAS), "tsv": (PLAIN, PANDAS)}


def seen_through(reading: Interpretation, table: pa.Table) -> tuple[pa.Table, list[str]]:
    """Return a table of text as somebody sees it, and the columns in which different values have become one."""
    merged = []
    for place, name in enumerate(table.column_names):
        column = _seen_column(reading, table.column(place))
        if column is not None:
            merged.append(name)
            table = table.set_column(place, name, column)
    return table, merged


def _seen_column(reading: Interpretation, column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return a column as somebody sees it; None if every value is still told from every other."""
    coded = code_column("", column)
    texts = coded.values.to_pylist()
    missing = coded.codes == len(texts)
    seen = [reading.seen(text) for text in texts]
    if len({*seen, None} if missing.any() else set(seen)) == len(seen) + missing.any():
        return None
    codes = pa.array(coded.codes, mask=missing)
    return pa.chunked_array([pa.array(seen, pa.string()).take(codes).dictionary_encode()])


def words_for_missing(table: pa.Table) -> dict[str, list[str]]:
    """Return by column which of its texts common readers take for missing."""
    found: dict[str, list[str]] = {}
    for name in table.column_names:
        values = code_column(name, table.column(name)).values
        if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            words = sorted(MISSING_WORDS.intersection(values.to_pylist()))
            found |= {name: words} if words else {}
    return found
