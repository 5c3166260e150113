"""Draw many rows from seeded, conditional distributions, block by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.common import parameters

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.integer[Any]]
Columns = dict[str, Codes]

# A block's temporaries stay in the processor's cache, and the interpreter's share of the time is nil.
BLOCK = 1 << 15


class Conditional:
    """A distribution over ``0..values-1`` for every combination of the values it depends on.

    Parameters
    ----------
    weights
        Non-negative, one axis per condition and the drawn values on the last. They need not sum to one.

    Examples
    --------
    >>> coin = Conditional(np.array([[1, 0], [0, 1]]))
    >>> coin.draw(np.random.default_rng(0), np.array([0, 1, 1]))
    array([0, 1, 1])
    """

    def __init__(self, weights: npt.ArrayLike) -> None:
        table = np.asarray(weights, dtype=np.float64)
        self.conditions = table.shape[:-1]
        self.values = table.shape[-1]
        rungs = table.reshape(-1, self.values).cumsum(axis=1)
        rungs /= rungs[:, -1:]
        # One ladder for all groups: group g's distribution function runs from g to g + 1,
        # so that a single sorted search answers for every row at once.
        self._ladder = (rungs + np.arange(len(rungs))[:, None]).ravel()

    def draw(self, rng: np.random.Generator, *given: Codes, size: int | None = None) -> npt.NDArray[np.int64]:
        """Draw one value for each row, given each row's conditions (or ``size`` values without any)."""
        groups = self._groups(given)
        rows = size if size is not None else len(given[0])
        position = np.searchsorted(self._ladder, rng.random(rows) + groups, side="right")
        value = position - groups * self.values
        # u + g can round up to g + 1, which is one step beyond the last value.
        return np.asarray(np.minimum(value, self.values - 1), dtype=np.int64)

    def _groups(self, given: Sequence[Codes]) -> npt.NDArray[np.int64]:
        groups = np.zeros(1, dtype=np.int64)
        for size, codes in zip(self.conditions, given, strict=True):
            groups = groups * size + codes
        return groups


def in_blocks(owner: str, rows: int, seed: int, make: Callable[[np.random.Generator, int], Columns]) -> Columns:
    """Fill columns of ``rows`` values by calling ``make(generator, size)`` for one block after the other.

    Every block has its own generator and is made whole, so the memory beyond the result is one block,
    and a shorter table is the beginning of a longer one with the same seed.
    """
    rows = parameters.integer(owner, "rows", rows, at_least=1)
    seed = parameters.integer(owner, "seed", seed, at_least=0)
    columns: Columns = {}
    for number, start in enumerate(range(0, rows, BLOCK)):
        block = make(np.random.default_rng([seed, number]), BLOCK)
        stop = min(start + BLOCK, rows)
        for name, values in block.items():
            column = columns.setdefault(name, np.empty(rows, dtype=values.dtype))
            column[start:stop] = values[: stop - start]
    return columns


def labelled(codes: Codes, labels: Sequence[str]) -> pa.DictionaryArray:
    """Turn codes into a dictionary-encoded column of text, with signed indices as pandas wants them."""
    kind = next(kind for kind in (np.int8, np.int16, np.int32) if len(labels) - 1 <= np.iinfo(kind).max)
    indices = pa.array(codes.astype(kind, copy=False))
    return pa.DictionaryArray.from_arrays(indices, pa.array(labels, pa.string()))
