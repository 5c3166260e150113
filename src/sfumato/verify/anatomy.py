"""Verification of an anatomized release from its two tables: people by group, and the counts of values by group.

The rule: both tables have the same groups of the same sizes, and no value makes up more than 1/l of a group. Then an
attacker who finds a person's row infers that person's value with a probability of at most 1/l.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import DataError, SchemaError, VerificationError, listed
from sfumato.verify.classes import Coded, Histogram, code_column, group_rows
from sfumato.verify.interpretations import INTERPRETATIONS, seen_through
from sfumato.verify.models import (
    RuleFinding,
    SensitiveCounts,
    check_diversity,
    distinct_l,
    entropy_l,
    equal_distances,
    frequency_l,
)
from sfumato.verify.reading import read_written
from sfumato.verify.verification import Achieved, RuleCheck, SensitiveAchieved, Verification


@dataclass(frozen=True)
class TwoTables:
    """People with their groups, and the values of every group.

    Attributes
    ----------
    people
        One row per person: exact quasi-identifiers and a group.
    values
        One row per group and sensitive value, with the number of people who have it.
    quasi_identifiers
        The columns of ``people`` that an attacker may know.
    sensitive, group, count
        The names of the other columns.
    """

    people: pa.Table
    values: pa.Table
    quasi_identifiers: Sequence[str]
    sensitive: str
    group: str = "group"
    count: str = "count"

    def __post_init__(self) -> None:
        asked = {"people": [*self.quasi_identifiers, self.group], "values": [self.group, self.sensitive, self.count]}
        for table, names in asked.items():
            there = getattr(self, table).column_names
            lacking = [name for name in names if there.count(name) != 1]
            if lacking:
                raise SchemaError(f"The table of {table} does not have {listed(lacking)} once. It has {listed(there)}.")


def verify_anatomy(tables: TwoTables, l: float) -> Verification:  # noqa: E741
    """Recompute the promise of two tables.

    Parameters
    ----------
    tables
        The tables as they are published.
    l
        No value may make up more than 1/l of a group.

    Examples
    --------
    >>> people = pa.table({"age": [23, 31], "group": [1, 1]})
    >>> values = pa.table({"group": [1, 1], "illness": ["flu", "ulcer"], "count": [1, 1]})
    >>> print(verify_anatomy(TwoTables(people, values, ["age"], "illness"), 2).summary())
    Verified: 2 rows in 1 class
    groups that differ between the tables: holds, found 0
    l-diversity l=2 (frequency) of 'illness': holds, lowest 2
    Note: Somebody looks like nobody else (k=1): whoever knows their quasi-identifiers finds their row.
    """
    heads, sizes, histogram, values = _count(tables)
    agree = RuleCheck(
        "groups that differ between the tables",
        None,
        0,
        float((heads != sizes).sum()),
        "found",
        int((heads != sizes).sum()),
    )
    column = SensitiveCounts(tables.sensitive, values, histogram)
    finding = check_diversity({"l": l}, column)
    alike = group_rows(code_column(name, tables.people.column(name)) for name in tables.quasi_identifiers)
    found = int(alike.sizes.min()) if len(alike) else None
    return Verification(
        rows=tables.people.num_rows,
        classes=int((heads > 0).sum()),
        achieved=Achieved(found, {tables.sensitive: _achieved(histogram)}),
        checks=(agree, _judged(finding)),
    )


def verify_files(paths: Sequence[tuple[Path, str]], tables: TwoTables, l: float) -> Verification:  # noqa: E741
    """Verify two files that were just written, each a path and a format, for every program that reads them.

    Raises
    ------
    VerificationError
        If a file lacks rows, or if a program confuses values so that the rule is broken.
    """
    given = (tables.people, tables.values)
    columns = ([*tables.quasi_identifiers, tables.group], [tables.group, tables.sensitive, tables.count])
    people, values = (
        read_written(path, form, table.column_names, names)
        for (path, form), table, names in zip(paths, given, columns, strict=True)
    )
    read = replace(tables, people=people, values=values)
    seen = [read]
    for reading in INTERPRETATIONS.get(paths[1][1], ()):
        as_seen, merged = seen_through(reading, values)
        seen += [replace(read, values=as_seen)] if merged else []
    found = [verify_anatomy(one, l) for one in seen]
    lost = people.num_rows != tables.people.num_rows or values.num_rows != tables.values.num_rows
    broken = next((one for one in found if not one.ok), None)
    if lost or broken is not None:
        raise VerificationError(
            "The files do not keep what was promised, as they are or for readers who confuse missing values and words "
            "such as NA. Nothing was written. Replace such values in the table, or write Parquet.\n"
            + ("" if broken is None else broken.broken_rules())
        )
    return found[0]


def _count(tables: TwoTables) -> tuple[NDArray[np.int64], NDArray[np.int64], Histogram, pa.Array]:
    """The number of people and of values of every group, and how often it has each value."""
    names = [part.column(tables.group).cast(pa.string()) for part in (tables.people, tables.values)]
    groups = code_column(tables.group, pa.chunked_array([chunk for one in names for chunk in one.chunks], pa.string()))
    if (groups.codes == len(groups.values)).any():
        raise DataError(f"Column '{tables.group}' has rows without a group. Every row needs one.")
    of_person, of_value = np.split(groups.codes, [tables.people.num_rows])
    counts = _whole_numbers(tables.count, tables.values.column(tables.count))
    coded = code_column(tables.sensitive, tables.values.column(tables.sensitive))
    heads = np.bincount(of_person, minlength=len(groups.values))
    sizes = np.bincount(of_value, counts, len(groups.values)).astype(np.int64)
    histogram = _histogram(of_value.astype(np.int64), counts, coded, heads, sizes)
    return heads, sizes, histogram, coded.values


def _histogram(
    of_value: NDArray[np.int64],
    counts: NDArray[np.int64],
    coded: Coded,
    heads: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> Histogram:
    """Sum the counts of every group and value; groups without values are left to the other rule."""
    cells, where = np.unique(of_value * coded.size + coded.codes, return_inverse=True)
    totals = np.minimum(np.bincount(where, counts, len(cells)), np.iinfo(np.int32).max).astype(np.int32)
    group, value = np.divmod(cells, coded.size)
    named, place = np.unique(group, return_inverse=True)
    shares = np.bincount(coded.codes, counts, coded.size) / max(1, int(counts.sum()))
    # A group with fewer values than people is judged by the smaller number.
    least = np.minimum(heads, sizes)[named]
    return Histogram(place.astype(np.int32), value.astype(np.int32), totals, sizes[named], shares, least)


def _whole_numbers(name: str, column: pa.ChunkedArray) -> NDArray[np.int64]:
    try:
        numbers = column.cast(pa.int64())
    except pa.ArrowInvalid:
        numbers = None
    if numbers is None or numbers.null_count or (numbers.to_numpy() < 1).any():
        raise DataError(f"Column '{name}' must hold whole numbers of at least 1: how many people have the value.")
    found: NDArray[np.int64] = numbers.to_numpy()
    return found


def _judged(finding: RuleFinding) -> RuleCheck:
    worst = float(finding.found.min()) if len(finding.found) else None
    return RuleCheck(finding.rule, finding.column, finding.asked, worst, finding.measures, int((~finding.holds).sum()))


def _achieved(histogram: Histogram) -> SensitiveAchieved:
    if not len(histogram.sizes):
        return SensitiveAchieved(None, None, None, None)
    return SensitiveAchieved(
        distinct_l=int(distinct_l(histogram).min()),
        entropy_l=float(entropy_l(histogram).min()),
        frequency_l=float(frequency_l(histogram).min()),
        t=float(equal_distances(histogram).max()),
    )
