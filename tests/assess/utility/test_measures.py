"""Measures of utility against slow forms on random tables, and what they say of perfect and of empty releases."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.assess.utility import MEASURES, UtilityComparison
from sfumato.assess.utility.divergence import Divergence
from sfumato.common.randomness import Secret
from sfumato.errors import SchemaError

LABELS = {"a": ["a"], "b": ["b"], "*": ["a", "b"]}


@st.composite
def shown_tables(draw: st.DrawFn) -> tuple[pa.Table, pa.Table, list[tuple[int, int]], list[str]]:
    """Draw an original of small numbers and two categories, and cells that each row may be shown by."""
    rows = draw(st.integers(4, 20))
    numbers = draw(st.lists(st.integers(0, 6), min_size=rows, max_size=rows))
    letters = ["a", "b", *draw(st.lists(st.sampled_from("ab"), min_size=rows - 2, max_size=rows - 2))]
    spans = [(draw(st.integers(0, value)), draw(st.integers(value, 6))) for value in numbers]
    labels = ["a", "b", *(draw(st.sampled_from([letter, "*"])) for letter in letters[2:])]
    texts = [f"[{low}, {high}]" if low < high else str(low) for low, high in spans]
    return pa.table({"x": numbers, "y": letters}), pa.table({"x": texts, "y": labels}), spans, labels


def spread(spans: list[tuple[int, int]], labels: list[str], original: pa.Table) -> dict[tuple[int, str], float]:
    """Return the expected rows of every pair of values, row by row and value by value.

    Values up to the least and beyond the largest of the original count as those; between two, as the next one.
    """
    values = sorted(set(original["x"].to_pylist()))
    expected: dict[tuple[int, str], float] = Counter()
    for (low, high), label in zip(spans, labels, strict=True):
        for number in range(low, high + 1):
            bin_of = next((value for value in values if number <= value), values[-1])
            for letter in LABELS[label]:
                expected[bin_of, letter] += 1 / (high - low + 1) / len(LABELS[label])
    return expected


def pairs_of(original: pa.Table) -> Counter[tuple[int, str]]:
    return Counter(zip(original["x"].to_pylist(), original["y"].to_pylist(), strict=True))


def marginal(pairs: dict[tuple[int, str], float], at: int) -> dict[object, float]:
    found: dict[object, float] = Counter()
    for key, count in pairs.items():
        found[key[at]] += count
    return found


def slow_variation(before: dict, after: dict) -> float:
    total, shown = sum(before.values()), sum(after.values())
    return sum(abs(before.get(key, 0) / total - after.get(key, 0) / shown) for key in {*before, *after}) / 2


def slow_divergence(before: dict, after: dict) -> float:
    total, shown = sum(before.values()), sum(after.values())
    return sum(
        count / total * math.log2(count / total / max(after.get(key, 0) / shown, 1e-9)) for key, count in before.items()
    )


def slow_work(before: dict, after: dict) -> float:
    """Return how far values are moved, as a share of the way from the least to the largest."""
    values = sorted(before)
    work, carried = 0.0, 0.0
    for one, two in pairwise(values):
        carried += before[one] / sum(before.values()) - after.get(one, 0) / sum(after.values())
        work += abs(carried) * (two - one)
    return work / max(1, values[-1] - values[0])


def slow_v(pairs: dict[tuple[object, object], float]) -> float:
    rows, columns = sorted({key[0] for key in pairs}), sorted({key[1] for key in pairs})
    total = sum(pairs.values())
    chi = 0.0
    for row in rows:
        for column in columns:
            of_row = sum(count for key, count in pairs.items() if key[0] == row)
            of_column = sum(count for key, count in pairs.items() if key[1] == column)
            expected = of_row * of_column / total
            chi += (pairs.get((row, column), 0) - expected) ** 2 / expected
    least = min(len(rows), len(columns))
    return math.sqrt(chi / total / (least - 1)) if least > 1 else 0.0


@settings(max_examples=examples(25), deadline=None)
@given(shown_tables())
def test_measures_are_those_of_the_slow_forms(drawn) -> None:
    original, shown, spans, labels = drawn
    found = sf.utility(original, shown, quasi_identifiers=["x", "y"], seed=1)
    before, after = pairs_of(original), spread(spans, labels, original)
    margins = [(marginal(before, at), marginal(after, at)) for at in range(2)]

    variations = [slow_variation(*margin) for margin in margins]
    assert found["total_variation"].details["x"] == pytest.approx(variations[0], abs=1e-9)
    assert found["total_variation"].value == pytest.approx(np.mean(variations), abs=1e-9)

    singles = np.mean([slow_divergence(*margin) for margin in margins])
    assert found["divergence"].details["level 1"] == pytest.approx(singles, abs=1e-6)
    assert found["divergence"].details["level 2"] == pytest.approx(slow_divergence(before, after), abs=1e-6)

    assert found["earth_movers"].details["x"] == pytest.approx(slow_work(*margins[0]), abs=1e-9)

    difference = abs(slow_v(before) - slow_v({key: count for key, count in after.items() if count > 1e-12}))
    assert found["association"].details["x and y"] == pytest.approx(difference, abs=1e-6)
    assert found["association"].value == pytest.approx(1 - difference, abs=1e-6)


@settings(max_examples=examples(25), deadline=None)
@given(shown_tables(), st.data())
def test_the_cube_has_all_levels_with_the_label_in_every_group_by(drawn, data: st.DataObject) -> None:
    original, shown, spans, labels = drawn
    rows = len(spans)
    third, ill = (data.draw(st.lists(st.sampled_from("pq"), min_size=rows, max_size=rows)) for _ in range(2))
    original, shown = (part.append_column("z", [third]).append_column("ill", [ill]) for part in (original, shown))
    released = sf.Released.open(shown, ["x", "y", "z"])
    found = Divergence().measure(UtilityComparison(original, released, ("x", "y", "z", "ill"), "ill", None, Secret(1)))
    assert found is not None
    cells = list(zip(*(original[name].to_pylist() for name in ("x", "y", "z", "ill")), strict=True))
    spread_out: dict[tuple, float] = Counter()
    for row in range(rows):
        alone = spread(spans[row : row + 1], labels[row : row + 1], original)
        for (number, letter), share in alone.items():
            spread_out[number, letter, third[row], ill[row]] += share
    for level in (1, 2, 3):
        slow = []
        for axes in combinations(range(3), level):
            before, after = Counter(), Counter()
            for cell in cells:
                before[(*(cell[at] for at in axes), cell[3])] += 1
            for cell, share in spread_out.items():
                after[(*(cell[at] for at in axes), cell[3])] += share
            slow.append(slow_divergence(before, after))
        assert found.details[f"level {level}"] == pytest.approx(np.mean(slow), abs=1e-6)
    assert found.value == pytest.approx(np.mean(list(found.details.values())))


def test_the_cube_of_two_tables_spreads_values_over_groups(people: pa.Table) -> None:
    people = people.set_column(2, "ill", [["flu", "gout", "acne"] * 300])
    release = sf.anatomize(people, quasi_identifiers=["age", "sex"], sensitive="ill", l=2, seed=1)
    found = sf.utility(people, release, seed=1)["divergence"]
    values: dict[int, list[str]] = {}
    for row in release.values.to_pylist():
        values.setdefault(row["group"], []).extend([row["ill"]] * row["count"])
    after: Counter[tuple] = Counter()
    for row in release.people.to_pylist():
        for value in values[row["group"]]:
            after[row["age"], row["sex"], value] += 1 / len(values[row["group"]])
    before = Counter(zip(*(people[name].to_pylist() for name in ("age", "sex", "ill")), strict=True))
    assert found.details["level 2"] == pytest.approx(slow_divergence(before, after))


def test_large_cubes_are_drawn_and_close(people: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    release = sf.anonymize(people, sf.Schema(["age", "sex"], sensitive="ill"), k=10, method="mondrian", seed=1)
    whole = sf.utility(people, release, seed=1)["divergence"]
    monkeypatch.setattr("sfumato.assess.utility.divergence.CELLS", 150)
    drawn = sf.utility(people, release, seed=1)["divergence"]
    assert drawn.value != whole.value
    assert drawn.value == pytest.approx(whole.value, rel=0.3)
    monkeypatch.setattr("sfumato.assess.utility.divergence.GROUP_BYS", 1)
    monkeypatch.setattr("sfumato.assess.utility.divergence.FEW", 1)
    assert sf.utility(people, release, seed=1)["divergence"].details.keys() == whole.details.keys()


def test_many_values_share_a_bin() -> None:
    names = pa.table({"name": [f"n{at}" for at in range(400)], "sex": ["f", "m"] * 200})
    found = sf.utility(names, names, quasi_identifiers=["name", "sex"], seed=1)
    assert found["divergence"].value == pytest.approx(0)
    assert found["total_variation"].value == 0


def test_every_measure_says_what_it_is() -> None:
    for name, measure in MEASURES.items():
        assert measure.name == name
        assert measure.title
        assert measure.lower == 0
        assert measure.upper in {1, None}
        assert isinstance(measure.higher_is_better, bool)


@pytest.fixture(scope="module")
def people() -> pa.Table:
    random = np.random.default_rng(3)
    age = random.integers(20, 70, 900)
    sex = random.choice(["f", "m"], 900)
    ill = np.where((age > 45) ^ (random.random(900) < 0.1), "gout", "flu")
    return pa.table({"age": age, "sex": sex, "ill": ill})


def test_a_release_that_tells_everything_is_as_good_as_the_original(people: pa.Table) -> None:
    found = sf.utility(people, people, quasi_identifiers=["age", "sex"], label="ill", seed=1)
    assert found["query_error"].value == found["total_variation"].value == 0
    assert found["divergence"].value == pytest.approx(0)
    assert found["association"].value == pytest.approx(1)
    assert found["prediction"].value > 0.85 > found["prediction"].details["guessing"]
    assert found["propensity"].value < 0.1


def test_the_more_is_hidden_the_less_is_left(people: pa.Table) -> None:
    schema = sf.Schema(["age", "sex"], sensitive="ill")
    fine, coarse = (
        sf.utility(people, sf.anonymize(people, schema, k=k, method="mondrian", seed=1), seed=1) for k in (5, 300)
    )
    for name in ("query_error", "divergence", "total_variation", "propensity"):
        assert fine[name].value < coarse[name].value, name
    assert fine["prediction"].value > coarse["prediction"].value
    assert fine["association"].value > coarse["association"].value
    for name, found in {**fine, **coarse}.items():
        assert MEASURES[name].lower <= found.value <= (MEASURES[name].upper or math.inf), name
        assert found.sentence.endswith(".")


def test_a_label_that_is_not_there_is_refused(people: pa.Table) -> None:
    with pytest.raises(SchemaError, match="'income'"):
        sf.utility(people, people, quasi_identifiers=["age"], label="income", seed=1)
    with pytest.raises(SchemaError, match="quasi-identifiers"):
        sf.utility(people, people, seed=1)


@settings(max_examples=examples(40), deadline=None)
@given(shown_tables(), st.integers(0, 5))
def test_a_drawn_table_hides_behind_what_is_shown(drawn, seed: int) -> None:
    original, shown, spans, labels = drawn
    table = sf.Released.open(shown, ["x", "y"]).sample(seed)
    assert table.column_names == original.column_names
    for value, (low, high) in zip(table["x"].to_pylist(), spans, strict=True):
        assert low <= value <= high
    assert all(letter in LABELS[label] for letter, label in zip(table["y"].to_pylist(), labels, strict=True))
    assert table.equals(sf.Released.open(shown, ["x", "y"]).sample(seed))


def test_every_pair_is_there() -> None:
    table = pa.table({"a": [1, 2], "b": [1, 2], "c": [2, 1]})
    found = sf.utility(table, table, quasi_identifiers=["a", "b", "c"], seed=1)
    assert len(found["association"].details) == len(list(combinations("abc", 2)))
