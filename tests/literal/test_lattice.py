"""Full-domain searches as Incognito's paper had them find what Sfumato's find, by other scans."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from benchmarks.literal.lattice import ScanningSamarati, WholeFamilies
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import task_of
from tests.methods.lattice.brute_force import MODELS, all_answers, feasible, tables

from sfumato.hierarchies import Numeric
from sfumato.methods import Incognito, Samarati
from sfumato.methods.lattice import judge as judging
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata


@settings(max_examples=examples(50))
@given(microdata=tables(), models=st.sampled_from(MODELS), share=st.sampled_from([0.0, 0.2]))
def test_answers_are_those_of_every_node_tried(microdata: Microdata, models, share: float) -> None:
    assume(feasible(models, microdata))
    task = task_of(microdata, models, int(share * len(microdata)))
    expected = all_answers(task)
    assert WholeFamilies().run(task).details["alternatives"].answers == expected
    ours, theirs = Samarati().run(task), ScanningSamarati().run(task)
    assert ours.levels == theirs.levels
    assert theirs.details["search"].scans >= theirs.details["search"].nodes_checked


def numbers(rows: int, distinct: int) -> Microdata:
    """Four columns in which every other value or so is 0."""
    random = np.random.default_rng(1)
    columns = {f"q{at}": random.integers(0, distinct, rows) * (random.random(rows) < 0.7) for at in range(4)}
    return encode(pa.table(columns), {name: Numeric(widths=(5, 10, 20)) for name in columns})


def test_a_family_has_one_scan_however_long_its_super_root(monkeypatch) -> None:
    """Where a sample shows that a common super-root would be as long as the table, Sfumato scans more often."""
    monkeypatch.setattr(judging, "SAMPLE", 200)
    task = task_of(numbers(1500, 60), 5)
    whole = WholeFamilies().run(task).details["search"].scans
    split = Incognito(variant="superroots").run(task).details["search"].scans
    assert whole == 2**4 - 1 < split
