"""Whether prices prove a lower bound on the loss of every release of a table, recomputed from table and prices alone.

Every row has a price. If in every box that holds a possible class the rows of no class pay more than it loses, no
release loses less than all prices together. A box is an interval of every number and a node of every tree; a class has
at least k rows, and no sensitive value makes up more than 1 / l of it. All amounts are whole numbers of a small unit:
losses are rounded down and prices added exactly, so rounding never makes a bound hold that does not.

This shares nothing with the search that found the prices. `docs/explanation/check_bound.py` does the same without
Sfumato.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.common.threads import side_by_side
from sfumato.errors import DataError, listed
from sfumato.verify.bound_claim import FORMAT, NOT_A_BOUND, VERSION, BoundClaim, ColumnClaim, digest_of_record
from sfumato.verify.kernels.overpriced import Priced, Scales, Shares, find_overpriced

#: A number as it is written; longer exponents would make whole numbers of any size.
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")

#: Sums of prices stay below this, well within a signed 64-bit number.
LARGEST = 2**62

#: The pieces in which rows are looked at, side by side.
PIECES = 64


@dataclass(frozen=True)
class BoundCheck:
    """Whether a lower bound on the loss is proven, for one table, its hierarchies, and one size of classes.

    Attributes
    ----------
    bound
        The bound that the prices prove, rounded down; 0 if they prove none.
    claimed
        The bound that the file states.
    problem
        Why the file is refused; None if the claim is confirmed.
    rows, k
        The number of rows of the table, and the least size of a class.
    l, sensitive
        No value of this column makes up more than 1 / l of a class; None without this condition.
    suppression
        Whether the bound also holds for releases that suppress rows, each at a loss of 1.
    decisions
        How often the search decided between boxes.
    assumed
        What was not recomputed.
    """

    bound: float
    claimed: float
    problem: str | None
    rows: int
    k: int
    l: float | None = None  # noqa: E741
    sensitive: str | None = None
    suppression: bool = False
    decisions: int = 0
    assumed: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the claim is confirmed."""
        return self.problem is None

    def summary(self) -> str:
        """Say what was confirmed, or why nothing was."""
        if self.problem is not None:
            return f"not confirmed  {self.problem}"
        mixed = "" if self.l is None else f", none with more than 1/{self.l:g} of one value of '{self.sensitive}',"
        kind = "" if self.suppression else " that suppresses nothing"
        return (
            f"confirmed  no release of these {self.rows:,} rows{kind}, in classes of at least {self.k:,} rows{mixed} "
            f"has a GCP below {self.claimed:.6g}\n"
            f"proven     from the table and the prices of its rows: over all boxes, in {self.decisions:,} decisions\n"
            f"assumed    {'; '.join(self.assumed)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return {"ok": self.ok, **vars(self), "assumed": list(self.assumed)}


def verify_bound(table: pa.Table, record: Mapping[str, Any]) -> BoundCheck:
    """Recompute whether the prices of a record prove the bound that it states, over all boxes of a table.

    Parameters
    ----------
    table
        The original, in the order of the prices.
    record
        What a bound file holds; a missing or ill-formed part raises `DataError`.
    """
    if not isinstance(record, Mapping) or record.get(FORMAT) != VERSION:
        raise DataError(NOT_A_BOUND)
    claim = BoundClaim.of(record)
    problem: str | None = None
    try:
        bound, decisions = _confirmed(table, record, claim)
    except _RefusedError as error:
        bound, decisions, problem = 0.0, 0, str(error)
    return BoundCheck(
        bound,
        float(claim.bound),
        problem,
        table.num_rows,
        claim.k,
        None if claim.l is None else float(claim.l),
        claim.sensitive,
        claim.suppression,
        decisions,
        ("weights and hierarchies, as the file states them",) if problem is None else (),
    )


OTHER_TABLE = "Name the table that the release was made from, unchanged and in the same order."


class _RefusedError(Exception):
    """The claim is refused, and why."""


def _confirmed(table: pa.Table, record: Mapping[str, Any], claim: BoundClaim) -> tuple[float, int]:
    """Compute the bound that the prices prove, rounded down, and in how many decisions."""
    if record.get("digest") != digest_of_record(record):
        raise _RefusedError("The file was changed after it was written: its digest does not fit its content.")
    needed = [*(column.name for column in claim.columns), *([] if claim.sensitive is None else [claim.sensitive])]
    lacking = [name for name in needed if table.column_names.count(name) != 1]
    if lacking:
        raise _RefusedError(f"The table does not have {listed(lacking)} exactly once. {OTHER_TABLE}")
    cells = {name: _Cells.of(table.column(name)) for name in dict.fromkeys(needed)}
    kept = np.ones(table.num_rows, bool)
    for column in claim.columns if claim.leaves_out_missing else ():
        kept &= cells[column.name].codes >= 0
    rows = np.flatnonzero(kept)
    if len(claim.prices) != len(rows):
        raise _RefusedError(f"There are {len(claim.prices):,} prices for {len(rows):,} rows. {OTHER_TABLE}")
    hierarchies = {column.name: column for column in claim.columns}
    if _digest_of_rows([cells[name].stated(hierarchies.get(name)) for name in needed], rows) != claim.table:
        raise _RefusedError(f"The table has other values than the one that the file was made for. {OTHER_TABLE}")
    paid = _paid(claim, table.num_rows - len(rows))
    priced, scales = _priced(claim, cells, rows)
    found, decisions = _overpriced(priced, scales, claim.shares)
    if found is not None:
        raise _RefusedError(_words(claim, found, scales))
    near = float(paid)
    return (near if Fraction(near) <= paid else float(np.nextafter(near, 0.0))), decisions


def _paid(claim: BoundClaim, left_out: int) -> Fraction:
    """Compute the bound that the prices prove if no box is overpriced; refuse those that cannot be right."""
    prices, shares = claim.prices, claim.shares
    rows, highest = len(prices) + left_out, max(prices, default=0)
    if min(prices, default=0) < 0:
        raise _RefusedError("A price is negative.")
    if claim.suppression and highest > claim.unit:
        raise _RefusedError("A row pays more than 1, but suppressing it loses no more than that.")
    if shares.all * max(highest, claim.unit) >= LARGEST or len(prices) * shares.of_row >= LARGEST:
        raise _RefusedError("The prices are too large for exact sums.")
    paid = Fraction(sum(prices) + left_out * claim.unit, max(1, rows) * claim.unit)
    if claim.bound > paid:
        raise _RefusedError(
            f"The file claims a bound of {float(claim.bound):.6g}, but its prices add up to {float(paid):.6g} only."
        )
    return paid


# The table


@dataclass(frozen=True)
class _Cells:
    """A column of the original: its different values, as text and as they are, and which of them each row has.

    A row without a value has -1.
    """

    texts: Sequence[str]
    values: Sequence[Any]
    codes: NDArray[np.int64] = field(repr=False)

    @classmethod
    def of(cls, column: pa.ChunkedArray) -> _Cells:
        """Code a column; not-a-number is missing, too."""
        flat = column.combine_chunks()
        if pa.types.is_dictionary(flat.type):
            flat = flat.cast(flat.type.value_type)
        if pa.types.is_floating(flat.type):
            flat = pc.if_else(pc.is_nan(flat), pa.scalar(None, flat.type), flat)
        coded = flat.dictionary_encode()
        known = coded.dictionary
        codes = pc.fill_null(coded.indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)
        return cls(known.cast(pa.string()).to_pylist(), known.to_pylist(), codes)

    def stated(self, column: ColumnClaim | None) -> NDArray[np.object_]:
        """What the digest covers of every row: the text, of a number its exact value as a fraction, None if missing."""
        if column is None or column.leaves is not None or column.places is not None:
            each = list(self.texts)
        else:
            each = [str(_number(column, self, code)) for code in range(len(self.values))]
        return np.array([*each, None], object)[self.codes]


def _digest_of_rows(columns: Sequence[NDArray[np.object_]], kept: NDArray[np.int64]) -> str:
    """A digest of some rows, which anyone can compute from the table."""
    state = hashlib.sha256()
    for row in zip(*(column[kept].tolist() for column in columns), strict=True):
        state.update(f"{json.dumps(row)}\n".encode())
    return state.hexdigest()


def _priced(claim: BoundClaim, cells: Mapping[str, _Cells], kept: NDArray[np.int64]) -> tuple[Priced, Scales]:
    """Lay out the rows by falling price, equal rows once, and how boxes lose."""
    total = sum((column.weight for column in claim.columns), Fraction(0))
    if not total:
        raise _RefusedError("All weights are 0.")
    attributes: list[tuple[int, int, int, int]] = []
    groups: list[NDArray[np.int64]] = []
    losses: list[NDArray[np.int64]] = []
    places: list[NDArray[np.int64]] = []
    for column in claim.columns:
        whole = column.weight / total * claim.unit
        own = cells[column.name]
        used = np.unique(own.codes[kept])
        if column.leaves is None:
            where = _positions(column, own, used, whole)
            attributes.append((0, len(used), 0, int(whole)))
        else:
            where = _leaf_codes(column, own, used)
            attributes.append((1, len(column.leaves), sum(map(len, groups)), int(whole)))
            levels = np.array(column.levels, np.int64)
            groups.append(levels.ravel())
            each = [[int(one * whole) for one in level] for level in column.losses]
            losses.append(np.concatenate([np.array(own)[level] for own, level in zip(each, levels, strict=True)]))
        places.append(where[np.searchsorted(used, own.codes[kept])])
    values = np.zeros(len(kept), np.int64)
    if claim.sensitive is not None:
        values = cells[claim.sensitive].codes[kept] + 1
    prices = np.array(claim.prices, np.int64)
    everything = np.column_stack([-prices, *places, values]).astype(np.int64)
    rows, counts = np.unique(everything, axis=0, return_counts=True)
    priced = Priced(
        np.ascontiguousarray(rows[:, 1:-1]), -rows[:, 0], counts.astype(np.int64), np.ascontiguousarray(rows[:, -1])
    )
    nothing = np.zeros(0, np.int64)
    return priced, Scales(
        np.array(attributes, np.int64), np.concatenate([nothing, *groups]), np.concatenate([nothing, *losses])
    )


def _positions(column: ColumnClaim, cells: _Cells, used: NDArray[np.int64], whole: Fraction) -> NDArray[np.int64]:
    """Where the values of a number lie, in units of the loss: a missing one so far that beside others it loses all."""
    numbers = [None if code < 0 else _number(column, cells, code) for code in used.tolist()]
    known = [number for number in numbers if number is not None]
    least, extent = min(known, default=Fraction(0)), max(known, default=Fraction(0)) - min(known, default=Fraction(0))
    beyond = 3 * int(whole) + 3
    return np.array(
        [beyond if number is None else int((number - least) / extent * whole) if extent else 0 for number in numbers],
        np.int64,
    )


def _number(column: ColumnClaim, cells: _Cells, code: int) -> Fraction:
    value, text = cells.values[code], cells.texts[code]
    if column.places is not None:
        if text not in column.places:
            raise _RefusedError(f"The file knows no place for a value of column '{column.name}'.")
        return column.places[text]
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool) and _finite(value):
        return Fraction(value)
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        return Fraction(value.strip())
    raise _RefusedError(f"Column '{column.name}' is generalized as a number, but not all of its values are numbers.")


def _finite(value: float | Decimal) -> bool:
    return value.is_finite() if isinstance(value, Decimal) else abs(value) != float("inf")


def _leaf_codes(column: ColumnClaim, cells: _Cells, used: NDArray[np.int64]) -> NDArray[np.int64]:
    assert column.leaves is not None
    known = {leaf: at for at, leaf in enumerate(column.leaves)}
    texts = [None if code < 0 else cells.texts[code] for code in used.tolist()]
    if not known.keys() >= set(texts):
        raise _RefusedError(f"The hierarchy in the file lacks a value of column '{column.name}'.")
    return np.array([known[text] for text in texts], np.int64)


def _overpriced(rows: Priced, scales: Scales, shares: Shares) -> tuple[NDArray[np.int64] | None, int]:
    """Look for an overpriced box around every row, on all cores."""
    if not len(rows.prices):
        return None, 0

    def look(first: int) -> tuple[NDArray[np.int64] | None, int]:
        box = np.zeros((rows.places.shape[1], 2), np.int64)
        found, decided = find_overpriced(first, PIECES, rows, scales, shares, box)
        return (box if found >= 0 else None), decided

    found = side_by_side(look, range(PIECES))
    boxes = [box for box, _ in found if box is not None]
    return (boxes[0] if boxes else None), sum(decided for _, decided in found)


def _words(claim: BoundClaim, box: NDArray[np.int64], scales: Scales) -> str:
    """Say what a box with too high prices is like, without a value of the table."""
    wide = [
        column.name
        for column, (is_tree, *_), (one, two) in zip(claim.columns, scales.attributes, box, strict=True)
        if (one > 0 if is_tree else two > one)
    ]
    where = f"one that is wider than a single value in {listed(wide)}" if wide else "one of equal rows"
    return (
        "The prices do not prove the bound: there is a box whose rows pay more than a class in it loses, "
        f"{where}. Nothing follows from these prices."
    )
