"""Conditions on a release as a whole, as the verifier defines them: mean risk, uniques, and who in a population fits.

People of a population are matched with the shown cells one column at a time, every value with every cell.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import DataError, ParameterError, SchemaError, listed, shortened
from sfumato.verify.classes import Classes, code_column, group_rows
from sfumato.verify.estimates import ESTIMATED, expected_uniques
from sfumato.verify.models import TOLERANCE, RuleFinding
from sfumato.verify.spans import DAY, STRETCHES, WEEK, YEAR, Labels, is_open
from sfumato.verify.spans import position as position_of

#: Pairs of people and classes compared at a time.
PAIRS = 1 << 24
EPOCH = dt.date(1970, 1, 1)

Fits = Callable[[str], bool]

#: Cached, since every value is compared with every cell.
position = lru_cache(1 << 16)(position_of)


def check_average(requirement: Mapping[str, Any], classes: Classes) -> RuleFinding:
    """Check the mean risk: the number of classes divided by the number of people."""
    asked = parameters.share("average-risk", "limit", requirement.get("limit"))
    people = int(classes.heads.sum())
    return _about_all(f"average risk {asked:g}", asked, "mean risk", len(classes) / max(1, people), classes)


def check_uniques(requirement: Mapping[str, Any], classes: Classes) -> RuleFinding:
    """Check the share of people who are alone in their class."""
    asked = parameters.share("unique-share", "limit", requirement.get("limit"))
    alone = np.count_nonzero(classes.heads == 1) / max(1, int(classes.heads.sum()))
    return _about_all(f"unique share {asked:g}", asked, "share", alone, classes)


def _about_all(rule: str, asked: float, measures: str, found: float, classes: Classes) -> RuleFinding:
    holds = found <= asked + TOLERANCE
    everywhere = np.full(len(classes), found)
    return RuleFinding(rule, None, asked, measures, everywhere, np.full(len(classes), holds), least_is_worst=False)


def check_k_map(requirement: Mapping[str, Any], table: pa.Table, shown: Sequence[str], classes: Classes) -> RuleFinding:
    """Check that at least ``k`` people of the population fit every class."""
    k = parameters.integer("k-map", "k", requirement.get("k"), at_least=1)
    fitting = fitting_people(requirement, table, shown, classes).astype(np.float64)
    return RuleFinding(f"k-map k={k}", None, k, "fewest people who fit", fitting, fitting >= k)


def check_presence(
    requirement: Mapping[str, Any], table: pa.Table, shown: Sequence[str], classes: Classes
) -> RuleFinding:
    """Check δ-presence: the share of the people who fit a class that is in it."""
    low = parameters.share("delta-presence", "low", requirement.get("low"))
    high = parameters.share("delta-presence", "high", requirement.get("high"))
    if low > high or high == 0:
        raise ParameterError("No table keeps delta-presence whose 'high' is 0 or below its 'low'.")
    fitting = fitting_people(requirement, table, shown, classes)
    found = np.divide(classes.heads, fitting, out=np.full(len(classes), np.inf), where=fitting > 0)
    holds = (found >= low - TOLERANCE) & (found <= high + TOLERANCE)
    rule = f"delta-presence {low:g} to {high:g}"
    return RuleFinding(rule, None, high, "largest share", found, holds, least_is_worst=False)


def check_marketer(
    requirement: Mapping[str, Any], table: pa.Table, shown: Sequence[str], classes: Classes
) -> RuleFinding:
    """Check the marketer risk: the mean over people of 1 / (number of people in the population who fit their class)."""
    asked = parameters.share("marketer-risk", "limit", requirement.get("limit"))
    fitting = np.maximum(fitting_people(requirement, table, shown, classes), classes.heads)
    mean = float(np.sum(classes.heads / fitting)) / max(1, int(classes.heads.sum()))
    return _about_all(f"marketer risk {asked:g}", asked, "mean risk", mean, classes)


def check_population_uniques(
    requirement: Mapping[str, Any], table: pa.Table, shown: Sequence[str], classes: Classes
) -> RuleFinding:
    """Check how many people are unique in the population, counted in its table or estimated from its size."""
    asked = parameters.share("population-uniques", "limit", requirement.get("limit"))
    people, given = int(classes.heads.sum()), requirement.get("population")
    rule = f"population uniques {asked:g}"
    if isinstance(given, int | float):
        size = max(people / given if given < 1 else given, people)
        share = expected_uniques(classes.heads, float(size)) / max(size, 1.0)
        return _about_all(rule, asked * (1 + ESTIMATED), "expected share", share, classes)
    fitting = np.maximum(fitting_people(requirement, table, shown, classes), classes.heads)
    return _about_all(rule, asked, "share", np.count_nonzero(fitting == 1) / max(1, people), classes)


def fitting_people(
    requirement: Mapping[str, Any], table: pa.Table, shown: Sequence[str], classes: Classes
) -> NDArray[np.int64]:
    """The number of people in the population who fit what every class shows."""
    population = requirement.get("population")
    if not isinstance(population, pa.Table):
        raise SchemaError(f"Checking {requirement['model']} needs the table of the population.")
    lacking = [name for name in shown if name not in population.column_names]
    if lacking:
        raise SchemaError(
            f"The population has no column {listed(lacking)}. Checking {requirement['model']} needs every "
            "quasi-identifier, shown as text."
        )
    people = [code_column(name, population.column(name)) for name in shown]
    looks = group_rows(people)
    rows = looks.first_rows
    cells = [code_column(name, table.column(name)) for name in shown]
    taxonomies, labels, orders = (requirement.get(one) or {} for one in ("taxonomies", "labels", "orders"))
    inside = [
        _inside(name, values.values, cell.values, taxonomies.get(name), labels.get(name) or {}, orders.get(name, ()))
        for name, values, cell in zip(shown, people, cells, strict=True)
    ]
    counts = np.zeros(len(classes), np.int64)
    step = max(1, PAIRS // max(1, len(looks)))
    for begin in range(0, len(classes), step):
        some = classes.first_rows[begin : begin + step]
        fits = np.ones((len(rows), len(some)), bool)
        for values, cell, known in zip(people, cells, inside, strict=True):
            fits &= known[values.codes[rows]][:, cell.codes[some]]
        counts[begin : begin + step] = looks.sizes @ fits
    return counts


def _inside(
    name: str, values: pa.Array, cells: pa.Array, taxonomy: Any, labels: Labels, order: Sequence[str]
) -> NDArray[np.bool_]:
    """Which cells every value fits; the last row is a missing value, the last column an empty cell."""
    texts = values.cast(pa.string()).to_pylist()
    above = {str(row[0]): {str(label) for label in row} for row in taxonomy or ()}
    fits = np.zeros((len(texts) + 1, len(cells) + 1), bool)
    for at, cell in enumerate(cells.cast(pa.string()).to_pylist()):
        if cell == "*":
            fits[:, at] = True
            continue
        test = _by_order(cell, order) or _test(cell, above, labels)
        same = _same_value(cell, values.type)
        fits[:-1, at] = [text == cell or test(text) or same(text) for text in texts]
        if not fits[:, at].any() and not _is_known(cell, above):
            raise DataError(f"Column '{name}': nobody can tell who fits {shortened(cell)}. Give its taxonomy.")
    fits[-1, -1] = True  # a missing value fits an empty cell
    return fits


def _same_value(cell: str, kind: pa.DataType) -> Fits:
    """The test whether a number or a moment is the value that a cell shows, however either is written.

    Text is compared as it is written: ``1`` and ``01`` are two codes. A day fits every moment of that day.
    """
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_boolean(kind)
    at = None if is_text else position(cell)
    if at is None:
        return lambda _: False
    reach = 1 if pa.types.is_timestamp(kind) and DAY.fullmatch(cell) else 0
    return lambda text: (place := position(text)) is not None and (at == place or at <= place < at + reach)


def _is_known(cell: str, above: Mapping[str, set[str]]) -> bool:
    """Whether a cell that no value fits can be interpreted."""
    stands_in_tree = any(cell in labels for labels in above.values())
    shown = _ends(cell) or _open_end(cell) or _around(cell)
    return shown is not None or cell.endswith("*") or stands_in_tree or not above


def _test(cell: str, above: Mapping[str, set[str]], labels: Labels) -> Fits:
    """The test whether a value fits a cell."""
    ends = _ends(cell) or _open_end(cell) or _around(cell)
    if cell in labels and ends is None:
        low, high = (None if end is None else position(end) for end in labels[cell])
        ends = low, high, True
    if ends is not None:
        return _between(*ends)
    members = cell[1:-1].split(", ") if cell[:1] == "{" and cell[-1:] == "}" else []
    if members:
        return lambda text: text == cell or text in members
    if cell.endswith("*"):
        prefix = cell.rstrip("*")
        return lambda text: text.startswith(prefix)
    return lambda text: text == cell or cell in above.get(text, ()) or _within(text, cell)


def _by_order(cell: str, order: Sequence[str]) -> Fits | None:
    """The test whether a value lies between two values of a declared order, if the cell shows such an interval."""
    rank = {value: at for at, value in enumerate(order)}
    parts = cell[1:-1].split(", ") if cell[:1] == "[" and cell[-1:] == "]" else []
    for at in range(1, len(parts)):  # a value may have a comma in it
        low, high = rank.get(", ".join(parts[:at])), rank.get(", ".join(parts[at:]))
        if low is not None and high is not None:
            return lambda text, low=low, high=high: low <= rank.get(text, -1) <= high  # type: ignore[misc]
    return (lambda text: text == cell) if cell in rank else None


def _between(low: Fraction | None, high: Fraction | None, closed: bool) -> Fits:
    """The test whether a number or a date lies between two ends, either of which may be open."""

    def fits(text: str) -> bool:
        place = position(text)
        if place is None or (low is not None and place < low):
            return False
        return high is None or (place <= high if closed else place < high)

    return fits


def _open_end(cell: str) -> tuple[Fraction | None, Fraction | None, bool] | None:
    """What ``90+`` and ``<18`` mean."""
    if not is_open(cell, position):
        return None
    return (position(cell[:-1]), None, False) if cell.endswith("+") else (None, position(cell[1:]), False)


def _around(cell: str) -> tuple[Fraction, Fraction, bool] | None:
    """What ``40±5`` means: halves are rounded upward."""
    middle, sign, half = (part.strip() for part in cell.partition("±"))
    at, reach = (position(middle), position(half)) if sign else (None, None)
    return None if at is None or reach is None else (at - reach, at + reach, False)


def _ends(cell: str) -> tuple[Fraction, Fraction, bool] | None:
    """The ends of an interval, and whether the upper one belongs to it."""
    if cell[:1] != "[" or cell[-1:] not in {"]", ")"}:
        return None
    low, _, high = cell[1:-1].partition(", ")
    first, last = position(low), position(high)
    return None if first is None or last is None else (first, last, cell.endswith("]"))


def _within(text: str, stretch: str) -> bool:
    """Whether an ISO date lies in a month, a quarter, a year or a decade."""
    week = WEEK.fullmatch(stretch)
    if week and (day := position(text)) is not None:
        return bool(0 <= day - (dt.date.fromisocalendar(int(week[1]), int(week[2]), 1) - EPOCH).days < 7)
    if not any(pattern.fullmatch(stretch) for pattern, _ in (*STRETCHES, (YEAR, 12))) or text[4:5] != "-":
        return False
    if stretch.endswith("s"):
        return text[:3] == stretch[:3]
    if "Q" in stretch:
        return text[:4] == stretch[:4] and (int(text[5:7]) + 2) // 3 == int(stretch[-1])
    return text.startswith(f"{stretch}-")
