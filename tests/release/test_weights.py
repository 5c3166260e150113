"""Weights of a survey: totals are kept, rows of a class show the same weight, and risk is judged by them."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.assess.risk.survey_weights import benedetti_franconi
from sfumato.errors import DataError, ParameterError, SchemaError, VerificationError
from sfumato.release.report.sections.policy import policy_of_release
from sfumato.release.shown import ShownInMemory
from sfumato.release.values import with_weights

RANDOM = np.random.default_rng(4)
SURVEY = pa.table(
    {
        "id": [f"person {at}" for at in range(90)],
        "age": pa.array([None if at % 17 == 0 else int(age) for at, age in enumerate(RANDOM.integers(20, 50, 90))]),
        "weight": np.round(RANDOM.gamma(2.0, 80.0, 90) + 1, 4),
        "place": RANDOM.choice(list("abc"), 90).tolist(),
        "vote": RANDOM.choice(["x", "y", "z"], 90).tolist(),
    }
)
TOTAL = sum(SURVEY["weight"].to_pylist())


def released(**asked: Any) -> sf.Release:
    given: dict[str, Any] = {"quasi_identifiers": ["age", "place"], "sensitive": "vote", "identifiers": "id"}
    return sf.anonymize(SURVEY, **given | {"weights": "weight", "k": 3, "method": "mondrian", "seed": 1} | asked)


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"suppression": 0.2},
        {"missing": "suppress"},
        {"missing": "suppress", "suppression": 0.1, "method": "lattice"},
        {"intervals": "bounds"},
        {"method": "hilbert", "keep_order": True},
    ],
    ids=str,
)
def test_totals_are_kept_and_no_row_differs_from_its_class(asked: dict[str, Any]) -> None:
    release = released(**asked)
    shown = release.table.to_pylist()
    assert sum(row["weight"] for row in shown) == pytest.approx(TOTAL, rel=1e-12)
    known = release.shown.class_columns
    weights = defaultdict(set)
    for row in shown:
        weights[tuple(row[name] for name in known)].add(row["weight"])
    assert all(len(one) == 1 for one in weights.values())
    assert not {row["weight"] for row in shown} & set(SURVEY["weight"].to_pylist())
    order = [name for name in release.table.column_names if name in SURVEY.column_names]
    assert order == [name for name in SURVEY.column_names if name in order]


def test_a_class_shows_the_mean_of_its_rows_worked_by_hand() -> None:
    # 20 and 21 stand for 10 + 30, 40 and 41 for 5 + 15; the row without an age, which stands for 30, is left out, and
    # so the others count (60 + 30)/60 = 1.5 times: 20 * 1.5 = 30 and 10 * 1.5 = 15
    table = pa.table({"age": [20, 21, 40, 41, None], "weight": [10, 30, 5, 15, 30]})
    release = sf.anonymize(table, quasi_identifiers="age", weights="weight", k=2, missing="suppress")
    assert sorted(map(tuple, release.table.to_pandas().to_numpy().tolist())) == [
        ("[20, 21]", 30.0),
        ("[20, 21]", 30.0),
        ("[40, 41]", 15.0),
        ("[40, 41]", 15.0),
    ]


def test_risk_is_judged_by_weight() -> None:
    risk = released().risk
    assert risk.before.journalist_by == risk.after.journalist_by == "the weights"
    assert risk.after.journalist is not None
    assert risk.after.journalist.mean < risk.after.prosecutor.mean  # type: ignore[operator]
    assert "mean risk by the weights" in risk.summary()
    sizes, sums = defaultdict(int), defaultdict(float)
    shown = released().table.to_pylist()
    for row in shown:
        sizes[row["age"], row["place"]] += 1
        sums[row["age"], row["place"]] += row["weight"]
    each = benedetti_franconi(np.array(list(sizes.values())), np.array([sums[look] for look in sizes]))
    assert risk.after.journalist.mean == pytest.approx(each @ np.array(list(sizes.values())) / len(shown))
    assert risk.after.population is not None
    assert risk.after.population.population == pytest.approx(TOTAL)


@pytest.mark.parametrize("wrong", [[1, -2], [1, 0], [1.0, float("nan")], [1, None], ["1", "2"]])
def test_weights_that_are_none_are_refused(wrong: list[Any]) -> None:
    with pytest.raises(DataError, match="Column 'w'"):
        sf.anonymize(pa.table({"age": [1, 2], "w": wrong}), quasi_identifiers="age", weights="w", k=2)


def test_a_column_has_one_role() -> None:
    with pytest.raises(SchemaError, match="both as quasi-identifier and as weight"):
        released(quasi_identifiers=["age", "weight"], rest="drop")
    with pytest.raises(ParameterError, match="'survey_weights' parameter of Schema"):
        released(weights=3)


def test_the_command_line_and_policies_know_weights(tmp_path: Path) -> None:
    file, out = tmp_path / "survey.csv", tmp_path / "out.csv"
    pyarrow.csv.write_csv(SURVEY, file)
    roles = ["--qi", "age,place", "--sensitive", "vote", "--identifiers", "id", "--weights", "weight"]
    policy = ["--save-policy", tmp_path / "policy.toml"]
    done = run("anonymize", file, "-o", out, *roles, "-k", 3, "--method", "mondrian", *policy)
    assert done.code == 0, done.stderr
    assert sum(pyarrow.csv.read_csv(out)["weight"].to_pylist()) == pytest.approx(TOTAL, rel=1e-9)
    again = sf.Policy.read(tmp_path / "policy.toml")
    assert again.schema.survey_weights == "weight"
    assert run("risk", file, "--policy", tmp_path / "policy.toml").stdout.count("judged by the weights") == 1


def test_a_report_shows_the_policy_that_makes_a_weighted_release_of_a_preset_again() -> None:
    table = SURVEY.drop_columns(["id", "place"]).append_column("zip", pa.array(["02139", "90210"] * 45))
    roles = {"quasi_identifiers": ["age", "zip"], "sensitive": "vote", "weights": "weight", "confirm": ["vote"]}
    release = sf.anonymize(table, **roles, k=3, preset="hipaa-safe-harbor")
    policy = tomllib.loads(policy_of_release(release)[0])
    assert (policy["weights"], policy["options"]["preset"]) == ("weight", "hipaa-safe-harbor")
    again = sf.Policy.from_dict(policy | {"options": policy["options"] | {"seed": release.manifest["options"]["seed"]}})
    assert again.run(table).table.equals(release.table)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda weights: [2 * one for one in weights], "weights add up to the total"),
        (lambda weights: [weights[0] + 1, weights[1] - 1, *weights[2:]], "one weight for all rows of a class"),
    ],
)
def test_weights_that_are_wrong_are_not_handed_out(
    spoil: Callable[[list[float]], list[float]], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(shown: ShownInMemory, order: list[str], name: str, *given: Any) -> ShownInMemory:
        right = with_weights(shown, order, name, *given).table
        at = right.column_names.index(name)
        spoiled = pa.array(spoil(right.column(name).to_pylist()))
        return replace(shown, table=right.set_column(at, name, spoiled))

    monkeypatch.setattr("sfumato.run.build.with_weights", wrong)
    with pytest.raises(VerificationError, match=message):
        released(k=30)
