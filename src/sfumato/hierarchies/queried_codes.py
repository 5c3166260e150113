"""Conditions of queries on a column, a range or some categories, as sets of codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sfumato.errors import ParameterError, listed, shortened
from sfumato.hierarchies.domain import Domain, TreeDomain
from sfumato.hierarchies.scale_domain import ScaledDomain


def codes_meant(domain: Domain, condition: object) -> NDArray[np.bool_]:
    """Whether every code satisfies a condition.

    On a scale a condition is a range, ``(lowest, highest)``, both included, with None for an open end, or one value.
    In a tree it is one category or a list of them; the name of a group stands for all of its members. A missing value
    satisfies no range.
    """
    if isinstance(domain, ScaledDomain):
        return _range(domain, condition)
    assert isinstance(domain, TreeDomain)
    return _categories(domain, condition)


def _range(domain: Domain, condition: object) -> NDArray[np.bool_]:
    bounds = [condition, condition] if not _is_list(condition) else list(condition)  # type: ignore[call-overload]
    if len(bounds) != 2:
        raise ParameterError(
            f"A query asks '{domain.name}' for {shortened(condition)}. "
            "It takes a range: the lowest and the highest value."
        )
    kept = np.ones(len(domain.values), bool)
    for bound, compare in zip(bounds, (pc.greater_equal, pc.less_equal), strict=True):
        if bound is not None:
            kept &= _compared(domain, bound, compare)
    return np.append(kept, False) if domain.has_missing else kept


def _compared(domain: Domain, bound: object, compare: Any) -> NDArray[np.bool_]:
    """Compare every value with a bound on the scale."""
    values = domain.values
    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        place = pc.index(values, pa.scalar(str(bound), values.type)).as_py()
        if place < 0:
            raise _unknown(domain, bound)
        return np.asarray(compare(pa.array(np.arange(len(values))), place))
    try:
        if pa.types.is_temporal(values.type):
            return np.asarray(compare(values, pa.scalar(bound).cast(values.type)))
        return np.asarray(compare(values.cast(pa.float64()), pa.scalar(bound, pa.float64())))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
        raise _unknown(domain, bound) from None


def _categories(domain: TreeDomain, condition: object) -> NDArray[np.bool_]:
    names = condition if _is_list(condition) else [condition]
    kept = np.zeros(domain.size, bool)
    labels = domain.tree.labels.to_pylist()
    places: dict[object, int] = {}
    for place, label in enumerate(labels):
        places.setdefault(label, place)
    for name in names:  # type: ignore[attr-defined]
        node = places.get(None if name is None else str(name))
        if node is None:
            raise _unknown(domain, name)
        kept[domain.tree.first[node] : domain.tree.last[node] + 1] = True
    return kept


def _is_list(condition: object) -> bool:
    return isinstance(condition, Sequence) and not isinstance(condition, str)


def _unknown(domain: Domain, value: object) -> ParameterError:
    # The message names the condition, which the caller knows, but no value of the table.
    return ParameterError(
        f"A query asks '{domain.name}' for {shortened(value)}, which is neither a value of that column nor a group of "
        f"its hierarchy. Its levels are {listed(level.name for level in domain.levels)}."
    )
