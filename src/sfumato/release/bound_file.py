"""The file with which anyone who has the original can check its bound: what it states, and the price of every row.

It holds figures of single rows, so it is as private as the original. `sfumato.check_bound` reads it, and
shares no code with this module: both follow the description in ``docs/explanation/proven.md``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import ParameterError
from sfumato.hierarchies import Domain, GridDomain, IntervalDomain, TreeDomain
from sfumato.hierarchies.cell_domain import CellDomain
from sfumato.hierarchies.scale_domain import CountedDomain, LevelledDomain
from sfumato.loss import Bound

#: The parts of 1 in which prices are written, unless sums would become too large: quadrillionths.
UNITS = [10**digits for digits in range(15, 2, -1)]

#: No sum of prices may exceed this.
LARGEST = 2**62

#: The digits of the bound, which is rounded down.
DIGITS = 12

PRIVATE = "This file holds figures of single people of the original. Keep it with the original and publish neither."


@dataclass(frozen=True)
class BoundedClasses:
    """The classes that a bound is about.

    Attributes
    ----------
    k
        The least size of a class.
    l, sensitive
        No value of this column makes up more than 1 / l of a class; None without this condition.
    suppression
        Whether rows may be suppressed.
    missing
        What becomes of missing values: ``"category"`` or ``"suppress"``.
    """

    k: int
    l: Fraction | None  # noqa: E741
    sensitive: str | None
    suppression: bool
    missing: str


def bound_record(
    table: pa.Table,
    domains: Sequence[Domain],
    weights: Mapping[str, float],
    classes: BoundedClasses,
    bound: Bound,
    left_out: int = 0,
    reading: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Put a bound file together.

    Parameters
    ----------
    table
        The quasi-identifiers and, where the classes have a condition on it, the sensitive column, in the order of the
        original, without rows that are always suppressed.
    domains
        How each quasi-identifier generalizes.
    weights
        Their weights; 1 by default.
    classes
        The classes that the bound is about.
    bound
        The bound, with its prices in the order of the table.
    left_out
        The number of rows that are always suppressed.
    reading
        What has to be known to read the table again: which columns are text, and which texts mean "no value".
    """
    if bound.prices is None:
        raise ParameterError(
            "The bound of this release has no prices that could be checked: it comes from a sample or from comparing "
            "pairs of rows, since the table is large, or k is 1. Make the release of fewer rows, or use "
            "method='proven' with more time."
        )
    unit, prices = _whole_prices(bound.prices, classes, len(domains))
    rows = len(prices) + left_out
    total = Fraction(sum(prices) + left_out * unit, max(1, rows) * unit)
    needed = [*(domain.name for domain in domains), *([] if classes.sensitive is None else [classes.sensitive])]
    columns = [column_record(domain, weights.get(domain.name, 1.0)) for domain in domains]
    numbers = [column["name"] for column in columns if column["kind"] == "number" and "places" not in column]
    stated = int(total * 10**DIGITS)
    record = {
        "sfumato_bound": 1,
        "private": PRIVATE,
        "rows": rows,
        "k": classes.k,
        "l": None if classes.l is None else str(classes.l),
        "sensitive": classes.sensitive,
        "suppression": classes.suppression,
        "missing": classes.missing,
        "bound": f"{stated // 10**DIGITS}.{stated % 10**DIGITS:0{DIGITS}}",
        "columns": columns,
        "reading": {"text": [], "missing": {}, **(reading or {})},
        "table": _digest_of_rows(table.select(needed), numbers),
        "unit": unit,
        "prices": prices,
    }
    content = json.dumps(record, sort_keys=True, separators=(",", ":"))
    return record | {"digest": hashlib.sha256(content.encode()).hexdigest()}


def bound_text(record: Mapping[str, Any]) -> str:
    """Write a record as JSON, one line for each of its parts."""
    parts = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in record.items())
    return "{\n" + ",\n".join(parts) + "\n}\n"


def column_record(domain: Domain, weight: float) -> dict[str, Any]:
    """State how a quasi-identifier generalizes, as far as the loss depends on it.

    Values of a number that are not numbers themselves, such as dates, come with their places on the scale. Trees come
    level by level with the group of every value, and with the loss of every group where it is not the share of all
    values that it holds.
    """
    begin = {"name": domain.name, "weight": weight}
    if isinstance(domain, TreeDomain):
        leaves = [*domain.values.cast(pa.string()).to_pylist(), *([None] if domain.has_missing else [])]
        levels = [level.groups.tolist() for level in domain.levels]
        losses = {"losses": _losses(domain)} if isinstance(domain, LevelledDomain) else {}
        return {**begin, "kind": "tree", "leaves": leaves, "levels": levels, **losses}
    if isinstance(domain, CellDomain | GridDomain | CountedDomain) or not isinstance(domain, IntervalDomain):
        raise ParameterError(
            f"Column '{domain.name}' shows round intervals or has too many numbers to keep apart. Bound files know "
            "only intervals from value to value. Use intervals='values' and fewer rows, or give the column levels."
        )
    if pa.types.is_integer(domain.values.type) or pa.types.is_floating(domain.values.type):
        return {**begin, "kind": "number"}
    places = zip(domain.values.cast(pa.string()).to_pylist(), domain.offsets.tolist(), strict=True)
    return {**begin, "kind": "number", "places": dict(places)}


def _losses(domain: LevelledDomain) -> list[list[float]]:
    ends = np.cumsum([len(level) for level in domain.levels])
    return [part.tolist() for part in np.split(domain.tree.cost, ends[:-1])]


def _whole_prices(prices: NDArray[np.float64], classes: BoundedClasses, columns: int) -> tuple[int, list[int]]:
    """Round prices down to whole numbers of a unit, by as much as the checker's losses may be rounded down."""
    most = max(1.0, float(prices.max(initial=0.0)))
    shares = classes.k * (1 if classes.l is None else classes.l.numerator)
    unit = next((unit for unit in UNITS if shares * most * unit < LARGEST / 2), UNITS[-1])
    lowered = 2 * classes.k * columns
    return unit, [max(0, price - lowered) for price in np.floor(prices * unit).astype(np.int64).tolist()]


def _digest_of_rows(table: pa.Table, numbers: Collection[str]) -> str:
    """A digest of the rows: of texts, and of the exact values of numbers as fractions."""
    columns = [_stated(column, name in numbers) for name, column in zip(table.column_names, table.columns, strict=True)]
    state = hashlib.sha256()
    for row in zip(*columns, strict=True):
        state.update(f"{json.dumps(row)}\n".encode())
    return state.hexdigest()


def _stated(column: pa.ChunkedArray, is_number: bool) -> list[str | None]:
    if not is_number:
        return column.cast(pa.string()).to_pylist()
    coded = column.combine_chunks().dictionary_encode()
    known = [str(Fraction(value)) for value in coded.dictionary.to_pylist()]
    return [None if code is None else known[code] for code in coded.indices.to_pylist()]
