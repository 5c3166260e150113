from __future__ import annotations

import dataclasses
import sys

import polars
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from tests.datasets.helpers import cardinalities, distinct, plain

from sfumato.datasets import Dataset, adult, census, discrete, lands_end, patients, simple_normal
from sfumato.errors import MissingExtraError, OutputError, ParameterError
from sfumato.hierarchies import Taxonomy

GENERATED = {
    "census": lambda: census(300),
    "lands_end": lambda: lands_end(300),
    "discrete": lambda: discrete(300),
    "simple_normal": lambda: simple_normal(300),
    "patients": patients,
}


@pytest.fixture(params=GENERATED)
def dataset(request) -> Dataset:
    return GENERATED[request.param]()


def test_a_dataset_cannot_be_changed(dataset):
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.name = "other"


def test_changing_the_hierarchies_of_one_table_leaves_the_next_alone(dataset):
    again = GENERATED[dataset.name]()
    dataset.hierarchies.clear()
    assert again.hierarchies


def test_the_schema_names_every_column_once(dataset):
    schema = dataset.schema
    assert tuple(schema.quasi_identifiers) == dataset.quasi_identifiers
    assert tuple(schema.sensitive) == dataset.sensitive
    assert {*dataset.quasi_identifiers, *dataset.sensitive} == set(dataset.table.column_names)


def test_every_quasi_identifier_has_a_hierarchy_that_covers_its_values(dataset):
    for column in dataset.quasi_identifiers:
        values = distinct(dataset, column)
        assert len(dataset.hierarchies[column].fit(column, values, has_missing=False).domain.values) == len(values)


def test_to_pandas_and_to_polars_hold_the_same_rows(dataset):
    rows = dataset.table.to_pylist()
    assert dataset.to_pandas().to_dict("records") == rows
    frame = dataset.to_polars()
    assert isinstance(frame, polars.DataFrame)
    assert frame.to_dicts() == rows


@pytest.mark.parametrize(("method", "library"), [("to_pandas", "pandas"), ("to_polars", "polars")])
def test_a_missing_library_is_named_with_its_extra(monkeypatch, method, library):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"sfumato\[{library}\]"):
        getattr(patients(), method)()


def test_parquet_gives_the_table_back(dataset, tmp_path):
    path = dataset.write(tmp_path / "new" / "folder")
    assert path.name == f"{dataset.name}.parquet"
    assert pq.read_table(path).to_pylist() == dataset.table.to_pylist()


def test_csv_gives_the_values_back(dataset, tmp_path):
    path = dataset.write(tmp_path, format="csv")
    written = pa_csv.read_csv(path)
    assert written.column_names == dataset.table.column_names
    first = dataset.table.column_names[0]
    expected = [str(value) for value in plain(dataset.table.column(first)).to_pylist()]
    found = [str(value) for value in written.column(first).to_pylist()]
    width = max(map(len, expected))
    assert [text.zfill(width) for text in found] == [text.zfill(width) for text in expected]


def test_hierarchy_files_cover_the_table_and_read_back(dataset, tmp_path):
    dataset.write(tmp_path)
    for column in dataset.hierarchies:
        read = Taxonomy.read(tmp_path / f"{dataset.name}_hierarchy_{column}.csv")
        values = distinct(dataset, column)
        assert len(read.fit(column, values, has_missing=False).domain.values) == cardinalities(dataset)[column]


def test_an_unknown_format_is_refused(tmp_path):
    with pytest.raises(ParameterError, match=r"'format' parameter of Dataset\.write"):
        patients().write(tmp_path, format="xlsx")


def test_a_folder_that_cannot_be_made_is_an_output_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match="cannot be made"):
        patients().write(tmp_path / "file" / "below")


def test_the_adult_table_written_can_be_read_by_its_own_reader(adult_dir, tmp_path):
    original = adult(adult_dir)
    path = original.write(tmp_path, format="csv")
    path.write_text(path.read_text().replace('"', "").replace(",", ";"))
    assert adult(tmp_path).table.to_pylist() == original.table.to_pylist()
