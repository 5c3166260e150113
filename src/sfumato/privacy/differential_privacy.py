"""(ε, δ)-differential privacy of rows, by random sampling and levels that do not depend on the data.

If every row is drawn by itself with chance β, shown at levels that do not depend on the table, and left out unless at
least k drawn rows look alike, then no single row changes the chance of any release by more than e^ε, except with a
chance of δ (Li, Qardaji and Su 2012). What k has to be follows from ε, δ and β, and is computed here with every
rounding on the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import invalid_parameter
from sfumato.privacy.base import PrivacyModel, Rule
from sfumato.table.kernels import rules
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses

#: β is a multiple of this, so that a draw of as many random bits has exactly that chance.
BITS = 53

#: Digits enough for 1 - β to be exact, and all other numbers to be rounded up by next to nothing.
ABOVE = Context(prec=80, rounding=ROUND_CEILING)

#: Decimal rounds powers to within a unit of the last digit, not always up.
ROOM = 1 + Decimal(10) ** -70

#: If each further term is less than half of the one before, those after one this small add up to less than it.
HALF, NEGLIGIBLE = Decimal("0.5"), Decimal(10) ** -60

#: Beyond this, one row may change a chance by a factor of 3,000, and k grows without end; below the least, nothing of a
#: table of millions comes out, and k would take hours to compute.
LEAST_EPSILON, LARGEST_EPSILON = 0.01, 8.0

#: Less than this is no chance that anything depends on.
LEAST_DELTA = 1e-30

#: In how many steps the best β is searched for, from next to nothing to the largest.
STEPS = 200

#: Lets the model choose the β at which groups survive that are as small as possible.
BEST = "best"


@dataclass(frozen=True)
class DifferentialPrivacy(PrivacyModel):
    """No single row changes what is released, up to a factor of e^ε in its chance and a chance of δ.

    The release is a random sample of the rows, at levels that were given or chosen at random, without the classes of
    fewer than ``k`` drawn rows. All released columns have to be quasi-identifiers.

    Parameters
    ----------
    epsilon
        How much the chance of a release may depend on one row: at most by a factor of e^ε; from 0.01 to 8.
    delta
        The chance that may escape this limit: far below one in the number of rows.
    for_levels
        The part of ``epsilon`` that is spent on choosing the levels by the table; 0 where they are given (`recode`).
    beta
        The chance of every row to be drawn: at most 1 - e^-ε, which is the default. With less, fewer rows come out and
        smaller groups survive; ``"best"`` finds the chance at which they may be smallest, by ``k / beta``.

    Examples
    --------
    >>> DifferentialPrivacy(1.0, 1e-6).k
    74
    """

    epsilon: float
    delta: float
    for_levels: float = 0.0
    beta: float | str | None = None
    name: ClassVar[str] = "differential-privacy"
    procedural: ClassVar[bool] = True

    def __post_init__(self) -> None:
        owner = type(self).__name__
        if not LEAST_EPSILON <= parameters.number(owner, "epsilon", self.epsilon, above=0) <= LARGEST_EPSILON:
            expected = f"from {LEAST_EPSILON:g} to {LARGEST_EPSILON:g}"
            raise invalid_parameter(owner, "epsilon", expected, self.epsilon)
        if not LEAST_DELTA <= parameters.number(owner, "delta", self.delta, above=0) < 0.5:
            expected = f"at least {LEAST_DELTA:g} and far below one in the number of rows"
            raise invalid_parameter(owner, "delta", expected, self.delta)
        rest = self.epsilon - parameters.number(owner, "for_levels", self.for_levels, at_least=0)
        if self.for_levels and rest < LEAST_EPSILON:
            expected = f"a part of epsilon that leaves at least {LEAST_EPSILON:g} for the rows"
            raise invalid_parameter(owner, "for_levels", expected, self.for_levels)
        largest = largest_beta(self.for_rows)
        given = largest if self.beta is None else self.beta
        if given == BEST:
            given = best_beta(self.for_rows, self.delta)
        if isinstance(given, str) or not 0 < parameters.number(owner, "beta", given, above=0) <= largest:
            expected = f"above 0 and at most 1 - e^-ε = {largest:.6g}, or 'best'"
            raise invalid_parameter(owner, "beta", expected, self.beta)
        object.__setattr__(self, "beta", math.floor(given * 2**BITS) / 2**BITS)

    @property
    def for_rows(self) -> float:
        """The part of ``epsilon`` that the rows themselves spend, rounded down."""
        if not self.for_levels:
            return self.epsilon
        return math.nextafter(self.epsilon - self.for_levels, 0.0)

    @property
    def chance(self) -> float:
        """The chance of every row to be drawn, a multiple of 2^-53."""
        assert isinstance(self.beta, float)
        return self.beta

    @property
    def k(self) -> int:
        """The smallest class of drawn rows that may be released."""
        return least_class(self.for_rows, self.delta, self.chance)

    def bind(self, microdata: Microdata) -> Sequence[Rule]:
        return [Rule(self, rules.SIZE, first=self.k)]

    def holds(self, rule: Rule, microdata: Microdata, classes: EquivalenceClasses) -> NDArray[np.bool_]:
        return classes.sizes >= self.k

    def nearest(self, rule: Rule, microdata: Microdata) -> str:
        return (
            f"(ε={self.epsilon:g}, δ={self.delta:g})-differential privacy releases classes of at least {self.k:,} "
            "drawn rows, and the table has too few. A larger ε or δ asks for smaller classes."
        )

    def smallest_class(self) -> int:
        return self.k

    def to_policy(self) -> dict[str, Any]:
        return {
            "model": self.name,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "for_levels": self.for_levels,
            "beta": self.chance,
        }


def largest_beta(epsilon: float) -> float:
    """The largest chance to be drawn that the theorem allows, 1 - e^-ε, rounded down.

    >>> round(largest_beta(1.0), 6)
    0.632121
    """
    with localcontext(ABOVE):
        return int((1 - _shrinking(epsilon)) * 2**BITS) / 2**BITS


@cache
def best_beta(epsilon: float, delta: float) -> float:
    """The chance at which a group of the table needs the fewest rows, on average, to be released.

    >>> beta = best_beta(1.0, 1e-6)
    >>> least_class(1.0, 1e-6, beta) / beta < 70 < 74 / largest_beta(1.0)
    True
    """
    largest = largest_beta(epsilon)
    chances = [largest * step / STEPS for step in range(1, STEPS + 1)]
    return min(chances, key=lambda beta: least_class(epsilon, delta, beta) / beta)


@cache
def least_class(epsilon: float, delta: float, beta: float) -> int:
    """The smallest k with δ(k) ≤ δ, the largest chance over numbers n of equal rows to draw more than γ·n of them.

    For n ≥ ⌈k/γ⌉ - 1 equal rows, the chance to draw more than γ·n grows with n until γ·n reaches the next integer m; so
    it is enough to look at the last n below each m / γ, where it is the chance to draw m or more.
    """
    chance, limit = Decimal(beta), Decimal(delta)
    with localcontext(ABOVE):
        # Rounded down: a smaller γ lets more rows be drawn.
        gamma = (1 - (1 - chance) * _shrinking(epsilon)).next_minus(ABOVE)
        enough = _enough_drawn(float(gamma), beta, delta)
        for drawn in range(enough, 0, -1):
            rows = math.ceil((drawn / gamma).next_plus(ABOVE)) - 1
            if rows >= drawn and _drawn_or_more(drawn, rows, chance) > limit:
                return drawn + 1
    return 1


def _shrinking(epsilon: float) -> Decimal:
    """e^-ε, rounded up; Decimal rounds it to the nearest number."""
    return Decimal(-epsilon).exp(ABOVE).next_plus(ABOVE)


def _enough_drawn(gamma: float, beta: float, delta: float) -> int:
    """A number of drawn rows from which on Chernoff's bound e^(-n·D(γ‖β)) is below δ, with room for rounding."""
    distance = gamma * math.log(gamma / beta) + (1 - gamma) * math.log((1 - gamma) / (1 - beta))
    return math.ceil(1.001 * gamma * -math.log(delta) / distance) + 2


def _drawn_or_more(drawn: int, rows: int, chance: Decimal) -> Decimal:
    """The chance to draw at least so many of some rows, rounded up; all terms are positive.

    Each term is the one before times a ratio that falls, so what is left over is at most a geometric series.
    """
    odds = chance / (1 - chance)
    term = math.comb(rows, drawn) * chance**drawn * (1 - chance) ** (rows - drawn)
    total = term
    for more in range(drawn + 1, rows + 1):
        ratio = (rows - more + 1) * odds / more
        term = term * ratio
        total += term
        if ratio < HALF and term < total * NEGLIGIBLE:
            total += term
            break
    return total * ROOM
