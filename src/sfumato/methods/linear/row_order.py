"""One order for the rows of a table: the mappings that define it, and the rows sorted by them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import stage
from sfumato.common.rows import gather, sort_rows
from sfumato.common.threads import in_chunks
from sfumato.errors import VerificationError
from sfumato.methods.base import Task
from sfumato.methods.linear.kernels.packed_boxes import field_width, pack_rows, words_needed
from sfumato.methods.on_engine import Keys
from sfumato.table.microdata import Microdata


class LinearMapping(ABC):
    """A mapping of rows to keys, such that rows with near keys are alike; a frozen dataclass of its parameters.

    A subclass needs one method, `keys`, and is used as ``Linear(mapping=ZOrder())``.
    """

    name: ClassVar[str]

    @abstractmethod
    def keys(self, microdata: Microdata, random: np.random.Generator) -> NDArray[np.uint64]:
        """Compute the keys: one column per row of the table, one row per 64-bit word, most significant word first."""

    def distinguishes(self, microdata: Microdata) -> bool:
        """Whether rows with equal keys always have equal codes; if not, the codes break ties."""
        return False

    @property
    def on_engine(self) -> Keys | None:
        """What an engine may sort rows by, batch by batch; None if keys depend on more than the codes of their row."""
        return None


@dataclass(frozen=True)
class Line:
    """The rows of a table, sorted by a mapping.

    Attributes
    ----------
    microdata
        The table, in its original order.
    order
        The row numbers, sorted by key.
    keys
        The keys, in the original order of the table.
    """

    microdata: Microdata
    order: NDArray[np.int64] = field(repr=False)
    keys: NDArray[np.uint64] = field(repr=False)

    @classmethod
    def of(cls, task: Task, mapping: LinearMapping) -> Line:
        """Map and sort the rows of a task; ties are broken so that the order of the input does not matter."""
        microdata = task.microdata
        task.progress("mapping", 0.0)
        keys = mapping.keys(microdata, task.random())
        if keys.ndim != 2 or keys.shape[1] != len(microdata) or keys.dtype != np.uint64:
            raise VerificationError(
                f"The mapping '{mapping.name}' returned keys of shape {keys.shape} and type {keys.dtype} for "
                f"{len(microdata):,} rows. This is a fault of the mapping: it must return 64-bit words, one row for "
                "each word and one column for each row of the table."
            )
        ties = list(task.requirements.sensitive_codes.T)
        if not mapping.distinguishes(microdata):
            ties += list(microdata.codes.T)[::-1]
        return cls(microdata, sort_rows(keys, ties, stage(task.progress, "sorting")), keys)

    def __len__(self) -> int:
        return len(self.order)

    @cached_property
    def width(self) -> int:
        """The number of bits of each quasi-identifier in a packed row."""
        return field_width([domain.size for domain in self.microdata.domains])

    @cached_property
    def packed(self) -> NDArray[np.uint64]:
        """The sorted rows, packed so that all attributes are compared at once."""
        codes, order = self.microdata.codes, self.order
        rows = np.empty((len(codes), words_needed(codes.shape[1], self.width)), np.uint64)
        in_chunks(len(codes), lambda start, stop: pack_rows(codes, self.width, start, stop, rows))
        # The random access is a loop of its own: that way most cache misses are in flight at once.
        return gather(rows, order)

    @cached_property
    def place(self) -> NDArray[np.float64]:
        """The positions of the sorted rows on the curve, from 0 to 1."""
        return _places(self.keys, self.order)

    def reordered(self, by: NDArray[np.integer]) -> Line:
        """The same table with its rows, or some of them, in another order."""
        return Line(self.microdata, self.order[by], self.keys)


def sorted_line(task: Task, mapping: LinearMapping) -> Line:
    """Sort the rows of a task, or reuse the order from an earlier task with the same table."""
    memory = {} if task.memory is None else task.memory
    key = f"line by {mapping!r}"  # a user's mapping need not be hashable
    line: Line | None = memory.get(key)
    if line is None or line.microdata is not task.microdata:
        line = memory[key] = Line.of(task, mapping)
    return line


def _places(keys: NDArray[np.uint64], order: NDArray[np.int64]) -> NDArray[np.float64]:
    places = np.zeros(len(order))

    def place(start: int, stop: int) -> None:
        for at, word in enumerate(keys):
            places[start:stop] += word.take(order[start:stop]).astype(np.float64) * 2.0 ** (-64.0 * at)

    in_chunks(len(order), place)
    if len(places):
        places -= places[0]
        places /= places[-1] or 1.0
    return places
