"""Searches in a database and methods on a disk find what they find in memory; passes over the data are counted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from benchmarks.literal.database import DatabaseJudge, answers_in_database
from benchmarks.literal.external import Disk, File, mondrian_on_disk, rows_read_ahead, runs_in_one_scan, stored
from benchmarks.literal.lattice import ScanningSamarati, WholeFamilies
from benchmarks.literal.linear import diversity_groups
from benchmarks.literal.mondrian import LiteralMondrian
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import microdata_strategy, task_of
from tests.methods.lattice.brute_force import all_answers, tables
from tests.methods.multidim.mondrian_twin import coded

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.methods import BottomUp, Incognito, Samarati
from sfumato.methods.linear.row_order import Line
from sfumato.methods.linear.runs import cut_by_size
from sfumato.privacy import LDiversity
from sfumato.table.microdata import Microdata

SEARCHES = [*map(Incognito, ("basic", "superroots", "cube", "materialized")), WholeFamilies(), BottomUp()]


@settings(max_examples=examples(6))
@given(microdata=tables(), k=st.integers(1, 4))
def test_every_search_finds_the_same_on_tables_of_a_database(microdata: Microdata, k: int) -> None:
    k = min(k, len(microdata))
    task = task_of(microdata, k)
    expected = all_answers(task)
    for method in SEARCHES:
        assert answers_in_database(method, task) == expected
    assert answers_in_database(ScanningSamarati(), task) == [Samarati().run(task).levels]


def test_frequency_sets_that_nobody_holds_are_dropped() -> None:
    task = task_of(coded([(x % 5, x % 3) for x in range(30)]), 2)
    judge = DatabaseJudge(task)
    found = judge.roller.up(judge.scan((0, 0)), (1, 0))
    names = judge.connection.execute("SELECT table_name FROM duckdb_tables() WHERE temporary").fetchall()
    assert [name for (name,) in names] == [found.table]
    assert len(found) == 3


def test_a_database_is_asked_for_k_alone() -> None:
    microdata = coded([(1,), (2,), (3,)], ["a", "b", "c"])
    with pytest.raises(ParameterError, match="k-anonymity without suppression"):
        DatabaseJudge(task_of(microdata, [LDiversity(2)]))


@pytest.fixture
def on_disk(tmp_path) -> Callable[[Microdata, int], File]:
    """Put a table on a disk with small blocks."""

    def put(microdata: Microdata, block: int, order: np.ndarray | None = None) -> File:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        return stored(Disk(folder, block, 1 + len(microdata.domains)), microdata, order)

    return put


def some_table(rows: int) -> Microdata:
    random = np.random.default_rng(5)
    return coded(random.integers(0, [40, 12, 7], (rows, 3)).tolist())


@pytest.mark.parametrize("method", [LiteralMondrian(), LiteralMondrian(widths="span", sides="either")], ids=repr)
@pytest.mark.parametrize("block", [7, 64])
def test_mondrian_reads_twice_and_writes_once_per_level(on_disk, method: LiteralMondrian, block: int) -> None:
    microdata = some_table(1000)
    file = on_disk(microdata, block)
    classes = mondrian_on_disk(microdata, 5, file, method)
    in_memory = method.run(task_of(microdata, 5)).classes
    assert same_partition(classes, in_memory)
    levels = file.disk.traffic[1:]
    assert len(levels) > 5
    for level in levels:
        assert level.rows_read <= 2 * len(microdata)
        assert level.rows_written <= len(microdata)
    # Parts end within a block, so blocks are a few more: at most one for every part that is read or written.
    assert levels[0].blocks_read == 2 * -(-1000 // block)
    assert levels[0].blocks_written <= -(-1000 // block) + 1


def same_partition(one: np.ndarray, other: np.ndarray) -> bool:
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


def test_with_all_differences_it_is_the_product_on_disk(on_disk) -> None:
    microdata = some_table(400)
    classes = mondrian_on_disk(microdata, 4, on_disk(microdata, 16), LiteralMondrian(widths="span", sides="either"))
    assert same_partition(classes, sf.Mondrian().run(task_of(microdata, 4)).classes)


@pytest.mark.parametrize("block", [3, 50])
def test_sorted_rows_are_read_once_for_the_cheapest_runs(on_disk, block: int) -> None:
    microdata = some_table(150)
    line = Line.of(task_of(microdata, 3), sf.Hilbert().make_mapping())
    file = on_disk(microdata, block, line.order)
    loss, ends = runs_in_one_scan(microdata, 3, file)
    best = cut_by_size(line, np.arange(len(line) + 1), 3)
    assert loss == pytest.approx(best.loss)
    assert (np.diff(ends) >= 3).all()
    assert (np.diff(ends) <= 5).all()
    assert (file.disk.traffic[-1].rows_read, file.disk.traffic[-1].blocks_read) == (150, -(-150 // block))


def test_one_scan_of_the_heuristic_holds_rows_back_until_every_value_was_met() -> None:
    even, late = np.arange(60, dtype=np.int32) % 4, np.array([0, 1, 2] * 20 + [3] * 3, np.int32)
    for values, most in ((even, 4), (late, 61)):
        groups = diversity_groups(values, np.arange(len(values), dtype=float), 2)
        assert rows_read_ahead(values, groups) == most


@settings(max_examples=examples(20))
@given(microdata_strategy(rows=(4, 40), missing=False))
def test_any_table_can_lie_on_a_disk(tmp_path_factory, microdata: Microdata) -> None:
    disk = Disk(tmp_path_factory.mktemp("disk"), 5, 1 + len(microdata.domains))
    classes = mondrian_on_disk(microdata, 2, stored(disk, microdata), LiteralMondrian())
    assert same_partition(classes, LiteralMondrian().run(task_of(microdata, 2)).classes)
