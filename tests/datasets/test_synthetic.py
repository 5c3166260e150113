from __future__ import annotations

import math

import numpy as np
import pytest
from tests.datasets.helpers import cardinalities, heights

from sfumato.datasets import discrete, simple_normal
from sfumato.errors import ParameterError


def counts(dataset, column: str, size: int) -> np.ndarray:
    return np.bincount(dataset.table.column(column).to_numpy(), minlength=size)


def test_the_default_is_the_first_experiment_of_the_paper():
    dataset = discrete()
    assert dataset.table.shape == (10_000, 5)
    assert cardinalities(dataset) == dict.fromkeys(["x1", "x2", "x3", "x4", "x5"], 8)
    assert heights(dataset) == dict.fromkeys(["x1", "x2", "x3", "x4", "x5"], 3)


def test_uniform_is_uniform():
    shares = counts(discrete(100_000), "x1", 8) / 100_000
    np.testing.assert_allclose(shares, 1 / 8, atol=0.006)


def test_skewed_is_the_normal_distribution_in_ranges_of_width_one():
    shares = counts(discrete(200_000, 1, 8, "skewed", sigma=0.2, mu=3.5), "x1", 8) / 200_000
    edges = (np.arange(9) - 0.5 - 3.5) / 1.6
    expected = np.diff([0.5 * (1 + math.erf(edge / math.sqrt(2))) for edge in edges])
    np.testing.assert_allclose(shares, expected / expected.sum(), atol=0.005)


def test_without_a_mean_it_is_the_middle():
    assert discrete(100, distribution="skewed").table.equals(discrete(100, distribution="skewed", mu=3.5).table)


def test_smaller_sigma_is_more_skew_at_any_cardinality():
    for cardinality in (8, 50):
        spread = [
            discrete(20_000, 1, cardinality, "skewed", sigma=sigma).table.column("x1").to_numpy().std() / cardinality
            for sigma in (0.05, 0.2)
        ]
        assert spread[0] < 0.07
        assert 0.15 < spread[1] < 0.21


def test_the_mean_moves_the_peak():
    assert counts(discrete(5000, 1, 50, "skewed", mu=0), "x1", 50).argmax() < 5
    assert counts(discrete(5000, 1, 50, "skewed", mu=49), "x1", 50).argmax() > 44


def test_attributes_are_drawn_apart():
    table = discrete(10_000, 2).table
    assert abs(np.corrcoef(table.column("x1").to_numpy(), table.column("x2").to_numpy())[0, 1]) < 0.05


@pytest.mark.parametrize(("cardinality", "height"), [(1, 1), (2, 1), (3, 2), (8, 3), (9, 4), (50, 6)])
def test_hierarchies_are_binary_trees(cardinality, height):
    assert heights(discrete(20_000, 1, cardinality)) == {"x1": height}


def test_more_values_than_two_bytes_hold():
    assert discrete(10, 1, 100_000).table.column("x1").to_numpy().max() > 40_000


@pytest.mark.parametrize("make", [discrete, simple_normal])
def test_same_seed_same_table_other_seed_another(make):
    assert make(rows=100, seed=5).table.equals(make(rows=100, seed=5).table)
    assert not make(rows=100, seed=5).table.equals(make(rows=100, seed=6).table)


@pytest.mark.parametrize("make", [discrete, simple_normal])
def test_one_row_and_no_rows(make):
    assert make(rows=1).table.num_rows == 1
    with pytest.raises(ParameterError, match="'rows'"):
        make(rows=0)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("attributes", 0),
        ("cardinality", 0),
        ("distribution", "normal"),
        ("sigma", 0),
        ("sigma", math.inf),
        ("mu", -0.1),
        ("mu", 7.5),
        ("mu", math.nan),
    ],
)
def test_impossible_parameters_are_refused(name, value):
    with pytest.raises(ParameterError, match=f"'{name}' parameter of discrete"):
        discrete(**{name: value})


def test_simple_normal_is_two_independent_bells_from_0_to_100():
    dataset = simple_normal(200_000)
    x, y = (dataset.table.column(name).to_numpy() for name in "xy")
    assert cardinalities(dataset) == {"x": 101, "y": 101}
    assert (x.min(), x.max(), y.min(), y.max()) == (0, 100, 0, 100)
    for values in (x, y):
        assert values.mean() == pytest.approx(50, abs=0.2)
        assert values.std() == pytest.approx(50 / 3, rel=0.03)
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.01
