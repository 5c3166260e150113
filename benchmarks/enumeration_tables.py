"""The tables of the EnumMulti paper, coded: SimpleNormal, Adult, and one like Coil."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import sfumato as sf
from benchmarks.measure import ADULT
from sfumato.hierarchies import Hierarchy, Numeric, Ordered
from sfumato.microdata import Microdata, encode

#: 101 in all: everything that the eight categories have, countries but for one, and 16 of age.
ADULT_SPLITS = {"age": 16, "native-country": 39}

#: The five attributes of the Coil table that the paper takes, and how many values each has.
COIL = {"customer_subtype": 41, "houses": 10, "household_size": 6, "age_group": 6, "customer_type": 10}


def normal(rows: int = 10_000) -> Microdata:
    table = sf.datasets.simple_normal(rows)
    return encode(table.table, {name: Numeric() for name in ("x", "y")})


def adult(sensitive: str | None = None, ordered: bool = False) -> Microdata:
    """Nine attributes, or eight and a sensitive one; ``ordered`` lays categories on a scale, as lengths need it."""
    people = sf.datasets.adult(ADULT)
    names = [name for name in people.table.column_names if name != sensitive]
    how: dict[str, Hierarchy] = {name: people.hierarchies[name] for name in names}
    how["age"] = Numeric()
    if ordered:
        walks = encode(people.table, {name: how[name] for name in names})
        for domain in walks.domains:
            if domain.name != "age":
                how[domain.name] = Ordered(domain.texts.to_pylist())
    return encode(people.table, how, [sensitive] if sensitive else [])


def coil(rows: int = 9_882, seed: int = 0) -> Microdata:
    """Made up: the subtype is skewed and decides the main type, the others depend on it loosely."""
    random = np.random.default_rng(seed)
    popular = random.dirichlet(np.full(COIL["customer_subtype"], 0.8))
    subtype = random.choice(COIL["customer_subtype"], rows, p=popular)
    kind = subtype * COIL["customer_type"] // COIL["customer_subtype"]
    columns = {
        "customer_subtype": subtype + 1,
        "houses": np.clip(random.geometric(0.88, rows), 1, 10),
        "household_size": np.clip(random.normal(2.2 + kind % 3 * 0.5, 0.8, rows).round(), 1, 6).astype(int),
        "age_group": np.clip(random.normal(2.4 + kind % 4 * 0.4, 0.8, rows).round(), 1, 6).astype(int),
        "customer_type": kind + 1,
    }
    return encode(pa.table(columns), {name: Numeric() for name in COIL})
