"""Shifted dates and pseudonyms of random tables; releases inside databases. See `columns` and `in_database` here."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
from tests import postgres
from tests.fuzz import columns, in_database
from tests.fuzz.duration import rounds
from tests.fuzz.search import Finding

import sfumato as sf


def test_shifts_and_pseudonyms_keep_to_the_calendar() -> None:
    counts = Counter(columns.attempt(rng.randrange(2**40)) for rng in rounds(0.5))
    assert counts["released"] >= 1


def test_releases_in_duckdb_keep_their_promises(tmp_path: Path) -> None:
    counts = Counter(in_database.attempt(rng.randrange(2**40), tmp_path) for rng in rounds(0.5))
    assert counts.total() >= 1


def test_releases_in_postgresql_keep_their_promises(tmp_path: Path) -> None:
    try:
        with postgres.started() as server:
            for rng in rounds(0.3):
                in_database.attempt(rng.randrange(2**40), tmp_path, server)
    except postgres.NoServerError as reason:
        pytest.skip(str(reason))


DAYS = [dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 5)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (DAYS[0], DAYS[0]),
        (DAYS[0], DAYS[1]),
        (DAYS[0], DAYS[0] + dt.timedelta(days=1, hours=1)),
        (dt.datetime(9999, 12, 31), dt.datetime(9999, 12, 30)),
        (None, DAYS[0]),
        (DAYS[0], None),
    ],
)
def test_the_judge_sees_a_wrong_shift(old: dt.datetime | None, new: dt.datetime | None) -> None:
    with pytest.raises(Finding):
        columns._shift(old, new, sf.Shift(3), pa.timestamp("us"))


def test_the_judge_sees_a_false_class_in_a_database() -> None:
    cells = {name: in_database.Column("category", "VARCHAR", ["a", "A"]) for name in ("q", "s")}
    for rows in ([{"q": "a", "s": "a"}, {"q": "A", "s": "A"}], [{"q": "*", "s": "a"}, {"q": "*", "s": "a"}], []):
        with pytest.raises(Finding):
            in_database.judge(cells, ["q"], [{"model": "k", "k": 2}], rows, 0, 0.0)
