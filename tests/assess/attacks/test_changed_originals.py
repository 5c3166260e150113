"""Attacks on releases whose policy rounds, clips, derives or moves columns: the original is changed alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.assess.attacks import AttackReport
from sfumato.errors import SchemaError

ROWS = 240
ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "sensitive": ["pay"]}
OTHERS: dict[str, Any] = {"identifiers": ["born", "visit"], "k": 4, "seed": 1}
ROUNDED: dict[str, Any] = {"pay": sf.Round(5_000), "age": sf.Clip(top=60)}


def people() -> pa.Table:
    """People whose pay has a value of its own in nearly every row, and a few values once rounded."""
    random = np.random.default_rng(3)
    days = random.integers(1, 28, ROWS)
    return pa.table(
        {
            "born": [f"{year}-06-15" for year in random.integers(1930, 2000, ROWS)],
            "age": random.integers(18, 95, ROWS),
            "zip": [f"1000{one}" for one in random.integers(0, 4, ROWS)],
            "pay": random.integers(2_600, 17_400, ROWS),
            "visit": [f"2023-{day % 12 + 1:02}-{day:02}" for day in days],
        }
    )


def rates(report: AttackReport) -> dict[tuple[str, str], float]:
    return {(one.attack, one.variant): one.rate for one in report}


@pytest.fixture(scope="module")
def rounded() -> sf.Release:
    return sf.anonymize(people(), **ROLES, **OTHERS, transform=ROUNDED)


def test_attacks_are_those_on_a_table_that_was_changed_by_hand_before(rounded: sf.Release) -> None:
    table = people()
    pay = (np.asarray(table.column("pay")) + 2_500) // 5_000 * 5_000
    age = np.minimum(np.asarray(table.column("age")), 60)
    by_hand = table.set_column(3, "pay", pa.array(pay)).set_column(1, "age", pa.array(age))
    release = sf.anonymize(by_hand, **ROLES, **OTHERS)
    assert release.table.equals(rounded.table)
    assert rates(sf.attack(table, rounded, seed=2)) == rates(sf.attack(by_hand, release, seed=2))


def test_a_file_is_attacked_like_its_release_once_the_policy_is_named(rounded: sf.Release, tmp_path: Path) -> None:
    file = tmp_path / "release.csv"
    rounded.write(file)
    blind = sf.attack(people(), file, **ROLES, k=4, seed=2)
    following = sf.attack(people(), file, policy=rounded.policy, seed=2)
    # The age of people over 60 still fits the top-coded intervals only by chance; their pay fits no row at all.
    assert blind.unfound > ROWS / 2
    assert "name the policy" in " ".join(blind.summary().split())
    assert following.unfound == 0
    assert "No row of the release fits" not in following.summary()
    assert following["inference"].rate == sf.attack(people(), rounded, seed=2)["inference"].rate
    assert following["inference"].rate > following["inference"].baseline
    assert blind["inference"].rate < following["inference"].rate / 4
    assert following["linkage"].limit == 1 / 4


def test_a_column_that_the_release_adds_can_be_known_to_the_attacker(tmp_path: Path) -> None:
    table = people().drop_columns(["age"])
    release = sf.anonymize(table, **ROLES, **OTHERS, transform={"age": sf.Age("born", "2024-01-01")})
    ages = [2023 - int(born[:4]) for born in table.column("born").to_pylist()]
    by_hand = table.append_column("age", pa.array(ages))
    other = sf.anonymize(by_hand, **ROLES, **OTHERS)
    assert rates(sf.attack(table, release, seed=2)) == rates(sf.attack(by_hand, other, seed=2))
    file = tmp_path / "release.csv"
    release.write(file)
    assert "linkage" in {one["attack"] for one in sf.certify(table, release, file).record["attacks"]}
    assert sf.utility(table, release, seed=1)["association"].value > 0


def test_dates_moved_by_secret_days_are_not_followed() -> None:
    release = sf.anonymize(
        people(),
        quasi_identifiers=["age", "visit"],
        sensitive=["pay"],
        plain=["zip"],
        identifiers=["born"],
        transform={"visit": sf.Shift(30, keep=[])},
        k=4,
        seed=1,
    )
    report = sf.attack(people(), release, seed=2)
    alone = sf.anonymize(
        people(),
        quasi_identifiers=["visit"],
        identifiers=["born", "age", "zip", "pay"],
        transform={"visit": sf.Shift(30, keep=[])},
        k=4,
        seed=1,
    )
    assert report["linkage"].rate > 0
    with pytest.raises(SchemaError, match="moved by days that only the publisher knows"):
        sf.attack(people(), alone, seed=2)


def test_the_bytes_of_a_file_are_searched_for_what_was_before_the_change(tmp_path: Path) -> None:
    table = pa.table({"age": [30, 31, 52, 53] * 5, "remark": [f"Visit of {day} May" for day in range(20)]})
    release = sf.anonymize(
        table, quasi_identifiers=["age"], plain=["remark"], transform={"remark": sf.Fold(case=True)}, k=4, seed=1
    )
    found = {}
    for name, metadata in {"clean": {}, "spoiled": {"written by": "Visit of 7 May"}}.items():
        pq.write_table(release.table.replace_schema_metadata(metadata), tmp_path / name)
        file = (tmp_path / name).rename(tmp_path / f"{name}.parquet")
        report = sf.attack(table, file, policy=release.policy, attacks="file channels", seed=1)
        found[name] = report["file channels"].rate
    assert found == {"clean": 0, "spoiled": 1 / 20}


def test_people_whose_rows_went_to_others_are_counted_apart_from_those_whom_no_row_fits(tmp_path: Path) -> None:
    file = tmp_path / "release.csv"
    # Whoever is 3 fits both classes and is placed last; whoever is 9 fits none.
    file.write_text("age\n" + '"[1, 3]"\n' * 2 + '"[3, 5]"\n' * 2)
    ages = pa.table({"age": [1, 1, 3, 5, 5, 9]})
    report = sf.attack(ages, file, quasi_identifiers="age", k=2, seed=1)
    assert (report.unfound, report.unplaced) == (1, 1)
    said = " ".join(report.summary().split())
    assert "No row of the release fits 1 of them in all columns" in said
    assert "1 of them fits rows that were all assigned to others" in said
    assert report.to_dict()["unplaced"] == 1
