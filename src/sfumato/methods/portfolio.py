"""Portfolios: several methods, the least loss of them, refined."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato import methods as known
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

#: What the starts of `Best` may take of its time, so that most of it is left for refining, and the seconds that count
#: where there is no limit.
STARTS, USUAL_SECONDS = 0.3, 10.0

#: Seconds of a node of peeling per row and attribute, and of best cuts per row, pair of attributes and halving: rough,
#: and good enough to tell what fits.
NODE_SECONDS, CUT_SECONDS = 6e-9, 1.1e-8

#: The nodes that peeling visits where categories are all there is, and at most where other columns are among them.
NODES, NODES_OF_MIXTURES = 20_000, 1_000

#: Where Mondrian may lose least: on large tables, unless peeling visits all of their nodes, and on those of so few
#: rows that chance decides, where best cuts and a short peeling may, too. On all others it does not, and the first run
#: of the default method should compile nothing that it does not need.
MANY_ROWS, FEW_ROWS = 50_000, 500

#: The rows times nodes that the default method gives peeling.
FEW_CELLS = 50_000_000


class Candidate(NamedTuple):
    """What one method found."""

    method: str
    classes: Classes
    loss: Measured


def cheap(task: Task) -> Iterator[Method]:
    """Choose methods that take a few times as long as the fastest; of few rows, whatever suits them."""
    rows = len(task.microdata)
    few = rows <= FEW_ROWS
    nodes = FEW_CELLS // max(1, rows)
    suits = _any_category(task) if few else _only_categories(task) and not _diverse(task)
    peels = suits and nodes > 0
    yield Hilbert()
    yield CostAware()
    if few or (rows >= MANY_ROWS and not (peels and nodes >= _all_nodes(task))):
        yield known.Mondrian()
    if few:
        yield known.BestCuts()
    if peels:
        yield known.Peeling(nodes=min(NODES_OF_MIXTURES, nodes))


def suitable(task: Task, seconds: float | None) -> Iterable[Method]:
    """Choose methods by the shape of the data: its kinds of attributes, its size, and the models.

    What is added to the cheap ones leaves most of ``seconds`` to refinement. Nothing is timed, so that without a limit
    the choice is the same on every machine.
    """
    chosen = {method.name: method for method in cheap(task)}
    rows, attributes = task.microdata.codes.shape
    halvings = math.log2(max(2, rows / max(1, task.requirements.smallest_class)))
    left = STARTS * (USUAL_SECONDS if seconds is None else seconds) - CUT_SECONDS * rows * attributes**2 * halvings
    if left > 0:
        chosen[known.BestCuts.name] = known.BestCuts()
        nodes = int(left / NODE_SECONDS / max(1, rows * attributes))
        longer = known.Peeling(nodes=max(1, min(_most_nodes(task), nodes)), time_limit=seconds and left)
        # Nodes need levels that mean something, and models on sensitive values leave too many cells behind.
        if mostly_categories(task.microdata.domains) and not _diverse(task) and _is_longer(longer, chosen):
            chosen[known.Peeling.name] = longer
    return chosen.values()


def _is_longer(peeling: known.Peeling, chosen: Mapping[str, Method]) -> bool:
    """Return whether a peeling visits more nodes than the one that is chosen already, if any."""
    other = chosen.get(known.Peeling.name)
    return not isinstance(other, known.Peeling) or peeling.nodes > other.nodes


def _all_nodes(task: Task) -> int:
    """Return how many nodes there are for peeling to visit."""
    return math.prod(len(search_levels(domain)) for domain in task.microdata.domains)


def _most_nodes(task: Task) -> int:
    return NODES if _only_categories(task) else NODES_OF_MIXTURES


def _only_categories(task: Task) -> bool:
    """Return whether every quasi-identifier is a category."""
    return all(isinstance(domain, TreeDomain) for domain in task.microdata.domains)


def _any_category(task: Task) -> bool:
    """Return whether some quasi-identifier is a category."""
    return any(isinstance(domain, TreeDomain) for domain in task.microdata.domains)


def _diverse(task: Task) -> bool:
    """Return whether the models look at sensitive values."""
    return bool(task.requirements.sensitive_codes.shape[1])


def try_all(goal: TaskLoss, methods: Sequence[Method]) -> list[Candidate]:
    """Run methods side by side; return what they found, the least loss first."""
    task = goal.lowered
    task.progress(f"trying {', '.join(method.name for method in methods)}", 0.0)
    # The last ones mostly use a single core, the first ones all: those that others would wait for begin.
    found = side_by_side(lambda method: list(_measured(goal, method.name, method.run(task))), methods[::-1])
    return sorted(chain.from_iterable(found[::-1]), key=loss_of)


def _measured(goal: TaskLoss, name: str, recoding: Recoding) -> Iterator[Candidate]:
    """Yield what a method found, and what else can be made of it, with what each loses."""
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
        # Refinement brings its kernels along, which the default method does without.
        from sfumato.methods.refinement.search import refine  # noqa: PLC0415

        classes = refine(goal, classes, RefinementLimit(rounds, seconds, patience))
        tried["refined"] = goal.measure_rows(classes).loss
    details = MethodDetails(tried=tried, chosen=best.method, minimized=goal.objective.name)
    return Recoding(classes=classes, details=details)


# Classes to start from where a loss is about something else than spans: even sizes, and equal labels


def _reshaped(goal: TaskLoss, classes: Classes) -> Iterator[tuple[str, Classes]]:
    """Yield other classes of the same rows that suit the loss by their shape, where every rule allows them."""
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
    """Cut rows, in their order, into as many and as equal runs as can be, none across an end; all others stay out."""
    classes = np.full(total, -1, np.int32)
    begin = count = 0
    for end in ends:
        part = rows[begin:end]
        runs = max(1, len(part) // smallest)
        classes[part] = count + np.arange(len(part)) * runs // max(1, len(part))
        begin, count = end, count + runs
    return classes


def _by_label(rows: NDArray[np.intp], label: NDArray[np.int32], smallest: int, total: int) -> Classes:
    """Cut the rows of each label by themselves; labels of too few rows go with the one before."""
    rows = rows[np.argsort(label[rows], kind="stable")]
    ends = [*(np.flatnonzero(np.diff(label[rows])) + 1).tolist(), len(rows)]
    kept: list[int] = []
    for end in ends:
        if end - (kept[-1] if kept else 0) >= smallest:
            kept.append(end)
    return _cut(rows, [*kept[:-1], len(rows)], smallest, total)
