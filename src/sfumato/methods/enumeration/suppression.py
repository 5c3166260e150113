"""Leaving rows out where that is cheaper, within what is allowed.

A limit on the rows left out ties all blocks together, so that they could no longer be searched one by one. A price
for each such row does the same job: what is best under a price is best among all partitions that leave out as many
rows, and its cost less the price of all rows that may be left out bounds every other (Lagrangian relaxation).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sfumato.methods.enumeration.optimality import GAP, OPTIMUM, ROUNDING, SUPPRESSION, Found
from sfumato.methods.enumeration.partition_problem import Instance
from sfumato.methods.enumeration.search_limits import Watch
from sfumato.table.recoding import SUPPRESSED, Recoding

#: How many prices are tried at most.
ROUNDS = 8

Solve = Callable[[Instance, Watch], Found]


def best_with_suppression(instance: Instance, watch: Watch, suppressible: int, solve: Solve) -> Found:
    """Return the best partition in which at most ``suppressible`` rows are left out."""
    if not suppressible or not instance.objective.may_suppress:
        return solve(instance, watch)
    best = solve(instance, watch.part(1 / (ROUNDS + 1)))
    worth = instance.objective.price(instance.requirements.microdata, instance.table.rows)
    bound = replace(instance, price=worth).floor
    cheap, dear, extra = 0.0, np.inf, 0.0
    for done in range(ROUNDS):
        if watch.over() or bound * (1 + instance.gap) >= best.value * (1 - ROUNDING):
            break
        found = solve(replace(instance, price=worth + extra), watch.part(1 / (ROUNDS - done)))
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
    if dear == 0 and not watch.over() and bound * (1 + instance.gap) < best.value * (1 - ROUNDING):
        # The limit does not bind, so no other price is of use: all that is left goes to this one.
        found = solve(replace(instance, price=worth), watch.part(1.0))
        bound, ended = max(bound, found.bound), found.ended
        if _left_out(instance, found) <= suppressible:
            best = _better(instance, best, found)
    bound = min(best.value, bound)
    return replace(best, bound=bound, ended=_reason(instance, watch, best.value, bound, ended))


def _reason(instance: Instance, watch: Watch, value: float, bound: float, ended: str) -> str:
    """Return why no more prices were tried."""
    if bound >= value * (1 - ROUNDING):
        return OPTIMUM
    if bound * (1 + instance.gap) >= value * (1 - ROUNDING):
        return GAP
    return watch.reason if watch.over() else SUPPRESSION if ended == OPTIMUM else ended


def _left_out(instance: Instance, found: Found) -> int:
    return int(instance.table.grid.rows[found.blocks == SUPPRESSED].sum())


def _better(instance: Instance, best: Found, found: Found) -> Found:
    """Return the cheaper of two partitions; t-closeness compares with the released rows, so it is checked again."""
    if found.value >= best.value:
        return replace(best, nodes=best.nodes + found.nodes)
    if not instance.requirements.kept_by(Recoding(classes=found.blocks[instance.table.of_row])):
        return best
    return replace(found, greedy=best.greedy, nodes=best.nodes + found.nodes)
