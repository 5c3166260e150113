"""Risk of any table: figures against slow counting, tables worked by hand, words that say what they mean."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.assess.risk import smallest_class
from sfumato.errors import DataError, ParameterError, SchemaError

SMALL = st.lists(
    st.fixed_dictionaries(
        {
            "a": st.integers(0, 2) | st.none(),
            "b": st.sampled_from(["x", "y"]),
            "c": st.integers(0, 3),
            "who": st.integers(0, 5) | st.none(),
            "ill": st.sampled_from(["flu", "ulcer"]),
        }
    ),
    min_size=1,
    max_size=25,
)
KNOWN = ["a", "b", "c"]


def table(rows):
    return pa.table({name: [row[name] for row in rows] for name in rows[0]})


def look(row, names=KNOWN):
    return tuple(row[name] for name in names)


def slow_people(rows, person):
    """Return for every person the looks of their rows; a row of nobody is a person of its own."""
    looks = defaultdict(set)
    for at, row in enumerate(rows):
        looks[row["who"] if person and row["who"] is not None else ("row", at)].add(look(row))
    return looks


@given(SMALL, st.booleans())
def test_the_figures_are_those_of_slow_counting(rows, person):
    found = sf.risk(table(rows), quasi_identifiers=KNOWN, person="who" if person else None)
    people = slow_people(rows, person)
    alike = Counter(one for looks in people.values() for one in looks)
    risks = [max(1 / alike[one] for one in looks) for looks in people.values()]
    assert found.people == len(people)
    assert found.prosecutor.highest == pytest.approx(max(risks))
    assert found.prosecutor.mean == pytest.approx(sum(risks) / len(risks))
    assert found.marketer == found.prosecutor.mean
    assert found.unique == sum(risk == 1 for risk in risks)
    for limit, share in found.prosecutor.above.items():
        assert share == pytest.approx(sum(1 / risk < smallest_class(limit) for risk in risks) / len(risks))
    assert sum(band.people for band in found.prosecutor.distribution) == len(people)
    assert found.of_record.tolist() == pytest.approx([1 / alike[look(row)] for row in rows])


@settings(max_examples=examples(50))
@given(SMALL, SMALL)
def test_the_journalist_has_the_population_to_choose_from(rows, others):
    population = [*rows, *others]
    found = sf.risk(table(rows), quasi_identifiers=KNOWN, population=table(population))
    there = Counter(map(look, population))
    assert found.journalist.mean == pytest.approx(np.mean([1 / there[look(row)] for row in rows]))
    assert found.marketer == found.journalist.mean
    assert found.journalist.highest <= found.prosecutor.highest


def test_a_release_is_judged_against_a_population_of_exact_values():
    release = pa.table({"age": ["[20, 29]", "[20, 29]", "*"], "sex": ["f", "f", "m"]})
    population = pa.table({"age": [20, 25, 29, 30, 41, 7], "sex": ["f", "f", "f", "f", "m", "m"]})
    found = sf.risk(release, quasi_identifiers=["age", "sex"], population=population)
    assert found.journalist.mean == pytest.approx((1 / 3 + 1 / 3 + 1 / 2) / 3)


@given(SMALL)
def test_certain_values_are_those_of_slow_counting(rows):
    found = sf.risk(table(rows), quasi_identifiers=KNOWN, sensitive="ill", nearly=0.6).sensitive["ill"]
    ill = defaultdict(Counter)
    for row in rows:
        ill[look(row)][row["ill"]] += 1
    shares = [max(ill[look(row)].values()) / ill[look(row)].total() for row in rows]
    assert found.certain == pytest.approx(np.mean([share == 1 for share in shares]))
    assert found.nearly == pytest.approx(np.mean([share >= 0.6 for share in shares]))
    assert found.mean == pytest.approx(np.mean(shares))


@given(SMALL)
def test_distinction_and_separation_are_those_of_all_pairs(rows):
    drivers = sf.risk(table(rows), quasi_identifiers=KNOWN).drivers
    for one in (*drivers.columns, *drivers.combinations):
        looks = [look(row, one.columns) for row in rows]
        pairs = list(itertools.combinations(looks, 2))
        assert one.distinction == pytest.approx(len(set(looks)) / len(rows))
        assert one.separation == pytest.approx(np.mean([a != b for a, b in pairs]) if pairs else 0.0)
        assert one.unique == pytest.approx(np.mean([looks.count(each) == 1 for each in looks]))
    assert {one.columns for one in drivers.combinations} == {("a", "b"), ("a", "c"), ("b", "c"), ("a", "b", "c")}
    assert (drivers.examined, drivers.possible) == (4, 4)
    for name, rest in drivers.without:
        kept = [other for other in KNOWN if other != name]
        assert rest.mean == pytest.approx(len({look(row, kept) for row in rows}) / len(rows))
    assert drivers.first_to_coarsen == drivers.without[0][0]


def slow_minimal_uniques(rows, names, size, person):
    """Return for every row the sets of columns by which its person is alone, and by no fewer of them."""
    owner = [row["who"] if person and row["who"] is not None else ("row", at) for at, row in enumerate(rows)]
    alone = {
        chosen: [
            len({owner[other] for other, two in enumerate(rows) if look(two, chosen) == look(row, chosen)}) == 1
            for row in rows
        ]
        for step in range(1, size + 1)
        for chosen in itertools.combinations(names, step)
    }
    return [
        [one for one in alone if alone[one][at] and not any(alone[two][at] for two in alone if set(two) < set(one))]
        for at in range(len(rows))
    ]


@given(SMALL, st.booleans())
def test_minimal_uniques_are_those_of_trying_all_sets(rows, person):
    found = sf.risk(table(rows), quasi_identifiers=KNOWN, person="who" if person else None).special_uniques(2)
    slow = slow_minimal_uniques(rows, KNOWN, 2, person)
    # Three columns, sets of up to two: a unique of one column is worth (3-1)(3-2), one of two (3-2).
    assert found.scores.tolist() == [sum(2.0 if len(one) == 1 else 1.0 for one in sets) for sets in slow]
    if not person:
        assert found.by_size == {size: sum(len(one) == size for sets in slow for one in sets) for size in (1, 2)}
    assert (found.examined, found.possible) == (6, 6)


def test_a_search_over_too_many_sets_stops_and_says_so():
    wide = pa.table({f"c{at}": np.arange(30) % (at + 2) for at in range(40)})
    found = sf.risk(wide, quasi_identifiers=wide.column_names)
    uniques = found.special_uniques(4)
    assert uniques.size == 2
    assert (uniques.examined, uniques.possible) == (40 + 780, 40 + 780 + 9880 + 91390)
    assert found.drivers.examined < found.drivers.possible


def test_weights_say_how_many_people_stand_behind_a_class():
    people = pa.table({"age": [30, 30, 41], "weight": [50.0, 50.0, 1.0]})
    found = sf.risk(people, quasi_identifiers="age", weights="weight")
    assert found.journalist_by == "the weights"
    assert found.journalist.highest == pytest.approx(1.0)  # 41 stands for nobody else
    assert found.population.population == pytest.approx(101)


@pytest.mark.parametrize(
    ("column", "error"),
    [(["a", "b"], "weights are numbers"), ([1.0, 0.0], "above 0"), ([1.0, None], "above 0")],
)
def test_weights_must_be_numbers_above_nothing(column, error):
    with pytest.raises(DataError, match=error):
        sf.risk(pa.table({"age": [1, 2], "w": column}), quasi_identifiers="age", weights="w")


@pytest.mark.parametrize(("threshold", "size"), [(0.05, 20), (0.09, 11), (0.15, 7), (0.33, 3), (0.4, 3), (0.01, 100)])
def test_a_threshold_is_read_as_it_is_printed(threshold, size):
    assert smallest_class(threshold) == size


@pytest.mark.parametrize("threshold", [0, 1, 9, "low"])
def test_a_threshold_is_a_risk(threshold):
    with pytest.raises(ParameterError, match="thresholds"):
        sf.risk(pa.table({"a": [1]}), quasi_identifiers="a", thresholds=[threshold])


def test_a_population_is_larger_than_the_table():
    with pytest.raises(ParameterError, match="population has 2 people"):
        sf.risk(pa.table({"a": [1, 2, 3]}), quasi_identifiers="a", population=2)
    half = sf.risk(pa.table({"a": [1, 2, 3]}), quasi_identifiers="a", population=0.5)
    assert half.population.population == 6


def test_columns_that_are_not_there_are_named():
    with pytest.raises(SchemaError, match="'nobody'"):
        sf.risk(pa.table({"a": [1]}), quasi_identifiers="a", person="nobody")


def test_a_table_of_nobody_has_no_risk():
    found = sf.risk(pa.table({"a": pa.array([], pa.int64())}), quasi_identifiers="a")
    assert found.prosecutor.highest is None
    assert "nobody can be found" in found.summary()
    json.dumps(found.to_dict())


def test_the_words_count_people_and_show_no_value():
    people = pa.table({"age": [34567, 34567, 45678], "ill": ["secretitis", "secretitis", "flu"]})
    found = sf.risk(people, quasi_identifiers="age", sensitive="ill", population=30, thresholds=[0.1])
    text = found.summary() + json.dumps(found.to_dict()) + json.dumps(found.drivers.to_dict())
    text += json.dumps(found.special_uniques().to_dict())
    assert "1 people (33.3%) look like nobody else" in text
    assert "100.0% above 0.1" in text
    assert "certain for 100.0% of the people" in text
    assert not any(value in text for value in ("34567", "45678", "secretitis"))


def test_a_release_knows_its_risk_before_and_after():
    people = pa.table({"age": [20, 21, 30, 31], "ill": ["flu", "ulcer", "flu", "flu"]})
    for intervals in ("text", "bounds", "midpoint"):
        release = sf.anonymize(people, quasi_identifiers="age", sensitive="ill", k=2, intervals=intervals)
        both = release.risk
        assert (both.before.prosecutor.mean, both.after.prosecutor.mean) == (1.0, 0.5)
        assert (both.before.sensitive["ill"].certain, both.after.sensitive["ill"].certain) == (1.0, 0.5)
        assert "look like nobody else   100.0%    0.0%" in both.summary()
        json.dumps(both.to_dict())
