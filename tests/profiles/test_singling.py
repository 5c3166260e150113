"""Whom columns single out together: rows, or people where they have several rows."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.profiles.combinations import singling


@pytest.mark.parametrize("seed", range(4))
def test_people_are_counted_as_uniqueness_counts_them(seed: int) -> None:
    draw = np.random.default_rng(seed)
    people = draw.integers(60, size=150)
    table = pa.table(
        {
            "person": [None if one == 0 else f"P{one}" for one in people],
            "born": [int(one) % 20 for one in people],
            "ward": draw.integers(5, size=150),
            "floor": [None if one < 3 else int(one) for one in draw.integers(6, size=150)],
        }
    )
    facts = {one.name: one.facts for one in sf.profile(table).columns}
    unique = sf.uniqueness(table, person="person")
    rows = sf.uniqueness(table)
    for names in (["born"], ["born", "ward"], ["born", "ward", "floor"], ["floor"]):
        counts = [facts[name] for name in names]
        found, exact = singling(counts, facts["person"]), unique.exactly(names)
        assert (found.unique, found.share) == (exact.unique, pytest.approx(exact.share))
        assert singling(counts).unique == rows.exactly(names).unique
