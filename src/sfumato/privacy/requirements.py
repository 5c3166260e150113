"""All models of a request bound to a table: the test of whether a class is allowed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.base import PrivacyModel, Rule
from sfumato.table.kernels.rules import Rules
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import SUPPRESSED, EquivalenceClasses, Recoding


@dataclass(frozen=True)
class Requirements:
    """The models that every class must keep, for one table.

    Attributes
    ----------
    models
        The models; all of them must hold.
    microdata
        The table that they are bound to. t-closeness compares with its distribution, or with that of the table that it
        is a part of.
    """

    models: tuple[PrivacyModel, ...]
    microdata: Microdata

    @cached_property
    def bound(self) -> tuple[Rule, ...]:
        """The models as rules on columns of this table."""
        return tuple(rule for model in self.models for rule in model.bind(self.microdata))

    @property
    def monotone(self) -> bool:
        """Whether merging allowed classes always gives an allowed class."""
        return all(model.monotone for model in self.models)

    @property
    def smallest_class(self) -> int:
        """A size below which no class is allowed."""
        return max((model.smallest_class() for model in self.models), default=1)

    @property
    def k(self) -> int:
        """The requested class size, for measures that compare with it."""
        return self.smallest_class

    @cached_property
    def sensitive_codes(self) -> NDArray[np.int32]:
        """The codes of the sensitive columns, one line per row of the table, for kernels."""
        columns = [column.codes for column in self.microdata.sensitive] if self._counts_values else []
        if not columns:
            return np.empty((len(self.microdata), 0), np.int32)
        return np.ascontiguousarray(np.stack(columns, axis=1))

    @property
    def _counts_values(self) -> bool:
        return any(rule.model.needs_sensitive for rule in self.bound)

    @cached_property
    def rules(self) -> Rules:
        """The rules as arrays, for kernels."""
        counts = [column.reference for column in self.microdata.sensitive] if self._counts_values else []
        trees: list[NDArray[np.float64]] = [np.empty((0, 2))]
        reach: list[NDArray[np.int64]] = [np.empty(0, np.int64)]
        table = []
        for rule in self.bound:
            laid: list[Any] = trees if rule.tree is not None else reach
            begin = sum(map(len, laid))
            if rule.tree is not None:
                trees.append(np.stack(rule.tree, axis=1))
            if rule.reach is not None:
                reach.append(rule.reach)
            table.append((rule.kind, rule.column, rule.first, rule.second, begin, sum(map(len, laid))))
        return Rules(
            table=np.array(table, np.float64).reshape(-1, 6),
            counts_at=np.cumsum([0, *(len(count) for count in counts)], dtype=np.int64),
            reference=np.concatenate([np.empty(0), *(count / max(1, count.sum()) for count in counts)]),
            trees=np.concatenate(trees),
            reach=np.concatenate(reach),
        )

    def broken_by(self, recoding: Recoding) -> list[Rule]:
        """List the rules that some class of a recoding breaks."""
        classes = EquivalenceClasses.of(self.microdata, recoding)
        return [rule for rule in self.bound if not rule.model.holds(rule, self.microdata, classes).all()]

    def broken_by_table(self) -> list[Rule]:
        """List the rules that even the whole table as one class breaks, so that no release can keep them."""
        return self.broken_by(Recoding(classes=np.zeros(len(self.microdata), np.int32)))

    def of_released(self, kept: NDArray[np.bool_]) -> Requirements:
        """Bind the same models to the released rows.

        t-closeness compares with the release, so suppressed rows must not count.
        """
        return self if kept.all() else replace(self, microdata=self.microdata.take(kept))

    def kept_by(self, recoding: Recoding) -> bool:
        """Whether classes keep every model among the released rows; False if no row is released."""
        assert recoding.classes is not None
        kept = recoding.classes != SUPPRESSED
        if not kept.any():
            return False
        return not self.of_released(kept).broken_by(replace(recoding, classes=recoding.classes[kept]))
