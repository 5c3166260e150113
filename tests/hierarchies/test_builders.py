"""Bands, rounding, ages, codes and what is learned: against slow and obvious versions, and through whole releases."""

from __future__ import annotations

import datetime as dt
import itertools
import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import DataError, HierarchyError, ParameterError
from sfumato.hierarchies import HIERARCHIES, KINDS, Hierarchy
from sfumato.hierarchies.ages import completed_years
from sfumato.hierarchies.clusters import cheapest_breaks, merged
from sfumato.hierarchies.countries import places_of_countries
from sfumato.hierarchies.preview import preview
from sfumato.hierarchies.reading import read_column
from sfumato.run.policy import hierarchy_from_policy


def shown(how: Hierarchy, values: list[Any], level: int) -> dict[Any, str]:
    """Return the label of every value at a level."""
    domain, codes = how.fit("x", pa.array(values), has_missing=False)
    labels = domain.levels[level].labels.take(pa.array(domain.levels[level].groups)).to_pylist()
    return {value: labels[code] for value, code in zip(values, codes, strict=True)}


def test_bands_have_labels_of_their_own_and_open_ends() -> None:
    ages = [0, 17, 18, 64, 65, 120]
    labels = ["child", "child", "working age", "working age", "65+", "65+"]
    assert list(shown(sf.Bands([18, 65], ["child", "working age", "65+"]), ages, 1).values()) == labels
    assert list(shown(sf.Bands([18, 65]), ages, 1).values()) == ["<18", "<18", "[18, 64]", "[18, 64]", "65+", "65+"]
    assert list(shown(sf.Bands([0.5]), [0.4, 0.5], 1).values()) == ["<0.5", "0.5+"]


def test_coarse_bands_join_fine_ones() -> None:
    how = sf.Bands([[10, 18, 65], [18]], [["a", "b", "c", "d"], ["young", "old"]])
    assert shown(how, [5, 12, 20, 70], 2) == {5: "young", 12: "young", 20: "old", 70: "old"}


@pytest.mark.parametrize("seed", range(5))
def test_capped_and_rounded_numbers_as_by_hand(seed: int) -> None:
    random.seed(seed)
    numbers = sorted({random.randrange(-50, 200) for _ in range(60)})
    for number, label in shown(sf.Capped([5, 20], 0, 90), numbers, 1).items():
        low = number // 5 * 5
        assert label == ("<0" if number < 0 else "90+" if number >= 90 else f"[{low}, {low + 4}]")
    for number, label in shown(sf.Rounded([10]), numbers, 1).items():
        middle, half = map(int, label.split("±"))
        assert half == 5
        assert middle % 10 == 0
        assert middle - 5 <= number < middle + 5


@pytest.mark.parametrize("seed", range(3))
def test_ages_as_python_counts_them(seed: int) -> None:
    random.seed(seed)
    at = random.choice([dt.date(2024, 2, 29), dt.date(2023, 2, 28), dt.date(2024, 12, 31)])
    born = sorted({at - dt.timedelta(random.randrange(0, 40_000)) for _ in range(300)} | {dt.date(2000, 2, 29)})
    ages = {day: at.year - day.year - ((at.month, at.day) < (day.month, day.day)) for day in born}
    assert completed_years(pa.array(born), np.full(len(born), np.datetime64(at))).tolist() == list(ages.values())
    how = sf.Ages(at, [10], top=85)
    for day, label in shown(how, born, 2).items():
        low = ages[day] // 10 * 10
        assert label == ("aged 85+" if ages[day] >= 85 else f"aged {low}-{min(low + 9, 84)}")
        meant = how.meaning(label)
        assert meant is not None
        assert meant.low <= (day - dt.date(1970, 1, 1)).days < meant.high


def test_weeks_begin_on_monday_and_cross_no_month() -> None:
    days = [dt.date(2024, 12, 29) + dt.timedelta(at) for at in range(8)]
    expected = ["{}-W{:02d}".format(*day.isocalendar()[:2]) for day in days]
    assert list(shown(sf.Dates(["week"]), days, 1).values()) == expected
    with pytest.raises(ParameterError, match="cross the ends of months"):
        sf.Dates(["week", "month"])


@pytest.mark.parametrize(
    ("how", "code", "above"),
    [
        (sf.ICD10(), "E119", ["E11", "E10-E14", "E00-E90"]),
        (sf.ICD10(), "U07.1", ["U07", "U00-U49", "U00-U99"]),
        (sf.ICD10(), "C4A.0", ["C4A", "C00-D48", "C00-D48"]),
        (sf.ICD10(), "Y05", ["Y05", "X85-Y09", "V01-Y98"]),
        (sf.ISCO(), "0110", ["011*", "01**", "0***"]),
        (sf.NACE(), "C10.11", ["10.1", "10", "C"]),
        (sf.NACE("2.1"), "45", None),
        (sf.Countries(), "DEU", ["Western Europe", "Europe"]),
        (sf.Weekdays(), "2024-12-31", ["Tuesday", "workday"]),
    ],
)
def test_codes_know_their_groups(how: Hierarchy, code: str, above: list[str] | None) -> None:
    if above is None:  # a division that the revision no longer has still lies in some section
        assert list(shown(how, [code], 3).values()) == ["F"]
    else:
        assert [shown(how, [code], level)[code] for level in range(1, len(above) + 1)] == above


def test_what_is_no_code_is_refused_without_being_named() -> None:
    with pytest.raises(HierarchyError, match="1 value that is not in the form of ICD-10") as caught:
        sf.ICD10().fit("icd", pa.array(["J45", "Rossi"]), has_missing=False)
    assert "Rossi" not in str(caught.value)


def test_every_country_has_one_place() -> None:
    codes = places_of_countries()
    assert len([code for code in codes if len(code) == 2]) == len([code for code in codes if len(code) == 3]) == 249
    assert len(codes) == 498


def slow_breaks(numbers: list[float], counts: list[int], parts: int) -> float:
    """Return the least squared distances that any breaks give, by trying all of them."""

    def cost(first: int, after: int) -> float:
        rows = np.repeat(numbers[first:after], counts[first:after])
        return float(((rows - rows.mean()) ** 2).sum())

    cuts = itertools.combinations(range(1, len(numbers)), parts - 1)
    return min(sum(cost(a, b) for a, b in itertools.pairwise([0, *cut, len(numbers)])) for cut in cuts)


@pytest.mark.parametrize("seed", range(25))
def test_clusters_are_as_good_as_trying_all_breaks(seed: int) -> None:
    random.seed(seed)
    numbers = sorted({round(random.uniform(0, 10), 1) for _ in range(9)})
    counts = [random.randrange(1, 6) for _ in numbers]
    parts = random.randrange(2, min(5, len(numbers)) + 1)
    breaks = cheapest_breaks(np.array(numbers), np.array(counts), np.arange(len(numbers) + 1), parts)
    assert len(breaks) == parts - 1
    found = 0.0
    for first, after in itertools.pairwise([0, *breaks.tolist(), len(numbers)]):
        rows = np.repeat(numbers[first:after], counts[first:after])
        found += float(((rows - rows.mean()) ** 2).sum())
    assert found == pytest.approx(slow_breaks(numbers, counts, parts), abs=1e-9)


def test_quantiles_hold_equally_many_rows_and_break_where_nobody_need_be() -> None:
    random.seed(1)
    pay = [random.lognormvariate(7, 1) for _ in range(1000)]
    how = sf.Quantiles([10, 5]).learned("pay", pa.table({"pay": pay}))
    rows = [level.groups for level in how.fit("pay", pa.array(pay), has_missing=False).domain.levels[1:3]]
    assert all(set(np.bincount(groups)) <= {1000 // parts} for groups, parts in zip(rows, (10, 5), strict=True))
    assert not {*how.breaks[0]} & {*pay}


def test_groups_that_look_alike_are_merged_first() -> None:
    counts = np.array([[90, 10], [10, 90], [88, 12], [12, 88], [50, 50]])
    assert merged(counts, 3).tolist() == [0, 1, 0, 1, 2]


def test_cities_within_their_provinces() -> None:
    rows = pa.table({"city": ["Pisa", "Siena", "Bari", None], "region": ["Tuscany", "Tuscany", "Apulia", None]})
    assert sf.Within(["region"]).learned("city", rows).rows[0] == ("Bari", "Apulia", "*")
    twice = pa.table({"city": ["Pisa", "Pisa"], "region": ["Tuscany", "Apulia"]})
    with pytest.raises(HierarchyError, match="1 values of 'city' stand with several of 'region'"):
        sf.Within(["region"]).learned("city", twice)


@pytest.mark.parametrize(
    "how",
    [
        sf.Bands([[10, 18, 65], [18]], [["a", "b", "c", "d"], ["young", "old"]]),
        sf.Capped([5, 10], bottom=18),
        sf.Rounded([0.5]),
        sf.Quantiles([8, 4]),
        sf.Clusters(3),
        sf.Within(["county", "state"]),
        sf.Similar("disease", [5]),
        sf.Ages("2024-12-31", [5], top=90),
        sf.Weekdays(),
        sf.ICD10(),
        sf.ISCO(),
        sf.NACE("2.1"),
        sf.Countries(),
        sf.Prefix(5, keep=[3, 1]),
    ],
    ids=repr,
)
def test_a_policy_brings_it_back(how: Hierarchy) -> None:
    assert hierarchy_from_policy(how.to_policy()) == how


@pytest.mark.parametrize("kind", KINDS)
def test_the_shorthand_of_every_kind_is_read(kind: str) -> None:
    name, colon, rest = KINDS[kind].shorthand.partition(":")
    assert name == kind
    if colon and kind != "taxonomy":
        how = HIERARCHIES[kind](**KINDS[kind].from_short(rest))
        assert hierarchy_from_policy(how.to_policy()) == how


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: sf.Bands([]),
        lambda: sf.Bands([65, 18]),
        lambda: sf.Bands([18], ["one"]),
        lambda: sf.Bands([[18, 65], [40]]),
        lambda: sf.Bands([[18, 65], [18]], [["a", "b", "c"], ["b", "c"]]),
        lambda: sf.Capped([5]),
        lambda: sf.Capped([5], 90, 20),
        lambda: sf.Rounded([10, 20]),
        lambda: sf.Quantiles([10, 3]),
        lambda: sf.Clusters(1),
        lambda: sf.Within([]),
        lambda: sf.Similar("disease", [5, 20]),
        lambda: sf.Ages("yesterday"),
        lambda: sf.Ages("2024-12-31", [2.5]),
        lambda: sf.NACE("3"),
        lambda: sf.Prefix(5, keep=[1, 3]),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: Any) -> None:
    with pytest.raises(ParameterError, match=r"^The '\w+' parameter of \w+ must be .+\. Got .+\."):
        wrong()


def test_nobody_is_born_after_the_day_of_reference() -> None:
    with pytest.raises(DataError, match="after 2000-01-01"):
        sf.Ages("2000-01-01").fit("born", pa.array(["2001-05-05"]), has_missing=False)


@pytest.fixture(scope="module")
def people() -> pa.Table:
    rng = random.Random(3)
    places = {"Pisa": "Tuscany", "Siena": "Tuscany", "Bari": "Apulia", "Lecce": "Apulia"}
    city = [rng.choice(list(places)) for _ in range(200)]
    return pa.table(
        {
            "age": [rng.randrange(0, 100) for _ in range(200)],
            "born": [dt.date(1930, 1, 1) + dt.timedelta(rng.randrange(28_000)) for _ in range(200)],
            "city": city,
            "region": [places[one] for one in city],
            "icd": [rng.choice(["J45.0", "J40", "E11.9", "E10.0", "C50"]) for _ in range(200)],
            "disease": [rng.choice(["flu", "cold", "ulcer"]) for _ in range(200)],
        }
    )


HOWS: list[tuple[str, Hierarchy]] = [
    ("age", sf.Bands([18, 65, 90], ["child", "working age", "old", "90+"])),
    ("age", sf.Capped([5, 10], 18, 90)),
    ("age", sf.Rounded([10, 50])),
    ("age", sf.Quantiles([8, 4])),
    ("born", sf.Ages("2024-06-30", [5, 10], top=85)),
    ("born", sf.Dates(["week"])),
    ("born", sf.Weekdays()),
    ("city", sf.Within(["region"])),
    ("icd", sf.ICD10()),
]


@pytest.mark.parametrize(("column", "how"), HOWS, ids=lambda one: one if isinstance(one, str) else repr(one))
def test_what_a_release_shows_covers_the_original(column: str, how: Hierarchy, people: pa.Table) -> None:
    release = sf.anonymize(
        people, quasi_identifiers={column: how}, rest="drop", k=6, method="mondrian", seed=1, keep_order=True
    )
    reading = read_column(release.table, column, people.column(column), release.hierarchies[column])
    own = reading.covers(reading.original)[np.arange(len(people)), reading.cell_of_row]
    assert own.all()
    counted = release.count()
    assert counted.lower <= 200 <= counted.upper
    assert release.risk.after is not None


@pytest.mark.parametrize("intervals", ["text", "bounds"])
@pytest.mark.parametrize("how", [how for column, how in HOWS if column == "age"], ids=repr)
def test_the_verifier_agrees_on_widths(how: Hierarchy, intervals: str, people: pa.Table) -> None:
    models = [sf.KAnonymity(4), sf.MinimumSpan("age", 9)]
    roles = {"quasi_identifiers": {"age": how, "city": None}, "rest": "drop"}
    release = sf.anonymize(people, **roles, privacy=models, method="mondrian", intervals=intervals, seed=1)
    assert release.verification.ok
    assert release.achieved.k >= 4


def test_nothing_of_the_top_is_told(people: pa.Table) -> None:
    oldest = pa.table({"age": [*people["age"].to_pylist(), 117, 118, 119, 119]})
    for intervals in ("bounds", "midpoint"):
        roles = {"quasi_identifiers": {"age": sf.Capped([10], top=90)}, "k": 4, "method": "lattice"}
        release = sf.anonymize(oldest, **roles, intervals=intervals, seed=1)
        assert not any(str(old) in str(release.table.to_pylist()) for old in (117, 118, 119))


@pytest.mark.parametrize("how", [sf.Bands([18, 65], ["child", "working age", "old"]), sf.Rounded([10])], ids=repr)
def test_people_of_a_population_are_found_behind_labels(how: Hierarchy, people: pa.Table) -> None:
    model = sf.KMap(9, population=people.select(["age"]))
    release = sf.anonymize(people, quasi_identifiers={"age": how}, rest="drop", k=2, privacy=model, method="mondrian")
    assert release.verification.ok


def test_a_learned_hierarchy_is_told_and_can_be_used_again(people: pa.Table) -> None:
    roles: dict[str, Any] = {"sensitive": "disease", "rest": "drop", "k": 4, "method": "mondrian", "seed": 1}
    release = sf.anonymize(people, quasi_identifiers={"city": sf.Similar("disease", [2])}, **roles)
    [told] = [caution for caution in release.cautions if caution.code == "learned-hierarchy"]
    assert told.severity == "warning"
    assert "alike in the sensitive column" in told.found
    again = sf.anonymize(people, quasi_identifiers={"city": release.hierarchies["city"]}, **roles)
    assert again.table.equals(release.table)


def test_questions_to_a_release_by_code(people: pa.Table) -> None:
    release = sf.anonymize(people, quasi_identifiers={"icd": sf.ICD10()}, rest="drop", k=50, method="mondrian", seed=1)
    true = people["icd"].to_pylist().count("J45.0")
    found = release.count({"icd": "J45.0"})
    assert found.lower <= true <= found.upper
    block = release.count({"icd": "J40-J47"})
    assert block.lower <= sum(code.startswith("J") for code in people["icd"].to_pylist()) <= block.upper


def test_a_preview_counts_groups_and_gaps(people: pa.Table) -> None:
    found = preview("age", people, sf.Capped([10], top=90))
    assert [level.groups for level in found.levels] == [found.values, 10, 1]
    assert sum(level.largest for level in found.levels[-1:]) == 200
    assert found.uncovered == 0
    assert found.taxonomy().rows[-1][1:] == ("90+", "*")
    assert "width 10, 10 groups" in str(sf.Capped([10], top=90).preview(people, "age"))
    gaps = preview("city", people, sf.Taxonomy({"Tuscany": ["Pisa", "Siena"]}))
    assert gaps.uncovered == 2
    assert gaps.uncovered_rows == people["region"].to_pylist().count("Apulia")
    with pytest.raises(HierarchyError, match="has no place for 2 of its 4 values"):
        gaps.refuse_gaps()
