"""Cell suppression: every cell is released as it is, or as ``*``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sfumato.methods.base import Task, register
from sfumato.methods.recoding_models.attribute_suppression import with_two_levels
from sfumato.methods.recoding_models.cell_generalization import CellGeneralization


@dataclass(frozen=True)
class CellSuppression(CellGeneralization):
    """Release every cell intact or as ``*``: cell generalization with two levels per attribute."""

    name: ClassVar[str] = "cell-suppression"
    summary: ClassVar[str] = "Every cell intact or as *, rows released with the fewest cells lost; the best if few."

    def _seen(self, task: Task) -> Task:
        return with_two_levels(task)


register()(CellSuppression)
