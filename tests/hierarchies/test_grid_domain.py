"""Intervals with round ends, against a slow definition: what is shown, what it costs, and that wider is never less."""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit
from tests.release.given import shown

import sfumato as sf
from sfumato.hierarchies import GridDomain, codes_meant
from sfumato.hierarchies.grid_domain import round_steps
from sfumato.loss.span_prices import entropy_prices
from sfumato.loss.workload import Query, workload_prices
from sfumato.table.encoding import encode
from sfumato.table.kernels.spans import span_cost


@njit
def compiled_cost(spans, lo, hi):
    return span_cost(spans, 0, lo, hi)


COLUMNS = {
    "ages": (pa.int16(), st.integers(-40, 110)),
    "few": (pa.int64(), st.integers(1, 16)),
    "some": (pa.int64(), st.integers(1, 40)),
    "pay": (pa.int64(), st.integers(0, 1_000_000)),
    "huge": (pa.int64(), st.integers(2**60, 2**60 + 900)),
    "floats": (pa.float64(), st.integers(-3000, 3000).map(lambda number: number / 100)),
    "prices": (pa.decimal128(9, 2), st.integers(0, 90_000).map(lambda cents: Decimal(cents) / 100)),
}


class SlowGrid:
    """Numbers on a grid, from the definition alone, in fractions."""

    def __init__(self, values: list, whole: bool) -> None:
        self.whole = whole
        self.extent = max(values) - min(values)
        self.steps = [Fraction(str(step)) for step in round_steps(float(self.extent), whole)]

    def interval(self, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        wide_enough = [step for step in self.steps if high - low >= 5 * step]
        step = wide_enough[-1] if wide_enough else self.steps[0]
        return low // step * step, (high // step + 1) * step - self.whole

    def cost(self, low: Fraction, high: Fraction) -> float:
        begin, end = self.interval(low, high)
        return min(1.0, float((end - begin) / self.extent))


@pytest.mark.parametrize("name", COLUMNS)
@given(data=st.data())
def test_numbers_on_a_grid(name, data):
    kind, value = COLUMNS[name]
    cells = data.draw(st.lists(value, min_size=2, max_size=12, unique=True))
    missing = data.draw(st.booleans())
    microdata = encode(pa.table({"x": pa.array([*cells, *[None] * missing], kind)}), {"x": None}, ends="grid")
    domain = microdata.domains[0]
    assert isinstance(domain, GridDomain)
    exact = sorted(Fraction(str(cell)) for cell in cells)
    slow = SlowGrid(exact, pa.types.is_integer(kind))
    pairs = list(itertools.combinations(range(len(cells)), 2))
    lo, hi = np.array(pairs).T
    ends, costs, covered = domain.span_ends(lo, hi), domain.span_costs(lo, hi), domain.covered(lo, hi)
    for at, (first, last) in enumerate(pairs):
        low, high = slow.interval(exact[first], exact[last])
        assert (ends.low[at].as_py(), ends.high[at].as_py()) == pytest.approx((float(low), float(high)), rel=1e-12)
        assert ends.middles[at] == pytest.approx(float((low + high) / 2))
        assert ends.widths[at] == pytest.approx(float(high - low))
        assert costs[at] == pytest.approx(slow.cost(exact[first], exact[last]))
        assert compiled_cost(microdata.spans, first, last) == pytest.approx(costs[at])
        inside = [code for code, number in enumerate(exact) if low <= number and number < high + slow.whole]
        assert (covered[0][at], covered[1][at]) == (inside[0], inside[-1])
    assert domain.span_costs(lo, lo).tolist() == [0] * len(lo)
    assert domain.span_labels(lo, lo).to_pylist() == domain.texts.take(pa.array(lo)).to_pylist()
    if missing:
        last = np.full(len(lo), len(cells))
        assert set(domain.span_labels(lo, last).to_pylist()) == {"*"}
        assert set(domain.span_costs(lo, last)) == {1.0}
        assert domain.span_ends(lo, last).low.null_count == len(lo)
        assert domain.span_labels(last, last).to_pylist() == [None] * len(lo)


@given(st.lists(st.integers(-40, 110), min_size=2, max_size=20), st.booleans(), st.tuples(*[st.integers(-40, 110)] * 2))
def test_other_prices_are_those_of_what_is_shown(cells, missing, asked):
    """Bits count the rows, and queries their boundaries, in all that an interval with round ends stands for."""
    cells = [*cells, *[None] * missing]
    microdata = encode(pa.table({"x": pa.array(cells, pa.int64())}), {"x": None}, ends="grid")
    domain, size = microdata.domains[0], microdata.domains[0].size
    lo, hi = np.array(list(itertools.combinations_with_replacement(range(size), 2))).T
    first, last = domain.covered(lo, hi)
    counts = np.bincount(microdata.codes[:, 0], minlength=size)
    bits = entropy_prices(microdata, [counts])
    rows = [counts[begin : end + 1].sum() for begin, end in zip(first, last, strict=True)]
    assert bits.domains[0].span_costs(lo, hi) == pytest.approx(np.log(rows))
    assert [compiled_cost(bits.spans, *pair) for pair in zip(lo, hi, strict=True)] == pytest.approx(np.log(rows))
    query = {"x": (min(asked), max(asked))}
    priced = workload_prices(microdata, [counts], queries=[Query(query)])
    kept = codes_meant(domain, query["x"])[: len(domain.values)]
    total = int((kept[1:] != kept[:-1]).sum())
    for pair, begin, end in zip(zip(lo, hi, strict=True), first, last, strict=True):
        everything = pair[0] < pair[1] == domain.missing_code
        inside = kept[begin : end + 1]
        cut = (inside[1:] != inside[:-1]).sum() / max(1, total) if pair[0] < pair[1] else 0.0
        expected = 1.0 if everything else cut * bool(total)
        assert compiled_cost(priced.spans, *pair) == pytest.approx(expected)


DAYS = st.dates(dt.date(1900, 1, 1), dt.date(2030, 1, 1))


@given(st.lists(DAYS, min_size=3, max_size=10, unique=True), st.booleans())
def test_wider_classes_never_show_narrower_dates(days, with_times):
    column = pa.array([dt.datetime.combine(day, dt.time(7)) for day in days] if with_times else days)
    domain = encode(pa.table({"x": column}), {"x": None}, ends="grid").domains[0]
    size = len(days)
    spans = {pair: at for at, pair in enumerate(itertools.combinations(range(size), 2))}
    lo, hi = np.array(list(spans)).T
    ends, costs = domain.span_ends(lo, hi), domain.span_costs(lo, hi)
    for (first, last), at in spans.items():
        low, high = ends.low[at].as_py(), ends.high[at].as_py()
        values = domain.values[first : last + 1].to_pylist()
        assert low <= values[0]
        assert values[-1] <= high
        if not with_times and domain.extent >= 300:
            assert (low.day, (high + dt.timedelta(1)).day) == (1, 1)
        for wider in ((first - 1, last), (first, last + 1)):
            if wider in spans:
                other = spans[wider]
                assert ends.low[other].as_py() <= low
                assert ends.high[other].as_py() >= high
                assert costs[other] >= costs[at] - 1e-12


@pytest.mark.parametrize(
    ("values", "label", "bounds"),
    [
        ([31, 33, 0, 90], "[30, 34]", (30, 34)),
        ([29, 31, 0, 90], "[25, 34]", (25, 34)),
        ([12, 63, 0, 90], "[10, 69]", (10, 69)),
        ([31.52, 33.27, 0.5, 90.0], "[31.5, 33.3)", (31.5, 33.3)),
        ([30_123, 31_877, 0, 90_000], "[30100, 31899]", (30_100, 31_899)),
        (
            [dt.date(1990, 1, 3), dt.date(1990, 2, 1), dt.date(1950, 1, 1), dt.date(2020, 1, 1)],
            "[1990-01-01, 1990-02-28]",
            (dt.date(1990, 1, 1), dt.date(1990, 2, 28)),
        ),
        (
            [dt.date(1963, 5, 3), dt.date(1990, 2, 1), dt.date(1950, 1, 1), dt.date(2020, 1, 1)],
            "[1963-01-01, 1990-12-31]",
            (dt.date(1963, 1, 1), dt.date(1990, 12, 31)),
        ),
    ],
)
def test_round_ends_by_hand(values, label, bounds):
    assert shown(values, [0, 0, 1, 1], ends="grid")["x"][0] == label
    data = shown(values, [0, 0, 1, 1], ends="grid", intervals="bounds")
    assert (data["x_min"][0], data["x_max"][0]) == bounds
    middle = shown(values, [0, 0, 1, 1], ends="grid", intervals="midpoint")["x"][0]
    assert bounds[0] <= middle <= bounds[1]


def test_a_grid_of_whole_numbers_has_whole_steps_and_leaves_few_numbers_alone():
    assert [round_steps(extent, whole=True)[0] for extent in (5, 19, 20, 49, 50, 4_999, 5_001, 120_000)] == [
        1, 1, 2, 2, 5, 5, 10, 500
    ]  # fmt: skip
    for extent, whole in itertools.product((1, 7, 73, 12345, 1e-7, 0.3, 1e12), (True, False)):
        if whole and extent < 1:
            continue
        steps = [Fraction(str(step)) for step in round_steps(extent, whole)]
        assert all(wide % narrow == 0 and wide > narrow for narrow, wide in itertools.pairwise(steps))


@pytest.mark.parametrize(
    ("values", "how"),
    [
        (["low", "mid", "high"], sf.Ordered(["low", "mid", "high"])),
        ([5, 5, 5], None),
        ([25, 47, 69], sf.Numeric(widths=(10,))),
        (["a", "b", "c"], None),
    ],
)
def test_what_has_no_use_for_a_grid_stays_as_it_is(values, how):
    free = encode(pa.table({"x": values}), {"x": how}).domains[0]
    assert type(encode(pa.table({"x": values}), {"x": how}, ends="grid").domains[0]) is type(free)


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (0.0, 1e308), (0.0, 5e-324), (1e-320, 2e-320)])
def test_what_spans_too_much_or_too_little_for_a_grid_is_refused(ends):
    """Intervals between values of people would not be what was asked for."""
    with pytest.raises(
        sf.errors.DataError, match="span too little or too much for intervals with round ends"
    ) as refusal:
        sf.anonymize(pa.table({"x": list(ends)}), quasi_identifiers="x", k=2, ends="grid")
    assert "308" not in str(refusal.value)


def test_the_largest_range_with_a_grid():
    cells = pa.table({"x": [0.0, 1e307, 7e307, 1e300]})
    [shown] = set(
        sf.anonymize(cells, quasi_identifiers="x", k=4, ends="grid", method="mondrian").table["x"].to_pylist()
    )
    low, high = shown[1:-1].split(", ")
    assert Fraction(low) <= 0
    assert Fraction(high) > Fraction("7e307")


def test_a_refused_word():
    with pytest.raises(sf.errors.ParameterError, match="'ends' parameter of anonymize must be one of"):
        sf.anonymize(pa.table({"x": [1, 2]}), quasi_identifiers="x", k=2, ends="round")
