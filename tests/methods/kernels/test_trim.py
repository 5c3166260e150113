"""The best edge of a class to leave out, against trying every edge."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy

from sfumato.loss import ncp
from sfumato.methods.kernels.trim import best_trims
from sfumato.privacy import KAnonymity, LDiversity, Requirements
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding


def penalty(microdata: Microdata, rows: np.ndarray) -> float:
    taken = microdata.take(rows)
    return float(ncp(taken, EquivalenceClasses.of(taken, Recoding(classes=np.zeros(len(rows), np.int32))))[0])


def edges(microdata: Microdata, rows: np.ndarray, most: int) -> Iterator[tuple[int, bool, np.ndarray]]:
    """Yield every attribute, side and the rows that stay when all rows at that edge leave."""
    for attribute in range(microdata.codes.shape[1]):
        codes = microdata.codes[rows, attribute]
        for upper in (False, True):
            stay = rows[codes != (codes.max() if upper else codes.min())]
            if len(stay) and len(rows) - len(stay) <= most:
                yield attribute, upper, stay


def saving(microdata: Microdata, rows: np.ndarray, stay: np.ndarray, attribute: int) -> float:
    """Return what leaving an edge out saves through its own attribute."""
    domain, codes = microdata.domains[attribute], microdata.codes[:, attribute].astype(np.int64)
    spans = [domain.span_costs(codes[[part]].min(axis=1), codes[[part]].max(axis=1))[0] for part in (rows, stay)]
    gain = len(stay) * microdata.weights[attribute] * (spans[0] - spans[1])
    return gain - (len(rows) - len(stay)) * (1 - penalty(microdata, rows))


@settings(max_examples=examples(80))
@given(microdata_strategy(rows=(3, 14)), st.integers(1, 4), st.integers(1, 3), st.sampled_from([1, 1.5, 2]))
def test_the_best_edge_of_a_class(microdata, most, k, level):
    requirements = Requirements((KAnonymity(k), LDiversity(level)), microdata)
    rows = np.arange(len(microdata))
    offsets = np.array([0, 0, len(rows)])  # the first class is empty
    found = best_trims(
        microdata.codes, requirements.sensitive_codes, rows, offsets, requirements.rules, microdata.spans, most
    )
    saved, counts, attributes, upper = (part[1] for part in found)
    assert found[0][0] == 0
    rates = {}
    for attribute, side, stay in edges(microdata, rows, most):
        kept = Requirements(requirements.models, microdata.take(stay))
        if not kept.broken_by_table():
            rates[attribute, side] = saving(microdata, rows, stay, attribute) / (len(rows) - len(stay))
    best = max(rates.values(), default=0.0)
    if best <= 1e-9:
        assert saved <= 1e-9 * len(rows)
        return
    assert saved / counts == pytest.approx(best)
    assert rates[attributes, upper] == pytest.approx(best)
