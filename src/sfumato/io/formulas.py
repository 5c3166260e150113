"""Protection against formula injection: text that a spreadsheet would run gets an apostrophe in front.

A formula begins with one of a few signs: at the start of a cell, wherever a program that expects another separator
would start a cell, or after a byte order mark.

Different texts stay different: a text that already begins with an apostrophe and a formula gets another one, since
otherwise `=x` and `'=x` would become the same.
"""

from __future__ import annotations

import re
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

#: What a formula begins with, also as full-width characters, which some spreadsheets treat alike.
_SIGNS = "=@+\\-＝＠＋－"
_SEPARATORS = ",;\t|"
#: What may stand between the start of a cell and its formula, in Arrow's regular expression syntax.
_BEFORE = r"""'"\s\pZ\x{feff}\x{85}\x{0b}\x{1c}-\x{1f}"""

#: A signed number is not a formula, and neither is the end of an interval.
_NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[\])]?")


def without_formulas(values: pa.Array, separator: str) -> pa.Array:
    """Make texts harmless for spreadsheets, in a file with this separator."""
    starts = _starts(separator)
    suspects = pc.match_substring_regex(values, rf"(^|[{starts}])[{_BEFORE}]*[{_SIGNS}]|^'*[\t\r\n]")
    if not pc.any(suspects).as_py():
        return values
    guarded = [_guarded(text, separator) for text in values.filter(suspects).to_pylist()]
    return pc.replace_with_mask(values, suspects, pa.array(guarded, values.type))


def _starts(separator: str) -> str:
    """The characters after which a program that expects another separator may begin a cell."""
    return re.escape(_SEPARATORS.replace(separator, "")) + r"\r\n"


@cache
def _formula(separator: str) -> re.Pattern[str]:
    starts = _starts(separator)
    blanks = r"[^\S\r\n]" if separator == "\t" else r"[^\S\r\n\t]"
    return re.compile(rf"(?:\A|(?<=[{starts}]))(?P<before>(?:{blanks}|\ufeff|\")*)(?P<text>'*[{_SIGNS}][^{starts}]*)")


def _guarded(text: str, separator: str) -> str:
    """Put an apostrophe before everything that would be run, and before text that begins with a tab or a line break."""
    guarded = _formula(separator).sub(_with_apostrophe, text)
    begins_apart = re.match(r"'*[\t\r\n]", guarded) is not None
    return f"'{guarded}" if begins_apart else guarded


def _with_apostrophe(found: re.Match[str]) -> str:
    goes_on = found.string[found.end() : found.end() + 1] in {"\r", "\n"}
    if _NUMBER.fullmatch(found["text"]) and not goes_on:
        return found[0]
    return f"{found['before']}'{found['text']}"
