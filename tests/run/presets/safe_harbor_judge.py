"""What an outsider says of a column under HIPAA Safe Harbor: it came out, in part, or not at all.

The judge looks at the finished release and at the words of a refusal, and at nothing else. Nothing here is shared with
what recognizes columns.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
from tests import people
from tests.run.presets.safe_harbor_columns import Column
from tests.run.presets.safe_harbor_made import Made

import sfumato as sf
from sfumato.errors import SfumatoError

#: What is declared of columns with these names.
Roles = Callable[[list[str]], dict[str, Any]]

PRESET = "hipaa-safe-harbor"
#: Born in or before this year, somebody is over 89 at the end of this one.
OVER_89 = dt.datetime.now(tz=dt.UTC).year - 90
#: People in a table. With several rows each no column is nearly unique, which is a caution of its own.
PEOPLE = 60
#: Columns in a table: refusals come one after the other, and each costs a run of what is left.
TOGETHER = 60
#: Stands in every table, since a release protects something.
ANCHOR = "sex"

HIDDEN = re.compile(r"\*+|missing|")
#: All ages over 89, and all years of birth that imply them, as one group.
OLDEST = re.compile(r"\b90 ?(?:\+|(?:years )?(?:and|or) (?:over|older|more|above))|(?:>=|≥) ?90|> ?89")
EARLIEST = re.compile(r"(?:≤|<=|before|until|up to) ?\d{4}|\d{4} (?:or|and) (?:before|earlier)")
YEARS = re.compile(r"\[?(?:(\d{4})(s)?)?(?:(?:, |-|–)(\d{4}))?[\])]?")
MONTH = re.compile("|".join({name[:3].lower() for name in (*people.MONTHS, *people.MONATE)} - {"mar", "may"}))


def nothing(cell: str) -> str | None:
    """Everything that is left of such a column is too much."""
    return f"shows {cell!r}"


def year(cell: str) -> str | None:
    """Years may be shown, those of birth only if they imply no age over 89."""
    cell = EARLIEST.sub("", cell)
    found = YEARS.fullmatch(cell)
    if found:
        latest = int(found[3] or found[1] or 9999) + (9 if found[2] else 0)
        return None if latest > OVER_89 else f"shows the year {cell}"
    return f"shows {cell!r}" if re.search(r"\d", cell) or MONTH.search(cell.lower()) else None


def age(cell: str, limit: int = 90) -> str | None:
    """Ages up to 89 may be shown, all others as one group; the limit is in the column's unit."""
    cell = OLDEST.sub("", cell).replace(f"{limit}+", "")
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?(?:e\d+)?", cell)]
    if not numbers:
        return f"shows {cell!r}" if re.search("ninety|hundred", cell) else None
    return f"shows the age {cell!r}" if max(numbers) >= limit else None


def zip_code(cell: str) -> str | None:
    """Three digits may be shown where more than 20,000 people live, also several such areas in one cell."""
    areas = re.findall(r"[0-9A-Z-]*\d[0-9A-Z-]*", cell)
    if not areas or max(map(len, areas)) > 3:
        return f"shows {cell!r}"
    few = set(areas) & set(people.FEW_LIVE_THERE)
    return f"shows {cell!r}, where few people live" if few else None


FORMS: dict[str, Callable[[str], str | None]] = {
    "nothing": nothing,
    "year": year,
    "age": age,
    "zip": zip_code,
    "age in months": partial(age, limit=1080),
    "age in weeks": partial(age, limit=4680),
    "age in days": partial(age, limit=32_850),
}


def fault_of(column: Column, shown: Iterable[Any]) -> str | None:
    """What is wrong with a column that was released; None if nothing is."""
    for cell in sorted({str(cell) for cell in shown if cell is not None}):
        if not HIDDEN.fullmatch(cell):
            fault = FORMS[column.may_show](cell)
            if fault:
                return fault
    return None


def cells_shown(table: pa.Table, name: str) -> list[Any]:
    """All cells that a release shows of a column, also as two bounds; none if it is not there."""
    names = [found for found in table.column_names if found in {name, f"{name}_min", f"{name}_max"}]
    return [cell for found in names for cell in table[found].to_pylist()]


def table_of(columns: Sequence[Column], rows_each: int = 1) -> pa.Table:
    """A table of these columns; each has the same cells whatever stands beside it."""
    made = {column.name: people.cells(column.make, PEOPLE, column.name) * rows_each for column in columns}
    return pa.table({ANCHOR: ["F", "M"] * (PEOPLE * rows_each // 2)} | made)


def released(columns: Sequence[Column], roles: Roles, rows_each: int) -> tuple[pa.Table, dict[str, str]]:
    """The release of a table, and why columns were refused, each of which is left out until there is a release."""
    left, refused = list(columns), dict[str, str]()
    while True:
        asked = {"quasi_identifiers": ANCHOR} | roles([column.name for column in left])
        try:
            return sf.anonymize(table_of(left, rows_each), preset=PRESET, **asked).table, refused
        except SfumatoError as error:
            named = _named(error, [column.name for column in left])
            if not named:
                raise AssertionError(f"a refusal that names no column: {error}") from error
            refused |= dict.fromkeys(named, f"{type(error).__name__}: {error}")
            left = [column for column in left if column.name not in named]


def _named(error: SfumatoError, names: Sequence[str]) -> list[str]:
    """The columns that a refusal names: as its cautions do, or in its words."""
    told = {name for caution in getattr(error, "cautions", ()) for name in caution.columns}
    return [
        name for name in names if name in told or re.search(rf"(?<!\w)['\"]?{re.escape(name)}['\"](?!\w)", str(error))
    ]


def batches(columns: Sequence[Column], size: int = TOGETHER) -> list[list[Column]]:
    """Parts of a list, in none of which two names differ in capitals only."""
    parts: list[list[Column]] = []
    for column in columns:
        for part in parts:
            if len(part) < size and column.name.lower() not in {other.name.lower() for other in part}:
                part.append(column)
                break
        else:
            parts.append([column])
    return parts


def leaks(columns: Sequence[Column], roles: Roles, rows_each: int = 1) -> dict[str, str]:
    """Forbidden columns that came out, and what of them."""
    found = dict[str, str]()
    for part in batches(columns):
        table, refused = released(part, roles, rows_each)
        for column in part:
            fault = fault_of(column, cells_shown(table, column.name)) or unclear(refused.get(column.name, ""))
            if fault:
                found[column.name] = f"{column.kind}: {fault}"
    return found


def unclear(refusal: str) -> str | None:
    """What is wrong with a refusal: it blames Sfumato for what stands in the table."""
    return f"not a clear refusal: {refusal}" if "please report it" in refusal else None


def losses(columns: Sequence[Column], roles: Roles, rows_each: int = 3) -> dict[str, str]:
    """Columns that may come out and did not, or not as they are, and why."""
    found = dict[str, str]()
    for part in batches(columns):
        table, refused = released(part, roles, rows_each)
        original = table_of(part, rows_each)
        for column in part:
            shown, cells = (Counter(map(str, cells_shown(one, column.name))) for one in (table, original))
            if shown != cells:
                found[column.name] = refused.get(column.name, "changed" if shown else "dropped")
    return found


def named_by_check(columns: Sequence[Column]) -> set[str]:
    """The columns of an untouched table that a check of the preset finds fault with."""
    checks = [sf.check(table_of(part), quasi_identifiers=ANCHOR, preset=PRESET) for part in batches(columns)]
    broken = [line for check in checks for line in check.summary().splitlines() if "BROKEN" in line]
    return {column.name for column in columns if any(f"'{column.name}'" in line for line in broken)}


def leak_of(made: Made) -> str | None:
    """What a release shows of a column that the request makes; None if nothing, or if it is refused."""
    columns = {name: people.cells(make, 2 * PEOPLE, name) for name, make in made.columns.items()}
    table = pa.table({ANCHOR: ["F", "M"] * PEOPLE} | columns)
    try:
        release = sf.anonymize(table, preset=PRESET, **made.request)
    except SfumatoError as error:
        clear = any(repr(name) in str(error) for name in (made.name, *made.columns)) and "please report" not in str(
            error
        )
        return None if clear else f"not a clear refusal: {error}"
    judged = Column(made.name, made.columns.get(made.name, people.old), made.why, "made", made.may_show)
    return fault_of(judged, cells_shown(release.table, made.name))
