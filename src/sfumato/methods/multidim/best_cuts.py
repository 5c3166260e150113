"""Best cuts: top-down like Mondrian, but always the cut that lowers the loss most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from sfumato.methods.base import Method, Task, register
from sfumato.methods.multidim.best_cuts_kernel import cut_best_first
from sfumato.methods.multidim.mondrian_kernel import Cutting, Layout
from sfumato.methods.suppression import trim
from sfumato.microdata import Recoding


@dataclass(frozen=True)
class BestCuts(Method):
    """Cut the table where the loss of both sides together is least, over all attributes and positions; then each side.

    A cut of a taxonomy is judged by the common ancestors of both sides, so that it falls between subtrees.
    """

    name: ClassVar[str] = "best-cuts"
    summary: ClassVar[str] = "The cut that lowers the loss most, over all attributes and positions. O(d n log n)."
    recoding: ClassVar[str] = "global"

    def recode(self, task: Task) -> Recoding:
        """Cut the table; then spend what may be suppressed on the outliers that widen their classes most."""
        microdata, requirements = task.microdata, task.requirements
        task.progress("cutting", 0.0)
        layout = Layout(
            np.array(microdata.codes.T, order="C"),
            np.array(requirements.sensitive_codes.T, order="C"),
            np.arange(len(microdata)),
        )
        cutting = Cutting(requirements.rules, microdata.spans, max(1, requirements.smallest_class), False, False)
        begins = np.zeros(len(microdata), np.bool_)
        cut_best_first(layout, cutting, begins, 0, len(begins), 1)
        classes = np.empty(len(begins), np.int32)
        classes[layout.order] = np.cumsum(begins, dtype=np.int32) - 1
        return Recoding(classes=trim(task, classes))


register()(BestCuts)
