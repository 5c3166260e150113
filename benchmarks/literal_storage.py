"""Incognito's searches on tables of a database, as its paper ran them; Mondrian and Hilbert on a disk, by passes."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.lattice_data import adult, first, lands_end
from benchmarks.lattice_data import task as k_task
from benchmarks.linear import census, task
from benchmarks.literal.database import answers_in_database
from benchmarks.literal.external import Disk, mondrian_on_disk, rows_read_ahead, runs_in_one_scan, stored
from benchmarks.literal.lattice import ScanningSamarati, WholeFamilies
from benchmarks.literal.linear import LiteralDiversity
from benchmarks.literal.mondrian import LiteralMondrian
from benchmarks.measure import NO_ADULT, Result
from sfumato.methods import BottomUp, HilbertCurve, Incognito
from sfumato.methods.lattice.full_domain import FullDomain
from sfumato.methods.linear.row_order import sorted_line
from sfumato.privacy import KAnonymity, LDiversity
from sfumato.table.microdata import Microdata

#: As in the paper, but for the last, which it leaves to the future. The first is what others are compared with.
SEARCHES: dict[str, FullDomain] = {
    "bottom-up, scans": BottomUp(rollup=False),
    "bottom-up": BottomUp(),
    "binary search": ScanningSamarati(),
    "basic incognito": Incognito("basic"),
    "super-roots incognito": WholeFamilies(),
    "cube incognito": Incognito("cube"),
    "materialized incognito": Incognito("materialized"),
}

#: What keeps the slowest search below a minute.
LANDS_END_ROWS, LANDS_END_ATTRIBUTES, ADULT_ATTRIBUTES = 200_000, 5, 6


def run() -> Iterator[Result]:
    table = adult(45_222)
    if table is None:
        yield NO_ADULT
    else:
        yield from in_database("Adult, 45,222 rows", first(table, ADULT_ATTRIBUTES))
    orders = first(lands_end(LANDS_END_ROWS), LANDS_END_ATTRIBUTES)
    yield from in_database(f"Lands End, {LANDS_END_ROWS:,} rows", orders)
    yield from passes(census(4_000))


def in_database(name: str, table: Microdata) -> Iterator[Result]:
    """Time every search on tables of DuckDB; all but binary search must find the same."""
    slowest, expected = 0.0, BottomUp().run(k_task(table, 2)).details["alternatives"].answers
    for search, took in database_seconds(table, 2, expected).items():
        slowest = slowest or took
        text = f"{name}, {len(table.domains)} attributes, k=2, DuckDB: {search}"
        yield Result(text, took / slowest, note=f"{took:.2f} s")


def database_seconds(table: Microdata, k: int, expected: list[tuple[int, ...]]) -> dict[str, float]:
    """The seconds of every search in a database, after checking its answers."""
    found = {}
    for name, method in SEARCHES.items():
        begin = time.perf_counter()
        answers = answers_in_database(method, k_task(table, k))
        found[name] = time.perf_counter() - begin
        assert answers == expected or (isinstance(method, ScanningSamarati) and answers[0] in expected)
    return found


def passes(table: Microdata) -> Iterator[Result]:
    """Count how often a table on a disk is read and written, in blocks of 64 rows."""
    with tempfile.TemporaryDirectory() as folder:
        disk = Disk(Path(folder), 64, 1 + len(table.domains))
        mondrian_on_disk(table, 10, stored(disk, table), LiteralMondrian())
        levels, rows = disk.traffic[1:], len(table)
        read, written = max(level.rows_read for level in levels), max(level.rows_written for level in levels)
        note = f"{len(levels)} levels"
        yield Result("census, k=10: Mondrian, most rows read per level", read / rows, 2.0, "tables", note)
        yield Result("census, k=10: Mondrian, most rows written per level", written / rows, 1.0, "tables", note)
        line = sorted_line(task(table, KAnonymity(10)), HilbertCurve())
        file = stored(disk, table, line.order)
        disk.begin_level()
        runs_in_one_scan(table, 10, file)
        yield Result(
            "census, k=10: Hilbert after the sort, rows read", disk.traffic[-1].rows_read / rows, 1.0, "tables"
        )
    for l in (2, 6):  # noqa: E741
        job = task(table, LDiversity(l))
        order = sorted_line(job, HilbertCurve()).order
        groups = LiteralDiversity().run(job).classes
        assert groups is not None
        held = rows_read_ahead(np.ascontiguousarray(table.sensitive[0].codes[order]), groups[order])
        yield Result(f"census, l={l}: rows held back by the one scan", held / rows, None, "tables", f"{held:,} rows")
