"""The candidates for what somebody knows about a person: how many people it fits, before and after."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sfumato.assess.queries import Released, Where
from sfumato.common.grouping import code_column
from sfumato.errors import SchemaError, invalid_parameter, listed


@dataclass(frozen=True)
class CandidatesLeft:
    """How many people fit what somebody knows, in the original and in the release. It is for the publisher's eyes.

    Attributes
    ----------
    before
        The people of the original whom the description fits.
    after
        The people of the release whom it may fit: every cell may hide a value that fits.
    left_out
        The rows that are not released: the person may be among them.
    secrets
        For every sensitive column, the share of its most frequent value among the candidates, before and after; None
        where there are no candidates.
    people
        Whether people are counted, who may have several rows.
    """

    before: int
    after: int
    left_out: int = 0
    secrets: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    people: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        secrets = {name: {"before": before, "after": after} for name, (before, after) in self.secrets.items()}
        return vars(self) | {"secrets": secrets, "sentence": str(self)}

    def __str__(self) -> str:
        left = f" {self.left_out:,} rows are left out; the person may be among them." if self.left_out else ""
        if not self.before:
            return f"Nobody in the table fits that; {self.after:,} in the release might.{left}"
        return f"{self.before:,} {'fits' if self.before == 1 else 'fit'} before, {self.after:,} may fit after.{left}"


@dataclass(frozen=True)
class SamePerson:
    """A row of the original, and what the release shows of it. It is for the publisher's eyes.

    Attributes
    ----------
    row
        Where the row stands in the original, counted from 0 without those that a missing value leaves out.
    before
        Its values as texts, by column; None for a missing one.
    after
        What the release shows instead; None if the row is left out.
    alike
        How many rows of the release look like it, itself included.
    """

    row: int
    before: Mapping[str, str | None]
    after: Mapping[str, str | None] | None
    alike: int

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        after = None if self.after is None else dict(self.after)
        return {"row": self.row, "before": dict(self.before), "after": after, "alike": self.alike}


@dataclass(frozen=True)
class Fitting:
    """The rows of a table that may fit a description.

    Attributes
    ----------
    table
        The rows.
    fits
        Which of them may fit.
    people
        The person of every row; None if every row is a person.
    """

    table: Released
    fits: NDArray[np.bool_]
    people: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, table: Released, where: Where, people: NDArray[np.int64] | None) -> Self:
        """Find the rows that may fit a description."""
        return cls(table, table.may_fit(where), people)

    def count(self) -> int:
        """Count the people who may fit."""
        return int(self.fits.sum()) if self.people is None else len(np.unique(self.people[self.fits]))

    def certainty(self, column: str) -> float | None:
        """The share of the most frequent value of a sensitive column; None if nobody fits."""
        codes = code_column(column, self.table.table.column(column)).codes[self.fits]
        return float(np.bincount(codes).max() / len(codes)) if len(codes) else None


def checked_knowledge(known: object, columns: Sequence[str]) -> Where:
    """Check that a description names columns that the release shows."""
    if not isinstance(known, Mapping):
        raise invalid_parameter(
            "knows", "known", "a value or a range for each column, such as {'age': 34, 'pay': (1000, 2000)}", known
        )
    for name in known:
        if name not in columns:
            close = difflib.get_close_matches(str(name), columns, n=1)
            hint = f"Did you mean '{close[0]}'? " if close else ""
            raise SchemaError(f"The release shows no column '{name}'. {hint}Its columns: {listed(columns)}.")
    return known


def candidates(before: Fitting, after: Fitting, sensitive: Sequence[str], left_out: int) -> CandidatesLeft:
    """Count the candidates before and after, and how certain their sensitive values are."""
    secrets = {name: (before.certainty(name), after.certainty(name)) for name in sensitive}
    return CandidatesLeft(before.count(), after.count(), left_out, secrets, before.people is not None)
