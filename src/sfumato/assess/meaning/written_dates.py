"""Dates as people write them: the formats of a column, and the date of each value."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

_DAYS = (
    *("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d", "%d%m%Y"),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%d-%b-%Y", "%d-%b-%y", "%d.%m.%y", "%m/%d/%y", "%d/%m/%y"),
)
_CLOCKS = (" %H:%M", " %H:%M:%S", "T%H:%M", "T%H:%M:%S", "T%H:%M:%SZ")
_SAS = ("%d%b%Y:%H:%M:%S.%f", "%d%b%Y:%H:%M:%S", "%d%b%Y")
#: All formats that are tried; among those that fit equally, the first is taken.
FORMS = (
    *_DAYS,
    *(day + clock for day in _DAYS for clock in _CLOCKS),
    "%m/%Y",
    "%Y-%m",
    "%m.%Y",
    "%b %Y",
    "%Y/%m",
    "%Y%m%d%H%M",
    "%Y%m%d%H%M%S",
    *_SAS,
)
#: The most formats that may be mixed in one column.
MOST_FORMS = 4
#: The share of values that the formats together must fit.
ENOUGH = 0.95

_LIKELY = re.compile(r".*\d.*[-/. T].*\d.*|\d{8}|\d{12}|\d{14}")
#: Hospitals shift dates by a century or two.
_EARLIEST, _LATEST = 1850, 2300


def read(text: str, form: str) -> dt.datetime | None:
    """Parse a text in a format; None if it does not match."""
    try:
        moment = dt.datetime.strptime(text, form)
    except ValueError:
        return None
    return moment if _EARLIEST <= moment.year <= _LATEST else None


def forms_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Find the fewest date formats that cover nearly all texts; none if they are no dates.

    >>> forms_of(["31.12.2020", "01.02.2021"]), forms_of(["31.12.2020", "2021-02-01"]), forms_of(["a", "b"])
    (('%d.%m.%Y',), ('%Y-%m-%d', '%d.%m.%Y'), ())
    """
    few = texts[:20]
    if not few or sum(1 for text in few if _LIKELY.fullmatch(text)) < ENOUGH * len(few):
        return ()
    # A format that none of many values has is not worth trying on all of them.
    spread = texts[:: max(1, len(texts) // 60)]
    likely = [form for form in FORMS if any(read(text, form) for text in spread)]
    left, chosen = list(texts), list[str]()
    while left and likely and len(chosen) < MOST_FORMS:
        best = max(likely, key=lambda form: sum(1 for text in left if read(text, form)))
        rest = [text for text in left if not read(text, best)]
        if len(rest) == len(left):
            break
        chosen.append(best)
        left = rest
    return tuple(chosen) if len(left) <= (1 - ENOUGH) * len(texts) else ()


def moment_of(text: str, forms: Sequence[str]) -> dt.datetime | None:
    """Parse a text in the first format that fits."""
    return next((moment for form in forms if (moment := read(text.strip(), form))), None)
