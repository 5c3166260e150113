"""The bound of a release of people with several rows: no release of what was asked for loses less, by any method."""

from __future__ import annotations

import random

import pyarrow as pa

import sfumato as sf
from sfumato.errors import InfeasibleError

DISEASES = ("flu", "acne", "gout")


def visits(seed: int) -> pa.Table:
    """People with one or many visits, most of them for one disease each."""
    made = random.Random(seed)
    rows = []
    for person in range(made.choice([6, 10, 20])):
        age, city = made.randrange(6), made.choice("abcd")
        for _ in range(made.choice([1, 1, 2, 6])):
            illness = made.choice(DISEASES) if made.random() < 0.3 else DISEASES[person % 3]
            rows.append({"who": f"p{person}", "age": age, "city": city, "illness": illness})
    return pa.Table.from_pylist(rows)


def released(table: pa.Table, method: str) -> sf.Release | None:
    try:
        return sf.anonymize(
            table,
            quasi_identifiers={"age": sf.Numeric(), "city": sf.Categorical()},
            sensitive="illness",
            person="who",
            k=2,
            l=2,
            seed=1,
            method=method,
        )
    except InfeasibleError:
        return None


def test_no_release_loses_less_than_the_bound_of_another() -> None:
    compared = 0
    for seed in range(270, 300):
        table = visits(seed)
        made = [one for method in ("mondrian", "hilbert", "auto") if (one := released(table, method)) is not None]
        least = min((one.loss.gcp for one in made), default=1.0)
        assert all(one.bound <= least + 1e-9 for one in made), seed
        compared += len(made) > 1 and max(one.bound for one in made) > 0
    assert compared > 5
