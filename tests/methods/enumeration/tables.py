"""Small random tables, and requests that they can satisfy."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.hierarchies import Categorical, Numeric, Taxonomy
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, PrivacyModel, Requirements, TCloseness
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata

TREE = {"*": {"warm": ["red", "orange"], "cold": {"sea": ["blue", "teal"], "land": ["green"]}}}
COLOURS = ["red", "orange", "blue", "teal", "green"]

MODELS: dict[str, list[PrivacyModel]] = {
    "k": [KAnonymity(3)],
    "frequency": [KAnonymity(2), LDiversity(2)],
    "distinct": [KAnonymity(2), LDiversity(2, kind="distinct")],
    "entropy": [KAnonymity(2), LDiversity(1.6, kind="entropy")],
    "recursive": [KAnonymity(2), LDiversity(2, kind="recursive", c=2.0)],
    "closeness": [KAnonymity(2), TCloseness(0.4)],
    "length": [KAnonymity(2), MinimumSpan("x0", 2.0)],
    "all": [KAnonymity(2), LDiversity(2, kind="distinct"), TCloseness(0.5), MinimumSpan("x0", 1.0)],
}


def random_table(random: np.random.Generator, rows: int, attributes: int, values: int = 7) -> pa.Table:
    """Whole numbers in ``x0``, ``x1``, …, clustered a little, and a sensitive column ``s``."""
    columns = {
        f"x{at}": np.clip(random.normal(values / 2, values / 4, rows).round(), 0, values).astype(int)
        for at in range(attributes)
    }
    return pa.table(columns | {"s": random.choice(["a", "b", "c"], rows, p=[0.5, 0.3, 0.2])})


def numbers(random: np.random.Generator, rows: int, attributes: int) -> Microdata:
    table = random_table(random, rows, attributes)
    return encode(table, {f"x{at}": Numeric() for at in range(attributes)}, ["s"])


def mixed(random: np.random.Generator, rows: int) -> Microdata:
    """A number with missing values, a taxonomy and a flat category."""
    table = random_table(random, rows, 1)
    missing = random.random(rows) < 0.2
    table = pa.table(
        {
            "x0": pa.array(np.where(missing, None, table["x0"].to_numpy())),
            "colour": random.choice(COLOURS, rows),
            "kind": random.choice(["p", "q"], rows),
            "s": table["s"],
        }
    )
    return encode(table, {"x0": Numeric(), "colour": Taxonomy.from_dict(TREE), "kind": Categorical()}, ["s"])


def feasible(models: list[PrivacyModel], microdata: Microdata) -> Requirements | None:
    requirements = Requirements(tuple(models), microdata)
    return None if requirements.broken_by_table() else requirements
