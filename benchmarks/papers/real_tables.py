"""The papers' real tables, from files that you have: they cannot be shipped, and experiments run on them all the same.

SFUMATO_COIL names the folder with UCI's Coil 2000 (the insurance company benchmark): ``ticdata2000.txt`` and
``ticeval2000.txt``, as downloaded. SFUMATO_IPUMS names a CSV file with an extract of the American census: AGE, SEX,
EDUC, MARST, RACE, CLASSWKR, BPL and OCC, the codes as IPUMS writes them. Without them, tables are made up, and what
cannot be judged on those is not judged.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from benchmarks.papers.experiment import LackingError
from sfumato.hierarchies import Categorical, Hierarchy, Numeric, Taxonomy
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

COIL_FOLDER = Path(os.environ["SFUMATO_COIL"]) if "SFUMATO_COIL" in os.environ else None
IPUMS = Path(os.environ["SFUMATO_IPUMS"]) if "SFUMATO_IPUMS" in os.environ else None

#: The first five of the 86 columns of Coil 2000: those which the EnumMulti paper takes.
COIL_COLUMNS = ("customer_subtype", "houses", "household_size", "age_group", "customer_type")
COIL_FILES = ("ticdata2000.txt", "ticeval2000.txt")

#: The columns of an extract by the paper's attributes, in its order, and the height of each tree; 0 is a number.
IPUMS_COLUMNS = {"AGE": 0, "SEX": 1, "EDUC": 0, "MARST": 2, "RACE": 1, "CLASSWKR": 3, "BPL": 2}
OCCUPATION = "OCC"


def coil(folder: Path) -> Microdata:
    """Coil 2000 from its two files: tab-separated numbers without a header."""
    columns: list[np.ndarray] = []
    for name in COIL_FILES:
        if not (folder / name).is_file():
            raise LackingError(f"SFUMATO_COIL names a folder without {name}: it has the files of UCI's Coil 2000")
        columns.append(np.loadtxt(folder / name, dtype=np.int64, usecols=range(len(COIL_COLUMNS)), ndmin=2))
    rows = np.concatenate(columns)
    table = pa.table({name: rows[:, at] for at, name in enumerate(COIL_COLUMNS)})
    return encode(table, {name: Numeric() for name in COIL_COLUMNS})


def ipums(path: Path, rows: int, seed: int = 1) -> Microdata:
    """So many people of an extract, drawn without replacement, as the paper draws its tables.

    The paper gives the heights of its trees, not the trees: codes of IPUMS are numbered by kind, so that codes beside
    each other are alike, and each tree joins neighbours, as many at every level.
    """
    table = pyarrow.csv.read_csv(path)
    missing = [name for name in (*IPUMS_COLUMNS, OCCUPATION) if name not in table.column_names]
    if missing:
        raise LackingError(f"the extract that SFUMATO_IPUMS names lacks the columns {', '.join(missing)}")
    if table.num_rows < rows:
        raise LackingError(
            f"the extract that SFUMATO_IPUMS names has {table.num_rows:,} people, and {rows:,} are needed"
        )
    drawn = table.take(np.random.default_rng(seed).choice(table.num_rows, rows, replace=False))
    how = {name: tree_of(table.column(name), height) for name, height in IPUMS_COLUMNS.items()}
    for name, height in (*IPUMS_COLUMNS.items(), (OCCUPATION, 1)):
        if height:
            drawn = drawn.set_column(drawn.column_names.index(name), name, pc.cast(drawn.column(name), pa.string()))
    return encode(drawn, how, [OCCUPATION])


def tree_of(codes: pa.ChunkedArray, height: int) -> Hierarchy:
    """The hierarchy of a column of codes: a scale, all or nothing, or a tree that joins neighbours."""
    if height < 2:
        return Categorical() if height else Numeric()
    values = sorted(pc.unique(codes).to_pylist())
    fan = max(2, round(len(values) ** (1 / height)))
    rows = [
        [str(value), *(f"{level}: {at // fan**level}" for level in range(1, height))] for at, value in enumerate(values)
    ]
    return Taxonomy(rows)
