"""Numbers of more different values than are kept: cells stand for them, and what is shown holds every value."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import DataError
from sfumato.hierarchies.cell_domain import round_borders, split_borders
from sfumato.run.large import cells, plan
from sfumato.run.large.cells import Cells, Reading
from sfumato.run.large.duckdb import engine as in_duckdb

ROWS = 3_000
ASKED: dict[str, Any] = {
    "quasi_identifiers": ["pay", "place", "number", "age"],
    "sensitive": "illness",
    "plain": "row",
    "confirm": "row",
    "engine": "duckdb",
    "k": 5,
    "seed": 3,
}


@pytest.fixture(autouse=True)
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep a thousand values of a column at the most, and two hundred cells."""
    monkeypatch.setattr(plan, "FEWEST_VALUES", 50)
    monkeypatch.setattr(in_duckdb, "MOST_PART_ROWS", 2_000)
    monkeypatch.setattr(in_duckdb, "BATCH_ROWS", 700)
    monkeypatch.setattr(cells, "MOST_CELLS", 200)


@pytest.fixture(scope="module")
def people() -> pa.Table:
    """Return people with an outlier, gaps, a spike and negative numbers."""
    random = np.random.default_rng(5)
    pay = random.lognormal(8, 1.0, ROWS)
    pay[random.random(ROWS) < 0.1] = 0.0
    pay[7] = 1e9
    place = random.uniform(-2, 2, ROWS).astype(np.float32)
    place[random.random(ROWS) < 0.02] = np.nan
    return pa.table(
        {
            "pay": pay,
            "place": place,
            "number": pa.array(random.integers(-(10**12), 10**12, ROWS), mask=random.random(ROWS) < 0.01),
            "age": random.integers(18, 90, ROWS),
            "illness": random.choice(["flu", "asthma", "ulcer"], ROWS),
            "row": np.arange(ROWS),
        }
    )


@pytest.fixture(scope="module")
def path(people: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("cells") / "people.parquet"
    pq.write_table(people, file)
    return file


def ends_of(label: str) -> tuple[Fraction, Fraction, bool]:
    """Read an interval as a person would: its ends, and whether the last one belongs to it."""
    if not label.startswith("["):
        return Fraction(label), Fraction(label), True
    low, high = label[1:-1].split(", ")
    return Fraction(low), Fraction(high), label.endswith("]")


def holds(label: str | None, value: pa.Scalar) -> bool:
    text = value.cast(pa.string()).as_py()
    if text is None or text == "nan" or label in {None, "*"}:
        return label == "*" or (label is None and text in {None, "nan"})
    low, high, closed = ends_of(label)
    return low <= Fraction(text) <= high and (closed or Fraction(text) < high)


def require_sound(released: pa.Table, people: pa.Table, columns: tuple[str, ...]) -> None:
    rows = released["row"].to_pylist()
    assert sorted(rows) == list(range(ROWS))
    for name in columns:
        labels, values = released[name].cast(pa.string()).to_pylist(), people[name].combine_chunks()
        assert all(holds(label, values[row]) for label, row in zip(labels, rows, strict=True)), name


def penalty(labels: list[str | None]) -> float:
    """Return the mean penalty of a column from its labels alone, which show where the table begins and ends."""
    shown = [ends_of(label) for label in labels if label not in {None, "*"}]
    extent = max(high for _, high, _ in shown) - min(low for low, _, _ in shown)
    widths = sum((high - low for low, high, _ in shown), Fraction(0)) / extent
    return float((widths + labels.count("*")) / len(labels))


NAMES = ("pay", "place", "number", "age")


@pytest.mark.parametrize("method", ["hilbert", "mondrian"])
def test_every_value_lies_in_what_is_shown_of_it(method: str, path: Path, people: pa.Table) -> None:
    release = sf.anonymize(path, **ASKED, method=method)
    released = release.table
    require_sound(released, people, NAMES)
    assert sf.check(released, quasi_identifiers=list(NAMES), k=5).ok
    lost = {name: penalty(released[name].to_pylist()) for name in NAMES}
    assert {name: pytest.approx(each) for name, each in lost.items()} == release.loss.by_attribute
    assert release.loss.gcp == pytest.approx(np.mean(list(lost.values())))
    # No label is a value that many others are shown as, and the note says so.
    assert all(label is None or label == "*" or label.startswith("[") for label in released["pay"].to_pylist())
    assert [one.columns for one in release.cautions if "cells with round borders" in one.found] == [
        ("pay",),
        ("place",),
        ("number",),
    ]
    if method == "hilbert":
        assert 0 < release.bound <= release.loss.gcp
    else:
        assert sf.anonymize(path, **ASKED, method=method).table.equals(released)


def test_one_outlier_leaves_all_others_apart(path: Path) -> None:
    """Two hundred equal cells up to a thousand millions would show everybody in the first."""
    asked = ASKED | {"quasi_identifiers": "pay", "rest": "drop", "method": "mondrian"}
    shown = sf.anonymize(path, **asked).table
    widths = [high - low for low, high, _ in map(ends_of, shown["pay"].drop_null().to_pylist())]
    assert sorted(widths)[len(widths) // 2] <= 500


@pytest.mark.parametrize("how", ["levels", "grid", "bounds", "midpoint"])
def test_cells_are_shown_in_every_way(how: str, path: Path, people: pa.Table) -> None:
    asked: Mapping[str, dict[str, Any]] = {
        "levels": {"method": "datafly", "suppression": 0.0},
        "grid": {"ends": "grid", "method": "hilbert"},
        "bounds": {"intervals": "bounds", "method": "hilbert"},
        "midpoint": {"intervals": "midpoint", "method": "hilbert"},
    }
    released = sf.anonymize(path, **ASKED | asked[how]).table
    if how == "bounds":
        for name in ("pay", "place"):
            low, high = (released[f"{name}_{end}"].to_pylist() for end in ("min", "max"))
            values = [people[name][row].as_py() for row in released["row"].to_pylist()]
            known = [all_of for all_of in zip(low, values, high, strict=True) if all_of[0] is not None]
            assert all(least <= value < most for least, value, most in known)
        return
    if how == "midpoint":
        assert released["pay"].type == pa.float64()
        return
    require_sound(released, people, NAMES)


def test_declared_widths_are_kept_or_refused(path: Path, people: pa.Table) -> None:
    alone = ASKED | {"quasi_identifiers": {"number": sf.Numeric(widths=[10**11, 10**12])}, "method": "hilbert"}
    alone["rest"] = "drop"
    released = sf.anonymize(path, **alone).table
    require_sound(released, people, ("number",))
    widths = {high - low for low, high, _ in map(ends_of, set(released["number"].drop_null().to_pylist()) - {"*"})}
    assert widths <= {10**11 - 1, 10**12 - 1, *(10**power - 1 for power in (9, 10))}
    with pytest.raises(DataError, match=r"Column 'number' has too many different values.*wider intervals.*memory="):
        sf.anonymize(path, **alone | {"quasi_identifiers": {"number": sf.Numeric(widths=[7, 70])}})
    with pytest.raises(DataError, match=r"Column 'number'.*no scale"):
        sf.anonymize(path, **alone | {"quasi_identifiers": {"number": sf.Categorical()}})


@pytest.mark.parametrize(("kind", "method"), [("us", "mondrian"), ("ns", "hilbert"), ("zone", "datafly")])
def test_moments_are_known_by_range(kind: str, method: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the clock, and where many lie together by parts of it; half an hour fits into the days of every zone."""
    if kind == "zone":
        monkeypatch.setattr(cells, "MOST_CELLS", 6_000)
    seconds = np.random.default_rng(3).exponential(10**6, 3_000)
    moments = (np.datetime64("2024-02-28T12:00", "us") + (seconds * 10**6).astype("timedelta64[us]")).astype("M8[ns]")
    own = pa.timestamp("us", "Asia/Kolkata") if kind == "zone" else pa.timestamp(kind)
    seen = pa.array(moments).cast(pa.timestamp(own.unit)).cast(own)
    pq.write_table(pa.table({"seen": seen, "row": np.arange(3_000)}), tmp_path / "people.parquet")
    asked: dict[str, Any] = {"quasi_identifiers": "seen", "plain": "row", "confirm": "row", "k": 5, "method": method}
    release = sf.anonymize(tmp_path / "people.parquet", **asked, seed=1, engine="duckdb", intervals="bounds")
    low, high = (release.table[f"seen_{end}"].cast(pa.int64()).to_pylist() for end in ("min", "max"))
    values = seen.cast(pa.int64()).take(pa.array(release.table["row"].combine_chunks())).to_pylist()
    known = [one for one in zip(low, values, high, strict=True) if one[0] is not None]
    assert all(least <= value < most for least, value, most in known)
    assert len(known) == 3_000
    if method == "mondrian":
        shown = sf.anonymize(tmp_path / "people.parquet", **asked, seed=1, engine="duckdb")
        assert all(label.startswith("[2024-0") and label.endswith(")") for label in shown.table["seen"].to_pylist())


def test_infinite_numbers_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"pay": [*range(2_000), float("inf")]}), tmp_path / "people.parquet")
    with pytest.raises(DataError, match="'pay' holds infinite numbers"):
        sf.anonymize(tmp_path / "people.parquet", quasi_identifiers="pay", k=5, engine="duckdb")


EXTREMES: Mapping[str, list[Any]] = {
    "int64": [-(2**63), -(2**63) + 1, -5, 0, 7, 2**63 - 1],
    "uint64": [0, 1, 2**63, 2**64 - 1],
    "int8": [-128, -1, 0, 3, 127],
    "double": [-1.7e308, -1.0, -5e-324, 0.0, 0.1, 0.3, 1.7e308],
    "float": [-3.4e38, 0.1, 0.3, 3.4e38],
    "tiny": [0.1, 0.2, 0.3, 0.30000000000000004, 0.7],
    "far": [1e15, 1e15 + 0.125, 1e15 + 1],
}


@pytest.mark.parametrize("name", EXTREMES)
def test_a_value_lies_between_the_borders_of_its_cell(name: str) -> None:
    kind = {"tiny": "double", "far": "double"}.get(name, name)
    values = pa.array(EXTREMES[name], kind)
    ends = values[0], values[len(values) - 1]
    borders = round_borders(*ends, 30)
    assert len(borders) <= 31
    for _ in range(2):
        found = Cells.between(Reading("x", values.type), ends, borders).places(
            pa.concat_arrays([values, pa.nulls(1, values.type)])
        )
        assert found[-1] == len(borders) - 1
        for value, at in zip(values, found[:-1].tolist(), strict=True):
            low, high = (
                Fraction(str(pa.scalar(float(border), kind).cast(pa.string()))) if "int" not in kind else border
                for border in borders[at : at + 2]
            )
            assert low <= Fraction(str(value.cast(pa.string()))) < high
        borders = split_borders(borders, sorted(set(found[:-1].tolist())), 10_000, values.type)


def test_cells_are_split_evenly_and_whole_ones_to_the_end() -> None:
    borders = [Fraction(border) for border in (0, 50, 100)]
    assert split_borders(borders, [1], 99, pa.float64()) == [0, *range(50, 101, 5)]
    assert split_borders(borders, [0], 99, pa.int64()) == [*range(0, 50, 5), 50, 100]
    assert split_borders([Fraction(0), Fraction(5)], [0], 99, pa.int64()) == [*range(6)]
    assert split_borders([Fraction(0), Fraction(1)], [0], 10**4, pa.int64()) == [0, 1]
    fine = split_borders(borders, [0, 1], 2_000, pa.float64())
    assert {after - before for before, after in pairwise(fine)} == {Fraction(1, 2) / 10}
