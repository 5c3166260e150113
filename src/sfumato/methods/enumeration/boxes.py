"""The search over boxes: all of them on a small grid, those that matter on a large one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.box_greedy import cut_greedily
from sfumato.kernels.box_memo import ENTRY_BYTES, Memo, empty_memo
from sfumato.kernels.box_search import (
    DEPTH,
    NODES,
    PAUSE_AT,
    STOP,
    WORK,
    begin_pass,
    blocks_of,
    empty_frames,
    search,
)
from sfumato.kernels.box_table import box_bytes, box_count, empty_table, solve_boxes, table_blocks
from sfumato.methods.enumeration.instance import Instance
from sfumato.methods.enumeration.optimality import Found
from sfumato.methods.enumeration.watch import Watch

#: With at most this many boxes, all are solved one by one.
MOST_BOXES = 4_000_000

#: So many boxes of a table, or values in a search, are looked at between two looks at the clock.
TABLE_CHUNK, SEARCH_CHUNK = 200_000, 20_000_000

#: Boxes within boxes up to this depth; memory for the cuts of each is set aside.
DEEPEST = 2_000


def best_by_boxes(instance: Instance, watch: Watch) -> Found:
    """Find the best partition by a search over boxes, starting from Mondrian's."""
    if _all_fit(instance, watch):
        return _solve_all(instance, watch, *_seeded(instance))
    return _search(instance, watch, *_seeded(instance, watch.megabytes))


def _all_fit(instance: Instance, watch: Watch) -> bool:
    """Return whether all boxes of the grid are few enough to be solved one by one."""
    slabs = instance.table.grid.slabs
    boxes = box_count(slabs)
    size = box_bytes(len(slabs) - 1, _values(instance), instance.by_rows)
    return boxes <= MOST_BOXES and boxes * size <= watch.megabytes * 1e6


def _values(instance: Instance) -> int:
    """Return how many sensitive values there are to count."""
    return int(instance.requirements.rules.counts_at[-1])


def _seeded(instance: Instance, megabytes: float = 0.0) -> tuple[Memo, float]:
    """Return a memo of this size, or larger if Mondrian's partition needs it, that holds this, and its cost."""
    boxes_of_greedy = 2 * (instance.table.rows // instance.smallest) + 3
    memo = empty_memo(max(boxes_of_greedy, int(megabytes * 1e6 / ENTRY_BYTES)))
    order = instance.table.order()
    whole = instance.value(np.zeros(len(order), np.int32))
    return memo, cut_greedily(instance.problem, memo, order, whole)


def seed_partition(instance: Instance) -> tuple[NDArray[np.int32], float]:
    """Return Mondrian's partition with the cuts of the grid, and its cost."""
    memo, greedy = _seeded(instance)
    return blocks_of(instance.problem.grid, memo, instance.table.order()), greedy


def _found(
    instance: Instance, blocks: NDArray[np.int32], bound: float, greedy: float, nodes: int, interrupted: bool = False
) -> Found:
    value = instance.value(blocks)
    # A cost below its bound can only come from rounding.
    return Found(blocks, value, min(bound, value), greedy, nodes, interrupted)


def _solve_all(instance: Instance, watch: Watch, memo: Memo, greedy: float) -> Found:
    """Solve every box of a small grid, from the smallest to the whole."""
    problem, interrupted = instance.problem, False
    table = empty_table(problem.grid, max(1, _values(instance)), instance.by_rows)
    boxes = len(table.values)
    # The time that compiling takes, on the first run, is not the search's.
    solve_boxes(problem, table, 0, 0)
    watch = watch.restarted()
    try:
        for first in range(0, boxes, TABLE_CHUNK):
            watch.tell(instance, greedy, instance.floor, first)
            if watch.over():
                break
            solve_boxes(problem, table, first, min(first + TABLE_CHUNK, boxes))
        else:
            return _found(instance, table_blocks(problem.grid, table), float(table.values[-1]), greedy, boxes)
    except KeyboardInterrupt:
        interrupted = True
    blocks = blocks_of(problem.grid, memo, instance.table.order())
    return _found(instance, blocks, instance.floor, greedy, first, interrupted)


def _search(instance: Instance, watch: Watch, memo: Memo, greedy: float) -> Found:
    """Search the boxes in passes, each wider than the one before, until the optimum is proven or time is up."""
    grid = instance.problem.grid
    slabs = int(grid.slabs[-1])
    frames = empty_frames(min(slabs, DEEPEST) + 2, slabs)
    control = np.zeros(7, np.int64)
    order = instance.table.order()
    control[DEPTH] = -1
    search(instance.problem, memo, frames, order, control)
    watch = watch.restarted()
    run = _Run(instance, watch, memo, control)
    for width, large in _passes(slabs, instance):
        begin_pass(frames, grid, control, width, large)
        while control[DEPTH] >= 0:
            run.prepare()
            try:
                search(instance.problem, memo, frames, order, control)
            except KeyboardInterrupt:
                run.interrupted = True
        if control[STOP] or run.close_enough():
            break
    bound = max(float(memo.bounds[0, 0]), instance.floor)
    return _found(instance, blocks_of(grid, memo, order), bound, greedy, int(control[NODES]), run.interrupted)


class _Run:
    """A search between two pauses: whether to go on, and telling how far it is."""

    def __init__(self, instance: Instance, watch: Watch, memo: Memo, control: NDArray[np.int64]) -> None:
        self.instance, self.watch, self.memo, self.control = instance, watch, memo, control
        self.interrupted = False

    def prepare(self) -> None:
        """Decide whether to stop, and when to pause next."""
        try:
            lower, upper = self.memo.bounds[0].tolist()
            self.watch.tell(self.instance, upper, max(lower, self.instance.floor), int(self.control[NODES]))
        except KeyboardInterrupt:
            self.interrupted = True
        tired = self.control[WORK] >= self.watch.most_work(self.instance)
        self.control[STOP] = self.interrupted or tired or self.watch.over()
        self.control[PAUSE_AT] = self.control[WORK] + SEARCH_CHUNK

    def close_enough(self) -> bool:
        """Return whether the best partition is as near to its bound as was asked."""
        lower, upper = max(float(self.memo.bounds[0, 0]), self.instance.floor), float(self.memo.bounds[0, 1])
        gap = self.instance.gap
        enough = lower * (1 + gap) if upper > 0 else lower / (1 + gap)
        return enough >= upper - abs(upper) * 1e-12


def _passes(slabs: int, instance: Instance) -> Iterator[tuple[int, int]]:
    """Yield how many cuts of a box each pass tries, and of boxes with how many rows at most.

    Small boxes are searched first, within the cuts of the large ones that are known. Then passes over all boxes try few
    cuts at first and all at last. Where spans count, Mondrian's first cuts are seldom good: they are replaced before.
    """
    rows, smallest = instance.table.rows, instance.smallest
    yield from ((width, rows) for width in ((1, 2) if instance.cost.spread else ()))
    yield slabs, 4 * smallest
    classes = 8
    while classes * smallest < rows:
        yield min(4, slabs), classes * smallest
        classes *= 2
    width = 1
    while width < slabs:
        yield width, rows
        width = max(width + 1, width * 3 // 2)
    yield slabs, rows
