"""A made-up census with the shape of a real one."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.datasets import census_domains as domains
from sfumato.datasets import census_model as model
from sfumato.datasets.dataset import Dataset
from sfumato.datasets.sampling import Columns, Conditional, in_blocks, labelled
from sfumato.hierarchies import Categorical, Hierarchy, Numeric, Ordered, Taxonomy

_MARITAL_STATUS = Taxonomy.from_dict(domains.MARITAL_STATUS)
_WORK_CLASS = Taxonomy.from_dict(domains.WORK_CLASS)
_COUNTRY = Taxonomy.from_dict({continent: list(names) for continent, names in domains.COUNTRIES.items()})
_OCCUPATION = Taxonomy.from_dict({field: [job.label for job in jobs] for field, jobs in domains.OCCUPATIONS.items()})

_HIERARCHIES: dict[str, Hierarchy] = {
    "age": Numeric(widths=(5, 10, 20)),
    "gender": Categorical(),
    "education": Numeric(widths=(2, 4, 8)),
    "marital_status": _MARITAL_STATUS,
    "race": Categorical(),
    "work_class": _WORK_CLASS,
    "country": _COUNTRY,
    "occupation": _OCCUPATION,
    "salary_class": Ordered(domains.SALARY_CLASSES),
}

# The codes that the model draws are places in these lists.
_LABELS: dict[str, list[str]] = {
    "gender": list(domains.GENDERS),
    "marital_status": [row[0] for row in _MARITAL_STATUS.rows],
    "race": list(domains.RACES),
    "work_class": [row[0] for row in _WORK_CLASS.rows],
    "country": [row[0] for row in _COUNTRY.rows],
    "occupation": [row[0] for row in _OCCUPATION.rows],
    "salary_class": list(domains.SALARY_CLASSES),
}


def census(rows: int = 50_000, seed: int = 0) -> Dataset:
    """Make up a census: nine attributes of adults, correlated and skewed as in a real population.

    Attributes, cardinalities and taxonomy depths are those of the CENSUS table in Ghinita, Karras, Kalnis
    and Mamoulis, *Fast Data Anonymization with Low Information Loss*, VLDB 2007, Table 1; the labels and
    the numbers behind them are made up. Seven quasi-identifiers (``age``, ``gender``, ``education``,
    ``marital_status``, ``race``, ``work_class``, ``country``) and two sensitive attributes (``occupation``,
    ``salary_class``). ``education`` counts levels from 1 (no school) to 17 (doctorate).

    Parameters
    ----------
    rows
        The number of people. From some 200,000 on, every value of every domain occurs.
    seed
        The same seed gives the same people; a shorter table is the beginning of a longer one.

    Examples
    --------
    >>> census(rows=1000, seed=1).table.num_rows
    1000
    """
    columns = in_blocks("census", rows, seed, _people)
    table = pa.table({name: _column(name, values) for name, values in columns.items()})
    return Dataset.of("census", table, dict(_HIERARCHIES), sensitive=("occupation", "salary_class"))


def _column(name: str, values: np.ndarray[Any, Any]) -> pa.Array:
    return labelled(values, _LABELS[name]) if name in _LABELS else pa.array(values)


@cache
def _draws() -> dict[str, Conditional]:
    return {
        "age": Conditional(model.age_weights()),
        "gender": Conditional(model.gender_weights()),
        "country": Conditional(model.country_weights()),
        "race": Conditional(model.race_weights()),
        "education": Conditional(model.education_weights()),
        "marital_status": Conditional(model.marital_weights()),
        "work_class": Conditional(model.work_class_weights()),
        "occupation": Conditional(model.occupation_weights()),
    }


def _people(rng: np.random.Generator, size: int) -> Columns:
    """Draw each attribute given those that it depends on."""
    draws = _draws()
    age = draws["age"].draw(rng, size=size)
    gender = draws["gender"].draw(rng, age)
    country = draws["country"].draw(rng, age)
    origin = model.COUNTRY_ORIGIN[country]
    race = draws["race"].draw(rng, origin)
    education = draws["education"].draw(rng, age, origin)
    marital_status = draws["marital_status"].draw(rng, gender, age)
    work_class = draws["work_class"].draw(rng, age, education)
    occupation = draws["occupation"].draw(rng, gender, education, work_class)
    log_pay = (
        model.LOG_PAY[occupation]
        + model.LOG_PAY_AGE[age]
        + model.LOG_PAY_LEVEL[education]
        + model.LOG_PAY_GENDER[gender]
        + model.LOG_PAY_WORK[work_class]
        + model.PAY_SPREAD * rng.standard_normal(size)
    )
    return {
        "age": (age + domains.AGES.start).astype(np.int16),
        "gender": gender.astype(np.int8),
        "education": (education + domains.EDUCATION_LEVELS.start).astype(np.int16),
        "marital_status": marital_status.astype(np.int8),
        "race": race.astype(np.int8),
        "work_class": work_class.astype(np.int8),
        "country": country.astype(np.int8),
        "occupation": occupation.astype(np.int8),
        "salary_class": np.searchsorted(np.log(domains.SALARY_EDGES), log_pay, side="right").astype(np.int8),
    }
