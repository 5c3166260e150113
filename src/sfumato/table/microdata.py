"""The encoded table: the small integers that every method works on, and what they stand for."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common.rows import count_codes, gather, stretches
from sfumato.common.threads import shared_property, side_by_side
from sfumato.hierarchies import Domain
from sfumato.table.kernels.spans import Spans
from sfumato.table.spans import pack_spans


@dataclass(frozen=True)
class SensitiveColumn:
    """A sensitive column as codes in the order of its values; a missing value counts as the last value.

    ``whole`` are the counts of values in the whole table, if these rows are a part of it; else None.
    """

    name: str
    values: pa.Array = field(repr=False)
    codes: NDArray[np.int32] = field(repr=False)
    whole: NDArray[np.int64] | None = field(default=None, repr=False, kw_only=True)

    @property
    def size(self) -> int:
        """The number of distinct values."""
        return len(self.values)

    def counts(self) -> NDArray[np.int64]:
        """How often each value occurs."""
        return np.bincount(self.codes, minlength=self.size)

    @property
    def reference(self) -> NDArray[np.int64]:
        """How often each value occurs in the whole table, the reference of t-closeness."""
        return self.counts() if self.whole is None else self.whole


@dataclass(frozen=True)
class WeightedColumn(SensitiveColumn):
    """A sensitive column of distinct rows, each of which stands for several rows."""

    weights: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64), repr=False, kw_only=True)

    @classmethod
    def counted(cls, name: str, values: pa.Array, counts: NDArray[np.int64]) -> WeightedColumn:
        """Make a column of which only the values and their counts are known."""
        return cls(name, values, np.arange(len(values), dtype=np.int32), weights=counts)

    def counts(self) -> NDArray[np.int64]:
        """How often each value occurs."""
        return np.bincount(self.codes, self.weights, self.size).astype(np.int64)


@dataclass(frozen=True)
class Microdata:
    """One row per person: the codes of the quasi-identifiers, their domains, the coded sensitive columns.

    Attributes
    ----------
    codes
        One row per person and one column per quasi-identifier, in 16 bits each, or in 32 bits if a domain is large.
    domains
        What the codes of each column stand for.
    sensitive
        The sensitive columns.
    weights
        The weight of each quasi-identifier in the loss; they add up to 1.
    whole
        How often every code of each quasi-identifier occurs in the whole table, if these rows are a part of it; else
        None.
    """

    codes: NDArray[np.unsignedinteger] = field(repr=False)
    domains: tuple[Domain, ...]
    sensitive: tuple[SensitiveColumn, ...] = ()
    weights: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    whole: tuple[NDArray[np.int64], ...] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not len(self.weights):
            object.__setattr__(self, "weights", np.full(len(self.domains), 1 / max(1, len(self.domains))))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(domain.name for domain in self.domains)

    @cached_property
    def spans(self) -> Spans:
        """The span costs of all quasi-identifiers, for kernels."""
        return pack_spans(self.domains, self.weights)

    @shared_property
    def marginals(self) -> tuple[NDArray[np.int64], ...]:
        """How often every code of each quasi-identifier occurs, in the whole table."""
        if self.whole is not None:
            return self.whole
        sizes = [domain.size for domain in self.domains]
        return tuple(side_by_side(lambda at: count_codes(self.codes[:, at], sizes[at]), range(len(sizes))))

    def span_costs(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> NDArray[np.float64]:
        """The losses of classes (rows) that span the codes ``lo..hi``, by quasi-identifier (columns)."""
        costs = [domain.span_costs(lo[:, at], hi[:, at]) for at, domain in enumerate(self.domains)]
        return np.stack(costs, axis=1)

    def penalties(self, lo: NDArray[np.integer], hi: NDArray[np.integer]) -> NDArray[np.float64]:
        """The loss of each row of these classes over all quasi-identifiers."""
        # Not as a product of matrices, whose last digits would depend on the number of cores.
        total = np.zeros(len(lo))
        for at, (domain, weight) in enumerate(zip(self.domains, self.weights, strict=True)):
            total += domain.span_costs(lo[:, at], hi[:, at]) * weight
        return total

    def take(self, rows: NDArray[np.integer] | NDArray[np.bool_]) -> Microdata:
        """Select rows; the domains stay those of the whole table, so that losses stay comparable."""
        places: NDArray[np.integer] = (
            np.flatnonzero(rows) if rows.dtype == np.bool_ else rows.astype(np.int64, copy=False)
        )
        sensitive = tuple(replace(column, codes=gather(column.codes, places)) for column in self.sensitive)
        return replace(self, codes=gather(self.codes, places), sensitive=sensitive)

    def digest(self, key: bytes) -> bytes:
        """A keyed hash of the whole content; without the key it cannot confirm a guess about the content."""
        state = hashlib.blake2b(key=key)
        state.update(repr((self.codes.shape, self.codes.dtype.str, self.names)).encode())
        _update_rows(state, self.codes, key)
        for domain in self.domains:
            _update(state, domain.texts)
        for column in self.sensitive:
            state.update(column.name.encode())
            _update_rows(state, column.codes, key)
            _update(state, column.values.cast(pa.string()))
        return state.digest()


def _update_rows(state: hashlib.blake2b, codes: NDArray[np.generic], key: bytes) -> None:
    """Add the hashes of all stretches of rows, which threads compute side by side."""

    def digest(ends: tuple[int, int]) -> bytes:
        return hashlib.blake2b(np.ascontiguousarray(codes[slice(*ends)]).data, key=key).digest()

    state.update(b"".join(side_by_side(digest, stretches(len(codes)))))


def _update(state: hashlib.blake2b, texts: pa.StringArray) -> None:
    for text in texts.to_pylist():
        encoded = b"\xff" if text is None else text.encode()
        state.update(len(encoded).to_bytes(8, "little"))
        state.update(encoded)


def smallest_unsigned(sizes: Sequence[int]) -> np.dtype[np.unsignedinteger]:
    """The smallest unsigned type of at least 16 bits that holds the codes of domains of these sizes.

    Every kernel is compiled for each type that it is called with: 8 bits would save little memory and compile many
    kernels twice.
    """
    return np.promote_types(np.uint16, np.min_scalar_type(max(1, *sizes) - 1)) if sizes else np.dtype(np.uint16)
