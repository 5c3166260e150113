"""Cautions about several rows per person, where k rows are not k people, and about pseudonyms that link them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.cautions.caution import CautionFinding, after, before, quoted, share
from sfumato.assess.cautions.rows_view import RowsView, fingerprints, mark_counts
from sfumato.assess.cautions.view import ReleaseView, RequestView
from sfumato.assess.meaning.persons import CountedColumn, PersonFound, find_person, lasting, may_be_person
from sfumato.common.rows import stretches
from sfumato.common.threads import side_by_side


@before("pseudonyms", about="pseudonyms")
def pseudonyms(view: RequestView) -> Iterator[CautionFinding]:
    """Warn that pseudonyms link the rows of a person."""
    for name, rows in view.pseudonyms.items():
        linked = (
            f"up to {rows:,} rows of one person can be put together, and tell more of them than each row does. "
            "Models count those whom the pseudonyms stand for, not rows; but they look at each row's class, not at all "
            "rows of a person at once."
        )
        single = "whoever gets the key or the table finds everybody. It is personal data as long as that exists."
        yield CautionFinding(
            "warning" if rows > 1 else "note",
            (name,),
            rows,
            f"{quoted(name)} is released as pseudonyms: {linked if rows > 1 else single}",
            "Leave it out unless somebody needs to link rows; keep key and table apart from the release.",
        )


@after("several-rows-per-person", by_rows=True)
def several_rows_per_person(view: ReleaseView) -> Iterator[CautionFinding]:
    """Count the classes with fewer than k persons, if a dropped identifier repeats and stands for persons."""
    assert isinstance(view, RowsView)
    keys = [CountedColumn(name, codes) for name, codes in view.identifiers.items() if _repeats(codes)]
    if not keys:
        return
    known = [
        CountedColumn.of(one.name, one.codes, one.values) for one in view.columns.values() if one.codes is not None
    ]
    attributes = lasting(known)
    found = find_person(keys, attributes)
    if found is None and not attributes:
        found = may_be_person(CountedColumn(*next(iter(view.identifiers.items()))))
    if found is None:
        return
    counts = persons_per_class(view.identifiers[found.name], view.visible)
    few = int(np.count_nonzero(counts < view.k))
    if few:
        yield CautionFinding("warning", (found.name,), few, *_few_persons(found, share(few, len(counts)), view.k))


def _repeats(codes: NDArray[np.integer]) -> bool:
    return int(codes.max(initial=-1)) + 1 < int(np.count_nonzero(codes >= 0))


def _few_persons(found: PersonFound, few: str, k: int) -> tuple[str, str]:
    """What was found, and what to do: a question where neither attributes nor the name say what a column stands for."""
    declare = f"declare the column as person={found.name!r}"
    repeats = f"The dropped identifier {quoted(found.name)} repeats"
    if not found.constant and not found.by_name:
        return (
            f"{repeats}, in {found.rows:,} rows with {found.people:,} values, and {few} classes hold fewer than k={k} "
            "different ones.",
            f"Does it stand for people? Then {declare}: k counts rows.",
        )
    return (
        f"{repeats}: {found.rows:,} rows seem to belong to {found.people:,} persons ({found.reason}), and {few} "
        f"classes hold fewer than k={k} different ones.",
        f"k counts rows: {declare}, so that people are counted.",
    )


#: With fewer different rows, all of them may well occur an even number of times by chance.
FEWEST_REPEATED = 10

#: One in so many different rows is looked at first.
SOME_MARKS = 64


@after("repeated-rows", by_rows=True)
def repeated_rows(view: ReleaseView) -> Iterator[CautionFinding]:
    """Find a table in which all rows are there several times over, so that everybody counts several times."""
    columns = [one.codes for one in view.columns.values() if one.codes is not None]
    if view.counts_people or not columns:
        return
    marks = fingerprints([*columns, *view.identifiers.values()])
    # All rows that equal one of these are among these: in most tables they show that nothing is repeated.
    some = side_by_side(lambda part: _drawn(marks[slice(*part)]), stretches(len(marks)))
    if np.gcd.reduce(mark_counts(np.concatenate(some))) == 1:
        return
    counts = mark_counts(marks)
    times = int(np.gcd.reduce(counts)) if len(counts) >= FEWEST_REPEATED else 1
    if times > 1:
        yield CautionFinding(
            "warning",
            (),
            len(counts),
            f"Every row occurs at least {times} times, and always a multiple of {times} times: the table seems to hold "
            "everybody several times, and k counts all of them.",
            "Read each file once, or leave out the copies, unless they are about different people.",
        )


def _drawn(marks: NDArray[np.uint64]) -> NDArray[np.uint64]:
    return marks[marks % SOME_MARKS == 0]


def persons_per_class(persons: NDArray[np.integer], classes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Count the distinct persons in every class; a row without a name counts as a separate person."""
    released = classes >= 0
    groups, codes = classes[released].astype(np.int64), persons[released].astype(np.int64)
    nameless = codes < 0
    codes[nameless] = codes.max(initial=-1) + 1 + np.arange(np.count_nonzero(nameless))
    size = int(codes.max(initial=0)) + 1
    # Sorting is much faster here than NumPy's hash-based search for distinct numbers.
    pairs = np.sort(groups * size + codes)
    distinct = pairs[np.append(True, pairs[1:] != pairs[:-1])] if len(pairs) else pairs
    return np.bincount(distinct // size, minlength=int(groups.max(initial=-1)) + 1)
