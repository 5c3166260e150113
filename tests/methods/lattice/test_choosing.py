"""Choosing among answers, applying one again, and refusing what cannot be searched."""

from __future__ import annotations

from typing import ClassVar

import pandas as pd
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.privacy import PrivacyModel

PEOPLE = pa.table(
    {
        "age": [21, 22, 26, 28, 31, 33, 36, 38],
        "sex": ["f", "m", "f", "m", "f", "m", "f", "m"],
        "zip": ["53715", "53710", "53706", "53703", "53715", "53710", "53706", "53703"],
        "illness": ["flu", "cold", "flu", "ulcer", "cold", "flu", "ulcer", "cold"],
    }
)
SCHEMA = sf.Schema(
    {"age": sf.Numeric(widths=(5, 10)), "sex": None, "zip": sf.Prefix()},
    sensitive="illness",
)


def test_a_limit_of_zero_releases_an_attribute_intact() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Lattice(max_level={"sex": 0}))
    assert release.levels["sex"] == 0
    assert sorted(set(release.data["sex"].to_pylist())) == ["f", "m"]


def test_alternatives_are_a_frame_of_the_kind_that_came_in() -> None:
    release = sf.anonymize(PEOPLE.to_pandas(), SCHEMA, k=2, method="incognito")
    alternatives = release.alternatives
    assert isinstance(alternatives, pd.DataFrame)
    assert {"age", "sex", "zip", "suppressed", "gcp", "dm", "precision", "minimal", "released"} <= set(alternatives)
    row = alternatives[alternatives["released"]]
    assert len(row) == 1
    for name, loss in release.loss.items():
        if name in alternatives:
            assert row[name].item() == pytest.approx(loss)
    assert alternatives["gcp"].min() == pytest.approx(release.loss.gcp)


def test_the_lattice_tells_the_status_of_every_node() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=2, method="lattice")
    status = release.lattice["status"].to_pylist()
    assert len(status) == 4 * 2 * 6
    assert status.count("answer") + 1 == release.alternatives.num_rows
    assert status.count("released") == 1
    assert set(status) == {"answer", "released", "rejected"}


def test_a_function_chooses() -> None:
    def keep_age(levels: dict[str, int], losses: dict[str, float]) -> float:
        return levels["age"] * 100 + losses["gcp"]

    release = sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Lattice(minimize=keep_age))
    ages = release.alternatives["age"].to_pylist()
    assert release.levels["age"] == min(ages)
    assert release.manifest["method"]["parameters"]["minimize"] == "keep_age"


def test_weights_change_the_choice() -> None:
    def levels(weights: dict[str, float]) -> dict[str, int]:
        return sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Lattice(weights=weights)).levels

    assert levels({"age": 100.0})["age"] < levels({"age": 0.01})["age"]


def test_weights_and_limits_name_quasi_identifiers() -> None:
    with pytest.raises(SchemaError, match="'weights' names 'height'"):
        sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Lattice(weights={"height": 1.0}))
    with pytest.raises(SchemaError, match="'max_level' names 'height'"):
        sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Lattice(max_level={"height": 1}))


def test_weights_and_limits_are_mappings_of_numbers() -> None:
    with pytest.raises(ParameterError, match="'max_level' parameter of Lattice must be a mapping"):
        sf.Lattice(max_level="sex")
    with pytest.raises(ParameterError, match="'weights' parameter of Incognito must be a mapping"):
        sf.Incognito(weights=[1.0])
    with pytest.raises(ParameterError, match="number of at least 0"):
        sf.Lattice(weights={"age": -1})
    with pytest.raises(ParameterError, match="All 'weights' are 0"):
        sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Lattice(weights={"age": 0, "sex": 0, "zip": 0}))


def test_an_unknown_loss_is_refused() -> None:
    with pytest.raises(ParameterError, match="'minimize' parameter of Lattice"):
        sf.Lattice(minimize="cost")


def test_levels_can_be_applied_to_the_next_table() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=2)
    levels = sf.anonymize(PEOPLE, SCHEMA, k=2, method="lattice").levels
    again = sf.recode(PEOPLE, SCHEMA, levels=levels, k=2)
    assert again.achieved.k >= 2
    assert release.achieved.k >= 2
    other = PEOPLE.set_column(0, "age", pa.array([21, 22, 26, 28, 31, 33, 36, 94]))
    fine = {"age": 2, "sex": 1, "zip": 5}
    with pytest.raises(InfeasibleError, match=r"1 of 8 rows lie in classes that break it. suppression=0.125"):
        sf.recode(other, SCHEMA, levels=fine, k=2)
    kept = sf.recode(other, SCHEMA, levels=fine, k=2, suppression=0.125)
    assert kept.suppressed == 1
    assert sorted(set(kept.data["age"].to_pylist())) == ["[20, 29]", "[30, 39]"]


def test_levels_by_name_mean_the_same_for_longer_codes() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Lattice(max_level={"age": 2}))
    assert release.level_names == {"age": "width 10", "sex": "value", "zip": "3 characters"}
    one = sf.recode(PEOPLE, SCHEMA, levels=release.level_names, k=2)
    assert one.levels == release.levels == {"age": 2, "sex": 0, "zip": 2}
    longer = PEOPLE.set_column(2, "zip", pa.array(["53715-0001", *PEOPLE["zip"].to_pylist()[1:]]))
    next_month = sf.recode(longer, SCHEMA, levels=one.level_names, k=2)
    assert {zip_code[:3] for zip_code in next_month.data["zip"].to_pylist()} == {"537"}
    assert {zip_code[3:].strip("*") for zip_code in next_month.data["zip"].to_pylist()} == {""}
    assert next_month.levels["zip"] == 7
    with pytest.raises(SchemaError, match=r"no level called 'width 3'\. Its levels are 'value', 'width 5'"):
        sf.recode(PEOPLE, SCHEMA, levels={"age": "width 3", "sex": 1, "zip": 5})
    with pytest.raises(ParameterError, match=r"'levels' parameter of recode must be a mapping of every"):
        sf.recode(PEOPLE, SCHEMA, levels=[2, 1, 5])  # type: ignore[arg-type]


def test_every_row_of_the_alternatives_can_be_released() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Incognito("cube", minimize="dm"))
    for row in release.alternatives.to_pylist():
        again = sf.recode(PEOPLE, SCHEMA, levels={name: row[name] for name in SCHEMA.quasi_identifiers}, k=2)
        assert again.loss.gcp == pytest.approx(row["gcp"])
        assert again.loss.dm == row["dm"]
    assert release.loss.dm == min(release.alternatives["dm"].to_pylist())


def test_levels_that_do_not_exist_are_refused() -> None:
    with pytest.raises(SchemaError, match="no level 9: its levels go from 0 to 3"):
        sf.recode(PEOPLE, SCHEMA, levels={"age": 9, "sex": 0, "zip": 0})
    with pytest.raises(SchemaError, match="Give one level for each"):
        sf.recode(PEOPLE, SCHEMA, levels={"age": 1})


class OddSizes(sf.KAnonymity):
    """A model that merging breaks; it counts as any other rule, only without the promise."""

    monotone: ClassVar[bool] = False


def test_a_model_that_is_not_monotone_is_searched_only_on_request() -> None:
    model: PrivacyModel = OddSizes(2)
    for method in (sf.Lattice(), sf.Incognito(), sf.BottomUp(), sf.Samarati(), sf.Datafly()):
        with pytest.raises(ParameterError, match="not monotone"):
            sf.anonymize(PEOPLE, SCHEMA, privacy=model, method=method)
    release = sf.anonymize(PEOPLE, SCHEMA, privacy=model, method=sf.Lattice(exhaustive=True))
    assert release.search.nodes_checked == 4 * 2 * 6
    normal = sf.anonymize(PEOPLE, SCHEMA, k=2, method=sf.Lattice())
    assert release.alternatives.num_rows == normal.alternatives.num_rows
