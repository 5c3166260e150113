"""Branch and bound over boxes with a memo of every box visited.

The best partition of a box is the box itself, or the best cut into two boxes with the best partition of each. A pass
tries at most ``width`` cuts of each box, the most promising first: narrow passes soon find good partitions, and a pass
that tries all cuts proves the optimum. Bounds are valid after any pass, finished or not. The search has an explicit
stack, so that it can pause at any box and continue later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.numba.decorators import inner, kernel
from sfumato.methods.enumeration.kernels.box_memo import LEFT_OUT, WHOLE, Memo, add_entry, find_entry
from sfumato.methods.enumeration.kernels.box_sides import (
    COSTS_ITS_SIZE,
    FORBIDDEN,
    UNKNOWN,
    judge_side,
    looks_ahead,
    sum_values,
)
from sfumato.methods.enumeration.kernels.boxes import (
    Grid,
    Problem,
    class_cost,
    find_spans,
    move_left,
    narrowed,
    sum_slabs,
)

#: The entries of ``control``. The caller writes the first four and reads the others.
STOP, WIDTH, LARGE, PAUSE_AT, NODES, WORK, DEPTH = range(7)

#: The columns of ``Frames.places``.
START, CLOSE, MIDDLE, ENTRY, CUT, CHOSEN, TRIED, PHASE, ROWS = range(9)

#: The columns of ``Frames.costs``: the bound at which the box no longer matters, its lower and upper bound, its cost
#: without a cut, and the cost of the left side of the chosen cut.
LIMIT, LOWER, UPPER, OWN, LEFT = range(5)

#: The columns of ``Frames.sides``: the sum of floors on the left, the lower bounds of both sides, the cut's promise.
FLOOR, LEFT_LOWER, RIGHT_LOWER, PROMISE = range(4)

#: The state of a frame.
NEW, ANSWERED, NEXT_CUT, LEFT_SIDE, RIGHT_SIDE, ASKING = range(6)

#: The preference for even cuts, in rows: enough to decide between equal bounds.
EVENNESS = 1e-3

#: Costs that differ by less than this share count as equal: sums of fractions depend on their order.
ROUNDING = 1e-12


class Frames(NamedTuple):
    """The stack: all boxes from the whole table down to the current one, and their cuts.

    A cut has the number of the slab on its left; ``rows`` and ``words`` are sums over the atoms on its left, and so are
    the sensitive ``counts``, which are kept for the current box only.
    """

    places: NDArray[np.int64]
    costs: NDArray[np.float64]
    names: NDArray[np.uint64]
    rows: NDArray[np.int64]
    words: NDArray[np.uint64]
    sides: NDArray[np.float64]
    counts: NDArray[np.int64]


def empty_frames(depth: int, slabs: int, values: int) -> Frames:
    """Create a stack for this depth; the system commits memory only as it is used."""
    return Frames(
        np.empty((depth, 9), np.int64),
        np.empty((depth, 5)),
        np.empty((depth, 2), np.uint64),
        np.empty((depth, slabs), np.int64),
        np.empty((depth, slabs, 2), np.uint64),
        np.empty((depth, slabs, 4)),
        np.empty((slabs, max(1, values)), np.int64),
    )


def begin_pass(frames: Frames, grid: Grid, control: NDArray[np.int64], width: int, large: int) -> None:
    """Push the whole table, for a pass that tries ``width`` cuts of each box.

    Boxes of more than ``large`` rows are cut only as the best known partition cuts them.
    """
    rows = grid.rows.sum()
    frames.places[0] = 0, len(grid.rows), 0, -1, WHOLE, 0, 0, NEW, rows
    frames.costs[0] = np.inf, -np.inf, np.inf, np.inf, np.inf
    frames.names[0] = grid.words.sum(axis=0)
    control[WIDTH], control[LARGE], control[DEPTH] = width, large, 0


@kernel
def search(problem: Problem, memo: Memo, frames: Frames, order: NDArray[np.int32], control: NDArray[np.int64]) -> None:
    """Continue a pass until it ends (``control[DEPTH]`` is -1) or it is time to pause.

    Entry 0 of the memo, the whole table, has the result. If only the caller can compute the cost of a class, the search
    also pauses with a frame in the state ``ASKING``; the caller writes the additional cost to ``OWN`` and continues.
    """
    depth = control[DEPTH]
    while depth >= 0 and (control[WORK] < control[PAUSE_AT] or control[STOP]):
        phase = frames.places[depth, PHASE]
        if phase <= ANSWERED:
            done = phase == NEW and recall(problem, memo, frames, depth, control)
            if not done and phase == NEW and problem.costs.by_block:
                frames.places[depth, PHASE] = ASKING
                break
            if not done:
                done = look(problem, memo, frames, order, depth, control)
        else:
            done = False
            take_side(problem, frames, depth)
        if not done and frames.places[depth, PHASE] == NEXT_CUT:
            done = not choose_cut(problem, memo, frames, order, depth, control)
        if done:
            depth -= 1
        else:
            push_side(frames, depth)
            depth += 1
    control[DEPTH] = depth


@inner
def put(frames: Frames, depth: int, start: int, close: int, rows: int, first: np.uint64, second: np.uint64) -> None:
    """Push a box."""
    frames.places[depth, ROWS] = rows
    frames.places[depth, START], frames.places[depth, CLOSE] = start, close
    frames.places[depth, ENTRY], frames.places[depth, CUT] = -1, WHOLE
    frames.places[depth, TRIED], frames.places[depth, PHASE] = 0, NEW
    frames.names[depth, 0], frames.names[depth, 1] = first, second
    frames.costs[depth, LOWER], frames.costs[depth, UPPER] = -np.inf, np.inf


@inner
def push_side(frames: Frames, depth: int) -> None:
    """Push the side of the chosen cut for which the frame waits."""
    cut, middle = frames.places[depth, CHOSEN], frames.places[depth, MIDDLE]
    first, second = frames.words[depth, cut, 0], frames.words[depth, cut, 1]
    goal = min(frames.costs[depth, LIMIT], frames.costs[depth, UPPER])
    start, close, rows = frames.places[depth, START], middle, frames.rows[depth, cut]
    limit = goal - frames.sides[depth, cut, RIGHT_LOWER]
    if frames.places[depth, PHASE] == RIGHT_SIDE:
        start, close, rows = middle, frames.places[depth, CLOSE], frames.places[depth, ROWS] - rows
        first, second = frames.names[depth, 0] - first, frames.names[depth, 1] - second
        limit = goal - frames.sides[depth, cut, LEFT_LOWER]
    put(frames, depth + 1, start, close, rows, first, second)
    frames.costs[depth + 1, LIMIT] = limit


@inner
def recall(problem: Problem, memo: Memo, frames: Frames, depth: int, control: NDArray[np.int64]) -> bool:
    """Look up a new box in the memo; return whether its entry is sufficient."""
    entry = find_entry(memo, frames.names[depth, 0], frames.names[depth, 1])
    frames.places[depth, ENTRY] = entry
    if entry >= 0:
        frames.costs[depth, LOWER], frames.costs[depth, UPPER] = memo.bounds[entry, 0], memo.bounds[entry, 1]
        frames.places[depth, CUT] = memo.cuts[entry, 0]
        known = memo.cuts[entry, 1] >= control[WIDTH] and frames.places[depth, ROWS] <= control[LARGE]
        if known or not worthwhile(problem, frames, depth, memo.bounds[entry, 0]):
            return True
    return control[STOP] != 0 or depth + 1 == len(frames.places)


@inner
def worthwhile(problem: Problem, frames: Frames, depth: int, lower: float) -> bool:
    """Whether a partition with this lower bound could be sufficiently better than the best known one, and matter."""
    upper = frames.costs[depth, UPPER]
    if lower >= upper or lower >= frames.costs[depth, LIMIT]:
        return False
    if upper == np.inf:
        return True
    gap = problem.costs.gap
    enough = lower * (1 + gap) if upper > 0 else lower / (1 + gap)
    return enough < upper - abs(upper) * ROUNDING


@inner
def look(
    problem: Problem,
    memo: Memo,
    frames: Frames,
    order: NDArray[np.int32],
    depth: int,
    control: NDArray[np.int64],
) -> bool:
    """Visit a box: compute its cost without a cut and the bounds of all its cuts; return whether it is hopeless."""
    start, close = frames.places[depth, START], frames.places[depth, CLOSE]
    control[NODES] += 1
    control[WORK] += (close - start) * problem.grid.cells.shape[1] + 10 * problem.grid.slabs[-1]
    sum_slabs(problem.grid, order, start, close, frames.rows[depth], frames.words[depth], frames.sides[depth])
    rows = frames.places[depth, ROWS]
    own, kind = class_cost(problem, order, start, close, rows), WHOLE
    if problem.costs.by_block:
        own += frames.costs[depth, OWN]
    if rows * problem.costs.suppressed < own:
        own, kind = rows * problem.costs.suppressed, LEFT_OUT
    frames.costs[depth, OWN] = own
    if own < frames.costs[depth, UPPER]:
        frames.costs[depth, UPPER], frames.places[depth, CUT] = own, kind
    hopeless = own == np.inf and problem.costs.monotone
    if hopeless:
        frames.costs[depth, LOWER] = np.inf
    if frames.places[depth, ENTRY] < 0:
        frames.places[depth, ENTRY] = add_entry(
            memo,
            frames.names[depth, 0],
            frames.names[depth, 1],
            frames.costs[depth, LOWER],
            frames.costs[depth, UPPER],
            frames.places[depth, CUT],
        )
    if not hopeless:
        # Spans are not needed if sizes decide everything.
        bounds = find_spans(problem.grid, order, start, start + 1 if problem.costs.by_rows else close)
        ahead = looks_ahead(problem)
        if ahead:
            sum_values(problem.grid, order, start, close, frames.counts)
            control[WORK] += frames.counts.size
        weigh_cuts(problem, memo, frames, depth, bounds, ahead)
        frames.places[depth, PHASE] = NEXT_CUT
    return hopeless


@inner
def weigh_cuts(
    problem: Problem, memo: Memo, frames: Frames, depth: int, bounds: NDArray[np.int64], ahead: bool
) -> None:
    """Bound both sides of every cut of a box.

    A cut after an empty slab divides the rows exactly like the cut before it, so it is skipped.
    """
    slabs, costs = problem.grid.slabs, problem.costs
    rows, words, sides = frames.rows[depth], frames.words[depth], frames.sides[depth]
    for attribute in range(len(slabs) - 1):
        last = slabs[attribute + 1] - 1
        before = 0
        for cut in range(slabs[attribute], last + 1):
            left, right = rows[cut], rows[last] - rows[cut]
            new = left > before and right > 0
            before = left
            sides[cut, LEFT_LOWER] = sides[cut, RIGHT_LOWER] = sides[cut, PROMISE] = np.inf
            if not new:
                continue
            total, promise = 0.0, 0.0
            for side in range(2):
                floor, first, second, size = sides[cut, FLOOR], words[cut, 0], words[cut, 1], left
                if side == 1:
                    floor, size = sides[last, FLOOR] - floor, right
                    first, second = words[last, 0] - first, words[last, 1] - second
                judged = COSTS_ITS_SIZE if costs.by_rows and size >= costs.smallest else UNKNOWN
                if ahead and size >= costs.smallest:
                    judged = judge_side(problem, frames.counts, bounds, attribute, cut, side == 1, size)
                lower, upper = side_bounds(problem, memo, size, judged, floor, first, second)
                sides[cut, RIGHT_LOWER if side else LEFT_LOWER] = lower
                total += upper
                promise += lower
            if costs.spread > 0:
                floor = costs.floor[left] + costs.floor[right]
                promise = min(total, floor + narrowed(problem, bounds, attribute, cut, left, right))
            else:
                # Among equal bounds, the more even cut comes first.
                promise += EVENNESS * (left * left + right * right) / rows[last]
            sides[cut, PROMISE] = promise
            improve(frames, depth, total, cut)


@inner
def improve(frames: Frames, depth: int, cost: float, cut: int) -> None:
    """Record a cut that gives a better partition; without a memo entry it could not be reconstructed."""
    upper = frames.costs[depth, UPPER]
    better = cost < upper - abs(upper) * ROUNDING if upper < np.inf else cost < np.inf
    if better and frames.places[depth, ENTRY] >= 0:
        frames.costs[depth, UPPER], frames.places[depth, CUT] = cost, cut


@inner
def side_bounds(
    problem: Problem, memo: Memo, rows: int, judged: int, floor: float, first: np.uint64, second: np.uint64
) -> tuple[float, float]:
    """Bound the cost of a box that may not have been visited yet, from below and from above."""
    costs = problem.costs
    if judged == FORBIDDEN:
        return np.inf, np.inf
    lower, upper = max(costs.floor[rows], floor), rows * costs.suppressed
    if judged == COSTS_ITS_SIZE:
        upper = min(upper, costs.by_size[rows])
        if rows < 2 * costs.smallest and costs.suppressed == np.inf:
            return upper, upper
    entry = find_entry(memo, first, second)
    if entry >= 0:
        lower, upper = max(lower, memo.bounds[entry, 0]), min(upper, memo.bounds[entry, 1])
    return lower, upper


@inner
def choose_cut(
    problem: Problem,
    memo: Memo,
    frames: Frames,
    order: NDArray[np.int32],
    depth: int,
    control: NDArray[np.int64],
) -> bool:
    """Choose the most promising untried cut that may help; if there is none, finish the box."""
    sides = frames.sides[depth]
    best, unlimited, lowest = -1, True, frames.costs[depth, OWN]
    least = np.inf
    for cut in range(len(sides)):
        lower = sides[cut, LEFT_LOWER] + sides[cut, RIGHT_LOWER]
        lowest = min(lowest, lower)
        if sides[cut, PROMISE] < np.inf:
            if worthwhile(problem, frames, depth, lower):
                if sides[cut, PROMISE] < least:
                    best, least = cut, sides[cut, PROMISE]
            elif frames.costs[depth, LIMIT] <= lower < frames.costs[depth, UPPER]:
                unlimited = False
    frames.costs[depth, LOWER] = max(frames.costs[depth, LOWER], lowest)
    entry, incumbent = frames.places[depth, ENTRY], frames.places[depth, CUT]
    large = frames.places[depth, ROWS] > control[LARGE]
    if large and best >= 0 and incumbent >= 0 and sides[incumbent, PROMISE] < np.inf:
        best = incumbent
    exhausted = best < 0 or frames.places[depth, TRIED] == (1 if large else control[WIDTH])
    if entry >= 0:
        memo.bounds[entry, 0], memo.bounds[entry, 1] = frames.costs[depth, LOWER], frames.costs[depth, UPPER]
        memo.cuts[entry, 0] = frames.places[depth, CUT]
        if exhausted and unlimited and not large:
            memo.cuts[entry, 1] = control[WIDTH]
    if exhausted or control[STOP]:
        return False
    sides[best, PROMISE] = np.inf
    start, close = frames.places[depth, START], frames.places[depth, CLOSE]
    frames.places[depth, MIDDLE] = move_left(problem.grid, order, start, close, best)
    frames.places[depth, CHOSEN], frames.places[depth, PHASE] = best, LEFT_SIDE
    frames.places[depth, TRIED] += 1
    return True


@inner
def take_side(problem: Problem, frames: Frames, depth: int) -> None:
    """Use the result of a side of the chosen cut; after the left side comes the right one, if that can still help."""
    cut = frames.places[depth, CHOSEN]
    lower, upper = frames.costs[depth + 1, LOWER], frames.costs[depth + 1, UPPER]
    sides = frames.sides[depth]
    if frames.places[depth, PHASE] == LEFT_SIDE:
        sides[cut, LEFT_LOWER] = max(sides[cut, LEFT_LOWER], lower)
        frames.costs[depth, LEFT] = upper
        if worthwhile(problem, frames, depth, sides[cut, LEFT_LOWER] + sides[cut, RIGHT_LOWER]):
            frames.places[depth, PHASE] = RIGHT_SIDE
            return
    else:
        sides[cut, RIGHT_LOWER] = max(sides[cut, RIGHT_LOWER], lower)
        improve(frames, depth, frames.costs[depth, LEFT] + upper, cut)
    # A cut that turns out not to be allowed is not counted as tried.
    frames.places[depth, TRIED] -= lower == np.inf
    frames.places[depth, PHASE] = NEXT_CUT


@inner
def sum_words(grid: Grid, order: NDArray[np.int32], start: int, close: int) -> NDArray[np.uint64]:
    """The key of a box in the memo: the sum of the random words of its atoms."""
    total = np.zeros(2, np.uint64)
    for at in range(start, close):
        total[0] += grid.words[order[at], 0]
        total[1] += grid.words[order[at], 1]
    return total


@kernel
def blocks_of(grid: Grid, memo: Memo, order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Find the block of every atom in the best known partition, -1 if its rows are left out."""
    blocks = np.empty(len(order), np.int32)
    # The boxes on the stack are disjoint, so each has an atom of its own.
    waiting = np.empty((len(order) + 1, 2), np.int64)
    waiting[0, 0], waiting[0, 1] = 0, len(order)
    count, block = 1, 0
    while count:
        count -= 1
        start, close = waiting[count, 0], waiting[count, 1]
        total = sum_words(grid, order, start, close)
        entry = find_entry(memo, total[0], total[1])
        cut = memo.cuts[entry, 0] if entry >= 0 else WHOLE
        if cut >= 0:
            middle = move_left(grid, order, start, close, cut)
            waiting[count, 0], waiting[count, 1] = middle, close
            waiting[count + 1, 0], waiting[count + 1, 1] = start, middle
            count += 2
            continue
        for at in range(start, close):
            blocks[order[at]] = -1 if cut == LEFT_OUT else block
        block += cut != LEFT_OUT
    return blocks
