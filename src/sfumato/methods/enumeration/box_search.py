"""The search over boxes: exhaustive on a small grid, branch and bound on a large one."""

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

#: All boxes of a grid are solved one by one if together they have at most ``TABLE_WORK`` cuts, or the work limit of the
#: search if that is more; with a time limit, at most ``TABLE_PACE`` cuts per second. Both are conservative.
TABLE_WORK, TABLE_PACE = 200_000_000, 30_000_000

#: The number of boxes of a table, or of values in a search, processed between two checks of the clock.
TABLE_CHUNK, SEARCH_CHUNK = 200_000, 20_000_000

#: If models require more than a size, searches with these multiples of the smallest class size come first, each with
#: this share of the time.
LARGER, STAGE_SHARE = (8, 4, 2), 0.1

#: The greatest depth of nested boxes; memory for the cuts of each is reserved.
DEEPEST = 2_000


def best_by_boxes(instance: PartitionProblem, limits: SearchLimits) -> FoundPartition:
    """Find the best partition by a search over boxes, starting from Mondrian's."""
    if _all_fit(instance, limits):
        return _solve_all(instance, limits, *_seeded(instance))
    return _search(instance, limits, *_seeded(instance, limits.megabytes))


def _all_fit(instance: PartitionProblem, limits: SearchLimits) -> bool:
    """Whether solving all boxes of the grid one by one fits into the memory and the time."""
    slabs = instance.table.grid.slabs
    size = box_count(slabs) * box_bytes(len(slabs) - 1, _values(instance), instance.by_rows)
    most = TABLE_PACE * limits.seconds if limits.seconds is not None else max(TABLE_WORK, limits.most_work(instance))
    return size <= limits.megabytes * 1e6 and box_work(slabs) <= most


def _values(instance: PartitionProblem) -> int:
    """The number of distinct sensitive values to count."""
    return int(instance.requirements.rules.counts_at[-1])


def _seeded(instance: PartitionProblem, megabytes: float = 0.0) -> tuple[Memo, Seed]:
    """Create a memo of this size, or larger if Mondrian's partition needs it, and enter that partition."""
    boxes_of_greedy = 2 * (instance.table.rows // instance.smallest) + 3
    memo = empty_memo(max(boxes_of_greedy, int(megabytes * 1e6 / ENTRY_BYTES)))
    order, problem = instance.table.order(), instance.problem
    whole = instance.value(np.zeros(len(order), np.int32))
    if not problem.costs.by_block:
        greedy = cut_greedily(problem, memo, order, whole)
        return memo, Seed(blocks_of(problem.grid, memo, order), greedy)
    # Only Python can compute the costs of the boxes, so just the whole table is entered into the memo.
    draft = empty_memo(boxes_of_greedy)
    cut_greedily(problem, draft, order, whole)
    blocks = blocks_of(problem.grid, draft, order)
    uncut = problem._replace(costs=problem.costs._replace(smallest=instance.table.rows + 1))
    cut_greedily(uncut, memo, instance.table.order(), whole)
    return memo, Seed(blocks, instance.value(blocks))


class Seed(NamedTuple):
    """The start of a search: Mondrian's partition with the cuts of the grid, and its cost."""

    blocks: NDArray[np.int32]
    cost: float


def seed_partition(instance: PartitionProblem) -> Seed:
    """Compute Mondrian's partition with the cuts of the grid, and its cost."""
    return _seeded(instance)[1]


def _found(
    instance: PartitionProblem, blocks: NDArray[np.int32], bound: float, seed: Seed, nodes: int, ended: str
) -> FoundPartition:
    value = instance.value(blocks)
    if value > seed.cost + abs(seed.cost) * ROUNDING:
        blocks, value = seed.blocks, instance.value(seed.blocks)
    # Only rounding can make a cost fall below its bound.
    bound = min(bound, value)
    proven = bound >= value - abs(value) * ROUNDING
    return FoundPartition(blocks, value, bound, seed.cost, nodes, OPTIMUM if proven else ended)


def _solve_all(instance: PartitionProblem, limits: SearchLimits, memo: Memo, seed: Seed) -> FoundPartition:
    """Solve every box of a small grid, from single cells to the whole."""
    problem = instance.problem
    table = empty_table(problem.grid, max(1, _values(instance)), instance.by_rows)
    boxes = len(table.values)
    # Compile before the clock starts.
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
    """The costs of some boxes by the objective's function of blocks; empty if it has none."""
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
    """Search the boxes in passes, each wider than the one before, until the optimum is proven or a limit is reached."""
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
            # The partitions found remain valid; lower bounds do not, since they assumed the larger size.
            memo.bounds[: memo.used[0], 0] = -np.inf
            memo.cuts[: memo.used[0], 1] = 0
    if not run.close_enough() and memo.used[0] == len(memo.words):
        ended = MEMORY
    return _found(instance, blocks_of(grid, memo, order), run.bounds[0], seed, int(control[NODES]), ended)


def _answered(instance: PartitionProblem, frames: Frames, order: NDArray[np.int32], depth: int) -> bool:
    """Supply the cost of a box by the objective's function of blocks, if the search is waiting for it."""
    places = frames.places[depth]
    if places[PHASE] != ASKING:
        return False
    frames.costs[depth, OWN] = instance.atoms_cost(order[places[START] : places[CLOSE]])
    places[PHASE] = ANSWERED
    return True


class _Stage(NamedTuple):
    """A stage of a search: its problem, its limits, and whether its bounds hold for the original problem."""

    instance: PartitionProblem
    problem: Problem
    limits: SearchLimits
    proving: bool


def _stages(instance: PartitionProblem, limits: SearchLimits, seed: Seed) -> Iterator[_Stage]:
    """Yield the problem itself, preceded by variants with larger classes if the models make classes large anyway.

    Bounds depend mostly on sizes. If other models force much larger classes, a search that assumes small ones wastes
    its time on cuts that are not allowed.
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
    """Runs a stage between two pauses: decides whether to go on, and reports progress."""

    def __init__(self, stage: _Stage, memo: Memo, seed: Seed, control: NDArray[np.int64]) -> None:
        self.stage, self.memo, self.seed, self.control = stage, memo, seed, control
        self.instance, self.limits = stage.instance, stage.limits

    @property
    def bounds(self) -> tuple[float, float]:
        """The lower and the upper bound of the cost of the best partition."""
        lower, upper = self.memo.bounds[0].tolist()
        floor = self.instance.floor
        return max(lower, floor) if self.stage.proving else floor, min(upper, self.seed.cost)

    def prepare(self) -> None:
        """Report progress, decide whether to stop, and set the next pause."""
        try:
            lower, upper = self.bounds
            self.limits.tell(self.instance, upper, lower, int(self.control[NODES]))
        except KeyboardInterrupt as interrupt:
            self.limits.interrupts.take(interrupt)
        self.control[STOP] = self.limits.tired(self.instance, float(self.control[WORK]))
        self.control[PAUSE_AT] = self.control[WORK] + SEARCH_CHUNK

    def close_enough(self) -> bool:
        """Whether the gap between the best partition and its bound is as small as requested."""
        lower, upper = self.bounds
        gap = self.instance.gap
        enough = lower * (1 + gap) if upper > 0 else lower / (1 + gap)
        return enough >= upper - abs(upper) * 1e-12


def _passes(slabs: int, stage: _Stage) -> Iterator[tuple[int, int]]:
    """Yield for each pass how many cuts of a box it tries, and the most rows of a box whose cuts it reconsiders.

    Small boxes are searched first, within the known cuts of large ones. Then passes over all boxes try few cuts at
    first and all in the end. If spans count, Mondrian's first cuts are seldom good, so these are reconsidered before.
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
