"""Methods that are wrong on purpose, each in one way, and a few dull ones that are right."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from sfumato.methods import Method, Mondrian, Task
from sfumato.table.frequency import frequency_set
from sfumato.table.recoding import Recoding


@dataclass(frozen=True)
class OneClass(Method):
    """Right, and useless: everybody is in one class."""

    name: ClassVar[str] = "one-class"
    summary: ClassVar[str] = "Shows the whole table as one class."
    recoding: ClassVar[str] = "global"

    def run(self, task: Task) -> Recoding:
        return Recoding(classes=np.zeros(len(task.microdata), np.int32))


@dataclass(frozen=True)
class TopLevels(OneClass):
    """Right, and useless: every level is the highest."""

    name: ClassVar[str] = "top-levels"
    recoding: ClassVar[str] = "full-domain"

    def run(self, task: Task) -> Recoding:
        return Recoding(levels=tuple(domain.top for domain in task.microdata.domains))


@dataclass(frozen=True)
class Picky(OneClass):
    """Right: refuses much, and says so."""

    name: ClassVar[str] = "picky"
    unsupported: ClassVar[frozenset[str]] = frozenset(
        {"t-closeness", "l-diversity (entropy)", "minimum-span", "suppression", "missing values"}
    )


@dataclass(frozen=True)
class OnlyDiverse(OneClass):
    """Right: knows no k-anonymity."""

    name: ClassVar[str] = "only-diverse"
    unsupported: ClassVar[frozenset[str]] = frozenset({"k-anonymity"})


@dataclass(frozen=True)
class Wrong(Method):
    """Mondrian, with something added."""

    name: ClassVar[str] = "wrong"
    summary: ClassVar[str] = "Is wrong on purpose."
    recoding: ClassVar[str] = "global"

    def run(self, task: Task) -> Recoding:
        return Mondrian().run(task)


class TooSmall(Wrong):
    """Every row is a class of its own."""

    def run(self, task: Task) -> Recoding:
        return Recoding(classes=np.arange(len(task.microdata), dtype=np.int32))


class BlindToValues(Wrong):
    """Keeps k, and looks at nothing else: sorts by the sensitive values, the worst that it can do."""

    def run(self, task: Task) -> Recoding:
        smallest = task.requirements.smallest_class
        groups = max(1, len(task.microdata) // smallest)
        classes = np.empty(len(task.microdata), np.int32)
        order = np.argsort(task.microdata.sensitive[0].codes, kind="stable")
        classes[order] = np.minimum(np.arange(len(order)) // smallest, groups - 1)
        return Recoding(classes=classes)


class RefusesSilently(Wrong):
    """Refuses a model without having declared it."""

    def run(self, task: Task) -> Recoding:
        if not all(model.name == "k-anonymity" for model in task.requirements.models):
            raise ValueError("no")
        return super().run(task)


class Nameless(Wrong):
    summary: ClassVar[str] = ""


class UnknownWord(Wrong):
    unsupported: ClassVar[frozenset[str]] = frozenset({"telepathy"})


class SpoilsCodes(Wrong):
    """Sorts the codes in place, so that rows are shown by what they are not."""

    def run(self, task: Task) -> Recoding:
        task.microdata.codes.sort(axis=0)
        return super().run(task)


class SpoilsSensitive(Wrong):
    def run(self, task: Task) -> Recoding:
        recoding = super().run(task)
        task.microdata.sensitive[0].codes.sort()
        return recoding


class Dice(Wrong):
    """Rolls dice that nobody can seed."""

    def run(self, task: Task) -> Recoding:
        classes = np.empty(len(task.microdata), np.int32)
        groups = max(1, len(classes) // task.requirements.smallest_class)
        classes[np.random.default_rng().permutation(len(classes))] = np.arange(len(classes)) % groups
        return Recoding(classes=classes)


class InOrder(Wrong):
    """Deals rows out as they come, and claims not to."""

    order_free: ClassVar[bool] = True

    def run(self, task: Task) -> Recoding:
        groups = max(1, len(task.microdata) // task.requirements.smallest_class)
        return Recoding(classes=(np.arange(len(task.microdata)) % groups).astype(np.int32))


class Spendthrift(Wrong):
    """Leaves one row more out than it may."""

    def run(self, task: Task) -> Recoding:
        classes = np.zeros(len(task.microdata), np.int32)
        classes[: task.suppressible + 1] = -1
        return Recoding(classes=classes)


class Shorter(Wrong):
    """Forgets the last row."""

    def run(self, task: Task) -> Recoding:
        return Recoding(classes=np.zeros(len(task.microdata) - 1, np.int32))


class Longer(Wrong):
    """Takes the last row twice."""

    def run(self, task: Task) -> Recoding:
        return Recoding(classes=np.zeros(len(task.microdata) + 1, np.int32))


class AfraidOfMissing(Wrong):
    def run(self, task: Task) -> Recoding:
        for place, domain in enumerate(task.microdata.domains):
            domain.values[int(task.microdata.codes[:, place].max())]
        return super().run(task)


class DividesByExtent(Wrong):
    def run(self, task: Task) -> Recoding:
        for domain in task.microdata.domains:
            1 // (domain.size - 1)
        return super().run(task)


class CountsDistinctRows(Wrong):
    """Takes distinct rows for all rows."""

    def run(self, task: Task) -> Recoding:
        distinct = frequency_set(task.microdata)
        classes = (distinct.of_row % max(1, len(distinct) // task.requirements.smallest_class)).astype(np.int32)
        if len(distinct) < len(task.microdata):
            classes = classes[: len(distinct)]
        return Recoding(classes=classes)


class AlwaysCuts(Wrong):
    """Makes two classes at least, whatever is asked."""

    def run(self, task: Task) -> Recoding:
        recoding = super().run(task)
        assert recoding.classes is not None
        if recoding.classes.max() == 0:
            recoding.classes[: len(recoding.classes) // 2] = 1
        return recoding


class NeedsTwoRows(Wrong):
    def run(self, task: Task) -> Recoding:
        np.random.default_rng(0).choice(len(task.microdata), size=2, replace=False)
        return super().run(task)


class OverConfident(Wrong):
    """Calls every error a success: what cannot be kept is not its concern."""

    def run(self, task: Task) -> Recoding:
        if task.requirements.smallest_class >= len(task.microdata) > 1:
            return TooSmall().run(task)
        return super().run(task)


@dataclass(frozen=True)
class Remembers(Wrong):
    """Does something else every time it is asked."""

    calls: list[int] = field(default_factory=list)

    def run(self, task: Task) -> Recoding:
        self.calls.append(0)
        return Mondrian(relaxed=len(self.calls) % 2 == 0).run(task)
