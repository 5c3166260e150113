"""What `auto`, `best` and `proven` share: which methods suit a table, trying them, and refining the best."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato import methods as known
from sfumato.common.progress import Progress, silent, stage
from sfumato.common.threads import side_by_side
from sfumato.hierarchies import TreeDomain
from sfumato.loss.objective import SIZES
from sfumato.methods.base import Method, Task
from sfumato.methods.details import MethodDetails
from sfumato.methods.linear.cost_aware import CostAware
from sfumato.methods.linear.hilbert import Hilbert
from sfumato.methods.refinement import RefinementLimit
from sfumato.methods.search_levels import mostly_categories, search_levels
from sfumato.methods.task_loss import Measured, TaskLoss
from sfumato.table.recoding import Recoding, rows_by_class

Classes = NDArray[np.int32]

#: The share of its time that `Best` spends on the methods it starts from, so that most is left for refinement, and
#: the seconds assumed without a limit.
STARTS, USUAL_SECONDS = 0.3, 10.0

#: Seconds that peeling takes per visit of a row and attribute, and best cuts per row, pair of attributes and halving:
#: rough estimates, good enough to decide what fits.
VISIT_SECONDS, CUT_SECONDS = 6e-9, 1.1e-8

#: How many nodes peeling visits at most. In the default method one per so many rows, but not fewer than the last: on
#: small tables the list of nodes is most of its work.
NODES, ROWS_PER_NODE, FEW_NODES = 20_000, 4, 1_000

#: Mondrian can lose least on large tables, unless peeling visits all their nodes, and on tables so small that chance
#: decides, where best cuts and a short peeling can too. On all others it is left out: the first run of the default
#: method should compile only what it needs.
MANY_ROWS, FEW_ROWS = 50_000, 500

#: The budget of peeling in the default method, visits of rows times attributes, which take about half a second; and
#: the most seconds that cutting what it leaves together may take.
LIGHT_VISITS, LIGHT_CUTS = 100_000_000, 1.0


#: The stages of methods that take little time beside the others.
PREPARING = {"mapping", "sorting"}

#: The methods that every portfolio tries; their parameters are the defaults, which need no check for every task.
HILBERT, COST_AWARE = Hilbert(), CostAware()


class Candidate(NamedTuple):
    """The classes that one method found, and what they lose."""

    method: str
    classes: Classes
    loss: Measured


def cheap(task: Task) -> Iterator[Method]:
    """Choose methods that take at most a few times as long as the fastest; for small tables, all that suit."""
    rows, attributes = task.microdata.codes.shape
    few = rows <= FEW_ROWS
    visits = LIGHT_VISITS // max(1, attributes)
    peels = _any_category(task) if few else _peels_well(task) and visits >= rows and _cut_seconds(task) <= LIGHT_CUTS
    yield HILBERT
    yield COST_AWARE
    if few or (rows >= MANY_ROWS and not (peels and visits >= rows * _all_nodes(task))):
        yield known.Mondrian()
    if few:
        yield known.BestCuts()
    if peels:
        yield known.Peeling(nodes=min(NODES, max(FEW_NODES, rows // ROWS_PER_NODE)), visits=visits)


def suitable(task: Task, seconds: float | None) -> Iterable[Method]:
    """Choose methods by the shape of the data: its kinds of attributes, its size, and the models.

    The methods added to the cheap ones leave most of ``seconds`` to refinement. Nothing is timed, so without a limit
    the choice is the same on every machine.
    """
    chosen = {method.name: method for method in cheap(task)}
    attributes = max(1, task.microdata.codes.shape[1])
    left = STARTS * (USUAL_SECONDS if seconds is None else seconds) - _cut_seconds(task)
    if left > 0:
        chosen[known.BestCuts.name] = known.BestCuts()
        visits = int(left / VISIT_SECONDS / attributes)
        if _peels_well(task) and visits > LIGHT_VISITS // attributes:
            chosen[known.Peeling.name] = known.Peeling(nodes=NODES, visits=visits, time_limit=seconds and left)
    return chosen.values()


def _cut_seconds(task: Task) -> float:
    """Estimate how long best cuts take."""
    rows, attributes = task.microdata.codes.shape
    halvings = math.log2(max(2, rows / max(1, task.requirements.smallest_class)))
    return CUT_SECONDS * rows * attributes**2 * halvings


def _peels_well(task: Task) -> bool:
    """Whether nodes have levels that mean something, and no model on sensitive values keeps too many cells waiting."""
    return mostly_categories(task.microdata.domains) and (not _diverse(task) or _large_cells(task))


def _large_cells(task: Task) -> bool:
    """Whether most rows can be shown as they are: of each combination of values there are as many as a class needs."""
    cells = math.prod(len(domain.values) for domain in task.microdata.domains)
    return cells * task.requirements.smallest_class <= len(task.microdata)


def _all_nodes(task: Task) -> int:
    """Count the nodes that peeling could visit."""
    return math.prod(len(search_levels(domain)) for domain in task.microdata.domains)


def _any_category(task: Task) -> bool:
    """Whether any quasi-identifier is categorical."""
    return any(isinstance(domain, TreeDomain) for domain in task.microdata.domains)


def _diverse(task: Task) -> bool:
    """Whether the models look at sensitive values."""
    return bool(task.requirements.sensitive_codes.shape[1])


def try_all(goal: TaskLoss, methods: Sequence[Method]) -> list[Candidate]:
    """Run methods in parallel and sort what they found, the least loss first."""
    task = goal.lowered
    together = Together(task.progress, f"trying {', '.join(method.name for method in methods)}", len(methods))

    def run(place: int) -> list[Candidate]:
        recoding = methods[place].run(replace(task, progress=together.part(place)))
        together.report(place, 1.0)
        return list(_measured(goal, methods[place].name, recoding))

    # Later methods mostly use one core, earlier ones all cores: start with those that the others would wait for.
    found = side_by_side(run, range(len(methods))[::-1])
    return sorted(chain.from_iterable(found[::-1]), key=loss_of)


class Together:
    """The progress of methods that run side by side: the mean of what each has done of its main stage."""

    def __init__(self, report: Progress, name: str, parts: int) -> None:
        self._tell = stage(report, name)
        self._shares = [0.0] * parts
        self._tell(0.0)

    def part(self, place: int) -> Progress:
        """Return the function to which one of the methods reports."""
        if self._tell is silent:
            return silent
        return lambda stage, share: None if stage in PREPARING else self.report(place, share)

    def report(self, place: int, share: float) -> None:
        """Take note of what one method has done; a later stage that begins anew does not count backwards."""
        self._shares[place] = max(self._shares[place], share)
        self._tell(sum(self._shares) / len(self._shares))


def _measured(goal: TaskLoss, name: str, recoding: Recoding) -> Iterator[Candidate]:
    """Yield the classes of a method and classes derived from them, each with its loss."""
    if recoding.classes is not None:
        yield Candidate(name, recoding.classes, goal.measure_rows(recoding.classes))
        for shape, classes in _reshaped(goal, recoding.classes):
            yield Candidate(f"{name}, {shape}", classes, goal.measure_rows(classes))


def loss_of(candidate: Candidate) -> Measured:
    """Give the key that sorts candidates, the least loss first."""
    return candidate.loss


def refine_best(
    goal: TaskLoss, candidates: Sequence[Candidate], rounds: int, seconds: float = np.inf, patience: float = 1e-3
) -> Recoding:
    """Refine the best candidate within limits, and record what every candidate lost; 0 rounds leave it as it is."""
    best = candidates[0]
    tried: dict[str, Any] = {candidate.method: candidate.loss.loss for candidate in candidates}
    classes = best.classes
    if rounds:
        # Imported late: the default method does not need the kernels of refinement.
        from sfumato.methods.refinement.search import refine  # noqa: PLC0415

        classes = refine(goal, classes, RefinementLimit(rounds, seconds, patience))
        tried["refined"] = goal.measure_rows(classes).loss
    details = MethodDetails(tried=tried, chosen=best.method, minimized=goal.objective.name)
    return Recoding(classes=classes, details=details)


# Other classes to start from where a loss depends on more than spans: even sizes, equal labels


def _reshaped(goal: TaskLoss, classes: Classes) -> Iterator[tuple[str, Classes]]:
    """Yield other classes of the same rows whose shape suits the loss, if every rule allows them."""
    if SIZES not in goal.objective.parts and goal.label < 0:
        return
    smallest = max(1, goal.task.requirements.smallest_class)
    rows, _ = rows_by_class(classes)
    made: list[tuple[str, Classes]] = []
    if SIZES in goal.objective.parts:
        made.append(("sizes evened", _cut(rows, [len(rows)], smallest, len(classes))))
    if goal.label >= 0:
        label = goal.task.microdata.sensitive[goal.label].codes
        made.append(("by label", _by_label(rows, label, smallest, len(classes))))
    for name, found in made:
        if goal.task.requirements.kept_by(Recoding(classes=found)):
            yield name, found


def _cut(rows: NDArray[np.intp], ends: list[int], smallest: int, total: int) -> Classes:
    """Cut rows, in their order, into as many equal runs as possible, none across an end; other rows stay without."""
    classes = np.full(total, -1, np.int32)
    begin = count = 0
    for end in ends:
        part = rows[begin:end]
        runs = max(1, len(part) // smallest)
        classes[part] = count + np.arange(len(part)) * runs // max(1, len(part))
        begin, count = end, count + runs
    return classes


def _by_label(rows: NDArray[np.intp], label: NDArray[np.int32], smallest: int, total: int) -> Classes:
    """Cut the rows of each label separately; labels with too few rows join the label before."""
    rows = rows[np.argsort(label[rows], kind="stable")]
    ends = [*(np.flatnonzero(np.diff(label[rows])) + 1).tolist(), len(rows)]
    kept: list[int] = []
    for end in ends:
        if end - (kept[-1] if kept else 0) >= smallest:
            kept.append(end)
    return _cut(rows, [*kept[:-1], len(rows)], smallest, total)
