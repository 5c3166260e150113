"""Explanations tell what counting says, and a minimum width holds for what is shown."""

from __future__ import annotations

import datetime as dt
import re

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.methods.lattice.answers import Alternatives
from sfumato.privacy import KAnonymity, MinimumSpan


def orders(rows: int = 300) -> pa.Table:
    random = np.random.default_rng(5)
    return pa.table(
        {
            "age": random.integers(18, 60, rows),
            "zip": random.choice(["53715", "53710", "53706", "53703", "60601"], rows),
            "day": [dt.date(2024, 1, 1) + dt.timedelta(days=int(day)) for day in random.integers(0, 700, rows)],
        }
    )


SCHEMA = sf.Schema(
    {"age": sf.Numeric(widths=(5, 10, 20)), "zip": sf.Prefix(), "day": sf.Dates(levels=("month", "year"))}
)


def test_every_sentence_about_suppression_is_true() -> None:
    table = orders()
    release = sf.anonymize(table, SCHEMA, k=4, suppression=0.05, method="lattice")
    finer = re.findall(r"^  (\w+) one level finer .* leave out ([\d.]+)%", str(release.explanation), re.MULTILINE)
    assert finer
    for name, share in finer:
        levels = release.levels | {name: release.levels[name] - 1}
        recoded = sf.recode(table, SCHEMA, levels=levels, k=4, suppression=1.0)
        assert f"{recoded.suppressed / len(table):.1%}" == f"{share}%"
        assert recoded.suppressed > 0.05 * len(table)


def test_a_trade_names_an_answer() -> None:
    release = sf.anonymize(orders(), SCHEMA, k=4, suppression=0.05, method="lattice")
    trades = re.findall(r"Releasing (\w+) one level higher .* lets (\w+)", str(release.explanation))
    assert trades
    answers = release.alternatives.select(list(SCHEMA.quasi_identifiers)).to_pylist()
    for raised, lowered in trades:
        assert any(
            node[raised] == release.levels[raised] + 1 and node[lowered] < release.levels[lowered] for node in answers
        )


def test_a_minimum_span_is_kept_by_what_is_shown() -> None:
    models = [KAnonymity(2), MinimumSpan("day", 20), MinimumSpan("age", 5)]
    release = sf.anonymize(orders(), SCHEMA, privacy=models, method="lattice")
    assert release.verify().ok
    assert release.levels["day"] == 2


def test_many_alternatives_are_measured_as_few_are() -> None:
    schema = sf.Schema({"age": sf.Numeric(widths=(2, 4, 8, 16, 32)), "zip": sf.Prefix(), "day": sf.Dates()})
    release = sf.anonymize(orders(), schema, k=2, suppression=1.0, method="lattice")
    alternatives = release.details["alternatives"]
    assert isinstance(alternatives, Alternatives)
    assert len(alternatives) == 7 * 6 * 6 > 0
    walked, swept = alternatives._walked(), alternatives._swept()
    for name, column in walked.items():
        assert np.allclose(column, swept[name], equal_nan=True), name
