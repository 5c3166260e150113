"""Columns that a request makes itself, by transformations and declared levels, and that must not come out either.

HIPAA Safe Harbor looks at what is published: how a column came to hold a month or an age of 104 makes no difference.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tests import people as p

import sfumato as sf

BORN = p.day(1915, 2000)
COUNTIES = sf.Taxonomy({"Middlesex County": ["Lowell", "Cambridge"], "Suffolk County": ["Boston", "Revere"]})


class Made(NamedTuple):
    """A request that makes a column."""

    name: str
    #: The columns of the table.
    columns: dict[str, p.Maker]
    #: What is asked besides the preset.
    request: dict[str, Any]
    may_show: str
    why: str


def _transformed(name: str, columns: dict[str, p.Maker], how: Any, may_show: str, why: str) -> list[Made]:
    """The column in every role in which it could come out."""
    sources = [source for source in columns if source != name]
    shared = {"identifiers": sources, "transform": {name: how}}
    roles: list[dict[str, Any]] = [
        {"quasi_identifiers": "sex", "plain": name},
        {"quasi_identifiers": "sex", "sensitive": name},
        {"quasi_identifiers": ["sex", name], "k": 2},
    ]
    return [Made(name, columns, shared | role, may_show, why) for role in roles]


def _declared(name: str, make: p.Maker, how: Any, may_show: str, why: str) -> list[Made]:
    """The column as a quasi-identifier with these levels."""
    declared = {"quasi_identifiers": {"sex": None, name: how}}
    return [Made(name, {name: make}, declared | {"k": k}, may_show, why) for k in (1, 3)]


MADE = [
    *_transformed("age", {"born": BORN}, sf.Age("born", "2024-12-31"), "age", "an age of 104 from a day of birth"),
    *_transformed("age", {"born": BORN, "seen": p.recent}, sf.Age("born", "seen"), "age", "an age from two days"),
    *_transformed("years", {"born": BORN}, sf.Age("born", "2024-12-31"), "age", "an age under another name"),
    *_transformed("x", {"born": BORN}, sf.Age("born", "2024-12-31"), "age", "an age under a name that says nothing"),
    *_transformed("age", {"age": p.old}, sf.Round(5), "age", "95 and 100 are ages over 89"),
    *_transformed("age", {"age": p.old}, sf.Round(10), "age", "100 is an age over 89"),
    *_transformed("age", {"age": p.old}, sf.Clip(0, 99), "age", "the wrong top code"),
    *_transformed("age", {"age": p.old}, sf.AtLevel(sf.Bands([50, 90, 95])), "age", "two groups over 89"),
    *_transformed("admitted", {"admitted": p.recent}, sf.Shift(180), "year", "a shifted date is written as a date"),
    *_transformed("admitted", {"admitted": p.recent}, sf.AtLevel(sf.Dates(), "month"), "year", "a month"),
    *_transformed("admitted", {"admitted": p.recent}, sf.AtLevel(sf.Dates(), "quarter"), "year", "a quarter"),
    *_transformed("dob", {"dob": BORN}, sf.AtLevel(sf.Dates(), "year"), "year", "years of birth over 89 years ago"),
    *_transformed("zip", {"zip": p.zip5}, sf.AtLevel(sf.Prefix(length=5), 1), "zip", "four digits"),
    *_transformed("zip", {"zip": p.zip5}, sf.AtLevel(sf.Prefix(length=5), 2), "zip", "three digits where few live"),
    *_transformed("town", {"town": p.of("Lowell", "Cambridge", "Boston")}, COUNTIES, "nothing", "a county"),
    *_declared("admitted", p.recent, sf.Dates(levels=("month", "year")), "year", "a month"),
    *_declared("admitted", p.recent, sf.Dates(levels=("week",)), "year", "a week"),
    *_declared("admitted", p.recent, sf.Dates(), "year", "a range of days"),
    *_declared("dob", BORN, sf.Dates(levels=("year", "decade")), "year", "years of birth over 89 years ago"),
    *_declared("age", p.old, sf.Numeric(), "age", "an interval such as [85, 104]"),
    *_declared("age", p.old, sf.Numeric(widths=(5, 10)), "age", "an interval such as [95, 99]"),
    *_declared("age", p.old, sf.Bands([50, 90, 95]), "age", "two groups over 89"),
    *_declared("zip", p.zip5, sf.Prefix(length=5, keep=(4, 2)), "zip", "four digits"),
    *_declared("zip", p.zip5, sf.Categorical(), "zip", "sets of zip codes"),
    *_declared("city", p.of("Lowell", "Cambridge", "Boston", "Revere"), COUNTIES, "nothing", "a county"),
]
