"""Verification by groups that an engine counts, against the verifier of tables in memory."""

from __future__ import annotations

import gzip
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.verify.test_properties import ILLNESSES, NUMBERS, TREE

from sfumato.errors import OutputError, SchemaError, SourceError, VerificationError
from sfumato.verify import engine_groups as groups
from sfumato.verify.check_file import check_file
from sfumato.verify.engine_check import verify_grouped
from sfumato.verify.engine_groups import Grouped, Keys
from sfumato.verify.grouped_files import TABLE, DuckFiles, check_files
from sfumato.verify.release import PARAMETERS, verify_release
from sfumato.verify.verification import RuleCheck, Verification

MEMORY = 1 << 28

T = TypeVar("T")

SHOWN = st.sampled_from(["[1, 2]", "[1, 9]", "*", "5", None])
PAY = st.sampled_from(["1", "1.0", "30", "7", None])

#: Who lives there, for the models about a population.
POPULATION = pa.table({"text": ["1", "2", "2", "5", "8", "9"] * 2, "number": ["0", "1.5"] * 6})
ABOUT_PEOPLE = {"population": POPULATION}

RULES: list[dict[str, Any]] = [
    {"model": "k-anonymity", "k": 3},
    *({"model": "l-diversity", "l": 2, "kind": kind} for kind in ("frequency", "distinct", "entropy")),
    {"model": "l-diversity", "l": 2, "kind": "recursive", "c": 1.5, "column": "illness"},
    {"model": "t-closeness", "t": 0.3, "column": "pay"},
    {"model": "t-closeness", "t": 0.3, "distance": "ordered"},
    {"model": "t-closeness", "t": 0.3, "distance": "numeric", "column": "pay"},
    {"model": "t-closeness", "t": 0.3, "distance": "hierarchical", "taxonomy": TREE, "column": "illness"},
    *({"model": "beta-likeness", "beta": 0.8, "kind": kind} for kind in ("basic", "enhanced")),
    {"model": "delta-disclosure", "delta": 1.0},
    {"model": "average-risk", "limit": 0.4},
    {"model": "unique-share", "limit": 0.2},
    {"model": "k-map", "k": 4, **ABOUT_PEOPLE},
    {"model": "delta-presence", "low": 0.0, "high": 0.5, **ABOUT_PEOPLE},
    {"model": "marketer-risk", "limit": 0.3, **ABOUT_PEOPLE},
    {"model": "population-uniques", "limit": 0.1, **ABOUT_PEOPLE},
    {"model": "population-uniques", "limit": 0.1, "population": 0.2},
    {"model": "minimum-span", "column": "text", "width": 3},
    {"model": "differential-privacy", "epsilon": 1.0, "delta": 0.3, "for_levels": 0.0, "beta": 0.6},
]


class SmallBatches(DuckFiles):
    """Three entries at a time, so that classes go on from one batch to the next."""

    def query(self, sql: str) -> Iterator[pa.RecordBatch]:
        for batch in super().query(sql):
            for at in range(0, batch.num_rows, 3):
                yield batch.slice(at, 3)


class Elsewhere(SmallBatches):
    """Rows in several places: who counts and looks there is sent, and so is what was seen; one place has nothing."""

    def looked_at(
        self, keys: Keys, column: Grouped | None, look: Callable[[Iterable[pa.RecordBatch]], T]
    ) -> Iterator[T]:
        count = pickle.loads(pickle.dumps(groups.CountClasses(keys, column)))
        entries = pa.Table.from_batches([count(batch) for batch in self.query(f"FROM {TABLE}")], count.schema)
        entries = entries.sort_by([(name, "ascending") for name in count.schema.names[:-1]])
        places = sum(entries.column(name).to_numpy() for name in keys.names) % 4
        for place in range(5):
            here = entries.filter(pa.array(places == place)) if entries.num_rows else entries
            seen = pickle.loads(pickle.dumps(look))(here.to_batches(max_chunksize=3))
            yield pickle.loads(pickle.dumps(seen))


def grouped(
    table: pa.Table, *asked: Any, parts: int = 2, kind: type[DuckFiles] = SmallBatches, **more: Any
) -> Verification:
    with tempfile.TemporaryDirectory() as folder:
        step = -(-max(1, table.num_rows) // parts)
        paths = [Path(folder) / f"part-{part}.parquet" for part in range(parts)]
        for part, path in enumerate(paths):
            pq.write_table(table.slice(part * step, step), path)
        engine = kind(paths, table.column_names, Path(folder), MEMORY)
        try:
            return verify_grouped(engine, *asked, **more)
        finally:
            engine.close()


def assert_same(one: Verification, other: Verification) -> None:
    """Compare all but the order of equally bad classes, and sums to the last digits."""
    assert (one.rows, one.classes, one.k) == (other.rows, other.classes, other.k)
    assert one.achieved.sensitive.keys() == other.achieved.sensitive.keys()
    for name, achieved in one.achieved.sensitive.items():
        expected = other.achieved.sensitive[name]
        assert achieved.distance == expected.distance
        assert achieved.recursive_c == pytest.approx(expected.recursive_c)
        for kind in ("distinct_l", "entropy_l", "frequency_l", "t"):
            assert getattr(achieved, kind) == pytest.approx(getattr(expected, kind)), kind
    assert len(one.checks) == len(other.checks)
    for check, wanted in zip(one.checks, other.checks, strict=True):
        assert (check.rule, check.column, check.asked, check.measures, check.breaking) == (
            wanted.rule,
            wanted.column,
            wanted.asked,
            wanted.measures,
            wanted.breaking,
        )
        assert check.found == pytest.approx(wanted.found), check.rule
        assert len(check.sample) == len(wanted.sample)
        if check.breaking <= len(check.sample):
            assert named(check) == pytest.approx(named(wanted)), check.rule


def named(check: RuleCheck) -> dict[str, float]:
    """Return what the classes that break a rule have; the two zeros are one."""
    shown = [
        [value + 0.0 if isinstance(value, float) else value for value in one.values.values()] for one in check.sample
    ]
    return {f"{values}, {one.size} rows": one.found for values, one in zip(shown, check.sample, strict=True)}


@settings(max_examples=examples(10))
@given(st.lists(st.tuples(SHOWN, NUMBERS, ILLNESSES, PAY), min_size=1, max_size=24))
def test_every_model_is_judged_as_in_memory(rows: list[tuple[Any, ...]]) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)]
    kinds = [pa.string(), pa.float64(), pa.string(), pa.string()]
    arrays = [pa.array(column, kind, from_pandas=False) for column, kind in zip(columns, kinds, strict=True)]
    table = pa.table(arrays, names=["text", "number", "illness", "pay"])
    as_text = table.set_column(1, "number", pa.array([None if x is None else "*" for x in columns[1]]))
    for one in (table, as_text):
        # People of a population are compared with texts.
        rules = [rule for rule in RULES if one is as_text or not isinstance(rule.get("population"), pa.Table)]
        asked = (["text", "number"], ["illness", "pay"], rules)
        expected = verify_release(one, *asked)
        for kind in (SmallBatches, Elsewhere):
            assert_same(grouped(one, *asked, kind=kind), expected)


def test_every_model_of_the_verifier_is_among_them() -> None:
    assert {rule["model"] for rule in RULES} == set(PARAMETERS)


@settings(max_examples=examples(8))
@given(st.lists(st.lists(st.integers(0, 9), min_size=12, max_size=12), min_size=1, max_size=12))
def test_keys_that_outgrow_a_word_are_still_told_apart(rows: list[list[int]]) -> None:
    names = [f"q{at}" for at in range(12)]
    table = pa.table([pa.array(column) for column in zip(*rows, strict=True)], names=names)
    limit, groups.KEY_LIMIT = groups.KEY_LIMIT, 500  # a word holds two columns or three
    try:
        found = grouped(table, names, [], [{"model": "k-anonymity", "k": 2}])
    finally:
        groups.KEY_LIMIT = limit
    assert_same(found, verify_release(table, names, [], [{"model": "k-anonymity", "k": 2}]))


def test_a_table_without_rows_is_not_verified() -> None:
    table = pa.table({"text": pa.array([], pa.string()), "illness": pa.array([], pa.string())})
    rules = [rule for rule in RULES if rule.get("column") in {None, "illness"} and "population" not in rule]
    found = grouped(table, ["text"], ["illness"], rules)
    assert not found.ok
    assert_same(found, verify_release(table, ["text"], ["illness"], rules))


def test_rows_that_no_class_has_are_a_fault(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": ["a", "b"]}), tmp_path / "r.parquet")

    class Forgetful(DuckFiles):
        def load(self, name: str, table: pa.Table) -> None:
            super().load(name, table.slice(1))

    engine = Forgetful([tmp_path / "r.parquet"], ["q"], tmp_path, MEMORY)
    with pytest.raises(VerificationError, match="2 rows are there, but 1 were counted"):
        verify_grouped(engine, ["q"])
    engine.close()


TEXT = """age,"ill, now",zip\r
"[1, 2]",flu,1\r
"[1, 2]",ulcer,1\r
"[1, 2]","a\r
b",1.0\r
"[1, 2]","a
b",1.0\r
*,NA,None\r
*,"",None\r
"""


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_text_is_judged_for_everybody_who_reads_it(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"release{ending}"
    path.write_bytes(gzip.compress(TEXT.encode()) if ending.endswith("gz") else TEXT.encode())
    asked = (["age", "zip"], ["ill, now"], [{"model": "k-anonymity", "k": 2}, {"model": "l-diversity", "l": 2}])
    expected = check_file(path, "csv", *asked)
    folder = tmp_path / "private"
    folder.mkdir()
    found = check_files([path], "csv", *asked, folder=folder, memory=MEMORY)
    assert any("pandas" in check.rule for check in expected.checks), "the test is about such readers too"
    assert_same(found, expected)
    assert found.notes
    assert sorted(found.notes) == sorted(expected.notes)


def test_a_damaged_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "release.csv"
    path.write_text('age,ill\n1,"flu\n1,flu\n', encoding="utf-8")
    with pytest.raises(SourceError):
        check_files([path], "csv", ["age"], ["ill"], folder=tmp_path, memory=MEMORY)


def test_files_that_are_no_parts_of_one_table_are_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1], "ill": ["flu"]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"age": ["1"], "ill": ["flu"]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"age": [1]}), tmp_path / "c.parquet")
    (tmp_path / "d.parquet").write_bytes(b"PAR1")
    said = {"b": r"'age' has another type in .*b\.parquet", "c": "does not have the column 'ill'", "d": "damaged"}
    for others, message in said.items():
        paths = [tmp_path / f"{one}.parquet" for one in "a" + others]
        with pytest.raises(SourceError, match=message):
            check_files(paths, "parquet", ["age"], ["ill"], folder=tmp_path, memory=MEMORY)
    with pytest.raises(SourceError, match="no file"):
        check_files([], "parquet", ["age"], folder=tmp_path, memory=MEMORY)


def test_columns_are_named_and_required(tmp_path: Path) -> None:
    pq.write_table(pa.table({"age": [1], 'a "b"': ["flu"]}), tmp_path / "we're [a] part.parquet")
    paths = [tmp_path / "we're [a] part.parquet"]
    assert check_files(paths, "parquet", ["age"], ['a "b"'], folder=tmp_path, memory=MEMORY).k == 1
    with pytest.raises(SchemaError, match="at least one quasi-identifier"):
        check_files(paths, "parquet", [], ["age"], folder=tmp_path, memory=MEMORY)


def test_a_full_disk_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"age": [1]}), tmp_path / "a.parquet")
    engine = DuckFiles([tmp_path / "a.parquet"], ["age"], tmp_path, MEMORY)
    with pytest.raises(OutputError, match=r"too little memory|disk for temporary files is full"):
        engine._run("SET memory_limit = '1MiB'; SELECT list(i) FROM range(10000000) t(i) GROUP BY hash(i) % 999983")
    engine.close()


def test_the_classes_that_are_named_do_not_depend_on_the_order_of_rows(tmp_path: Path) -> None:
    rows = [f"{age},{town}" for age in range(60) for town in ("Rome", "Oslo", "Bern")]
    found = []
    for seed in range(3):
        path = tmp_path / f"{seed}.csv"
        path.write_text("age,town\n" + "\n".join(np.random.default_rng(seed).permutation(rows)) + "\n")
        asked = (["age", "town"], (), [{"model": "k-anonymity", "k": 2}])
        found.append(check_files([path], "csv", *asked, folder=tmp_path, memory=MEMORY).summary())
    assert len(set(found)) == 1
