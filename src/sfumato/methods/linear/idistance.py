"""iDistance: optimal runs along the nearest centres and the distances to them, and the mapping behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.threads import in_chunks
from sfumato.errors import invalid_parameter
from sfumato.methods.base import register
from sfumato.methods.linear.base import EXTENT, LinearMethod
from sfumato.methods.linear.hilbert import check_bits, curve_keys, positions
from sfumato.methods.linear.kernels.idistance import nearest_centres
from sfumato.methods.linear.row_order import LinearMapping
from sfumato.table.microdata import Microdata

#: The rounds of k-means, in each of which the centres move to the mean of their rows.
ROUNDS = 5

#: The low bits of a key that hold the distance; the number of the centre stands above them.
DISTANCE_BITS = 32


@dataclass(frozen=True)
class IDistance(LinearMethod):
    """Sort the rows by nearest centre and distance to it, and cut the order into the runs with the least loss.

    Parameters
    ----------
    minimize, keep_equal
        As in `Hilbert`; ``minimize="extent"`` is iDistFast in the paper.
    centres
        The number of centres.
    sample
        The share of rows from which the centres are computed.
    bits
        The resolution of the Hilbert curve that orders the centres.
    """

    centres: int = 512
    sample: float = 0.1
    bits: int = 12

    name: ClassVar[str] = "idistance"
    along: ClassVar[str] = "nearest centres and the distance to them"
    cheapest: ClassVar[str] = ". O(kn + centres n)"
    order_free: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        self.make_mapping()

    def make_mapping(self) -> LinearMapping:
        return NearestCentre(self.centres, self.sample, self.bits)


@dataclass(frozen=True)
class NearestCentre(LinearMapping):
    """The rank of the nearest centre along the Hilbert curve, then the distance to it.

    Parameters
    ----------
    centres
        The number of centres.
    sample
        The share of rows from which the centres are computed.
    bits
        The resolution of the Hilbert curve that orders the centres.
    """

    centres: int = 512
    sample: float = 0.1
    bits: int = 12
    name: ClassVar[str] = "idistance"

    def __post_init__(self) -> None:
        parameters.integer("NearestCentre", "centres", self.centres, at_least=1)
        if parameters.share("NearestCentre", "sample", self.sample) == 0:
            raise invalid_parameter("NearestCentre", "sample", "a share above 0", self.sample)
        check_bits("NearestCentre", self.bits)

    def keys(self, microdata: Microdata, random: np.random.Generator) -> NDArray[np.uint64]:
        space = CodePositions.of(microdata)
        centres = self._ordered(self._find_centres(microdata.codes, space, random))
        nearest, distance = space.nearest(microdata.codes, centres)
        reach = np.sqrt(len(space.at) - 1.0)
        steps = np.minimum(np.sqrt(distance.astype(np.float64)) / reach, 1.0) * (2.0**DISTANCE_BITS - 1)
        keys = (nearest.astype(np.uint64) << np.uint64(DISTANCE_BITS)) | np.rint(steps).astype(np.uint64)
        return keys[None]

    def _find_centres(
        self, codes: NDArray[np.unsignedinteger], space: CodePositions, random: np.random.Generator
    ) -> NDArray[np.float32]:
        """Cluster a sample of the rows by k-means, from random distinct rows, and return the centres."""
        wanted = min(len(codes), max(self.centres, round(self.sample * len(codes))))
        sample = np.ascontiguousarray(codes[np.sort(random.choice(len(codes), wanted, replace=False))])
        distinct = np.unique(sample, axis=0)
        chosen = random.choice(len(distinct), min(self.centres, len(distinct)), replace=False)
        centres = space.points(distinct[np.sort(chosen)])
        points = space.points(sample)
        for _ in range(ROUNDS):
            nearest, _ = space.nearest(sample, centres)
            counts = np.bincount(nearest, minlength=centres.shape[1])
            sums = np.stack([np.bincount(nearest, axis, centres.shape[1]) for axis in points])
            centres = np.where(counts > 0, sums / np.maximum(counts, 1), centres).astype(np.float32)
        return centres

    def _ordered(self, centres: NDArray[np.float32]) -> NDArray[np.float32]:
        """Sort the centres along the Hilbert curve."""
        cells = np.rint(centres.T.astype(np.float64) * (2**self.bits - 1)).astype(np.uint32)
        keys = curve_keys(cells, [np.arange(2**self.bits)] * len(centres), self.bits)
        return np.ascontiguousarray(centres[:, np.lexsort(keys[::-1])])


@dataclass(frozen=True)
class CodePositions:
    """The position of every code from 0 to 1: those of all attributes in one array, ``at`` the start of each."""

    flat: NDArray[np.float32]
    at: NDArray[np.int64]

    @classmethod
    def of(cls, microdata: Microdata) -> CodePositions:
        """Collect the positions of all domains of a table."""
        places = [positions(domain) for domain in microdata.domains]
        at = np.cumsum([0, *map(len, places)], dtype=np.int64)
        return cls(np.concatenate(places).astype(np.float32), at)

    def points(self, codes: NDArray[np.unsignedinteger]) -> NDArray[np.float32]:
        """Look up the coordinates of rows: one row per attribute."""
        return np.stack([self.flat[self.at[axis] + codes[:, axis]] for axis in range(codes.shape[1])])

    def nearest(
        self, codes: NDArray[np.unsignedinteger], centres: NDArray[np.float32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Find the nearest centre of every row and the squared distance to it."""
        nearest, distance = np.empty(len(codes), np.int32), np.empty(len(codes), np.float32)
        in_chunks(
            len(codes),
            lambda start, stop: nearest_centres(codes, self.flat, self.at, centres, start, stop, nearest, distance),
        )
        return nearest, distance


register(idistance_fast=lambda: IDistance(minimize=EXTENT))(IDistance)
