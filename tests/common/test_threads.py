"""Work that threads share comes out in order, whole, and no sooner than asked for."""

from __future__ import annotations

import time

import pytest

from sfumato.common.threads import CHUNK, in_chunks, in_order, side_by_side


def slow_first(piece: int) -> int:
    time.sleep(0.02 if piece == 0 else 0)
    return piece * piece


def failing(piece: int) -> int:
    if piece == 2:
        raise ValueError("piece 2")
    return piece


@pytest.mark.parametrize("pieces", [[], [3], list(range(20))])
def test_what_becomes_of_pieces_is_in_their_order(pieces: list[int]) -> None:
    assert side_by_side(slow_first, iter(pieces)) == [piece * piece for piece in pieces]
    assert list(in_order(slow_first, iter(pieces), 2)) == [piece * piece for piece in pieces]


def test_a_failure_of_any_piece_is_raised() -> None:
    with pytest.raises(ValueError, match="piece 2"):
        side_by_side(failing, range(5))
    with pytest.raises(ValueError, match="piece 2"):
        list(in_order(failing, range(5), 1))


@pytest.mark.parametrize("workers", [1, 3])
def test_only_so_many_pieces_are_taken_before_the_first_is_asked_for(workers: int) -> None:
    taken = []
    found = in_order(slow_first, (taken.append(piece) or piece for piece in range(10)), workers)
    assert not taken
    for done, _ in enumerate(found, start=1):
        assert len(taken) == min(10, workers + done)


def test_chunks_are_all_rows_once() -> None:
    for rows in (0, 1, CHUNK, 3 * CHUNK + 1):
        seen: list[int] = []
        in_chunks(rows, lambda start, stop, seen=seen: seen.extend(range(start, stop)))
        assert sorted(seen) == list(range(rows))
