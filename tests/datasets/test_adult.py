from __future__ import annotations

import hashlib

import pyarrow as pa
import pytest
from tests.datasets.helpers import cardinalities, distinct, heights, plain

from sfumato.datasets import adult
from sfumato.datasets.adult import COLUMNS, SHA256, _cleaned, _downloaded
from sfumato.datasets.adult_hierarchies import built_in
from sfumato.errors import ParameterError, SourceError
from sfumato.hierarchies import Taxonomy

DATA = b"""\
39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, Not-in-family, White, Male, 2174, 0, 40, \
United-States, <=50K
54, ?, 180211, Some-college, 10, Married-civ-spouse, ?, Husband, Asian-Pac-Islander, Male, 0, 0, 60, South, >50K
52, Self-emp-not-inc, 209642, HS-grad, 9, Married-civ-spouse, Exec-managerial, Husband, White, Male, 0, 0, 45, \
United-States, >50K

"""
TEST = b"""\
|1x3 Cross validator
25, Private, 226802, 11th, 7, Never-married, Machine-op-inspct, Own-child, Black, Male, 0, 0, 40, United-States, <=50K.
"""
CLEAN = [
    tuple(line.split(";"))
    for line in (
        "Male;39;White;Never-married;Bachelors;United-States;State-gov;Adm-clerical;<=50K",
        "Male;52;White;Married-civ-spouse;HS-grad;United-States;Self-emp-not-inc;Exec-managerial;>50K",
        "Male;25;Black;Never-married;11th;United-States;Private;Machine-op-inspct;<=50K",
    )
]


@pytest.fixture
def originals(tmp_path):
    folder = tmp_path / "originals"
    folder.mkdir()
    (folder / "adult.data").write_bytes(DATA)
    (folder / "adult.test").write_bytes(TEST)
    return folder


def test_a_folder_gives_the_table_of_the_papers(adult_dir):
    dataset = adult(adult_dir)
    assert dataset.table.num_rows == 30_162
    assert dataset.table.column_names == list(COLUMNS)
    assert dataset.sensitive == ("occupation",)
    assert dataset.table.slice(0, 1).to_pylist() == [
        {name: 39 if name == "age" else value for name, value in zip(COLUMNS, CLEAN[0], strict=True)}
    ]


def test_both_parts_have_the_cardinalities_of_incognito(adult_dir):
    dataset = adult(adult_dir, rows=45_222)
    assert dataset.table.num_rows == 45_222
    assert cardinalities(dataset) == {
        "sex": 2,
        "age": 74,
        "race": 5,
        "marital-status": 7,
        "education": 16,
        "native-country": 41,
        "workclass": 7,
        "occupation": 14,
        "salary-class": 2,
    }


HEIGHTS = {
    "sex": 1,
    "age": 4,
    "race": 1,
    "marital-status": 2,
    "education": 3,
    "native-country": 2,
    "workclass": 2,
    "occupation": 2,
    "salary-class": 1,
}


def test_hierarchies_of_the_folder_have_the_heights_of_incognito(adult_dir):
    dataset = adult(adult_dir, rows=45_222)
    assert heights(dataset) == HEIGHTS
    assert dataset.hierarchies["education"].rows == Taxonomy.read(adult_dir / "adult_hierarchy_education.csv").rows


def test_built_in_hierarchies_have_the_same_heights_and_cover_all_values(adult_dir):
    dataset = adult(adult_dir, rows=45_222)
    for column, hierarchy in built_in().items():
        fitted = hierarchy.fit(column, distinct(dataset, column), has_missing=False)
        assert len(fitted.domain.levels) - 1 == HEIGHTS[column], column


def test_ages_stay_numbers_whatever_the_file_says(adult_dir):
    """The file puts 20 under 15-19 and 25 under 20-24; numbers know better."""
    age = adult(adult_dir).hierarchies["age"]
    levels = age.fit("age", pa.array([19, 20, 24, 25]), has_missing=False).domain.levels
    assert levels[1].groups.tolist() == [0, 1, 1, 2]


def test_originals_are_cleaned(originals):
    assert _cleaned([originals / "adult.data"]) == CLEAN[:2]
    assert _cleaned([originals / "adult.data", originals / "adult.test"]) == CLEAN


def test_a_folder_with_the_originals_works_too(originals):
    dataset = adult(originals, rows=45_222)
    assert plain(dataset.table.column("age")).to_pylist() == [39, 52, 25]
    assert dataset.hierarchies == built_in()


def test_a_download_is_cleaned_and_cached(originals, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    checksums = {name: hashlib.sha256((originals / name).read_bytes()).hexdigest() for name in SHA256}
    paths = _downloaded(45_222, originals.as_uri(), checksums)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "cache/sfumato/adult/adult.data",
        "cache/sfumato/adult/adult.test",
    ]
    assert _cleaned(paths) == CLEAN


def test_the_training_part_needs_one_file_only(originals, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    checksums = {"adult.data": hashlib.sha256(DATA).hexdigest()}
    assert [path.name for path in _downloaded(30_162, originals.as_uri(), checksums)] == ["adult.data"]


def test_without_a_network_the_error_says_how_to_name_a_folder(originals, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(SourceError, match=r"cannot be downloaded.*into a folder and name it: .*adult\('folder'\)"):
        _downloaded(30_162, (tmp_path / "nowhere").as_uri())
    with pytest.raises(SourceError, match=r"checksum differs.*into a folder and name it"):
        _downloaded(30_162, originals.as_uri())


def test_checksums_look_like_checksums():
    assert {name: len(bytes.fromhex(digest)) for name, digest in SHA256.items()} == {"adult.data": 32, "adult.test": 32}


def test_other_sizes_are_refused():
    with pytest.raises(ParameterError, match="'rows' parameter of adult must be one of 30162, 45222"):
        adult(rows=100)


def test_an_empty_folder_is_told_what_it_lacks(tmp_path):
    with pytest.raises(SourceError, match=r"neither adult.csv, nor adult.data\. Name a folder that does"):
        adult(tmp_path)
    with pytest.raises(SourceError, match=r"neither adult-45222.csv, nor adult.data and adult.test"):
        adult(tmp_path / "missing", rows=45_222)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("adult.csv", b"", "holds no rows"),
        ("adult.csv", b"sex;age\r\nMale;39\r\n", "must name the columns. It lacks 'race', 'marital-status'"),
        ("adult.csv", b"\xff\xfe\x00", "cannot be read"),
        ("adult.csv", ";".join(COLUMNS).encode() + b"\r\n" + b"Male;39\r\n", "2 cells instead of 9"),
        ("adult.csv", ";".join(COLUMNS).encode() + b"\r\n" + b"x;old" + b";x" * 7, "ages .* not all numbers"),
        ("adult.csv", ";".join(COLUMNS).encode() + b"\r\n" + b"x;99999" + b";x" * 7, "ages .* not all numbers"),
        ("adult.data", DATA.splitlines()[1] + b"\n" + DATA.splitlines()[1], "no complete row"),
        ("adult.data", b"1, 2\n3, 4\n", "2 cells instead of 15"),
    ],
)
def test_a_broken_file_is_told_what_is_wrong(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(SourceError, match=message):
        adult(tmp_path)
