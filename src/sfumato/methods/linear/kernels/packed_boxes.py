"""Bounding boxes of rows, with several attributes packed into a machine word.

Every attribute gets a field of the same width, wide enough for its codes and one spare bit on top. With the spare bits
set, one subtraction compares all fields of a word at once, so the minima and maxima of two rows need no loop over
attributes. Costs are then looked up only for the fields that changed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.table.kernels.spans import Spans, span_cost

WORD = 64


def field_width(sizes: Sequence[int]) -> int:
    """The width of a field that holds the codes of domains of these sizes, and the spare bit."""
    return max(1, (max(sizes, default=1) - 1).bit_length()) + 1


def words_needed(attributes: int, width: int) -> int:
    """The number of words that hold this many fields."""
    return max(1, -(-attributes // (WORD // width)))


@kernel
def pack_rows(
    codes: NDArray[np.unsignedinteger], width: int, start: int, stop: int, packed: NDArray[np.uint64]
) -> None:
    """Pack the rows ``start:stop`` of ``codes``."""
    fields = WORD // width
    for row in range(start, stop):
        for word in range(packed.shape[1]):
            packed[row, word] = 0
        for attribute in range(codes.shape[1]):
            shift = np.uint64(attribute % fields * width)
            packed[row, attribute // fields] |= np.uint64(codes[row, attribute]) << shift


@kernel
def pack_boxes(
    packed: NDArray[np.uint64], ends: NDArray[np.int64], width: int, lo: NDArray[np.uint64], hi: NDArray[np.uint64]
) -> None:
    """Compute the packed bounds of every unit, the rows between two consecutive ends."""
    spare = spare_bits(width)
    for unit in range(len(ends) - 1):
        for word in range(packed.shape[1]):
            low = high = packed[ends[unit], word]
            for row in range(ends[unit] + 1, ends[unit + 1]):
                low = smaller(low, packed[row, word], spare, width)
                high = larger(high, packed[row, word], spare, width)
            lo[unit, word], hi[unit, word] = low, high


@inner
def spare_bits(width: int) -> np.uint64:
    """A word in which exactly the spare bit of every field is set."""
    spare = np.uint64(0)
    for place in range(WORD // width):
        spare |= np.uint64(1) << np.uint64(place * width + width - 1)
    return spare


@inner
def larger(first: np.uint64, second: np.uint64, spare: np.uint64, width: int) -> np.uint64:
    """The larger of two codes, field by field."""
    at_least = ((first | spare) - second) & spare
    chosen = at_least - (at_least >> np.uint64(width - 1))
    return (first & chosen) | (second & ~chosen & ~spare)


@inner
def smaller(first: np.uint64, second: np.uint64, spare: np.uint64, width: int) -> np.uint64:
    """The smaller of two codes, field by field."""
    at_least = ((first | spare) - second) & spare
    chosen = at_least - (at_least >> np.uint64(width - 1))
    return (second & chosen) | (first & ~chosen & ~spare)


@inner
def changed_cost(
    lo: np.uint64,
    hi: np.uint64,
    changed: np.uint64,
    word: int,
    width: int,
    costs: NDArray[np.float64],
    spans: Spans,
) -> float:
    """Update the costs of the fields of a word that changed; return by how much the weighted sum grew."""
    fields = WORD // width
    mask = np.int64((1 << (width - 1)) - 1)
    growth = 0.0
    for attribute in range(word * fields, min(len(costs), (word + 1) * fields)):
        shift = np.uint64((attribute - word * fields) * width)
        if np.int64(changed >> shift) & mask:
            first: int = np.int64(lo >> shift) & mask
            last: int = np.int64(hi >> shift) & mask
            cost = spans.weight[attribute] * span_cost(spans, attribute, first, last)
            growth += cost - costs[attribute]
            costs[attribute] = cost
    return growth
