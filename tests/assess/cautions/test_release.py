"""Cautions all the way: what a release says, what stops it, and that nothing of the original is told."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from tests.assess.cautions.views import cautions, released

import sfumato as sf
from sfumato.assess.cautions import CODES, look_after
from sfumato.assess.cautions import caution as looking
from sfumato.errors import CautionError, ParameterError, SchemaError

ROWS = 400


def visits() -> dict[str, list[Any]]:
    """Return hospital visits with everything in them that a careful person would overlook."""
    random = np.random.default_rng(4)
    schools = random.integers(0, 12, ROWS)
    return {
        "patient": [f"zq{number}" for number in random.integers(0, 90, ROWS)],
        "age": random.integers(20, 80, ROWS).tolist(),
        "school": [f"school {school}" for school in schools],
        "years": [20 - int(school) for school in schools],
        "ward": random.integers(1, 9, ROWS).tolist(),
        "occupation": random.choice([83, 214, 305, 411], ROWS).tolist(),
        "bmi": [*map(str, random.integers(18, 40, ROWS - 8)), *["?"] * 8],
        "illness": random.choice(["flu", "acne"], ROWS, p=[0.9, 0.1]).tolist(),
        "receipt": [f"no. {number}" for number in range(ROWS)],
    }


ROLES: dict[str, Any] = {
    "quasi_identifiers": ["age", "school", "occupation", "bmi"],
    "sensitive": "illness",
    "identifiers": "patient",
    "plain": ["years", "ward"],
    "rest": "drop",
    "k": 5,
    "method": "hilbert",
}
EXPECTED = {
    "code-as-number": ("occupation",),
    "missing-codes": ("bmi",),
    "several-rows-per-person": ("patient",),
    "sensitive-unprotected": ("illness",),
    "tells-hidden": ("years",),
    "unique-rows": ("years", "ward"),
}


@pytest.fixture(scope="module")
def release() -> sf.Release:
    return sf.anonymize(pa.table(visits()), **ROLES)


def test_a_release_says_what_a_careful_person_overlooks(release: sf.Release) -> None:
    assert {caution.code: caution.columns for caution in release.cautions}.items() >= EXPECTED.items()
    assert all(caution.severity == "warning" for caution in release.cautions if caution.code in EXPECTED)
    assert {caution.code for caution in release.cautions} <= set(CODES)


def test_the_summary_and_the_manifest_say_the_same(release: sf.Release) -> None:
    recorded = json.loads(json.dumps(release.manifest))["cautions"]
    assert [record["code"] for record in recorded] == [caution.code for caution in release.cautions]
    for caution in release.cautions:
        assert caution.found in release.summary()
        assert caution.advice in release.summary()


def test_what_never_leaves_is_not_told_either(release: sf.Release) -> None:
    for said in (release.summary(), json.dumps(release.manifest), repr(release.cautions), repr(release)):
        assert "zq" not in said


def test_every_column_has_a_kind(release: sf.Release) -> None:
    assert release.manifest["kinds"] == {
        "age": "number",
        "school": "category",
        "occupation": "number",
        "bmi": "category",
        "illness": "category",
        "years": "number",
        "ward": "number",
    }
    assert "age (number), school (category), occupation (number), bmi (category)" in release.summary()


def test_a_column_that_is_as_good_as_a_name_has_to_be_confirmed() -> None:
    roles = ROLES | {"plain": ["receipt"]}
    with pytest.raises(CautionError, match="'receipt' is released as it is, and 400 of 400") as refused:
        sf.anonymize(pa.table(visits()), **roles)
    assert [caution.code for caution in refused.value.cautions] == ["near-unique"]
    confirmed = sf.anonymize(pa.table(visits()), **roles, confirm="receipt")
    assert [caution.confirmed for caution in confirmed.cautions if caution.code == "near-unique"] == [True]
    assert "near-unique (confirmed)" in confirmed.summary()


def test_strict_refuses_every_warning_that_is_not_confirmed() -> None:
    with pytest.raises(CautionError) as refused:
        sf.anonymize(pa.table(visits()), **ROLES, strict=True)
    codes = {caution.code for caution in refused.value.cautions}
    assert codes >= set(EXPECTED)
    assert sf.anonymize(pa.table(visits()), **ROLES, strict=True, confirm=sorted(codes)).verify().ok


def test_what_is_confirmed_has_to_exist() -> None:
    with pytest.raises(ParameterError, match="'yeers' cannot be confirmed"):
        sf.anonymize(pa.table(visits()), **ROLES, confirm="yeers")


def test_values_that_mean_none_make_numbers_of_a_column() -> None:
    release = sf.anonymize(pa.table(visits()), **ROLES, na={"bmi": "?"})
    assert release.manifest["kinds"]["bmi"] == "number"
    assert "missing-codes" not in {caution.code for caution in release.cautions}
    assert release.manifest["options"]["na"] == {"bmi": ["?"]}
    with pytest.raises(SchemaError, match="'na' names 'bmj'"):
        sf.anonymize(pa.table(visits()), **ROLES, na={"bmj": "?"})


def test_the_index_that_pandas_wrote_is_dropped_and_told(tmp_path) -> None:
    path = tmp_path / "visits.csv"
    frame = pd.DataFrame(visits())[["age", "illness"]]
    frame.to_csv(path)
    for source in (path, pd.read_csv(path)):
        for rest in ("plain", None):
            release = sf.anonymize(
                source, quasi_identifiers="age", sensitive="illness", rest=rest, k=5, l=1.05, method="mondrian"
            )
            assert release.table.column_names == ["age", "illness"]
            assert release.manifest["roles"]["Unnamed: 0"] == "identifier"
            assert [caution.code for caution in release.cautions if caution.severity == "note"] == ["row-numbers"]


def test_an_unnamed_column_with_values_needs_a_role(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age,\n1,7\n2,3\n")
    with pytest.raises(SchemaError, match="No role is declared for 'Unnamed: 1'"):
        sf.anonymize(path, quasi_identifiers="age", k=2)


def test_identifiers_of_any_type_are_no_obstacle() -> None:
    table = pa.table(visits()).append_column("scan", pa.array([[1, 2]] * ROWS))
    release = sf.anonymize(table, **ROLES | {"identifiers": ["patient", "scan"]})
    assert "several-rows-per-person" in {caution.code for caution in release.cautions}


def test_missing_values_and_rows_left_out_leave_the_counts_right() -> None:
    cells = visits()
    cells["age"][:50] = [None] * 50
    release = sf.anonymize(pa.table(cells), **ROLES, missing="suppress", suppression=0.1)
    [found] = [caution for caution in release.cautions if caution.code == "unique-rows"]
    assert f"of {release.table.num_rows:,} " in found.found


def test_a_misfit_is_told_by_its_line_whatever_is_left_out(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("age,town\n,Rome\n30,Siena\n31,Rome\n")
    tree = sf.Taxonomy.from_dict({"Italy": ["Rome"]})
    with pytest.raises(sf.errors.HierarchyError, match=r"holds 1 value that is not in .* stands in line 3\."):
        sf.anonymize(path, quasi_identifiers={"age": None, "town": tree}, k=1, missing="suppress")


def test_the_search_for_the_strongest_is_guarded_too() -> None:
    roles = {name: value for name, value in ROLES.items() if name != "k"}
    found = sf.strongest(pa.table(visits()), **roles, max_gcp=0.9)
    assert {caution.code for caution in found.release.cautions} >= set(EXPECTED) - {"several-rows-per-person"}
    with pytest.raises(CautionError):
        sf.strongest(pa.table(visits()), **roles, max_gcp=0.9, strict=True)


def test_whoever_says_whose_row_it_is_is_not_told_again() -> None:
    release = sf.anonymize(pa.table(visits()), **ROLES | {"identifiers": (), "person": "patient"})
    assert "several-rows-per-person" not in {caution.code for caution in release.cautions}


def test_many_rows_are_looked_at_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cautions are the same and in the same order as of looking at one after the other."""
    random = np.random.default_rng(5)
    half = {"age": random.integers(0, 90, 40_000), "pay": random.integers(0, 3_000, 40_000)}
    schema = sf.Schema({"age": None}, plain=["pay"])
    twice = {name: np.tile(values, 2) for name, values in half.items()}
    view = released(twice, schema, np.arange(80_000) // 20)
    side_by_side = look_after(view)
    assert [one.found[:41] for one in side_by_side if one.code == "repeated-rows"] == [
        "Every row occurs at least 2 times, and al"
    ]
    monkeypatch.setattr(looking, "LONG", 1_000_000)
    assert look_after(view) == side_by_side
    more = {name: np.append(values, 7_777) for name, values in twice.items()}
    assert not cautions(released(more, schema, np.arange(80_001) // 20), "repeated-rows")
