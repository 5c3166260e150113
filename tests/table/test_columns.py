"""Samples, transformations and pseudonyms: against slow versions, through whole releases, and what they give away."""

from __future__ import annotations

import datetime as dt
import json
import os
import random
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.common.randomness import Secret
from sfumato.errors import DataError, ParameterError, SchemaError
from sfumato.table.pseudonyms import in_its_form, permuted
from sfumato.table.transform_base import TransformContext
from sfumato.table.transforms import TRANSFORMS, transform_of, transforms_of

rng = random.Random(9)
PATIENTS = [f"P-{rng.randrange(10**7, 10**8)}" for _ in range(60)]
BORN = {patient: dt.date(1940, 1, 1) + dt.timedelta(rng.randrange(25_000)) for patient in PATIENTS}
ROWS = [rng.choice(PATIENTS) for _ in range(180)]
VISITS = pa.table(
    {
        "patient": ROWS,
        "born": [BORN[patient] for patient in ROWS],
        "visit": [dt.date(2023, 1, 1) + dt.timedelta(rng.randrange(700)) for _ in ROWS],
        "sex": [rng.choice("fm") for _ in ROWS],
        "region": [rng.choice(["north", "south", "south", "south"]) for _ in ROWS],
        "icd": [rng.choice(["J45.0", "J40", "E11.9", "E10.0"]) for _ in ROWS],
        "cost": [rng.randrange(0, 90_000) for _ in ROWS],
    }
)
ROLES: dict[str, Any] = {
    "quasi_identifiers": ["sex", "region"],
    "sensitive": "icd",
    "plain": ["cost"],
    "rest": "drop",
    "confirm": ["cost"],
    "k": 3,
    "method": "mondrian",
    "seed": 5,
}


def release_of(**changes: Any) -> sf.Release:
    return sf.anonymize(VISITS, **ROLES | changes)


# Transformations


def test_sensitive_and_plain_columns_are_changed_before_the_models() -> None:
    chapters = sf.AtLevel(sf.ICD10(), "chapter")
    release = release_of(transform={"icd": chapters, "cost": sf.Round(5000)}, l=1.2, keep_order=True)
    assert set(release.data["icd"].to_pylist()) == {"J00-J99", "E00-E90"}
    expected = [5000 * int(cost / 5000 + 0.5) for cost in VISITS["cost"].to_pylist()]
    assert release.data["cost"].to_pylist() == expected
    assert release.verify().ok
    assert release.manifest["options"]["transform"]["icd"]["level"] == "chapter"
    assert "icd (level), cost (round)" in release.summary()


@pytest.mark.parametrize("to", [3, 500, 0.1, 2.5])
def test_rounding_as_decimals_are_rounded_by_hand(to: float) -> None:
    numbers = [0.05, 0.15, -0.25, 1.25, 2.5, 7.5, 1e17, 123.4567, None, -1250.0, 1249.9999999999]
    numbers += [round(rng.uniform(-2000, 2000), 2) for _ in range(200)]
    found = (
        sf.Round(to)
        .apply("x", TransformContext(pa.table({"x": pa.array(numbers, pa.float64())}), Secret(1)))
        .to_pylist()
    )
    for number, near in zip(numbers, found, strict=True):
        if number is not None:
            steps = (Decimal(repr(number)) / Decimal(str(to))).quantize(Decimal(1), ROUND_HALF_UP)
            assert near == pytest.approx(float(steps * Decimal(str(to))), rel=1e-15)
    assert found[8] is None
    whole = sf.Round(5).apply("x", TransformContext(pa.table({"x": [-8, 7, None, 2**60]}), Secret(1)))
    assert whole.to_pylist() == [-10, 5, None, 2**60 - 1]


def test_top_coding_leaves_numbers() -> None:
    release = release_of(transform={"cost": sf.Clip(1000, 50_000)}, keep_order=True)
    assert release.data["cost"].to_pylist() == [min(max(cost, 1000), 50_000) for cost in VISITS["cost"].to_pylist()]
    assert release.table.schema.field("cost").type == pa.int64()


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint64(), pa.float32(), pa.decimal128(6, 2), pa.string()])
def test_every_kind_of_number_is_changed(kind: pa.DataType) -> None:
    scene = TransformContext(pa.table({"x": pa.array([1.0, 50.0, 120.0, None]).cast(kind)}), Secret(1))
    nothing = TransformContext(pa.table({"x": pa.nulls(2, kind)}), Secret(1))
    for how, expected in (
        (sf.Clip(2, 100), [2, 50, 100, None]),
        (sf.Clip(-300, 1000), [1, 50, 120, None]),
        (sf.Clip(top=99.5), [1, 50, 99.5, None]),
        (sf.Round(500), [0, 0, 0, None]),
        (sf.Round(40), [0, 40, 120, None]),
    ):
        found = how.apply("x", scene).to_pylist()
        assert [None if one is None else float(one) for one in found] == expected
        assert how.apply("x", nothing).to_pylist() == [None, None]


def test_a_hierarchy_alone_means_its_first_level() -> None:
    release = release_of(transform={"cost": sf.Bands([1000, 50_000], ["low", "middle", "high"])})
    assert set(release.data["cost"].to_pylist()) <= {"low", "middle", "high"}


def test_ages_are_derived_and_generalized() -> None:
    how = {"age": sf.Age("born", "visit")}
    roles = {"quasi_identifiers": {"age": sf.Numeric([10]), "sex": None}}
    release = release_of(**roles, transform=how, method="lattice")
    assert "age" in release.table.column_names
    assert "born" not in release.table.column_names
    assert release.achieved.k >= 3
    ages = sf.Age("born", "visit").apply("age", TransformContext(VISITS, Secret(1))).to_pylist()
    for born, visit, age in zip(VISITS["born"].to_pylist(), VISITS["visit"].to_pylist(), ages, strict=True):
        assert age == visit.year - born.year - ((visit.month, visit.day) < (born.month, born.day))


def test_dates_of_a_person_move_together() -> None:
    roles = {"plain": ["visit"], "confirm": ["visit"], "person": "patient"}
    release = release_of(**roles, transform={"visit": sf.Shift(100)}, keep_order=True)
    moved = [
        (shown - true).days
        for shown, true in zip(release.data["visit"].to_pylist(), VISITS["visit"].to_pylist(), strict=True)
    ]
    by_person: dict[str, set[int]] = {}
    for patient, days in zip(ROWS, moved, strict=True):
        by_person.setdefault(patient, set()).add(days)
    assert all(len(days) == 1 for days in by_person.values())
    assert all(0 < abs(days) <= 100 for days in moved)
    assert len(set(moved)) > 20
    other = release_of(**roles, transform={"visit": sf.Shift(100)}, keep_order=True, seed=6)
    assert other.data["visit"] != release.data["visit"]


def test_shifts_are_spread_over_all_days() -> None:
    rows = pa.table({"day": [dt.date(2000, 1, 1)] * 4000})
    shifted = sf.Shift(2, keep=[]).apply("day", TransformContext(rows, Secret(3))).to_pylist()
    counts = {days: shifted.count(dt.date(2000, 1, 1) + dt.timedelta(days)) for days in (-2, -1, 0, 1, 2)}
    assert counts.pop(0) == 0
    assert all(850 < count < 1150 for count in counts.values())


@pytest.mark.parametrize(
    "text", ["round:500", "clip:0..90", "clip:..90", "age:born:visit", "shift:365", "icd10@chapter"]
)
def test_shorthands_and_policies_bring_a_transformation_back(text: str) -> None:
    [how] = transforms_of("Policy", "transform", {"x": transform_of(text)}).values()
    assert transforms_of("Policy", "transform", {"x": how.to_policy()}) == {"x": how}


def test_every_transformation_has_a_shorthand() -> None:
    for kind in TRANSFORMS.values():
        assert transforms_of("Policy", "transform", {"x": transform_of(kind.shorthand)})


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"transform": {"pay": sf.Round(5)}}, SchemaError, "'pay' is to be transformed"),
        ({"transform": {"born": sf.Shift(5)}}, SchemaError, "'born' is transformed, but not released"),
        ({"transform": {"sex": sf.Age("born", "visit")}}, SchemaError, "already has"),
        ({"transform": {"cost": {"kind": "square"}}}, ParameterError, "'square' is not known"),
        ({"transform": {"cost": {"kind": "round", "by": 5}}}, ParameterError, "lacks 'to'"),
        ({"transform": {"icd": sf.AtLevel(sf.ICD10(), "verse")}}, ParameterError, "has no level 'verse'"),
        ({"transform": "round"}, ParameterError, "'transform' parameter of anonymize"),
        ({"sample": 0}, ParameterError, "'sample' parameter of anonymize"),
        ({"sample": 10}, ParameterError, "'sample' parameter of anonymize"),
        ({"sample": sf.Sample(0.5, "town")}, SchemaError, "'town'"),
        ({"pseudonymize": "cost"}, SchemaError, "is no identifier"),
        ({"pseudonymize": {"patient": {"keys": 1}}}, ParameterError, "'pseudonymize' parameter of anonymize"),
    ],
)
def test_what_makes_no_sense_is_refused(changes: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        release_of(**changes)


# Samples


def test_a_sample_takes_the_same_share_of_every_stratum() -> None:
    release = release_of(sample=sf.Sample(0.5, "region"))
    north = VISITS["region"].to_pylist().count("north")
    rows = sf.Sample(0.5, "region").rows(VISITS, Secret(5))
    drawn = [VISITS["region"][int(row)].as_py() for row in rows]
    assert abs(drawn.count("north") - north / 2) < 1
    assert release.table.num_rows == len(rows)
    assert release.manifest["options"]["sample"] == {"share": 0.5, "by": "region"}
    assert release.manifest["input"]["rows"] == len(rows)


def test_a_sample_of_people_keeps_their_rows_together() -> None:
    rows = sf.Sample(0.3).rows(VISITS, Secret(1), "patient").tolist()
    drawn = {ROWS[row] for row in rows}
    assert rows == [row for row, patient in enumerate(ROWS) if patient in drawn]
    assert abs(len(drawn) - 0.3 * len(set(ROWS))) < 1


def test_a_sample_depends_on_the_secret_and_on_nothing_else() -> None:
    same = VISITS.set_column(0, "patient", pa.array(ROWS[::-1]))
    assert sf.Sample(0.3).rows(VISITS, Secret(1)).tolist() == sf.Sample(0.3).rows(same, Secret(1)).tolist()
    assert sf.Sample(0.3).rows(VISITS, Secret(1)).tolist() != sf.Sample(0.3).rows(VISITS, Secret(2)).tolist()


# Pseudonyms


def pseudonyms_in(release: sf.Release) -> list[str]:
    found: list[str] = release.data["patient"].to_pylist()
    return found


def test_same_person_same_pseudonym_in_one_release_only() -> None:
    asked = {"identifiers": "patient", "pseudonymize": "patient", "keep_order": True}
    one, two = (pseudonyms_in(release_of(**asked, seed=seed)) for seed in (1, 2))
    assert len({*zip(ROWS, one, strict=True)}) == len(set(ROWS)) == len(set(one))
    assert not {*one} & {*two}
    assert not {*one} & {*ROWS}


def test_people_are_counted_where_pseudonyms_link_rows() -> None:
    release = release_of(identifiers="patient", pseudonymize="patient", k=5)
    assert release.people is not None
    assert release.manifest["roles"]["patient"] == "person"
    [told] = [caution for caution in release.cautions if caution.code == "pseudonyms"]
    assert told.severity == "warning"
    assert release.risk.after is not None
    people = sf.check(release.table, quasi_identifiers=["sex", "region"], person="patient", k=5)
    assert people.ok


def test_a_key_file_is_made_for_its_owner_alone_and_gives_the_same_pseudonyms(tmp_path: Path) -> None:
    how = {"patient": sf.Pseudonyms(file=str(tmp_path / "secret.key"))}
    asked = {"identifiers": "patient", "pseudonymize": how, "keep_order": True}
    one, two = (pseudonyms_in(release_of(**asked, seed=seed)) for seed in (1, 2))
    assert one == two
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600
    (tmp_path / "secret.key").write_text("another key of enough bytes")
    assert pseudonyms_in(release_of(**asked)) != one


def test_a_table_of_random_pseudonyms_is_kept_and_grows(tmp_path: Path) -> None:
    file = tmp_path / "kept.csv"
    how = {"patient": sf.Pseudonyms("random", str(file))}
    half = VISITS.slice(0, 90)
    asked = ROLES | {"identifiers": "patient", "pseudonymize": how, "keep_order": True}
    first = sf.anonymize(half, **asked).data["patient"].to_pylist()
    again = sf.anonymize(VISITS, **asked | {"seed": 77}).data["patient"].to_pylist()
    assert again[:90] == first
    assert file.stat().st_mode & 0o777 == 0o600
    assert len(file.read_text().splitlines()) == len(set(ROWS))


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_secrets_that_others_can_read_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "open.key"
    file.write_text("x" * 40)
    file.chmod(0o644)
    with pytest.raises(ParameterError, match="can be read by others"):
        release_of(identifiers="patient", pseudonymize={"patient": sf.Pseudonyms(file=str(file))})
    file.write_text("short")
    file.chmod(0o600)
    with pytest.raises(ParameterError, match="fewer than 16 bytes"):
        release_of(identifiers="patient", pseudonymize={"patient": sf.Pseudonyms(file=str(file))})


def test_neither_key_nor_identifier_is_in_anything_that_leaves(tmp_path: Path) -> None:
    key = tmp_path / "secret.key"
    key.write_text("planted-key-0123456789abcdef")
    key.chmod(0o600)
    how = {"patient": sf.Pseudonyms(file=str(key), keep_format=True)}
    release = release_of(identifiers="patient", pseudonymize=how, transform={"cost": sf.Round(10)})
    release.write(tmp_path / "out.csv", manifest=tmp_path / "manifest.json")
    policy = sf.Policy(sf.Schema(["sex"], identifiers="patient"), [sf.KAnonymity(2)], pseudonymize=how)
    policy.write(tmp_path / "policy.toml")
    assert sf.Policy.read(tmp_path / "policy.toml").pseudonymize == how
    left = [file.read_text() for file in tmp_path.iterdir() if file != key]
    left += [release.summary(), repr(release), str(release.cautions), json.dumps(release.manifest), repr(policy)]
    for text in left:
        assert "planted-key" not in text
        assert not any(patient in text for patient in PATIENTS)
    assert str(key) not in json.dumps(release.manifest)


@pytest.mark.parametrize("possible", [1, 2, 10, 1025])
def test_a_keyed_permutation_is_one(possible: int) -> None:
    assert sorted(permuted(b"k" * 16, b"form", at, possible) for at in range(possible)) == list(range(possible))
    if possible > 100:
        other = [permuted(b"j" * 16, b"form", at, possible) for at in range(possible)]
        moved = [permuted(b"k" * 16, b"form", at, possible) for at in range(possible)]
        assert sum(one == two for one, two in zip(moved, other, strict=True)) < 10


def test_a_form_stays_and_small_ones_are_refused() -> None:
    shown = [in_its_form(b"k" * 16, "id", name) for name in PATIENTS]
    assert all(text[:2].isupper() or text[1] == "-" for text in shown)
    assert all(len(text) == 10 and text[1] == "-" and text[2:].isdigit() for text in shown)
    assert len(set(shown)) == len(set(PATIENTS))
    for wrong, message in (("A12", "fewer than 1,000,000"), ("José Martínez", "letters beside A to Z")):
        with pytest.raises(DataError, match=message):
            in_its_form(b"k" * 16, "id", wrong)


def test_two_pseudonymized_columns_ask_who_is_a_person() -> None:
    table = pa.table({
        "doctor": [f"d{row % 12}" for row in range(60)],
        "patient": [f"p{row // 6}" for row in range(60)],
        "age": [30 + row // 6 for row in range(60)],
    })  # fmt: skip
    roles = {"quasi_identifiers": "age", "identifiers": ["doctor", "patient"], "k": 3}
    for both in (["doctor", "patient"], ["patient", "doctor"]):
        with pytest.raises(SchemaError, match="Who is a person here"):
            sf.anonymize(table, **roles, pseudonymize=both)
    asked = {**roles, "identifiers": ["doctor"], "person": "patient"}
    release = sf.anonymize(table, **asked, pseudonymize=["doctor", "patient"])
    shown = release.table.select(["age", "patient"]).to_pylist()
    for age in {row["age"] for row in shown}:
        assert len({row["patient"] for row in shown if row["age"] == age}) >= 3
    only = sf.anonymize(table, **roles, pseudonymize="doctor")
    assert "person='patient'" in "".join(one.advice for one in only.cautions)
