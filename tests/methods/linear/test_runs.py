"""The optimal cut of an order, against every cut and every partition."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.helpers import encoded_column, microdata_strategy, task_of
from tests.methods.linear.twins import cheapest_consecutive, cheapest_of_all_partitions, total_loss

import sfumato as sf
from sfumato.common import rows
from sfumato.errors import VerificationError
from sfumato.hierarchies import Numeric
from sfumato.methods import CostAware, Hilbert, HilbertCurve, IDistance, Linear, LinearMapping, Task
from sfumato.methods.linear import optimal_runs
from sfumato.methods.linear.row_order import Line
from sfumato.methods.linear.runs import cut_by_size, units
from sfumato.privacy import KAnonymity, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

METHODS = [Hilbert(), CostAware(), IDistance(centres=3)]


def sizes_of(classes: np.ndarray) -> np.ndarray:
    return np.bincount(classes[classes >= 0])


@given(microdata_strategy(rows=(1, 40)), st.integers(1, 8), st.sampled_from(METHODS))
def test_the_cut_is_the_cheapest_of_all_cuts_of_the_order(microdata: Microdata, k: int, method) -> None:
    k = min(k, len(microdata))
    task = task_of(microdata, k)
    line = Line.of(task, method.make_mapping())
    cut = cut_by_size(line, np.arange(len(line) + 1), k)
    assert sorted(line.order) == list(range(len(microdata)))
    assert cut.loss == pytest.approx(cheapest_consecutive(microdata, [[row] for row in line.order], k))
    assert total_loss(microdata, cut.classes) == pytest.approx(cut.loss)


@given(microdata_strategy(rows=(1, 40)), st.integers(1, 8), st.sampled_from(METHODS))
def test_classes_hold_k_to_2k_minus_1_rows(microdata: Microdata, k: int, method) -> None:
    k = min(k, len(microdata))
    sizes = sizes_of(method.run(task_of(microdata, k)).classes)
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1


@given(microdata_strategy(rows=(1, 40)), st.integers(1, 8))
def test_the_fast_cost_finds_the_shortest_runs(microdata: Microdata, k: int) -> None:
    k = min(k, len(microdata))
    task = task_of(microdata, k)
    line = Line.of(task, HilbertCurve())
    best = [0.0] + [np.inf] * len(line)
    for stop in range(k, len(line) + 1):
        for start in range(stop - k + 1):
            best[stop] = min(best[stop], best[start] + (stop - start) * (line.place[stop - 1] - line.place[start]))
    cut = Hilbert(minimize="extent").cut(line, task.requirements)
    assert cut.loss == pytest.approx(best[-1])
    assert sizes_of(cut.classes).min() >= k


@given(microdata_strategy(rows=(1, 30)), st.integers(1, 6), st.sampled_from(METHODS))
def test_equal_rows_stay_together_at_the_least_loss(microdata: Microdata, k: int, method) -> None:
    k = min(k, len(microdata))
    task = task_of(microdata, k)
    line = Line.of(task, method.make_mapping())
    ends = units(line, keep_equal=True)
    cut = cut_by_size(line, ends, k)
    groups = [line.order[start:stop] for start, stop in pairwise(ends)]
    assert cut.loss == pytest.approx(cheapest_consecutive(microdata, groups, k))
    shown = {tuple(codes): set() for codes in microdata.codes.tolist()}
    for codes, group in zip(microdata.codes.tolist(), cut.classes, strict=True):
        shown[tuple(codes)].add(group)
    assert {len(classes) for classes in shown.values()} == {1}


def test_keep_equal_is_a_parameter() -> None:
    microdata = encoded_column(pa.array([1, 1, 2, 2, 2, 2]))
    split = Hilbert().run(task_of(microdata, 3)).classes
    together = Hilbert(keep_equal=True).run(task_of(microdata, 3)).classes
    assert len(set(split[2:])) == 2
    assert len(set(together)) == 1


ONE_COLUMN = st.one_of(
    microdata_strategy(rows=(1, 8), most_columns=1),
    st.lists(st.integers(0, 4), min_size=1, max_size=8).map(lambda cells: encoded_column(pa.array(cells))),
)


@given(ONE_COLUMN, st.integers(2, 4), st.sampled_from([Hilbert(), CostAware()]))
def test_for_one_quasi_identifier_it_is_the_optimum_of_all_partitions(microdata, k: int, method) -> None:
    k = min(k, len(microdata))
    task = task_of(microdata, k)
    classes = method.run(task).classes
    best = cheapest_of_all_partitions(microdata, k)
    assert total_loss(microdata, classes) == pytest.approx(best)
    assert sizes_of(classes).min() >= k


@given(st.lists(st.integers(0, 9), min_size=2, max_size=8), st.integers(2, 4))
def test_runs_of_numbers_alone_are_within_a_known_factor_of_all_partitions(cells: list[int], k: int) -> None:
    microdata = encoded_column(pa.array(cells))
    k = min(k, len(microdata))
    best = cheapest_of_all_partitions(microdata, k)
    runs = cut_by_size(Line.of(task_of(microdata, k), HilbertCurve()), np.arange(len(microdata) + 1), k)
    assert best - 1e-9 <= runs.loss <= (2 - 1 / k) * best + 1e-9


def test_a_class_may_reach_around_another() -> None:
    microdata = encoded_column(pa.array([0, 50, 50, 50, 100]))
    task = task_of(microdata, 2)
    around = Hilbert().run(task).classes
    assert around[0] == around[4] != around[1] == around[2] == around[3]
    runs = cut_by_size(Line.of(task, HilbertCurve()), np.arange(6), 2)
    assert total_loss(microdata, around) == pytest.approx(2.0)
    assert runs.loss == pytest.approx(2.5)


def test_many_distinct_numbers_keep_their_order_beyond_the_grid() -> None:
    values = np.random.default_rng(1).permutation(20_000).astype(float) ** 3
    microdata = encoded_column(pa.array(values))
    line = Line.of(task_of(microdata, 3), HilbertCurve(bits=4))
    assert (np.diff(values[line.order]) > 0).all()


@given(microdata_strategy(rows=(2, 40)), st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(microdata: Microdata, k: int, random) -> None:
    k = min(k, len(microdata))
    shuffled = list(range(len(microdata)))
    random.shuffle(shuffled)
    other = microdata.take(np.array(shuffled))
    for method in (Hilbert(), CostAware()):
        here = total_loss(microdata, method.run(task_of(microdata, k)).classes)
        there = total_loss(other, method.run(task_of(other, k)).classes)
        assert here == pytest.approx(there)


def test_two_words_of_packed_codes_make_no_difference() -> None:
    rng = np.random.default_rng(2)
    columns = {f"c{at}": pa.array(rng.integers(0, 300, 60)) for at in range(11)}
    microdata = encode(pa.table(columns), dict.fromkeys(columns, Numeric()))
    task = task_of(microdata, 4)
    line = Line.of(task, HilbertCurve())
    assert line.packed.shape[1] == 2
    cut = Hilbert().cut(line, task.requirements)
    assert cut.loss == pytest.approx(cheapest_consecutive(microdata, [[row] for row in line.order], 4))


class ZOrder(LinearMapping):
    """Someone's own mapping."""

    name = "z-order"

    def keys(self, microdata: Microdata, random: np.random.Generator) -> np.ndarray:
        keys = np.zeros((1, len(microdata)), np.uint64)
        for bit in range(7, -1, -1):
            for column in microdata.codes.T.astype(np.uint64):
                keys[0] = keys[0] << np.uint64(1) | column >> np.uint64(bit) & np.uint64(1)
        return keys


@given(microdata_strategy(rows=(4, 40)))
def test_a_mapping_is_a_plug_in(microdata: Microdata) -> None:
    method = Linear(mapping=ZOrder())
    task = task_of(microdata, 3)
    line = Line.of(task, ZOrder())
    assert sizes_of(method.run(task).classes).min() >= 3
    assert total_loss(microdata, method.run(task).classes) <= 1e-9 + cheapest_consecutive(
        microdata, [[row] for row in line.order], 3
    )
    assert "ZOrder" in method.parameters()["mapping"]


@pytest.mark.parametrize("keys", [np.zeros((1, 3), np.uint64), np.zeros(4, np.uint64), np.zeros((1, 4))])
def test_a_mapping_that_returns_something_else_is_refused(keys: np.ndarray) -> None:
    class Wrong(ZOrder):
        def keys(self, microdata: Microdata, random: np.random.Generator) -> np.ndarray:
            return keys

        def distinguishes(self, microdata: Microdata) -> bool:
            return True

    table = pa.table({"age": [1, 2, 3, 4]})
    with pytest.raises(VerificationError, match=r"The mapping 'z-order' returned keys of shape .* for 4 rows"):
        sf.anonymize(table, quasi_identifiers=["age"], k=2, method=Linear(mapping=Wrong()))


def by_one_core(line: Line, ends: np.ndarray, k: int, price: float):
    """The cut of a line that is one stretch."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(optimal_runs, "STRETCH", 1 << 60)
        return cut_by_size(line, ends, k, price=price)


@given(microdata_strategy(rows=(1, 120)), st.integers(1, 4), st.sampled_from([np.inf, 1.0, 0.3, 0.05]), st.booleans())
def test_stretches_are_cut_exactly_as_the_whole_line_is(
    microdata: Microdata, k: int, price: float, keep_equal: bool
) -> None:
    """The same loss and the same cuts, ties included, even where stretches begin too late to agree at once."""
    k = min(k, len(microdata))
    line = Line.of(task_of(microdata, k), HilbertCurve())
    ends = units(line, keep_equal)
    whole = by_one_core(line, ends, k, price)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"STRETCH": 1, "BEFORE": 0, "RUNS_BEFORE": 2, "SHARE": 2}.items():
            patch.setattr(optimal_runs, name, value)
        divided = cut_by_size(line, ends, k, price=price)
    assert divided.loss == whole.loss
    assert divided.classes.tolist() == whole.classes.tolist()
    assert total_loss(microdata, divided.classes, min(price, 1.0)) == pytest.approx(whole.loss, abs=1e-9)


@pytest.mark.parametrize("threads", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("price", [np.inf, 0.4])
def test_the_cut_of_a_long_line_does_not_depend_on_threads(
    threads: int, price: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    people = sf.datasets.census(rows=6000, seed=1).without_levels()
    line = Line.of(task_of(encode(people.table, people.schema.quasi_identifiers, []), 7), HilbertCurve())
    ends = units(line, keep_equal=False)
    whole = by_one_core(line, ends, 7, price)
    monkeypatch.setenv("SFUMATO_THREADS", str(threads))
    for name, value in {"STRETCH": 300, "BEFORE": 40, "RUNS_BEFORE": 2}.items():
        monkeypatch.setattr(optimal_runs, name, value)
    divided = cut_by_size(line, ends, 7, price=price)
    assert divided.loss == whole.loss
    assert (divided.classes == whole.classes).all()


def test_it_tells_how_far_sorting_and_cutting_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimal_runs, "STRETCH", 400)
    monkeypatch.setattr(optimal_runs, "BEFORE", 10)
    monkeypatch.setattr(optimal_runs, "RUNS_BEFORE", 4)
    monkeypatch.setattr(rows, "LONG", 4096)
    monkeypatch.setattr(rows, "BUCKET", 256)
    people = sf.datasets.census(rows=5000, seed=1).without_levels()
    microdata = encode(people.table, people.schema.quasi_identifiers, [])
    told: list[tuple[str, float]] = []
    task = Task(microdata, Requirements((KAnonymity(5),), microdata), progress=lambda *what: told.append(what))
    Hilbert().run(task)
    assert list(dict.fromkeys(stage for stage, _ in told)) == ["mapping", "sorting", "cutting"]
    for stage, least in [("sorting", 10), ("cutting", 10)]:
        shares = [share for told_of, share in told if told_of == stage]
        assert len(shares) >= least
        assert shares == sorted(shares)
        assert shares[-1] == 1.0
