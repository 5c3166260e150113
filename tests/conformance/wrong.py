"""Methods that are wrong on purpose, each in one way, and a few dull ones that are right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.methods import HilbertCurve, Method, Mondrian, Task
from sfumato.methods.base import MISSING, SEVERAL_SENSITIVE, SUPPRESSION
from sfumato.methods.on_engine import (
    CodeCounts,
    EngineSupport,
    LevelsByFrequencies,
    MedianCut,
    PartsAlongOrder,
    PartsByFirstCuts,
)
from sfumato.privacy import Requirements
from sfumato.table.frequency import frequency_set
from sfumato.table.recoding import Recoding
from sfumato.testing.promises import FEATURES

#: All that a method may refuse, but k-anonymity, suppression, missing values and several sensitive columns.
ALL_BUT_SIZES = frozenset(FEATURES - {"k-anonymity", SUPPRESSION, MISSING, SEVERAL_SENSITIVE})


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


def by_place(codes: NDArray[np.unsignedinteger], domains: Sequence[Domain]) -> NDArray[np.uint64]:
    """Give every row its place in the batch as key."""
    return np.arange(len(codes), dtype=np.uint64) << np.uint64(40)


def by_first_code(codes: NDArray[np.unsignedinteger], domains: Sequence[Domain]) -> NDArray[np.uint64]:
    """Give every row the code of its first quasi-identifier as key, in the highest bits."""
    return codes[:, 0].astype(np.uint64) << np.uint64(48)


@dataclass(frozen=True)
class InRuns(Method):
    """Right: sorts rows by their codes and makes every k of them a class; on an engine, along the first column."""

    name: ClassVar[str] = "in-runs"
    summary: ClassVar[str] = "Cuts the rows, sorted by their codes, into runs."
    recoding: ClassVar[str] = "local"
    unsupported: ClassVar[frozenset[str]] = ALL_BUT_SIZES

    @property
    def on_engine(self) -> EngineSupport | None:
        return PartsAlongOrder(by_first_code)

    def run(self, task: Task) -> Recoding:
        order = np.lexsort(task.microdata.codes.T[::-1])
        runs = max(1, len(order) // task.requirements.smallest_class)
        classes = np.empty(len(order), np.int32)
        classes[order] = np.minimum(np.arange(len(order)) // task.requirements.smallest_class, runs - 1)
        return Recoding(classes=classes)


@dataclass(frozen=True)
class TopLevelsOnEngine(TopLevels):
    """Right, and useless: the highest levels need no counts."""

    name: ClassVar[str] = "top-levels-on-engine"

    @property
    def on_engine(self) -> EngineSupport | None:
        return LevelsByFrequencies(lambda task, counts: self.run(task))


class NoDeclaration(Wrong):
    """Says that engines can run it, and not how."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return EngineSupport()


class LevelsInParts(TopLevels):
    """Chooses levels for all rows, and would choose them anew for every part."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return PartsAlongOrder(HilbertCurve().first_bits)


class KeysByPlace(Wrong):
    """Gives a row another key in every batch."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return PartsAlongOrder(by_place)


class KeysTooWide(Wrong):
    """Makes keys of two words."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return PartsAlongOrder(lambda codes, domains: np.zeros((2, len(codes)), np.uint64))


class TooSmallOnEngine(TooSmall):
    """Makes every row of a part a class of its own."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return PartsAlongOrder(HilbertCurve().first_bits)


class CutsNothingOff(Wrong):
    """Cuts below the lowest code, again and again."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return PartsByFirstCuts(lambda counts, requirements: MedianCut(0, 0, 0))


class CutsOneOff(Wrong):
    """Cuts one row off at a time, whatever is asked."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return PartsByFirstCuts(self._cut)

    def _cut(self, counts: CodeCounts, requirements: Requirements) -> MedianCut | None:
        upto = counts.of(0).sum(axis=1).cumsum() // len(counts.values)
        code = int(np.argmax(upto > 0)) + 1
        return MedianCut(0, code, int(upto[code - 1])) if upto[code - 1] < counts.rows else None


class ForgetsCounts(TopLevels):
    """Takes the distinct rows for all rows, and the lowest levels where these are many."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return LevelsByFrequencies(lambda task, counts: Recoding(levels=(0,) * len(task.microdata.domains)))


class NoLevels(TopLevels):
    """Chooses classes where it promised levels."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return LevelsByFrequencies(lambda task, counts: Recoding(classes=np.zeros(len(counts), np.int32)))


class LeavesClassesOut(TopLevels):
    """Leaves everything out that it counts."""

    @property
    def on_engine(self) -> EngineSupport | None:
        return LevelsByFrequencies(
            lambda task, counts: Recoding(
                levels=tuple(domain.top for domain in task.microdata.domains), suppressed=np.ones(len(counts), np.bool_)
            )
        )
