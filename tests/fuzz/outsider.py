"""What somebody sees who has nothing but the published file, by code that shares nothing with Sfumato."""

from __future__ import annotations

import csv
import datetime as dt
import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

Cell = str | None
Row = dict[str, Cell]
#: Rows that look alike in the quasi-identifiers.
Classes = dict[tuple[Cell, ...], list[Row]]

SEPARATORS = {"csv": ",", "tsv": "\t"}
INTERVAL = re.compile(r"[\[(](.+), (.+)[\])]", re.DOTALL)


# --- reading


def by_csv(path: Path) -> list[Row]:
    """Read a delimited file with Python's own reader."""
    with path.open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter=SEPARATORS[path.suffix[1:]], strict=True)
    assert all(len(row) == len(header) for row in rows), "rows differ in length"
    return [dict(zip(header, row, strict=True)) for row in rows]


def by_pandas(path: Path) -> list[Row]:
    """Read a delimited file with pandas, as text."""
    frame = pd.read_csv(path, sep=SEPARATORS[path.suffix[1:]], dtype=str, keep_default_na=False, encoding="utf-8")
    return frame.to_dict("records")


def by_json(path: Path) -> list[Row]:
    """Read JSON lines with Python's own reader; numbers stay as they are written."""
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines.pop() == "", "the last line does not end"
    read = [json.loads(line, parse_float=str, parse_int=str, parse_constant=str) for line in lines]
    return [{name: str(cell) if isinstance(cell, bool) else cell for name, cell in row.items()} for row in read]


def by_duckdb(path: Path) -> list[Row]:
    """Read a Parquet file with DuckDB, everything as text."""
    found = duckdb.sql(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM read_parquet('{path}')")
    names = found.columns
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


READERS: dict[str, list[Callable[[Path], list[Row]]]] = {
    "csv": [by_csv, by_pandas],
    "tsv": [by_csv, by_pandas],
    "jsonl": [by_json],
    "parquet": [by_duckdb],
}


# --- judging


def classes_of(rows: Sequence[Row], columns: Sequence[str]) -> Classes:
    classes: Classes = defaultdict(list)
    for row in rows:
        classes[tuple(row[name] for name in columns)].append(row)
    return classes


def broken(promise: Mapping[str, Any], classes: Classes, shown: Mapping[str, Sequence[str]]) -> str | None:
    """Say which class breaks a promise, if any does."""
    for key, rows in classes.items():
        found = _found(promise, key, rows, classes, shown)
        if found is not None:
            return f"{promise}: {key} has {found}"
    return None


def _found(promise: Mapping[str, Any], key: Any, rows: list[Row], classes: Classes, shown: Any) -> object | None:
    """Return what a class has instead of what was promised; None if it keeps the promise."""
    model = promise["model"]
    if model == "k":
        return len(rows) if len(rows) < promise["k"] else None
    if model == "span":
        return _too_narrow(promise, [rows[0][name] for name in shown[promise["column"]]])
    counts = Counter(row[promise["column"]] for row in rows)
    if model == "l":
        return _not_diverse(promise, sorted(counts.values(), reverse=True), len(rows))
    whole = Counter(row[promise["column"]] for group in classes.values() for row in group)
    distance = _distance(promise, counts, whole)
    return distance if distance > promise["t"] + 1e-11 else None


def _not_diverse(promise: Mapping[str, Any], counts: list[int], size: int) -> object | None:
    l, kind = promise["l"], promise["kind"]  # noqa: E741
    if kind == "frequency":
        return counts if Fraction(counts[0]) * Fraction(str(l)) > size else None
    if kind == "distinct":
        return counts if len(counts) < l else None
    if kind == "entropy":
        entropy = -sum(count / size * math.log(count / size) for count in counts)
        return entropy if entropy < math.log(l) - 1e-9 else None
    return counts if not counts[0] < promise["c"] * sum(counts[int(l) - 1 :]) else None


def _distance(promise: Mapping[str, Any], counts: Counter[Cell], whole: Counter[Cell]) -> float:
    """Return the earth mover's distance of a class from the release."""
    size, total = sum(counts.values()), sum(whole.values())
    extra = {value: Fraction(counts[value], size) - Fraction(whole[value], total) for value in whole}
    if promise["distance"] == "equal":
        return float(sum(abs(share) for share in extra.values()) / 2)
    if promise["distance"] == "ordered":
        moved, carried = Fraction(0), Fraction(0)
        for value in sorted(whole, key=_in_order):
            carried += extra[value]
            moved += abs(carried)
        return float(moved / max(1, len(whole) - 1))
    return float(_work_in_tree(extra, promise["groups"]))


def _in_order(value: Cell) -> tuple[bool, float]:
    return (True, 0.0) if value in {None, ""} else (False, float(str(value)))


def _work_in_tree(extra: Mapping[Cell, Fraction], groups: Mapping[str, Sequence[str]]) -> Fraction:
    """Even out within the groups, half as far apart as the groups themselves; a missing value is alone."""
    of_value = {value: group for group, values in groups.items() for value in values}
    shares: dict[object, list[Fraction]] = defaultdict(list)
    for value, share in extra.items():
        shares[of_value.get(str(value), value) if value else None].append(share)
    work, totals = Fraction(0), []
    for group in shares.values():
        above, below = sum(max(share, 0) for share in group), sum(max(-share, 0) for share in group)
        work += Fraction(1, 2) * min(above, below)
        totals.append(sum(group))
    return work + min(sum(max(share, 0) for share in totals), sum(max(-share, 0) for share in totals))


def _too_narrow(promise: Mapping[str, Any], cells: Sequence[Cell]) -> object | None:
    order = promise.get("order", [])
    ends = _ends(cells, order)
    if ends is None:
        return None
    if promise.get("calendar"):
        low, high = Fraction(_days(ends[0])[0]), Fraction(_days(ends[1])[1])
    else:
        low, high = (Fraction(order.index(end)) if order else exact(end) for end in ends)
    # A width with a fraction is a float, and means whatever rounds to it: 0.3 - 1e-300 does.
    width = promise["width"]
    return f"{cells}" if (high - low if width == int(width) else float(high - low)) < width else None


def _ends(cells: Sequence[Cell], order: Sequence[str] = ()) -> tuple[str, str] | None:
    """Return the ends of what is shown; None where nothing is."""
    if len(cells) == 2:
        return None if not any(cells) else (str(cells[0]), str(cells[1]))
    text = cells[0]
    if text == "*":
        return None
    assert text, "a missing value was shown where a width was promised"
    if order:
        return next((pair for pair in product(order, order) if "[{}, {}]".format(*pair) == text), (text, text))
    found = INTERVAL.fullmatch(text)
    return (text, text) if found is None else (found[1], found[2])


def _days(text: str) -> tuple[int, int]:
    """Return the first and the last day of what the calendar calls by this name, counted in days.

    >>> [last - first for first, last in map(_days, ["2020-02-03", "2020-02", "2021-02", "2020-Q1", "2020", "2020s"])]
    [0, 28, 27, 90, 365, 3652]
    """
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}( 00:00:00)?", text):
        return int(exact(text)), int(exact(text))
    found = re.fullmatch(r"(\d{4})(?:(s)|-Q([1-4])|-(\d{2}))?", text)
    assert found, f"{text!r} is no stretch of the calendar"
    decade, quarter, month = found[2], found[3], found[4]
    first = int(month) if month else 3 * int(quarter) - 2 if quarter else 1
    months = 120 if decade else 1 if month else 3 if quarter else 12
    years, after = divmod(first - 1 + months, 12)
    begin, end = dt.date(int(found[1]), first, 1), dt.date(int(found[1]) + years, after + 1, 1)
    return begin.toordinal(), end.toordinal() - 1


def exact(text: str) -> Fraction:
    """Return a number, or a day counted in days."""
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}( 00:00:00)?", text):
        return Fraction(pd.Timestamp(text).toordinal())
    return Fraction(text)


# --- is it true of the original?


def is_true(
    kind: str, original: Any, cells: Sequence[Cell], ancestors: Mapping[str, Iterable[str]], grades: list[str]
) -> bool:
    """Return whether what is shown of a quasi-identifier is true of the original value."""
    if len(cells) == 2:
        low, high = cells
        if not low and not high:
            return True  # nothing is told
        return original is not None and within(kind, original, str(low), str(high), grades)
    text = cells[0]
    if text == "*":
        return True
    if original is None:
        return text in {None, ""}
    if kind in {"category", "flag"}:
        return text is not None and _unguarded(text) in {_unguarded(str(original)), str(original).lower()}
    if kind == "tree":
        return text == original or text in ancestors[original]
    if kind == "prefix":
        return text is not None and len(text) == len(original) and original.startswith(text.rstrip("*"))
    if text is None or text == "":
        return False
    if kind in {"date", "moment"} and (stretch := _stretch(text)):
        return str(original).startswith(stretch)
    found = _ends([text], grades if kind == "grade" else ())
    return found is None or within(kind, original, *found, grades, open_end=text.endswith(")"))


def _stretch(text: str) -> tuple[str, ...] | None:
    """Return how the days of a year, a decade, a quarter or a month begin."""
    if re.fullmatch(r"\d{4}", text) or re.fullmatch(r"\d{4}-\d{2}", text):
        return (text,)
    if re.fullmatch(r"\d{3}0s", text):
        return (text[:3],)
    if found := re.fullmatch(r"(\d{4})-Q([1-4])", text):
        return tuple(f"{found[1]}-{month:02d}" for month in range(3 * int(found[2]) - 2, 3 * int(found[2]) + 1))
    return (text,) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) else None


def within(kind: str, original: Any, low: str, high: str, grades: list[str], *, open_end: bool = False) -> bool:
    """Return whether an original value lies between two ends."""
    if kind == "grade":
        return grades.index(low) <= grades.index(original) <= grades.index(high)
    if kind in {"date", "moment"}:
        first, value, last = pd.Timestamp(low), pd.Timestamp(original), pd.Timestamp(high)
        if kind == "moment" and re.fullmatch(r"\d{4}-\d{2}-\d{2}", high):  # a day stands for all its times
            last, open_end = last + pd.Timedelta(days=1), True
    else:
        first, value, last = exact(low), Fraction(str(original)), exact(high)
    return bool(first <= value < last or (value == last and not open_end))


def same(original: Any, cell: Cell) -> bool:
    """Return whether a released cell is the original one."""
    if original is None or original != original:
        return cell in {None, "", "nan", "NaN"}
    if isinstance(original, int | float):
        try:
            return cell not in {None, ""} and float(str(cell)) == float(original)
        except ValueError:
            return False
    return _unguarded(original) == _unguarded(cell or "")


def _unguarded(text: str) -> str:
    """Return a text without the apostrophes that keep spreadsheets from running it."""
    return text.replace("'", "")


def matched(released: int, fits: Sequence[Sequence[int]]) -> bool:
    """Return whether every released row can be another original row, given the original rows that fit each."""
    owner: dict[int, int] = {}

    def place(row: int, tried: set[int]) -> bool:
        for original in fits[row]:
            if original not in tried:
                tried.add(original)
                if original not in owner or place(owner[original], tried):
                    owner[original] = row
                    return True
        return False

    return all(place(row, set()) for row in range(released))
