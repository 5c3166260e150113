"""The position of a point on the Hilbert curve, for any number of dimensions and bits.

The curve of order ``bits`` visits every cell of a grid with ``2**bits`` cells along each dimension. From the coarsest
halving to the finest, the half in which a cell lies in every dimension determines which sub-cube comes next, and how
the pattern inside that sub-cube is reflected and rotated; undoing that leaves coordinates whose Gray code, read bit by
bit across all dimensions, is the position on the curve. Rows are processed in blocks, dimension by dimension, so that
the inner loops vectorize.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel

#: The rows of a block, few enough that all their coordinates stay in the first-level cache.
BLOCK = 256

WORD = 64


@kernel
def hilbert_keys(
    codes: NDArray[np.unsignedinteger],
    grid: NDArray[np.uint32],
    grid_at: NDArray[np.int64],
    bits: int,
    start: int,
    stop: int,
    keys: NDArray[np.uint64],
) -> None:
    """Write the keys of the rows ``start:stop``: one row of ``keys`` per 64-bit word, the most significant first.

    ``grid[grid_at[a] + c]`` is the coordinate of code ``c`` of attribute ``a``.
    """
    dimensions = codes.shape[1]
    block = np.empty((dimensions, BLOCK), np.uint32)
    flips = np.empty(BLOCK, np.uint32)
    for begin in range(start, stop, BLOCK):
        count = min(BLOCK, stop - begin)
        for dimension in range(dimensions):
            at = grid_at[dimension]
            for row in range(count):
                block[dimension, row] = grid[at + codes[begin + row, dimension]]
        undo_rotations(block, bits)
        gray_code(block, flips, bits)
        interleave(block, bits, keys, begin, count)


@inner
def undo_rotations(block: NDArray[np.uint32], bits: int) -> None:
    """Rotate and reflect every sub-cube, from the largest to the smallest, into the orientation of the first."""
    first = block[0]
    for bit in range(bits - 1, 0, -1):
        below = np.uint32((1 << bit) - 1)
        for row in range(BLOCK):
            # In the upper half, all lower bits of the first dimension are reflected.
            first[row] ^= below * ((first[row] >> np.uint32(bit)) & np.uint32(1))
        for dimension in range(1, len(block)):
            other = block[dimension]
            for row in range(BLOCK):
                upper = np.uint32(0) - ((other[row] >> np.uint32(bit)) & np.uint32(1))
                swapped = (first[row] ^ other[row]) & below & ~upper
                first[row] ^= swapped ^ (below & upper)
                other[row] ^= swapped


@inner
def gray_code(block: NDArray[np.uint32], flips: NDArray[np.uint32], bits: int) -> None:
    """Turn coordinates into the digits of the position on the curve."""
    for dimension in range(1, len(block)):
        before, this = block[dimension - 1], block[dimension]
        for row in range(BLOCK):
            this[row] ^= before[row]
    last = block[len(block) - 1]
    for row in range(BLOCK):
        flips[row] = 0
    for bit in range(bits - 1, 0, -1):
        below = np.uint32((1 << bit) - 1)
        for row in range(BLOCK):
            flips[row] ^= below * ((last[row] >> np.uint32(bit)) & np.uint32(1))
    for dimension in range(len(block)):
        this = block[dimension]
        for row in range(BLOCK):
            this[row] ^= flips[row]


@inner
def interleave(block: NDArray[np.uint32], bits: int, keys: NDArray[np.uint64], begin: int, count: int) -> None:
    """Interleave the digits of all dimensions, highest bits first, into as many words as they fill."""
    words = len(keys)
    for word in range(words):
        for row in range(begin, begin + count):
            keys[word, row] = 0
    place = bits * len(block)
    for bit in range(bits - 1, -1, -1):
        for dimension in range(len(block)):
            place -= 1
            word = words - 1 - place // WORD
            digits = block[dimension]
            target = keys[word]
            for row in range(count):
                digit = np.uint64((digits[row] >> np.uint32(bit)) & np.uint32(1))
                target[begin + row] = (target[begin + row] << np.uint64(1)) | digit
