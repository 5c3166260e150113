"""l-diversity on a line as its paper has it (Figure 8 of Ghinita and others), for any order of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmarks.literal.heuristic import literal_groups
from sfumato.errors import ParameterError
from sfumato.methods import Method, Task
from sfumato.methods.linear.diversity import frontier_of, group_size, hardest_rule
from sfumato.methods.linear.hilbert import HilbertCurve
from sfumato.methods.linear.row_order import LinearMapping, sorted_line
from sfumato.table.recoding import Recoding


@dataclass(frozen=True)
class LiteralDiversity(Method):
    """Sort the rows by a mapping, and group different sensitive values by the pseudocode of 2007.

    Sfumato's groups stop growing at l + n mod l rows, take from afar only the values that they must, may be merged, and
    compete with runs. These grow until the rest is eligible or no value is left; else the most frequent values are
    taken.

    Parameters
    ----------
    mapping
        How rows are put in order.
    extend
        Whether the next row may join a group that it lies nearer to than to its own (the paper's Figure 9).
    """

    mapping: LinearMapping = HilbertCurve()  # noqa: RUF009
    extend: bool = True

    name: ClassVar[str] = "diversity-literal"
    summary: ClassVar[str] = "Groups of different sensitive values to the letter of the paper."
    recoding: ClassVar[str] = "local"

    def run(self, task: Task) -> Recoding:
        """Sort and group."""
        rule = hardest_rule(task.requirements)
        if rule is None:
            raise ParameterError(
                "This heuristic is about frequency l-diversity, which is not asked for or cannot be kept."
            )
        line = sorted_line(task, self.mapping)
        values = np.ascontiguousarray(task.microdata.sensitive[rule.column].codes[line.order])
        classes = np.empty(len(line), np.int32)
        classes[line.order] = diversity_groups(values, line.place, group_size(rule), self.extend)
        return Recoding(classes=classes)


def diversity_groups(
    values: NDArray[np.int32], place: NDArray[np.float64], least: int, extend: bool = True
) -> NDArray[np.int32]:
    """The group of every row, given the sensitive values in the order of the rows and where each row lies."""
    return literal_groups(values, place, least, extend, frontier_of(values))
