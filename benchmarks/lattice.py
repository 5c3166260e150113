"""Full-domain recoding: the complete set of answers, every node scored, the paper's counts, a huge lattice."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb

from benchmarks.lattice_data import adult, first, lands_end, lands_end_file, many_attributes, task
from benchmarks.measure import NO_ADULT, Result, ratio, seconds
from sfumato import datasets
from sfumato.datasets.lands_end import FULL_SIZE
from sfumato.engines import DuckDB, search_in_place
from sfumato.loss import METRICS
from sfumato.methods import BottomUp, Incognito, Lattice
from sfumato.methods.lattice.incognito import SubsetSearch
from sfumato.methods.lattice.judge import NodeJudge
from sfumato.methods.lattice.node_sweep import sweep_nodes
from sfumato.methods.lattice.nodes import Space
from sfumato.methods.lattice.scores import Scorer
from sfumato.table.microdata import Microdata

#: The table in Section 4.2.1 of the paper: nodes searched bottom-up and by Incognito per size of the quasi-identifier.
PAPER = {3: (14, 14), 4: (47, 35), 5: (206, 103), 6: (680, 246), 7: (2088, 664), 8: (6366, 1778), 9: (12818, 4307)}


def run() -> Iterator[Result]:
    table = adult()
    larger = adult(45_222)
    if table is None or larger is None:
        yield NO_ADULT
    else:
        yield from on_adult(table)
        yield from node_counts(larger)
    yield from huge_lattice()
    yield from on_lands_end(int(os.environ.get("LANDS_END_ROWS", FULL_SIZE)))


def on_adult(table: Microdata) -> Iterator[Result]:
    job = task(table, 5)
    yield Result("Adult, k=5: complete set of answers", seconds(lambda: Lattice().run(job), 7) * 1000, 30, "ms")
    for loss in ("dm", "gcp"):
        took = seconds(lambda loss=loss: every_node(table, loss))
        yield Result(f"Adult, k=5: all 12,960 nodes scored by {loss}, 100 % suppression", took, 0.5, "s")
    whole = task(table, 5, 1.0)
    took = seconds(lambda: Lattice().run(whole))
    yield Result("Adult, k=5: the same as a release, the best node chosen", took, 0.5, "s")
    for variant in ("basic", "superroots", "cube"):
        value, *_ = ratio(lambda: Lattice().run(job), lambda v=variant: Incognito(variant=v).run(job))
        yield Result(f"Adult, k=5: Lattice over Incognito ({variant})", value, 1.0)
    for variant in ("superroots", "cube"):
        value, *_ = ratio(lambda v=variant: Incognito(variant=v).run(job), lambda: Incognito(variant="basic").run(job))
        yield Result(f"Adult, k=5: Incognito, {variant} over basic", value, 1.0)


def every_node(table: Microdata, loss: str) -> object:
    """Classify and score every node with suppression up to 100 %."""
    judge, space = NodeJudge(task(table, 5, 1.0)), Space(table.domains)
    scorer = Scorer(judge)
    found = sweep_nodes(judge, space, judge.scan(space.bottom), scorer.costs(METRICS[loss]))
    return scorer.marginals.loss(METRICS[loss], found)


def node_counts(table: Microdata) -> Iterator[Result]:
    for size, counts in PAPER.items():
        job = task(first(table, size), 2)
        for method, theirs in zip((BottomUp(), Incognito()), counts, strict=True):
            found = method.run(job).details["search"].nodes_checked
            off = abs(found / theirs - 1)
            limit = 0.2 if size >= 5 else None
            name = f"Adult, k=2, {size} attributes: {method.name} nodes, off the paper's"
            yield Result(name, off, limit, "", f"{found} / {theirs}")


def huge_lattice() -> Iterator[Result]:
    job = task(many_attributes(), 5)
    yield Result("15 attributes × 5 levels: a first answer", seconds(lambda: Lattice(time_limit=0).run(job)), 1, "s")
    begin = time.perf_counter()
    search = Lattice(time_limit=30).run(job).details["search"]
    yield Result(
        "15 attributes × 5 levels: the best one, proven", time.perf_counter() - begin, None, "s", f"{search.bound:.4f}"
    )


def on_lands_end(rows: int) -> Iterator[Result]:
    path = lands_end_file(rows)
    columns = ", ".join(f'"{name}"' for name in duckdb.sql(f"FROM '{path}' LIMIT 0").columns)
    query = f"CREATE OR REPLACE TEMP TABLE f AS SELECT {columns}, COUNT(*) FROM '{path}' GROUP BY ALL"
    value, ours, theirs = ratio(
        lambda: Lattice().run(task(lands_end(rows), 10)), lambda: duckdb.execute(query), repeat=1
    )
    note = f"{ours:.1f} s / {theirs:.1f} s"
    yield Result(f"Lands End, {rows:,} rows, k=10: Parquet to answers over GROUP BY", value, 20, "×", note)
    value, ours, theirs = ratio(lambda: in_the_database(path), lambda: duckdb.execute(query), repeat=1)
    note = f"{ours:.1f} s / {theirs:.1f} s"
    yield Result(f"Lands End, {rows:,} rows, k=10: searched in DuckDB over GROUP BY", value, 20, "×", note)
    yield from variants(first(lands_end(rows), 5))


def in_the_database(path: Path) -> object:
    """Count in DuckDB, search here."""
    with DuckDB(path) as database:
        return search_in_place(database, datasets.lands_end(1).schema, k=10)


def variants(table: Microdata) -> Iterator[Result]:
    """Compare the variants of Incognito where the paper does: super-roots, and the search after the cube is built."""
    job, name = task(table, 2), f"Lands End, {len(table):,} rows, 5 attributes"
    basic = Incognito("basic")
    value, *_ = ratio(lambda: Incognito("superroots").run(job), lambda: basic.run(job), repeat=1)
    yield Result(f"{name}: superroots over basic", value, 1.0)
    search = SubsetSearch(NodeJudge(job), Space(table.domains), "cube")
    search.build_cube(5)
    value, *_ = ratio(lambda: search.search_subsets(5), lambda: basic.run(job), repeat=1)
    yield Result(f"{name}: search with the cube over basic", value, 1.0)
