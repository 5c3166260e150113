"""Anatomy: groups without equal values, two tables that give nobody's value away, and what they answer."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.cli.command import refused, run, write_patients

import sfumato as sf
from sfumato.errors import DataError, InfeasibleError, ParameterError, SchemaError, VerificationError
from sfumato.methods.comparators.anatomy import anatomy_groups
from sfumato.release.anatomy import Anatomy
from sfumato.table.microdata import SensitiveColumn
from sfumato.verify.anatomy import TwoTables, verify_anatomy

ROLES = ("--qi", "age", "--qi", "zip", "--sensitive", "disease", "--identifiers", "name")


def eligible(values: list[int], most: int = 5) -> list[int]:
    """Return every l of at least 2 that a column allows."""
    largest = max(Counter(values).values())
    return [l for l in range(2, most + 1) if largest * l <= len(values)]  # noqa: E741


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40), st.integers(0, 99))
def test_groups_have_at_least_l_rows_and_no_value_twice(values: list[int], seed: int) -> None:
    column = SensitiveColumn("value", pa.array(range(7)), np.array(values, np.int32))
    for l in eligible(values):  # noqa: E741
        groups = anatomy_groups(column, l, np.random.default_rng(seed))
        members = [[values[row] for row in np.flatnonzero(groups == group)] for group in range(groups.max() + 1)]
        assert all(len(group) == len(set(group)) >= l for group in members)
        assert sum(map(len, members)) == len(values)
        # Only what is left over when fewer than l buckets hold rows makes a group larger.
        assert sum(len(group) - l for group in members) < l
    too_much = len(values) // max(Counter(values).values()) + 1
    with pytest.raises(InfeasibleError, match=rf"works is {too_much - 1}\.|No l above 1"):
        anatomy_groups(column, too_much, np.random.default_rng(seed))


def worlds(people: list[int], values: dict[int, list[str]]) -> Iterator[list[str]]:
    """Yield every table that two tables allow: a value for every person, all of a group dealt to its people."""
    members = {group: [at for at, one in enumerate(people) if one == group] for group in values}
    for dealt in product(*(permutations(values[group]) for group in values)):
        world = [""] * len(people)
        for group, shown in zip(values, dealt, strict=True):
            for person, value in zip(members[group], shown, strict=True):
                world[person] = value
        yield world


@given(st.lists(st.sampled_from("abcd"), min_size=4, max_size=8), st.data())
def test_the_rule_is_what_an_attacker_can_know(cells: list[str], data: st.DataObject) -> None:
    """Of all tables that are possible, count in how many each person has each value: never more than 1/l of them."""
    people = data.draw(st.lists(st.integers(0, 1), min_size=len(cells), max_size=len(cells)))
    values: dict[int, list[str]] = {group: [] for group in people}
    for group, value in zip(people, cells, strict=True):
        values[group].append(value)
    counted = [(group, value, count) for group, held in values.items() for value, count in Counter(held).items()]
    possible = list(worlds(people, values))
    certainty = max(
        sum(world[person] == value for world in possible) / len(possible)
        for person in range(len(cells))
        for value in set(cells)
    )
    names = ("group", "illness", "count")
    shown = pa.table(dict(zip(names, zip(*counted, strict=True), strict=True)))
    tables = TwoTables(pa.table({"age": range(len(cells)), "group": people}), shown, ["age"], "illness")
    found = verify_anatomy(tables, 1)
    assert found.l == pytest.approx(1 / certainty)
    for l in (1.5, 2, 3, 4):  # noqa: E741
        assert verify_anatomy(tables, l).ok == (certainty <= 1 / l + 1e-9)
    released = sf.Anatomized.open_tables(tables.people, shown, "age", "illness")
    asked = {"age": (1, 3), "illness": {"a", "b"}}
    truths = [sum(value in {"a", "b"} for value in world[1:4]) for world in possible]
    answer = released.count(asked)
    assert (answer.lower, answer.upper) == (min(truths), max(truths))
    assert answer.estimate == pytest.approx(np.mean(truths))


@pytest.fixture(scope="module")
def release() -> Anatomy:
    people = sf.datasets.census(rows=600, seed=1)
    schema = sf.Schema(people.schema.quasi_identifiers, "occupation", rest="drop")
    return sf.anatomize(people.table, schema, l=4, seed=1)


def test_two_tables_hold_the_original_and_nothing_else(release: Anatomy) -> None:
    original = sf.datasets.census(rows=600, seed=1).table
    names = [name for name in release.people.column_names if name != "group"]
    assert Counter(map(repr, release.people.select(names).to_pylist())) == Counter(
        map(repr, original.select(names).to_pylist())
    )
    assert release.people.select(names).to_pylist() != original.select(names).to_pylist()
    told = Counter[str]()
    for row in release.values.to_pylist():
        told[row["occupation"]] += row["count"]
    assert told == Counter(original["occupation"].to_pylist())
    assert release.values.column_names == ["group", "occupation", "count"]
    assert sorted(set(release.people["group"].to_pylist())) == list(range(1, release.verification.classes + 1))
    assert release.verification.l == 4
    assert "no k-anonymity" in release.summary()
    assert "Verified" in release._repr_html_()


def test_groups_and_order_follow_the_seed_alone(release: Anatomy) -> None:
    people = sf.datasets.census(rows=600, seed=1)
    schema = sf.Schema(people.schema.quasi_identifiers, "occupation", rest="drop")
    again, other = (sf.anatomize(people.table, schema, l=4, seed=seed) for seed in (1, 2))
    assert again.people.equals(release.people)
    assert again.values.equals(release.values)
    assert not other.people.equals(release.people)
    assert release.manifest["options"]["seed"] == 1


def test_drawn_tables_keep_every_group(release: Anatomy) -> None:
    drawn = release.sample(1)
    groups = release.people["group"].to_pylist()
    dealt = Counter(zip(groups, drawn["occupation"].to_pylist(), strict=True))
    assert dealt == {(row["group"], row["occupation"]): row["count"] for row in release.values.to_pylist()}
    assert not drawn.equals(release.sample(2))


def test_utility_measures_two_tables(release: Anatomy) -> None:
    original = sf.datasets.census(rows=600, seed=1).table
    found = sf.utility(original, release, seed=1)
    assert found["query_error"].details["1 columns, 10% of the rows"] == pytest.approx(0, abs=1e-9)
    assert found["total_variation"].value == pytest.approx(0, abs=1e-9)
    assert found["divergence"].value > 0
    assert release.answering.sum("age", {"gender": "Female"}).exact
    with pytest.raises(ParameterError, match="known by group only"):
        release.answering.sum("occupation")


def test_numbers_can_be_sensitive_and_missing() -> None:
    table = pa.table({"age": [1, None, 3, 4, 5, 6], "pay": [10.5, None, None, 30.0, 40.0, 50.0]})
    release = sf.anatomize(table, quasi_identifiers="age", sensitive="pay", l=3, seed=1)
    assert release.people["age"].null_count == 1
    assert release.values["pay"].null_count == 2
    assert release.count({"pay": (0, 35)}).estimate == pytest.approx(2)
    assert sf.utility(table, release, seed=1)["divergence"].value >= 0
    with pytest.raises(InfeasibleError, match="largest l that works is 3"):
        sf.anatomize(table, quasi_identifiers="age", sensitive="pay", l=4)


def test_names_that_are_taken_get_another() -> None:
    table = pa.table({"group": [1, 2], "count": ["a", "b"]})
    release = sf.anatomize(table, quasi_identifiers="group", sensitive="count", l=2)
    assert release.people.column_names == ["group", "group_"]
    assert release.values.column_names == ["group_", "count", "count_"]
    assert release.verify().ok


def test_what_two_tables_cannot_show_is_refused() -> None:
    table = pa.table({"age": [1, 2], "a": ["x", "y"], "b": ["x", "y"]})
    with pytest.raises(SchemaError, match="exactly one sensitive column"):
        sf.anatomize(table, quasi_identifiers="age", sensitive=["a", "b"], l=2)
    with pytest.raises(SchemaError, match="no column of person"):
        sf.anatomize(table, sf.Schema("age", "a", person="b"), l=2)
    with pytest.raises(ParameterError, match="'l' parameter of anatomize"):
        sf.anatomize(table, quasi_identifiers="age", sensitive="a", plain="b", l=1)
    with pytest.raises(InfeasibleError, match="No l above 1"):
        sf.anatomize(pa.table({"age": [1, 2], "a": ["x", "x"]}), quasi_identifiers="age", sensitive="a", l=2)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"group": [1], "illness": ["flu"], "count": [1]}, DataError),
        ({"group": [1, 2], "illness": ["flu", "flu"], "count": [1, 1]}, DataError),
        ({"group": [1, None], "illness": ["flu", "gout"], "count": [1, 1]}, DataError),
        ({"group": [1, 1], "illness": ["flu", "gout"], "count": [1.5, 0.5]}, DataError),
        ({"group": [1, 1], "illness": ["flu", "gout"], "count": [3, -1]}, DataError),
        ({"group": [1, 1], "illness": ["flu", "gout"], "count": ["1", "many"]}, DataError),
        ({"group": [1, 1], "illness": ["flu", "gout"]}, SchemaError),
    ],
)
def test_tables_that_do_not_belong_together_are_refused(values: dict[str, list[object]], error: type) -> None:
    with pytest.raises(error):
        sf.Anatomized.open_tables(pa.table({"age": [1, 2], "group": [1, 1]}), pa.table(values), "age", "illness")


def test_files_are_checked_as_others_read_them(tmp_path: Path) -> None:
    people, values = tmp_path / "people.csv", tmp_path / "values.csv"
    confusing = pa.table({"age": [1, 2, 3, 4], "illness": ["NA", None, "NA", None]})
    release = sf.anatomize(confusing, quasi_identifiers="age", sensitive="illness", l=2)
    with pytest.raises(VerificationError, match="confuse missing values"):
        release.write(people, values)
    assert list(tmp_path.iterdir()) == []
    written = [tmp_path / "people.parquet", tmp_path / "values.parquet"]
    assert release.write(*written).ok
    again = sf.Anatomized.open_tables(*written, "age", "illness")
    assert again.verify(2).ok
    with pytest.raises(OSError, match="directory"):
        release.write(tmp_path / "people.parquet", tmp_path / "nowhere" / "values.parquet")


def test_the_command_writes_both_files_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_patients(tmp_path / "patients.csv")
    files = ("-o", "people.csv", "--values", "values.csv")
    done = run("anatomize", "patients.csv", *files, *ROLES, "-l", 2, "--seed", 1, "--json")
    assert done.code == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["released"]["ok"]
    assert "seed" not in told["manifest"]["options"]
    released = sf.Anatomized.open_tables("people.csv", "values.csv", ["age", "zip"], "disease")
    assert released.verify(2).ok
    assert "name" not in released.table.column_names
    assert "works is" in refused(1, "anatomize", "patients.csv", "-o", "a.csv", "--values", "b.csv", *ROLES, "-l", 90)
    assert not Path("a.csv").exists()
    assert "same file" in refused(2, "anatomize", "patients.csv", "-o", "a.csv", "--values", "a.csv", *ROLES, "-l", 2)
    assert "-l 3" in refused(2, "anatomize", "patients.csv", "-o", "a.csv", "--values", "b.csv", *ROLES)
    assert "stdout" in refused(2, "anatomize", "patients.csv", "-o", "-", "--values", "b.csv", *ROLES, "-l", 2)
