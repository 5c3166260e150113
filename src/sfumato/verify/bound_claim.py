"""What a bound file states, read strictly: a file that contradicts itself is refused before anything is computed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from sfumato.errors import DataError
from sfumato.verify.kernels.overpriced import Shares

#: The version of the file, which is also its first key.
FORMAT, VERSION = "sfumato_bound", 1

#: A figure as text; longer ones, and larger exponents, would take forever to compute with.
FIGURE = re.compile(
    r"[+-]?(\d{1,1000}(/\d{1,1000})?|(\d{1,1000}\.?\d{0,1000}|\.\d{1,1000})([eE][+-]?\d{1,3})?)", re.ASCII
)

NOT_A_BOUND = (
    "This is not a bound file, or a damaged one. Write one with sf.write_bound(release, FILE), or on the command line "
    "with sfumato anonymize ... --bound FILE."
)


@dataclass(frozen=True)
class ColumnClaim:
    """How one quasi-identifier generalizes: by intervals, or in a tree with these values and groups."""

    name: str
    weight: Fraction
    leaves: Sequence[str | None] | None
    levels: Sequence[Sequence[int]]
    losses: Sequence[Sequence[Fraction]]
    places: Mapping[str, Fraction] | None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> ColumnClaim:
        """Read a record."""
        name, weight = _text(record["name"]), _fraction(record["weight"])
        if weight < 0:
            raise ValueError(name)
        if record["kind"] == "number":
            places = record.get("places")
            where = None if places is None else {_text(key): _fraction(at) for key, at in places.items()}
            return cls(name, weight, None, (), (), where)
        leaves = [None if leaf is None else _text(leaf) for leaf in record["leaves"]]
        levels = [[_whole(group) for group in level] for level in record["levels"]]
        if record["kind"] != "tree" or len(set(leaves)) != len(leaves) or not levels:
            raise ValueError(name)
        _require_nested(levels, len(leaves))
        stated = record.get("losses")
        losses = [[_fraction(one) for one in level] for level in stated] if stated else _leaf_shares(levels)
        _require_rising(levels, losses)
        return cls(name, weight, leaves, levels, losses, None)


@dataclass(frozen=True)
class BoundClaim:
    """What a file states, read strictly."""

    k: int
    l: Fraction | None  # noqa: E741
    sensitive: str | None
    suppression: bool
    leaves_out_missing: bool
    bound: Fraction
    unit: int
    columns: tuple[ColumnClaim, ...]
    prices: Sequence[int] = field(repr=False)
    table: str

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> BoundClaim:
        """Read a record; raises if it is not what a bound file holds."""
        try:
            ell = None if record["l"] is None else _fraction(record["l"])
            if (ell is None) != (record["sensitive"] is None):
                raise ValueError
            claim = cls(
                _whole(record["k"]),
                ell,
                None if ell is None else _text(record["sensitive"]),
                _flag(record["suppression"]),
                {"category": False, "suppress": True}[record["missing"]],
                _fraction(record["bound"]),
                _whole(record["unit"]),
                tuple(ColumnClaim.of(one) for one in record["columns"]),
                [_whole(price) for price in record["prices"]],
                _text(record["table"]),
            )
        except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError):
            raise DataError(NOT_A_BOUND) from None
        if claim.k < 1 or claim.unit < 1 or not claim.columns or (ell is not None and ell <= 1):
            raise DataError(NOT_A_BOUND)
        return claim

    @property
    def shares(self) -> Shares:
        """The largest shares of a class: of a row 1 / k, and of a value 1 / l."""
        if self.l is None:
            return Shares(1, self.k, self.k)
        above, below = self.l.numerator, self.l.denominator
        return Shares(above, self.k * below, self.k * above)


def digest_of_record(record: Mapping[str, Any]) -> str:
    """The digest of a bound file, without the digest that it states."""
    content = {key: value for key, value in record.items() if key != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _whole(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise TypeError


def _fraction(value: object) -> Fraction:
    text = value if isinstance(value, str) else str(value)
    if isinstance(value, str | int | float) and not isinstance(value, bool) and FIGURE.fullmatch(text):
        return Fraction(text)
    raise ValueError


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    raise TypeError


def _flag(value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise TypeError


def _require_nested(levels: Sequence[Sequence[int]], leaves: int) -> None:
    """Every value is its own group first, groups lie within groups, and in the end all are one."""
    for level in levels:
        if (
            len(level) != leaves
            or max(level, default=-1) >= leaves
            or set(level) != set(range(max(level, default=-1) + 1))
        ):
            raise ValueError
    if len(set(levels[0])) != leaves or len(set(levels[-1])) > 1:
        raise ValueError
    for below, above in pairwise(levels):
        if len(set(zip(below, above, strict=True))) != len(set(below)):
            raise ValueError


def _leaf_shares(levels: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """What groups lose: the share of all values that they hold; a single value loses nothing."""
    found = []
    for level in levels:
        sizes = np.bincount(level) if len(level) else np.zeros(0, np.int64)
        found.append([Fraction(0) if size == 1 else Fraction(int(size), len(level)) for size in sizes])
    return found


def _require_rising(levels: Sequence[Sequence[int]], losses: Sequence[Sequence[Fraction]]) -> None:
    """A group loses from 0 to 1, and no less than the groups within it."""
    for level, own in zip(levels, losses, strict=True):
        if len(own) != max(level, default=-1) + 1 or not all(0 <= one <= 1 for one in own):
            raise ValueError
    for at in range(len(levels) - 1):
        for below, above in zip(levels[at], levels[at + 1], strict=True):
            if losses[at][below] > losses[at + 1][above]:
                raise ValueError
