"""Limits on how much likelier a class makes a sensitive value: β-likeness and δ-disclosure privacy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.privacy.base import Rule, SensitiveModel
from sfumato.table.kernels import rules
from sfumato.table.kernels.rules import TOLERANCE
from sfumato.table.microdata import Microdata

KINDS = {"basic": 0.0, "enhanced": 1.0}


@dataclass(frozen=True)
class BetaLikeness(SensitiveModel):
    """No sensitive value is more than 1 + ``beta`` times as frequent in a class as in the release (Cao, Karras 2012).

    Parameters
    ----------
    beta
        The largest relative gain in frequency, above 0: 1 allows twice the frequency.
    kind
        ``"basic"``, or ``"enhanced"``: a gain of at most -ln(p) for a value that makes up p of the release, which
        bounds frequent values too.
    column
        The sensitive column that it constrains; None for all of them.
    """

    beta: float
    kind: str = "basic"
    name: ClassVar[str] = "beta-likeness"

    def __post_init__(self) -> None:
        object.__setattr__(self, "beta", parameters.number("BetaLikeness", "beta", self.beta, above=0))
        parameters.choice("BetaLikeness", "kind", self.kind, tuple(KINDS))

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        return [Rule(self, rules.LIKENESS, at, self.beta, KINDS[self.kind]) for at in self.columns(microdata)]

    def holds_for(
        self, counts: NDArray[np.int64], rule: Rule, table: NDArray[np.int64] | None = None
    ) -> NDArray[np.bool_]:
        here, whole = _shares(counts, table)
        gain = np.full(len(whole), self.beta)
        if self.kind == "enhanced":
            gain = np.minimum(gain, -np.log(whole, where=whole > 0, out=np.zeros(len(whole))))
        return (here <= whole * (1 + gain) * (1 + TOLERANCE)).all(axis=1)

    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        return f"beta={self.beta:g} is not possible for '{microdata.sensitive[rule.column].name}'."

    def to_policy(self) -> dict[str, Any]:
        policy = {"model": self.name, "beta": self.beta, "kind": self.kind, "column": self.column}
        return {key: value for key, value in policy.items() if value is not None}


@dataclass(frozen=True)
class DeltaDisclosure(SensitiveModel):
    """Every sensitive value is nearly as frequent in a class as in the release (Brickell, Shmatikov 2008).

    For a value that makes up p of the release and q of a class, |log2(q/p)| is below ``delta``. So every value occurs
    in every class: a value missing from a class would be ruled out for its people.

    Parameters
    ----------
    delta
        The limit, above 0; 1 allows twice and half the frequency.
    column
        The sensitive column that it constrains; None for all of them.
    """

    delta: float
    name: ClassVar[str] = "delta-disclosure"

    def __post_init__(self) -> None:
        object.__setattr__(self, "delta", parameters.number("DeltaDisclosure", "delta", self.delta, above=0))

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        return [Rule(self, rules.DISCLOSURE, column, self.delta) for column in self.columns(microdata)]

    def holds_for(
        self, counts: NDArray[np.int64], rule: Rule, table: NDArray[np.int64] | None = None
    ) -> NDArray[np.bool_]:
        here, whole = _shares(counts, table)
        there = whole > 0
        ratios = here[:, there] / whole[there]
        change = np.abs(np.log2(ratios, where=ratios > 0, out=np.full(ratios.shape, np.inf)))
        return np.asarray((change < self.delta * (1 - TOLERANCE)).all(axis=1), bool)

    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        return f"delta={self.delta:g} is not possible for '{microdata.sensitive[rule.column].name}'."

    def to_policy(self) -> dict[str, Any]:
        policy = {"model": self.name, "delta": self.delta, "column": self.column}
        return {key: value for key, value in policy.items() if value is not None}


def _shares(
    counts: NDArray[np.int64], table: NDArray[np.int64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the share of every value in every class, and in the whole table."""
    whole = counts.sum(axis=0) if table is None else table
    return counts / counts.sum(axis=1, keepdims=True), whole / whole.sum()
