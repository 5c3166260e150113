"""Suppression within a budget, by Lagrangian relaxation.

A budget for suppressed rows couples all blocks, so they could no longer be solved independently. A price for each
suppressed row does the same: the optimum under a price is best among all partitions that suppress as many rows, and its
cost less the price of the whole budget is a lower bound for every other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sfumato.methods.enumeration.optimality import GAP, OPTIMUM, ROUNDING, SUPPRESSION, FoundPartition
from sfumato.methods.enumeration.partition_problem import PartitionProblem
from sfumato.methods.enumeration.search_limits import SearchLimits
from sfumato.table.recoding import SUPPRESSED, Recoding

#: The most prices that are tried.
ROUNDS = 8

Solve = Callable[[PartitionProblem, SearchLimits], FoundPartition]


def best_with_suppression(
    instance: PartitionProblem, limits: SearchLimits, suppressible: int, solve: Solve
) -> FoundPartition:
    """Find the best partition with at most ``suppressible`` rows left out."""
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
        # The budget does not bind, so no other price can help: the remaining time goes to this one.
        found = solve(replace(instance, price=worth), limits.part(1.0))
        bound, ended = max(bound, found.bound), found.ended
        if _left_out(instance, found) <= suppressible:
            best = _better(instance, best, found)
    bound = min(best.value, bound)
    return replace(best, bound=bound, ended=_reason(instance, limits, best.value, bound, ended))


def _reason(instance: PartitionProblem, limits: SearchLimits, value: float, bound: float, ended: str) -> str:
    """Why no more prices were tried."""
    if bound >= value * (1 - ROUNDING):
        return OPTIMUM
    if bound * (1 + instance.gap) >= value * (1 - ROUNDING):
        return GAP
    return limits.reason if limits.over() else SUPPRESSION if ended == OPTIMUM else ended


def _left_out(instance: PartitionProblem, found: FoundPartition) -> int:
    return int(instance.table.grid.rows[found.blocks == SUPPRESSED].sum())


def _better(instance: PartitionProblem, best: FoundPartition, found: FoundPartition) -> FoundPartition:
    """The cheaper of two partitions; it is checked again, since t-closeness compares with the released rows."""
    if found.value >= best.value:
        return replace(best, nodes=best.nodes + found.nodes)
    if not instance.requirements.kept_by(Recoding(classes=found.blocks[instance.table.of_row])):
        return best
    return replace(found, greedy=best.greedy, nodes=best.nodes + found.nodes)
