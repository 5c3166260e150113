"""The conformance suite: what every method must do, also methods of other packages.

The suite runs over all registered methods; run it over your own with one line:

>>> from sfumato.methods import Mondrian
>>> from sfumato.testing import check_method
>>> check_method(Mondrian())

``check_method(method, engine="duckdb")`` runs on an engine the checks that apply there.

Every check is a plain function of a method that raises an ``AssertionError``, or the error of the library, when the
method does not behave, and ``unittest.SkipTest`` when it cannot be run here. What a method declares as `unsupported`
is not left out: then the check is that such a request is refused.
"""

from __future__ import annotations

from sfumato.testing.engines import check_engine_support
from sfumato.testing.frames import check_frames, check_input_untouched, check_row_order, check_same_seed_same_bytes
from sfumato.testing.limits import (
    check_constant_columns,
    check_duplicates,
    check_infeasible,
    check_missing,
    check_one_class,
    check_one_row,
)
from sfumato.testing.promises import (
    check_declaration,
    check_equal_rows,
    check_models,
    check_people,
    check_suppression,
    check_truth,
)
from sfumato.testing.requests import made_by
from sfumato.testing.showing import check_declared_levels, check_nothing_told, check_round_ends
from sfumato.testing.suite import CHECKS, ENGINE_CHECKS, check_method

__all__ = [
    "CHECKS",
    "ENGINE_CHECKS",
    "check_constant_columns",
    "check_declaration",
    "check_declared_levels",
    "check_duplicates",
    "check_engine_support",
    "check_equal_rows",
    "check_frames",
    "check_infeasible",
    "check_input_untouched",
    "check_method",
    "check_missing",
    "check_models",
    "check_nothing_told",
    "check_one_class",
    "check_one_row",
    "check_people",
    "check_round_ends",
    "check_row_order",
    "check_same_seed_same_bytes",
    "check_suppression",
    "check_truth",
    "made_by",
]
