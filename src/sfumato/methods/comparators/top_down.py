"""TopDown: recursive division around two distant rows (Xu, Wang, Pei, Wang, Shi and Fu, KDD 2006)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.common import parameters
from sfumato.methods.base import Method, Task, register
from sfumato.methods.comparators.kernels.top_down import BY_GROWTH, BY_PENALTY, BY_SEED, divide_by_seeds
from sfumato.methods.kernels.divide import Cutting, PartedTable
from sfumato.methods.suppression import trim
from sfumato.table.recoding import Recoding

#: The ways to choose a side, as the kernel knows them.
JOINING = {"group": BY_GROWTH, "penalty": BY_PENALTY, "seed": BY_SEED}


@dataclass(frozen=True)
class TopDown(Method):
    """Divide the table between two rows that are far apart, and each side again, while both sides are allowed.

    All other rows join a side, in random order. A side that is not allowed takes the nearest rows of the other. With
    k-anonymity alone, classes have k to 2k - 1 rows.

    Parameters
    ----------
    joining
        Which side a row joins. ``"penalty"``, as published: the one whose penalty (NCP) with the row is lower.
        ``"group"``, our own: the one whose loss, summed over its rows, grows less; it loses far less. ``"seed"``, as
        in scripts in circulation: the one whose first row is nearer.
    """

    joining: str = "group"

    name: ClassVar[str] = "top-down"
    summary: ClassVar[str] = "Clusters around two distant rows, divided again and again. O(n log n) to O(n²)."
    recoding: ClassVar[str] = "local"
    order_free: ClassVar[bool] = False

    def __post_init__(self) -> None:
        parameters.choice("TopDown", "joining", self.joining, tuple(JOINING))

    def run(self, task: Task) -> Recoding:
        """Divide the table; then spend the suppression budget on the outliers that widen their classes most."""
        task.progress("dividing", 0.0)
        order = task.random().permutation(len(task.microdata))
        layout = PartedTable(
            np.array(task.microdata.codes[order].T, order="C"),
            np.array(task.requirements.sensitive_codes[order].T, order="C"),
            order,
        )
        cutting = Cutting(
            task.requirements.rules, task.microdata.spans, max(1, task.requirements.smallest_class), False, False
        )
        begins = np.zeros(len(order), np.bool_)
        divide_by_seeds(layout, cutting, JOINING[self.joining], begins)
        classes = np.empty(len(order), np.int32)
        classes[layout.order] = np.cumsum(begins, dtype=np.int32) - 1
        return Recoding(classes=trim(task, classes))


register()(TopDown)
