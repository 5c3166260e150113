"""Frequency sets against a Counter, also where a key overflows 64 bits."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy

from sfumato.common import rows
from sfumato.table import frequency
from sfumato.table.frequency import frequency_set, group_rows


def assert_counts(found, codes):
    rows = [tuple(row) for row in codes.tolist()]
    expected = Counter(rows)
    distinct = [tuple(row) for row in found.codes.tolist()]
    assert distinct == sorted(expected)
    assert dict(zip(distinct, found.counts.tolist(), strict=True)) == expected
    assert [distinct[group] for group in found.of_row] == rows
    assert len(found) == len(expected)


@settings(max_examples=examples(40))
@given(microdata_strategy())
def test_frequency_sets_of_tables(microdata):
    assert_counts(frequency_set(microdata), microdata.codes)


@given(st.integers(1, 12), st.integers(0, 40), st.randoms(use_true_random=False), st.sampled_from([2, 200, 2**32 - 1]))
def test_keys_of_any_width(columns, rows, random, size):
    """Twelve columns of 32 bits are 384: the key is filled and begun anew several times."""
    pool = [random.randrange(size) for _ in range(3)]
    codes = np.array([[random.choice(pool) for _ in range(columns)] for _ in range(rows)], np.uint32)
    codes = codes.reshape(rows, columns)
    assert_counts(group_rows(codes, [size] * columns), codes)


def test_rows_that_differ_only_in_the_first_of_many_wide_columns():
    codes = np.zeros((4, 9), np.uint32)
    codes[1, 0] = codes[3, 0] = 2**32 - 2
    assert group_rows(codes, [2**32 - 1] * 9).of_row.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("size", [2**31, 2**62])
def test_a_key_exactly_at_the_limit(size):
    codes = np.array([[1, 0], [0, 1], [1, 0]], np.uint64).astype(np.int64)
    assert_counts(group_rows(codes, [size, 2]), codes)


@pytest.mark.parametrize(("groups", "size"), [(5, 3), (200, 400)])
@pytest.mark.parametrize("long", [1, 1 << 20])
def test_the_most_frequent_code_of_every_group(groups, size, long, monkeypatch):
    monkeypatch.setattr(frequency, "LONG", long)
    monkeypatch.setattr(rows, "LONG", long)
    random = np.random.default_rng(4)
    of_row, codes = random.integers(-1, groups, 300).astype(np.int32), random.integers(0, size, 300).astype(np.int32)
    expected = [max(Counter(codes[of_row == group].tolist()).values(), default=0) for group in range(groups)]
    assert frequency.most_frequent(of_row, codes, groups, size).tolist() == expected


@settings(max_examples=examples(20))
@given(microdata_strategy())
def test_frequency_sets_of_long_tables(microdata):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frequency, "LONG", 1)
        patch.setattr(rows, "LONG", 1)
        assert_counts(frequency_set(microdata), microdata.codes)
