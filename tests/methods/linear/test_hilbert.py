"""The Hilbert curve, against its definition."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import encoded_column, microdata_strategy

from sfumato.common.threads import CHUNK
from sfumato.errors import ParameterError
from sfumato.methods import HilbertCurve
from sfumato.methods.linear.hilbert import curve_keys, grids


def places(cells: np.ndarray, bits: int) -> list[int]:
    """The places of cells on the curve, as plain integers of any size."""
    keys = curve_keys(cells.astype(np.uint32), [np.arange(2**bits)] * cells.shape[1], bits)
    return [sum(int(word) << (64 * (len(keys) - 1 - at)) for at, word in enumerate(column)) for column in keys.T]


def slow_place(cell: list[int], bits: int) -> int:
    """The same for one cell, digit by digit: find the sub-cube, and turn the rest of the cell into its own frame."""
    cell = list(cell)
    for bit in range(bits - 1, 0, -1):
        below = (1 << bit) - 1
        for axis in range(len(cell)):
            if cell[axis] >> bit & 1:
                cell[0] ^= below
            else:
                swapped = (cell[0] ^ cell[axis]) & below
                cell[0] ^= swapped
                cell[axis] ^= swapped
    for axis in range(1, len(cell)):
        cell[axis] ^= cell[axis - 1]
    flips = 0
    for bit in range(bits - 1, 0, -1):
        if cell[-1] >> bit & 1:
            flips ^= (1 << bit) - 1
    digits = [(number ^ flips) >> bit & 1 for bit in range(bits - 1, -1, -1) for number in cell]
    return int("".join(map(str, digits)), 2)


@pytest.mark.parametrize(
    ("dimensions", "bits"), [(1, 5), (2, 1), (2, 4), (3, 1), (3, 3), (4, 2), (5, 2), (7, 1), (2, 6)]
)
def test_the_curve_visits_every_cell_once_and_moves_one_step_at_a_time(dimensions: int, bits: int) -> None:
    cells = np.array(list(itertools.product(range(2**bits), repeat=dimensions)))
    found = places(cells, bits)
    assert sorted(found) == list(range(len(cells)))
    path = cells[np.argsort(found)]
    assert (np.abs(np.diff(path, axis=0)).sum(axis=1) == 1).all()


def turtle_curve(order: int) -> list[tuple[int, int]]:
    """The plane curve as Hilbert drew it: four smaller copies, two of them turned."""
    rules = {"A": "+BF-AFA-FB+", "B": "-AF+BFB+FA-"}
    word = "A"
    for _ in range(order):
        word = "".join(rules.get(letter, letter) for letter in word)
    (x, y), (dx, dy) = (0, 0), (1, 0)
    path = [(x, y)]
    for letter in word:
        if letter == "F":
            x, y = x + dx, y + dy
            path.append((x, y))
        elif letter in "+-":
            sign = 1 if letter == "+" else -1
            dx, dy = -sign * dy, sign * dx
    low_x, low_y = min(x for x, _ in path), min(y for _, y in path)
    return [(x - low_x, y - low_y) for x, y in path]


def test_the_8_by_8_curve_is_the_one_of_the_textbook() -> None:
    cells = np.array(list(itertools.product(range(8), repeat=2)))
    ours = [tuple(cell) for cell in cells[np.argsort(places(cells, 3))]]
    drawn = turtle_curve(3)
    turned = []
    for flip_x, flip_y, swap in itertools.product([False, True], repeat=3):
        path = [(7 - x if flip_x else x, 7 - y if flip_y else y) for x, y in drawn]
        turned.append([(y, x) if swap else (x, y) for x, y in path])
    assert ours in turned
    assert ours[0] == (0, 0)


@given(st.integers(1, 20), st.integers(1, 32), st.integers(0, 2**32))
def test_wide_keys_agree_with_whole_numbers(dimensions: int, bits: int, seed: int) -> None:
    cells = np.random.default_rng(seed).integers(0, 2**bits, (7, dimensions)).astype(np.uint32)
    at = np.arange(7, dtype=np.uint32)[:, None].repeat(dimensions, axis=1)
    grid = [cells[:, axis] for axis in range(dimensions)]
    keys = curve_keys(at, grid, bits)
    assert keys.shape == (-(-bits * dimensions // 64), 7)
    found = [sum(int(word) << (64 * (len(keys) - 1 - place)) for place, word in enumerate(row)) for row in keys.T]
    assert found == [slow_place([int(number) for number in cell], bits) for cell in cells]


def test_twenty_quasi_identifiers_of_twelve_bits_fill_four_words() -> None:
    cells = np.full((1, 20), 4095, np.uint32)
    assert curve_keys(cells, [np.arange(4096)] * 20, 12).shape == (4, 1)


def test_rows_beyond_one_chunk_get_the_same_keys() -> None:
    cells = np.random.default_rng(0).integers(0, 16, (CHUNK + 300, 3)).astype(np.uint8)
    keys = curve_keys(cells, [np.arange(16)] * 3, 4)
    tail = curve_keys(np.ascontiguousarray(cells[-300:]), [np.arange(16)] * 3, 4)
    assert (keys[:, -300:] == tail).all()


@given(microdata_strategy(), st.integers(1, 16))
def test_every_code_has_its_place_on_the_grid_in_order(microdata, bits: int) -> None:
    for domain, grid in zip(microdata.domains, grids(microdata.domains, bits, signed=True), strict=True):
        assert len(grid) == domain.size
        assert (np.diff(grid) >= 0).all()
        assert grid.min() >= 0
        assert grid.max() < 2**bits


def test_numbers_are_scaled_by_value() -> None:
    domain = encoded_column([0, 1, 100]).domains[0]
    assert grids([domain], 8)[0].tolist() == [0, 3, 255]


@pytest.mark.parametrize("bits", [0, 33, 2.5, True])
def test_bits_that_no_grid_has_are_refused(bits: object) -> None:
    with pytest.raises(ParameterError, match="bits"):
        HilbertCurve(bits)  # type: ignore[arg-type]
