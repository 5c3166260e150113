"""Frequency sets at any node of the lattice, each computed from a finer one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from sfumato.hierarchies import Domain
from sfumato.methods.lattice.kernels.node_classes import GroupEdges
from sfumato.methods.lattice.kernels.rollup import Layout, classes_of, pack_column, roll_up
from sfumato.table.microdata import Microdata

#: A node of the lattice: the level of every quasi-identifier.
Levels = tuple[int, ...]

WORD_BITS = 64


@dataclass(frozen=True)
class Frequencies:
    """The frequency set of a table at a node: the distinct keys and the number of rows with each.

    Attributes
    ----------
    levels
        The node.
    keys, counts
        The groups; if models depend on sensitive values, these are part of the key.
    small
        The number of rows in groups smaller than the smallest allowed class.
    """

    levels: Levels
    keys: NDArray[np.uint64] = field(repr=False)
    counts: NDArray[np.int64] = field(repr=False)
    small: int

    def __len__(self) -> int:
        return len(self.counts)


class Roller:
    """Computes frequency sets: from the table itself, and from there those of all nodes above.

    Attributes
    ----------
    scans, rollups
        How often the table itself was scanned, and how often another frequency set was rolled up.
    """

    def __init__(self, domains: Sequence[Domain], sensitive_sizes: Sequence[int] = (), smallest: int = 1) -> None:
        self.domains = tuple(domains)
        self.smallest = smallest
        self.layout, self.words = _lay_out(self.domains, sensitive_sizes)
        self.visible = self._visible()
        self.edges = _edges(self.domains)
        self.scans = self.rollups = 0

    @property
    def bottom(self) -> Levels:
        """The node without any generalization."""
        return (0,) * len(self.domains)

    @property
    def top(self) -> Levels:
        """The node with every attribute at its highest level."""
        return tuple(domain.top for domain in self.domains)

    def pack(self, codes: NDArray[np.unsignedinteger], sensitive: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Pack the codes of every row into its key."""
        keys = np.zeros((len(codes), self.words), np.uint64)
        columns = [*codes.T, *(column.astype(np.uint32) for column in sensitive.T)]
        for column, (word, shift, _) in zip(columns, self.layout.fields.tolist(), strict=True):
            pack_column(keys, np.ascontiguousarray(column), word, shift)
        return keys

    def scan(
        self, keys: NDArray[np.uint64], counts: NDArray[np.int64] | None, levels: Levels, in_order: bool = False
    ) -> Frequencies:
        """Count rows, or distinct rows with counts, at a node; ``in_order`` keeps the order of first occurrence."""
        self.scans += 1
        ones = np.ones(len(keys), np.int64) if counts is None else counts
        return self._count(keys, ones, self.bottom, levels, in_order)

    def peek(self, keys: NDArray[np.uint64], levels: Levels) -> Frequencies:
        """Count a sample of rows, which does not count as a scan."""
        return self._count(keys, np.ones(len(keys), np.int64), self.bottom, levels)

    def up(self, frequencies: Frequencies, levels: Levels) -> Frequencies:
        """Roll a frequency set up to a node at or above its own."""
        if frequencies.levels == levels:
            return frequencies
        self.rollups += 1
        return self._count(frequencies.keys, frequencies.counts, frequencies.levels, levels)

    def classes(self, keys: NDArray[np.uint64], at: Levels, levels: Levels) -> tuple[NDArray[np.int32], int]:
        """Find the class of every key, given at the node ``at``, at the node ``levels``, and the number of classes."""
        of_key, class_keys = classes_of(keys, self.layout, np.array(at), np.array(levels), self.visible)
        return of_key, len(class_keys)

    def _count(
        self,
        keys: NDArray[np.uint64],
        counts: NDArray[np.int64],
        origin: Levels,
        levels: Levels,
        in_order: bool = False,
    ) -> Frequencies:
        counted = roll_up(keys, counts, self.layout, np.array(origin), np.array(levels), self.smallest, in_order)
        return Frequencies(levels, *counted)

    def _visible(self) -> NDArray[np.uint64]:
        visible = np.zeros(self.words, np.uint64)
        for word, shift, mask in self.layout.fields[: len(self.domains)].tolist():
            visible[word] |= np.uint64(mask << shift)
        return visible


def roller_for(microdata: Microdata, with_sensitive: bool, smallest: int) -> Roller:
    """Create the roller of a table."""
    sizes = [column.size for column in microdata.sensitive] if with_sensitive else []
    return Roller(microdata.domains, sizes, smallest)


def _lay_out(domains: Sequence[Domain], sensitive_sizes: Sequence[int]) -> tuple[Layout, int]:
    """Lay out the fields of keys, and tabulate the maps between all levels of every attribute."""
    depth = max(len(domain.levels) for domain in domains)
    sizes = np.ones((len(domains), depth), np.int64)
    maps_at = np.zeros((len(domains), depth, depth), np.int64)
    maps = [np.empty(0, np.int32)]
    length = 0
    for at, domain in enumerate(domains):
        for low, level in enumerate(domain.levels):
            sizes[at, low] = len(level)
            first = np.unique(level.groups, return_index=True)[1]
            for high in range(low + 1, len(domain.levels)):
                maps.append(domain.levels[high].groups[first].astype(np.int32))
                maps_at[at, low, high] = length
                length += len(first)
    fields = _fields([*(domain.size for domain in domains), *sensitive_sizes])
    return Layout(fields, sizes, maps_at, np.concatenate(maps)), int(fields[:, 0].max()) + 1


def _fields(sizes: Sequence[int]) -> NDArray[np.int64]:
    """The word, shift and mask of fields for domains of these sizes; no field spans two words."""
    fields = []
    word = shift = 0
    for size in sizes:
        bits = max(1, int(size - 1).bit_length())
        if shift + bits > WORD_BITS:
            word, shift = word + 1, 0
        fields.append((word, shift, (1 << bits) - 1))
        shift += bits
    return np.array(fields, np.int64)


def _edges(domains: Sequence[Domain]) -> GroupEdges:
    depth = max(len(domain.levels) for domain in domains)
    at = np.zeros((len(domains), depth), np.int64)
    codes = []
    length = 0
    for place, domain in enumerate(domains):
        for number, level in enumerate(domain.levels):
            at[place, number] = length
            first = np.unique(level.groups, return_index=True)[1]
            codes.append(np.stack([first, np.append(first[1:], domain.size) - 1], axis=1))
            length += len(first)
    return GroupEdges(at, np.concatenate(codes).astype(np.int64))
