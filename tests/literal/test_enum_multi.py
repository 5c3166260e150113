"""EnumMulti with the paper's lengths from edge to edge and its rule for approximate answers, against brute force."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from benchmarks.literal.enum_multi import LiteralEnumMulti
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import task_of

import sfumato as sf
from sfumato.errors import InfeasibleError
from sfumato.methods import EnumMulti, partitions
from sfumato.privacy import KAnonymity, MinimumSpan
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

SPLITS = {"x": [3, 6], "y": [5]}  # 46 partitions
POINTS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=30)


def table_of(points) -> Microdata:
    # The corners fix what the columns span.
    xs, ys = zip(*[(0, 0), (9, 9), *points], strict=True)
    return encode(pa.table({"x": list(xs), "y": list(ys)}), {"x": None, "y": None})


def least_dm(microdata: Microdata, k: int, length: float) -> float:
    """The least DM of all partitions whose non-empty blocks have k rows and, along x, the length from cut to cut."""
    values = {domain.name: np.array(domain.values.to_pylist()) for domain in microdata.domains}
    edges, cells = {}, []
    for at, (name, cuts) in enumerate(SPLITS.items()):
        # A cut lies at the last value that occurs at or below it, as codes know no others.
        at_cuts = sorted({int(values[name][values[name] <= cut].max()) for cut in cuts} - {int(values[name].max())})
        edges[name] = [float(values[name][0]), *at_cuts, float(values[name][-1])]
        cells.append(np.searchsorted(at_cuts, values[name][microdata.codes[:, at]]))
    counts = [len(edges[name]) - 2 for name in SPLITS]
    best = np.inf
    for blocks in partitions(counts):
        total = 0.0
        for (left, right), (bottom, top) in blocks:
            rows = ((cells[0] >= left) & (cells[0] <= right) & (cells[1] >= bottom) & (cells[1] <= top)).sum()
            short = edges["x"][right + 1] - edges["x"][left] < length
            total += np.inf if rows and (rows < k or short) else float(rows) ** 2
        best = min(best, total)
    return best


@settings(max_examples=examples(12))
@given(points=POINTS, k=st.integers(1, 4), length=st.sampled_from([0.5, 3.0, 5.0, 7.0]))
def test_lengths_are_those_of_blocks(points, k: int, length: float) -> None:
    microdata = table_of(points)
    found = LiteralEnumMulti(splits=SPLITS, lengths={"x": length}).run(task_of(microdata, k))
    optimality = found.details["optimality"]
    assert optimality.proven
    assert optimality.cost == least_dm(microdata, k, length)
    # What Sfumato asks, that the rows of a class lie so far apart, is more.
    ours = EnumMulti(splits=SPLITS).run(task_of(microdata, [KAnonymity(k), MinimumSpan("x", length)]))
    assert optimality.cost <= ours.details["optimality"].cost


@settings(max_examples=examples(30))
@given(points=POINTS, k=st.integers(1, 3), c=st.sampled_from([1.0, 1.5, 3.0]))
def test_the_papers_rule_gives_what_it_says_and_drops_fewer_branches(points, k: int, c: float) -> None:
    microdata = table_of(points)
    best = EnumMulti(splits=SPLITS).run(task_of(microdata, k)).details["optimality"].cost
    letter = LiteralEnumMulti(splits=SPLITS, approximation=c).run(task_of(microdata, k)).details["optimality"]
    assert best <= letter.cost <= c * best
    plain = LiteralEnumMulti(splits=SPLITS, gap=c - 1).run(task_of(microdata, k)).details["optimality"]
    assert best <= plain.cost <= c * best
    assert letter.nodes >= plain.nodes


def test_blocks_are_shown_from_edge_to_edge() -> None:
    table = pa.table({"x": [0, 1, 2, 5, 6, 7, 8, 9], "y": [0, 0, 0, 0, 9, 9, 9, 9]})
    method = LiteralEnumMulti(splits={"x": [5], "y": 0}, lengths={"x": 4})
    release = sf.anonymize(table, quasi_identifiers=["x", "y"], k=4, method=method)
    assert set(release.data["x"].to_pylist()) == {"[0, 5]", "[6, 9]"}


def test_lengths_that_the_table_does_not_have_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="uncut table"):
        LiteralEnumMulti(splits=SPLITS, lengths={"x": 10}).run(task_of(table_of([(1, 1)] * 4), 2))
