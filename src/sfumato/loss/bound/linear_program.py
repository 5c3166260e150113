"""The linear program: the highest prices that known boxes allow. HiGHS solves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sfumato.loss.bound.row_prices import OverpricedBoxes

#: The optimality tolerance of the interior point method: its result is repaired anyway.
TOLERANCE = 3e-4


class ProgramSolution(NamedTuple):
    """The prices with the highest sum, and the dual multiplier of every box."""

    prices: NDArray[np.float64]
    multipliers: NDArray[np.float64]


def highest_prices(
    pool: OverpricedBoxes,
    counts: NDArray[np.int64],
    lowest: NDArray[np.float64],
    highest: NDArray[np.float64],
    k: int,
    seconds: float = np.inf,
) -> ProgramSolution | None:
    """Find the prices between two limits with the highest sum that overprice no box of the pool.

    Rows whose two limits are 0 take no part. None if the solver gave up or ran out of time.
    """
    import highspy  # noqa: PLC0415 (few requests need it)

    paying = np.flatnonzero(highest > 0)
    place = np.full(len(counts) + 1, -1, np.int64)
    place[paying] = np.arange(len(paying))
    columns = place[pool.rows]
    used = columns >= 0
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(paying), len(pool)
    program.col_cost_ = -counts[paying].astype(np.float64)
    program.col_lower_, program.col_upper_ = lowest[paying], highest[paying]
    program.row_lower_, program.row_upper_ = np.full(len(pool), -highspy.kHighsInf), pool.limits * k
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.append(0, np.cumsum(used.sum(axis=1))).astype(np.int32)
    program.a_matrix_.index_ = columns[used].astype(np.int32)
    program.a_matrix_.value_ = pool.times[used].astype(np.float64)
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (_OPTIONS | {"time_limit": seconds}).items():
        solver.setOptionValue(option, value)
    solver.passModel(program)
    solver.run()
    found = solver.getSolution()
    prices = np.zeros(len(counts))
    if len(found.col_value) != len(paying) or solver.getModelStatus() == highspy.HighsModelStatus.kTimeLimit:
        return None
    prices[paying] = np.clip(found.col_value, lowest[paying], highest[paying])
    return ProgramSolution(prices, np.abs(found.row_dual))


# One thread gives the same answer on every machine; the crossover to a vertex takes longest and is not needed.
_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "ipm",
    "run_crossover": "off",
    "ipm_optimality_tolerance": TOLERANCE,
    "threads": 1,
}
