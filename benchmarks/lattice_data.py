"""The tables that the full-domain benchmarks share."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

import sfumato as sf
from benchmarks.measure import ADULT, RESULTS
from benchmarks.papers.tables import ADULT_ORDER
from sfumato.datasets.lands_end import FULL_SIZE
from sfumato.hierarchies import Numeric
from sfumato.io import open_source, write_table
from sfumato.methods import Task
from sfumato.privacy import KAnonymity, Requirements
from sfumato.run.prepare import prepare
from sfumato.run.request import Request
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata


def adult(rows: int = 30_162) -> Microdata | None:
    """The nine attributes of Adult, or None if the file is missing."""
    if not ADULT.exists():
        return None
    dataset = sf.datasets.adult(ADULT, rows=rows)
    return encode(dataset.table, {name: dataset.hierarchies[name] for name in ADULT_ORDER})


def lands_end_file(rows: int = FULL_SIZE) -> Path:
    """The generated orders as a Parquet file, made once."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"lands_end_{rows}.parquet"
    if not path.exists():
        write_table(sf.datasets.lands_end(rows).table, path)
    return path


def lands_end(rows: int = FULL_SIZE) -> Microdata:
    """Read and encode the generated orders."""
    schema = sf.datasets.lands_end(1).schema
    return prepare(open_source(lands_end_file(rows)), Request(schema)).microdata


def many_attributes(rows: int = 20_000) -> Microdata:
    """Fifteen related attributes with five levels each: a lattice of 30 billion nodes."""
    random = np.random.default_rng(0)
    common = random.normal(size=rows)
    columns = {
        f"q{at}": np.clip(common * 4 + random.normal(size=rows) * 6 + 40 + at, 0, 80).astype(int) for at in range(15)
    }
    return encode(pa.table(columns), {name: Numeric(widths=(10, 20, 40)) for name in columns})


def first(microdata: Microdata, count: int) -> Microdata:
    """The table with its first attributes alone."""
    codes = np.ascontiguousarray(microdata.codes[:, :count])
    return Microdata(codes, microdata.domains[:count], microdata.sensitive)


def task(microdata: Microdata, k: int, suppression: float = 0.0) -> Task:
    """The request for k-anonymity."""
    return Task(microdata, Requirements((KAnonymity(k),), microdata), int(suppression * len(microdata)))
