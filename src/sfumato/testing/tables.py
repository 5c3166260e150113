"""The tables that methods are tested on: small, seeded, with every kind of column."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.hierarchies import Prefix, Taxonomy
from sfumato.table.schema import Schema

REGIONS = {
    "north": ["Aberdeen", "Bergen", "Umea"],
    "south": ["Bari", "Cadiz", "Patras", "Valletta"],
    "east": ["Lviv", "Varna"],
}
ILLNESSES = {"lungs": ["asthma", "bronchitis", "flu"], "skin": ["acne", "eczema"], "heart": ["angina"]}

#: The roles of the columns of `people`.
SCHEMA = Schema(
    quasi_identifiers={
        "age": None,
        "sex": None,
        "zip": Prefix(),
        "born": None,
        "city": Taxonomy.from_dict(REGIONS),
    },
    sensitive=["illness", "income"],
    identifiers="name",
    plain="visits",
)


def people(rows: int = 120, seed: int = 0, missing: float = 0.0) -> pa.Table:
    """Make people with numbers, categories, prefixes, dates and a taxonomy; two sensitive columns, a plain one.

    Parameters
    ----------
    rows, seed
        The number of rows and the random seed.
    missing
        The share of missing values in every quasi-identifier.
    """
    random = np.random.default_rng(seed)
    cities = [city for region in REGIONS.values() for city in region]
    illnesses = [illness for group in ILLNESSES.values() for illness in group]
    days = random.integers(0, 20_000, rows).tolist()
    columns: dict[str, Any] = {
        "name": [f"person {number}" for number in range(rows)],
        "age": random.integers(18, 90, rows).tolist(),
        "sex": random.choice(["female", "male"], rows).tolist(),
        "zip": [f"{number:05d}" for number in random.integers(53_700, 53_760, rows)],
        "born": [dt.date(1940, 1, 1) + dt.timedelta(days=day) for day in days],
        "city": random.choice(cities, rows).tolist(),
        # All values are about equally frequent, so that all models can be kept.
        "illness": random.permutation(np.resize(illnesses, rows)).tolist(),
        "income": (random.permutation(np.resize(np.arange(8), rows)) * 5_000).tolist(),
        "visits": random.poisson(2, rows).tolist(),
    }
    for name in SCHEMA.quasi_identifiers if missing else ():
        lacking = random.random(rows) < missing
        columns[name] = [None if lacks else value for value, lacks in zip(columns[name], lacking, strict=True)]
    return pa.table(columns)
