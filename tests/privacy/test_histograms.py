"""Counting sensitive values class by class, a few classes at a time."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.privacy import Requirements, base
from sfumato.privacy.base import histograms
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding


@pytest.fixture
def table() -> tuple[Microdata, Recoding]:
    random = np.random.default_rng(1)
    columns = pa.table({"x": random.integers(0, 9, 200), "s": random.integers(0, 7, 200)})
    return encode(columns, {"x": None}, ["s"]), Recoding(classes=random.integers(-1, 12, 200).astype(np.int32))


@pytest.mark.parametrize("cells", [1, 7, 20, 1000])
def test_blocks_together_are_all_classes(table, cells: int):
    microdata, recoding = table
    classes = EquivalenceClasses.of(microdata, recoding)
    expected = np.zeros((len(classes), 7), int)
    for group, code in zip(recoding.classes.tolist(), microdata.sensitive[0].codes.tolist(), strict=True):
        if group >= 0:
            expected[group, code] += 1
    blocks = list(histograms(microdata, classes, 0, cells))
    assert np.array_equal(np.concatenate(blocks), expected)
    assert all(block.size <= max(cells, 7) for block in blocks)


@pytest.mark.parametrize(
    "model",
    [sf.LDiversity(4), sf.LDiversity(5.5, kind="entropy"), sf.TCloseness(0.2), sf.TCloseness(0.1, distance="ordered")],
    ids=str,
)
def test_blocks_do_not_change_the_verdict(table, model, monkeypatch):
    microdata, recoding = table
    classes = EquivalenceClasses.of(microdata, recoding)
    rule = Requirements((model,), microdata).bound[0]
    whole = model.holds(rule, microdata, classes)
    monkeypatch.setattr(base.histograms, "__defaults__", (1,))
    assert np.array_equal(model.holds(rule, microdata, classes), whole)
    assert whole.any()
    assert not whole.all()


def test_steps_of_ordered_closeness_are_between_released_values():
    """A value that nobody has any more is no step: as the verifier sees it, who knows only the release."""
    model = sf.TCloseness(0.3, distance="ordered")
    microdata = encode(pa.table({"x": [1, 2, 3, 4], "s": [10, 20, 30, 40]}), {"x": None}, ["s"])
    rule = Requirements((model,), microdata).bound[0]
    with_gaps = np.array([[2, 1, 0, 0], [1, 2, 0, 0]])
    without = np.array([[2, 1], [1, 2]])
    assert model.holds_for(with_gaps, rule).tolist() == model.holds_for(without, rule).tolist() == [True, True]
    tight = sf.TCloseness(0.1, distance="ordered")
    assert tight.holds_for(with_gaps, rule).tolist() == [False, False]
