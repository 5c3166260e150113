"""Checks of what a method declares about engines: it is run on DuckDB in small parts, and its release is checked."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.api.anonymize import anonymize
from sfumato.errors import ParameterError
from sfumato.methods import Method
from sfumato.methods.base import SUPPRESSION
from sfumato.methods.on_engine import EngineSupport, LevelsByFrequencies, PartsAlongOrder, PartsByFirstCuts
from sfumato.release.release import Release
from sfumato.run.large.engine import Engine
from sfumato.run.request import EngineOption
from sfumato.table.encoding import encode
from sfumato.testing.requests import plainest
from sfumato.testing.tables import SCHEMA, people

#: The most rows of a part here, so few that a small table has several parts.
PART_ROWS = 40


class DuckDBInSmallParts(EngineOption):
    """DuckDB with parts of a few rows, as if hardly any fitted in memory."""

    name = "duckdb"

    def start(self, memory: int, temporary: str | os.PathLike[str] | None) -> Engine:
        """Start it."""
        # DuckDB takes a while to import, and only engines need it.
        from sfumato.run.large.duckdb.engine import InDuckDB  # noqa: PLC0415

        engine = InDuckDB(memory, temporary)
        engine.part_rows = PART_ROWS
        return engine


def check_engine_support(method: Method) -> None:
    """Check what a method declares in `on_engine`: releases of several parts verify, and None means a refusal."""
    support = method.on_engine
    if support is None:
        _check_refused(method)
        return
    kinds = PartsAlongOrder | PartsByFirstCuts | LevelsByFrequencies
    assert isinstance(support, kinds), f"'{method.name}' declares {support!r}, which no engine knows."
    for_all_rows = method.recoding == "full-domain"
    assert for_all_rows == isinstance(support, LevelsByFrequencies), (
        f"'{method.name}' recodes {method.recoding}: full-domain methods choose levels by frequencies, no others do."
    )
    if isinstance(support, PartsAlongOrder):
        _check_keys(method, support)
    _check_releases(method, support)


def _check_refused(method: Method) -> None:
    try:
        _release(method, people(30))
        message = "nothing"
    except ParameterError as error:
        message = str(error)
    assert "looks at all rows at once" in message, f"'{method.name}' declares no support of engines, but runs there."


def _check_keys(method: Method, support: PartsAlongOrder) -> None:
    """Check that a key is a number of 64 bits that depends on its own row alone: an engine keys batch by batch."""
    microdata = encode(people(90, seed=13), SCHEMA.quasi_identifiers, SCHEMA.sensitive)
    codes = microdata.codes.copy()
    keys = np.asarray(support.keys(codes, microdata.domains))
    assert np.array_equal(codes, microdata.codes), f"The keys of '{method.name}' change the codes that they are of."
    fits = keys.dtype == np.uint64 and keys.shape == (len(codes),)
    assert fits, f"'{method.name}' makes keys of shape {keys.shape} and type {keys.dtype} for {len(codes)} rows."
    order = np.random.default_rng(13).permutation(len(codes))
    some = [support.keys(np.ascontiguousarray(codes[rows]), microdata.domains) for rows in np.array_split(order, 7)]
    same = np.array_equal(np.concatenate(some), keys[order])
    assert same, f"'{method.name}' gives a row another key in another batch: keys may depend on its own codes alone."


def _check_releases(method: Method, support: EngineSupport) -> None:
    """Check that releases of several parts verify, and are those of memory where the parts cannot matter."""
    table = people(400, seed=14)
    for share in (0.0, 0.05):
        if share and SUPPRESSION in method.unsupported:
            continue
        made = _release(method, table, suppression=share)
        assert made.manifest["parts"] > 1, f"{len(table)} rows were not divided for '{method.name}'."
        assert made.verify().ok, f"The release of '{method.name}' by an engine does not verify."
        released = made.table
        assert len(released) + made.suppressed == len(table), f"'{method.name}' loses rows on an engine."
        assert made.suppressed <= share * len(table), f"'{method.name}' left out {made.suppressed} rows on an engine."
        # A method that trims its classes last may trim those of a part differently.
        if isinstance(support, LevelsByFrequencies) or (isinstance(support, PartsByFirstCuts) and not share):
            wanted = _release(method, table, engine="memory", suppression=share).table
            assert _rows(released) == _rows(wanted), f"'{method.name}' releases other rows on an engine than in memory."


def _release(method: Method, table: pa.Table, **request: Any) -> Release:
    asked: dict[str, Any] = {"engine": DuckDBInSmallParts(), "seed": 15, "privacy": plainest(method)} | request
    return anonymize(table, schema=SCHEMA, method=method, **asked)


def _rows(table: pa.Table) -> Counter[tuple[Any, ...]]:
    names = sorted(table.column_names)
    return Counter(zip(*(table[name].to_pylist() for name in names), strict=True))
