"""Checks of input and output: the input is never changed, one seed gives one result, every kind of frame works."""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import SkipTest

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import MissingExtraError
from sfumato.io import to_frame, write_table
from sfumato.methods import Method, Task
from sfumato.privacy import Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.testing.requests import certain_release, plainest
from sfumato.testing.tables import SCHEMA, people

LIBRARIES = ("pandas", "polars")


def check_input_untouched(method: Method) -> None:
    """Check that neither the caller's table nor the encoded one is changed."""
    table = people(80)
    before = _as_bytes(table)
    certain_release(method, table)
    assert _as_bytes(table) == before, f"'{method.name}' changed the Arrow table that it was given."
    _check_codes_untouched(method, table)
    frame = _frames(table).get("pandas")
    if frame is None:
        raise SkipTest("pandas is not installed, so only an Arrow table was tried")
    frame.index = [7] * len(frame)
    copy = deepcopy(frame)
    certain_release(method, frame)
    same = frame.equals(copy) and list(frame.index) == list(copy.index) and list(frame.dtypes) == list(copy.dtypes)
    assert same, f"'{method.name}' changed the pandas frame that it was given."


def _check_codes_untouched(method: Method, table: pa.Table) -> None:
    """Check the encoded table: changes there would go unnoticed and be released as if they were true."""
    # A single column and its transpose share their memory layout, so a forgotten copy shows only there.
    for names in (SCHEMA.quasi_identifiers, {"age": None}):
        microdata = encode(table, names, SCHEMA.sensitive)
        task = Task(microdata, Requirements(plainest(method), microdata))
        before = [array.copy() for array in _arrays(microdata)]
        method.run(task)
        for array, copy in zip(_arrays(microdata), before, strict=True):
            assert np.array_equal(array, copy), f"'{method.name}' changed the encoded table that it was given."


def _arrays(microdata: Microdata) -> Iterator[NDArray[Any]]:
    yield microdata.codes
    yield microdata.weights
    yield from (column.codes for column in microdata.sensitive)
    yield from (level.groups for domain in microdata.domains for level in domain.levels)
    yield from microdata.spans


def _as_bytes(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def check_same_seed_same_bytes(method: Method) -> None:
    """Check that one seed gives one file, byte for byte."""
    table = people(100, seed=4)
    with TemporaryDirectory() as folder:
        for ending in ("csv", "tsv", "parquet", "jsonl"):
            written = []
            for _ in range(2):
                path = Path(folder) / f"release.{ending}"
                certain_release(method, table, seed=11).write(path)
                written.append(path.read_bytes())
            assert written[0] == written[1], f"'{method.name}' writes another {ending} file with the same seed."


def check_row_order(method: Method) -> None:
    """Check that another order of the rows gives the same loss, if the method declares that."""
    if not method.order_free:
        raise SkipTest(f"'{method.name}' depends on the order of rows, and says so.")
    table = people(110, seed=5)
    wanted = certain_release(method, table, seed=0).loss
    for seed in range(1, 4):
        # Rows are put in random order before a method sees them.
        found = certain_release(method, table, seed=seed).loss
        for name, value in wanted.items():
            close = math.isclose(value, found[name], rel_tol=1e-9, abs_tol=1e-12)
            assert close, f"'{method.name}': {name} is {found[name]} instead of {value} in another order of rows."


def check_frames(method: Method) -> None:
    """Check that every kind of table gives the same release, in its own kind of frame."""
    table = people(60, seed=6)
    wanted = certain_release(method, table, keep_order=True, seed=12)
    assert isinstance(wanted.data, pa.Table)
    with TemporaryDirectory() as folder:
        inputs: dict[str, Any] = _frames(table) | _files(table, Path(folder))
        for kind, given in inputs.items():
            made = certain_release(method, given, keep_order=True, seed=12)
            expected = pa.Table if isinstance(given, Path) else type(given)
            assert isinstance(made.data, expected), f"A {kind} comes back as {type(made.data).__name__}."
            assert made.manifest["input"]["kind"] == kind, f"A {kind} is called {made.manifest['input']['kind']}."
            assert made.table.to_pylist() == wanted.table.to_pylist(), f"'{method.name}' releases a {kind} differently."
    lacking = [library for library in LIBRARIES if library not in inputs]
    if lacking:
        raise SkipTest(f"{' and '.join(lacking)} not installed; all other kinds of tables pass")


def _frames(table: pa.Table) -> dict[str, Any]:
    """Convert the table to a frame of each installed library."""
    frames = {}
    for library in LIBRARIES:
        try:
            frames[library] = to_frame(table, library)
        except MissingExtraError:
            continue
    return frames


def _files(table: pa.Table, folder: Path) -> dict[str, Path]:
    files = {"csv": folder / "people.csv", "parquet": folder / "people.parquet", "jsonl": folder / "people.jsonl"}
    for path in files.values():
        write_table(table, path)
    return files
