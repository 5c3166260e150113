"""Split sets: the points at which each quasi-identifier may be cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.errors import ParameterError, SchemaError, listed, shortened
from sfumato.hierarchies import Domain, ScaledDomain, TreeDomain
from sfumato.table.microdata import Microdata

#: How cut points are chosen if only their number is given.
PLACINGS = ("auto", "quantiles", "width", "taxonomy")

#: The most cuts per attribute by default.
DEFAULT_COUNT = 32

#: A number of cuts, or the cut points themselves.
Splits = int | Sequence[object]

Codes = NDArray[np.int64]

MICROSECONDS_PER_DAY = 86_400e6


def check_splits(owner: str, splits: object, placing: object) -> None:
    """Reject what does not describe split sets."""
    parameters.choice(owner, "placing", placing, PLACINGS)
    for given in splits.values() if isinstance(splits, Mapping) else [splits]:
        if given is None or (isinstance(given, Sequence) and not isinstance(given, str)):
            continue
        parameters.integer(owner, "splits", given, at_least=0)


def split_codes(microdata: Microdata, splits: Mapping[str, Splits] | int | None, placing: str) -> list[Codes]:
    """Find the codes of every quasi-identifier at which the right side of a cut may begin, ascending.

    Missing values, which no cut point can name, may always be cut off.
    """
    given: Mapping[str, Splits] = splits if isinstance(splits, Mapping) else {}
    unknown = [name for name in given if name not in microdata.names]
    if unknown:
        raise SchemaError(
            f"There are splits for {listed(unknown)}, which are not quasi-identifiers. "
            f"Quasi-identifiers: {listed(microdata.names)}."
        )
    count = splits if isinstance(splits, int) else DEFAULT_COUNT
    return [
        _cuts(domain, given.get(domain.name, count), placing, np.bincount(codes, minlength=domain.size))
        for domain, codes in zip(microdata.domains, microdata.codes.T, strict=True)
    ]


def _cuts(domain: Domain, given: Splits, placing: str, counts: Codes) -> Codes:
    known = len(domain.values)
    if isinstance(given, int):
        cuts = _placed(domain, given, placing, counts[:known]).tolist()
    else:
        cuts = [_code_after(domain, point) for point in given]
    always = [] if domain.missing_code is None else [domain.missing_code]
    return np.array(sorted({cut for cut in [*cuts, *always] if 0 < cut < domain.size}), np.int64)


def _code_after(domain: Domain, point: object) -> int:
    """The first code on the right of a cut point; a value at or below the point lies on its left."""
    if isinstance(domain, ScaledDomain) and domain.averageable:
        return int(np.searchsorted(domain.numbers, _on_scale(domain, point), side="right"))
    if isinstance(domain, TreeDomain):
        labels, last = domain.tree.labels.to_pylist(), domain.tree.last.tolist()
    else:
        labels, last = domain.texts.to_pylist(), list(range(domain.size))
    if str(point) not in labels:
        raise ParameterError(
            f"The parameter 'splits' cuts '{domain.name}' after {shortened(point)}, which is neither a "
            "value nor a group of that column."
        )
    return int(last[labels.index(str(point))]) + 1


def _on_scale(domain: ScaledDomain, point: object) -> float:
    """Convert a cut point to the scale of a domain: numbers stay as they are, dates become days."""
    if isinstance(point, Real) and not isinstance(point, bool):
        return float(point)
    if isinstance(point, (date, str, np.datetime64)) and str(domain.values.type).startswith(("date", "timestamp")):
        try:
            return float(np.array(point, "datetime64[us]").astype(np.int64)) / MICROSECONDS_PER_DAY
        except ValueError:
            pass
    raise ParameterError(
        f"The parameter 'splits' cuts '{domain.name}' at {shortened(point)}, which does not fit its "
        f"values of type {domain.values.type}."
    )


def _placed(domain: Domain, count: int, placing: str, counts: Codes) -> Codes:
    """Choose ``count`` cuts of a domain."""
    if count >= len(counts) - 1:
        return np.arange(1, len(counts))
    if placing == "taxonomy" or (placing == "auto" and isinstance(domain, TreeDomain)):
        return _at_boundaries(domain, count, counts)
    if placing == "width":
        return _at_widths(domain, count)
    return _nearest(np.arange(1, len(counts)), count, counts)


def _at_widths(domain: Domain, count: int) -> Codes:
    shares = np.arange(1, count + 1) / (count + 1)
    if isinstance(domain, ScaledDomain):
        return np.searchsorted(domain.numbers, domain.numbers[0] + domain.extent * shares, side="right")
    return np.rint(len(domain.values) * shares).astype(np.int64)


def _at_boundaries(domain: Domain, count: int, counts: Codes) -> Codes:
    """Choose boundaries between groups of the highest levels; of the last level needed, those nearest to quantiles."""
    chosen: Codes = np.empty(0, np.int64)
    for level in reversed(domain.levels):
        groups = level.groups[: len(counts)]
        boundaries = np.flatnonzero(np.diff(groups)) + 1
        if len(boundaries) > count:
            new = np.setdiff1d(boundaries, chosen)
            return np.union1d(chosen, _nearest(new, count - len(chosen), counts))
        chosen = np.union1d(chosen, boundaries)
    return chosen


def _nearest(boundaries: Codes, count: int, counts: Codes) -> Codes:
    """Choose ``count`` of the boundaries, each as near as possible to a quantile of the rows.

    If a value is frequent, several quantiles fall on the same boundary; the missing cuts are chosen among the rest.
    """
    below = np.cumsum(counts)[boundaries - 1]
    chosen = np.zeros(len(boundaries), bool)
    while (missing := min(count, len(boundaries)) - int(chosen.sum())) > 0:
        targets = counts.sum() * np.arange(1, missing + 1) / (missing + 1)
        left = np.flatnonzero(~chosen)
        chosen[left[np.abs(below[left, None] - targets).argmin(axis=0)]] = True
    return boundaries[chosen]


def plain_splits(splits: Mapping[str, Splits] | int | None) -> Any:
    """Split sets as plain values, for manifests and policy files."""
    if not isinstance(splits, Mapping):
        return splits
    return {
        name: given if isinstance(given, int) else [_plain(point) for point in given] for name, given in splits.items()
    }


def counted_splits(splits: Mapping[str, Splits] | int | None) -> Any:
    """Split sets as plain values, with categories replaced by their number.

    Examples
    --------
    >>> counted_splits({"age": [40, 50], "city": ["Pisa", "Siena"]})
    {'age': [40, 50], 'city': '2 points'}
    """
    plain = plain_splits(splits)
    if not isinstance(plain, dict):
        return plain
    return {name: _counted(splits[name], given) for name, given in plain.items()}  # type: ignore[index]


def _counted(points: object, plain: object) -> object:
    texts = isinstance(points, Sequence) and any(isinstance(point, str) for point in points)
    return f"{len(points)} points" if texts else plain  # type: ignore[arg-type]


def _plain(point: object) -> object:
    if isinstance(point, np.generic):
        point = point.item()
    return point if isinstance(point, (int, float, str)) else str(point)
