"""The exceptions that Sfumato raises.

    SfumatoError
    ├── ParameterError      an argument is out of range or of the wrong kind
    ├── SchemaError         columns and roles do not fit together, or not the table
    ├── HierarchyError      a hierarchy contradicts itself or does not cover the data
    ├── DataError           the contents of a column cannot be anonymized as asked
    │   └── SourceError     a file or a frame cannot be read
    ├── InfeasibleError     no release of this table can keep the stated privacy
    ├── CautionError        a guardrail stops the request: confirm what it found, or change the request
    ├── VerificationError   a release did not pass its independent check; nothing is written
    ├── OutputError         the release cannot be written where it was asked to go
    ├── EngineError         an external engine cannot run: no Java, or a cluster that does not answer
    └── MissingExtraError   an optional dependency is needed and not installed

Every message says what is wrong, where, and what to do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any, Self


class SfumatoError(Exception):
    """Base class of all errors that Sfumato raises deliberately."""

    def __init__(self, *args: object) -> None:
        # Names and paths may come from untrusted files, so control characters are escaped before a terminal sees them.
        super().__init__(*(printable(one) if isinstance(one, str) else one for one in args))

    #: The positions of the values to blame among those that were checked; callers that know the rows can locate them.
    misfits: Sequence[int] = ()

    def blaming(self, misfits: Sequence[int]) -> Self:
        """Attach the positions of the values that are to blame, and return this error."""
        self.misfits = tuple(misfits)
        return self


class ParameterError(SfumatoError, ValueError):
    """An argument is out of range or of the wrong kind."""


class SchemaError(SfumatoError, ValueError):
    """Columns and roles do not fit together, or do not fit the table."""


class HierarchyError(SfumatoError, ValueError):
    """A hierarchy contradicts itself or does not cover the data."""


class DataError(SfumatoError, ValueError):
    """The contents of a column cannot be anonymized as asked."""


class SourceError(DataError):
    """A file or a frame cannot be read."""


class InfeasibleError(SfumatoError):
    """No release of this table can keep the stated privacy.

    The message names the condition that fails and the nearest one that would work.
    """


class CautionError(SfumatoError):
    """A guardrail found something that a careful person would not release: confirm it, or change the request.

    Attributes
    ----------
    cautions
        What was found.
    """

    def __init__(self, message: str, cautions: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.cautions = tuple(cautions)


class VerificationError(SfumatoError):
    """A release did not pass its independent check, so it is not returned."""


class OutputError(SfumatoError, OSError):
    """The release cannot be written where it was asked to go."""


class EngineError(SfumatoError):
    """An external engine cannot run: Java is missing, a cluster does not answer, or workers lack a package."""


class MissingExtraError(SfumatoError, ImportError):
    """An optional dependency is needed and not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an optional dependency. Install it with: pip install 'sfumato[{extra}]'")


def invalid_parameter(owner: str, name: str, expected: str, got: object, hint: str = "") -> ParameterError:
    """Build the one message that every rejected parameter gets.

    >>> print(invalid_parameter("KAnonymity", "k", "an integer of at least 2", 0))
    The 'k' parameter of KAnonymity must be an integer of at least 2. Got 0.
    """
    message = f"The '{name}' parameter of {owner} must be {expected}. Got {shortened(got)}."
    return ParameterError(f"{message} {hint}".rstrip())


_UNPRINTABLE = re.compile(
    "[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb"
    "\\ud800-\\udfff\\U000e0000-\\U000e007f]"
)


def printable(text: str, lines: bool = True) -> str:
    r"""Escape what a terminal would interpret: control sequences, direction marks, zero-width characters.

    Parameters
    ----------
    text
        What is going to be printed.
    lines
        Whether a line break is one; otherwise it is shown as well.

    Examples
    --------
    >>> print(printable("age\x1b[2J\u202e"))
    age\x1b[2J\u202e
    """
    text = _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
    return text if lines else text.replace("\n", "\\n")


def shortened(value: object, limit: int = 60) -> str:
    """Show a value in a message without letting a huge one flood the screen."""
    try:
        text = repr(value)
    except ValueError:  # of Python, about thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


#: How alike a misspelt word and the first part of a known one have to be.
FIRST_WORD = 0.75


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Suggest the known word that a misspelt one is closest to, as a sentence; nothing if none is close.

    >>> did_you_mean("modrian", ["hilbert", "mondrian"])
    "Did you mean 'mondrian'?"
    >>> did_you_mean("hippa", ["wp216", "hipaa-safe-harbor"])
    "Did you mean 'hipaa-safe-harbor'?"
    """
    words = [word for word in known if isinstance(word, str)]
    if not isinstance(name, str):
        return ""
    by_case = {word.casefold(): word for word in words}
    close = difflib.get_close_matches(name.casefold(), by_case, n=1)
    if not close:
        by_case = {word.partition("-")[0]: whole for word, whole in reversed(by_case.items())}
        close = difflib.get_close_matches(name.casefold(), by_case, n=1, cutoff=FIRST_WORD)
    return f"Did you mean {listed([by_case[close[0]]])}?" if close else ""


def no_column(unknown: Sequence[str], known: Iterable[str], what: str = "The table") -> str:
    """Say which columns are lacking, which there are, and which was probably meant.

    >>> no_column(["agee"], ["age", "sex"])
    "The table has no column 'agee'. Its columns are 'age', 'sex'. Did you mean 'age'?"
    """
    columns = list(known)
    meant = next(filter(None, (did_you_mean(name, columns) for name in unknown)), "")
    return f"{what} has no column {listed(unknown)}. Its columns are {listed(columns)}. {meant}".rstrip()


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Join names for a message: ``'a', 'b', 'c'``, and how many more there are."""
    shown = [printable(name, lines=False) for name in names]
    quoted = [f"'{name}'" if len(name) <= 80 else f"'{name[:79]}…'" for name in shown]
    if len(quoted) <= limit:
        return ", ".join(quoted)
    return ", ".join(quoted[:limit]) + f" and {len(quoted) - limit} more"
