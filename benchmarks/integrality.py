"""How near prices can come at all: the linear program against the optimum, on tables small enough to be solved exactly.

The program is solved over all sets of k rows, without Sfumato's search. Classes that cost more beyond their prices than
the optimum lies above the program take no part in it, so the optimum is found among all others, as a whole-number
program. ``SFUMATO_SEEDS`` is the number of draws, 10 if it is not set. The figures also go to
``benchmarks/results/integrality.csv``, one line per draw.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import highspy
import numpy as np
from numpy.typing import NDArray

from benchmarks.gaps import people
from benchmarks.measure import RESULTS, Result
from sfumato.loss import METRICS, RecodedTable, bound_by
from sfumato.methods import Proven, Task
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses

SEEDS = int(os.environ.get("SFUMATO_SEEDS", "10"))

#: The tables by their names in `benchmarks.gaps`, with k and the number of rows.
CASES = [
    *((f"numbers {columns}", 3, 48) for columns in (1, 2, 3, 4, 6)),
    ("numbers 2", 3, 24),
    ("numbers 2", 5, 36),
    ("Adult", 3, 48),
    ("census", 3, 48),
]

#: The share above the program in which the optimum is looked for first, and by which factor it grows.
FIRST, GROWTH = 0.01, 1.5

#: The most seconds for a whole-number program, and the most classes in it.
SECONDS, MOST = 60.0, 60_000

Sets = NDArray[np.int16]


@dataclass(frozen=True)
class Solved:
    """What a draw gave: the value of the program, the optimum, and what `proven` found and proved."""

    program: float
    optimum: float
    loss: float
    bound: float


def run() -> Iterator[Result]:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "integrality.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "k", "rows", "seed", "program", "optimum", "loss", "bound"])
        for name, k, rows in CASES:
            found = people(name)
            if found is None:
                continue
            draws = []
            for seed in range(SEEDS):
                table = encode(found.drawn(rows, seed), dict(found.hierarchies), ())
                if (solved := solve(table, k)) is None:
                    continue
                draws.append(solved)
                writer.writerow([name, k, rows, seed, *(f"{figure:.6f}" for figure in vars(solved).values())])
                file.flush()
            if draws:
                yield summary(f"{name}, k={k}, {rows} rows", draws)


def summary(name: str, draws: list[Solved]) -> Result:
    """How far the optimum lies above the program, on average over the draws that were solved."""
    gaps = [one.optimum / one.program - 1 for one in draws]
    lost = [one.loss / one.optimum - 1 for one in draws]
    unproven = [1 - one.bound / one.program for one in draws]
    note = (
        f"{len(draws)} of {SEEDS} draws: {min(gaps):.1%} to {max(gaps):.1%}; proven loses {np.mean(lost):.1%} more "
        f"than the optimum, its bound is {np.mean(unproven):.1%} below the program"
    )
    return Result(f"{name}: the optimum above the program", float(np.mean(gaps)) * 100, unit="%", note=note)


def solve(table: Microdata, k: int) -> Solved | None:
    """Solve one table; None if that takes too long."""
    codes = table.codes.astype(np.int64)
    sets = np.array(list(combinations(range(len(table)), k)), np.int16)
    requirements = Requirements((KAnonymity(k),), table)
    recoding = Proven().run(Task(table, requirements))
    loss = METRICS["gcp"].measure(RecodedTable(table, EquivalenceClasses.of(table, recoding)))
    bound = float(bound_by(np.asarray(recoding.details.get("row_prices"))))
    prices = program_prices(sets, losses(table, codes, sets), k)
    total = float(prices.sum())
    # No optimum lies farther above the program than a release does.
    above, most = FIRST, loss * len(table) / total - 1 + 1e-9
    while True:
        above = min(above, most)
        classes = cheap_classes(table, codes, sets, prices, above * total, k)
        if sum(map(len, classes)) > MOST:
            return None
        found = best_partition(table, codes, classes)
        if found is None:
            return None
        if found <= total * (1 + above) + 1e-7:
            break
        above = above * GROWTH if np.isinf(found) else found / total - 1 + 1e-9
    assert bound <= total / len(table) + 1e-9, "what is proven exceeds the program"
    assert loss >= found / len(table) - 1e-9, "a release loses less than the optimum"
    return Solved(total / len(table), found / len(table), loss, bound)


def losses(table: Microdata, codes: NDArray[np.int64], sets: Sets) -> NDArray[np.float64]:
    """What each row of every set loses if it is a class."""
    members = codes[sets]
    found: NDArray[np.float64] = table.penalties(members.min(axis=1), members.max(axis=1))
    return found


def program_prices(sets: Sets, lost: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """The prices with the highest sum under which no set of k rows pays more than it loses.

    Larger classes need no condition of their own: the k rows that pay most lose no more than the class.
    """
    rows = int(sets.max()) + 1
    used = np.zeros(len(sets), np.bool_)
    used[np.argsort(lost, kind="stable")[: 4 * rows]] = True
    while True:
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = rows, int(used.sum())
        program.col_cost_ = -np.ones(rows)
        program.col_lower_, program.col_upper_ = np.zeros(rows), np.full(rows, float(k))
        program.row_lower_, program.row_upper_ = np.full(program.num_row_, -highspy.kHighsInf), lost[used] * k
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.arange(0, used.sum() * k + 1, k).astype(np.int32)
        program.a_matrix_.index_ = sets[used].ravel().astype(np.int32)
        program.a_matrix_.value_ = np.ones(program.num_row_ * k)
        prices = np.array(solved(program).getSolution().col_value)
        excess = prices[sets].sum(axis=1) - k * lost
        worst = np.argsort(-excess, kind="stable")[: 5 * rows]
        worst = worst[excess[worst] > 1e-9]
        if not len(worst):
            return prices
        used[worst] = True


def cheap_classes(
    table: Microdata, codes: NDArray[np.int64], sets: Sets, prices: NDArray[np.float64], most: float, k: int
) -> list[Sets]:
    """All classes of k to 2k - 1 rows that lose at most so much more than their rows pay, by size.

    Without the row that pays least a class loses no more beyond its prices, so each is found from a smaller one.
    """
    found: list[Sets] = []
    for size in range(k, 2 * k):
        if size > k:
            sets = grown(found[-1], len(prices))
        beyond = size * losses(table, codes, sets) - prices[sets].sum(axis=1) if len(sets) else np.zeros(0)
        found.append(sets[beyond <= most + 1e-9])
    return found


def grown(sets: Sets, rows: int) -> Sets:
    """All sets with one more row."""
    wider = [
        np.column_stack([free, np.full(len(free), row, np.int16)])
        for row in range(rows)
        for free in [sets[~(sets == row).any(axis=1)]]
    ]
    return np.unique(np.sort(np.concatenate(wider), axis=1), axis=0)


def best_partition(table: Microdata, codes: NDArray[np.int64], classes: list[Sets]) -> float | None:
    """The least loss of all partitions into some classes, infinite if there is none; None if it takes too long."""
    program = highspy.HighsLp()
    costs = np.concatenate([one.shape[1] * losses(table, codes, one) for one in classes if len(one)])
    sizes = np.concatenate([np.full(len(one), one.shape[1]) for one in classes])
    program.num_col_, program.num_row_ = len(costs), len(codes)
    program.col_cost_ = costs
    program.col_lower_, program.col_upper_ = np.zeros(len(costs)), np.ones(len(costs))
    program.row_lower_ = program.row_upper_ = np.ones(len(codes))
    program.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    program.a_matrix_.start_ = np.append(0, np.cumsum(sizes)).astype(np.int32)
    program.a_matrix_.index_ = np.concatenate([one.ravel() for one in classes]).astype(np.int32)
    program.a_matrix_.value_ = np.ones(int(sizes.sum()))
    program.integrality_ = [highspy.HighsVarType.kInteger] * len(costs)
    solver = solved(program, {"time_limit": SECONDS, "mip_rel_gap": 0.0})
    if solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
        return float("inf")
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return None
    return float(solver.getInfo().objective_function_value)


def solved(program: highspy.HighsLp, options: dict[str, Any] | None = None) -> highspy.Highs:
    """Run the solver."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in ({"output_flag": False, "threads": 1} | (options or {})).items():
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    return solver
