"""What is done to all rows on all cores is what one core would do, however many threads there are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

from sfumato.common import rows as module
from sfumato.common.rows import count_codes, equal_rows, gather, shares, sort_codes, sort_rows, stretches

#: Numbers of threads, more than the cores of most machines among them.
THREADS = [1, 2, 3, 7, 16]

#: Words that many rows share, words that differ in one digit, and words that differ in all.
KINDS = [2, 300, 2**63]


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Divide tables of a hundred rows as if they had a hundred million."""
    for name, size in {"LONG": 1, "STRETCH": 7, "BUCKET": 5}.items():
        monkeypatch.setattr(module, name, size)


def words(seed: int, rows: int, kinds: list[int]) -> np.ndarray:
    random = np.random.default_rng(seed)
    return np.stack([random.integers(0, kind, rows, np.uint64) for kind in kinds])


@pytest.mark.parametrize("rows", [0, 1, 6, 7, 8, 100])
def test_stretches_are_all_rows_once(rows: int) -> None:
    assert [row for start, stop in stretches(rows, 7) for row in range(start, stop)] == list(range(rows))


@given(st.integers(0, 2**32), st.integers(1, 200), st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
@settings(max_examples=examples(60))
def test_rows_are_sorted_as_numpy_sorts_them(seed: int, rows: int, kinds: list[int]) -> None:
    keys = words(seed, rows, kinds)
    ties = [words(seed + 1, rows, [3])[0].astype(kind) for kind in (np.uint16, np.int32, np.uint32)]
    with pytest.MonkeyPatch.context() as patch:
        for name, size in {"LONG": 1, "STRETCH": 7, "BUCKET": 5}.items():
            patch.setattr(module, name, size)
        assert sort_rows(keys).tolist() == np.lexsort(keys[::-1]).tolist()
        assert sort_rows(keys, ties).tolist() == np.lexsort([*ties, *keys[::-1]]).tolist()


@pytest.mark.parametrize("threads", THREADS)
def test_the_order_does_not_depend_on_threads(threads: int, monkeypatch: pytest.MonkeyPatch, short: None) -> None:
    monkeypatch.setenv("SFUMATO_THREADS", str(threads))
    keys = words(5, 1000, [4, 2**63])
    assert sort_rows(keys).tolist() == np.lexsort(keys[::-1]).tolist()


def test_more_rows_than_a_thread_takes_at_a_time() -> None:
    keys = words(6, 2 * module.STRETCH + 5, [2, 900])
    ties = [words(7, keys.shape[1], [50])[0].astype(np.int32)]
    assert (sort_rows(keys, ties) == np.lexsort([*ties, *keys[::-1]])).all()


@given(st.integers(0, 2**32), st.integers(1, 100), st.lists(st.sampled_from([2, 9]), min_size=1, max_size=2))
@settings(max_examples=examples(30))
def test_groups_are_the_rows_with_one_key(seed: int, rows: int, kinds: list[int]) -> None:
    keys = words(seed, rows, kinds)
    with pytest.MonkeyPatch.context() as patch:
        for name, size in {"LONG": 1, "STRETCH": 7, "BUCKET": 5}.items():
            patch.setattr(module, name, size)
        found = equal_rows(keys)
    different, first, of_row, counts = np.unique(
        keys.T, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    assert len(found.counts) == len(different)
    assert found.of_row.tolist() == of_row.ravel().tolist()
    assert (found.first_rows.tolist(), found.counts.tolist()) == (first.tolist(), counts.tolist())


@pytest.mark.parametrize("shape", [(50,), (50, 3)])
def test_rows_are_gathered_from_their_places(shape: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    values, places = random.integers(0, 99, shape).astype(np.uint16), random.integers(0, 50, 80)
    assert (gather(values, places) == values[places]).all()
    assert gather(values, places[:0]).shape == (0, *shape[1:])


@pytest.mark.parametrize("size", [1, 9, 1000])
def test_codes_are_counted(size: int, short: None) -> None:
    codes = np.random.default_rng(2).integers(0, size, 500).astype(np.int32)
    assert count_codes(codes, size + 1).tolist() == np.bincount(codes, minlength=size + 1).tolist()
    assert count_codes(codes[:0], 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize("size", [1, 9, 1000])
def test_rows_are_sorted_by_counting_codes(size: int, short: None) -> None:
    codes = np.random.default_rng(3).integers(0, size, 500)
    rows, ends = sort_codes(codes, size)
    assert rows.tolist() == np.argsort(codes, kind="stable").tolist()
    assert ends.tolist() == np.cumsum(np.bincount(codes, minlength=size)).tolist()


@pytest.mark.parametrize("many", [0, 1, 128, 129, 5000])
def test_small_pieces_become_few_jobs(many: int) -> None:
    assert [one for start, stop in shares(many) for one in range(start, stop)] == list(range(many))
    assert len(shares(many)) <= module.MOST_JOBS
