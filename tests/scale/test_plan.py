"""The plan on DuckDB: the same promises as in memory, and nearly the same loss."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import CautionError, InfeasibleError, ParameterError

pytestmark = pytest.mark.usefixtures("small_parts")

ROLES: dict[str, Any] = {
    "quasi_identifiers": ["age", "work", "pay"],
    "sensitive": "illness",
    "plain": "ward",
    "identifiers": "name",
    "method": "hilbert",
    "seed": 3,
}


def rows_of(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(
        zip(*(column.to_pylist() for column in table.select(sorted(table.column_names)).columns), strict=True)
    )


def in_both(file: Path, **asked: Any) -> tuple[sf.Release, sf.Release]:
    given = ROLES | asked
    return sf.anonymize(file, engine="duckdb", **given), sf.anonymize(file, engine="memory", **given)


MODELS: Mapping[str, dict[str, Any]] = {
    "k": {"k": 5},
    "l": {"k": 5, "l": 3},
    "distinct": {"privacy": [sf.KAnonymity(5), sf.LDiversity(4, kind="distinct")]},
    "t": {"k": 5, "t": 0.35},
    "span": {"privacy": [sf.KAnonymity(5), sf.MinimumSpan("age", 5)]},
    "refined": {"k": 5, "refine": True},
}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_holds_and_little_more_is_lost(file: Path, name: str) -> None:
    large, small = in_both(file, **MODELS[name])
    assert large.verification.ok
    assert large.manifest["parts"] >= 3
    assert large.verify().ok
    assert rows_of(large.table.select(["illness", "ward"])) == rows_of(small.table.select(["illness", "ward"]))
    # Two thousand rows are a short line, and borders matter more on it than on one of millions.
    assert large.loss.gcp <= 1.1 * small.loss.gcp


def test_the_same_seed_gives_the_same_rows_in_the_same_order(file: Path) -> None:
    first, second = (sf.anonymize(file, engine="duckdb", **ROLES, k=5) for _ in range(2))
    assert first.table.equals(second.table)
    other = sf.anonymize(file, engine="duckdb", **ROLES | {"seed": 4}, k=5)
    assert not first.table.equals(other.table)
    assert first.manifest["input"]["content_hash"] == second.manifest["input"]["content_hash"]


def test_the_input_stays_as_it_is_and_nothing_is_left(file: Path, tmp_path: Path) -> None:
    before = file.read_bytes()
    release = sf.anonymize(file, engine="duckdb", temporary=tmp_path, **ROLES, k=5)
    assert file.read_bytes() == before
    [folder] = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o077 == 0
    del release
    assert not list(tmp_path.iterdir())


def test_data_is_opened_when_it_is_asked_for(file: Path, table: pa.Table) -> None:
    release = sf.anonymize(file, engine="duckdb", **ROLES, k=5)
    assert release.data.aggregate("count(*) AS n").fetchall() == [(table.num_rows,)]
    assert "name" not in release.data.columns


def test_missing_values_can_be_left_out(file: Path) -> None:
    large, small = in_both(file, k=5, missing="suppress")
    assert large.suppressed == small.suppressed > 0
    assert large.verification.rows == small.verification.rows


@pytest.mark.parametrize("method", ["enum-multi", "best-cuts", "idistance", "peeling"])
def test_what_needs_all_rows_is_refused_before_anything_is_read(method: str) -> None:
    with pytest.raises(ParameterError, match=r"looks at all rows at once.*'hilbert'"):
        sf.anonymize("nowhere.parquet", quasi_identifiers="age", k=2, engine="duckdb", method=method)


def test_what_no_class_can_keep_is_refused_with_what_would_work(file: Path) -> None:
    with pytest.raises(InfeasibleError, match="The largest l that works is"):
        sf.anonymize(file, engine="duckdb", **ROLES, l=12)


def test_a_plain_column_as_good_as_a_name_is_refused(file: Path) -> None:
    roles = ROLES | {"identifiers": (), "plain": ["ward", "name"]}
    with pytest.raises(CautionError, match="name"):
        sf.anonymize(file, engine="duckdb", **roles, k=5)
    release = sf.anonymize(file, engine="duckdb", **roles, k=5, confirm="name")
    assert release.verification.ok


def test_one_key_with_nearly_all_rows(tmp_path: Path) -> None:
    ages = [30] * 5_400 + list(range(600))
    path = tmp_path / "skewed.parquet"
    pq.write_table(pa.table({"age": ages, "city": ["Rome"] * 3_000 + ["Siena"] * 3_000}), path)
    release = sf.anonymize(path, quasi_identifiers=["age", "city"], k=7, engine="duckdb", method="hilbert")
    assert release.verification.ok
    assert release.verification.rows == 6_000


def test_a_table_without_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.parquet"
    pq.write_table(pa.table({"age": pa.array([], pa.int32())}), path)
    with pytest.raises(sf.SfumatoError, match="no rows"):
        sf.anonymize(path, quasi_identifiers="age", k=2, engine="duckdb", method="hilbert")
