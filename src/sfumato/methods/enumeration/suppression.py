"""Leaving rows out where that is cheaper, within what is allowed.

A limit on the rows left out ties all blocks together, so that they could no longer be searched one by one. A price
for each such row does the same job: what is best under a price is best among all partitions that leave out as many
rows, and its cost less the price of all rows that may be left out bounds every other (Lagrangian relaxation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sfumato.methods.enumeration.optimality import GAP, OPTIMUM, ROUNDING, SUPPRESSION, FoundPartition
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.search_limits import SearchLimits
from sfumato.table.recoding import SUPPRESSED, Recoding

#: How many prices are tried at most.
ROUNDS = 8

Solve = Callable[[PartitionProblem, SearchLimits], FoundPartition]


def best_with_suppression(
    instance: PartitionProblem, limits: SearchLimits, suppressible: int, solve: Solve
) -> FoundPartition:
    """Return the best partition in which at most ``suppressible`` rows are left out."""
    if not suppressible or not instance.objective.may_suppress:
        return solve(instance, limits)
    best = solve(instance, limits.part(1 / (ROUNDS + 1)))
    worth = instance.objective.price(instance.requirements.microdata, instance.table.rows)
    bound = replace(instance, price=worth).floor
    cheap, dear, extra = 0.0, np.inf, 0.0
    for done in range(ROUNDS):
        if limits.over() or bound * (1 + instance.gap) >= best.value * (1 - ROUNDING):
            break
        found = solve(replace(instance, price=worth + extra), limits.part(1 / (ROUNDS - done)))
        left_out = _left_out(instance, found)
        bound = max(bound, found.bound - extra * suppressible)
        if left_out > suppressible:
            cheap = extra
        else:
            dear = extra
            best = _better(instance, best, replace(found, value=found.value - extra * left_out))
        extra = (cheap + dear) / 2 if np.isfinite(dear) else max(2 * cheap, worth)
        if extra in {cheap, dear}:
            break
    ended = SUPPRESSION
    if dear == 0 and not limits.over() and bound * (1 + instance.gap) < best.value * (1 - ROUNDING):
        # The limit does not bind, so no other price is of use: all that is left goes to this one.
        found = solve(replace(instance, price=worth), limits.part(1.0))
        bound, ended = max(bound, found.bound), found.ended
        if _left_out(instance, found) <= suppressible:
            best = _better(instance, best, found)
    bound = min(best.value, bound)
    return replace(best, bound=bound, ended=_reason(instance, limits, best.value, bound, ended))


def _reason(instance: PartitionProblem, limits: SearchLimits, value: float, bound: float, ended: str) -> str:
    """Return why no more prices were tried."""
    if bound >= value * (1 - ROUNDING):
        return OPTIMUM
    if bound * (1 + instance.gap) >= value * (1 - ROUNDING):
        return GAP
    return limits.reason if limits.over() else SUPPRESSION if ended == OPTIMUM else ended


def _left_out(instance: PartitionProblem, found: FoundPartition) -> int:
    return int(instance.table.grid.rows[found.blocks == SUPPRESSED].sum())


def _better(instance: PartitionProblem, best: FoundPartition, found: FoundPartition) -> FoundPartition:
    """Return the cheaper of two partitions; t-closeness compares with the released rows, so it is checked again."""
    if found.value >= best.value:
        return replace(best, nodes=best.nodes + found.nodes)
    if not instance.requirements.kept_by(Recoding(classes=found.blocks[instance.table.of_row])):
        return best
    return replace(found, greedy=best.greedy, nodes=best.nodes + found.nodes)
