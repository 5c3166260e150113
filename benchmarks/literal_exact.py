"""How far the l-diversity heuristics are from the best partition of a few rows on a line (one quasi-identifier)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from benchmarks.literal.exact_diversity import least_by_boundaries, least_loss
from benchmarks.literal.linear import diversity_groups
from benchmarks.measure import Result
from sfumato.methods.linear.diversity import frontier_of
from sfumato.methods.linear.kernels.diversity import diverse_groups

#: Random tables per kind, and rows of each: as many as the oracle over all sets of rows can do quickly.
TABLES, ROWS = 300, 13

SKEWS = {"even": 0.0, "skewed": 1.0}


def run() -> Iterator[Result]:
    for skew, power in SKEWS.items():
        for l in (2, 3):  # noqa: E741
            found = ratios(power, l)
            for name, values in found.items():
                text = f"{skew} values, l={l}, {ROWS} rows: {name} over the best"
                median, tenth, worst = np.median(values), np.quantile(values, 0.9), values.max()
                note = f"90 % below {tenth:.2f}, worst {worst:.2f}, the best in {np.mean(values < 1 + 1e-9):.0%}"
                yield Result(text, float(median), None, "×", note)


def ratios(power: float, l: int) -> dict[str, NDArray[np.float64]]:  # noqa: E741
    """The loss of both heuristics, and of the best that keeps the paper's group order, over the least loss."""
    random = np.random.default_rng(l)
    found: dict[str, list[float]] = {"the paper's heuristic": [], "Sfumato's": [], "the best in group order": []}
    while len(found["Sfumato's"]) < TABLES:
        values, places = random_table(random, power, l)
        best = least_loss(values, places, l)
        if best > 0:
            ours = diverse_groups(values, places, l, frontier_of(values))
            theirs = diversity_groups(values, places, l)
            found["the paper's heuristic"].append(total(theirs, places) / best)
            found["Sfumato's"].append(total(ours, places) / best)
            found["the best in group order"].append(least_by_boundaries(values, places, l) / best)
    return {name: np.array(losses) for name, losses in found.items()}


def random_table(
    random: np.random.Generator,
    power: float,
    l: int,  # noqa: E741
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The values and places of an eligible table with l + 2 sensitive values, the first the most frequent."""
    shares = np.arange(1.0, l + 3) ** -power
    while True:
        values = random.choice(l + 2, ROWS, p=shares / shares.sum()).astype(np.int32)
        if np.bincount(values).max() * l <= ROWS:
            return values, np.sort(random.random(ROWS))


def total(groups: NDArray[np.int32], places: NDArray[np.float64]) -> float:
    """The sum over rows of what their group spans."""
    members = [places[groups == group] for group in range(int(groups.max()) + 1)]
    return float(sum(len(inside) * (inside[-1] - inside[0]) for inside in members))
