"""Random tables of visits whose dates are shifted and whose people get pseudonyms, judged by the calendar alone.

One number makes one case: ``python -m tests.fuzz.columns --seed 17 --cases 1`` repeats case 17.
"""

from __future__ import annotations

import datetime as dt
import random
from collections import defaultdict
from typing import Any
from zoneinfo import ZoneInfo

import pyarrow as pa
from tests.fuzz.search import Finding, judged, search

import sfumato as sf
from sfumato.errors import SfumatoError

#: Dates that stand for none, as hospitals write them.
NONE = ["9999-12-31", "2999-12-31", "1900-01-01", "1753-01-01", "0001-01-01", "2199-12-31", "1899-12-31"]
PEOPLE: list[Any] = [None, "None", "", "nan", "row 0", "row 1", "Anna", "anna", "ANNA", "Åsa", "1", "01", "a,b", "=x"]
ZONES = [None, None, "UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu"]


def cells_of(rng: random.Random, rows: int) -> tuple[list[Any], pa.DataType]:
    """Dates or times of a random kind, some of them missing and some standing for none."""
    first = dt.datetime(rng.choice([1931, 1999, 2023]), rng.randint(1, 12), rng.randint(1, 28))
    spread = rng.choice([3, 90, 3000])
    moments: list[Any] = [first + dt.timedelta(days=rng.randrange(spread)) for _ in range(rows)]
    for row in range(rows):
        if rng.random() < 0.15:
            moments[row] = rng.choice([None, dt.datetime.fromisoformat(rng.choice(NONE))])
    kind = rng.choice(["date", "text", "time", "time"])
    if kind != "time":
        days = [None if one is None else one.date() for one in moments]
        return (days, pa.date32()) if kind == "date" else ([one and one.isoformat() for one in days], pa.string())
    zone, unit = rng.choice(ZONES), rng.choice(["s", "ms", "us"])
    hours = rng.choice([[0], [0, 7, 22], [2]])
    clock = [one and one.replace(hour=rng.choice(hours), minute=rng.choice([0, 30])) for one in moments]
    if zone is not None:
        clock = [one if one is None or one.year < 3 else one.replace(tzinfo=ZoneInfo(zone)) for one in clock]
        clock = [None if one is not None and (one.tzinfo is None or one.year > 9000) else one for one in clock]
    return clock, pa.timestamp(unit, zone)


def case(seed: int) -> tuple[pa.Table, dict[str, Any]]:
    """The table and the request of a seed."""
    rng = random.Random(seed)
    rows = rng.randint(2, 40)
    columns = {name: pa.array(*cells_of(rng, rows)) for name in ("a", "b")[: rng.randint(1, 2)]}
    who = [rng.choice(PEOPLE) for _ in range(rows)]
    how = sf.Shift(rng.choice([1, 2, 30, 365, 5000]), rng.choice([None, [], [], NONE, ["2024-01-01"]]))
    request: dict[str, Any] = {
        "quasi_identifiers": "g",
        "plain": list(columns),
        "confirm": list(columns),
        "transform": dict.fromkeys(columns, how),
        "k": 1,
        "method": "mondrian",
        "keep_order": True,
        "seed": rng.choice([None, seed]),
        **({"person": "who"} if rng.random() < 0.6 else {"identifiers": "who"}),
    }
    if rng.random() < 0.5:
        request["pseudonymize"] = {"who": sf.Pseudonyms(rng.choice(["keyed", "random"]))}
    return pa.table({"g": [1] * rows, "who": pa.array(who, pa.string()), **columns}), request


def run(seed: int) -> str:
    """Make the release of a case and judge it; return what became of it."""
    table, request = case(seed)
    try:
        release = sf.anonymize(table, **request)
    except SfumatoError as error:
        if "please report" in str(error):
            raise Finding(f"the product blames itself: {error}") from error
        _judge_message(str(error), table, request)
        return type(error).__name__
    if release.table.num_rows != table.num_rows:
        raise Finding("rows are lost")
    _judge_shifts(table, release.table, request)
    if "pseudonymize" in request:
        _judge_pseudonyms(table["who"].to_pylist(), release.table["who"].to_pylist())
    return "released"


def _judge_message(text: str, table: pa.Table, request: dict[str, Any]) -> None:
    for name in request["transform"]:
        for cell in table[name].to_pylist():
            if cell is not None and str(cell)[:10] in text and str(cell)[:10] != "2024-12-31":
                raise Finding(f"the message shows a value: {text}")


def _wall(cell: Any, kind: pa.DataType) -> dt.datetime | None:
    """A cell by the calendar and the clock of its owner."""
    if cell is None:
        return None
    if isinstance(cell, str):
        return dt.datetime.fromisoformat(cell)
    if not isinstance(cell, dt.datetime):
        return dt.datetime(cell.year, cell.month, cell.day)
    zone = getattr(kind, "tz", None)
    return cell.astimezone(ZoneInfo(zone)).replace(tzinfo=None) if zone else cell


def _judge_shifts(table: pa.Table, released: pa.Table, request: dict[str, Any]) -> None:
    shifts: dict[Any, set[int]] = defaultdict(set)
    alone = []
    for name, how in request["transform"].items():
        kind = table[name].type
        pairs = zip(table[name].to_pylist(), released[name].to_pylist(), table["who"].to_pylist(), strict=True)
        for row, (old, new, who) in enumerate(pairs):
            days = _shift(_wall(old, kind), _wall(new, released[name].type), how, kind)
            if days is None:
                continue
            owner = ("person", who) if request.get("person") and who is not None else ("row", row)
            shifts[owner].add(days)
            alone += [days] if owner[0] == "row" else []
    if any(len(found) > 1 for found in shifts.values()):
        raise Finding(f"an owner has several shifts: {dict(shifts)}")
    most = next(iter(request["transform"].values())).days
    if most >= 30 and len(alone) >= 8 and len(set(alone)) == 1:
        raise Finding("rows without a person share a shift")


def _shift(old: dt.datetime | None, new: dt.datetime | None, how: sf.Shift, kind: pa.DataType) -> int | None:
    """The days between two cells; None for one that stays, rightly."""
    if old is None or new is None:
        if old is not new:
            raise Finding(f"a missing date became {new}, or {old} missing")
        return None
    stays = str(old.date()) in NONE or old.year >= 2150 if how.keep is None else str(old.date()) in how.keep
    if stays:
        if new != old:
            raise Finding(f"{old} is no date of a person and became {new}")
        return None
    zone = getattr(kind, "tz", None)
    # Nobody knows whether there will be summer time after 2037: libraries disagree.
    unsure = zone is not None and max(old.year, new.year) >= 2037
    gap = zone is not None and old.hour == 2 and new.time() == dt.time(3)
    if old.time() != new.time() and not (gap or unsure):
        raise Finding(f"the clock changed from {old} to {new}")
    days = round((new - old) / dt.timedelta(days=1))
    if not 0 < abs(days) <= how.days:
        raise Finding(f"{old} became {new}")
    return days


def _judge_pseudonyms(names: list[Any], shown: list[Any]) -> None:
    pairs = set(zip(names, shown, strict=True))
    if len({name for name, _ in pairs}) != len(pairs) or len({text for _, text in pairs}) != len(pairs):
        raise Finding("a person has several pseudonyms, or a pseudonym several persons")
    for name, text in pairs:
        if (name is None) != (text is None) or (
            name is not None and (text in names or (len(name) > 3 and name in text))
        ):
            raise Finding(f"{name!r} became {text!r}")


def attempt(seed: int) -> str:
    """Run the case of a seed; whatever is found says how to repeat it."""
    return judged(lambda: run(seed), "tests.fuzz.columns", seed, "")


if __name__ == "__main__":
    search(attempt, __doc__)
