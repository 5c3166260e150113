"""All boxes that classes can show, listed: a group of values of every quasi-identifier, cheap boxes first.

In categorical attributes a box is a node of the tree. One attribute, usually a numeric one, is swept: all its intervals
are tried. The intervals of a second numeric attribute are listed only if it has few values. For tables with too many
boxes see `sfumato.loss.bound.neighbour_boxes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sfumato.common.patience import Patience
from sfumato.hierarchies import Domain, TreeDomain
from sfumato.loss.bound.kernels.cap_layer import FoundBoxes, cap_layer
from sfumato.loss.bound.kernels.highest_prices import PricedRows
from sfumato.table.frequency import KEY_LIMIT, FrequencySet, frequency_set
from sfumato.table.microdata import Microdata

if TYPE_CHECKING:
    from sfumato.loss.bound.row_prices import OverpricedBoxes

#: The most combinations of levels.
LAYERS = 20_000

#: The most distinct rows times layers: more would take minutes.
WORK = 250_000_000

#: Layers are kept for the next pass if they take at most this many bytes.
KEPT_BYTES = 1 << 29

#: The most values of a numeric attribute that is not swept, whose intervals are all listed.
FEW_VALUES = 16


@dataclass(frozen=True)
class Facet:
    """One level of a quasi-identifier: the group of every distinct row, and the loss of every group.

    Attributes
    ----------
    groups
        The group of every distinct row.
    losses
        The least loss of a class in each group, weighted.
    first, last
        The first and the last code of every group.
    """

    groups: NDArray[np.int64] = field(repr=False)
    losses: NDArray[np.float64]
    first: NDArray[np.int64] = field(repr=False)
    last: NDArray[np.int64] = field(repr=False)

    def __len__(self) -> int:
        return len(self.losses)

    def mean_loss(self, counts: NDArray[np.int64]) -> float:
        """Compute the mean loss of a row."""
        return float(np.average(self.losses[self.groups], weights=counts))


@dataclass(frozen=True)
class Layer:
    """All boxes of one combination of levels: rows group by group, each sorted along the swept attribute."""

    members: NDArray[np.int32] = field(repr=False)
    begins: NDArray[np.int64] = field(repr=False)
    penalties: NDArray[np.float64] = field(repr=False)


class ListedBoxes:
    """Every box that a class of a table can show.

    Attributes
    ----------
    rows
        The distinct rows of the table.
    swept
        The attribute whose intervals are all tried, or -1 for none.
    exact
        Whether all boxes are listed; otherwise some attributes are ignored, which makes boxes larger and cheaper.
    """

    #: One pass uses one thread; a pass is always exact, for any price; and no work is counted.
    divided, provable, examined = False, np.inf, 0

    def __init__(self, microdata: Microdata, rows: FrequencySet | None = None) -> None:
        self.microdata, self.patience = microdata, Patience()
        self.rows = rows or frequency_set(microdata)
        self.codes: NDArray[np.int64] = np.ascontiguousarray(self.rows.codes, np.int64)
        numbers = [at for at, domain in enumerate(microdata.domains) if not isinstance(domain, TreeDomain)]
        self.swept = max(numbers, key=self._spread, default=-1)
        self._most = max(1, min(LAYERS, WORK // max(1, len(self.rows))))
        self.facets, self.exact = self._choose()

    @property
    def places(self) -> NDArray[np.int64]:
        """The code of every distinct row in the swept attribute."""
        return (
            np.ascontiguousarray(self.codes[:, self.swept]) if self.swept >= 0 else np.zeros(len(self.codes), np.int64)
        )

    @cached_property
    def combinations(self) -> list[tuple[int, ...]]:
        """Every combination of levels, cheapest first."""
        means = [[facet.mean_loss(self.rows.counts) for facet in facets] for facets in self.facets]
        combined = list(product(*(range(len(facets)) for facets in self.facets)))
        loss = [sum(mean[at] for mean, at in zip(means, levels, strict=True)) for levels in combined]
        return [combined[at] for at in np.argsort(loss, kind="stable")]

    def layers(self) -> Iterator[Layer]:
        """Yield the boxes, layer by layer."""
        return iter(self._kept) if self.light else (self._layer(levels) for levels in self.combinations)

    @property
    def light(self) -> bool:
        """Whether layers are kept, so that another pass takes little time."""
        return len(self.combinations) * len(self.rows) * 4 <= KEPT_BYTES

    def cap(self, rows: PricedRows, k: int, found: FoundBoxes) -> int:
        """Lower prices until no box is overpriced; record the boxes that were, and return their number.

        Prices only fall, so a box that has been corrected stays correct, and one pass is enough. Cheap boxes come
        first: they limit the prices of rows in crowds, and the rest is left for the others to pay.
        """
        spans, used = self.microdata.spans, 0
        for at, layer in enumerate(self.layers()):
            self.patience.check()
            members, begins, penalties = layer.members, layer.begins, layer.penalties
            used = cap_layer(members, begins, penalties, rows, k, spans, self.swept, at, found, used)
        return used

    def hold(self, rows: PricedRows, k: int, found: FoundBoxes) -> int:
        """Do the same for prices that nearly hold."""
        return self.cap(rows, k, found)

    def look_closer(self) -> None:
        """Do nothing: a pass is exact."""

    def corners(self, found: OverpricedBoxes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find the first and last code of boxes in every attribute, by their layers and outermost rows."""
        layers, first, last = found.corners.T.astype(np.int64)
        lo, hi = np.minimum(self.codes[first], self.codes[last]), np.maximum(self.codes[first], self.codes[last])
        levels = np.array(self.combinations, np.int64).reshape(len(self.combinations), -1)[layers]
        for place, (attribute, facets) in enumerate(zip(self._attributes, self.facets, strict=True)):
            for level, facet in enumerate(facets):
                at = np.flatnonzero(levels[:, place] == level)
                groups = facet.groups[first[at]]
                lo[at, attribute], hi[at, attribute] = facet.first[groups], facet.last[groups]
        return lo, hi

    @cached_property
    def _kept(self) -> list[Layer]:
        kept = []
        for levels in self.combinations:
            self.patience.check()
            kept.append(self._layer(levels))
        return kept

    @cached_property
    def _by_place(self) -> NDArray[np.int64]:
        """Rows along the swept attribute, starting at the end with fewer rows: where many lie, boxes are cheap."""
        places = self.places
        positions = np.average(places, weights=self.rows.counts)
        return np.argsort(places if positions > (places.min() + places.max()) / 2 else -places, kind="stable")

    def _layer(self, levels: Sequence[int]) -> Layer:
        chosen = [facets[level] for facets, level in zip(self.facets, levels, strict=True)]
        keys = np.zeros(len(self.codes), np.int64)
        for facet in chosen:
            keys = keys * len(facet) + facet.groups
        members = self._by_place[np.argsort(keys[self._by_place], kind="stable")]
        ordered = keys[members]
        begins = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
        penalties = np.zeros(len(begins))
        for facet in chosen:
            penalties += facet.losses[facet.groups[members[begins]]]
        return Layer(members.astype(np.int32), np.append(begins, len(members)), penalties)

    def _spread(self, at: int) -> float:
        """Estimate what two rows lose in an attribute on average, from random pairs."""
        one, two = np.random.default_rng(0).integers(0, len(self.codes), (2, 1000))
        lo, hi = (
            np.minimum(self.codes[one, at], self.codes[two, at]),
            np.maximum(self.codes[one, at], self.codes[two, at]),
        )
        return float(self.microdata.domains[at].span_costs(lo, hi).mean() * self.microdata.weights[at])

    def _choose(self) -> tuple[list[list[Facet]], bool]:
        """Choose the levels of every attribute that is not swept, starting with those in which rows differ most.

        Attributes take part as long as the number of combinations allows; the rest is ignored.
        """
        others = [at for at in range(self.codes.shape[1]) if at != self.swept]
        others.sort(key=lambda at: -self._spread(at))
        chosen: list[list[Facet]] = []
        self._attributes: list[int] = []
        combinations, keys, exact = 1, 1, True
        for at in others:
            facets = self._facets(at, self._most / combinations)
            finest = max((len(facet) for facet in facets), default=1)
            if not facets or keys * finest > KEY_LIMIT:
                exact = False
            elif len(facets) > 1 or finest > 1:
                combinations, keys = combinations * len(facets), keys * finest
                chosen.append(facets)
                self._attributes.append(at)
        return chosen, exact

    def _facets(self, at: int, most: float) -> list[Facet]:
        """List all levels of an attribute, or none if there are more than ``most``."""
        domain, codes = self.microdata.domains[at], self.codes[:, at]
        weight = float(self.microdata.weights[at])
        if isinstance(domain, TreeDomain):
            depths = range(len(domain.levels) if len(domain.levels) <= most else 0)
            return [_node_facet(domain, depth, codes, weight) for depth in depths]
        widths = range(1, 1 + domain.size if domain.size <= FEW_VALUES else 1)
        windows = [(width, offset) for width in widths for offset in range(width)]
        return [_window_facet(domain, *window, codes, weight) for window in windows] if len(windows) <= most else []


def _node_facet(domain: TreeDomain, depth: int, codes: NDArray[np.int64], weight: float) -> Facet:
    """Build one level of a tree."""
    groups = domain.levels[depth].groups.astype(np.int64)
    first = np.flatnonzero(np.append(True, groups[1:] != groups[:-1]))
    last = np.append(first[1:], len(groups)) - 1
    return Facet(groups[codes], domain.span_costs(first, last) * weight, first, last)


def _window_facet(domain: Domain, width: int, offset: int, codes: NDArray[np.int64], weight: float) -> Facet:
    """Build intervals of ``width`` values, the first whole one at an offset; the values before it form one too."""
    window = (np.arange(domain.size) + width - offset) // width
    first = np.maximum(np.arange(window[-1] + 1) * width - width + offset, 0)
    last = np.minimum(first + width - 1, domain.size - 1)
    if offset:
        last[0] = offset - 1
    return Facet(window[codes], domain.span_costs(first, last) * weight, first, last)
