"""A release made by an engine tells what one made in memory tells: strict Mondrian has the same classes in both."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.errors import CautionError, EngineError, VerificationError
from sfumato.loss import LossReport
from sfumato.run.large import bound as bounding
from sfumato.run.large import drawn_rows as drawing
from sfumato.run.large import recount as recounting
from sfumato.run.large.release import ShownInFiles

ROLES: dict[str, Any] = {
    "quasi_identifiers": ["age", "work", "pay"],
    "sensitive": "illness",
    "plain": ["ward", "card"],
    "identifiers": "name",
    "method": "mondrian",
    "missing": "suppress",
    "seed": 3,
    "k": 5,
}


@pytest.fixture(scope="module", autouse=True)
def small_parts() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sfumato.run.large.duckdb.engine.MOST_PART_ROWS", 2_000)
        patch.setattr("sfumato.run.large.duckdb.engine.BATCH_ROWS", 700)
        yield


@pytest.fixture(scope="module")
def path(table: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write people with a card that some of them share, and a ward that tells their age."""
    cards = pa.array([f"{row % 4_000}" for row in range(table.num_rows)])
    path = tmp_path_factory.mktemp("same") / "people.parquet"
    wards = table["age"].cast(pa.string())
    pq.write_table(table.append_column("card", cards).set_column(4, "ward", wards), path)
    return path


@pytest.fixture(scope="module")
def large(path: Path) -> sf.Release:
    return sf.anonymize(path, engine="duckdb", **ROLES)


@pytest.fixture(scope="module")
def small(path: Path) -> sf.Release:
    return sf.anonymize(path, engine="memory", **ROLES)


def test_guardrails_find_the_same_by_counts(large: sf.Release, small: sf.Release) -> None:
    assert large.manifest["parts"] >= 3
    found, expected = ({(one.code, one.columns): one for one in made.cautions} for made in (large, small))
    assert {code for code, _ in expected} >= {"unique-rows", "tells-hidden", "sensitive-unprotected"}
    assert {key: one.found for key, one in found.items()} == {key: one.found for key, one in expected.items()}
    assert large.manifest["kinds"] == small.manifest["kinds"]
    assert large.manifest["not_looked_at"] == ["several-rows-per-person", "repeated-rows"]
    assert "not looked at" in large.summary()
    assert "not_looked_at" not in small.manifest


def test_what_guardrails_say_of_drawn_rows_names_them(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "DRAWN", 3_000)
    monkeypatch.setattr("sfumato.run.large.guardrails.DRAWN", 3_000)
    release = sf.anonymize(path, engine="duckdb", **ROLES)
    [told] = [one.found for one in release.cautions if one.code == "tells-hidden" and "'age'" in one.found]
    assert "seen in 3,000 rows drawn at random" in told


def test_strict_releases_are_refused_by_what_guardrails_find_in_them(path: Path) -> None:
    with pytest.raises(CautionError, match="unique-rows: 5,"):
        sf.anonymize(path, engine="duckdb", strict=True, **ROLES)


def rounded(figures: Any) -> Any:
    """Return figures that agree to ten digits as equal: sums may be taken in another order."""
    if isinstance(figures, dict):
        return {name: rounded(one) for name, one in figures.items()}
    if isinstance(figures, list):
        return [rounded(one) for one in figures]
    return round(figures, 10) if isinstance(figures, float) else figures


def test_risk_is_that_of_memory(large: sf.Release, small: sf.Release) -> None:
    for one, other in ((large.risk.before, small.risk.before), (large.risk.after, small.risk.after)):
        assert rounded(one.to_dict()) == rounded(other.to_dict())
        assert [part.tolist() for part in one.class_sizes] == [part.tolist() for part in other.class_sizes]
        with pytest.raises(EngineError, match="of_record of a risk looks at single rows"):
            _ = one.of_record


def test_values_of_the_original_are_counted(large: sf.Release, small: sf.Release) -> None:
    for name, counts in small.originals.items():
        found = large.originals[name]
        assert found.values.equals(counts.values)
        assert found.counts.tolist() == counts.counts.tolist()
        assert found.suppressed.tolist() == counts.suppressed.tolist()


def test_a_small_table_has_the_bound_of_memory(large: sf.Release, small: sf.Release) -> None:
    assert float(large.bound) == pytest.approx(float(small.bound), abs=1e-9)
    assert large.bound.certified
    assert "no release can lose less" in large.summary()


def test_a_bound_from_drawn_rows_is_what_they_lose_among_all_rows(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "DRAWN", 400)
    monkeypatch.setattr(bounding, "LEAST_SAMPLE", 60)
    monkeypatch.setattr(bounding, "PAIRS", 0)
    seen: list[Any] = []
    least = bounding.least_losses_among

    def spied(kept: Any, table: Any, asking: Any, some: Any, k: int) -> Any:
        seen.extend([pa.Table.from_batches(kept.batches()), table, asking, least(kept, table, asking, some, k)])
        return seen[-1]

    monkeypatch.setattr(bounding, "least_losses_among", spied)
    release = sf.anonymize(path, engine="duckdb", **ROLES)
    assert (release.bound.confidence, release.bound.sampled) == (0.99, 60)
    assert 0 < release.bound <= release.loss.gcp
    kept, table, asking, found = seen
    codes = table.microdata(kept).codes.astype(np.int64)
    for row, loss in zip(asking.codes.astype(np.int64), found, strict=True):
        expected = np.sort(asking.penalties(np.minimum(codes, row), np.maximum(codes, row)))[ROLES["k"] - 1]
        assert loss == pytest.approx(expected, abs=1e-12)
    assert "with 99% confidence from 60 rows" in release.summary()


def test_reasons_are_those_of_memory(large: sf.Release, small: sf.Release) -> None:
    assert large.explain() == small.explain()
    assert [large.explain(row, "age") for row in (0, 4_000)] == [small.explain(row, "age") for row in (0, 4_000)]


def test_a_row_that_is_left_out_is_told_so(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [*range(20, 120), 9_000, *range(20, 120)]}), tmp_path / "ages.parquet")
    asked: dict[str, Any] = {"quasi_identifiers": "age", "k": 5, "suppression": 0.01, "method": "hilbert"}
    release = sf.anonymize(tmp_path / "ages.parquet", engine="duckdb", **asked)
    assert "Row 101 of the table is left out: up to 1.0% of the rows may be" in str(release.explain(100))
    assert "Row 102 of the table is in a class of" in str(release.explain(101))
    assert f"made {release.loss.classes:,} classes" in str(release.explain())


def test_reasons_of_levels_come_from_the_counts_of_all_rows(path: Path) -> None:
    levels = {"age": sf.Numeric(widths=(5, 20)), "work": None}
    asked = ROLES | {"quasi_identifiers": levels, "method": "lattice", "rest": "drop", "l": 2, "plain": ()}
    large, small = (sf.anonymize(path, engine=engine, **asked) for engine in ("duckdb", "memory"))
    assert large.explain() == small.explain()
    assert large.explain(11) == small.explain(11)


def test_other_wishes_are_run_by_the_engine(path: Path) -> None:
    large, small = (
        sf.anonymize(path, engine=engine, **ROLES | {"missing": "category"}) for engine in ("duckdb", "memory")
    )
    wishes: dict[str, Any] = {"k": 20, "without": ["pay"]}
    found, expected = (made.explain(column="age", **wishes).what_if for made in (large, small))
    assert [one.partition(" (")[0] for one in found] == [one.partition(" (")[0] for one in expected]
    assert "not possible" in large.explain(column="age", k=7_000).what_if[0]
    with pytest.raises(sf.SfumatoError, match="There is no such row"):
        large.explain(9_999)


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ({}, {"gcp", "dm", "c_avg"}),
        ({"method": "hilbert", "suppression": 0.05}, {"gcp"}),
        ({"intervals": "bounds"}, {"dm", "c_avg"}),
        ({"quasi_identifiers": {"age": sf.Numeric(widths=(5, 20)), "work": None, "pay": None}}, {"gcp"}),
    ],
    ids=["mondrian", "hilbert", "bounds", "levels"],
)
def test_losses_are_counted_once_more_from_the_files(
    path: Path, asked: dict[str, Any], read: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[set[str]] = []
    count = recounting.recount
    monkeypatch.setattr("sfumato.run.large.made.recount", lambda *given: found.append(set(count(*given))))
    release = sf.anonymize(path, engine="duckdb", **ROLES | asked)
    assert found[0] >= read - (set() if release.classes == release.loss.classes else {"dm", "c_avg"})


@pytest.mark.parametrize("name", ["gcp", "dm", "pay"])
def test_parts_that_tell_another_loss_are_not_believed(
    large: sf.Release, path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = large.loss
    by_attribute = dict(told.by_attribute) | ({"pay": told.by_attribute["pay"] + 1e-6} if name == "pay" else {})
    wrong = LossReport(
        dict(told) | ({} if name == "pay" else {name: told[name] * 1.000001}), by_attribute, told.classes
    )
    monkeypatch.setattr("sfumato.run.large.made.loss_of", lambda *_: wrong)
    with pytest.raises(VerificationError, match=f"Parts reported .* for .*{name}.*but the released rows say"):
        sf.anonymize(path, engine="duckdb", **ROLES)


def test_an_unnamed_column_that_numbers_the_rows_is_dropped(tmp_path: Path) -> None:
    rows = [f"{row},{20 + row % 40}" for row in range(400)]
    (tmp_path / "people.csv").write_text("\n".join(["Unnamed: 0,age", *rows]), encoding="utf-8")
    release = sf.anonymize(tmp_path / "people.csv", quasi_identifiers="age", k=5, engine="duckdb")
    assert release.data.columns == ["age"]
    assert [one.code for one in release.cautions] == ["row-numbers"]


def test_a_notebook_shows_some_rows_and_loads_no_others(large: sf.Release, monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(_: object) -> NoReturn:
        raise AssertionError("all rows were loaded")

    monkeypatch.setattr(ShownInFiles, "table", property(loaded))
    assert "illness" in large._repr_html_()
    with pytest.raises(EngineError, match="reads every cell of the release"):
        large.report("report.html")


def test_values_that_only_left_out_rows_have_are_no_change_of_the_table(tmp_path: Path) -> None:
    ages = [None, *range(20, 60)] * 5
    people = pa.table({"age": pa.array(ages, pa.int64()), "card": [f"card {row}" for row in range(len(ages))]})
    pq.write_table(people, tmp_path / "people.parquet")
    asked = {"quasi_identifiers": "age", "plain": "card", "confirm": "card", "k": 5, "missing": "suppress"}
    assert sf.anonymize(tmp_path / "people.parquet", engine="duckdb", **asked).suppressed == 5
