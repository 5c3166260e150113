"""Numbers as people write them: with a decimal comma, separators between thousands, a sign of money or of per cent.

The whole column decides: ``1.234`` alone may be a little more than one or more than a thousand, but beside ``0.5`` or
``1.234,50`` it can be only one of them. Where nothing decides, the reading is doubtful, and says so.
"""

from __future__ import annotations

from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.io.readings import Expected, TextReading

POINT, COMMA = ".", ","

#: What may stand before or after an amount.
_SIGNS = r"[$€£¥₹₽₩₺₪₫฿₴₦₱]|R\$|US\$|A\$|C\$|%|‰"
_CODES = (
    "EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|RUB|UAH|TRY|INR|BRL|MXN|ARS|CLP|COP|PEN|AUD|CAD|NZD|"
    r"ZAR|ILS|KRW|SGD|HKD|THB|Euro|euro|kr|zł|Kč|Ft|Fr\.|SFr\.|Rs\.?"
)
#: Money of countries that write a decimal point.
MONEY_WITH_POINTS = frozenset(("$", "£", "¥", "₹", "US$", "A$", "C$", "USD", "GBP", "JPY", "INR", "AUD", "CAD", "NZD"))
#: More digits than this a number does not keep.
MOST_DIGITS = 18
#: The most digits of a number with one point between thousands.
LONGEST_THOUSANDS = 6
#: So many different numbers with a point before three digits show thousands, if only those below a thousand lack one.
SHOWN_THOUSANDS = 20
_UNIT = rf"(?:{_SIGNS}|{_CODES})"
_MINUS = r"[-\x{2212}]"
_PLUS_OR_MINUS = r"[-+\x{2212}]"
_BLANKS = r" \x{a0}\x{202f}\x{2009}"
_QUOTES = r"'\x{2019}"
_GAP = rf"[\s{_BLANKS}]?"
_PARTS = (
    rf"^(?P<open>\(?)(?P<sign>{_PLUS_OR_MINUS}?){_GAP}(?P<before>{_UNIT}?){_GAP}(?P<minus>{_PLUS_OR_MINUS}?)"
    rf"(?P<body>[0-9.,](?:[0-9.,{_QUOTES}{_BLANKS}]*[0-9.,])?)"
    rf"{_GAP}(?P<after>{_UNIT}?)(?P<end>{_MINUS}?)(?P<close>\)?)$"
)
_PLAIN = r"^-?(0|[1-9]\d*)?(\.\d*)?$"


def _style(decimal: str, group: str) -> str:
    """The pattern of numbers with this decimal sign, whose thousands the other sign, blanks or quotes part."""
    grouped = "|".join(rf"[1-9]\d{{0,2}}(?:{one}\d{{3}})+" for one in (group, f"[{_QUOTES}]", f"[{_BLANKS}]"))
    indian = rf"|[1-9]\d?(?:{group}\d\d)+{group}\d{{3}}" if decimal == r"\." else ""
    return rf"^(?:(?:0|[1-9]\d*|{grouped}{indian})(?:{decimal}\d+)?|{decimal}\d+)$"


_STYLES = {POINT: _style(r"\.", ","), COMMA: _style(",", r"\.")}
_FRACTIONS = {POINT: r"\.\d", COMMA: r",\d"}
_GROUPS = {POINT: rf"[,{_QUOTES}{_BLANKS}]", COMMA: rf"[.{_QUOTES}{_BLANKS}]"}


class WrittenNumbers:
    """Finds how the numbers of a column are written, piece by piece."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._fits = {POINT: True, COMMA: True}
        self._has_fraction = {POINT: False, COMMA: False}
        self._marked = False
        self._units: set[str] = set()
        self._signs: set[str] = set()
        self._lengths: set[int] = set()
        self._plus = self._minus = False
        self._thousands: set[str] = set()
        self._below, self._ungrouped = False, False

    @property
    def is_possible(self) -> bool:
        """Whether all texts so far are numbers in one style."""
        return any(self._fits.values()) and len(self._units) <= 1

    def look(self, texts: pa.Array) -> None:
        """Rule out the styles that these distinct texts do not have."""
        parts = _parts(texts)
        if parts.null_count:
            self._fits = dict.fromkeys(self._fits, False)
            return
        body = pc.struct_field(parts, "body")
        for decimal, pattern in _STYLES.items():
            self._fits[decimal] &= _all(body, pattern)
        self._marked |= not _all(pc.utf8_trim_whitespace(texts), _PLAIN)
        for side in ("before", "after"):
            self._units |= set(pc.unique(pc.struct_field(parts, side)).to_pylist()) - {""}
        signs = {
            sign
            for name in ("open", "sign", "minus", "end")
            for sign in pc.unique(pc.struct_field(parts, name)).to_pylist()
        }
        self._plus |= "+" in signs
        self._minus |= bool(signs - {"", "+"})
        self._note_signs(body)

    def _note_signs(self, body: pa.Array) -> None:
        for decimal in self._fits:
            self._has_fraction[decimal] |= _any(body, _FRACTIONS[decimal])
        signs = {".": "[.]", ",": ",", "'": f"[{_QUOTES}]", " ": f"[{_BLANKS}]"}
        self._signs |= {sign for sign, pattern in signs.items() if _any(body, pattern)}
        self._lengths |= set(pc.unique(pc.utf8_length(pc.replace_substring_regex(body, r"\D", ""))).to_pylist())
        self._note_thousands(body)

    def _note_thousands(self, body: pa.Array) -> None:
        """Note what shows that points part thousands: many do, and no number from a thousand on lacks one."""
        self._below |= _any(body, r"^[1-9]\d{0,2}$")
        self._ungrouped |= _any(body, r"^\d{4,}")
        if len(self._thousands) < SHOWN_THOUSANDS:
            grouped = body.filter(pc.match_substring_regex(body, r"^[1-9]\d{0,2}(\.\d{3})+$"))
            self._thousands |= set(pc.unique(grouped).to_pylist())

    def look_at_plain(self, texts: pa.Array) -> None:
        """Look at distinct numbers that are written as programs do: with a point, and without anything else."""
        body = pc.utf8_ltrim(pc.utf8_trim_whitespace(texts), "-")
        self._minus |= _any(texts, "-")
        self._fits[POINT] &= _all(body, _STYLES[POINT])
        self._fits[COMMA] = self._fits[COMMA] and _all(body, _STYLES[COMMA])
        if self._fits[COMMA]:
            self._note_signs(body)
        elif _any(body, _FRACTIONS[POINT]):
            self._has_fraction[POINT] = True
            self._signs.add(POINT)

    @property
    def reading(self) -> TextReading | None:
        """How the texts are written; None if they are no numbers, or plain ones, which need no finding."""
        style = self._style() if self.is_possible else None
        if style is None or not (self._marked or (style == COMMA and self._signs)):
            return None
        if self._may_be_codes(style):
            return None
        if max(self._lengths) > MOST_DIGITS:
            return None
        kind = pa.float64() if self._has_fraction[style] else pa.int64()
        other = COMMA if style == POINT else POINT
        return TextReading(
            kind,
            partial(_converted, decimal=style, kind=kind),
            f"numbers {self._said(style)}",
            self._doubt(style),
            f"If they mean something else, say so (decimal={other!r}, on the command line --decimal '{other}').",
        )

    @property
    def doubt(self) -> str:
        """Why plain numbers such as 1.234 may be thousands; empty if they cannot."""
        return self._doubt(POINT) if self.is_possible and self._style() == POINT and not self._marked else ""

    def _style(self) -> str | None:
        """The decimal sign: what the user says, what fits, what the rest of the file has."""
        wanted = self._expected.decimal
        if wanted is not None and self._fits[wanted]:
            return wanted
        fitting = [style for style, fits in self._fits.items() if fits]
        if len(fitting) == 1:
            return fitting[0]
        if not fitting:
            return None
        # Nobody writes amounts of money with three decimals.
        money = self._units - {"%", "‰"} and COMMA not in self._signs
        shown = len(self._thousands) >= SHOWN_THOUSANDS and self._below and not self._ungrouped
        return self._expected.elsewhere or (COMMA if money or (shown and COMMA not in self._signs) else POINT)

    def _may_be_codes(self, style: str) -> bool:
        """Whether they may be numbers of identity or telephone, written in groups: all as long, and without a fraction.

        Nobody writes commas or quotation marks into such a number, or a point into a short one. A plus before whole
        numbers that are never negative begins telephone numbers.
        """
        amounts = self._has_fraction[style] or self._units or self._signs & {",", "'"}
        if self._plus and not amounts and not self._minus:
            return True
        if amounts or self._expected.decimal is not None or len(self._lengths) > 1:
            return False
        return " " in self._signs or (POINT in self._signs and max(self._lengths) > LONGEST_THOUSANDS)

    def _doubt(self, style: str) -> str:
        if self._expected.decimal is not None or not all(self._fits.values()) or not self._signs & {".", ","}:
            return ""
        if self._expected.elsewhere is not None or (style == POINT and self._units & MONEY_WITH_POINTS):
            return ""
        if COMMA in self._signs:
            return "every comma stands before three digits, so it may also be a decimal comma"
        other = "part thousands" if style == POINT else "be a decimal point"
        return f"every point stands before three digits, so it may also {other}"

    def _said(self, style: str) -> str:
        name, group = ("comma", "point") if style == COMMA else ("point", "comma")
        parts = [f"with a decimal {name}"] if self._has_fraction[style] else []
        grouping = {".": "point", ",": "comma", "'": "quotation mark", " ": "blank"}
        between = sorted(grouping[sign] for sign in self._signs if grouping[sign] != name)
        if between:
            parts.append(f"with a {' or '.join(between)} between thousands")
        if self._units:
            parts.append(f"with the sign {next(iter(self._units))}")
        parts += ["with a plus sign"] if self._plus else []
        return " and ".join(parts) or f"with a {group}"


def decimal_shown(columns: list[list[str]]) -> str | None:
    """Find the decimal sign that some columns show beyond doubt; None if they show none, or different ones."""
    shown = set()
    for cells in columns:
        texts = pa.array(sorted({cell for cell in cells if cell.strip()}), pa.string())
        if len(texts):
            found = WrittenNumbers(Expected())
            found.look(texts)
            fitting = [style for style, fits in found._fits.items() if fits]
            if found.is_possible and len(fitting) == 1 and found._has_fraction[fitting[0]]:
                shown.add(fitting[0])
    return shown.pop() if len(shown) == 1 else None


def _parts(texts: pa.Array) -> pa.StructArray:
    return pc.extract_regex(pc.utf8_trim_whitespace(texts), _PARTS)


def _converted(texts: pa.Array, decimal: str, kind: pa.DataType) -> pa.Array:
    parts = _parts(texts)
    body = pc.replace_substring_regex(pc.struct_field(parts, "body"), _GROUPS[decimal], "")
    if decimal == COMMA:
        body = pc.replace_substring(body, COMMA, POINT)
    signs = pc.binary_join_element_wise(*(pc.struct_field(parts, one) for one in ("open", "sign", "minus", "end")), "")
    minus = pc.if_else(pc.match_substring_regex(signs, r"[^+]"), "-", "")
    return pc.binary_join_element_wise(minus, body, "").cast(kind)


def _all(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.all(pc.match_substring_regex(texts, pattern)).as_py())


def _any(texts: pa.Array, pattern: str) -> bool:
    return bool(pc.any(pc.match_substring_regex(texts, pattern)).as_py())
