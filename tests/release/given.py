"""A method that does as it is told, so that a test says which rows make a class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.common.randomness import Secret
from sfumato.methods import Method, Task
from sfumato.methods.details import MethodDetails
from sfumato.table.recoding import Recoding

SEED = 5


@dataclass(frozen=True, kw_only=True, eq=False)
class GivenDetails(MethodDetails):
    """What this method reports beside what methods of the library do."""

    told: bool | None = None


@dataclass(frozen=True)
class Given(Method):
    """Classes, or levels, as given; -1 leaves a row out.

    A request with ``seed=SEED`` gets these classes for the rows in the order of its table, although a method meets them
    in random order.
    """

    classes: tuple[int, ...] = ()
    levels: tuple[int, ...] = ()

    name: ClassVar[str] = "given"
    summary: ClassVar[str] = "Does as it is told."
    recoding: ClassVar[str] = "local"

    def run(self, task: Task) -> Recoding:
        if self.levels:
            return Recoding(levels=self.levels)
        order = Secret(SEED).permutation("order before", len(self.classes))
        return Recoding(classes=np.array(self.classes, np.int32)[order], details=GivenDetails(told=True))


def shown(values: Any, classes: Sequence[int], how: Any = None, **options: Any) -> dict[str, list[Any]]:
    """Return how a column ``x`` is shown when its rows make these classes, in the order of the rows."""
    column = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
    options = {"k": 1, "keep_order": True, "suppression": 1.0, "seed": SEED} | options
    release = sf.anonymize(
        pa.table({"x": column}), quasi_identifiers={"x": how}, method=Given(tuple(classes)), **options
    )
    return release.data.to_pydict()
