"""Downcoding, predicate singling out, composition: each works on a weak release, and fails where it must."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from tests.assess.attacks.test_attacks import ALL, PEOPLE, SILENT, STRONG, groups, people, shown, shuffled

import sfumato as sf
from sfumato.assess.attacks.predicates import by_chance

K = 4


def clustered(clusters: int = 30, columns: int = 3, core: int = 2 * K - 1, seed: int = 1) -> pa.Table:
    """Make up clusters of people who are all alike, each with one more who differs from them in every column."""
    random = np.random.default_rng(seed)
    rows = []
    for cluster in range(clusters):
        near = random.integers(0, 2, columns)
        rows += [[f"{cluster}.{side}" for side in near]] * core
        rows.append([f"{cluster}.{1 - side}" for side in near])
    return pa.table({f"c{at}": [row[at] for row in rows] for at in range(columns)})


def cluster_tree(table: pa.Table, name: str) -> sf.Taxonomy:
    """Both sides of a cluster below the cluster."""
    values = sorted({f"{value.split('.')[0]}.{side}" for value in table[name].to_pylist() for side in (0, 1)})
    return sf.Taxonomy([[value, value.split(".")[0], "*"] for value in values])


def minimal(table: pa.Table) -> pa.Table:
    """Show k of each cluster as they are, and the others, with the one who differs, as the cluster."""
    size = 2 * K
    cells = {
        name: [value if at % size < K else value.split(".")[0] for at, value in enumerate(table[name].to_pylist())]
        for name in table.column_names
    }
    return pa.table(cells)


def downcoded(table: pa.Table, release: pa.Table) -> sf.AttackReport:
    trees = {name: cluster_tree(table, name) for name in table.column_names}
    return sf.attack(table, release, quasi_identifiers=trees, attacks="downcoding", k=K, seed=1)["downcoding"]


def test_downcoding_recovers_whole_records_of_clusters():
    table = clustered()
    found = downcoded(table, minimal(table))
    assert found.rate == 1.0
    assert found.baseline == pytest.approx((K - 1) / K)
    assert found.better_than_guessing


def test_downcoding_fails_where_levels_were_fixed_before():
    # Everybody of a group is alike, and yet all of them show the label above: nobody had to be hidden.
    rows = [(f"{group}", f"{group // 2}.{group % 2}") for group in range(40) for _ in range(K)]
    table = pa.table({"group": [group for group, _ in rows], "c0": [value for _, value in rows]})
    fixed = pa.table({"group": table["group"], "c0": [value.split(".")[0] for value in table["c0"].to_pylist()]})
    told = {"quasi_identifiers": {"group": None, "c0": cluster_tree(table, "c0")}, "seed": 1}
    assert not sf.attack(table, fixed, attacks="downcoding", **told)["downcoding"].better_than_guessing


def test_downcoding_needs_something_hidden():
    table = clustered()
    trees = {name: cluster_tree(table, name) for name in table.column_names}
    assert "downcoding" in sf.attack(table, table, quasi_identifiers=trees, attacks="downcoding").skipped


def described(release: object, original: pa.Table = ALL, **more) -> list[sf.AttackReport]:
    told = {"quasi_identifiers": ["age", "pay", "town"], "seed": 5} | more
    return list(sf.attack(original, release, attacks="predicate singling out", **told).outcomes)


def test_anybody_singles_out_with_chance_one_over_e_and_no_more():
    assert by_chance(np.array([1 / 1000]), 1000)[0] == pytest.approx(1 / math.e, rel=1e-3)
    assert by_chance(np.linspace(0, 1, 10_001), 1000).max() < 0.3683
    for one in described(SILENT):
        # A release that shows nothing gives the floor, and no description better than that.
        assert one.rate == pytest.approx(1 / math.e, abs=0.01)
        assert not one.better_than_guessing


def wide(rows: int = 400) -> pa.Table:
    random = np.random.default_rng(2)
    return pa.table({f"n{at}": random.integers(0, 1_000, rows) for at in range(6)})


def test_narrow_classes_single_out_by_rare_descriptions():
    table = wide()
    release = sf.anonymize(table, quasi_identifiers=table.column_names, k=5, method="hilbert", seed=1)
    floor, best = sf.attack(table, release, attacks="predicate singling out", seed=1).outcomes
    assert floor.rate > 0.3
    assert floor.better_than_guessing
    # An end of an interval is somebody's value, mostly of one person alone.
    assert best.rate > floor.rate
    assert best.limit is None
    assert "weight" in best.variant


def test_levels_that_were_fixed_before_leave_the_floor():
    table = wide()
    halves = {name: sf.Numeric(widths=[500]) for name in table.column_names}
    fixed = sf.recode(table, quasi_identifiers=halves, levels=dict.fromkeys(table.column_names, 1), suppression=1, k=2)
    outcomes = sf.attack(table, fixed, attacks="predicate singling out", seed=1).outcomes
    assert not any(one.better_than_guessing for one in outcomes)


def test_the_weight_of_a_class_is_measured_on_people_outside_if_there_are_any():
    table = wide()
    release = sf.anonymize(table, quasi_identifiers=table.column_names, k=5, method="hilbert", seed=1)
    floor, _ = sf.attack(table, release, control=wide(4_000), attacks="predicate singling out", seed=1).outcomes
    inside, _ = sf.attack(table, release, attacks="predicate singling out", seed=1).outcomes
    assert floor.baseline == pytest.approx(inside.baseline, abs=0.1)


def test_a_value_that_one_row_of_a_class_has_singles_out():
    _, best = described(STRONG, sensitive="ill")
    assert best.rate > 0.5
    assert best.better_than_guessing


def test_classes_of_equal_people_single_out_nobody():
    equal = pa.table(
        {
            name: [value for value in column.to_pylist() for _ in range(5)]
            for name, column in zip(ALL.column_names, ALL.columns, strict=True)
        }
    )
    floor, best = described(shuffled(equal), equal)
    assert (floor.rate, best.rate) == (0.0, 0.0)


def composed(first: object, others: list[object], original: pa.Table = ALL) -> dict[str, sf.AttackReport]:
    report = sf.attack(
        original,
        first,
        quasi_identifiers=["age", "pay", "town"],
        sensitive="ill",
        previous=others,
        attacks="composition",
        seed=5,
    )
    return {one.variant: one for one in report.outcomes}


def by_pay(table: pa.Table, size: int) -> np.ndarray:
    order = np.argsort(table["pay"].to_numpy(), kind="stable")
    of_row = np.empty(len(order), int)
    of_row[order] = np.minimum(np.arange(len(order)) // size, len(order) // size - 1)
    return of_row


def test_two_releases_leave_fewer_candidates_than_either():
    other = shuffled(shown(ALL, by_pay(ALL, 10)))
    found = composed(STRONG, [other])["who it is"]
    assert found.better_than_guessing
    assert found.rate > 3 * found.baseline
    assert found.limit is None


@pytest.mark.parametrize("seed", range(3))
def test_candidates_and_certain_values_are_those_of_looking_at_everybody(seed):
    random = np.random.default_rng(seed)
    ages, ills = random.integers(0, 60, 40), random.choice(["flu", "gout", "cold"], 40)
    table = pa.table({"age": ages, "ill": ills})
    widths = (10, 15)
    releases = [
        sf.recode(table, quasi_identifiers={"age": sf.Numeric([width])}, sensitive="ill", levels={"age": 1}, k=1)
        for width in widths
    ]
    report = sf.attack(table, releases[0], previous=releases[1:], attacks="composition", seed=1)
    who, certain = (next(one for one in report if part in one.variant) for part in ("who", "certain"))
    alike = [ages[:, None] // width == ages // width for width in widths]
    both = alike[0] & alike[1]
    assert who.baseline == pytest.approx(np.mean(1 / alike[0].sum(axis=1)))
    assert who.rate == pytest.approx(np.mean(1 / both.sum(axis=1)))
    shown = [[set(ills[row]) for row in near] for near in alike]
    assert certain.rate == pytest.approx(np.mean([len(one & other) == 1 for one, other in zip(*shown, strict=True)]))
    assert certain.baseline == pytest.approx(np.mean([len(one) == 1 for one in shown[0]]))


def test_every_further_release_can_only_help():
    others = [shuffled(shown(ALL, by_pay(ALL, 10))), shuffled(shown(ALL, groups(ALL, 7)))]
    one, two = composed(STRONG, others[:1]), composed(STRONG, others)
    assert two["who it is"].rate >= one["who it is"].rate
    assert two["ill, for certain"].rate >= one["ill, for certain"].rate - 1e-9


def test_the_same_release_again_says_nothing_new():
    found = composed(STRONG, [STRONG])
    assert found["who it is"].rate == pytest.approx(found["who it is"].baseline)
    assert found["ill, for certain"].rate == pytest.approx(found["ill, for certain"].baseline)


def test_people_may_be_in_some_releases_only(tmp_path):
    half = ALL.slice(0, PEOPLE // 2)
    strangers = people(60, seed=9).set_column(3, "ill", pa.array(["measles"] * 60))
    mixed = pa.concat_tables([half, strangers])
    path = tmp_path / "other.csv"
    sf.anonymize(mixed, quasi_identifiers=["age", "pay", "town"], sensitive="ill", k=5, seed=1).write(path)
    found = composed(STRONG, [path])
    assert found["who it is"].rate >= found["who it is"].baseline
    assert 0 <= found["ill, for certain"].rate <= 1


def test_composition_needs_another_release():
    report = sf.attack(ALL, STRONG, quasi_identifiers=["age", "pay", "town"], attacks="composition", seed=5)
    assert "another release" in report.skipped["composition"]


def odd(rows: int = 80) -> pa.Table:
    """Make up people with missing values, postcodes and dates."""
    random = np.random.default_rng(0)

    def holed(values: list) -> list:
        return [None if random.random() < 0.1 else value for value in values]

    return pa.table(
        {
            "age": holed(random.integers(18, 60, rows).tolist()),
            "zip": holed([f"{code:05d}" for code in random.integers(10_000, 10_400, rows)]),
            "when": pa.array(random.integers(0, 700, rows), pa.int32()).cast(pa.date32()),
            "town": holed(random.choice(list("abcd"), rows).tolist()),
            "ill": holed(random.choice(["flu", "gout", "ulcer"], rows).tolist()),
        }
    )


@pytest.mark.parametrize("intervals", ["text", "bounds", "midpoint", "mean"])
@pytest.mark.parametrize("method", ["peeling", "lattice", "cell-suppression", "full-subtree", "hilbert"])
def test_releases_of_every_look_can_be_attacked(method: str, intervals: str):
    table = odd()
    known = {"age": None, "zip": sf.Prefix(), "when": None, "town": sf.Categorical(sets=2)}
    told = {"quasi_identifiers": known, "sensitive": "ill", "seed": 1}
    release = sf.anonymize(table, k=4, method=method, intervals=intervals, suppression=0.1, **told)
    other = sf.anonymize(table.slice(0, 50), k=4, **told)
    names = ["refinement", "downcoding", "cell ends", "predicate singling out", "composition"]
    report = sf.attack(table, release, attacks=names, previous=[other], seed=1)
    assert report.ok
    assert {one.attack for one in report.outcomes} | set(report.skipped) == set(names)
    assert all(0 <= one.low <= one.rate <= one.high <= 1 for one in report.outcomes)
    assert all(0 <= one.baseline <= 1 for one in report.outcomes)
