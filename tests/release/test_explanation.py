"""Why a release looks as it does: finer steps counted one by one, other wishes run as anybody would run them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.command import refused, run

import sfumato as sf

ROWS = 300


@pytest.fixture(scope="module")
def people() -> pa.Table:
    rng = np.random.default_rng(5)
    return pa.table(
        {
            "age": rng.integers(20, 80, ROWS),
            "sex": rng.choice(["f", "m"], ROWS),
            "city": rng.choice(["Bari", "Pisa", "Siena"], ROWS),
            "illness": rng.choice(["flu", "ulcer", "asthma"], ROWS),
        }
    )


def released(people: pa.Table, **changed: object) -> sf.Release:
    roles = {"quasi_identifiers": ["age", "sex", "city"], "sensitive": "illness", "k": 5, "l": 2, "seed": 1}
    return sf.anonymize(people, **{**roles, "method": "mondrian", "keep_order": True, **changed})  # type: ignore[arg-type]


def test_what_one_finer_step_would_break_is_what_counting_finds(people: pa.Table) -> None:
    release = released(people, l=None)
    shown = list(zip(*(release.table.column(name).to_pylist() for name in ("age", "sex", "city")), strict=True))
    ages = people.column("age").to_pylist()
    exact = blocked = 0
    for look in set(shown):
        held = sorted(age for age, other in zip(ages, shown, strict=True) if other == look)
        middle = held[(len(held) - 1) // 2]
        upper = [age for age in held if (age >= middle if middle == held[-1] else age > middle)]
        exact += held[0] == held[-1]
        blocked += held[0] != held[-1] and min(len(upper), len(held) - len(upper)) < 5
    text = str(release.explain(column="age"))
    assert f"{exact:,} of {len(set(shown)):,} classes show the value itself" in text
    assert f"would break k-anonymity (k=5) in {blocked} of the other {len(set(shown)) - exact}" in text


@pytest.mark.parametrize("method", ["mondrian", "lattice", "cost-aware", "peeling", "cell-suppression", "auto"])
def test_other_wishes_cost_what_running_them_costs(people: pa.Table, method: str) -> None:
    release = released(people, method=method)
    told = release.explain(k=20, suppression=0.1, without=["age"]).what_if
    for line, changed in zip(told, ({"k": 20}, {"suppression": 0.1}), strict=False):
        other = released(people, method=method, **changed)
        before, after = re.findall(r"loss (\d\.\d+) → (\d\.\d+)", line)[0]
        assert (float(before), float(after)) == (round(release.loss.gcp, 4), round(other.loss.gcp, 4))
        assert f"→ {other.suppressed:,} rows left out. ({method} was run again" in line
    fewer = released(people, method=method, quasi_identifiers=["sex", "city"], rest="drop")
    assert f"Without age: loss of the other columns {others(release):.4f} → {fewer.loss.gcp:.4f}" in told[2]


def others(release: sf.Release) -> float:
    return (release.loss.by_attribute["sex"] + release.loss.by_attribute["city"]) / 2


def test_a_row_is_explained_by_its_class(people: pa.Table) -> None:
    release = released(people)
    looks = list(zip(*(release.table.column(name).to_pylist() for name in ("age", "sex", "city")), strict=True))
    for row in (0, 17, ROWS - 1):
        text = str(release.explain(row=row))
        assert text.startswith(f"Row {row + 1} of the table is in a class of {looks.count(looks[row])} rows")
        assert text.count("\n") == 3
    assert str(release.explain(row=3, column="sex")).count("\n") == 1


def test_left_out_rows_persons_and_impossible_wishes_are_told(people: pa.Table) -> None:
    flat = {"age": sf.Categorical()}
    release = released(people, method="lattice", quasi_identifiers=flat, rest="drop", l=None, suppression=0.5)
    gone = set(range(ROWS)) - set(release.row_of.tolist())  # type: ignore[union-attr]
    assert gone
    assert "is left out: up to 50.0% of the rows may be" in str(release.explain(row=min(gone)))
    assert "With k=301: not possible" in str(release.explain(k=301))
    whose = people.append_column("who", pa.array(np.arange(ROWS) // 2))
    by_person = released(whose, person="who", l=None)
    assert "k-anonymity (k=5)" in str(by_person.explain())
    values = {value for name in ("city", "illness") for value in people.column(name).to_pylist()}
    assert not [value for value in values if value in str(release.explain()) + str(release.explain(row=0))]


def test_wrong_questions_are_refused(people: pa.Table) -> None:
    release = released(people)
    with pytest.raises(sf.errors.SchemaError, match="no quasi-identifier"):
        release.explain(column="illness")
    with pytest.raises(sf.errors.ParameterError, match="no such row: the table has 300"):
        release.explain(row=ROWS)
    with pytest.raises(sf.errors.SchemaError, match="cannot be dropped"):
        release.explain(without="illness")


def test_the_command_explains_every_method(people: pa.Table, tmp_path: Path) -> None:
    people.to_pandas().to_csv(tmp_path / "people.csv", index=False)
    asked = ["explain", tmp_path / "people.csv", "--qi", "age,sex,city", "--sensitive", "illness", "-k", "5"]
    done = run(*asked, "--method", "mondrian", "--what-if", "k=20", "--what-if", "without=age")
    assert done.code == 0, done.stderr
    assert "With k=20: loss" in done.stdout
    assert "Without age: loss" in done.stdout
    record = json.loads(run(*asked, "--method", "mondrian", "--row", "2", "--json").stdout)
    assert record["explanation"][0].startswith("Row 2 of the table")
    by_levels = json.loads(run(*asked, "--what-if", "suppression=0.02", "--json").stdout)
    assert set(by_levels) == {"levels", "explanation", "what_if"}
    assert "--what-if knows k, suppression, without" in refused(2, *asked, "--what-if", "l=3")
