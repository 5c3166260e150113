"""The search over boxes: all of them on a small grid, those that matter on a large one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.methods.enumeration.kernels.box_greedy import cut_greedily
from sfumato.methods.enumeration.kernels.box_memo import ENTRY_BYTES, Memo, empty_memo
from sfumato.methods.enumeration.kernels.box_search import (
    ANSWERED,
    ASKING,
    CLOSE,
    DEPTH,
    NODES,
    OWN,
    PAUSE_AT,
    PHASE,
    START,
    STOP,
    WORK,
    Frames,
    begin_pass,
    blocks_of,
    empty_frames,
    search,
)
from sfumato.methods.enumeration.kernels.box_table import (
    BoxTable,
    box_bytes,
    box_count,
    box_work,
    describe_boxes,
    empty_table,
    solve_boxes,
    table_blocks,
)
from sfumato.methods.enumeration.kernels.boxes import Problem
from sfumato.methods.enumeration.optimality import GAP, MEMORY, OPTIMUM, ROUNDING, FoundPartition
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.search_limits import SearchLimits

#: If all boxes of a grid together have at most this many cuts, or as many as a search may look at values, all boxes are
#: solved one by one; with a limit on time, if they have no more than this for every second. That is on the safe side.
TABLE_WORK, TABLE_PACE = 200_000_000, 30_000_000

#: So many boxes of a table, or values in a search, are looked at between two looks at the clock.
TABLE_CHUNK, SEARCH_CHUNK = 200_000, 20_000_000

#: Larger sizes of classes that are tried first where models ask for more than a size, and which share of the time each
#: of them gets.
LARGER, STAGE_SHARE = (8, 4, 2), 0.1

#: Boxes within boxes up to this depth; memory for the cuts of each is set aside.
DEEPEST = 2_000


def best_by_boxes(instance: PartitionProblem, limits: SearchLimits) -> FoundPartition:
    """Find the best partition by a search over boxes, starting from Mondrian's."""
    if _all_fit(instance, limits):
        return _solve_all(instance, limits, *_seeded(instance))
    return _search(instance, limits, *_seeded(instance, limits.megabytes))


def _all_fit(instance: PartitionProblem, limits: SearchLimits) -> bool:
    """Return whether all boxes of the grid are few enough to be solved one by one, in memory and in time."""
    slabs = instance.table.grid.slabs
    size = box_count(slabs) * box_bytes(len(slabs) - 1, _values(instance), instance.by_rows)
    most = TABLE_PACE * limits.seconds if limits.seconds is not None else max(TABLE_WORK, limits.most_work(instance))
    return size <= limits.megabytes * 1e6 and box_work(slabs) <= most


def _values(instance: PartitionProblem) -> int:
    """Return how many sensitive values there are to count."""
    return int(instance.requirements.rules.counts_at[-1])


def _seeded(instance: PartitionProblem, megabytes: float = 0.0) -> tuple[Memo, Seed]:
    """Return a memo of this size, or larger if Mondrian's partition needs it, that holds this, and the partition."""
    boxes_of_greedy = 2 * (instance.table.rows // instance.smallest) + 3
    memo = empty_memo(max(boxes_of_greedy, int(megabytes * 1e6 / ENTRY_BYTES)))
    order, problem = instance.table.order(), instance.problem
    whole = instance.value(np.zeros(len(order), np.int32))
    if not problem.costs.by_block:
        greedy = cut_greedily(problem, memo, order, whole)
        return memo, Seed(blocks_of(problem.grid, memo, order), greedy)
    # The kernel cannot tell what its boxes cost, so the memo gets the whole table alone.
    draft = empty_memo(boxes_of_greedy)
    cut_greedily(problem, draft, order, whole)
    blocks = blocks_of(problem.grid, draft, order)
    uncut = problem._replace(costs=problem.costs._replace(smallest=instance.table.rows + 1))
    cut_greedily(uncut, memo, instance.table.order(), whole)
    return memo, Seed(blocks, instance.value(blocks))


class Seed(NamedTuple):
    """Where a search starts: Mondrian's partition with the cuts of the grid, and its cost."""

    blocks: NDArray[np.int32]
    cost: float


def seed_partition(instance: PartitionProblem) -> Seed:
    """Return Mondrian's partition with the cuts of the grid, and its cost."""
    return _seeded(instance)[1]


def _found(
    instance: PartitionProblem, blocks: NDArray[np.int32], bound: float, seed: Seed, nodes: int, ended: str
) -> FoundPartition:
    value = instance.value(blocks)
    if value > seed.cost + abs(seed.cost) * ROUNDING:
        blocks, value = seed.blocks, instance.value(seed.blocks)
    # A cost below its bound can only come from rounding.
    bound = min(bound, value)
    proven = bound >= value - abs(value) * ROUNDING
    return FoundPartition(blocks, value, bound, seed.cost, nodes, OPTIMUM if proven else ended)


def _solve_all(instance: PartitionProblem, limits: SearchLimits, memo: Memo, seed: Seed) -> FoundPartition:
    """Solve every box of a small grid, from the smallest to the whole."""
    problem = instance.problem
    table = empty_table(problem.grid, max(1, _values(instance)), instance.by_rows)
    boxes = len(table.values)
    # The time that compiling takes, on the first run, is not the search's.
    solve_boxes(problem, table, 0, 0, np.empty(0))
    limits = limits.restarted()
    try:
        for first in range(0, boxes, TABLE_CHUNK):
            limits.tell(instance, seed.cost, instance.floor, first)
            if limits.over():
                break
            end = min(first + TABLE_CHUNK, boxes)
            solve_boxes(problem, table, first, end, _more_costs(instance, table, first, end))
        else:
            return _found(instance, table_blocks(problem.grid, table), float(table.values[-1]), seed, boxes, OPTIMUM)
    except KeyboardInterrupt as interrupt:
        limits.interrupts.take(interrupt)
    return _found(instance, seed.blocks, instance.floor, seed, first, limits.reason)


def _more_costs(instance: PartitionProblem, table: BoxTable, first: int, end: int) -> NDArray[np.float64]:
    """Return what some boxes cost by the cost's own function of blocks; nothing where it has none."""
    if not instance.problem.costs.by_block:
        return np.empty(0)
    describe_boxes(instance.problem.grid, table, first, end)
    costs = np.zeros(end - first)
    asked = np.flatnonzero(table.rows[first:end] >= instance.smallest)
    if len(asked):
        bounds, rows = table.bounds[first + asked], table.rows[first + asked].astype(np.int64)
        counts = table.counts[first + asked, : _values(instance)].astype(np.int64)
        costs[asked] = instance.block_costs(rows, bounds[:, 0], bounds[:, 1], counts)
    return costs


def _search(instance: PartitionProblem, limits: SearchLimits, memo: Memo, seed: Seed) -> FoundPartition:
    """Search the boxes in passes, each wider than the one before, until the optimum is proven or time is up."""
    grid = instance.problem.grid
    slabs = int(grid.slabs[-1])
    frames = empty_frames(min(slabs, DEEPEST) + 2, slabs, _values(instance))
    control = np.zeros(7, np.int64)
    order = instance.table.order()
    control[DEPTH] = -1
    search(instance.problem, memo, frames, order, control)
    limits = limits.restarted()
    ended = GAP
    for stage in _stages(instance, limits, seed):
        run = _Run(stage, memo, seed, control)
        for width, large in _passes(slabs, stage):
            begin_pass(frames, grid, control, width, large)
            while control[DEPTH] >= 0:
                run.prepare()
                search(stage.problem, memo, frames, order, control)
                while control[DEPTH] >= 0 and _answered(instance, frames, order, int(control[DEPTH])):
                    search(stage.problem, memo, frames, order, control)
            if control[STOP]:
                ended = limits.reason
            if control[STOP] or run.close_enough():
                break
        if not stage.proving:
            # What was found stays good; what was ruled out was ruled out by the larger size.
            memo.bounds[: memo.used[0], 0] = -np.inf
            memo.cuts[: memo.used[0], 1] = 0
    if not run.close_enough() and memo.used[0] == len(memo.words):
        ended = MEMORY
    return _found(instance, blocks_of(grid, memo, order), run.bounds[0], seed, int(control[NODES]), ended)


def _answered(instance: PartitionProblem, frames: Frames, order: NDArray[np.int32], depth: int) -> bool:
    """Say what a box costs by the cost's own function of blocks, if the search asks for that."""
    places = frames.places[depth]
    if places[PHASE] != ASKING:
        return False
    frames.costs[depth, OWN] = instance.atoms_cost(order[places[START] : places[CLOSE]])
    places[PHASE] = ANSWERED
    return True


class _Stage(NamedTuple):
    """A part of a search: its problem, its limits, and whether its bounds are those of the problem to be solved."""

    instance: PartitionProblem
    problem: Problem
    limits: SearchLimits
    proving: bool


def _stages(instance: PartitionProblem, limits: SearchLimits, seed: Seed) -> Iterator[_Stage]:
    """Yield the problem itself, but before it the same with larger classes, where other models make them large anyway.

    Bounds know little but sizes. Where classes have to be much larger for other reasons, a search that believes in
    small ones is lost in cuts that lead nowhere.
    """
    sizes = np.bincount(seed.blocks, instance.table.grid.rows)
    mean = float(sizes @ sizes / max(1, instance.table.rows))
    sizes_first = [factor * instance.smallest for factor in LARGER if factor * instance.smallest <= mean]
    for done, smallest in enumerate([] if instance.by_rows else sizes_first, 1):
        costs = instance.problem.costs
        floor = instance.objective.floors(instance.table.rows, smallest, instance.price)
        larger = costs._replace(smallest=smallest, floor=np.maximum(floor, costs.floor))
        yield _Stage(instance, instance.problem._replace(costs=larger), limits.until(done * STAGE_SHARE), False)
    yield _Stage(instance, instance.problem, limits, True)


class _Run:
    """A stage between two pauses: whether to go on, and telling how far it is."""

    def __init__(self, stage: _Stage, memo: Memo, seed: Seed, control: NDArray[np.int64]) -> None:
        self.stage, self.memo, self.seed, self.control = stage, memo, seed, control
        self.instance, self.limits = stage.instance, stage.limits

    @property
    def bounds(self) -> tuple[float, float]:
        """What the best partition costs at least and at most."""
        lower, upper = self.memo.bounds[0].tolist()
        floor = self.instance.floor
        return max(lower, floor) if self.stage.proving else floor, min(upper, self.seed.cost)

    def prepare(self) -> None:
        """Decide whether to stop, and when to pause next."""
        try:
            lower, upper = self.bounds
            self.limits.tell(self.instance, upper, lower, int(self.control[NODES]))
        except KeyboardInterrupt as interrupt:
            self.limits.interrupts.take(interrupt)
        self.control[STOP] = self.limits.tired(self.instance, float(self.control[WORK]))
        self.control[PAUSE_AT] = self.control[WORK] + SEARCH_CHUNK

    def close_enough(self) -> bool:
        """Return whether the best partition is as near to its bound as was asked."""
        lower, upper = self.bounds
        gap = self.instance.gap
        enough = lower * (1 + gap) if upper > 0 else lower / (1 + gap)
        return enough >= upper - abs(upper) * 1e-12


def _passes(slabs: int, stage: _Stage) -> Iterator[tuple[int, int]]:
    """Yield how many cuts of a box each pass tries, and of boxes with how many rows at most.

    Small boxes are searched first, within the cuts of the large ones that are known. Then passes over all boxes try few
    cuts at first and all at last. Where spans count, Mondrian's first cuts are seldom good: they are replaced before.
    """
    instance, smallest = stage.instance, stage.problem.costs.smallest
    rows = instance.table.rows
    yield from ((width, rows) for width in ((1, 2) if instance.objective.spread else ()))
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
