"""The transformer for scikit-learn: its own estimator checks, and what is promised of what comes out."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from unittest import SkipTest

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import sfumato as sf
from sfumato.errors import ParameterError


# The tables of some checks have ten rows or fewer classes than that, so k is small here.
@parametrize_with_checks([sf.sklearn.Anonymizer(k=2)])
def test_scikit_learn_finds_nothing_wrong(estimator, check) -> None:
    try:
        check(estimator)
    except SkipTest as reason:
        if "array_api" not in str(reason):  # arrays of other libraries, which this transformer does not claim to take
            raise


@pytest.fixture(scope="module")
def people() -> np.ndarray:
    random = np.random.default_rng(7)
    return np.column_stack(
        [random.integers(18, 90, 600), random.normal(2_000, 500, 600).round(2), random.integers(0, 2, 600)]
    )


def test_every_row_that_comes_out_is_shared(people: np.ndarray) -> None:
    anonymizer = sf.sklearn.Anonymizer(k=10)
    rows = anonymizer.fit_transform(people)
    counts = Counter(map(tuple, rows.tolist()))
    assert min(counts.values()) >= 10
    assert len(counts) > 20
    assert anonymizer.k_ == min(counts.values())
    assert 0 < anonymizer.loss_ < 0.5
    assert np.array_equal(rows, anonymizer.transform(people))


def test_boxes_hold_their_rows_and_do_not_overlap(people: np.ndarray) -> None:
    lower, upper = sf.sklearn.Anonymizer(k=10).fit(people).boxes_
    inside = [((people >= low) & (people <= high)).all(axis=1) for low, high in zip(lower, upper, strict=True)]
    assert (np.sum(inside, axis=0) == 1).all()


def test_a_new_row_gets_the_nearest_box(people: np.ndarray) -> None:
    anonymizer = sf.sklearn.Anonymizer(k=50).fit(people)
    lower, upper = anonymizer.boxes_
    new = np.array([[200.0, 9_000.0, 1.0], [30.0, 2_000.0, 0.0]])
    ranges = upper.max(axis=0) - lower.min(axis=0)
    for row, given in zip(new, anonymizer.transform(new), strict=True):
        ends = zip(lower, upper, strict=True)
        away = [(np.maximum(np.maximum(low - row, row - high), 0) / ranges).sum() for low, high in ends]
        best = int(np.argmin(away))
        assert given == pytest.approx((lower[best] + upper[best]) / 2)


def test_it_works_in_a_pipeline_and_keeps_names(people: np.ndarray) -> None:
    frame = pd.DataFrame(people, columns=["age", "pay", "sex"])
    anonymizer = sf.sklearn.Anonymizer(k=5).set_output(transform="pandas")
    assert list(anonymizer.fit_transform(frame).columns) == ["age", "pay", "sex"]
    model = make_pipeline(sf.sklearn.Anonymizer(k=5), LinearRegression()).fit(frame[["age", "sex"]], frame["pay"])
    assert model.predict(frame[["age", "sex"]]).shape == (600,)


def test_mistakes_are_named() -> None:
    with pytest.raises(ParameterError, match="'k' parameter of Anonymizer must be an integer of at least 1"):
        sf.sklearn.Anonymizer(k=0).fit([[1.0], [2.0]])
    with pytest.raises(ValueError, match=r"needs at least k rows, but there are n_samples=2"):
        sf.sklearn.Anonymizer(k=3).fit([[1.0], [2.0]])


def test_without_scikit_learn_its_line_is_named() -> None:
    lines = ["import sys", "sys.modules['sklearn'] = None", "import sfumato"]
    code = "\n".join([*lines, "try: sfumato.sklearn", "except ImportError as error: print(error)"])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'sfumato[sklearn]'" in done.stdout
