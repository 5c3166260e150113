"""The list of all checks, and `check_method`, which runs them."""

from __future__ import annotations

from collections.abc import Callable
from unittest import SkipTest
from warnings import warn

from sfumato.methods import Method
from sfumato.testing import engines, frames, limits, promises, showing
from sfumato.testing.requests import made_by

#: Every check of the suite.
CHECKS: list[Callable[[Method], None]] = [
    promises.check_declaration,
    promises.check_models,
    promises.check_truth,
    promises.check_equal_rows,
    promises.check_suppression,
    promises.check_people,
    showing.check_declared_levels,
    showing.check_round_ends,
    showing.check_nothing_told,
    frames.check_input_untouched,
    frames.check_same_seed_same_bytes,
    frames.check_row_order,
    frames.check_frames,
    limits.check_missing,
    limits.check_constant_columns,
    limits.check_duplicates,
    limits.check_one_class,
    limits.check_one_row,
    limits.check_infeasible,
    engines.check_engine_support,
]


#: The checks that apply to engines, which do not keep the order of rows and return their own kind of table.
ENGINE_CHECKS: list[Callable[[Method], None]] = [
    promises.check_models,
    promises.check_suppression,
    frames.check_input_untouched,
    frames.check_same_seed_same_bytes,
    limits.check_missing,
    limits.check_constant_columns,
    limits.check_duplicates,
    limits.check_one_class,
    limits.check_one_row,
    limits.check_infeasible,
]


def check_method(method: Method, engine: str | None = None) -> None:
    """Run every check on a method; the first that fails raises, one that cannot be run here warns.

    Parameters
    ----------
    method
        Any method, registered or not.
    engine
        The engine that makes the releases, such as ``"duckdb"``; then only the checks that apply to engines run.
    """
    for check in CHECKS if engine is None else ENGINE_CHECKS:
        try:
            with made_by(engine or "auto"):
                check(method)
        except SkipTest as reason:
            warn(f"{check.__name__} did not run completely: {reason}", stacklevel=2)
