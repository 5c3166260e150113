"""Minimum spans are exact: neither an outlier, nor large numbers, nor floats, nor fine clocks make them void."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.release.given import SEED, Given

import sfumato as sf
from sfumato.common import parameters
from sfumato.errors import VerificationError
from sfumato.hierarchies import Dates, Numeric, Ordered
from sfumato.hierarchies.widths import exact_extent, first_reached

NANOSECOND = Fraction(1, 86_400 * 10**9)


def exact(value: Any, kind: pa.DataType) -> Fraction:
    """Return a value as the number that people read, a moment in days."""
    if pa.types.is_timestamp(kind):
        return Fraction(pa.scalar(value, kind).cast(pa.int64()).as_py()) * {"ns": 1, "us": 1000}[kind.unit] * NANOSECOND
    return Fraction(value.toordinal()) if isinstance(value, dt.date) else Fraction(str(value))


def enough(found: Fraction, width: float) -> bool:
    return found >= int(width) if float(width).is_integer() else float(found) >= width


class TestTheOutlier:
    """Salaries in steps of one, and one of 20,000,000,000: it once made every other class exact."""

    SALARIES = (*(1000 + row // 2 for row in range(400)), 2 * 10**10)
    TABLE = pa.table({"salary": SALARIES, "row": range(401)})

    @pytest.mark.parametrize("method", ["auto", "mondrian", "peeling", "best-cuts", "mondrian-relaxed", "idistance"])
    def test_every_class_is_wide_enough(self, method):
        request: dict[str, Any] = {"k": 2, "privacy": sf.MinimumSpan("salary", 10), "method": method}
        release = sf.anonymize(self.TABLE, quasi_identifiers="salary", plain="row", confirm="row", **request)
        bounds = sf.anonymize(
            self.TABLE, quasi_identifiers="salary", plain="row", confirm="row", **request, intervals="bounds"
        )
        for text, row in zip(*release.table.to_pydict().values(), strict=True):
            low, high = map(int, re.findall(r"\d+", text))
            assert high - low >= 10
            assert low <= self.SALARIES[row] <= high
        low, high = bounds.table["salary_min"].to_numpy(), bounds.table["salary_max"].to_numpy()
        assert (high - low >= 10).all()

    @pytest.mark.parametrize("shown", ["1005", "[1005, 1014]"])
    def test_check_says_so(self, shown):
        table = pa.table({"salary": [shown] * 3 + ["[1000, 20000000000]"] * 3})
        result = sf.check(table, quasi_identifiers="salary", privacy=sf.MinimumSpan("salary", 10))
        assert not result.ok
        assert result.checks[0].breaking == 1

    def test_check_of_bounds_says_so(self):
        table = pa.table({"salary_min": [1005, 1005, 1000], "salary_max": [1014, 1014, 2 * 10**10]})
        names = ["salary_min", "salary_max"]
        assert not sf.check(table, quasi_identifiers=names, privacy=sf.MinimumSpan("salary", 10)).ok
        assert sf.check(table, quasi_identifiers=names, privacy=sf.MinimumSpan("salary", 9)).ok


#: Values, and a width that the first and the last but one have between them but no others: at the limit and below.
AT_THE_LIMIT: dict[str, tuple[pa.Array, float]] = {
    "integers beyond 2**53": (pa.array([2**60, 2**60 + 1, 2**60 + 9, 2**60 + 10, 2**62]), 10),
    "integers near 2**64": (pa.array([2**64 - 20, 2**64 - 19, 2**64 - 11, 2**64 - 10, 2**64 - 1], pa.uint64()), 10),
    "negative integers": (pa.array([-(2**63), -(2**63) + 1, -(2**63) + 2, -(2**63) + 3, 2**62]), 3),
    "a width beyond 2**53": (pa.array([0, 1, 2**60, 2**60 + 1, 2**62]), 2**60 + 1),
    "small integers": (pa.array([-120, -119, -70, -60, 127], pa.int8()), 60),
    "thirty digits": (
        pa.array([Decimal(f"12345678901234567890123456789{digit}.5") for digit in (0, 1, 7, 8, 9)]),
        8,
    ),
    "thirty places": (pa.array([Decimal(f"0.{digit:030d}") for digit in (0, 1, 7, 8, 10**29)]), 8e-30),
    "floats": (pa.array([0.2, 0.21, 0.29, 0.3, 2e10]), 0.1),
    "negative floats": (pa.array([-0.3, -0.29, -0.21, -0.2, 1e300]), 0.1),
    "large floats": (pa.array([1e15, 1e15 + 0.125, 1e15 + 0.25, 1e15 + 0.375, 2e15]), 0.375),
    "short floats": (pa.array([0.2, 0.21, 0.29, 0.3, 9e9], pa.float32()), 0.1),
    "nanoseconds": (pa.array([1, 2, 5, 6, 10**18], pa.timestamp("ns")), float(5 * NANOSECOND)),
    "microseconds, zone": (
        pa.array([10**9, 10**9 + 1, 10**9 + 6, 10**9 + 7, 10**17], pa.timestamp("us", "Europe/Rome")),
        float(7000 * NANOSECOND),
    ),
    "23 hours": (pa.array([0, 1, 82_799, 82_800, 10**9], pa.timestamp("s")), 23 / 24),
    "days": (pa.array([0, 1, 6, 7, 2_900_000], pa.date32()), 7),
}


@pytest.mark.parametrize("intervals", ["text", "bounds"])
@pytest.mark.parametrize(("values", "width"), AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
class TestAtTheLimit:
    def release(
        self, values: pa.Array, width: float, intervals: str, rows: list[int], classes: list[int]
    ) -> sf.Release:
        return sf.anonymize(
            pa.table({"x": values.take(pa.array(rows))}),
            quasi_identifiers={"x": sf.Dates() if pa.types.is_timestamp(values.type) else None},
            k=2,
            privacy=sf.MinimumSpan("x", width),
            method=Given(tuple(classes)),
            intervals=intervals,
            seed=SEED,
        )

    def test_as_wide_as_asked(self, values, width, intervals):
        assert self.release(values, width, intervals, [0, 3, 1, 4], [0, 0, 1, 1]).verify().ok

    def test_a_little_narrower(self, values, width, intervals):
        with pytest.raises(VerificationError, match="minimum span"):
            self.release(values, width, intervals, [0, 2, 1, 4], [0, 0, 1, 1])

    def test_no_release_is_narrower(self, values, width, intervals):
        """What a method makes holds by another count than the product's."""
        table = pa.table({"x": values.take(pa.array([0, 0, 1, 2, 2, 3, 3, 4]))})
        request: dict[str, Any] = {"k": 2, "privacy": sf.MinimumSpan("x", width), "intervals": "bounds"}
        shown_as = {"x": sf.Dates() if pa.types.is_timestamp(values.type) else None}
        shown = sf.anonymize(table, quasi_identifiers=shown_as, **request, method="mondrian").table
        for low, high in zip(shown["x_min"], shown["x_max"], strict=True):
            sides = [_exact_of(side, values.type) for side in (low, high)]
            assert enough(sides[1] - sides[0], width)


def _exact_of(side: pa.Scalar, kind: pa.DataType) -> Fraction:
    if pa.types.is_timestamp(kind):
        per_day = {"s": 86_400, "us": 86_400 * 10**6, "ns": 86_400 * 10**9}[kind.unit]
        return Fraction(side.cast(pa.int64()).as_py(), per_day)
    if pa.types.is_date(kind):
        return Fraction(side.cast(pa.int32()).as_py())
    return Fraction(side.cast(pa.string()).as_py())


NUMBERS = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1) | st.integers(2**60, 2**60 + 30),
    pa.float64(): st.integers(-40, 40).map(lambda tenths: tenths / 10) | st.floats(-1e20, 1e20),
    pa.decimal128(38, 6): st.integers(-(10**30), 10**30).map(lambda number: Decimal(number) / 10**6),
    pa.timestamp("ns"): st.integers(10**18, 10**18 + 30),
}
WIDTHS = st.integers(1, 2**64) | st.integers(1, 30).map(lambda tenths: tenths / 10) | st.floats(1e-15, 1e20)


@settings(max_examples=examples(150))
@given(st.sampled_from(list(NUMBERS)), st.data(), WIDTHS, st.booleans())
def test_the_first_code_that_is_far_enough(kind, data, width, has_missing):
    cells = data.draw(st.lists(NUMBERS[kind], min_size=1, max_size=12))
    column = pa.array(cells, kind).unique()
    domain = (Dates() if pa.types.is_timestamp(kind) else Numeric()).fit("x", column, has_missing).domain
    reached = first_reached(domain, width)
    places = [_exact_of(value, kind) for value in domain.values]
    for low, place in enumerate(places):
        wide = [high for high, other in enumerate(places) if enough(other - place, width)]
        assert reached[low] == min([*wide, len(places)])
    assert reached[len(places) :].tolist() == [len(places) + 1] * has_missing
    assert exact_extent(domain) == float(places[-1] - places[0])


def test_an_order_is_counted_in_its_own_steps():
    domain = Ordered([9, 7, 8, 1]).fit("x", pa.array([1, 7, 9]), False).domain
    assert domain.values.to_pylist() == [9, 7, 1]
    assert first_reached(domain, 1).tolist() == [1, 2, 3]
    assert first_reached(domain, 1.5).tolist() == [2, 2, 3]
    assert first_reached(domain, 3).tolist() == [2, 3, 3]


def test_a_class_that_reaches_missing_values_shows_nothing():
    """Also where no width is left: ``*`` is as wide as can be."""
    table = pa.table({"x": [1, 2, None, None]})
    release = sf.anonymize(table, quasi_identifiers="x", privacy=sf.MinimumSpan("x", 50), k=2, method="mondrian")
    assert release.table["x"].to_pylist() == ["*"] * 4


class TestOtherLimits:
    """Limits are compared relative to what they are, not with a fixed slack."""

    def test_an_entropy_just_above_nothing(self):
        table = pa.table({"x": ["a"] * 3 + ["b"] * 3, "s": ["u"] * 3 + ["u", "v", "v"]})
        rule = sf.LDiversity(1 + 5e-10, kind="entropy")
        assert not sf.check(table, quasi_identifiers="x", sensitive="s", privacy=rule).ok
        release = sf.anonymize(table, quasi_identifiers="x", sensitive="s", privacy=rule, k=2, method="mondrian")
        assert set(release.table["x"].to_pylist()) == {"*"}

    def test_a_distance_just_above_nothing(self):
        """One of two million rows too many: a distance of 1e-10, and none was asked for."""
        assert _distance_of(1_000_001, 999_999).ok is False
        assert _distance_of(1_000_000, 1_000_000).ok

    @pytest.mark.parametrize(("share", "rows", "most"), [(0.29, 100, 29), (0.1, 30, 3), (0.07, 100, 7), (1 / 3, 3, 0)])
    def test_a_share_of_rows(self, share, rows, most):
        assert parameters.rows_within(share, rows) == most


def _distance_of(sick: int, well: int) -> Any:
    """Check t=0 of two classes: one with so many of either kind, and one of half and half."""
    illness = np.repeat(["sick", "well", "sick", "well"], [sick, well, 1_000_000, 1_000_000])
    group = np.repeat(["one", "other"], [sick + well, 2_000_000])
    table = pa.table({"x": pa.array(group).dictionary_encode(), "s": pa.array(illness).dictionary_encode()})
    return sf.check(table, quasi_identifiers="x", sensitive="s", t=0)
