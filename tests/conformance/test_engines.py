"""The conformance suite over the engines: DuckDB's keeps what memory keeps, in parts of some dozen rows."""

from __future__ import annotations

import pytest
from tests.conformance import wrong

from sfumato.errors import VerificationError
from sfumato.methods import find_method
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


def test_a_wrong_method_is_caught_on_an_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.run.large.choose.is_runnable", lambda method: True)
    with pytest.raises(VerificationError, match="did not pass its independent check"):
        check_method(wrong.TooSmall(), engine="duckdb")
