"""Sizes and bounds of classes, for every type of codes."""

from __future__ import annotations

import numpy as np
import pytest

from sfumato.table.kernels.classes import class_bounds


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
def test_bounds_of_classes(kind):
    random = np.random.default_rng(11)
    codes = random.integers(0, np.iinfo(kind).max, (200, 3), dtype=kind, endpoint=True)
    of_row = random.integers(-1, 7, 200).astype(np.int32)
    of_row[of_row == 4] = 3  # nobody is in class 4
    sizes, lo, hi = class_bounds(codes, of_row, 8)
    assert sizes.tolist() == [int((of_row == group).sum()) for group in range(8)]
    assert sizes[4] == sizes[7] == 0
    for group in np.flatnonzero(sizes):
        rows = codes[of_row == group].astype(np.int64)
        assert lo[group].tolist() == rows.min(axis=0).tolist()
        assert hi[group].tolist() == rows.max(axis=0).tolist()


def test_nobody_is_in_no_class():
    sizes, lo, hi = class_bounds(np.zeros((0, 2), np.uint8), np.zeros(0, np.int32), 0)
    assert len(sizes) == 0
    assert lo.shape == hi.shape == (0, 2)
