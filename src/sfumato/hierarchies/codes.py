"""Codes whose structure says what they belong to: diseases (ICD-10), jobs (ISCO), industries (NACE), weekdays."""

from __future__ import annotations

import datetime as dt
import re
from abc import abstractmethod
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.common import parameters
from sfumato.hierarchies.base import Fitted, Hierarchy, inverse, refuse_unknown
from sfumato.hierarchies.dates import moments_of
from sfumato.hierarchies.domain import TreeDomain
from sfumato.hierarchies.levels import ROOT, grouped_level, identity_level, root_level, value_texts

#: A value and the labels above it, without ``*``.
Path = tuple[str, ...]


class Structured(Hierarchy):
    """Values whose structure says which groups they belong to.

    New values of next month's table are placed by the same rule; values that do not follow the rule are refused.
    """

    #: The levels above the value, finest first.
    level_names: ClassVar[tuple[str, ...]]
    #: What messages call the values.
    what: ClassVar[str]
    reads_text = True

    @abstractmethod
    def above(self, text: str) -> Path | None:
        """The labels above a value, one per level; None if it does not follow the rule."""

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name}

    def is_fixed(self, kind: pa.DataType) -> bool:
        return not (pa.types.is_timestamp(kind) or pa.types.is_floating(kind))

    def texts_of(self, column: str, values: pa.Array) -> pa.StringArray:
        """The values as texts."""
        return values.cast(pa.string())

    def paths(self, values: Sequence[str]) -> list[Path]:
        found = ((text, self.above(text)) for text in values)
        return [(text, *above, ROOT) for text, above in found if above is not None]

    def fit(self, column: str, values: pa.Array, has_missing: bool) -> Fitted:
        texts = self.texts_of(column, values).to_pylist()
        above = {text: found for text in texts if (found := self.above(text)) is not None}
        refuse_unknown(column, texts, above, f"the form of {self.what}")
        order = np.array(sorted(range(len(texts)), key=lambda at: (above[texts[at]][::-1], texts[at])), np.int64)
        ordered = values.take(pa.array(order))
        paths = [above[texts[at]] for at in order]
        levels = [identity_level(ordered, has_missing)]
        for depth, name in enumerate(self.level_names):
            number_of: dict[Path, int] = {}
            keys = np.array([number_of.setdefault(path[depth:], len(number_of)) for path in paths], np.int64)
            labels = pa.array([path[depth] for path in paths], pa.string())
            levels.append(grouped_level(name, keys, labels, has_missing))
        levels.append(root_level(len(ordered) + has_missing))
        return Fitted(TreeDomain(column, ordered, has_missing, tuple(levels)), inverse(order))


def _words(text: str) -> list[str]:
    return text.split()


#: The blocks of ICD-10 by their first and last category; a category without a block belongs to its chapter alone.
_BLOCKS = _words("""
A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A92-A99 B00-B09 B15-B19 B20-B24 B25-B34
B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99 C00-C14 C15-C26 C30-C39 C40-C41 C43-C44 C45-C49 C50-C50
C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 C81-C96 C97-C97 D00-D09 D10-D36 D37-D48 D50-D53 D55-D59 D60-D64
D65-D69 D70-D77 D80-D89 E00-E07 E10-E14 E15-E16 E20-E35 E40-E46 E50-E64 E65-E68 E70-E90 F00-F09 F10-F19 F20-F29
F30-F39 F40-F48 F50-F59 F60-F69 F70-F79 F80-F89 F90-F98 F99-F99 G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47
G50-G59 G60-G64 G70-G73 G80-G83 G90-G99 H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52
H53-H54 H55-H59 H60-H62 H65-H75 H80-H83 H90-H95 I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52 I60-I69 I70-I79
I80-I89 I95-I99 J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86 J90-J94 J95-J99 K00-K14 K20-K31
K35-K38 K40-K46 K50-K52 K55-K64 K65-K67 K70-K77 K80-K87 K90-K93 L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 L55-L59
L60-L75 L80-L99 M00-M25 M30-M36 M40-M54 M60-M79 M80-M94 M95-M99 N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39
N40-N51 N60-N64 N70-N77 N80-N98 N99-N99 O00-O08 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O94-O99 P00-P04
P05-P08 P10-P15 P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96 Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37
Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99 R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46 R47-R49 R50-R69
R70-R79 R80-R82 R83-R89 R90-R94 R95-R99 S00-S09 S10-S19 S20-S29 S30-S39 S40-S49 S50-S59 S60-S69 S70-S79 S80-S89
S90-S99 T00-T07 T08-T14 T15-T19 T20-T32 T33-T35 T36-T50 T51-T65 T66-T78 T79-T79 T80-T88 T90-T98 U00-U49 U82-U85
V01-V99 W00-W19 W20-W49 W50-W64 W65-W74 W75-W84 W85-W99 X00-X09 X10-X19 X20-X29 X30-X39 X40-X49 X50-X57 X58-X59
X60-X84 X85-Y09 Y10-Y34 Y35-Y36 Y40-Y84 Y85-Y89 Y90-Y98 Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z70-Z76 Z80-Z99
""")
_CHAPTERS = _words("""
A00-B99 C00-D48 D50-D89 E00-E90 F00-F99 G00-G99 H00-H59 H60-H95 I00-I99 J00-J99 K00-K93 L00-L99 M00-M99 N00-N99
O00-O99 P00-P96 Q00-Q99 R00-R99 S00-T98 U00-U99 V01-Y98 Z00-Z99
""")
_DISEASE = re.compile(r"([A-Z]\d[0-9A-Z])(?:\.?[0-9A-Z]{1,4})?[*+†!]?")


class ICD10(Structured):
    """Diseases by their ICD-10 code: ``J45.0``, its category ``J45``, its block ``J40-J47``, its chapter ``J00-J99``.

    Codes with and without the point are read, also those of national versions with more digits.

    Examples
    --------
    >>> ICD10().above("J45.0")
    ('J45', 'J40-J47', 'J00-J99')
    """

    name: ClassVar[str] = "icd10"
    shorthand: ClassVar[str] = "icd10"
    level_names = ("category", "block", "chapter")
    what = "ICD-10"

    def above(self, text: str) -> Path | None:
        found = _DISEASE.fullmatch(text.strip().upper())
        if found is None:
            return None
        category = found[1]
        chapter = _holding(_CHAPTERS, category) or f"{category[0]}00-{category[0]}99"
        # National versions have categories such as C4A, which are in no block of the international version.
        block = _holding(_BLOCKS, category) if category[2].isdigit() else None
        return category, block or chapter, chapter


def _holding(ranges: Sequence[str], category: str) -> str | None:
    """The range that holds a category; letters sort after digits."""
    at = bisect_right(ranges, category, key=lambda one: one[:3]) - 1
    return ranges[at] if at >= 0 and category <= ranges[at][4:] else None


class ISCO(Structured):
    """Occupations by their ISCO code: ``2212``, ``221``, ``22``, ``2``. Shorter codes stand for their whole group.

    Examples
    --------
    >>> ISCO().above("2212"), ISCO().above("22")
    (('221*', '22**', '2***'), ('22**', '22**', '2***'))
    """

    name: ClassVar[str] = "isco"
    shorthand: ClassVar[str] = "isco"
    level_names = ("minor group", "sub-major group", "major group")
    what = "ISCO"

    def above(self, text: str) -> Path | None:
        digits = text.strip()
        if not re.fullmatch(r"[0-9]{1,4}", digits):
            return None
        minor, middle, major = (f"{digits[:kept]}{'*' * (4 - len(digits[:kept]))}" for kept in (3, 2, 1))
        return minor, middle, major


#: The sections of NACE with the first division of each, by revision.
_SECTIONS = {
    "2": "A01 B05 C10 D35 E36 F41 G45 H49 I55 J58 K64 L68 M69 N77 O84 P85 Q86 R90 S94 T97 U99",
    "2.1": "A01 B05 C10 D35 E36 F41 G46 H49 I55 J58 K61 L64 M68 N69 O77 P84 Q85 R86 S90 T94 U97 V99",
}
_INDUSTRY = re.compile(r"([A-V])?\.?(\d{2})(?:\.?(\d)(\d)?)?[\d.]*")


class NACE(Structured):
    """Industries by their NACE code: the class ``01.11``, its group ``01.1``, its division ``01``, its section ``A``.

    Parameters
    ----------
    revision
        ``"2"``, or ``"2.1"``, in which sections begin elsewhere. A letter in front of the code is taken as it is.

    Examples
    --------
    >>> NACE().above("62.01"), NACE("2.1").above("6201"), NACE().above("J62")
    (('62.0', '62', 'J'), ('62.0', '62', 'K'), ('62', '62', 'J'))
    """

    name: ClassVar[str] = "nace"
    shorthand: ClassVar[str] = "nace:2.1"
    level_names = ("group", "division", "section")
    what = "NACE"

    def __init__(self, revision: str = "2") -> None:
        self.revision = parameters.choice("NACE", "revision", revision, tuple(_SECTIONS))
        self._sections = _SECTIONS[revision].split()

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"revision": text.strip()}

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name, "revision": self.revision}

    def above(self, text: str) -> Path | None:
        code = text.strip().upper()
        if re.fullmatch(r"[A-V]", code):
            return code, code, code
        found = _INDUSTRY.fullmatch(code)
        if found is None:
            return None
        letter, division, group, _ = found.groups()
        at = bisect_right(self._sections, division, key=lambda one: one[1:]) - 1
        section = letter or (self._sections[at][0] if at >= 0 else None)
        return None if section is None else (f"{division}.{group}" if group else division, division, section)


_WEEK = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class Weekdays(Structured):
    """Dates by the day of the week: ``2024-02-11``, ``Sunday``, ``weekend``.

    Parameters
    ----------
    format
        The format of dates in text that is not ISO, as in `Dates`.

    Examples
    --------
    >>> Weekdays().above("2024-02-11")
    ('Sunday', 'weekend')
    """

    name: ClassVar[str] = "weekdays"
    shorthand: ClassVar[str] = "weekdays"
    level_names = ("weekday", "part of the week")
    what = "dates"

    def __init__(self, format: str | None = None) -> None:  # noqa: A002
        self.format = None if format is None else parameters.text("Weekdays", "format", format)

    @classmethod
    def from_short(cls, text: str) -> dict[str, Any]:
        return {"format": text}

    def to_policy(self) -> dict[str, Any]:
        return {"type": self.name} | ({} if self.format is None else {"format": self.format})

    def texts_of(self, column: str, values: pa.Array) -> pa.StringArray:
        moments = moments_of(column, values, self.format)
        return value_texts(pc.local_timestamp(moments) if getattr(moments.type, "tz", None) else moments)

    def above(self, text: str) -> Path | None:
        try:
            day = dt.date.fromisoformat(text[:10])
        except ValueError:
            return None
        return _WEEK[day.weekday()], "weekend" if day.weekday() >= 5 else "workday"
