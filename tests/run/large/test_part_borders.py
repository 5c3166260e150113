"""Where parts begin: by exact counts, at the ends of the cheapest classes where these are large."""

from __future__ import annotations

from itertools import combinations, pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.helpers import encoded_column

import sfumato as sf
from sfumato.run.large import part_borders as laying
from sfumato.run.large.duckdb import engine as in_duckdb
from sfumato.run.large.part_borders import Feasibility, StretchBoxes, cheapest_runs, packed


class Judged:
    """Stretches of which it was drawn which of them can stand together."""

    def __init__(self, random: np.random.Generator, units: int) -> None:
        self.ends = np.append(0, np.cumsum(random.integers(1, 9, units)))
        self.table = random.random((units + 1, units + 1)) < 0.4
        self.table[0, units] = True
        self.requirements = self
        self.microdata = encoded_column(pa.array(range(10)))

    def allowed(self, starts: Any, stop: int) -> Any:
        return self.table[starts, stop]


@pytest.mark.parametrize("seed", range(20))
def test_no_other_runs_that_fit_lose_less(seed: int) -> None:
    random = np.random.default_rng(seed)
    units = 7
    judged = Judged(random, units)
    low = random.integers(0, 10, (units, 1))
    boxes = StretchBoxes(low, np.minimum(low + random.integers(0, 5, (units, 1)), 9))

    def lost(begins: tuple[int, ...], most: float) -> float:
        total = 0.0
        for start, stop in pairwise((0, *begins, units)):
            size = judged.ends[stop] - judged.ends[start]
            reach = boxes.high[start:stop].max() - boxes.low[start:stop].min()
            total += size * reach / 9 if judged.table[start, stop] and size <= most else np.inf
        return total

    every = [begins for count in range(units) for begins in combinations(range(1, units), count)]
    for most in (12, 1_000):
        best = min(lost(begins, most) for begins in every)
        runs = cheapest_runs(cast("Feasibility", judged), boxes, most)
        found = lost(tuple(runs[1:-1].tolist()), np.inf)
        # Where no cut fits, a run is longer, and nothing is broken.
        assert found == pytest.approx(best) if np.isfinite(best) else np.isfinite(found)


def test_parts_hold_whole_runs_and_no_more_rows_than_fit() -> None:
    ends = np.array([0, 4, 6, 7, 20, 22, 30])
    assert packed(np.array([0, 1, 2, 3, 4, 5, 6]), ends, 10).tolist() == [0, 3, 4, 6]
    assert packed(np.array([0, 6]), ends, 10).tolist() == [0, 6]


def test_classes_as_large_as_parts_lose_no_more_than_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orders = sf.datasets.lands_end(10_000, seed=1).without_levels()
    pq.write_table(orders.table, tmp_path / "orders.parquet")
    quasi = {name: how for name, how in orders.schema.quasi_identifiers.items() if name != "style"}
    asked: dict[str, Any] = {"sensitive": "style", "rest": "drop", "k": 5, "t": 0.5, "method": "hilbert", "seed": 1}
    monkeypatch.setattr(in_duckdb, "MOST_PART_ROWS", 1_250)
    whole, parts, even = (
        _loss(tmp_path / "orders.parquet", engine, monkeypatch, few, quasi_identifiers=quasi, **asked)
        for engine, few in (("memory", 48), ("duckdb", 48), ("duckdb", 0))
    )
    assert parts <= 1.01 * whole
    assert parts < even


def _loss(path: Path, engine: str, monkeypatch: pytest.MonkeyPatch, few: int, **asked: Any) -> float:
    monkeypatch.setattr(laying, "FEW", few)
    return sf.anonymize(path, engine=engine, **asked).loss.gcp
