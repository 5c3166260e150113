"""Checks of edge cases: missing values, constant columns, duplicates, one class, one row, infeasible requests."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa

from sfumato.errors import DataError, InfeasibleError
from sfumato.methods import Method
from sfumato.methods.base import MISSING
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, PrivacyModel
from sfumato.testing.requests import certain_release, release
from sfumato.testing.tables import SCHEMA, people


def check_missing(method: Method) -> None:
    """Check missing values under all three policies."""
    table = people(100, seed=7, missing=0.1)
    lacking = sum(any(row[name] is None for name in SCHEMA.quasi_identifiers) for row in table.to_pylist())
    kept = release(method, table, missing="category")
    refused = MISSING in method.unsupported
    assert (kept is None) == refused, f"'{method.name}' declares missing values as unsupported, but takes them."
    assert kept is None or (kept.suppressed == 0 and kept.table.num_rows == len(table)), "Rows got lost."
    left = certain_release(method, table, missing="suppress")
    assert left.suppressed == lacking, f"{lacking} rows lack a value, but {left.suppressed} are suppressed."
    assert left.table.num_rows == len(table) - lacking
    try:
        release(method, table, missing="error")
        message = "nothing"
    except DataError as error:
        message = str(error)
    assert "'age'" in message, f"missing='error' must name the columns that have missing values; it said: {message}"


def check_constant_columns(method: Method) -> None:
    """Check quasi-identifiers that never vary, some of them and all."""
    table = people(40, seed=8)
    rows = table.slice(0, 1).to_pylist()[0]
    for names in (["age"], ["sex", "zip"], ["born", "city"], list(SCHEMA.quasi_identifiers)):
        flat = table
        for name in names:
            column = pa.array([rows[name]] * len(table), table.schema.field(name).type)
            flat = flat.set_column(flat.column_names.index(name), name, column)
        made = certain_release(method, flat)
        assert made.table.num_rows == len(table), f"'{method.name}' loses rows where {names} never vary."
        assert all(made.loss.by_attribute[name] == 0 for name in names), f"{names} never vary, so nothing can be lost."


def check_duplicates(method: Method) -> None:
    """Check rows that occur many times, alone and among others."""
    few = people(12, seed=9)
    for table in (pa.concat_tables([few] * 9), pa.concat_tables([few.slice(0, 3)] * 10 + [few])):
        made = certain_release(method, table)
        assert made.table.num_rows == len(table), f"'{method.name}' loses duplicate rows."
        assert made.verify().ok


def check_one_class(method: Method) -> None:
    """Check a request that only the table as one class satisfies."""
    table = people(30, seed=10)
    models = _size_or_diversity(method, len(table))
    made = certain_release(method, table, privacy=models)
    assert made.table.num_rows == len(table)
    assert made.verify().ok
    if isinstance(models, KAnonymity):
        assert made.classes == 1, f"k is all {len(table)} rows, but '{method.name}' made {made.classes} classes."


def check_one_row(method: Method) -> None:
    """Check a table of one row."""
    table = people(1)
    made = certain_release(method, table, privacy=_size_or_diversity(method, 1))
    assert made.table.num_rows == 1
    assert made.classes == 1


def _size_or_diversity(method: Method, size: int) -> PrivacyModel:
    if "k-anonymity" in method.unsupported:
        return LDiversity(min(size, 6), column="illness")
    return KAnonymity(size)


@dataclass(frozen=True)
class _Impossible:
    """A model that no release of `people(48)` keeps, what the error names, and the weaker model that it proposes."""

    model: PrivacyModel
    names: str
    nearest: str
    weaker: Callable[[float], PrivacyModel]


_IMPOSSIBLE = (
    _Impossible(KAnonymity(49), "k=49", r"largest k that works is ([\d,]+)", lambda k: KAnonymity(int(k))),
    _Impossible(
        LDiversity(7, column="illness"),
        "l=7 (frequency)",
        r"largest l that works is ([\d.]*\d)",
        lambda l: LDiversity(l, column="illness"),  # noqa: E741
    ),
    _Impossible(
        LDiversity(7, kind="distinct", column="illness"),
        "l=7 (distinct)",
        r"largest l that works is ([\d.]*\d)",
        lambda l: LDiversity(int(l), kind="distinct", column="illness"),  # noqa: E741
    ),
    _Impossible(
        LDiversity(6.5, kind="entropy", column="illness"),
        "l=6.5 (entropy)",
        r"reaches only l=([\d.]*\d)",
        lambda l: LDiversity(l, kind="entropy", column="illness"),  # noqa: E741
    ),
    _Impossible(
        LDiversity(6, kind="recursive", c=0.5, column="illness"),
        "l=6 (recursive, c=0.5)",
        r"any c above ([\d.]*\d)",
        lambda c: LDiversity(6, kind="recursive", c=c + 1e-6, column="illness"),
    ),
    _Impossible(
        MinimumSpan("age", 1000),
        "minimum span of 1000 is not possible for 'age'",
        r"largest width that works is ([\d.]*\d)",
        lambda width: MinimumSpan("age", width),
    ),
)


def check_infeasible(method: Method) -> None:
    """Check that infeasible requests are refused, and that the nearest condition in the message works."""
    table = people(48, seed=11)
    for case in _IMPOSSIBLE:
        try:
            refused = release(method, table, privacy=case.model)
        except InfeasibleError as error:
            message = str(error)
        else:
            assert refused is None, f"'{method.name}' claims to keep {case.model}, which is not possible."
            continue
        assert case.names in message, f"The error does not name what fails, {case.names}: {message}"
        found = re.search(case.nearest, message)
        assert found, f"The error does not name the nearest condition that works: {message}"
        weaker = case.weaker(float(found[1].replace(",", "")))
        assert certain_release(method, table, privacy=weaker).verify().ok, f"{weaker} was said to work."
