"""Where a table begins: titles above its header, a header that is missing, names that occur twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import pyarrow as pa

from sfumato.errors import listed
from sfumato.io.written_dates import WrittenDates, date_like

#: The most lines or rows above a header that are taken for titles.
MOST_TITLES = 20
#: The fewest columns of a table in which a first row with a single cell is a title, and not a column without a name.
FEWEST_BESIDE_TITLE = 3
#: The fewest rows below a header that make a missing header worth a question.
FEWEST_ROWS = 2

_NUMBER = re.compile(r"[-+]?\d+([.,]\d+)*")
_YEAR = re.compile(r"(1[89]|20)\d\d")


def titles_above(records: Sequence[Sequence[str]]) -> int:
    """Count the records above the header that evidently are titles: one cell or none, while the table has several.

    >>> titles_above([["Report"], [], ["name", "age"], ["Ann", "34"], ["Ben", "51"]])
    2
    >>> titles_above([["name"], ["Ann"]]), titles_above([["name", ""], ["Ann", "34"]])
    (0, 0)
    >>> titles_above([["Report", "", ""], ["name", "age", "sex"], ["Ann", "34", "f"]])
    1
    """
    filled = [sum(bool(cell.strip()) for cell in record) for record in records]
    widths = Counter(len(record) for record, cells in zip(records, filled, strict=True) if cells)
    width = max(widths, key=lambda one: (widths[one], one), default=0)
    if width < 2:
        return 0
    for place, (record, cells) in enumerate(zip(records[: MOST_TITLES + 1], filled, strict=False)):
        if cells > 1 or (cells == 1 and len(record) == width and width < FEWEST_BESIDE_TITLE):
            full = len(record) == width and cells == width and len(set(record)) == width
            return place if full else 0
    return 0


def looks_headless(names: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    """The names that look like values of their own columns, if there are so many that the header seems to be missing.

    A year may be a name (``2019``, ``2020``), so years say nothing.

    >>> looks_headless(["34", "F"], [["51", "27"], ["M", "F"]]), looks_headless(["age", "sex"], [["51"], ["F"]])
    (['34', 'F'], [])
    """
    rows = max(map(len, columns), default=0)
    if rows < FEWEST_ROWS:
        return []
    numbered = [name.strip() for name in names if any(letter.isdigit() for letter in name)]
    dates = date_like(numbered) if numbered else frozenset()
    alike = [name for name, cells in zip(names, columns, strict=False) if _is_value(name.strip(), cells, dates)]
    telling = [name for name in alike if not _YEAR.fullmatch(name.strip())]
    return alike if telling and 2 * len(telling) >= len([name for name in names if name.strip()]) else []


def _is_value(name: str, cells: Sequence[str], dates: Collection[str]) -> bool:
    if not name:
        return False
    others = [cell.strip() for cell in cells if cell.strip()]
    if _NUMBER.fullmatch(name):
        return bool(others) and all(_NUMBER.fullmatch(cell) for cell in others[:50])
    if name in others or name not in dates:
        return name in others
    written = WrittenDates()
    written.look(pa.array([name]))
    return written.reading is not None


def made_distinct(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Number the names that occur more than once; return all names, and those that were changed.

    >>> made_distinct(["age", "sex", "age", "age_2"])
    (['age', 'sex', 'age_3', 'age_2'], ['age_3'])
    """
    taken = set(names)
    seen: set[str] = set()
    found, changed = [], []
    for name in names:
        new = name
        if name in seen:
            new = next(one for one in _numbered(name) if one not in taken)
            changed.append(new)
        taken.add(new)
        seen.add(new)
        found.append(new)
    return found, changed


def _numbered(name: str) -> Iterator[str]:
    number = 1
    while True:
        number += 1
        yield f"{name}_{number}"


def said_twice(changed: Sequence[str]) -> tuple[str, str]:
    """What to tell about names that occurred twice: what was found, and what to do."""
    return (
        f"Names in the header occur more than once; here the later ones are called {listed(changed)}.",
        "Use these names, or give every column a name of its own.",
    )


def said_titles(titles: int, unit: str, where: str) -> tuple[str, str]:
    """What to tell about lines or rows above the header."""
    first = f"The first {unit} of {where} is" if titles == 1 else f"The first {titles:,} {unit}s of {where} are"
    return (
        f"{first} taken for titles above the header.",
        f"If that is wrong, say how many {unit}s stand above the header (skip=0, on the command line --skip 0).",
    )


#: What is found where the header seems to be missing.
HEADLESS = (
    "The first row looks like values, not like names: the header seems to be missing, and then the first person "
    "would be published as the names of columns."
)


def said_headless() -> tuple[str, str]:
    """What to tell about a header that seems to be missing."""
    return (
        HEADLESS,
        "Add a line with the names of the columns. If they are names, confirm them.",
    )
