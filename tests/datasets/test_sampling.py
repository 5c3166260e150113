from __future__ import annotations

import numpy as np
import pytest

from sfumato.datasets.sampling import BLOCK, Conditional, in_blocks, labelled
from sfumato.errors import ParameterError


def test_conditional_follows_its_weights_in_every_group():
    weights = np.array([[1.0, 2.0, 7.0], [0.0, 9.0, 1.0]])
    groups = np.repeat([0, 1], 50_000)
    drawn = Conditional(weights).draw(np.random.default_rng(1), groups)
    for group in (0, 1):
        shares = np.bincount(drawn[groups == group], minlength=3) / 50_000
        np.testing.assert_allclose(shares, weights[group] / 10, atol=0.01)


def test_conditional_on_two_axes_reads_the_right_cell():
    weights = np.zeros((2, 3, 6))
    for first in range(2):
        for second in range(3):
            weights[first, second, first * 3 + second] = 1
    first, second = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 1, 2, 0, 1, 2])
    assert Conditional(weights).draw(np.random.default_rng(0), first, second).tolist() == [0, 1, 2, 3, 4, 5]


class _AlmostOne:
    def random(self, size: int) -> np.ndarray:
        return np.full(size, np.nextafter(1.0, 0.0))


def test_conditional_never_leaves_its_values_when_the_sum_rounds_up():
    drawn = Conditional(np.ones((1000, 4))).draw(_AlmostOne(), np.array([0, 500, 999]))  # type: ignore[arg-type]
    assert drawn.tolist() == [3, 3, 3]


def test_blocks_are_joined_and_cut_to_size():
    def make(rng, size):
        return {"x": rng.integers(0, 1000, size)}

    long = in_blocks("test", 2 * BLOCK + 5, 3, make)["x"]
    short = in_blocks("test", BLOCK + 1, 3, make)["x"]
    assert len(long) == 2 * BLOCK + 5
    assert np.array_equal(long[: BLOCK + 1], short)
    assert not np.array_equal(long[:BLOCK], long[BLOCK : 2 * BLOCK])


@pytest.mark.parametrize("rows", [0, -1, 1.5, True, "many", None])
def test_blocks_refuse_impossible_numbers_of_rows(rows):
    with pytest.raises(ParameterError, match="'rows' parameter of census must be an integer of at least 1"):
        in_blocks("census", rows, 0, lambda rng, size: {})


def test_blocks_refuse_a_negative_seed():
    with pytest.raises(ParameterError, match="'seed' parameter of census"):
        in_blocks("census", 1, -1, lambda rng, size: {})


@pytest.mark.parametrize(("count", "kind"), [(128, "int8"), (129, "int16"), (40_000, "int32")])
def test_labels_use_the_smallest_signed_index(count, kind):
    column = labelled(np.array([count - 1, 0]), [f"v{number}" for number in range(count)])
    assert str(column.type.index_type) == kind
    assert column.to_pylist() == [f"v{count - 1}", "v0"]
