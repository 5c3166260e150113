"""Cut sorted rows into classes: which algorithm applies to which privacy models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import Tell, silent, watching, within
from sfumato.common.threads import in_chunks
from sfumato.hierarchies import TreeDomain
from sfumato.methods.linear.diversity import group_size, grouped, hardest_rule
from sfumato.methods.linear.kernels.allowed_runs import cheapest_allowed_runs, greedy_runs
from sfumato.methods.linear.kernels.number_column import cheapest_partition
from sfumato.methods.linear.kernels.packed_boxes import pack_boxes
from sfumato.methods.linear.kernels.runs import run_of_unit, shortest_runs
from sfumato.methods.linear.optimal_runs import UnitBoxes, cut_boxes, latest_begins
from sfumato.methods.linear.row_order import Line
from sfumato.methods.linear.tree_column import can_solve, cheapest_classes
from sfumato.privacy import Requirements, Rule
from sfumato.table.kernels import rules as condition
from sfumato.table.recoding import SUPPRESSED

#: Under general rules a run consists of about this many units; units are made coarser for longer runs.
UNITS_PER_RUN = 12


#: Up to this much work (rows cubed times k), all partitions of a single numeric column are considered.
EXACT_WORK = 100_000_000

#: Where no run ends.
NO_RUN = -1


class LineCut(NamedTuple):
    """The class of every row of the table, and the total loss by the cost that was minimized."""

    classes: NDArray[np.int32]
    loss: float


def cut_line(line: Line, requirements: Requirements, by_extent: bool, keep_equal: bool, tell: Tell = silent) -> LineCut:
    """Find the runs with the least loss that every model allows."""
    return min(possible_cuts(line, requirements, by_extent, keep_equal, tell), key=lambda cut: cut.loss)


def possible_cuts(
    line: Line, requirements: Requirements, by_extent: bool, keep_equal: bool, tell: Tell = silent
) -> list[LineCut]:
    """Find the best cut by every algorithm that applies to the models; which loses least depends on the table."""
    if only_sizes(requirements):
        if not (by_extent or keep_equal) and len(line.microdata.domains) == 1:
            best = cut_column(line, requirements.smallest_class)
            if best is not None:
                return [best]
        return [cut_by_size(line, units(line, keep_equal), requirements.smallest_class, by_extent, tell=tell)]
    hardest = None if keep_equal else hardest_rule(requirements)
    if hardest is None:
        return [cut_by_rules(line, units(line, keep_equal), requirements, tell)]
    # Groups of distinct values may overlap on the line, so they usually lose less than runs, unless they are merged.
    candidates = [cut_by_groups(line, requirements, hardest, within(tell, 0.0, 0.5))]
    equal = units(line, keep_equal=True)
    if len(requirements.bound) > 1:
        candidates.append(cut_by_rules(line, units(line, keep_equal=False), requirements, within(tell, 0.5, 1.0)))
    elif len(equal) * 2 * group_size(hardest) <= len(line):
        # Where many rows are equal, large classes of equal rows lose nothing at all.
        candidates.append(cut_by_rules(line, equal, requirements, within(tell, 0.5, 1.0)))
    return candidates


def cut_by_groups(line: Line, requirements: Requirements, hardest: Rule, tell: Tell = silent) -> LineCut:
    """Form groups of distinct sensitive values, then merge neighbouring groups until every other model holds."""
    values = requirements.microdata.sensitive[hardest.column].codes
    groups, ends = grouped(line, values, group_size(hardest), within(tell, 0.0, 0.5))
    merging = within(tell, 0.5, 1.0)
    if all(rule.kind == condition.SIZE or rule is hardest for rule in requirements.bound):
        return cut_by_size(groups, ends, requirements.smallest_class, tell=merging)
    return cut_by_rules(groups, ends, requirements, merging)


def cut_column(line: Line, k: int) -> LineCut | None:
    """Find the optimum of all partitions of a single attribute, not only of runs; None if there are too many rows."""
    codes = line.microdata.codes[line.order, 0]
    domain = line.microdata.domains[0]
    if isinstance(domain, TreeDomain) and can_solve(domain, k):
        return cut_of(line, cheapest_classes(codes, domain, k))
    if len(line) ** 3 * k > EXACT_WORK:
        return None
    loss, found = cheapest_partition(codes.astype(np.int64), k, line.microdata.spans)
    classes = np.full(len(line.microdata), SUPPRESSED, np.int32)
    classes[line.order] = found
    return LineCut(classes, loss)


def cut_of(line: Line, parts: Sequence[NDArray[np.int64]]) -> LineCut:
    """Build the cut from the classes of a single attribute, each a list of line positions sorted by code."""
    sizes = np.array([len(part) for part in parts])
    rows = line.order[np.concatenate(parts)]
    classes = np.full(len(line.microdata), SUPPRESSED, np.int32)
    classes[rows] = np.repeat(np.arange(len(parts), dtype=np.int32), sizes)
    codes, ends = line.microdata.codes[rows, 0], np.cumsum(sizes)
    losses = line.microdata.domains[0].span_costs(codes[ends - sizes], codes[ends - 1]) * line.microdata.weights[0]
    return LineCut(classes, float(losses @ sizes))


def only_sizes(requirements: Requirements) -> bool:
    """Whether every model depends on the size of a class alone."""
    return all(rule.kind == condition.SIZE for rule in requirements.bound)


def units(line: Line, keep_equal: bool) -> NDArray[np.int64]:
    """The start of every unit (a row, or a group of equal rows) on the line, followed by the end of the line."""
    if not keep_equal:
        return np.arange(len(line) + 1)
    begins = np.flatnonzero((line.packed[1:] != line.packed[:-1]).any(axis=1)) + 1
    return np.concatenate([[0], begins, [len(line)]]).astype(np.int64)


def cut_by_size(
    line: Line, ends: NDArray[np.int64], k: int, by_extent: bool = False, price: float = np.inf, tell: Tell = silent
) -> LineCut:
    """Cut units into the runs of at least k rows with the least loss; at a finite ``price``, rows may be left out."""
    if by_extent:
        loss, begin = shortest_runs(line.place[ends[:-1]], ends, latest_begins(ends, k))
        return LineCut(by_row(line, ends, run_of_unit(begin)), float(loss[-1]))
    lo, hi = unit_boxes(line, ends)
    sizes = np.array([[domain.size for domain in line.microdata.domains]])
    most = float(line.microdata.penalties(np.zeros_like(sizes), sizes - 1)[0])
    least, runs = cut_boxes(UnitBoxes(lo, hi, ends, line.width, line.microdata.spans, most), k, price, tell)
    return LineCut(by_row(line, ends, runs), least)


def unit_boxes(line: Line, ends: NDArray[np.int64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The packed bounds of every unit."""
    if len(ends) == len(line) + 1:
        return line.packed, line.packed
    lo, hi = np.empty((2, len(ends) - 1, line.packed.shape[1]), np.uint64)
    pack_boxes(line.packed, ends, line.width, lo, hi)
    return lo, hi


def cut_by_rules(line: Line, ends: NDArray[np.int64], requirements: Requirements, tell: Tell = silent) -> LineCut:
    """Cut units into the runs with the least loss that satisfy every rule."""
    codes = np.ascontiguousarray(line.microdata.codes[line.order])
    sensitive = np.ascontiguousarray(requirements.sensitive_codes[line.order])
    rules, spans = requirements.rules, line.microdata.spans
    typical = len(line) / max(1, len(greedy_runs(sensitive, codes, rules)))
    coarse = max(1, round(typical * (len(ends) - 1) / len(line) / UNITS_PER_RUN))
    ends = np.append(ends[:-1:coarse], ends[-1])
    longest = max(4 * UNITS_PER_RUN, int(4 * typical * (len(ends) - 1) / len(line)))
    begin = np.full(len(ends), NO_RUN, np.int32)
    with watching(tell, lambda: filled_share(begin)):
        loss = cheapest_allowed_runs(codes, sensitive, ends, rules, spans, longest, begin)
    return LineCut(by_row(line, ends, run_of_unit(begin)), float(loss[-1]))


def filled_share(begin: NDArray[np.int32]) -> float:
    """How much of an array is filled, which is filled from left to right, as far as a thousand places tell."""
    some = begin[:: max(1, len(begin) // 1000)]
    return float(np.flatnonzero(some != NO_RUN).max(initial=0)) / max(1, len(some))


def by_row(line: Line, ends: NDArray[np.int64], runs: NDArray[np.int32]) -> NDArray[np.int32]:
    """Expand the run of every unit to the class of every row of the table."""
    classes = np.full(len(line.microdata), SUPPRESSED, np.int32)
    run_of_row = runs if len(runs) == len(line) else np.repeat(runs, np.diff(ends))

    def write(start: int, stop: int) -> None:
        classes[line.order[start:stop]] = run_of_row[start:stop]

    in_chunks(len(line), write)
    return classes
