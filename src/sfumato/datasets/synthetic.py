"""Plain integer tables from known distributions, for experiments."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from sfumato.common import parameters
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.sampling import Columns, Conditional, Floats, in_blocks
from sfumato.errors import invalid_parameter
from sfumato.hierarchies import Hierarchy, Numeric


def discrete(
    rows: int = 10_000,
    attributes: int = 5,
    cardinality: int = 8,
    distribution: str = "uniform",
    *,
    sigma: float = 0.2,
    mu: float | None = None,
    seed: int = 0,
) -> Dataset:
    """Make independent integer attributes ``x1``, ``x2``, …, each with the values ``0..cardinality-1``.

    These are the synthetic tables of LeFevre, DeWitt and Ramakrishnan, *Mondrian Multidimensional
    k-Anonymity*, ICDE 2006, Section 6.1, with binary trees as hierarchies.

    Parameters
    ----------
    rows, attributes, cardinality
        The shape of the table, and how many values each attribute can take.
    distribution
        ``"uniform"``, or ``"skewed"``: a multivariate normal distribution without correlation, cut into
        ranges of width one around each value; what falls outside all ranges is drawn again.
    sigma
        The standard deviation of the skewed distribution, as a share of the cardinality, so that 0.2 is the
        same picture at every cardinality: a smaller value is more skew.
    mu
        The mean of the skewed distribution, on the scale of the values. The middle if not given.
    seed
        The same seed gives the same table; a shorter table is the beginning of a longer one.

    Examples
    --------
    >>> discrete(rows=100, attributes=2, cardinality=50, distribution="skewed", mu=25).table.column_names
    ['x1', 'x2']
    """
    attributes = parameters.integer("discrete", "attributes", attributes, at_least=1)
    cardinality = parameters.integer("discrete", "cardinality", cardinality, at_least=1)
    parameters.choice("discrete", "distribution", distribution, ("uniform", "skewed"))
    sigma = parameters.number("discrete", "sigma", sigma, above=0)
    mean = _mean(cardinality, mu)
    skewed = distribution == "skewed"
    weights = _bell(cardinality, mean, sigma * cardinality) if skewed else np.ones(cardinality)
    names = [f"x{number}" for number in range(1, attributes + 1)]
    return _independent("discrete", names, weights, rows, seed)


def simple_normal(rows: int = 10_000, seed: int = 0) -> Dataset:
    """Make two integer attributes ``x`` and ``y`` from 0 to 100, with a two-dimensional normal distribution.

    This is the SimpleNormal table of Hore, Jammalamadaka and Mehrotra, *Flexible Anonymization for Privacy
    Preserving Data Publishing*, SDM 2007. The paper names no parameters; here the mean is 50, the standard
    deviation 50/3, and there is no correlation.

    Parameters
    ----------
    rows
        The number of points.
    seed
        The same seed gives the same points; a shorter table is the beginning of a longer one.

    Examples
    --------
    >>> simple_normal(rows=100).table.shape
    (100, 2)
    """
    return _independent("simple_normal", ["x", "y"], _bell(101, 50, 50 / 3), rows, seed)


def _mean(cardinality: int, mu: float | None) -> float:
    middle = (cardinality - 1) / 2
    mean = middle if mu is None else parameters.number("discrete", "mu", mu)
    if not 0 <= mean <= cardinality - 1:
        raise invalid_parameter("discrete", "mu", f"a number from 0 to {cardinality - 1}", mu)
    return mean


def _bell(cardinality: int, mean: float, deviation: float) -> Floats:
    """Compute the share of a normal distribution in the range of width one around each value."""
    edges = (np.arange(cardinality + 1) - 0.5 - mean) / (deviation * math.sqrt(2))
    return np.diff([math.erf(edge) for edge in edges])


def _independent(owner: str, names: list[str], weights: Floats, rows: int, seed: int) -> Dataset:
    draw = Conditional(weights)
    kind = np.int16 if len(weights) <= np.iinfo(np.int16).max else np.int32

    def make(rng: np.random.Generator, size: int) -> Columns:
        return {name: draw.draw(rng, size=size).astype(kind) for name in names}

    columns = in_blocks(owner, rows, seed, make)
    hierarchies: dict[str, Hierarchy] = {name: Numeric(widths=_doubling(len(weights))) for name in names}
    return Dataset.of(owner, pa.table(columns), hierarchies)


def _doubling(cardinality: int) -> list[int]:
    """List the widths of a binary tree between the values and the root: 2, 4, 8, …."""
    return [1 << power for power in range(1, (cardinality - 1).bit_length())]
