"""The transformer on mixed columns: in pipelines, cloned, pickled, cross-validated, and with a target."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import sfumato.sklearn
from sfumato.errors import ParameterError

RANDOM = np.random.default_rng(4)
ROWS = 600
PEOPLE = pd.DataFrame(
    {
        "age": RANDOM.integers(18, 80, ROWS),
        "town": pd.Categorical(RANDOM.choice(["Siena", "Lucca", "Pisa", "Arezzo"], ROWS)),
        "job": RANDOM.choice(["clerk", "farmer", None], ROWS, p=[0.5, 0.45, 0.05]),
        "pay": RANDOM.normal(3_000, 800, ROWS).round(),
    }
)
ILL = ((PEOPLE["age"] > 50) ^ (RANDOM.random(ROWS) < 0.15)).astype(int).to_numpy()


@pytest.mark.parametrize("minimize", [None, "prediction"])
@pytest.mark.parametrize("k", [3, 10])
def test_mixed_columns_come_out_at_least_k_times(minimize, k):
    shown = sfumato.sklearn.Anonymizer(k=k, minimize=minimize).fit_transform(PEOPLE, ILL)
    assert shown.shape == PEOPLE.shape
    assert min(Counter(map(tuple, shown)).values()) >= k
    names = {"Siena", "Lucca", "Pisa", "Arezzo"}
    for told, true in zip(shown[:, 1], PEOPLE["town"], strict=True):
        assert told == true or (told.startswith("[") and set(told[1:-1].split(", ")) <= names)


def test_polars_and_pandas_agree():
    one = sfumato.sklearn.Anonymizer(k=5).fit_transform(PEOPLE[["age", "job"]])
    two = sfumato.sklearn.Anonymizer(k=5).fit_transform(pl.from_pandas(PEOPLE[["age", "job"]]))
    assert (one == two).all()


def test_in_a_column_transformer_with_names_cloned_and_pickled():
    anonymize = sfumato.sklearn.Anonymizer(k=5, minimize="prediction")
    steps = ColumnTransformer([("people", anonymize, ["age", "town", "job"]), ("rest", "passthrough", ["pay"])])
    copy = clone(steps)
    copy.fit(PEOPLE, ILL)
    assert list(copy.get_feature_names_out()) == ["people__age", "people__town", "people__job", "rest__pay"]
    again = pickle.loads(pickle.dumps(copy))
    assert (again.transform(PEOPLE) == copy.transform(PEOPLE)).all()
    frame = clone(anonymize).set_output(transform="pandas").fit(PEOPLE, ILL).transform(PEOPLE)
    assert list(frame.columns) == list(PEOPLE.columns)
    # What a fitted transformer holds is no larger than its boxes: it keeps no row of the training data.
    assert len(pickle.dumps(copy.named_transformers_["people"])) < 200 * len(PEOPLE)


def test_a_category_that_was_not_there_before_is_nowhere_in_particular():
    fitted = sfumato.sklearn.Anonymizer(k=5).fit(PEOPLE)
    new = PEOPLE.head(3).assign(town="Roma")
    shown = fitted.transform(new)
    assert "Roma" not in set(shown[:, 1])


def model(anonymize):
    features = ColumnTransformer(
        [("numbers", StandardScaler(), [0, 3]), ("categories", OneHotEncoder(handle_unknown="ignore"), [1, 2])]
    )
    return make_pipeline(anonymize, features, LogisticRegression(max_iter=500))


def test_cross_validated_by_rows_the_target_keeps_what_predicts_it():
    plain = cross_val_score(model(sfumato.sklearn.Anonymizer(k=40)), PEOPLE, ILL, scoring="roc_auc", cv=3).mean()
    aimed = cross_val_score(
        model(sfumato.sklearn.Anonymizer(k=40, minimize="prediction")), PEOPLE, ILL, scoring="roc_auc", cv=3
    ).mean()
    assert aimed > 0.8
    assert aimed > plain
    fitted = model(sfumato.sklearn.Anonymizer(k=10, minimize="prediction")).fit(PEOPLE, ILL)
    assert roc_auc_score(ILL, fitted.predict_proba(PEOPLE)[:, 1]) > 0.8


def test_a_number_is_a_target_too():
    target = PEOPLE["age"].to_numpy() * 1.5 + RANDOM.random(ROWS)
    assert sfumato.sklearn.Anonymizer(k=10, minimize="prediction").fit(PEOPLE, target).k_ >= 10


def test_what_is_lacking_is_said():
    with pytest.raises(ValueError, match=r"needs the target y: fit\(X, y\)"):
        sfumato.sklearn.Anonymizer(minimize="prediction").fit(PEOPLE)
    with pytest.raises(ParameterError, match="Did you mean 'prediction'"):
        sfumato.sklearn.Anonymizer(minimize="predictions").fit(PEOPLE, ILL)


def test_dates_and_truth_values_are_numbers_in_pandas_as_in_polars():
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(RANDOM.integers(0, 900, ROWS), unit="D")
    people = PEOPLE[["age", "job"]].assign(seen=days, smokes=RANDOM.random(ROWS) < 0.3)
    one = sfumato.sklearn.Anonymizer(k=5).fit_transform(people)
    assert (one == sfumato.sklearn.Anonymizer(k=5).fit_transform(pl.from_pandas(people))).all()
    assert all(18_262 <= day <= 18_262 + 900 for day in one[:, 2])
    alone = sfumato.sklearn.Anonymizer(k=5).fit_transform(people[["seen", "age"]].assign(seen=days.tz_localize("UTC")))
    assert alone.dtype == np.float64
    with pytest.raises(ValueError, match="NaN"):
        sfumato.sklearn.Anonymizer(k=5).fit(people.assign(seen=people["seen"].where(people["age"] > 30)))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_that_come_out_have_the_types_of_their_columns(library):
    anonymize = sfumato.sklearn.Anonymizer(k=5).set_output(transform=library)
    frame = clone(anonymize).fit_transform(PEOPLE.iloc[::-1])
    assert list(frame.columns) == list(PEOPLE.columns)
    assert (np.asarray(frame["pay"].mean()) > 0).all()
    if library == "pandas":
        assert [kind.kind for kind in frame.dtypes] == ["f", "O", "O", "f"]
        assert frame.index.equals(PEOPLE.index[::-1])
    else:
        assert frame.dtypes == [pl.Float64, pl.String, pl.String, pl.Float64]


def test_words_lacking_in_every_way_are_one_category():
    jobs = pd.Series(["clerk", pd.NA, "farmer", pd.NA] * 5, dtype="string")
    shown = sfumato.sklearn.Anonymizer(k=2).fit_transform(pd.DataFrame({"job": jobs}))
    assert "(missing)" in "".join(shown[:, 0])
    with pytest.raises(ValueError, match="words in a data frame"):
        sfumato.sklearn.Anonymizer(k=2).fit(np.array([[1, "clerk"], [2, "farmer"]], object))
