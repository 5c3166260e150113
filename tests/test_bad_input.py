"""Bad input through the Python interface: one clear error each, of the right kind, that says where and what to do."""

from __future__ import annotations

import errno
import io
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato import errors
from sfumato.io import write as writing
from sfumato.methods import Method, Mondrian
from sfumato.testing.tables import SCHEMA, people

PATIENTS = {
    "age": [25, 25, 26, 27, 27, 28, 29, 30],
    "zip": ["53711", "53712", "53711", "53710", "53712", "53711", "53710", "53712"],
    "disease": ["flu", "flu", "flu", "flu", "flu", "ulcer", "acne", "acne"],
}
ROLES: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "sensitive": "disease"}


def refusal(kind: type[Exception], data: object = None, **request: Any) -> str:
    """Return what an error of exactly this kind says; it is short, and quotes no cell."""
    given = pa.table(PATIENTS) if data is None else data
    with pytest.raises(errors.SfumatoError) as caught:
        sf.anonymize(given, **({"k": 2} | request))
    assert type(caught.value) is kind
    message = str(caught.value)
    assert len(message) < 700
    assert "5371" not in message
    return message


class TestPrivacy:
    @pytest.mark.parametrize("k", [0, -1, 2.5, True, "2", float("nan")])
    def test_k_that_is_no_size(self, k):
        message = refusal(errors.ParameterError, **ROLES, k=k)
        assert message.startswith("The 'k' parameter of KAnonymity must be an integer of at least 1.")

    def test_k_above_the_rows(self):
        message = refusal(errors.InfeasibleError, **ROLES, k=9)
        assert "k=9" in message
        assert "8 rows" in message
        assert "largest k that works is 8" in message
        assert sf.anonymize(pa.table(PATIENTS), **ROLES, k=8).classes == 1

    @pytest.mark.parametrize("l", [0, 0.5, -1, float("inf"), "3", True])
    def test_l_that_is_no_diversity(self, l):  # noqa: E741
        assert "The 'l' parameter of LDiversity must be a number of at least 1." in refusal(
            errors.ParameterError, **ROLES, l=l
        )

    def test_l_above_the_distinct_values(self):
        model = sf.LDiversity(4, kind="distinct")
        message = refusal(errors.InfeasibleError, **ROLES, privacy=model)
        assert "'disease'" in message
        assert "only 3 distinct values" in message
        assert "largest l that works is 3" in message

    def test_l_above_what_the_most_frequent_value_allows(self):
        message = refusal(errors.InfeasibleError, **ROLES, l=2)
        assert "62.5% of the rows" in message
        assert "largest l that works is 1.6" in message
        assert sf.anonymize(pa.table(PATIENTS), **ROLES, k=2, l=1.6).verify().ok

    @pytest.mark.parametrize("t", [-0.1, 1.5, "0.2", None])
    def test_t_that_is_no_distance(self, t):
        with pytest.raises(errors.ParameterError, match="'t' parameter of TCloseness must be a share from 0 to 1"):
            sf.TCloseness(t)

    @pytest.mark.parametrize("privacy", [5, sf.KAnonymity, [3]])
    def test_what_is_no_model(self, privacy):
        message = refusal(errors.ParameterError, **ROLES, privacy=privacy)
        assert message.startswith("The 'privacy' parameter of anonymize must be a privacy model or a list of them.")

    @pytest.mark.parametrize("progress", [5, None, "yes"])
    def test_what_progress_cannot_be_told_to(self, progress):
        message = refusal(errors.ParameterError, **ROLES, progress=progress)
        assert message.startswith("The 'progress' parameter of anonymize must be True, False or a function")

    def test_a_sensitive_column_is_needed(self):
        message = refusal(errors.SchemaError, quasi_identifiers="age", rest="drop", l=2)
        assert "needs a sensitive column" in message

    def test_a_model_about_a_column_that_is_not_sensitive(self):
        message = refusal(errors.SchemaError, **ROLES, privacy=sf.LDiversity(1.5, column="zip"))
        assert "'zip', which is not declared as sensitive" in message

    @pytest.mark.parametrize("column", ["disease", "height"])
    def test_a_span_of_a_column_that_is_no_quasi_identifier(self, column):
        message = refusal(errors.SchemaError, **ROLES, privacy=sf.MinimumSpan(column, 5))
        assert f"'{column}', which is not a quasi-identifier" in message

    def test_a_span_of_categories(self):
        assert "Declare it as Numeric()" in refusal(errors.SchemaError, **ROLES, privacy=sf.MinimumSpan("zip", 5))

    def test_suppression_that_cannot_suffice_says_what_would(self):
        message = refusal(errors.InfeasibleError, **ROLES, l=2, suppression=0.125)
        assert "leave out 2 rows" in message
        assert "suppression=0.25" in message
        release = sf.anonymize(pa.table(PATIENTS), **ROLES, k=2, l=2, suppression=0.25)
        assert release.suppressed == 2

    def test_suppression_that_must_serve_two_columns_says_what_both_need(self):
        table = pa.table({"x": list(range(20)), "s": ["a"] * 15 + list("bcdef"), "u": list("vwxyz") + ["o"] * 15})
        request = {"quasi_identifiers": "x", "sensitive": ["s", "u"], "k": 2, "l": 2}
        message = refusal(errors.InfeasibleError, table, **request, suppression=0.05)
        share = float(message.split("suppression=")[1].split()[0])
        release = sf.anonymize(table, **request, suppression=share)
        assert release.verify().ok

    def test_suppression_that_helps_one_model_and_hurts_another(self):
        message = refusal(errors.InfeasibleError, **ROLES, k=7, l=2, suppression=1.0)
        assert "l=2 (frequency) is not possible for 'disease'" in message
        assert "Leaving rows out does not help: then k=7 is not possible: the table has only 6 rows" in message


class TestColumns:
    def test_no_quasi_identifier(self):
        message = refusal(errors.SchemaError, rest="drop")
        assert "No quasi-identifier is declared" in message
        assert "'age', 'zip', 'disease'" in message

    def test_an_unknown_column(self):
        message = refusal(errors.SchemaError, quasi_identifiers=["age", "zpi"], rest="drop")
        assert "no column 'zpi'" in message
        assert "'zip'" in message

    def test_an_undeclared_column(self):
        message = refusal(errors.SchemaError, quasi_identifiers="age", sensitive="disease")
        assert "No role is declared for 'zip'" in message
        assert "rest='drop'" in message

    def test_many_undeclared_columns_do_not_flood_the_screen(self):
        table = pa.table({f"column {number}": [1, 2] for number in range(3000)})
        message = refusal(errors.SchemaError, table, quasi_identifiers="column 0")
        assert "and 2987 more" in message

    @pytest.mark.parametrize(
        ("roles", "said"),
        [
            ({"quasi_identifiers": ["age", "age"]}, "'age' is declared twice as quasi-identifier"),
            ({"sensitive": ["disease", "disease"]}, "'disease' is declared twice as sensitive"),
            ({"sensitive": "age"}, "'age' is declared both as quasi-identifier and as sensitive"),
            ({"identifiers": "age"}, "'age' is declared both as quasi-identifier and as identifier"),
            ({"plain": "disease"}, "'disease' is declared both as sensitive and as plain"),
        ],
    )
    def test_a_column_with_two_roles(self, roles, said):
        assert said in refusal(errors.SchemaError, **({"quasi_identifiers": "age", "sensitive": "disease"} | roles))

    @pytest.mark.parametrize("kind", ["pandas", "pyarrow", "csv"])
    def test_two_columns_of_one_name(self, kind, tmp_path):
        data: Any = pa.table([[1, 2], [3, 4]], names=["age", "age"])
        if kind == "pandas":
            data = pd.DataFrame([[1, 3], [2, 4]], columns=["age", "age"])
        if kind == "csv":
            data = tmp_path / "twice.csv"
            data.write_text("age,age\n1,3\n2,4\n")
        # files get distinct names, frames are the caller's to correct
        named = "'age_2'" if kind == "csv" else "'age'"
        assert named in refusal(errors.SchemaError, data, quasi_identifiers="age")

    def test_names_that_are_no_text(self):
        assert "column name" in refusal(errors.ParameterError, quasi_identifiers=[1, 2])

    def test_a_hierarchy_that_is_none(self):
        message = refusal(errors.ParameterError, quasi_identifiers={"age": "numeric"}, rest="drop")
        assert "quasi_identifiers['age']" in message
        assert "Numeric()" in message


class TestRows:
    @pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
    def test_an_empty_table(self, make):
        data = make({"age": [], "zip": [], "disease": []})
        assert "no rows" in refusal(errors.DataError, data, **ROLES)

    def test_a_file_with_a_header_alone(self, tmp_path):
        path = tmp_path / "header.csv"
        path.write_text("age,zip,disease\n")
        assert "no rows" in refusal(errors.DataError, path, **ROLES)

    def test_one_row(self):
        one = pa.table(PATIENTS).slice(0, 1)
        assert "largest k that works is 1" in refusal(errors.InfeasibleError, one, **ROLES)
        release = sf.anonymize(one, **ROLES, k=1)
        assert (release.table.num_rows, release.classes, release.loss.gcp) == (1, 1, 0.0)

    @pytest.mark.parametrize("kind", [pa.null(), pa.int64(), pa.string(), pa.float64(), pa.date32()])
    def test_a_column_without_any_value(self, kind):
        table = pa.table(PATIENTS).set_column(0, "age", pa.nulls(8, kind))
        message = refusal(errors.DataError, table, **ROLES)
        assert "'age' holds only missing values" in message
        assert "identifiers=['age']" in message

    def test_a_column_of_not_a_numbers(self):
        table = pa.table(PATIENTS | {"age": [float("nan")] * 8})
        assert "'age' holds only missing values" in refusal(errors.DataError, table, **ROLES)

    def test_a_sensitive_column_without_any_value(self):
        table = pa.table(PATIENTS).set_column(2, "disease", pa.nulls(8, pa.string()))
        assert sf.anonymize(table, **ROLES, k=2).verify().ok
        assert "'disease'" in refusal(errors.InfeasibleError, table, **ROLES, l=2)

    def test_every_row_lacks_something(self):
        table = pa.table({"a": [1, None], "b": [None, 2]})
        message = refusal(errors.DataError, table, quasi_identifiers=["a", "b"], missing="suppress")
        assert "missing='category'" in message

    def test_missing_values_that_are_not_wanted(self):
        table = pa.table(PATIENTS | {"age": [None, None, *PATIENTS["age"][2:]]})
        message = refusal(errors.DataError, table, **ROLES, missing="error")
        assert "'age' (2)" in message

    @pytest.mark.parametrize("infinite", [float("inf"), float("-inf")])
    def test_infinite_numbers(self, infinite):
        table = pa.table(PATIENTS | {"age": [infinite, *map(float, PATIENTS["age"][1:])]})
        message = refusal(errors.DataError, table, **ROLES)
        assert "'age' holds infinite numbers" in message
        assert "Replace them" in message

    def test_mixed_types(self):
        frame = pd.DataFrame(PATIENTS | {"age": [25, "25", 26.5, None, "x", 1, 2, 3]})
        message = refusal(errors.DataError, frame, **ROLES)
        assert "'age' mixes types: number, str" in message

    def test_objects_that_are_no_cells(self):
        frame = pd.DataFrame(PATIENTS | {"age": [{"years": 25}] * 8})
        assert "'age'" in refusal(errors.DataError, frame, **ROLES)

    def test_lists_in_cells(self):
        table = pa.table(PATIENTS | {"age": [[1, 2]] * 8})
        assert "'age' is of type list" in refusal(errors.DataError, table, **ROLES)

    @pytest.mark.parametrize("how", [sf.Numeric(), sf.Dates()])
    def test_text_that_is_not_what_it_is_declared_to_be(self, how):
        table = pa.table(PATIENTS | {"age": ["old"] * 8})
        message = refusal(errors.DataError, table, quasi_identifiers={"age": how}, rest="drop")
        assert "'age' is declared as" in message
        assert "old" not in message.replace("threshold", "")


class TestSize:
    LONG = "x" * 200_000

    @pytest.mark.parametrize("column", ["zip", "disease"])
    def test_a_huge_cell_works(self, column, tmp_path):
        table = pa.table(PATIENTS | {column: [self.LONG, *PATIENTS[column][1:]]})
        for data in (table, self.written(table, tmp_path / "in.csv"), self.written(table, tmp_path / "in.parquet")):
            release = sf.anonymize(data, **ROLES, k=2)
            assert release.verify().ok
            assert len(release.summary()) < 3000
            assert len(repr(release)) < 3000
            release.write(tmp_path / "out.csv")
        assert (self.LONG in (tmp_path / "out.csv").read_text()) == (column == "disease")

    def written(self, table: pa.Table, path: Path) -> Path:
        writing.write_table(table, path)
        return path

    def test_no_message_about_a_huge_cell_floods_the_screen(self):
        table = pa.table(PATIENTS | {"zip": [self.LONG, *PATIENTS["zip"][1:]]})
        for how in (sf.Prefix(), sf.Ordered(["a", "b"]), sf.Taxonomy.from_dict({"a": ["b"]}), sf.Numeric()):
            with pytest.raises(errors.SfumatoError) as caught:
                sf.anonymize(table, quasi_identifiers={"zip": how}, rest="drop", k=2)
            assert len(str(caught.value)) < 500
        result = sf.check(table, quasi_identifiers="zip", k=8)
        assert len(result.summary()) < 1000

    def test_a_huge_column_name(self):
        table = pa.table({self.LONG: [1, 2], "age": [1, 2]})
        with pytest.raises(errors.SchemaError) as caught:
            sf.anonymize(table, quasi_identifiers="age", k=2)
        assert len(str(caught.value)) < 2000

    def test_a_million_categories_work(self):
        random = np.random.default_rng(0)
        categories = pa.array(np.arange(1_000_000)).cast(pa.string())
        table = pa.table({"c": categories, "age": random.integers(18, 90, 1_000_000)})
        start = time.perf_counter()
        release = sf.anonymize(table, quasi_identifiers=["c", "age"], k=1000, method="mondrian")
        assert time.perf_counter() - start < 60
        assert release.verify().ok
        assert release.table.num_rows == 1_000_000

    def test_very_many_sensitive_values_work(self):
        """As many values as rows and very many classes: what is counted are the pairs that occur."""
        random = np.random.default_rng(0)
        rows = 150_000
        table = pa.table({"x": random.permutation(rows), "s": np.arange(rows)})
        release = sf.anonymize(table, quasi_identifiers="x", sensitive="s", k=3, method="mondrian", confirm=["s"])
        assert release.verify().ok
        assert release.loss.cm == pytest.approx(1 - release.classes / rows)


class TestFiles:
    def test_a_missing_path(self, tmp_path):
        assert "There is no file" in refusal(errors.SourceError, tmp_path / "nobody.csv", **ROLES)

    def test_a_folder(self, tmp_path):
        assert "is a directory" in refusal(errors.SourceError, tmp_path, **ROLES)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_an_unreadable_path(self, tmp_path):
        path = tmp_path / "secret.csv"
        path.write_text("age\n1\n")
        path.chmod(0)
        assert "may not be read" in refusal(errors.SourceError, path, **ROLES)

    def test_an_unreadable_path_simulated(self, tmp_path, monkeypatch):
        path = tmp_path / "secret.csv"
        path.write_text("age\n1\n")

        def denied(*_: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr("sfumato.io.files._first_byte", denied)
        assert "may not be read" in refusal(errors.SourceError, path, **ROLES)

    def test_an_empty_file(self, tmp_path):
        (tmp_path / "nothing.csv").touch()
        assert "is empty" in refusal(errors.SourceError, tmp_path / "nothing.csv", **ROLES)

    def test_an_unknown_ending(self, tmp_path):
        (tmp_path / "table.docx").write_bytes(b"PK")
        assert "unknown ending" in refusal(errors.SourceError, tmp_path / "table.docx", **ROLES)

    @pytest.mark.parametrize("name", ["table.csv", "table.jsonl"])
    def test_parquet_that_calls_itself_something_else(self, name, tmp_path):
        pq.write_table(pa.table(PATIENTS), tmp_path / name)
        assert "ending of what it is" in refusal(errors.SourceError, tmp_path / name, **ROLES)

    @pytest.mark.parametrize("content", ["age,zip\n1,53711\n", '{"age": 1}\n'])
    def test_text_that_calls_itself_parquet(self, content, tmp_path):
        (tmp_path / "table.parquet").write_text(content)
        assert "is not a Parquet file" in refusal(errors.SourceError, tmp_path / "table.parquet", **ROLES)

    @pytest.mark.parametrize("share", [0.05, 0.5, 0.95, 0.999])
    def test_truncated_parquet(self, share, tmp_path):
        sink = io.BytesIO()
        pq.write_table(people(5000), sink)
        path = tmp_path / "cut.parquet"
        path.write_bytes(sink.getvalue()[: int(len(sink.getvalue()) * share)])
        assert "cut short or damaged" in refusal(errors.SourceError, path, **ROLES)

    def test_damaged_parquet(self, tmp_path):
        path = tmp_path / "damaged.parquet"
        pq.write_table(people(5000), path)
        content = bytearray(path.read_bytes())
        content[200 : len(content) // 2] = os.urandom(len(content) // 2 - 200)
        path.write_bytes(content)
        assert "damaged" in refusal(errors.SourceError, path, schema=SCHEMA)

    def test_ragged_lines(self, tmp_path):
        path = tmp_path / "ragged.csv"
        path.write_text("age,zip,disease\n25,1,flu\n26,2\n")
        message = refusal(errors.SourceError, path, **ROLES)
        assert "Line 3" in message

    def test_what_is_no_table(self):
        assert "list is not a table" in refusal(errors.SourceError, [1, 2, 3], **ROLES)


@pytest.fixture(scope="module")
def release() -> sf.Release:
    return sf.anonymize(people(60), SCHEMA, k=3, method="mondrian")


class TestOutput:
    def test_a_folder_that_is_not_there(self, release, tmp_path):
        with pytest.raises(errors.OutputError, match=r"directory does not exist. Create it"):
            release.write(tmp_path / "none" / "out.csv")

    @pytest.mark.parametrize("path", [5, None])
    def test_what_is_no_path(self, release, path):
        with pytest.raises(errors.ParameterError, match="'path' parameter of write must be the name of a file"):
            release.write(path)

    def test_a_folder_instead_of_a_file(self, release, tmp_path):
        (tmp_path / "out.csv").mkdir()
        with pytest.raises(errors.OutputError, match="it is a directory"):
            release.write(tmp_path / "out.csv")

    @pytest.mark.parametrize(
        ("number", "said"),
        [(errno.EACCES, "permission denied"), (errno.EROFS, "read-only"), (errno.ENOSPC, "disk is full")],
    )
    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    def test_what_the_system_refuses_half_way(self, release, tmp_path, monkeypatch, number, said, ending):
        """Something of the file is there already when the system says no."""
        self.fail_half_way(monkeypatch, ending, OSError(number, os.strerror(number)))
        with pytest.raises(errors.OutputError, match=said) as caught:
            release.write(tmp_path / f"out.{ending}")
        assert f"out.{ending}" in str(caught.value)
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
    def test_an_interrupt_half_way_leaves_no_file(self, release, tmp_path, monkeypatch, ending):
        self.fail_half_way(monkeypatch, ending, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            release.write(tmp_path / f"out.{ending}", manifest=tmp_path / "manifest.json")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_an_interrupt_leaves_the_file_that_was_there(self, release, tmp_path, monkeypatch, ending):
        path = tmp_path / f"out.{ending}"
        release.write(path)
        before = path.read_bytes()
        self.fail_half_way(monkeypatch, ending, KeyboardInterrupt())
        with pytest.raises(KeyboardInterrupt):
            release.write(path)
        assert path.read_bytes() == before
        assert [found.name for found in tmp_path.iterdir()] == [path.name]

    def fail_half_way(self, monkeypatch: pytest.MonkeyPatch, ending: str, error: BaseException) -> None:
        writer = writing._WRITERS[ending]

        def broken(table: pa.Table, path: Path, tell: Callable[[float], None]) -> None:
            writer(table, path, tell)
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
            raise error

        monkeypatch.setitem(writing._WRITERS, ending, broken)

    def test_a_really_full_disk(self, release):
        full = Path("/dev/full")
        if not full.exists():
            pytest.skip("there is no /dev/full here")
        with pytest.raises(OSError, match="No space left"):
            writing._WRITERS["csv"](release.table, full, lambda share: None)

    def test_an_interrupt_while_a_method_works(self):
        """Whoever waits for a method can stop it, and sees just that."""

        class Endless(Mondrian):
            def run(self, task: Any) -> Any:
                raise KeyboardInterrupt

        method: Method = Endless()
        with pytest.raises(KeyboardInterrupt):
            sf.anonymize(people(20), SCHEMA, k=2, method=method)
