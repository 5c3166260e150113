"""Tables as plain arrays, read by code of their own: values from the least on, and what a range of them loses.

Values of a category are numbered as a walk through its tree meets them, so the least common ancestor of a set is that
of its least and its greatest value: one matrix per attribute has the loss (NCP) of every range.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import sfumato as sf

Ints = npt.NDArray[np.int64]
Reals = npt.NDArray[np.float64]

#: The folder with Adult and its hierarchy files, as the other experiments find it.
ADULT = Path(os.environ.get("SFUMATO_ADULT", Path(__file__).parents[3] / "shared" / "data" / "adult"))

#: Section 4.1 of the Incognito paper: its attributes in their order.
NINE = ("age", "sex", "race", "marital-status", "education", "native-country", "workclass", "occupation")


@dataclass(frozen=True)
class Attribute:
    """The values of an attribute as numbers from 0, the loss of each range, its ends as shown, and its levels."""

    codes: Ints
    loss: Reals
    first: Ints
    last: Ints
    levels: tuple[Ints, ...] = ()

    @property
    def size(self) -> int:
        """How many values it may have."""
        return len(self.loss)


def number(values: Sequence[int] | Ints, levels: tuple[Ints, ...] = ()) -> Attribute:
    """Make an attribute of numbers: a range loses its width by that of the whole column."""
    column = np.asarray(values, np.int64)
    codes, at = column - column.min(), np.arange(np.ptp(column) + 1)
    first, last = np.meshgrid(at, at, indexing="ij")
    return Attribute(codes, (last - first) / max(1, len(at) - 1), first, last, levels)


def category(values: Sequence[str], rows: Sequence[Sequence[str]]) -> Attribute:
    """Make an attribute with a tree, given by a row for each value: it, then its ancestors up to the root.

    Values that nobody has are left out: the paper counts the distinct values of the attribute.
    """
    seen: dict[tuple[str, ...], int] = {}
    there = set(values)
    paths = [tuple(reversed(row)) for row in rows if row[0] in there]
    for path in paths:
        for depth in range(1, len(path) + 1):
            seen.setdefault(path[:depth], len(seen))
    walk = sorted(paths, key=lambda path: [seen[path[:depth]] for depth in range(1, len(path) + 1)])
    place = {path[-1]: at for at, path in enumerate(walk)}
    size = len(walk)
    loss, first, last = np.zeros((size, size)), np.zeros((size, size), np.int64), np.zeros((size, size), np.int64)
    for depth in range(len(walk[0]) + 1):  # from the root down: deeper ancestors overwrite
        for node in {path[:depth] for path in walk}:
            below = [at for at, path in enumerate(walk) if path[:depth] == node]
            here = slice(below[0], below[-1] + 1)
            loss[here, here] = len(below) / size if len(below) > 1 else 0.0
            first[here, here], last[here, here] = below[0], below[-1]
    levels = []
    for depth in range(len(walk[0]), 0, -1):
        names = [path[:depth] for path in walk]
        levels.append(np.array([sorted(set(names)).index(name) for name in names]))
    return Attribute(np.array([place[value] for value in values]), loss, first, last, tuple(levels))


@cache
def adult(rows: int = 30_162) -> dict[str, Attribute]:
    """Adult with its hierarchy files; ages are numbers with levels of 5, 10 and 20 years."""
    name = "adult.csv" if rows == 30_162 else f"adult-{rows}.csv"
    with (ADULT / name).open(encoding="utf-8", newline="") as file:
        people = list(csv.DictReader(file, delimiter=";"))
    made = {}
    for column in people[0]:
        with (ADULT / f"adult_hierarchy_{column}.csv").open(encoding="utf-8", newline="") as file:
            tree = list(csv.reader(file, delimiter=";"))
        values = [row[column] for row in people]
        if column == "age":
            ages = np.array([int(value) for value in values])
            whole = np.arange(ages.min(), ages.max() + 1)
            made[column] = number(ages, tuple(whole // width for width in (1, 5, 10, 20, 1000)))
        else:
            made[column] = category(values, tree)
    return made


def coded(dataset: Any, attributes: Sequence[str]) -> list[Attribute]:
    """Attributes of a generated table by the trees that it is published with."""
    made = []
    for name in attributes:
        values = dataset.table.column(name).to_pylist()
        if isinstance(values[0], str):
            flat = [(value, "*") for value in sorted(set(values))]  # all or nothing
            made.append(category(values, getattr(dataset.hierarchies[name], "rows", flat)))
        else:
            made.append(number(values))
    return made


def drawn(attributes: int, distribution: str, seed: int, sigma: float = 0.2) -> list[Attribute]:
    """A synthetic table of the Mondrian paper (Section 6.1): 10,000 rows, 8 values, binary trees."""
    table = sf.datasets.discrete(10_000, attributes, 8, distribution, sigma=sigma, seed=seed).table
    halved = tuple(np.arange(8) >> level for level in range(4))
    return [Attribute(*_plain(table.column(name).to_numpy()), halved) for name in table.column_names]


def _plain(values: Ints) -> tuple[Ints, Reals, Ints, Ints]:
    """What a number from 0 to 7 is, whether or not the ends occur."""
    at = np.arange(8)
    first, last = np.meshgrid(at, at, indexing="ij")
    return values.astype(np.int64), (last - first) / 7, first, last


@cache
def census(rows: int) -> tuple[list[Attribute], Ints]:
    """The made-up census: its seven attributes, and occupations as numbers."""
    people = sf.datasets.census(rows, seed=1)
    jobs = people.table.column("occupation").to_pylist()
    names = {job: at for at, job in enumerate(sorted(set(jobs)))}
    return coded(people, people.quasi_identifiers), np.array([names[job] for job in jobs])


def matrix(attributes: Sequence[Attribute]) -> Ints:
    """A row per person, a column per attribute."""
    return np.stack([attribute.codes for attribute in attributes], axis=1)


def gcp(attributes: Sequence[Attribute], classes: Ints) -> float:
    """The global certainty penalty (Section 2.1 of the fast-anonymization paper) of a class for every row."""
    order = np.argsort(classes, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(classes[order]) != 0])
    sizes = np.diff(np.r_[starts, len(order)])
    total = 0.0
    for attribute in attributes:
        codes = attribute.codes[order]
        low, high = np.minimum.reduceat(codes, starts), np.maximum.reduceat(codes, starts)
        total += float((sizes * attribute.loss[low, high]).sum())
    return total / (len(attributes) * len(order))


def dm(classes: Ints) -> float:
    """The discernibility metric: the sum of squares of class sizes."""
    return float((np.unique(classes, return_counts=True)[1].astype(float) ** 2).sum())
