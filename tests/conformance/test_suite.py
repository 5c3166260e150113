"""The suite itself: what is right passes, and what is wrong is caught by the check that is about it."""

from __future__ import annotations

import unittest

import pytest
from tests.conformance import wrong

import sfumato.testing as suite
from sfumato.errors import MissingExtraError, SfumatoError
from sfumato.methods import Method
from sfumato.testing import frames

#: Which check catches which method, and what it says: a crash of another kind would prove nothing.
CAUGHT = {
    suite.check_declaration: {
        wrong.Nameless: "needs a summary of whole sentences",
        wrong.UnknownWord: r"declares \['telepathy'\] as unsupported",
    },
    suite.check_models: {
        wrong.TooSmall: "k-anonymity k=5: BROKEN by 120 classes",
        wrong.BlindToValues: r"l-diversity l=2 \(frequency\) of 'illness': BROKEN by 40 classes",
        wrong.RefusesSilently: "^no$",
        wrong.Shorter: r"classes of shape \(119,\) and type int32 for 120 rows",
        wrong.Longer: r"classes of shape \(121,\) and type int32 for 120 rows",
    },
    suite.check_truth: {wrong.SpoilsCodes: "shows an interval of 'age' that the row is not in"},
    suite.check_equal_rows: {wrong.InOrder: "shows two equal rows differently"},
    suite.check_people: {wrong.TooSmall: "finds no release that keeps every rule, counting people"},
    suite.check_suppression: {wrong.Spendthrift: "left out 1 rows, but only 0 may be"},
    suite.check_declared_levels: {wrong.SpoilsCodes: "of 'age', which is no declared level of its value"},
    suite.check_round_ends: {wrong.SpoilsCodes: "shows '.*' of an age of"},
    suite.check_nothing_told: {wrong.Dice: r"where the text is .*, the bounds of '(age|born)' is"},
    suite.check_input_untouched: {
        wrong.SpoilsCodes: "changed the encoded table that it was given",
        wrong.SpoilsSensitive: "changed the encoded table that it was given",
    },
    suite.check_same_seed_same_bytes: {
        wrong.Dice: "writes another csv file with the same seed",
        wrong.Remembers: "writes another csv file with the same seed",
    },
    suite.check_row_order: {wrong.InOrder: "instead of .* in another order of rows"},
    suite.check_frames: {wrong.Dice: "releases a pandas differently"},
    suite.check_missing: {wrong.AfraidOfMissing: "index out of bounds"},
    suite.check_constant_columns: {wrong.DividesByExtent: "integer division or modulo by zero"},
    suite.check_duplicates: {wrong.CountsDistinctRows: r"classes of shape \(12,\) and type int32 for 108 rows"},
    suite.check_one_class: {
        wrong.AlwaysCuts: "k-anonymity k=30: BROKEN by 2 classes, smallest class 15",
        wrong.OverConfident: "k-anonymity k=30: BROKEN by 30 classes, smallest class 1",
    },
    suite.check_one_row: {wrong.NeedsTwoRows: "Cannot take a larger sample than population"},
    suite.check_engine_support: {
        wrong.NoDeclaration: "which no engine knows",
        wrong.LevelsInParts: "full-domain methods choose levels by frequencies",
        wrong.KeysByPlace: "gives a row another key in another batch",
        wrong.KeysTooWide: r"makes keys of shape \(2, 90\) and type uint64 for 90 rows",
        wrong.TooSmallOnEngine: "did not pass its independent check",
        wrong.CutsNothingOff: "A first cut leaves 0 of 400 rows below code 0",
        wrong.CutsOneOff: "k-anonymity k=3: BROKEN by",
        wrong.ForgetsCounts: "k-anonymity k=3: BROKEN by",
        wrong.NoLevels: "chose no levels from the frequency set",
        wrong.LeavesClassesOut: "left out 400 rows, but only 0 may be",
    },
    suite.check_infeasible: {wrong.OverConfident: "k-anonymity k=48: BROKEN by 48 classes"},
}
ERRORS = (AssertionError, SfumatoError, IndexError, ValueError, ZeroDivisionError)


@pytest.mark.parametrize(
    ("check", "method", "message"),
    [(check, method, message) for check, methods in CAUGHT.items() for method, message in methods.items()],
)
def test_a_wrong_method_is_caught(check, method: type[Method], message: str):
    with pytest.raises(ERRORS, match=message):
        check(method())


def test_every_check_catches_something():
    assert set(CAUGHT) == set(suite.CHECKS)


def test_every_check_is_public():
    own = {"CHECKS", "ENGINE_CHECKS", "check_method", "made_by"}
    assert {check.__name__ for check in suite.CHECKS} | own == set(suite.__all__)
    assert set(suite.ENGINE_CHECKS) < set(suite.CHECKS)


@pytest.mark.parametrize("method", [wrong.OneClass, wrong.TopLevels, wrong.Picky, wrong.OnlyDiverse, wrong.InRuns])
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
