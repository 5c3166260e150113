"""Mondrian: top-down cuts at the median (LeFevre, DeWitt and Ramakrishnan, ICDE 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.threads import in_chunks, in_order, side_by_side
from sfumato.methods.base import Method, Task, register
from sfumato.methods.kernels.divide import Cutting, PartedTable
from sfumato.methods.multidim.kernels.counted_cuts import counted_cut
from sfumato.methods.multidim.kernels.mondrian import cut_until_done
from sfumato.methods.on_engine import CodeCounts, EngineSupport, MedianCut, PartsByFirstCuts
from sfumato.methods.suppression import trim
from sfumato.privacy import Requirements
from sfumato.table.recoding import Recoding

#: The table is first cut into about ``PARTS`` parts, which threads then finish independently; parts smaller than
#: ``LEAST_PART`` would not be worth a thread.
PARTS, LEAST_PART = 64, 4096


@dataclass(frozen=True)
class Mondrian(Method):
    """Cut the table at the median of its widest quasi-identifier, and each half again, while both sides are allowed.

    Parameters
    ----------
    relaxed
        False: a cut separates values, so equal rows stay together (strict, global recoding). True: the rows at the
        median are distributed evenly over both sides (relaxed, local recoding), and with k-anonymity alone no class
        exceeds 2k - 1 rows, except classes of equal rows: readers would see the parts of these as one.
    categories
        ``"ordered"``: categories are cut anywhere in the order of the leaves. ``"taxonomy"``: only between the children
        of the lowest common ancestor, so that siblings stay together as long as possible.
    """

    relaxed: bool = False
    categories: str = "ordered"

    name: ClassVar[str] = "mondrian"

    def __post_init__(self) -> None:
        parameters.flag("Mondrian", "relaxed", self.relaxed)
        parameters.choice("Mondrian", "categories", self.categories, ("ordered", "taxonomy"))

    @property
    def summary(self) -> str:  # type: ignore[override]
        """What the method does and guarantees, in one line."""
        if self.relaxed:
            return (
                "Median cuts of the widest attribute; relaxed, under k alone 2k - 1 unequal rows at most. O(n log n)."
            )
        return "Median cuts of the widest attribute; strict, its classes never overlap. O(n log n)."

    @property
    def recoding(self) -> str:  # type: ignore[override]
        """``"local"`` if equal rows may get different cells, else ``"global"``."""
        return "local" if self.relaxed else "global"

    @property
    def order_free(self) -> bool:  # type: ignore[override]
        """Whether the order of the input never matters; it does where rows at the median are distributed."""
        return not self.relaxed

    def run(self, task: Task) -> Recoding:
        """Cut the table; then spend the suppression budget on the outliers that widen their classes most."""
        classes = self._cut(task)
        return Recoding(classes=trim(task, classes))

    @property
    def on_engine(self) -> EngineSupport | None:
        """The first cuts need counts alone, unless the rows at the median are dealt to both sides."""
        return None if self.relaxed else PartsByFirstCuts(self._counted_cut)

    def _counted_cut(self, counts: CodeCounts, requirements: Requirements) -> MedianCut | None:
        found = counted_cut(
            counts.cells,
            counts.begins,
            len(counts.values),
            sum(counts.values),
            requirements.microdata.spans,
            requirements.rules,
            requirements.smallest_class,
            self.categories == "taxonomy",
        )
        attribute, code, below = (int(one) for one in found)
        return MedianCut(attribute, code, below) if attribute >= 0 else None

    def _cut(self, task: Task) -> NDArray[np.int32]:
        layout = _lay_out(task)
        cutting = Cutting(
            task.requirements.rules,
            task.microdata.spans,
            task.requirements.smallest_class,
            self.relaxed,
            self.categories == "taxonomy",
        )
        begins = np.zeros(len(task.microdata), np.bool_)
        _first_cuts(layout, cutting, begins)
        _finish(layout, cutting, begins, task)
        classes, of_place = np.empty(len(begins), np.int32), np.cumsum(begins, dtype=np.int32) - np.int32(1)

        def write(start: int, stop: int) -> None:
            classes[layout.order[start:stop]] = of_place[start:stop]

        in_chunks(len(classes), write)
        return classes


def _lay_out(task: Task) -> PartedTable:
    """Lay the table out by columns; always in copies, since cutting moves rows."""
    given = task.microdata.codes, task.requirements.sensitive_codes
    codes, sensitive = (np.empty(rows.shape[::-1], rows.dtype) for rows in given)

    def copy(start: int, stop: int) -> None:
        codes[:, start:stop], sensitive[:, start:stop] = (rows[start:stop].T for rows in given)

    in_chunks(len(task.microdata), copy)
    return PartedTable(codes, sensitive, np.arange(len(task.microdata)))


def _first_cuts(layout: PartedTable, cutting: Cutting, begins: NDArray[np.bool_]) -> None:
    """Cut the table into large parts: once, then both halves side by side, and so on."""
    grain = max(LEAST_PART, len(begins) // PARTS)
    parts = [(0, len(begins))]
    while parts := [(start, stop) for start, stop in parts if stop - start > grain]:
        halves = side_by_side(lambda part: _cut_once(layout, cutting, begins, *part), parts)
        parts = [half for both in halves for half in both]
    begins[:1] = True


def _cut_once(
    layout: PartedTable, cutting: Cutting, begins: NDArray[np.bool_], start: int, stop: int
) -> list[tuple[int, int]]:
    """Cut a part in two and list the halves; none if no cut is allowed."""
    cut_until_done(layout, cutting, begins, start, stop, stop - start - 1)
    middle = start + 1 + int(np.argmax(begins[start + 1 : stop]))
    return [(start, middle), (middle, stop)] if begins[middle] else []


def _finish(layout: PartedTable, cutting: Cutting, begins: NDArray[np.bool_], task: Task) -> None:
    """Finish the parts on several threads; they are independent, so the result does not depend on scheduling."""
    parts = list(pairwise([*np.flatnonzero(begins).tolist(), len(begins)]))

    def finish(part: tuple[int, int]) -> None:
        cut_until_done(layout, cutting, begins, *part, 1)

    for done, _ in enumerate(in_order(finish, parts), start=1):
        task.progress("cutting", done / len(parts))


register(mondrian_relaxed=lambda: Mondrian(relaxed=True))(Mondrian)
