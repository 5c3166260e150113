"""Hilbert: optimal runs along a Hilbert curve, and the curve itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.threads import in_chunks
from sfumato.hierarchies import Domain, ScaledDomain
from sfumato.methods.base import register
from sfumato.methods.linear.base import EXTENT, LinearMethod
from sfumato.methods.linear.kernels.hilbert import WORD, hilbert_keys
from sfumato.methods.linear.row_order import LinearMapping
from sfumato.methods.on_engine import Keys
from sfumato.table.microdata import Microdata


@dataclass(frozen=True)
class Hilbert(LinearMethod):
    """Sort the rows along a Hilbert curve and cut it into the runs with the least loss.

    Parameters
    ----------
    minimize
        What is minimized: ``"gcp"`` (Hilb in the paper), ``"entropy"``, a list of queries, or an `Objective` that
        depends on what classes span; or ``"extent"`` (HilbFast), the length of the runs on the curve, which is faster
        and loses more.
    keep_equal
        Keep rows with equal quasi-identifiers in one class (global recoding). Otherwise they may end up in several.
    bits
        The resolution of the curve: ``2**bits`` cells along every quasi-identifier.
    """

    bits: int = 12

    name: ClassVar[str] = "hilbert"
    along: ClassVar[str] = "a Hilbert curve"
    cheapest: ClassVar[str] = "; the true optimum for one attribute. O(kn)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_bits("Hilbert", self.bits)

    def make_mapping(self) -> LinearMapping:
        return HilbertCurve(self.bits)


@dataclass(frozen=True)
class HilbertCurve(LinearMapping):
    """The position on a Hilbert curve over a grid of ``2**bits`` cells along every quasi-identifier."""

    bits: int = 12
    name: ClassVar[str] = "hilbert"

    def __post_init__(self) -> None:
        check_bits("HilbertCurve", self.bits)

    def keys(self, microdata: Microdata, random: np.random.Generator) -> NDArray[np.uint64]:
        return curve_keys(microdata.codes, grids(microdata.domains, self.bits), self.bits)

    @property
    def on_engine(self) -> Keys:
        return self.first_bits

    def first_bits(self, codes: NDArray[np.unsignedinteger], domains: Sequence[Domain]) -> NDArray[np.uint64]:
        """Compute the first 64 bits of each row's place on the curve; the highest of them are always in use."""
        words = curve_keys(codes, grids(domains, self.bits), self.bits)
        used = self.bits * len(domains) - WORD * (len(words) - 1)
        keys = words[0] << np.uint64(WORD - used)
        return keys | (words[1] >> np.uint64(used)) if len(words) > 1 and used < WORD else keys

    def distinguishes(self, microdata: Microdata) -> bool:
        return all(bool((np.diff(grid) > 0).all()) for grid in grids(microdata.domains, self.bits, signed=True))


def check_bits(owner: str, bits: object) -> None:
    """Reject a number of bits that a grid cannot have."""
    if parameters.integer(owner, "bits", bits, at_least=1) > 32:
        parameters.choice(owner, "bits", bits, range(1, 33))


def grids(domains: Sequence[Domain], bits: int, signed: bool = False) -> list[NDArray[np.integer]]:
    """Map every code to its grid cell: numbers by value, categories by their order in a walk of the tree."""
    kind = np.int64 if signed else np.uint32
    return [np.rint(positions(domain) * (2**bits - 1)).astype(kind) for domain in domains]


def positions(domain: Domain) -> NDArray[np.float64]:
    """Map every code to a position from 0 to 1; the missing value comes last."""
    if isinstance(domain, ScaledDomain):
        place = np.minimum(domain.positions, 1.0)
        if domain.has_missing:
            place[:-1] *= (domain.size - 1) / domain.size
        return place
    return np.linspace(0.0, 1.0, domain.size) if domain.size > 1 else np.zeros(domain.size)


def curve_keys(
    codes: NDArray[np.unsignedinteger], grid: Sequence[NDArray[np.integer]], bits: int
) -> NDArray[np.uint64]:
    """Compute the positions of rows on the Hilbert curve, as 64-bit words, most significant first."""
    words = max(1, -(-bits * codes.shape[1] // WORD))
    keys = np.empty((words, len(codes)), np.uint64)
    at = np.cumsum([0, *(len(places) for places in grid)], dtype=np.int64)
    flat = np.concatenate(grid).astype(np.uint32)
    in_chunks(len(codes), lambda start, stop: hilbert_keys(codes, flat, at, bits, start, stop, keys))
    return keys


register(hilbert_fast=lambda: Hilbert(minimize=EXTENT))(Hilbert)
