"""Releases to report on, made once."""

from __future__ import annotations

from pathlib import Path

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


def safe_release() -> sf.Release:
    """Return a release in which nobody is exposed: few values, large groups, everything declared."""
    random = np.random.default_rng(3)
    table = pa.table(
        {"age": random.integers(20, 60, 5_000), "illness": random.choice(["flu", "asthma", "angina"], 5_000)}
    )
    ages = {"age": sf.Numeric(widths=[10, 20])}
    return sf.anonymize(table, quasi_identifiers=ages, sensitive="illness", k=50, l=2, method="incognito", seed=1)


def adult_release(folder: Path) -> sf.Release:
    """Return a release of Adult with k alone, in which salary classes are certain."""
    adult = sf.datasets.adult(folder)
    names = [name for name in adult.table.column_names if name != "salary-class"]
    return sf.anonymize(
        adult.table.slice(0, 6_000), quasi_identifiers=names, sensitive="salary-class", k=10, method="mondrian", seed=1
    )


def sixty_columns(rows: int = 300) -> sf.Release:
    """Return a release with long names in German, Chinese and Arabic, and 52 columns that are published unchanged."""
    random = np.random.default_rng(3)
    known = {
        "Alter": random.integers(18, 90, rows),
        "Geschlecht": random.choice(["männlich", "weiblich", "divers"], rows),
        "Postleitzahl": random.choice(["53115", "53117", "50667"], rows),
        "年龄组": random.choice(["青年", "中年", "老年"], rows),
        "教育程度": random.choice(["小学", "中学", "大学"], rows),
        "المدينة": random.choice(["القاهرة", "الإسكندرية", "أسوان"], rows),
        "المهنة": random.choice(["طبيب", "معلم", "مهندس"], rows),
        "Familienstand der versicherten Person laut Antrag": random.choice(["ledig", "verheiratet"], rows),
    }
    names = [f"{('Messwert', '测量值', 'القياس')[at % 3]} {at} (Einheit mg/dl)" for at in range(52)]
    plain = {name: random.integers(0, 12, rows) for name in names}
    table = pa.table(known | plain | {"诊断": random.choice(["流感", "哮喘", "糖尿病"], rows)})
    return sf.anonymize(
        table, quasi_identifiers=list(known), sensitive="诊断", plain=names, k=5, l=2, method="mondrian", seed=1
    )
