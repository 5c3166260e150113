"""What a table can show of differential privacy: that every class has as many rows as ε, δ and the sampling ask for.

That a procedure is private is a statement about the procedure, not about one table that came out of it. The size of
classes follows from its definition, which is evaluated here for every number of equal rows, one after the other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import invalid_parameter
from sfumato.verify.models import RuleFinding

#: What may be asked for; anything beyond would take hours to check, or promises nothing.
LEAST_EPSILON, LARGEST_EPSILON, LEAST_DELTA = 0.01, 8.0, 1e-30

#: The relative error of sums of floats; a chance this close to δ counts as above it.
DOUBT = 1e-9


def check_private(requirement: Mapping[str, Any], sizes: NDArray[np.int64]) -> RuleFinding:
    """Check that every class has at least the rows that differential privacy by sampling asks for."""
    epsilon, delta, spent, beta = (
        parameters.number("differential-privacy", name, requirement.get(name))
        for name in ("epsilon", "delta", "for_levels", "beta")
    )
    asked = 0 <= spent <= epsilon - LEAST_EPSILON * (1 - DOUBT) and epsilon <= LARGEST_EPSILON
    if not (asked and LEAST_DELTA <= delta < 1 and 0 < beta <= -math.expm1(spent - epsilon) * (1 + DOUBT)):
        raise invalid_parameter("differential-privacy", "beta", "a chance that epsilon and delta allow", beta)
    k = smallest_class(epsilon - spent, delta, beta)
    rule = f"differential-privacy ε={epsilon:g}, δ={delta:g} (classes of rows drawn with chance {beta:.3g})"
    return RuleFinding(rule, None, k, "smallest class", sizes.astype(np.float64), sizes >= k)


@cache
def smallest_class(epsilon: float, delta: float, beta: float) -> int:
    """The smallest k such that, for every n ≥ ⌈k/γ - 1⌉, more than γ·n of n rows are drawn with a chance of at most δ.

    >>> smallest_class(1.0, 1e-6, -math.expm1(-1.0))
    74
    """
    gamma = (math.exp(epsilon) - 1 + beta) / math.exp(epsilon)
    distance = gamma * math.log(gamma / beta) + (1 - gamma) * math.log((1 - gamma) / (1 - beta))
    last = math.ceil(-math.log(delta) / distance * (1 + 1e-6)) + 1  # Chernoff's bound is below δ from here on
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, last + 1)))))
    limit = delta * (1 - DOUBT)
    too_likely = next((n for n in range(last, 0, -1) if _chance_beyond(gamma * n, n, beta, logs) > limit), 0)
    if not too_likely:
        return 1
    k = math.floor(gamma * (too_likely + 1)) + 1
    while k > 1 and math.ceil((k - 1) / gamma - 1) > too_likely:
        k -= 1
    return k


def _chance_beyond(limit: float, rows: int, beta: float, logs: NDArray[np.float64]) -> float:
    """The chance that more rows than a limit are drawn, by the logarithms of factorials."""
    drawn = np.arange(math.floor(limit * (1 - 1e-15)) + 1, rows + 1)
    terms = logs[rows] - logs[drawn] - logs[rows - drawn] + drawn * math.log(beta) + (rows - drawn) * math.log1p(-beta)
    return math.fsum(np.exp(terms))
