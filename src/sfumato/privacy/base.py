"""The interface of privacy models, and the rules that they bind to a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import SchemaError, did_you_mean, listed
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses


@dataclass(frozen=True)
class Rule:
    """A model bound to one column of one table, as kernels see it.

    Attributes
    ----------
    model
        The model that the rule comes from.
    kind, column, first, second
        Which condition, on which sensitive column (or quasi-identifier, for spans), with which parameters.
    tree
        For hierarchical distances: the parent and height of every node; the first nodes are the sensitive values.
    reach
        For spans: for every code the first code that is far enough from it.
    """

    model: PrivacyModel
    kind: int
    column: int = -1
    first: float = 0.0
    second: float = 0.0
    tree: tuple[NDArray[np.int64], NDArray[np.float64]] | None = field(default=None, repr=False)
    reach: NDArray[np.int64] | None = field(default=None, repr=False)


class PrivacyModel(ABC):
    """A condition on every equivalence class of a release.

    Attributes
    ----------
    name
        What it is called in reports.
    monotone
        Whether merging classes that keep it gives a class that keeps it; only then may a search prune by it.
    needs_sensitive
        Whether it looks at sensitive values.
    whole
        Whether it is a condition on the release as a whole; methods meet it with the least k that satisfies it.
    procedural
        Whether it is a promise about the procedure: what is released may depend on the data in no other way.
    """

    name: ClassVar[str]
    whole: ClassVar[bool] = False
    monotone: ClassVar[bool] = True
    needs_sensitive: ClassVar[bool] = False
    procedural: ClassVar[bool] = False

    @abstractmethod
    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        """Bind the model to a table, as rules on its columns."""

    @abstractmethod
    def holds(self, rule: Rule, microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Decide for every class whether it keeps the rule: the readable definition."""

    @abstractmethod
    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        """Explain why the whole table breaks the rule and which parameter would work."""

    @abstractmethod
    def to_policy(self) -> dict[str, Any]:
        """The model as plain values, for manifests and policy files."""

    @property
    def variant(self) -> str | None:
        """Which variant of the model this is, such as ``"entropy"``; None if it has only one."""
        return getattr(self, "kind", None) or getattr(self, "distance", None)

    def smallest_class(self) -> int:
        """Give a size below which no class can keep this model."""
        return 1


@dataclass(frozen=True)
class SensitiveModel(PrivacyModel):
    """A condition on the sensitive values of a class.

    Attributes
    ----------
    column
        The sensitive column that it constrains; None for all of them.
    """

    needs_sensitive: ClassVar[bool] = True
    column: str | None = field(default=None, kw_only=True)

    def columns(self, microdata: Microdata) -> list[int]:
        """Find the indices of the sensitive columns that this model constrains."""
        names = [column.name for column in microdata.sensitive]
        if not names:
            raise SchemaError(
                f"{self.name} needs a sensitive column, but none is declared. Declare it, for example "
                "sensitive='disease' (on the command line: --sensitive disease)."
            )
        if self.column is None:
            return list(range(len(names)))
        if self.column not in names:
            raise SchemaError(
                f"{self} is about the column '{self.column}', which is not declared as sensitive. "
                f"Sensitive columns: {listed(names)}. {did_you_mean(self.column, names)}".rstrip()
            )
        return [names.index(self.column)]

    def holds(self, rule: Rule, microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        """Decide for every class whether its sensitive values keep the rule."""
        column = microdata.sensitive[rule.column]
        released = np.bincount(column.codes[classes.of_row >= 0], minlength=column.size)
        table = released if column.whole is None else column.whole
        blocks = [self.holds_for(counts, rule, table) for counts in histograms(microdata, classes, rule.column)]
        return np.concatenate([np.empty(0, bool), *blocks])

    @abstractmethod
    def holds_for(
        self, counts: NDArray[np.int64], rule: Rule, table: NDArray[np.int64] | None = None
    ) -> NDArray[np.bool_]:
        """Decide for every row of counts, one per class, whether it keeps the rule.

        ``table`` holds the counts of the whole table; by default the sum over the classes.
        """


def histograms(
    microdata: Microdata, classes: EquivalenceClasses, column: int, cells: int = 1 << 22
) -> Iterator[NDArray[np.int64]]:
    """Yield the value counts of a sensitive column by class, at most ``cells`` counts at a time.

    There can be nearly as many classes and values as rows, so all counts together may not fit into memory.
    """
    values = microdata.sensitive[column]
    order = np.argsort(classes.of_row, kind="stable")[classes.suppressed :]
    ends = np.cumsum(classes.sizes)
    step = max(1, cells // max(1, values.size))
    for first in range(0, len(classes), step):
        last = min(first + step, len(classes))
        rows = order[ends[first] - classes.sizes[first] : ends[last - 1]]
        places = (classes.of_row[rows] - first).astype(np.int64) * values.size + values.codes[rows]
        yield np.bincount(places, minlength=(last - first) * values.size).reshape(last - first, values.size)
