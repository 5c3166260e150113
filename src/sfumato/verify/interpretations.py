"""How different programs interpret the same text.

A file is published for all of them. So its promises must hold for the text as it is written, for a program that does
not distinguish an empty text from a missing value, and for a program that takes words such as NA for missing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from sfumato.verify.classes import code_column

#: What pandas and many other programs read as missing by default.
_WORDS = "#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null"
MISSING_WORDS = frozenset(_WORDS.split("|"))

_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True)
class Interpretation:
    """A way in which programs interpret text.

    Attributes
    ----------
    title
        Which programs do so, for messages.
    confuses
        What such a program confuses, for messages.
    seen
        What such a program reads for a text; None for a missing value.
    """

    title: str
    confuses: str
    seen: Callable[[str], str | None]


def _plainly(text: str) -> str | None:
    return _LINE_END.sub("\n", text) or None


def _with_words(text: str) -> str | None:
    return None if text in MISSING_WORDS else _plainly(text)


def _by_eye(text: str) -> str:
    """What a reader sees of a text: compatible forms as one, no invisible characters, one space for all blanks."""
    seen = unicodedata.normalize("NFKC", text)
    shown = "".join(" " if one.isspace() else one for one in seen if one.isspace() or not _is_invisible(one))
    return " ".join(unicodedata.normalize("NFKC", shown).split())


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in {"Cc", "Cf"} or letter == "\u034f" or "\ufe00" <= letter <= "\ufe0f"


PLAIN = Interpretation("as plain text", "empty text and missing values, or different kinds of line breaks", _plainly)
PANDAS = Interpretation(
    "with the defaults of pandas", "missing values and words such as NA, None, null or nan", _with_words
)

#: What a reader sees; it is no rule that programs read so, but a warning that rows may hold less than they seem to.
BY_EYE = Interpretation(
    "by eye", "values that differ only in blanks, invisible characters or forms of Unicode", _by_eye
)

#: By file format, from the finest to the coarsest, in addition to the text as it is written.
INTERPRETATIONS: dict[str, tuple[Interpretation, ...]] = {"csv": (PLAIN, PANDAS), "tsv": (PLAIN, PANDAS)}


def seen_through(reading: Interpretation, table: pa.Table) -> tuple[pa.Table, list[str]]:
    """Interpret a table of text; return it, and the columns in which different values have become one."""
    merged = []
    for place, name in enumerate(table.column_names):
        column = _seen_column(reading, table.column(place))
        if column is not None:
            merged.append(name)
            table = table.set_column(place, name, column)
    return table, merged


def _seen_column(reading: Interpretation, column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Interpret a column; None if all of its values stay different."""
    coded = code_column("", column)
    if not is_text(coded.values.type):
        return None
    texts = coded.values.to_pylist()
    missing = coded.codes == len(texts)
    seen = [reading.seen(text) for text in texts]
    if len({*seen, None} if missing.any() else set(seen)) == len(seen) + missing.any():
        return None
    codes = pa.array(coded.codes, mask=missing)
    return pa.chunked_array([pa.array(seen, pa.string()).take(codes).dictionary_encode()])


def is_text(kind: pa.DataType) -> bool:
    """Whether values are text, which programs may read differently."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def words_for_missing(table: pa.Table) -> dict[str, list[str]]:
    """The texts of every column that common programs take for missing."""
    found: dict[str, list[str]] = {}
    for name in table.column_names:
        values = code_column(name, table.column(name)).values
        if is_text(values.type):
            words = sorted(MISSING_WORDS.intersection(values.to_pylist()))
            found |= {name: words} if words else {}
    return found
