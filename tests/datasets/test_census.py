"""The census against Table 1 of the paper whose shape it has, and against what people are like."""

from __future__ import annotations

import pytest
from tests.datasets.helpers import cardinalities, distinct, heights

from sfumato.datasets import Dataset, census
from sfumato.errors import ParameterError
from sfumato.hierarchies import Numeric

TABLE_1 = {
    "age": 79,
    "gender": 2,
    "education": 17,
    "marital_status": 6,
    "race": 9,
    "work_class": 10,
    "country": 83,
    "occupation": 50,
    "salary_class": 50,
}
LEVELS = {"gender": 2, "marital_status": 3, "race": 2, "work_class": 4, "country": 3}


@pytest.fixture(scope="module")
def people() -> Dataset:
    return census(rows=200_000)


@pytest.fixture(scope="module")
def frame(people):
    return people.table.to_pandas()


def test_cardinalities_are_those_of_the_paper(people):
    assert cardinalities(people) == TABLE_1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_value_occurs_for_other_seeds_too(seed):
    assert cardinalities(census(rows=200_000, seed=seed)) == TABLE_1


def test_taxonomy_depths_are_those_of_the_paper(people):
    found = heights(people)
    assert {column: found[column] + 1 for column in LEVELS} == LEVELS
    assert isinstance(people.hierarchies["age"], Numeric)
    assert isinstance(people.hierarchies["education"], Numeric)


def test_roles_are_those_of_the_paper(people):
    assert people.quasi_identifiers == tuple(TABLE_1)[:7]
    assert people.sensitive == ("occupation", "salary_class")


def test_ages_and_levels_are_whole_numbers_without_gaps(people):
    assert sorted(distinct(people, "age").to_pylist()) == list(range(17, 96))
    assert sorted(distinct(people, "education").to_pylist()) == list(range(1, 18))


def test_same_seed_same_people_other_seed_others():
    assert census(1000, seed=5).table.equals(census(1000, seed=5).table)
    assert not census(1000, seed=5).table.equals(census(1000, seed=6).table)


def test_a_shorter_census_begins_a_longer_one():
    assert census(70_000).table.slice(0, 1000).equals(census(1000).table)


def test_one_row():
    assert census(1).table.num_rows == 1


def test_no_rows_are_refused():
    with pytest.raises(ParameterError, match="'rows' parameter of census"):
        census(0)


def test_labels_are_dictionary_encoded_in_one_byte(people):
    text = set(TABLE_1) - {"age", "education"}
    assert {str(people.table.schema.field(name).type.index_type) for name in text} == {"int8"}


def test_one_country_dominates_with_a_long_tail(frame):
    shares = frame["country"].value_counts(normalize=True)
    assert shares.index[0] == "United States"
    assert 0.83 < shares.iloc[0] < 0.87
    assert shares.iloc[1] < 0.05
    assert (shares < 0.001).sum() > 30


def test_no_occupation_is_so_common_that_ten_diversity_is_out_of_reach(frame):
    assert frame["occupation"].value_counts(normalize=True).iloc[0] < 0.08
    assert frame["salary_class"].value_counts(normalize=True).iloc[0] < 0.08


def test_there_are_fewer_old_people_than_young_and_more_of_them_are_women(frame):
    counts = frame["age"].value_counts()
    assert counts[40] > 3 * counts[75] > 6 * counts[90]
    women = frame["gender"] == "Female"
    assert women[frame["age"] > 85].mean() > women[frame["age"] < 50].mean() + 0.08


def test_marital_status_depends_on_age_and_gender(frame):
    status, age = frame["marital_status"], frame["age"]
    assert (status[age < 20] == "Never married").mean() > 0.85
    assert (status[age > 50] == "Never married").mean() < 0.15
    widowed, old = status == "Widowed", age > 75
    assert widowed[old & (frame["gender"] == "Female")].mean() > widowed[old & (frame["gender"] == "Male")].mean() + 0.1


def test_schooling_depends_on_age_and_birthplace(frame):
    level, adult = frame["education"], frame["age"] > 30
    assert level[frame["age"] < 19].max() < 16
    assert level[adult & (frame["age"] < 45)].mean() > level[frame["age"] > 80].mean() + 0.7
    assert (
        level[adult & (frame["country"] == "China")].mean() > level[adult & (frame["country"] == "Mexico")].mean() + 2
    )


def test_race_goes_with_birthplace(frame):
    race, country = frame["race"], frame["country"]
    assert (race[country == "Japan"] == "Japanese").mean() > 0.7
    assert (race[country == "United States"] == "Japanese").mean() < 0.01


def test_work_class_depends_on_age_and_schooling(frame):
    work = frame["work_class"]
    assert (work[frame["age"] < 20] == "Never worked").mean() > 5 * (work[frame["age"] > 30] == "Never worked").mean()
    public = work.isin(["State government", "Local government"])
    assert public[frame["education"] > 14].mean() > public[frame["education"] < 10].mean() + 0.05


def test_occupation_depends_on_schooling_gender_and_work(frame):
    job = frame["occupation"]
    assert frame["education"][job == "Physician"].mean() > frame["education"][job == "Farm worker"].mean() + 5
    women = frame["gender"] == "Female"
    assert women[job == "Secretary"].mean() > 0.9
    assert women[job == "Carpenter"].mean() < 0.1
    assert (job[frame["work_class"] == "Never worked"] == "No occupation").mean() > 0.8


def test_salary_depends_on_occupation_schooling_and_age(frame, people):
    rank = frame["salary_class"].cat.codes
    assert list(frame["salary_class"].cat.categories) == people.hierarchies["salary_class"].order
    assert rank[frame["occupation"] == "Lawyer"].mean() > rank[frame["occupation"] == "Cashier"].mean() + 15
    assert rank[frame["education"] > 13].mean() > rank[frame["education"] < 9].mean() + 8
    assert rank[frame["age"].between(40, 60)].mean() > rank[frame["age"] < 22].mean() + 5
