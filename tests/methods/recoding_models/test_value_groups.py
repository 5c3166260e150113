"""Which groups of rows are allowed, against the readable definition of every model."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import task_of
from tests.methods.lattice.brute_force import MODELS, tables

from sfumato.methods.recoding_models.value_groups import broken_rows
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding


@pytest.mark.parametrize("models", MODELS, ids=str)
@settings(max_examples=examples(25))
@given(microdata=tables(), seed=st.integers(0, 1000))
def test_rows_of_broken_groups_are_those_of_classes_that_break_a_model(models, microdata: Microdata, seed: int) -> None:
    task = task_of(microdata, models, 0)
    groups = np.random.default_rng(seed).integers(0, 4, len(microdata))
    _, groups = np.unique(groups, return_inverse=True)
    classes = EquivalenceClasses.of(microdata, Recoding(classes=groups.astype(np.int32)))
    allowed = np.ones(len(classes), bool)
    for rule in task.requirements.bound:
        allowed &= rule.model.holds(rule, microdata, classes)
    expected = np.flatnonzero(~allowed[groups])
    found = broken_rows(task, np.arange(len(microdata)), groups.astype(np.int64))
    assert sorted(found.tolist()) == expected.tolist()
