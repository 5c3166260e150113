"""Columns of categories: which values a label may stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.queries.columns import Match, ReleasedColumn
from sfumato.assess.queries.conditions import Condition, texts_of
from sfumato.errors import ParameterError, did_you_mean, shortened
from sfumato.hierarchies import Hierarchy, Prefix, Structured, Taxonomy

ANYTHING = "*"

#: How many characters a hidden place of a code may have: digits, or digits and letters.
DIGITS, LETTERS = 10, 36


@dataclass(frozen=True)
class CategoryColumn(ReleasedColumn):
    """Categories: every cell is a value, a group of a taxonomy, a set, ``*``, or missing (None).

    Attributes
    ----------
    labels
        What each cell shows.
    how
        How the column was generalized, if known.
    exact
        Whether every label is the value itself, as in columns released unchanged.
    """

    labels: tuple[str | None, ...] = field(default=(), repr=False)
    hierarchy: Hierarchy | None = None
    exact: bool = False

    @property
    def size(self) -> int:
        return len(self.labels)

    @cached_property
    def below(self) -> dict[str, frozenset[str]]:
        """The values below every label: those of the taxonomy, or else all values that are shown exactly."""
        if isinstance(self.hierarchy, Taxonomy):
            found: dict[str, set[str]] = {}
            for row in self.hierarchy.rows:
                for label in row:
                    found.setdefault(label, set()).add(row[0])
            return {label: frozenset(values) for label, values in found.items()}
        single = {label for label in self.labels if label is not None and label != ANYTHING and not _is_set(label)}
        single.update(member for label in self.labels if label and _is_set(label) for member in _members(label))
        return {value: frozenset([value]) for value in single} | {ANYTHING: frozenset(single)}

    def match(self, condition: Condition) -> Match:
        wanted = texts_of(self.name, condition)
        if self.exact:
            parts = [(float(label in wanted), label in wanted, label in wanted) for label in self.labels]
        elif isinstance(self.hierarchy, Structured):
            parts = [self._structured(label, wanted) for label in self.labels]
        elif isinstance(self.hierarchy, Prefix):
            parts = [_prefix_match(label, wanted) for label in self.labels]
        else:
            values = self._values(wanted)
            parts = [self._part(label, values) for label in self.labels]
        found: NDArray[np.float64] = np.array(parts, np.float64).reshape(-1, 3)
        nowhere = np.full(self.size, np.nan)
        return Match(found[:, 0], found[:, 1] > 0, found[:, 2] > 0, nowhere, nowhere)

    def refuse_typos(self, condition: Condition) -> None:
        if isinstance(self.hierarchy, Taxonomy | Prefix | Structured):
            return
        shown = {label for label in self.labels if label is not None} if self.exact else set(self.below)
        for label in texts_of(self.name, condition):
            hint = "" if label in shown else did_you_mean(label, shown)
            if hint:
                raise ParameterError(f"No released row shows {shortened(label)} in '{self.name}'. {hint}")

    def _values(self, wanted: Iterable[str]) -> frozenset[str]:
        """Expand the labels of a condition to values; a group stands for all values below it."""
        found: set[str] = set()
        for label in wanted:
            if label not in self.below and isinstance(self.hierarchy, Taxonomy):
                raise ParameterError(
                    f"The condition on '{self.name}' names {shortened(label)}, which is neither a value nor a group of "
                    f"its taxonomy. {did_you_mean(label, self.below)}".rstrip()
                )
            found |= self.below.get(label, {label})
        return frozenset(found)

    def _part(self, label: str | None, wanted: frozenset[str]) -> tuple[float, bool, bool]:
        if label is None:
            return 0.0, False, False
        hidden = self.hidden(label)
        # Without a taxonomy, * may stand for values that are shown nowhere.
        unknown = label == ANYTHING and (not isinstance(self.hierarchy, Taxonomy)) and not wanted <= hidden
        common = len(hidden & wanted)
        share = common / len(hidden) if hidden else 0.0
        # * may also stand for a missing value.
        return share, label != ANYTHING and bool(hidden) and hidden <= wanted, common > 0 or unknown

    def _structured(self, label: str | None, wanted: Iterable[str]) -> tuple[float, bool, bool]:
        """Compare a code or a group of codes with the condition, by their ancestors."""
        if label is None:
            return 0.0, False, False
        own = self._above(label)
        if any(code in own for code in wanted):
            return 1.0, label != ANYTHING, True
        inside = sum(label in self._above(code) for code in wanted)
        known = sum(label in self._above(code) for code in self.below)
        return min(1.0, inside / max(known, inside + 1)), False, inside > 0

    def _above(self, code: str) -> Sequence[str]:
        """List a code and its ancestors; for a group only itself and ``*``."""
        assert self.hierarchy is not None
        return next(iter(self.hierarchy.paths([code]) or ()), (code, ANYTHING))

    def hidden(self, label: str) -> frozenset[str]:
        """List the values that a label may stand for."""
        if self.exact:
            return frozenset([label])
        if label in self.below:
            return self.below[label]
        if _is_set(label):
            return frozenset(value for member in _members(label) for value in self.below.get(member, {member}))
        return frozenset([label])

    def drawn(self, random: np.random.Generator) -> pa.Array:
        choices = [sorted(self.hidden(label)) if label is not None else [] for label in self.labels]
        counts = np.array([len(values) for values in choices], np.int64)
        begins = np.cumsum(np.append(0, counts))[:-1]
        picked = begins[self.cells] + np.floor(random.random(len(self.cells)) * counts[self.cells]).astype(np.int64)
        values = pa.array([value for part in choices for value in part], pa.string())
        return values.take(pa.array(picked, mask=counts[self.cells] == 0))


def _is_set(label: str) -> bool:
    return label[:1] == "{" and label[-1:] == "}"


def _members(label: str) -> list[str]:
    return label[1:-1].split(", ")


def _prefix_match(label: str | None, wanted: Iterable[str]) -> tuple[float, bool, bool]:
    """Compare a code whose end may be hidden with requested codes or prefixes."""
    if label is None:
        return 0.0, False, False
    shown, share, surely, possibly = label.rstrip(ANYTHING), 0.0, False, False
    for code in wanted:
        begin = code.rstrip(ANYTHING)
        if shown.startswith(begin) and (begin != code or shown == label == code):
            share, surely, possibly = 1.0, surely or label != ANYTHING, True
        elif begin.startswith(shown) and (shown != label):
            base = DIGITS if begin.isdigit() else LETTERS
            share, possibly = share + base ** -float(len(begin) - len(shown)), True
    return min(share, 1.0), surely, possibly
