"""Dates moved by a number of days that each person has for herself, so that the time between her dates stays.

Whoever knows the true date behind a shifted one knows the shift, and with it all dates of the person. So only dates
that are a person's own are moved. Dates that stand for "none", such as 9999-12-31, stay as they are: they tell
nothing about anybody. A date that too many people share, such as the last day of a study, is a question to the owner.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.grouping import code_column
from sfumato.errors import DataError, ParameterError, invalid_parameter
from sfumato.hierarchies.base import as_number, texts_between
from sfumato.hierarchies.calendar import TICKS_PER_DAY
from sfumato.hierarchies.dates import moments_of
from sfumato.table.transform_base import Transform, TransformContext

Days = NDArray[np.int64]

EPOCH = dt.date(1970, 1, 1)
FIRST, LAST = ((day - EPOCH).days for day in (dt.date.min, dt.date.max))
#: Programs write these days for "unknown" or "since ever": the first days that their types hold, and round ones.
UNKNOWN = [
    (dt.date.fromisoformat(day) - EPOCH).days
    for day in (
        *("0001-01-01", "0001-01-02", "1582-10-15", "1600-01-01", "1677-09-21", "1677-09-22", "1700-01-01"),
        *("1753-01-01", "1800-01-01", "1858-11-17", "1899-12-30", "1899-12-31", "1900-01-01", "1901-01-01"),
    )
]
#: From here on a date says "for ever": 2199-12-31, 2262-04-11, 2999-12-31, 9999-12-31.
FOR_EVER = (dt.date(2150, 1, 1) - EPOCH).days
#: A date is asked about if so many people share it, and so many times as many as share a usual date of the column.
MANY, TIMES = 5, 5
#: So is one that is shared by this share of the people.
TOO_LARGE_A_SHARE = 0.1


class WallClock(NamedTuple):
    """The moments of a column as their owners read them off a calendar and a clock.

    Attributes
    ----------
    moments
        Without a zone; null where there is none.
    ticks, per_day
        The same in ticks since 1970, and the number of ticks per day; dates have one.
    """

    moments: pa.Array
    ticks: Days
    per_day: int

    @classmethod
    def of(cls, moments: pa.Array) -> WallClock:
        """Read dates, or times in their own zone."""
        if pa.types.is_date(moments.type):
            return cls(moments, _numbers(moments.cast(pa.int32())), 1)
        local = pc.local_timestamp(moments) if moments.type.tz else moments
        return cls(local, _numbers(local.cast(pa.int64())), TICKS_PER_DAY[moments.type.unit])

    @property
    def days(self) -> Days:
        """The days since 1970."""
        return self.ticks // self.per_day

    def moved(self, offsets: Days, kind: pa.DataType) -> pa.Array:
        """The moments some days later, at the same time of day."""
        ticks = pa.array(self.ticks + offsets * self.per_day, mask=_mask(self.moments))
        if pa.types.is_date(kind):
            return ticks.cast(pa.int32()).cast(kind)
        moved = ticks.cast(self.moments.type)
        # In the night when clocks go forward an hour does not exist; what would be in it is where it ends.
        return pc.assume_timezone(moved, kind.tz, ambiguous="earliest", nonexistent="latest") if kind.tz else moved


@dataclass(frozen=True)
class Shift(Transform):
    """Dates moved by a random number of days, the same for all dates of a person, so that intervals stay.

    All columns with a `Shift` are moved alike. The schema's ``person`` identifies people; without it, and for rows
    without a person, each row has its own number of days. The number is derived from the secret of the release. Times
    of day stay as the clock shows them, in summer and in winter.

    Parameters
    ----------
    days
        The most days, in either direction; a date is never moved by 0 days.
    keep
        The dates that are no dates of a person and stay as they are, as dates or ISO text: ``["9999-12-31"]``. None,
        the default, keeps those that programs write for "none" (1900-01-01 and its like, and all from 2150 on), and
        refuses a column in which many people share a date, since the shift of all of them could be read off it. A list,
        even an empty one, says that all other dates are people's own.
    """

    days: int
    keep: Sequence[str] | None = None
    kind: ClassVar[str] = "shift"
    shorthand: ClassVar[str] = "shift:365:9999-12-31"
    secret: ClassVar[bool] = True

    def __post_init__(self) -> None:
        parameters.integer("Shift", "days", self.days, at_least=1)
        if self.days > LAST - FIRST:
            raise invalid_parameter("Shift", "days", f"at most {LAST - FIRST}, all days of a calendar", self.days)
        if self.keep is not None:
            object.__setattr__(self, "keep", _iso_dates(self.keep))

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        days, colon, keep = text.partition(":")
        kept = {"keep": [one for one in texts_between(keep) if one]} if colon else {}
        return {"days": as_number(days.strip())} | kept

    def to_policy(self) -> dict[str, Any]:
        return super().to_policy() | ({} if self.keep is None else {"keep": list(self.keep)})

    def apply(self, name: str, context: TransformContext) -> pa.ChunkedArray:
        cells = context.column(name, "Shift()").combine_chunks()
        moments = moments_of(name, cells if isinstance(cells, pa.Array) else cells.chunk(0))
        clock, owners = WallClock.of(moments), _owners(context)
        own = ~(self._kept(clock.days) | _mask(moments))
        self._refuse_overflow(name, clock, own)
        if self.keep is None and _shared(clock.days[own], owners[own]):
            raise DataError(
                f"Column '{name}' has a date that many people share, such as the last day of a study or one that means "
                "'no date'. Whoever knows it can compute from the shifted one by how many days each of them was moved. "
                "Name such dates, and they stay as they are (Shift(days, keep=['2024-12-31']), on the command line "
                f"{name}=shift:{self.days}:2024-12-31). If there are none, say so with an empty list (keep=[], "
                f"{name}=shift:{self.days}:)."
            )
        offsets = np.where(own, self._offsets(context, owners), 0)
        return pa.chunked_array([pc.if_else(pa.array(own), clock.moved(offsets, moments.type), moments)])

    def _kept(self, days: Days) -> NDArray[np.bool_]:
        """Mark the dates that stay."""
        if self.keep is None:
            return np.isin(days, UNKNOWN) | (days >= FOR_EVER)
        return np.isin(days, [(dt.date.fromisoformat(day) - EPOCH).days for day in self.keep])

    def _refuse_overflow(self, name: str, clock: WallClock, own: NDArray[np.bool_]) -> None:
        """Refuse a column with dates so near to an end of their type that a shift could take them beyond it."""
        limits, reach = np.iinfo(np.int64), self.days * clock.per_day
        # One day less on both sides, since times are stored in another zone than that of the clock.
        first = max(FIRST * clock.per_day, int(limits.min) + 2 * clock.per_day) + reach
        last = min((LAST + 1) * clock.per_day - 1, int(limits.max) - clock.per_day) - reach
        beyond = int((own & (_below(clock.ticks, first) | ~_below(clock.ticks, last + 1))).sum())
        if beyond:
            raise DataError(
                f"Column '{name}': moved by up to {self.days:,} days, {beyond:,} dates could leave what a date of this "
                "type can be. Shift by fewer days, or clean the column. Dates that are no dates of a person stay as "
                "they are if you name them (keep=)."
            )

    def _offsets(self, context: TransformContext, owners: Days) -> Days:
        """The days by which every row is moved: from -days to days without 0, by a keyed hash of its owner."""
        key = context.secret.key("dates shifted")
        texts = _people(context)
        found = {
            owner: self._offset(key, f"person {texts[owner]}" if owner < len(texts) else f"row {owner - len(texts)}")
            for owner in np.unique(owners).tolist()
        }
        return np.array([found[owner] for owner in owners.tolist()], np.int64)

    def _offset(self, key: bytes, owner: str) -> int:
        drawn = int.from_bytes(hmac.digest(key, owner.encode(), hashlib.sha256)[:16], "big") % (2 * self.days)
        return drawn - self.days if drawn < self.days else drawn - self.days + 1


def _iso_dates(given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise invalid_parameter("Shift", "keep", "a list of dates such as ['9999-12-31']", given)
    try:
        return tuple(str(one if isinstance(one, dt.date) else dt.date.fromisoformat(one))[:10] for one in given)
    except (TypeError, ValueError):
        raise invalid_parameter("Shift", "keep", "a list of dates such as ['9999-12-31']", given) from None


def _people(context: TransformContext) -> list[str]:
    """The texts of all persons; none if no column identifies them."""
    if context.person is None:
        return []
    try:
        texts: list[str] = (
            code_column(context.person, context.column(context.person, "Shift()")).values.cast(pa.string()).to_pylist()
        )
    except pa.ArrowInvalid:
        raise ParameterError(f"The person '{context.person}' is not text in UTF-8. Convert it to text.") from None
    return texts


def _owners(context: TransformContext) -> Days:
    """Who owns the dates of every row: a person by her number, or the row itself, numbered after all persons."""
    rows = np.arange(context.table.num_rows, dtype=np.int64)
    if context.person is None:
        return rows
    coded = code_column(context.person, context.column(context.person, "Shift()"))
    people = len(coded.values)
    return np.where(coded.codes < people, coded.codes, people + rows)


def _shared(days: Days, owners: Days) -> bool:
    """Whether many people have the same date: most of them, or far more than share a usual one."""
    if not len(days):
        return False
    base, width = int(days.min()), int(owners.max()) + 1
    _, counts = np.unique(np.unique((days - base) * width + owners) // width, return_counts=True)
    people, usual = len(np.unique(owners)), float(np.median(counts))
    ends, most = int(max(counts[0], counts[-1])), int(counts.max())
    often = max(MANY, TIMES * usual)
    return (people > 1 and 2 * most > people) or ends >= often or most >= max(often, TOO_LARGE_A_SHARE * people)


def _below(ticks: Days, limit: int) -> NDArray[np.bool_]:
    """Compare with a number that may be beyond 64 bits."""
    limits = np.iinfo(np.int64)
    if limit > limits.max:
        return np.ones(len(ticks), bool)
    return ticks < max(limit, int(limits.min))


def _numbers(cells: pa.Array) -> Days:
    """Integers, with 0 where there is none: floats would round large ones."""
    found: Days = cells.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _mask(cells: pa.Array) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = cells.is_null().to_numpy(zero_copy_only=False)
    return found
