"""Several rows per person: people are counted, by every method, by the verifier, and against slow counting."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.table.people import Units
from sfumato.verify import classes
from sfumato.verify.release import verify_release

ILLNESSES = ["flu", "ulcer", "gout"]


def visits(rows: int, people: int, seed: int = 1, moving: bool = False) -> pa.Table:
    """Return visits of people who look alike at each of them, unless they grow older and move."""
    random = np.random.default_rng(seed)
    who = random.integers(0, people, rows)
    older, moved = (random.integers(0, 3, rows), random.integers(0, 2, rows)) if moving else (0, 0)
    return pa.table(
        {
            "who": [f"patient {number}" for number in who],
            "age": who * 7 % 60 + 20 + older,
            "zip": who * 13 % 40 + moved,
            "ill": random.choice(ILLNESSES, rows),
        }
    )


def slow_people(release: sf.Release, original: pa.Table) -> dict[tuple, dict[str, set[str]]]:
    """Return for every class its people with all that they have; rows are those of the original, as they were kept."""
    classes: dict[tuple, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for shown, row in zip(release.table.to_pylist(), release.row_of.tolist(), strict=True):
        classes[shown["age"], shown["zip"]][original["who"][row].as_py()].add(shown["ill"])
    return classes


@pytest.mark.parametrize("moving", [False, True])
@pytest.mark.parametrize("method", ["mondrian", "hilbert", "lattice"])
def test_every_class_has_k_people(method, moving):
    table = visits(600, 150, moving=moving)
    release = sf.anonymize(
        table, quasi_identifiers=["age", "zip"], sensitive="ill", person="who", k=4, method=method, seed=1
    )
    classes = slow_people(release, table)
    assert min(map(len, classes.values())) == release.achieved.k >= 4
    assert release.table.column_names == ["age", "zip", "ill"]
    assert release.table.num_rows == 600
    assert release.verify().ok
    assert release.risk.after.prosecutor.highest <= 1 / 4
    assert release.risk.before.people == release.risk.after.people == len(set(table["who"].to_pylist()))


def test_diversity_counts_people_and_not_their_rows():
    table = visits(900, 300, moving=True)
    release = sf.anonymize(
        table, quasi_identifiers=["age", "zip"], sensitive="ill", person="who", k=3, l=1.2, method="mondrian", seed=1
    )
    for people in slow_people(release, table).values():
        for illness in ILLNESSES:
            having = sum(illness in all_of_them for all_of_them in people.values())
            assert having * 1.2 <= len(people) + 1e-9


def test_people_who_have_everything_cannot_be_diverse():
    table = pa.table({"who": [0, 0, 1, 1] * 3, "age": [1, 1, 2, 2] * 3, "ill": ["flu", "ulcer"] * 6})
    with pytest.raises(InfeasibleError):
        sf.anonymize(table, quasi_identifiers="age", sensitive="ill", person="who", k=2, l=2, method="mondrian")


def test_nobody_is_k_people():
    with pytest.raises(InfeasibleError):
        sf.anonymize(visits(100, 3), quasi_identifiers="age", person="who", rest="drop", k=5, method="mondrian")


def test_rows_are_left_out_within_what_is_allowed():
    table = visits(500, 120, moving=True)
    release = sf.anonymize(
        table, quasi_identifiers=["age", "zip"], person="who", rest="drop", k=4, suppression=0.1, method="mondrian"
    )
    assert release.suppressed <= 50
    assert release.achieved.k >= 4


def test_a_row_without_a_name_is_a_person():
    table = pa.table({"who": [None, None, "a", "a"], "age": [1, 1, 2, 2]})
    assert sf.check(table, quasi_identifiers="age", person="who").k == 1
    assert sf.check(table.slice(0, 2), quasi_identifiers="age", person="who").k == 2


ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), st.sampled_from(ILLNESSES)), min_size=1, max_size=20)


@settings(max_examples=examples(60))
@given(ROWS)
def test_the_verifier_counts_people_as_slow_counting_does(rows):
    table = pa.table({"q": [q for q, _, _ in rows], "ill": [ill for _, _, ill in rows]})
    who = np.array([person for _, person, _ in rows])
    found = verify_release(table, ["q"], ["ill"], people=who)
    classes = defaultdict(lambda: defaultdict(set))
    for q, person, ill in rows:
        classes[q][person].add(ill)
    assert found.k == min(map(len, classes.values()))
    shares = [
        max(sum(ill in has for has in people.values()) for ill in ILLNESSES) / len(people)
        for people in classes.values()
    ]
    assert found.l == pytest.approx(1 / max(shares))
    assert found.achieved.sensitive["ill"].distinct_l == min(
        len(set().union(*people.values())) for people in classes.values()
    )


@settings(max_examples=examples(40))
@given(ROWS)
def test_units_are_looks_of_people(rows):
    from sfumato.table.encoding import encode  # noqa: PLC0415

    table = pa.table({"q": [q for q, _, _ in rows]})
    who = np.array([person for _, person, _ in rows], np.int64)
    units = Units.of(encode(table, {"q": None}, []), who)
    pairs = [(q, person) for q, person, _ in rows]
    assert len(units.rows) == len(set(pairs))
    assert all(
        (pairs[a] == pairs[b]) == (units.of_row[a] == units.of_row[b]) for a in range(len(rows)) for b in range(a)
    )
    assert units.most_per_person == max(len({q for q, other in pairs if other == person}) for _, person in pairs)
    counts = sorted((pairs.count(pair) for pair in set(pairs)), reverse=True)
    for allowed in range(4):
        assert sum(counts[: units.suppressible(allowed)]) <= allowed


def test_a_person_is_a_role_of_its_own():
    with pytest.raises(SchemaError, match="both as"):
        sf.Schema("age", person="age")
    with pytest.raises(ParameterError, match="person"):
        sf.Schema("age", person=3)
    policy = sf.Policy(sf.Schema("age", person="who", rest="drop"), [sf.KAnonymity(2)])
    assert sf.Policy.from_dict(policy.to_dict()) == policy


@pytest.mark.parametrize("limit", [classes.KEY_LIMIT, 0])
def test_pairs_of_cells_and_people_are_counted_once_by_one_key_or_by_two(limit, monkeypatch):
    monkeypatch.setattr(classes, "KEY_LIMIT", limit)
    random = np.random.default_rng(1)
    for rows in (0, 1, 40, 200):
        cells, people = random.integers(0, 7, rows), random.integers(0, 9, rows)
        pairs = set(zip(cells.tolist(), people.tolist(), strict=True))
        assert classes._each_once(cells, 7, people).tolist() == sorted(cell for cell, _ in pairs)


@pytest.mark.parametrize("method", ["hilbert", "mondrian", "auto"])
def test_an_impossible_request_names_the_rule_and_what_works_counting_people(method: str) -> None:
    rng = np.random.default_rng(4)
    who = np.repeat(np.arange(40), 5)
    ill = np.where(np.arange(200) % 5 == 0, "flu", rng.choice(["cold", "gout", "ache"], 200))  # everybody had flu once
    table = pa.table({"who": who, "age": rng.integers(20, 60, 40)[who], "ill": ill})
    asked = {"quasi_identifiers": "age", "sensitive": "ill", "person": "who", "method": method}
    with pytest.raises(InfeasibleError, match=r"has only 40 people in 200 rows. The largest k that works is 40\."):
        sf.anonymize(table, **asked, k=41)
    with pytest.raises(
        InfeasibleError, match=r"l=2 .*'ill': 40 of 40 people .* more than 1/2\. The largest l .* is 1\."
    ):
        sf.anonymize(table, **asked, k=3, l=2)
    assert sf.anonymize(table, **asked, k=40).achieved.k == 40
    assert sf.anonymize(table, **asked, k=3, l=1).achieved.k >= 3
