"""Every hierarchy at the ends of every type: a release whose promises hold, or a refusal in our own words.

The widths of shown intervals are recomputed with fractions.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.common.randomness import Secret
from sfumato.errors import DataError, SfumatoError, VerificationError
from sfumato.table.transform_base import TransformContext

WHOLE = {f"{sign}int{bits}": (sign, bits) for sign in ("", "u") for bits in (8, 16, 32, 64)}


def ends(name: str) -> tuple[int, int]:
    sign, bits = WHOLE[name]
    return (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def integers(name: str) -> st.SearchStrategy[int]:
    least, last = ends(name)
    return st.one_of(st.integers(least, min(last, least + 9)), st.integers(max(least, last - 9), last))


NUMBERS: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    **{name: (pa.type_for_alias(name), integers(name)) for name in WHOLE},
    "decimal128": (pa.decimal128(38), st.integers(10**38 - 9, 10**38 - 1).map(Decimal)),
    "decimal256": (pa.decimal256(70, 2), st.integers(10**60, 10**60 + 9).map(Decimal)),
    "float64": (pa.float64(), st.floats(allow_nan=False)),
    "subnormal": (pa.float64(), st.integers(0, 30).map(lambda ticks: ticks * 5e-324)),
    "float32": (pa.float32(), st.floats(width=32, allow_nan=True)),
}
HOW = [
    *(None, sf.Numeric(widths=[0.5, 1.0]), sf.Numeric(widths=[5, 10]), sf.Numeric(widths=[1e-320])),
    *(sf.Numeric(widths=[10**18]), sf.Bands([1e-320, 1e308]), sf.Rounded([0.3, 0.9]), sf.Rounded([1e308])),
]


def released(cells: pa.Array, **asked: Any) -> list[Any] | None:
    """What is shown; None for a refusal that does not blame the method."""
    try:
        table = sf.anonymize(pa.table({"x": cells}), seed=1, **asked).table
    except VerificationError:
        raise
    except SfumatoError:
        return None
    return [tuple(row.values()) for row in table.to_pylist()]


@settings(max_examples=examples(240), deadline=None)
@given(st.data(), st.sampled_from(sorted(NUMBERS)), st.sampled_from(range(len(HOW))), st.sampled_from(["data", "grid"]))
def test_numbers(data: st.DataObject, name: str, how: int, at: str) -> None:
    kind, values = NUMBERS[name]
    cells = pa.array(data.draw(st.lists(values, min_size=2, max_size=6)), kind)
    width = data.draw(st.sampled_from([None, 0.3, 1, 5, 10**18]))
    privacy = [sf.KAnonymity(2), *([] if width is None else [sf.MinimumSpan("x", width)])]
    intervals = data.draw(st.sampled_from(["text", "bounds"]))
    shown = released(
        cells, quasi_identifiers={"x": HOW[how]}, privacy=privacy, ends=at, intervals=intervals, method="mondrian"
    )
    if shown is not None and width is not None and intervals == "bounds":
        for low, high in shown:
            known = low is not None and high is not None
            found = Fraction(str(high)) - Fraction(str(low)) if known else math.inf
            assert float(found) >= width


SPANS = [0.3, 0.5, 1, 2]


@settings(max_examples=examples(90), deadline=None)
@given(st.lists(st.integers(2**64 - 40, 2**64 - 1), min_size=2, max_size=8, unique=True), st.sampled_from(SPANS))
@example([2**64 - 40, 2**64 - 39], 2)
@example([2**64 - 40, 2**64 - 1], 2)
def test_fractional_widths_near_the_end_of_64_bits(values: list[int], width: float) -> None:
    """What is possible near the end is what is possible for the same numbers less a multiple of every width."""
    how = sf.Numeric(widths=[0.5, 1.0, 2.0, 8.0])
    asked = {"quasi_identifiers": {"x": how}, "privacy": [sf.KAnonymity(2), sf.MinimumSpan("x", width)]}
    near_zero = [value - (2**64 - 40) for value in values]
    shown, expected = (
        released(pa.array(numbers, pa.uint64()), **asked, method="lattice") for numbers in (values, near_zero)
    )
    assert (shown is None) == (expected is None)
    assert shown is not None or max(values) - min(values) < 8


MOMENTS = [
    *(dt.datetime(1, 1, 1), dt.datetime(1, 1, 2), dt.datetime(7, 3, 1), dt.datetime(9999, 12, 31, 23, 59, 59)),
    *(dt.datetime(9999, 12, 31), dt.datetime(1970, 1, 1), dt.datetime(2262, 4, 11), dt.datetime(1677, 9, 22)),
]
ZONES = [None, "UTC", "Pacific/Kiritimati", "America/New_York", "+14:00"]
DATES = [
    None,
    sf.Dates(levels=("day", "month", "year", "decade")),
    sf.Dates(levels=("week",)),
    sf.Ages("2024-02-29", [5]),
]


@settings(max_examples=examples(240), deadline=None)
@given(
    st.lists(st.sampled_from(MOMENTS), min_size=2, max_size=6),
    st.sampled_from(["date32", "date64", "s", "ms", "us", "ns"]),
    st.sampled_from(ZONES),
    st.sampled_from(range(len(DATES))),
    st.sampled_from(["text", "bounds", "midpoint", "mean"]),
    st.sampled_from(["data", "grid"]),
)
def test_dates_and_times(moments: Any, unit: str, zone: str | None, how: int, intervals: str, at: str) -> None:
    kind = pa.type_for_alias(unit) if unit.startswith("date") else pa.timestamp(unit, zone)
    cells = pa.array(moments, pa.timestamp("us")).cast(kind, safe=False)
    asked = {"quasi_identifiers": {"x": DATES[how]}, "k": 2, "method": "mondrian", "suppression": 0.5}
    released(cells, **asked, intervals=intervals, ends=at)


@pytest.mark.parametrize("days", [[-719_529, -719_530], [2_932_897, 2_932_898], [-(2**31), 2**31 - 1]])
@pytest.mark.parametrize("at", ["data", "grid"])
def test_dates_beyond_the_calendar_are_refused(days: list[int], at: str) -> None:
    cells = pa.array(days, pa.int32()).cast(pa.date32())
    with pytest.raises(DataError, match="dates before the year 1 or after 9999"):
        sf.anonymize(pa.table({"x": cells}), quasi_identifiers="x", k=2, ends=at)


def test_a_decade_of_the_first_century() -> None:
    cells = pa.array([dt.date(3, 1, 1), dt.date(8, 1, 1)])
    shown = released(cells, quasi_identifiers={"x": sf.Dates(levels=("decade",))}, k=2, method="lattice")
    assert shown == [("0000s",)] * 2
    bounds = released(cells, quasi_identifiers={"x": None}, k=2, ends="grid", intervals="bounds", method="mondrian")
    assert bounds is not None
    assert all(low <= dt.date(3, 1, 1) and high >= dt.date(8, 1, 1) for low, high in bounds)


# Round


def nearest(number: Fraction, step: Fraction) -> Fraction:
    """The nearest multiple, halves away from zero, by definition."""
    times = math.floor(abs(number) / step + Fraction(1, 2))
    return times * step * (1 if number >= 0 else -1)


STEPS = [1, 7, 10, 0.3, 0.25, 500, 10**18, 1e-320, 1e300, 1.5e308]


@settings(max_examples=examples(240), deadline=None)
@given(st.data(), st.sampled_from(sorted(NUMBERS)), st.sampled_from(STEPS))
def test_rounding(data: st.DataObject, name: str, to: float) -> None:
    kind, values = NUMBERS[name]
    cells = pa.array(data.draw(st.lists(st.one_of(st.none(), values), min_size=1, max_size=6)), kind)
    try:
        found = sf.Round(to).apply("x", TransformContext(pa.table({"x": cells}), Secret(1)))
    except DataError:
        numbers = np.array(cells.drop_null().cast(pa.float64(), safe=False))
        assert not np.isfinite(numbers).all() or np.abs(numbers).max() > 7e307
        return
    whole = pa.types.is_integer(kind) and float(to).is_integer()
    for text, shown in zip(cells.cast(pa.string()).to_pylist(), found.to_pylist(), strict=True):
        if text is None or text == "nan":
            continue
        exact = nearest(Fraction(text), Fraction(str(to)))
        assert shown == (int(exact) if whole else float(exact))
