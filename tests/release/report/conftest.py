"""Releases to report on, made once."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf

SCHOOLS = [
    ["primary", "basic", "*"],
    ["secondary", "basic", "*"],
    ["college", "higher", "*"],
    ["master", "higher", "*"],
]


def people(rows: int = 600, seed: int = 1) -> pa.Table:
    """Return made-up people: a number, a number with widths, a category, a tree, and what is known of them."""
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "name": [f"name {row}" for row in range(rows)],
            "age": np.clip(random.normal(45, 16, rows), 17, 95).astype(int),
            "hours": np.clip(random.normal(40, 10, rows), 1, 99).astype(int),
            "town": random.choice(["Rome", "Siena", "Pisa"], rows, p=[0.6, 0.3, 0.1]),
            "school": random.choice([row[0] for row in SCHOOLS], rows),
            "illness": random.choice(["flu", "asthma", "angina", "ulcer"], rows, p=[0.4, 0.3, 0.2, 0.1]),
            "visit": random.choice(["morning", "evening"], rows),
        }
    )


def policy(**more: object) -> sf.Policy:
    schema = sf.Schema(
        {
            "age": sf.Numeric(),
            "hours": sf.Numeric(widths=[5, 10, 20]),
            "town": sf.Categorical(),
            "school": sf.Taxonomy(SCHOOLS),
        },
        sensitive=["illness"],
        plain=["visit"],
        identifiers=["name"],
    )
    given = {"method": "mondrian", "seed": 12_345_678, "suppression": 0.05, **more}
    return sf.Policy(schema, [sf.KAnonymity(5), sf.LDiversity(1.5)], **given)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def release() -> sf.Release:
    return policy().run(people())
