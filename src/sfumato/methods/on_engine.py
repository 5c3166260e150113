"""What a method declares about engines: how they may divide a table that does not fit in memory.

An engine never holds all rows at once. A method that can work with that says so in `Method.on_engine`, by one of these
declarations; the engine divides the rows accordingly, runs the method on what fits in memory, and checks the release
like any other. `sfumato.testing.check_method` checks the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.methods.base import Method, Task
from sfumato.privacy import Requirements
from sfumato.table.recoding import Recoding

#: From the codes of some rows (one column per quasi-identifier) and the domains to a 64-bit key for each row.
Keys = Callable[[NDArray[np.unsignedinteger], Sequence[Domain]], NDArray[np.uint64]]

#: From a part and the prices of a row to how many of the part's rows are worth leaving out at each price.
Priced = Callable[[Task, Sequence[float]], Sequence[float]]

#: From the distinct rows of a table and their counts to one level for each quasi-identifier.
ByFrequencies = Callable[[Task, NDArray[np.int64]], Recoding]

#: From the rows of a part to those that are drawn; it can be pickled.
Draw = Callable[[Task], NDArray[np.bool_]]


@dataclass(frozen=True)
class EngineSupport:
    """How an engine may divide a table for a method; use one of the subclasses.

    On a cluster the method and what it declares are pickled and sent to the workers, so their module has to be
    installed there, too.
    """


@dataclass(frozen=True)
class PartsAlongOrder(EngineSupport):
    """The method can recode any stretch of an order of the rows by itself.

    The engine sorts rows by ``keys`` and cuts the order into parts, each of which fits in memory and can keep every
    model alone. Then it runs the method on each part.

    Attributes
    ----------
    keys
        A function, or an object that can be pickled, that gives rows their keys. A key depends on the codes of its row
        and on the domains alone, never on other rows: each batch is keyed by itself. Its highest bits matter most, so
        they should vary: ``HilbertCurve().first_bits`` is such a function.
    priced
        How many rows of a part are worth leaving out if each has to save at least its price. With it, the engine
        spends the rows that may be suppressed in those parts where that saves most; without it, in proportion to the
        sizes of parts. It is asked under k-anonymity alone.
    instead
        The method that runs on the parts, if it is another one; that one's declaration counts then.
    """

    keys: Keys
    priced: Priced | None = None
    instead: Method | None = None


class MedianCut(NamedTuple):
    """Rows whose code of an attribute is below ``code`` go to one side; how many these are."""

    attribute: int
    code: int
    below: int


@dataclass(frozen=True)
class CodeCounts:
    """How many rows of a part have each code, and with it each sensitive value.

    Attributes
    ----------
    cells
        All counts, one attribute after the other; for each code of it as many as ``values`` has values in all.
    begins
        Where the counts of each attribute begin, and where those of the last one end.
    values
        The number of values of each sensitive column; ``[1]`` where no model looks at any, and then a cell just counts
        rows.
    """

    cells: NDArray[np.int64]
    begins: NDArray[np.int64]
    values: Sequence[int]

    @property
    def rows(self) -> int:
        """How many rows the part has."""
        return int(self.cells[: self.begins[1]].sum()) // len(self.values)

    def of(self, attribute: int) -> NDArray[np.int64]:
        """The counts of one attribute: a row for each code, a column for each sensitive value."""
        return self.cells[self.begins[attribute] : self.begins[attribute + 1]].reshape(-1, sum(self.values))


@dataclass(frozen=True)
class PartsByFirstCuts(EngineSupport):
    """The method cuts the table top-down, and can choose its first cuts from counts of codes alone.

    The engine counts the codes of a part, asks for a cut, and goes on with both sides until each part fits in memory.
    Then it runs the method on each part.

    Attributes
    ----------
    cut
        Chooses the cut of a part from its counts such that both sides keep the requirements; None if no cut does. The
        microdata of the requirements know the domains but have no rows.
    """

    cut: Callable[[CodeCounts, Requirements], MedianCut | None]


@dataclass(frozen=True)
class LevelsByFrequencies(EngineSupport):
    """The method recodes full-domain, and can choose its levels from the frequency set.

    The engine counts the distinct rows, the method chooses levels for them, and the engine applies these to all rows.

    Attributes
    ----------
    recode
        Chooses from a task whose microdata hold every distinct row once, and how often each occurs. It returns a
        `Recoding` by levels, with the distinct rows that are left out: those of whole classes, together at most
        ``task.suppressible`` rows of the table.
    """

    recode: ByFrequencies


@dataclass(frozen=True)
class LevelsOfDrawnRows(LevelsByFrequencies):
    """The method recodes full-domain, and only rows that it draws by chance are released.

    The engine counts the distinct rows, the method chooses levels for them (``recode``) and draws rows, part by part.
    Then the engine counts the drawn rows, and leaves out those whose class breaks a model.

    Attributes
    ----------
    draw
        Draws the rows of a part by the random numbers of its task, each row by itself.
    """

    draw: Draw
