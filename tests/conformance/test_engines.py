"""The conformance suite over the engines: DuckDB's keeps what memory keeps, in parts of some dozen rows."""

from __future__ import annotations

import pytest
from tests.conformance import wrong

import sfumato as sf
from sfumato.errors import ParameterError, VerificationError
from sfumato.methods import find_method
from sfumato.run.large.choose import RUNNABLE
from sfumato.run.large.duckdb import engine as in_duckdb
from sfumato.testing import (
    ENGINE_CHECKS,
    check_infeasible,
    check_method,
    check_missing,
    check_models,
    check_suppression,
    made_by,
)
from sfumato.testing.tables import SCHEMA, people

#: One method of each kind that engines run (a curve, cuts, levels for all rows); what they share is tried once.
CHECKS = {
    "hilbert": ENGINE_CHECKS,
    "mondrian": [check_models, check_suppression],
    "lattice": [check_suppression, check_missing, check_infeasible],
}


@pytest.fixture(autouse=True)
def tiny_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_duckdb, "MOST_PART_ROWS", 40)
    monkeypatch.setattr(in_duckdb, "BATCH_ROWS", 16)


@pytest.mark.parametrize(
    ("name", "check"),
    [(name, check) for name, checks in CHECKS.items() for check in checks],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_conformance_on_duckdb(name: str, check) -> None:
    with made_by("duckdb"):
        check(find_method(name))


def test_a_wrong_method_is_caught_on_an_engine() -> None:
    with pytest.raises(VerificationError, match="did not pass its independent check"):
        check_method(wrong.TooSmallOnEngine(), engine="duckdb")


def test_a_method_of_another_package_runs_on_an_engine_if_it_declares_how() -> None:
    check_method(wrong.InRuns(), engine="duckdb")
    made = sf.anonymize(people(300), schema=SCHEMA, method=wrong.InRuns(), k=4, engine="duckdb")
    assert made.manifest["method"]["name"] == "in-runs"
    assert made.manifest["parts"] > 1
    assert made.verify().ok
    assert made.verification.k >= 4


def test_a_method_that_declares_nothing_is_refused() -> None:
    with pytest.raises(ParameterError, match="'one-class' looks at all rows at once"):
        sf.anonymize(people(300), schema=SCHEMA, method=wrong.OneClass(), k=4, engine="duckdb")


@pytest.mark.parametrize("name", RUNNABLE)
def test_the_methods_that_a_refusal_names_declare_support(name: str) -> None:
    assert find_method(name).on_engine is not None
