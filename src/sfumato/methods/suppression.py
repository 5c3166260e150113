"""How a suppression budget is spent: on making a request feasible, and on rows that widen their classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.methods.base import Task
from sfumato.methods.kernels.trim import best_trims
from sfumato.privacy import Requirements, Rule, SensitiveModel
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import SUPPRESSED, Recoding, rows_by_class


def make_feasible(requirements: Requirements, suppressible: int, random: np.random.Generator) -> NDArray[np.bool_]:
    """Choose rows to suppress so that the table as a whole keeps every model; none if it already does.

    Only rows with a too frequent sensitive value are chosen, and no more than each model requires.

    Raises
    ------
    InfeasibleError
        If no allowed number of rows is enough; the message names the nearest condition that works.
    """
    kept = np.ones(len(requirements.microdata), bool)
    current = requirements
    while broken := current.broken_by_table():
        rows = _rows_to_thin(broken[0], current.microdata, random)
        if rows is None or not len(rows):
            raise InfeasibleError(_explanation(requirements, current))
        kept[np.flatnonzero(kept)[rows]] = False
        current = requirements.of_released(kept)
    needed = len(kept) - int(kept.sum())
    if needed > suppressible:
        share = np.ceil(needed / len(kept) * 1e4) / 1e4
        raise InfeasibleError(
            f"{_reasons(requirements)} Or leave out {needed:,} rows with the most frequent values: "
            f"suppression={share:g} allows that."
        )
    return ~kept


def _rows_to_thin(rule: Rule, microdata: Microdata, random: np.random.Generator) -> NDArray[np.intp] | None:
    """Choose rows whose suppression makes the whole table keep a rule; None if no suppression does.

    Capping the counts of all values evens them out; the highest cap that suffices suppresses fewest rows.
    """
    if not isinstance(rule.model, SensitiveModel):
        return None
    column = microdata.sensitive[rule.column]
    counts = column.counts()
    low, high = 0, int(counts.max(initial=0))
    while low < high:
        cap = (low + high + 1) // 2
        if rule.model.holds_for(np.minimum(counts, cap)[None], rule)[0]:
            low = cap
        else:
            high = cap - 1
    if low == 0:
        return None
    shuffled = random.permutation(len(microdata))
    # Of rows with equal values, suppress those first whose other sensitive values are frequent too: other models may
    # need the rare ones.
    crowds = sum(other.counts()[other.codes[shuffled]] for other in microdata.sensitive)
    shuffled = shuffled[np.argsort(crowds, kind="stable")]
    seen = _occurrence(column.codes[shuffled])
    return shuffled[seen >= low]


def _occurrence(codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Count for every element how many equal ones precede it."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    occurrence = np.empty(len(codes), np.int64)
    occurrence[order] = np.arange(len(codes)) - np.repeat(begins, np.diff(np.append(begins, len(codes))))
    return occurrence


def _explanation(requirements: Requirements, thinned: Requirements) -> str:
    """Explain why a table cannot keep its models, even after rows are suppressed."""
    if thinned is requirements:
        return _reasons(requirements)
    return f"{_reasons(requirements)} Leaving rows out does not help: then {_reasons(thinned)}"


def _reasons(requirements: Requirements) -> str:
    broken = requirements.broken_by_table()
    return " ".join(rule.model.nearest(rule, requirements.microdata) for rule in broken)


def trim(task: Task, classes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Suppress rows at the edges of classes while that saves more loss than the rows cost."""
    if not task.suppressible:
        return classes
    trimmed = classes.copy()
    left = task.suppressible
    while left:
        spent = _trim_once(task, trimmed, left)
        if not spent:
            break
        left -= spent
    # t-closeness compares with the released rows, which are fewer now; if that breaks it, nothing is trimmed.
    return trimmed if task.requirements.kept_by(Recoding(classes=trimmed)) else classes


def _trim_once(task: Task, classes: NDArray[np.int32], most: int) -> int:
    """Trim the best edge of as many classes as the budget allows; return the number of suppressed rows."""
    order, offsets = rows_by_class(classes)
    requirements = task.requirements
    saved, counts, attributes, upper = best_trims(
        task.microdata.codes,
        requirements.sensitive_codes,
        order,
        offsets,
        requirements.rules,
        task.microdata.spans,
        most,
    )
    spent = 0
    gainful = np.flatnonzero(saved > 0)
    for group in gainful[np.argsort(-saved[gainful] / counts[gainful], kind="stable")]:
        if spent + counts[group] > most:
            continue
        rows = order[offsets[group] : offsets[group + 1]]
        codes = task.microdata.codes[rows, attributes[group]]
        classes[rows[codes == (codes.max() if upper[group] else codes.min())]] = SUPPRESSED
        spent += int(counts[group])
    return spent
