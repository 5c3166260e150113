"""What text may mean: the types that columns of text are tried for, and the one that was found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(frozen=True)
class TextReading:
    """How the texts of a column become values.

    Attributes
    ----------
    kind
        The type of the values.
    convert
        Turns texts into values.
    said
        How the texts are written, to be told to the user; empty where there is only one way to read them.
    doubt
        Why that might be wrong; empty if no other reading fits.
    advice
        What to do if it is wrong.
    """

    kind: pa.DataType
    convert: Callable[[pa.Array], pa.Array] = field(repr=False)
    said: str = ""
    doubt: str = ""
    advice: str = ""


def silent(reading: TextReading) -> None:
    """Tell nobody."""


@dataclass(frozen=True)
class Expected:
    """What is known about a column of text before it is read.

    Attributes
    ----------
    name
        The name of the column, which may say that it holds dates.
    numbers
        Whether digits alone mean a number. In JSON they do not: there, ``"12"`` is text on purpose.
    decimal
        The decimal sign that the user names, ``"."`` or ``","``.
    elsewhere
        The decimal sign that other columns of the same file use, if they show it.
    form
        The form in which the user says that the dates of the column, or of all columns, are written.
    required
        Whether the user gives that form for this very column, so that all of its values must have it.
    tell
        Called with what was found.
    """

    name: str = ""
    numbers: bool = True
    decimal: str | None = None
    elsewhere: str | None = None
    form: str | None = None
    required: bool = False
    tell: Callable[[TextReading], None] = field(default=silent, repr=False, compare=False)


#: Text of which nothing is known, where digits mean a number, and where they do not.
ANY = Expected()
WORDS = Expected(numbers=False)
