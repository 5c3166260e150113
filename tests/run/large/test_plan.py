"""The plan on DuckDB: the same promises as in memory, and nearly the same loss."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.csv as csv
import pyarrow.parquet as pq
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.errors import CautionError, InfeasibleError, OutputError, ParameterError, VerificationError
from sfumato.hierarchies import Quantiles
from sfumato.io import write_table
from sfumato.io.write import write_stream
from sfumato.loss import Bound
from sfumato.privacy.whole_release import AverageRisk
from sfumato.run import where
from sfumato.run.large import made, plan
from sfumato.run.large.duckdb import engine as in_duckdb
from sfumato.run.large.duckdb.engine import InDuckDB
from sfumato.run.large.release import ShownInFiles
from sfumato.run.large.suppression import Curve, spent

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


def test_a_relation_keeps_the_files_of_a_release_that_is_gone(file: Path, tmp_path: Path) -> None:
    data = sf.anonymize(file, engine="duckdb", **ROLES, k=5, temporary=tmp_path).data
    some = data.limit(7)
    del data
    assert len(some.fetchall()) == 7
    del some
    assert not list(tmp_path.iterdir())


def test_a_part_of_which_all_rows_are_left_out(tmp_path: Path) -> None:
    """Levels are chosen for all rows; those of one part may all be too few for a class."""
    ages = [*range(0, 5_000, 50), *([9_000] * 6_000)]
    pq.write_table(pa.table({"age": ages, "pay": [age % 7 for age in ages]}), tmp_path / "people.parquet")
    asked: dict[str, Any] = {
        "quasi_identifiers": ["age", "pay"],
        "k": 50,
        "suppression": 0.05,
        "levels": {"age": 0, "pay": 0},
    }
    large, small = (sf.recode(tmp_path / "people.parquet", engine=one, **asked) for one in ("duckdb", "memory"))
    assert large.manifest["parts"] > 1
    assert rows_of(large.table) == rows_of(small.table)


def test_data_is_opened_when_it_is_asked_for(file: Path, table: pa.Table) -> None:
    release = sf.anonymize(file, engine="duckdb", **ROLES, k=5)
    assert release.data.aggregate("count(*) AS n").fetchall() == [(table.num_rows,)]
    assert "name" not in release.data.columns
    classes = release.class_table().to_arrow_table()
    assert sum(classes["size"].to_pylist()) == table.num_rows
    assert len(classes) == release.classes


def test_a_full_disk_is_told_before_anything_is_kept(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "COPIES", 1 << 60)
    with pytest.raises(OutputError, match="Temporary files will take"):
        sf.anonymize(file, engine="duckdb", **ROLES, k=5)


def test_missing_values_can_be_left_out(file: Path) -> None:
    large, small = in_both(file, k=5, missing="suppress")
    assert large.suppressed == small.suppressed > 0
    assert large.verification.rows == small.verification.rows


REFUSED: Mapping[str, tuple[dict[str, Any], str]] = {
    "enum-multi": ({"method": "enum-multi"}, r"looks at all rows at once.*'hilbert'"),
    "best-cuts": ({"method": "best-cuts"}, r"looks at all rows at once.*'mondrian'"),
    "idistance": ({"method": "idistance"}, r"looks at all rows at once.*'lattice'"),
    "cost-aware": ({"method": "cost-aware"}, "looks at all rows at once"),
    "peeling": ({"method": "peeling"}, "looks at all rows at once"),
    "relaxed": ({"method": sf.methods.Mondrian(relaxed=True)}, "looks at all rows at once"),
    "seconds": ({"refine": 5.0}, "looks at all rows at once"),
    "span": ({"method": "mondrian", "privacy": [sf.MinimumSpan("age", 5)]}, "Take hilbert"),
    "means": ({"method": "lattice", "intervals": "mean"}, "Ask for intervals='midpoint'"),
    "transform": ({"transform": {"age": sf.Numeric(widths=[5])}}, "Engines do not support 'transform'. Apply it"),
    "pseudonymize": ({"identifiers": "name", "pseudonymize": "name"}, "Engines do not support 'pseudonymize'"),
    "sample": ({"sample": 0.5}, "Engines do not support 'sample'"),
    "preset": ({"preset": "wp216"}, "Engines do not support 'preset'"),
    "order": ({"keep_order": True}, "Engines do not support 'keep_order'"),
    "person": ({"person": "name"}, "neither people with several rows"),
    "weights": ({"weights": "weight"}, "nor weights of a survey"),
    "whole": ({"privacy": [sf.KAnonymity(2), AverageRisk(0.1)]}, "about the release as a whole"),
    "learned": ({"quasi_identifiers": {"age": Quantiles(4)}}, "is learned from rows. Learn it from a sample"),
}


@pytest.mark.parametrize("refused", REFUSED)
@pytest.mark.parametrize("engine", ["duckdb", "spark://nowhere:7077"])
def test_what_no_engine_can_do_is_refused_before_anything_is_read(refused: str, engine: str) -> None:
    asked, says = REFUSED[refused]
    for make in (sf.anonymize, partial(sf.strongest, max_gcp=0.5)):
        with pytest.raises(ParameterError, match=f"{says}.*engine='memory'"):
            make("nowhere.parquet", **{"quasi_identifiers": "age", "k": 2, "engine": engine} | asked)


@pytest.mark.parametrize("option", ["--report", "--certificate"])
def test_pages_about_a_release_are_refused_before_it_is_made(file: Path, tmp_path: Path, option: str) -> None:
    roles = ("--qi", "age", "--rest", "drop", "-k", 5, "--engine", "duckdb", "-o", tmp_path / "release.parquet")
    done = run("anonymize", file, *roles, option, tmp_path / ("page.html" if option == "--report" else "page.json"))
    assert done.code == 2
    assert f"{option} looks at all rows of the release together" in done.stderr
    assert not list(tmp_path.iterdir())


def test_parts_are_no_longer_than_fits_and_no_shorter_than_files_allow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_duckdb, "MOST_PART_ROWS", 8_000_000)
    for memory, rows, expected in (
        (64 << 30, 10_000_000, in_duckdb.GOOD_PART_ROWS),
        (64 << 30, 1_000_000_000, 1_000_000_000 // in_duckdb.MANY_PARTS),
        (64 << 30, 10_000_000_000, 8_000_000),
        (64 << 20, 10_000_000, in_duckdb.LEAST_PART_ROWS),
    ):
        with closing(InDuckDB(memory)) as engine:
            assert engine.rows_per_part(rows) == expected


def test_an_engine_that_writes_is_left_alone(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else two threads may change the filters of warnings at once, PySpark's and Numba's."""
    threads = []
    found = made.bound_of

    def noting(*table: Any) -> Bound:
        threads.append(current_thread())
        return found(*table)

    monkeypatch.setattr(made, "bound_of", noting)
    roles = ("--qi", "age", "--rest", "drop", "-k", 5, "--engine", "duckdb", "-o", tmp_path / "release.parquet")
    done = run("anonymize", file, *roles)
    assert done.code == 0, done.stderr
    assert threads == [main_thread()]


def test_what_no_class_can_keep_is_refused_with_what_would_work(file: Path) -> None:
    with pytest.raises(InfeasibleError, match="The largest l that works is"):
        sf.anonymize(file, engine="duckdb", **ROLES, l=12)


def test_a_plain_column_as_good_as_a_name_is_refused(file: Path) -> None:
    roles = ROLES | {"identifiers": (), "plain": ["ward", "name"]}
    with pytest.raises(CautionError, match="name"):
        sf.anonymize(file, engine="duckdb", **roles, k=5)
    release = sf.anonymize(file, engine="duckdb", **roles, k=5, confirm="name")
    assert release.verification.ok


def test_a_sensitive_column_as_good_as_a_name_is_refused(file: Path) -> None:
    roles = ROLES | {"identifiers": "illness", "sensitive": "name"}
    with pytest.raises(CautionError, match="near-unique"):
        sf.anonymize(file, engine="duckdb", **roles, k=5)


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


def test_the_command_line_writes_folders_and_finds_before_the_work_that_it_cannot(file: Path, tmp_path: Path) -> None:
    roles = ("--qi", "age", "--rest", "drop", "-k", 5, "--quiet")
    out = tmp_path / "release"
    assert run("anonymize", file, *roles, "-o", out, "--engine", "duckdb").code == 0
    assert sf.check(out, quasi_identifiers="age", k=5).rows == 6_000
    assert "exists already" in run("anonymize", file, *roles, "-o", out, "--engine", "duckdb").stderr
    assert "does not say in which format" in run("anonymize", file, *roles, "-o", tmp_path / "other").stderr
    named = tmp_path / "named"
    assert run("anonymize", file, *roles, "-o", named, "--to", "parquet", "--engine", "duckdb").code == 0
    assert pq.read_metadata(named).num_rows == 6_000
    for target in ("release.csv", "-"):
        done = run("anonymize", file, *roles, "-o", target, "--engine", "local[1]")
        assert (done.code, "A cluster writes a folder of Parquet files" in done.stderr) == (2, True)


def test_what_is_read_as_a_part_is_never_written_over(file: Path, tmp_path: Path) -> None:
    for at in range(2):
        (tmp_path / f"part-{at}.parquet").write_bytes(file.read_bytes())
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    roles = ("--qi", "age", "--rest", "drop", "-k", 5, "--quiet", "--engine", "duckdb")
    done = run("anonymize", tmp_path / "part-*.parquet", *roles, "-o", tmp_path / "part-1.parquet")
    assert (done.code, "are the same file" in done.stderr) == (2, True)
    done = run("anonymize", tmp_path, *roles, "-o", tmp_path / "release.parquet")
    assert (done.code, "Name an output elsewhere" in done.stderr) == (2, True)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


HIERARCHIES = {"age": sf.Numeric(widths=(5, 10, 20)), "work": None, "pay": sf.Numeric(widths=(500, 1_000, 5_000))}
FULL_DOMAIN: Mapping[str, dict[str, Any]] = {
    "lattice": {"k": 20},
    "incognito": {"k": 20, "suppression": 0.05},
    "datafly": {"k": 20, "l": 2, "suppression": 0.1},
    "samarati": {"k": 20, "t": 0.6, "suppression": 0.1},
}


@pytest.mark.parametrize("method", FULL_DOMAIN)
def test_full_domain_methods_give_the_identical_answer(file: Path, method: str) -> None:
    large, small = in_both(file, quasi_identifiers=HIERARCHIES, method=method, **FULL_DOMAIN[method])
    assert large.levels == small.levels
    assert large.suppressed == small.suppressed
    assert rows_of(large.table) == rows_of(small.table)
    assert dict(large.loss) == pytest.approx(dict(small.loss))


def test_given_levels_are_applied(file: Path) -> None:
    roles = {name: value for name, value in ROLES.items() if name != "method"} | {"quasi_identifiers": HIERARCHIES}
    asked: dict[str, Any] = roles | {"levels": {"age": 3, "work": 1, "pay": 3}, "k": 5, "suppression": 0.01}
    large, small = (sf.recode(file, engine=engine, **asked) for engine in ("duckdb", "memory"))
    assert rows_of(large.table) == rows_of(small.table)


@pytest.mark.parametrize("asked", [{"k": 5}, {"k": 5, "l": 3}, {"k": 5, "t": 0.5}], ids=str)
@pytest.mark.parametrize("categories", ["ordered", "taxonomy"])
def test_strict_mondrian_makes_the_identical_classes(file: Path, asked: dict[str, Any], categories: str) -> None:
    large, small = in_both(file, method=sf.methods.Mondrian(categories=categories), **asked)
    assert large.manifest["parts"] >= 3
    assert rows_of(large.table) == rows_of(small.table)
    assert large.loss.classes == small.loss.classes
    assert dict(large.loss) == pytest.approx(dict(small.loss))


def test_suppression_is_spent_within_its_budget(file: Path) -> None:
    large, small = in_both(file, k=10, suppression=0.05)
    plain, _ = in_both(file, k=10)
    assert 0 < large.suppressed <= 300
    assert large.loss.gcp < plain.loss.gcp
    assert large.loss.gcp <= 1.1 * small.loss.gcp


def test_suppression_goes_where_it_saves_most() -> None:
    curves = [Curve(0, [0.0] * 7), Curve(1, [80.0, 60.0, 40.0, 20.0, 10.0, 5.0, 0.0])]
    assert spent(40, [1_000, 1_000], curves) == [0, 40]
    assert sum(spent(100, [1_000, 1_000], curves)) == 100
    assert spent(100, [1_000, 1_000], curves)[1] > 80


@pytest.mark.parametrize("name", ["release.parquet", "release", "release.csv"])
def test_a_release_is_written_and_checked_as_one_file_or_many(file: Path, tmp_path: Path, name: str) -> None:
    release = sf.anonymize(file, engine="duckdb", **ROLES, k=5)
    told: list[str] = []
    found = release.write(tmp_path / name, tmp_path / "manifest.json", progress=lambda stage, _: told.append(stage))
    assert found.ok
    assert told
    back = sf.check(tmp_path / name, quasi_identifiers=ROLES["quasi_identifiers"], k=5)
    assert (back.ok, back.rows) == (True, release.verification.rows)
    if name != "release.csv":
        assert rows_of(pq.read_table(tmp_path / name)) == rows_of(release.table)
    if name == "release":
        sizes = [pq.read_metadata(part).num_rows for part in (tmp_path / name).iterdir()]
        assert max(sizes) < 1.3 * min(sizes)
        with pytest.raises(sf.SfumatoError, match="exists already"):
            release.write(tmp_path / name)


@pytest.mark.parametrize("name", ["release.csv", "release.tsv"])
def test_text_is_streamed_and_is_what_all_rows_at_once_would_be(
    file: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = sf.anonymize(file, engine="duckdb", **ROLES, k=5)
    write_table(release.table, tmp_path / f"at-once-{name}")

    def loaded(_: object) -> NoReturn:
        raise AssertionError("all rows were loaded")

    monkeypatch.setattr(ShownInFiles, "table", property(loaded))
    assert release.write(tmp_path / name).ok
    assert (tmp_path / name).read_bytes() == (tmp_path / f"at-once-{name}").read_bytes()


@pytest.mark.parametrize("name", ["release.csv", "release.parquet"])
def test_a_full_disk_leaves_nothing(file: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object, path: Path, form: str) -> NoReturn:
        path.write_text(f"half a {form}", encoding="utf-8")
        raise OSError(errno.ENOSPC, "No space left on device")

    release = sf.anonymize(file, engine="duckdb", **ROLES, k=5)
    monkeypatch.setattr("sfumato.run.large.release.write_stream", full)
    (tmp_path / "out").mkdir()
    with pytest.raises(OutputError, match="disk is full"):
        release.write(tmp_path / "out" / name)
    assert not list((tmp_path / "out").iterdir())


def test_what_is_written_is_held_against_what_was_checked(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = sf.anonymize(file, engine="duckdb", **ROLES, k=5)

    def another(tables: Iterable[pa.Table], path: Path, form: str) -> None:
        write_stream((table.slice(at == 1) for at, table in enumerate(tables)), path, form)

    with monkeypatch.context() as patched:
        patched.setattr("sfumato.run.large.release.write_stream", another)
        with pytest.raises(VerificationError, match="not written as they were checked"):
            release.write(tmp_path / "release.parquet")
    assert isinstance(release.shown, ShownInFiles)
    pq.write_table(pq.read_table(release.shown.files[0]), release.shown.files[0])
    for name in ("release.parquet", "release"):
        with pytest.raises(VerificationError, match="differ from those that were checked"):
            release.write(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_progress_tells_rows_memory_and_disk(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_duckdb, "PACE", 0.0)
    told: list[str] = []
    sf.anonymize(file, engine="duckdb", **ROLES, k=5, progress=lambda stage, _: told.append(stage))
    assert any(stage.startswith("encoding 6,000 rows, ") and "memory" in stage for stage in told)
    assert any(stage.startswith("recoding") and "disk" in stage and "left" in stage for stage in told)


def test_text_files_go_the_same_way(table: pa.Table, tmp_path: Path) -> None:
    csv.write_csv(table, tmp_path / "people.csv")
    large, small = in_both(tmp_path / "people.csv", k=5)
    assert large.verification.rows == small.verification.rows == table.num_rows


def test_auto_takes_an_engine_where_memory_is_not_enough(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "parts" not in sf.anonymize(file, **ROLES, k=5, memory="8GB").manifest
    monkeypatch.setattr(where, "memory_to_anonymize", lambda source, columns: 9 * 10**9)
    assert "parts" in sf.anonymize(file, **ROLES, k=5, memory="8GB").manifest
    with pytest.raises(ParameterError, match="looks at all rows at once"):
        sf.anonymize(file, **ROLES | {"method": "peeling"}, k=5, memory="8GB")


def test_the_strongest_k_is_found_by_an_engine(file: Path) -> None:
    large, small = (sf.strongest(file, engine=engine, **ROLES, k=5, max_gcp=0.2) for engine in ("duckdb", "memory"))
    assert abs(large.value - small.value) <= 2
    assert large.release.loss.gcp <= 0.2
