"""Years of two digits: one rule for every reader of dates."""

from __future__ import annotations

#: Two digits mean a year from 1930 to 2029, as in Excel: dates about people lie in the past.
FIRST_SHORT_YEAR = 1930


def full_year(short: int) -> int:
    """The year that two digits mean.

    >>> full_year(29), full_year(30), full_year(99)
    (2029, 1930, 1999)
    """
    return FIRST_SHORT_YEAR + (short - FIRST_SHORT_YEAR) % 100
