"""Mondrian to the letter of its paper: its theorems, and where it differs from Sfumato's."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.literal.mondrian import ABLATION, LiteralMondrian
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy, task_of
from tests.methods.multidim.mondrian_twin import coded, partition

import sfumato as sf
from sfumato.methods import Task
from sfumato.privacy import KAnonymity, LDiversity, Requirements
from sfumato.table.microdata import Microdata

SFUMATOS = LiteralMondrian(widths="span", sides="either")
POINTS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=50)


@settings(max_examples=examples(60))
@given(microdata_strategy(rows=(1, 40)), st.sampled_from([(KAnonymity(2),), (KAnonymity(3), LDiversity(2))]))
def test_with_every_difference_taken_over_it_is_sfumatos(microdata: Microdata, models) -> None:
    if not Requirements(models, microdata).broken_by_table():
        assert partition(microdata, models, SFUMATOS) == partition(microdata, models)


@pytest.mark.parametrize("method", [*ABLATION.values(), LiteralMondrian(relaxed=True)], ids=repr)
@settings(max_examples=examples(25))
@given(microdata=microdata_strategy(rows=(2, 40)))
def test_every_form_keeps_the_models(method: LiteralMondrian, microdata: Microdata) -> None:
    requirements = Requirements((KAnonymity(2), LDiversity(1.5)), microdata)
    if not requirements.broken_by_table():
        assert not requirements.broken_by(method.run(Task(microdata, requirements)))


@given(POINTS, st.integers(1, 5))
def test_relaxed_classes_never_exceed_the_bound_when_equal_rows_are_dealt(points, k: int) -> None:
    """Theorem 5 to the letter; Sfumato's relaxed form exceeds it only by classes of equal rows."""
    k = min(k, len(points))
    microdata = coded(points)
    sizes = [len(rows) for rows in partition(microdata, [KAnonymity(k)], LiteralMondrian(relaxed=True))]
    assert k <= min(sizes)
    assert max(sizes) <= 2 * k - 1
    kept = partition(microdata, [KAnonymity(k)], LiteralMondrian(relaxed=True, equal=False))
    assert all(len(rows) <= 2 * k - 1 or len({points[row] for row in rows}) == 1 for rows in kept)


def test_dealing_equal_rows_shows_readers_nothing_new() -> None:
    table = pa.table({"age": [30] * 12 + [40] * 2})
    dealt = sf.anonymize(table, quasi_identifiers="age", k=2, method=LiteralMondrian(relaxed=True))
    ours = sf.anonymize(table, quasi_identifiers="age", k=2, method=sf.Mondrian(relaxed=True))
    assert dealt.loss.dm < ours.loss.dm
    shown = [Counter(release.data["age"].to_pylist()) for release in (dealt, ours)]
    assert shown[0] == shown[1]
    assert dealt.classes == ours.classes == len(shown[0])


def test_rows_at_the_median_always_go_to_the_lower_side() -> None:
    """A column whose largest value most rows share is never cut by the letter, although it could be."""
    task = task_of(coded([(0,)] * 3 + [(1,)] * 7), 3)
    assert len(np.unique(LiteralMondrian().run(task).classes)) == 1
    assert len(np.unique(LiteralMondrian(sides="either").run(task).classes)) == 2


def test_width_is_what_it_is_said_to_be() -> None:
    """Of six rows, the first column is widest in ranks, the second in values, the third (flat) in what is lost."""
    columns = [[0, 1, 2, 3, 4, 5, 100, 101, 102, 103], [0, 0, 0, 1, 1, 50, 60, 70, 80, 100], [*"ababab", *"cdef"]]
    table = coded(list(zip(*columns, strict=True)), hierarchies={"x2": sf.Categorical()})
    sets = [np.unique(column[:6], return_counts=True) for column in table.codes.T]

    def first_cut(widths: str) -> int:
        return next(LiteralMondrian(widths=widths).cuts(table.domains, table.weights, sets)).attribute

    assert [first_cut(widths) for widths in ("codes", "range", "span")] == [0, 1, 2]


def test_releases_are_verified_like_any_other() -> None:
    people = sf.datasets.census(rows=600, seed=4).without_levels()
    schema = sf.Schema(people.schema.quasi_identifiers, sensitive="occupation", rest="drop")
    for method in (LiteralMondrian(), LiteralMondrian(relaxed=True)):
        release = sf.anonymize(people.table, schema, k=5, l=2, method=method)
        assert release.achieved.k >= 5


def test_each_difference_lowers_the_loss_of_a_skewed_table() -> None:
    people = sf.datasets.census(rows=1500, seed=4).without_levels()
    losses = {
        name: sf.anonymize(people.table, people.schema, k=5, method=method, seed=1).loss.gcp
        for name, method in ABLATION.items()
    }
    letter, both = losses["to the letter"], losses["both, as in Sfumato"]
    assert both < min(losses["widths by what a class loses"], losses["either side of the median"]) < letter
