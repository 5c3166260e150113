"""The suite itself: what is right passes, and what is wrong is caught by the check that is about it."""

from __future__ import annotations

import unittest

import pytest
from tests.conformance import wrong

import sfumato.testing as suite
from sfumato.errors import MissingExtraError, SfumatoError
from sfumato.methods import Method
from sfumato.testing import frames

CAUGHT = {
    suite.check_declaration: [wrong.Nameless, wrong.UnknownWord],
    suite.check_models: [wrong.TooSmall, wrong.BlindToValues, wrong.RefusesSilently, wrong.Shorter, wrong.Longer],
    suite.check_truth: [wrong.SpoilsCodes],
    suite.check_equal_rows: [wrong.InOrder],
    suite.check_suppression: [wrong.Spendthrift],
    suite.check_declared_levels: [wrong.SpoilsCodes],
    suite.check_nothing_told: [wrong.Dice],
    suite.check_input_untouched: [wrong.SpoilsCodes, wrong.SpoilsSensitive],
    suite.check_same_seed_same_bytes: [wrong.Dice, wrong.Remembers],
    suite.check_row_order: [wrong.InOrder],
    suite.check_frames: [wrong.Dice],
    suite.check_missing: [wrong.AfraidOfMissing],
    suite.check_constant_columns: [wrong.DividesByExtent],
    suite.check_duplicates: [wrong.CountsDistinctRows],
    suite.check_one_class: [wrong.AlwaysCuts, wrong.OverConfident],
    suite.check_one_row: [wrong.NeedsTwoRows],
    suite.check_infeasible: [wrong.OverConfident],
}
ERRORS = (AssertionError, SfumatoError, IndexError, ValueError, ZeroDivisionError)


@pytest.mark.parametrize(("check", "method"), [(check, method) for check in CAUGHT for method in CAUGHT[check]])
def test_a_wrong_method_is_caught(check, method: type[Method]):
    with pytest.raises(ERRORS):
        check(method())


def test_every_check_catches_something():
    assert set(CAUGHT) == set(suite.CHECKS)


def test_every_check_is_public():
    assert {check.__name__ for check in suite.CHECKS} | {"CHECKS", "check_method"} == set(suite.__all__)


@pytest.mark.parametrize("method", [wrong.OneClass, wrong.TopLevels, wrong.Picky, wrong.OnlyDiverse])
@pytest.mark.parametrize("check", suite.CHECKS, ids=lambda check: check.__name__)
def test_a_dull_method_that_is_right_passes(check, method: type[Method]):
    check(method())


def test_a_declaration_is_no_excuse_for_refusing_everything():
    class Refuser(wrong.OneClass):
        unsupported = frozenset({"k-anonymity", "l-diversity"})

    with pytest.raises(AssertionError, match="refuses every combination"):
        suite.check_models(Refuser())


def test_one_call_runs_everything_and_stops_at_the_first_failure():
    suite.check_method(wrong.OneClass())
    with pytest.raises(AssertionError, match="changed the encoded table"):
        suite.check_method(wrong.SpoilsSensitive())


def test_what_is_not_installed_is_skipped_visibly(monkeypatch):
    def lacking(table, library):
        raise MissingExtraError(f"A {library} data frame", library)

    monkeypatch.setattr(frames, "to_frame", lacking)
    with pytest.raises(unittest.SkipTest, match="pandas and polars not installed"):
        suite.check_frames(wrong.OneClass())
    with pytest.warns(UserWarning, match="did not run completely"):
        suite.check_method(wrong.OneClass())
