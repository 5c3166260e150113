"""Dates as people and programs write them: ``31.12.1999``, ``12/31/99``, ``12MAR2021:00:00:00.000``, mixed or not.

The whole column decides whether 3/4 is in March or in April; where nothing decides, the reading is doubtful, and says
so. A form can also be given, as for `datetime.datetime.strptime`.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.years import FIRST_SHORT_YEAR, full_year
from sfumato.io.readings import TextReading

_MONTHS = """
jan january januar janvier enero gennaio janeiro januari jän jänner ene gen jan. janv stycznia января
feb february februar février febrero febbraio fevereiro februari fév fev févr lutego февраля
mar march märz mars marzo marzo março maart mär mrz mrt marca марта
apr april april avril abril aprile abril april avr abr kwietnia апреля
may may mai mai mayo maggio maio mei mag maja maj мая
jun june juni juin junio giugno junho juni giu czerwca июня
jul july juli juillet julio luglio julho juli juil lug lipca июля
aug august august août agosto agosto agosto augustus aoû ago sierpnia augusti августа
sep september september septembre septiembre settembre setembro september sept set września сентября
oct october oktober octobre octubre ottobre outubro oktober okt ott out października октября
nov november november novembre noviembre novembre novembro november listopada ноября
dec december dezember décembre diciembre dicembre dezembro december dez déc dic grudnia desember декабря
"""
#: The number of the month, by what people call it in English, German, French, Spanish, Italian,
#: Portuguese, Dutch, Scandinavian languages, Polish and Russian.
MONTHS = {name: number for number, line in enumerate(_MONTHS.strip().splitlines(), start=1) for name in line.split()}

_WEEKDAY = (
    r"(?:(?i:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|(?:mon|diens|donners|frei|sams|sonn)tag|"
    r"mittwoch|sonnabend|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|viernes|"
    r"sábado|domingo)[.,]{0,2} )?"
)
_CLOCK = (
    r"(?:(?:T|:|,? +)(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,](?P<f>\d{1,9}))?)?"
    r"(?: ?(?P<p>[AaPp])\.?[Mm]\.?)?)?"
)
_ZONE = r" ?(?P<z>Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2})?"

#: Which parts of a date the first and the second number are, by the order of the parts.
_ORDERS = {"dmy": ("%d", "%m"), "mdy": ("%m", "%d")}


@dataclass(frozen=True)
class Shape:
    """Dates whose parts stand in the same places.

    Attributes
    ----------
    pattern
        What such a date looks like: the groups ``y``, ``m`` or ``month``, and ``d``; or ``a`` and ``b``, if the order
        of day and month is open.
    form
        How it is written, with {a} and {b} where the order is open.
    """

    pattern: str
    form: str

    @property
    def is_open(self) -> bool:
        """Whether it does not say which number is the day."""
        return "{a}" in self.form

    @property
    def short_year(self) -> bool:
        """Whether its years have two digits."""
        return "%y" in self.form

    @property
    def full(self) -> str:
        """The pattern of the whole text."""
        weekday = _WEEKDAY if "month" in self.pattern else ""
        return f"^{weekday}{self.pattern}{_CLOCK}{_ZONE}$"

    def written(self, order: str) -> str:
        """The form, once the order is known."""
        first, second = _ORDERS[order]
        return self.form.format(a=first, b=second)


def _shapes() -> Iterator[Shape]:
    for sign in ("-", "/", "."):
        parting = re.escape(sign)
        yield Shape(rf"(?P<y>\d{{4}}){parting}(?P<m>\d{{1,2}}){parting}(?P<d>\d{{1,2}})", f"%Y{sign}%m{sign}%d")
    # Chinese, Japanese and Korean.
    yield Shape(r"(?P<y>\d{4})[年년] ?(?P<m>\d{1,2})[月월] ?(?P<d>\d{1,2})[日일]", "%Y年%m月%d日")
    # A point parts day from month in all countries that use it.
    yield Shape(r"(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>\d{4})", "%d.%m.%Y")
    yield Shape(r"(?P<d>\d{1,2})\. ?(?P<m>\d{1,2})\. ?(?P<y>\d{2})", "%d.%m.%y")
    for sign in ("/", "-"):
        numbers = rf"(?P<a>\d{{1,2}}){sign}(?P<b>\d{{1,2}}){sign}"
        yield Shape(rf"{numbers}(?P<y>\d{{4}})", f"{{a}}{sign}{{b}}{sign}%Y")
        yield Shape(rf"{numbers}(?P<y>\d{{2}})", f"{{a}}{sign}{{b}}{sign}%y")
    for sign, shown in (("-", "-"), ("/", "/"), ("", ""), (r"\.? (?:de )?", " ")):
        day = rf"(?P<d>\d{{1,2}}){sign}(?P<month>\pL+)"
        yield Shape(rf"{day}{sign}(?P<y>\d{{4}})", f"%d{shown}%b{shown}%Y")
        yield Shape(rf"{day}{sign}(?P<y>\d{{2}})", f"%d{shown}%b{shown}%y")
    yield Shape(r"(?P<month>\pL+)\.? (?P<d>\d{1,2})(?:st|nd|rd|th)?,? (?P<y>\d{4})", "%b %d, %Y")


SHAPES = tuple(_shapes())


class WrittenDates:
    """Finds how the dates of a column are written, piece by piece."""

    def __init__(self) -> None:
        self._possible = True
        self._orders: dict[Shape, set[str]] = {}
        self._clocks: set[str] = set()
        self._zones: set[bool] = set()
        self._at_midnight = True

    @property
    def is_possible(self) -> bool:
        """Whether all texts so far are dates."""
        return self._possible and all(self._orders.values())

    def look(self, texts: pa.Array) -> None:
        """Rule out what these distinct texts are not."""
        left = pc.utf8_trim_whitespace(texts)
        for shape, found in _matches(left):
            orders = self._orders.setdefault(shape, set(_ORDERS))
            for order in tuple(orders):
                if not _moments(found, shape, order).is_valid.all():
                    orders.discard(order)
            self._note_times(found)
            if not orders:
                return
        self._possible &= sum(len(found) for _, found in _matches(left)) == len(left)

    def look_at_plain(self, moments: pa.Array | None) -> None:
        """Look at distinct dates or times in ISO form, already converted; None if one of them does not exist."""
        if moments is None:
            self._possible = False
            return
        self._orders.setdefault(SHAPES[0], set(_ORDERS))
        zoned = pa.types.is_timestamp(moments.type) and moments.type.tz is not None
        self._zones.add(zoned)
        if pa.types.is_timestamp(moments.type):
            self._clocks.add("%H:%M:%S")
            self._at_midnight &= not (moments.cast(pa.int64()).to_numpy() % 86_400_000_000).any()

    def _note_times(self, parts: pa.StructArray) -> None:
        for name, shown in (("f", "%H:%M:%S.%f"), ("S", "%H:%M:%S"), ("H", "%H:%M")):
            if pc.any(pc.not_equal(pc.struct_field(parts, name), "")).as_py():
                halves = pc.any(pc.not_equal(pc.struct_field(parts, "p"), "")).as_py()
                self._clocks.add(f"{shown.replace('%H', '%I')} %p" if halves else shown)
                break
        zoned = pc.not_equal(pc.struct_field(parts, "z"), "")
        self._zones |= set(pc.unique(zoned).to_pylist())
        clock = pc.binary_join_element_wise(*(pc.struct_field(parts, one) for one in "HMSf"), "")
        self._at_midnight &= not pc.any(pc.match_substring_regex(clock, "[1-9]")).as_py()

    @property
    def reading(self) -> TextReading | None:
        """How the dates are written; None if they are none, or if only some of them have a zone."""
        if not self.is_possible or not self._orders or len(self._zones) > 1:
            return None
        orders = {shape: "dmy" if "dmy" in orders else "mdy" for shape, orders in self._orders.items()}
        kind: pa.DataType = pa.date32() if self._at_midnight and self._zones == {False} else pa.timestamp("us")
        kind = pa.timestamp("us", "UTC") if True in self._zones else kind
        forms = list(dict.fromkeys(shape.written(order) for shape, order in orders.items()))
        clock = max(self._clocks, key=len) if self._clocks and kind != pa.date32() else ""
        return TextReading(
            kind,
            partial(_converted, orders=orders, kind=kind),
            f"dates written {' or '.join(forms)}{f', with a time ({clock})' if clock else ''}",
            self._doubt(),
            self._advice(_instead(orders, clock)),
        )

    def _advice(self, form: str) -> str:
        """What to do if the reading is wrong, with another form as the example."""
        century = " Write years of another century with four digits." if self._has_short_years else ""
        return (
            f"If that is wrong, give the form (dates={{'COLUMN': '{form}'}}, on the command line --dates "
            f"'COLUMN={form}').{century}"
        )

    @property
    def _has_short_years(self) -> bool:
        return any(shape.short_year for shape in self._orders)

    def _doubt(self) -> str:
        doubts = []
        if any(shape.is_open and len(orders) > 1 for shape, orders in self._orders.items()):
            doubts.append("no date tells whether the day or the month comes first")
        if self._has_short_years:
            last = FIRST_SHORT_YEAR + 99
            doubts.append(f"years of two digits are taken to lie from {FIRST_SHORT_YEAR} to {last}")
        return ", and ".join(doubts)


def _instead(orders: dict[Shape, str], clock: str) -> str:
    """Name the forms that may be meant instead: the other order where it is open, else in the first form."""
    is_open = any(shape.is_open for shape in orders)
    forms: list[str] = []
    for shape, order in orders.items():
        form = shape.written(order)
        changes = shape.is_open if is_open else not forms
        forms.append(f"{_another(form) if changes else form} {clock}".rstrip())
    return BETWEEN_FORMS.join(dict.fromkeys(forms))


def _another(form: str) -> str:
    """Name a form that may be meant instead: day and month change places, words become numbers.

    >>> _another("%d.%m.%y"), _another("%d%b%Y")
    ('%m.%d.%y', '%Y-%m-%d')
    """
    if "%m" not in form:
        return "%Y-%m-%d"
    return form.replace("%d", "%%").replace("%m", "%d").replace("%%", "%m")


def date_like(texts: Sequence[str]) -> frozenset[str]:
    """The texts that have the shape of a date, all looked at together: each look at a text compiles every shape.

    >>> sorted(date_like(["2020-05-17", "17 May 2020", "thing 12", "99/99/9999"]))
    ['17 May 2020', '2020-05-17', '99/99/9999']
    """
    looked = pa.array(texts, pa.string())
    found: set[str] = set()
    for shape in SHAPES:
        fits = pc.match_substring_regex(pc.utf8_trim_whitespace(looked), shape.full)
        found.update(looked.filter(fits).to_pylist())
    return frozenset(found)


def _matches(texts: pa.Array) -> Iterator[tuple[Shape, pa.StructArray]]:
    """Yield every shape that some texts have, with the parts of these."""
    for shape in SHAPES:
        if not len(texts):
            return
        fits = pc.match_substring_regex(texts, shape.full)
        if pc.any(fits).as_py():
            yield shape, pc.extract_regex(texts.filter(fits), shape.full)
            texts = texts.filter(pc.invert(fits))


@dataclass(frozen=True)
class _Moments:
    """Microseconds since 1970, and which of them are real."""

    ticks: NDArray[np.int64]
    is_valid: NDArray[np.bool_]


def _number(parts: pa.StructArray, name: str) -> NDArray[np.int64]:
    texts = pc.struct_field(parts, name)
    found: NDArray[np.int64] = pc.if_else(pc.equal(texts, ""), "0", texts).cast(pa.int64()).to_numpy()
    return found


def _month(parts: pa.StructArray) -> NDArray[np.int64]:
    names = pa.array(list(MONTHS), pa.string())
    place = pc.index_in(pc.utf8_lower(pc.struct_field(parts, "month")), names).fill_null(-1).to_numpy()
    return np.append(np.array(list(MONTHS.values()), np.int64), 0)[place]


def _moments(parts: pa.StructArray, shape: Shape, order: str) -> _Moments:
    year = _number(parts, "y")
    if shape.short_year:
        year = np.array([full_year(short) for short in range(100)])[year]
    if shape.is_open:
        first, second = _number(parts, "a"), _number(parts, "b")
        day, month = (first, second) if order == "dmy" else (second, first)
    else:
        day = _number(parts, "d")
        month = _month(parts) if "month" in shape.pattern else _number(parts, "m")
    hour = _number(parts, "H")
    half = pc.utf8_lower(pc.struct_field(parts, "p")).to_numpy(zero_copy_only=False)
    on_dial = half != ""
    valid = (month >= 1) & (month <= 12) & (day >= 1) & (year >= 1) & (hour <= np.where(on_dial, 12, 23))
    hour = np.where(on_dial, hour % 12 + np.where(half == "p", 12, 0), hour)
    minute, second_ = _number(parts, "M"), _number(parts, "S")
    valid &= (minute <= 59) & (second_ <= 59)
    months = np.where(valid, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    first_day = months.astype("datetime64[D]")
    valid &= day <= ((months + np.timedelta64(1, "M")).astype("datetime64[D]") - first_day).astype(np.int64)
    days = first_day.astype(np.int64) + day - 1
    fraction = pc.utf8_slice_codeunits(pc.utf8_rpad(pc.struct_field(parts, "f"), 6, "0"), 0, 6).cast(pa.int64())
    seconds = days * 86_400 + hour * 3_600 + minute * 60 + second_ - _offset(parts)
    return _Moments(seconds * 1_000_000 + fraction.to_numpy(), valid)


def _offset(parts: pa.StructArray) -> NDArray[np.int64]:
    """The seconds by which the zone is ahead of UTC."""
    zone = pc.extract_regex(pc.struct_field(parts, "z"), r"^(?P<sign>[+-]?)(?P<h>\d{0,2}):?(?P<m>\d{0,2})")
    sign = np.where(pc.equal(pc.struct_field(zone, "sign"), "-").fill_null(False).to_numpy(zero_copy_only=False), -1, 1)
    hours, minutes = (
        pc.if_else(pc.equal(pc.struct_field(zone, one), ""), "0", pc.struct_field(zone, one)).fill_null("0")
        for one in ("h", "m")
    )
    return sign * (hours.cast(pa.int64()).to_numpy() * 3_600 + minutes.cast(pa.int64()).to_numpy() * 60)


def _converted(texts: pa.Array, orders: dict[Shape, str], kind: pa.DataType) -> pa.Array:
    known = texts.is_valid().to_numpy(zero_copy_only=False)
    trimmed = pc.utf8_trim_whitespace(texts)
    ticks = np.zeros(len(texts), np.int64)
    left = known.copy()
    for shape, order in sorted(orders.items(), key=lambda one: SHAPES.index(one[0])):
        fits = pc.match_substring_regex(trimmed, shape.full).fill_null(False).to_numpy(zero_copy_only=False) & left
        if fits.any():
            parts = pc.extract_regex(trimmed.filter(pa.array(fits)), shape.full)
            ticks[fits] = _moments(parts, shape, order).ticks
            left &= ~fits
    moments = pa.array(ticks, pa.int64(), mask=~known).cast(pa.timestamp("us"))
    return moments.cast(pa.date32()) if kind == pa.date32() else moments.cast(kind)


# Forms that the user gives

#: The form of Excel's serial numbers: days since 1899-12-30.
EXCEL = "excel"
#: What parts several forms of one column.
BETWEEN_FORMS = "|"
_EXCEL_EPOCH = -25_569
#: The serial numbers of 1920 to 2099.
_EXCEL_DATES = (7_306, 73_050)
_HAS_CLOCK = re.compile(r"%-?[HIMSpfXcT]")

_SAYS_DATE = re.compile(
    r"(^|[^a-z])((birth|start|begin|end|admit|admission|discharge|visit|entry|exit|death|test|sample|order|due|event)?date|"
    r"[a-zäöü]*datum|fecha|dob|doa|dod|birthday|geburtstag|(dt|data|date)_?(nasc|nascimento|naiss|naissance)|"
    r"nacimiento)([^a-z]|$)"
)
_DAY_NUMBER = r"^(1[89]|20)\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$"


def says_date(name: str) -> bool:
    """Whether the name of a column says that it holds dates.

    >>> [says_date(name) for name in ("admission_date", "BirthDate", "Datum", "update", "candidate")]
    [True, True, True, False, False]
    """
    return _SAYS_DATE.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()) is not None


def numbered_days(name: str, numbers: pa.Array) -> TextReading | None:
    """How numbers mean days, in a column whose name says that it holds dates: 20241231, or Excel's 45657 or 45657.5."""
    if not says_date(name) or not len(numbers):
        return None
    whole = pa.types.is_integer(numbers.type)
    if whole and pc.all(pc.match_substring_regex(numbers.cast(pa.string()), _DAY_NUMBER)).as_py():
        return given_form("%Y%m%d", f"dates written %Y%m%d, because the name '{name}' says so")
    ends = pc.min_max(numbers)
    if _EXCEL_DATES[0] <= ends["min"].as_py() and ends["max"].as_py() <= _EXCEL_DATES[1]:
        return given_form(EXCEL, f"Excel's serial numbers of days, because the name '{name}' says that it holds dates")
    return None


def given_form(form: str, said: str = "") -> TextReading:
    """How texts in a form become dates, or times if the form has a time of day; texts in another become missing.

    Several forms are parted by ``|``; the first that fits a text counts.
    """
    has_clock = _HAS_CLOCK.search(form) is not None
    kind = pa.timestamp("us", "UTC" if "%z" in form else None) if has_clock else pa.date32()
    convert: Callable[[pa.Array], pa.Array] = partial(_in_first_form, forms=form.split(BETWEEN_FORMS), kind=kind)
    doubt = "they could be other numbers" if said and form == EXCEL else ""
    return TextReading(
        kind, convert, said, doubt, "If they are no dates, say so (dates={'COLUMN': 'no'})." if said else ""
    )


def _in_first_form(texts: pa.Array, forms: Sequence[str], kind: pa.DataType) -> pa.Array:
    found = [(_from_serials(texts) if form == EXCEL else _parsed(texts, form, kind)).cast(kind) for form in forms]
    return pc.coalesce(*found)


def _parsed(texts: pa.Array, form: str, kind: pa.DataType) -> pa.Array:
    found = [None if text is None else moment(text.strip(), form) for text in texts.to_pylist()]
    if pa.types.is_date(kind):
        return pa.array([None if one is None else one.date() for one in found], kind)
    return pa.array(found, kind)


def moment(text: str, form: str) -> dt.datetime | None:
    """Parse a text in a form, with years of two digits from 1930 to 2029; None if it has another form."""
    try:
        found = dt.datetime.strptime(text, form)
        return found.replace(year=full_year(found.year)) if "%y" in form else found
    except ValueError:
        return None


def _from_serials(texts: pa.Array) -> pa.Array:
    numbers = [_days(text) for text in texts.to_pylist()]
    return pa.array(numbers, pa.int32()).cast(pa.date32())


def _days(text: str | None) -> int | None:
    try:
        days = int(float(text)) if text is not None else None
    except (ValueError, OverflowError):
        return None
    return None if days is None or not 0 < days < 2_958_466 else days + _EXCEL_EPOCH
