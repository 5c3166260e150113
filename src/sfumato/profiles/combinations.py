"""Search for columns that single people out together: each column is extended by its best partner.

Trying all subsets of thirty columns would take a billion counts; the search takes a few thousand, on a sample of
large tables. What it finds is then counted in the whole table.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions.rows_view import count_unique, fingerprints
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.risk.drivers import Combination, DistinctLooks
from sfumato.assess.risk.people import PeopleByClass
from sfumato.common.grouping import CodedColumn, group_rows
from sfumato.common.progress import Tell, silent

Places = tuple[int, ...]

#: The most rows that are searched; a larger table is sampled.
SEARCHED_ROWS = 20_000
#: The most columns of a combination.
MOST_COLUMNS = 3
#: The most combinations that are reported.
SHOWN = 10
#: A part of a combination that singles out this share of its people is reported in its place.
NEARLY_AS_MANY = 0.8
#: The most columns that are searched: those that single out most by themselves.
MOST_SEARCHED = 40


@dataclass(frozen=True)
class Singling:
    """Columns that single people out together.

    Attributes
    ----------
    columns
        The columns.
    unique
        The number of rows with unique values in these columns, counted in the whole table; or of people, where they
        have several rows, of whom some row looks like nobody else's.
    share
        The same as a share of the rows, or of the people.
    """

    columns: tuple[str, ...]
    unique: int
    share: float


@dataclass(frozen=True)
class Searched:
    """What the search found.

    Attributes
    ----------
    found
        The combinations that single most people out, the worst first.
    with_others
        For every column that was searched, the share of rows that the best combination with it singles out.
    rows, counted
        The number of rows searched, and of combinations counted in them.
    """

    found: tuple[Singling, ...] = ()
    with_others: Mapping[str, float] = field(default_factory=dict)
    rows: int = 0
    counted: int = 0


def search(columns: Sequence[ColumnCounts], seed: int = 0, tell: Tell = silent) -> Searched:
    """Search for combinations of up to three columns that single people out."""
    taking = [facts for facts in columns if facts.different > 1]
    taking = sorted(taking, key=lambda facts: -facts.different)[:MOST_SEARCHED]
    if len(taking) < 2:
        return Searched(rows=0 if not taking else taking[0].rows)
    rows = sampled(taking[0].rows, seed)
    looks = looks_of(taking, rows)
    known: dict[Places, Combination] = {}

    def measure(places: Places) -> Combination:
        if places not in known:
            known[places] = Combination.of(looks, places)
        return known[places]

    best: dict[str, Places] = {}
    for start in range(len(taking)):
        best[taking[start].name] = _grown(start, len(taking), measure)
        tell((start + 1) / len(taking))
    return Searched(
        found=_counted(known, taking),
        with_others={name: measure(places).unique for name, places in best.items()},
        rows=len(rows),
        counted=len(known),
    )


def _grown(start: int, count: int, measure: Callable[[Places], Combination]) -> Places:
    """Extend a column by the partner that singles out most people, until the combination is full."""
    chosen: Places = (start,)
    measure(chosen)
    while len(chosen) < min(MOST_COLUMNS, count):
        larger = [tuple(sorted((*chosen, other))) for other in range(count) if other not in chosen]
        chosen = max(larger, key=lambda places: (measure(places).unique, measure(places).separation))
    return chosen


def _counted(known: Mapping[Places, Combination], columns: Sequence[ColumnCounts]) -> tuple[Singling, ...]:
    """Count the worst combinations in the whole table; one that holds another about as bad adds nothing."""
    ranked = sorted(known, key=lambda places: (-known[places].unique, len(places)))
    told = [places for places in ranked if len(places) > 1 and known[places].unique and not _adds_little(places, known)]
    found = [singling([columns[at] for at in places]) for places in told[:SHOWN]]
    return tuple(sorted(found, key=lambda one: (-one.unique, len(one.columns))))


def _adds_little(places: Places, known: Mapping[Places, Combination]) -> bool:
    """Whether fewer of the columns single out nearly as many people."""
    fewer = (part for size in range(1, len(places)) for part in itertools.combinations(places, size))
    most = max((known[part].unique for part in fewer if part in known), default=0.0)
    return most >= NEARLY_AS_MANY * known[places].unique


def singling(columns: Sequence[ColumnCounts], person: ColumnCounts | None = None) -> Singling:
    """Count the rows that are unique in some columns together; with the column that names them, the people."""
    names = tuple(facts.name for facts in columns)
    if person is not None:
        unique, people = _people_alone(columns, person)
        return Singling(names, unique, unique / max(1, people))
    unique = count_unique(fingerprints(facts.codes.astype(np.int64) + 1 for facts in columns))
    return Singling(names, unique, unique / max(1, columns[0].rows))


def _people_alone(columns: Sequence[ColumnCounts], person: ColumnCounts) -> tuple[int, int]:
    """Count the people with a row that looks like no row of others, and all people; a row without a name is one."""
    whose = person.codes.astype(np.int64)
    unnamed = whose < 0
    whose[unnamed] = person.different + np.arange(int(unnamed.sum()))
    of_row = group_rows([_coded(facts) for facts in columns]).of_row
    owner = np.zeros(int(of_row.max(initial=-1)) + 1, np.int64)
    owner[of_row] = whose
    shared = np.zeros(len(owner), bool)
    shared[of_row[owner[of_row] != whose]] = True
    alone = np.zeros(int(whose.max(initial=-1)) + 1, bool)
    alone[whose[~shared[of_row]]] = True
    return int(np.count_nonzero(alone)), len(alone)


def sampled(rows: int, seed: int) -> NDArray[np.int64]:
    """Choose the rows that are searched."""
    if rows <= SEARCHED_ROWS:
        return np.arange(rows)
    return np.sort(np.random.default_rng(seed).choice(rows, SEARCHED_ROWS, replace=False))


def looks_of(columns: Sequence[ColumnCounts], rows: NDArray[np.int64]) -> DistinctLooks:
    """Group the searched rows by their values, every row a person."""
    coded = [_coded(facts, rows) for facts in columns]
    people = PeopleByClass(tuple(coded), group_rows(coded))
    return DistinctLooks.of([facts.name for facts in columns], people)


def _coded(facts: ColumnCounts, rows: NDArray[np.int64] | slice = slice(None)) -> CodedColumn:
    """The codes of some rows as those of a column, with missing values as the last one."""
    codes = facts.codes[rows].astype(np.int32)
    return CodedColumn(pa.nulls(facts.different), np.where(codes < 0, facts.different, codes).astype(np.int32))
