"""Text that a spreadsheet would run, made harmless in a way that keeps different texts different.

A formula begins with one of a few signs: at the start of a cell, or wherever a program that expects another separator
would start a cell, or behind a byte order mark. It gets an apostrophe in front; so does a text that already looks like
that, or `=x` and `'=x` would be one.
"""

from __future__ import annotations

import re
from functools import cache

import pyarrow as pa
import pyarrow.compute as pc

#: What a formula begins with, also in the full width that some spreadsheets take for the same.
_SIGNS = "=@+\\-＝＠＋－"
_SEPARATORS = ",;\t|"
#: What may stand between the start of a cell and its formula, in the words of Arrow's expressions.
_BEFORE = r"""'"\s\pZ\x{feff}\x{85}\x{0b}\x{1c}-\x{1f}"""

#: A signed number is no formula; neither is the end of an interval.
_NUMBER = re.compile(r"[+-](\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[\])]?")


def without_formulas(values: pa.Array, separator: str) -> pa.Array:
    """Return texts that no spreadsheet runs, in a file whose cells this separator parts."""
    starts = _starts(separator)
    suspects = pc.match_substring_regex(values, rf"(^|[{starts}])[{_BEFORE}]*[{_SIGNS}]|^'*[\t\r\n]")
    if not pc.any(suspects).as_py():
        return values
    guarded = [_guarded(text, separator) for text in values.filter(suspects).to_pylist()]
    return pc.replace_with_mask(values, suspects, pa.array(guarded, values.type))


def _starts(separator: str) -> str:
    """Return what a cell may begin behind, for a program that does not know the file's own separator."""
    return re.escape(_SEPARATORS.replace(separator, "")) + r"\r\n"


@cache
def _formula(separator: str) -> re.Pattern[str]:
    starts = _starts(separator)
    blanks = r"[^\S\r\n]" if separator == "\t" else r"[^\S\r\n\t]"
    return re.compile(rf"(?:\A|(?<=[{starts}]))(?P<before>(?:{blanks}|\ufeff|\")*)(?P<text>'*[{_SIGNS}][^{starts}]*)")


def _guarded(text: str, separator: str) -> str:
    """Put an apostrophe before everything that would be run; a text with a blank in front of all gets one anyway."""
    guarded = _formula(separator).sub(_with_apostrophe, text)
    begins_apart = re.match(r"'*[\t\r\n]", guarded) is not None
    return f"'{guarded}" if begins_apart else guarded


def _with_apostrophe(found: re.Match[str]) -> str:
    goes_on = found.string[found.end() : found.end() + 1] in {"\r", "\n"}
    if _NUMBER.fullmatch(found["text"]) and not goes_on:
        return found[0]
    return f"{found['before']}'{found['text']}"
