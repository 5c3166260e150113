"""Estimators of population uniqueness on populations whose truth is known, and their formulas against slow sums."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sfumato.assess.risk.survey_weights import benedetti_franconi
from sfumato.privacy.estimators import SampleSizes, estimate, pitman, slide_negative_binomial, zayatz


def drawn(sizes, fraction, random):
    """Return the class sizes of a sample without replacement, and how many people of the population are unique."""
    people = np.repeat(np.arange(len(sizes)), sizes)
    sample = np.bincount(random.choice(people, int(fraction * len(people)), replace=False))
    return sample[sample > 0], int((sizes == 1).sum()), len(people)


def pitman_population(alpha, theta, people, random):
    """Seat people one after the other: at a new table with the chance that Pitman's model says."""
    sizes: list[int] = []
    seated: list[int] = []
    for already in range(people):
        if random.random() < (theta + alpha * len(sizes)) / (theta + already):
            sizes.append(1)
            seated.append(len(sizes) - 1)
            continue
        while True:  # a table is joined in proportion to its size less alpha
            table = seated[random.integers(already)]
            if random.random() < 1 - alpha / sizes[table]:
                break
        sizes[table] += 1
        seated.append(table)
    return np.array(sizes)


@pytest.mark.parametrize("fraction", [0.05, 0.3])
def test_pitman_finds_the_uniques_of_a_population_of_its_own_model(fraction):
    random = np.random.default_rng(5)
    sizes, truth, people = drawn(pitman_population(0.6, 50.0, 30_000, random), fraction, random)
    assert pitman(SampleSizes.of(sizes, people)) == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("fraction", [0.1, 0.3])
def test_the_slide_model_finds_the_uniques_of_a_population_of_its_own_model(fraction):
    random = np.random.default_rng(6)
    sizes, truth, people = drawn(1 + random.negative_binomial(0.3, 0.05, 20_000), fraction, random)
    assert slide_negative_binomial(SampleSizes.of(sizes, people)) == pytest.approx(truth, rel=0.1)


def test_zayatz_finds_the_uniques_where_a_large_sample_looks_like_the_population():
    random = np.random.default_rng(7)
    population = np.bincount(random.choice(20_000, 60_000, p=_zipf(20_000)))
    sizes, truth, people = drawn(population[population > 0], 0.8, random)
    assert zayatz(SampleSizes.of(sizes, people)) == pytest.approx(truth, rel=0.1)


def _zipf(values):
    weights = 1 / np.arange(1, values + 1)
    return weights / weights.sum()


def test_zayatz_is_the_share_of_singletons_that_are_alone():
    sample = SampleSizes.of(np.array([1, 1, 1, 2, 3]), 20)
    chance = {size: size * math.comb(20 - size, 7) / math.comb(20, 8) for size in (1, 2, 3)}
    alone = 3 * chance[1] / (3 * chance[1] + chance[2] + chance[3])
    assert zayatz(sample) == pytest.approx(3 * alone / (8 / 20))


def test_the_whole_population_needs_no_estimate():
    found = estimate(np.array([1, 1, 4]), 6)
    assert (found.chosen, found.expected, found.share) == ("sample", 2, 1 / 3)


def test_dankar_and_others_choose_by_the_share_that_was_drawn():
    sizes = np.array([1] * 40 + [2] * 20 + [5] * 4)
    few, many = estimate(sizes, 10_000), estimate(sizes, 300)
    assert few.chosen == "pitman"
    assert many.chosen in {"zayatz", "slide negative binomial"}
    assert many.expected == min(many.uniques["zayatz"], many.uniques["slide negative binomial"])
    assert estimate(np.array([2, 3]), 50).expected == 0.0


@pytest.mark.parametrize("people", [1, 2, 3, 7])
@pytest.mark.parametrize("share", [0.02, 0.4, 1.0])
def test_benedetti_franconi_is_the_mean_of_one_over_the_size_in_the_population(people, share):
    (risk,) = benedetti_franconi(np.array([people]), np.array([people / share]))
    assert risk == pytest.approx(slow_mean_of_inverse(people, share), rel=1e-6)


def slow_mean_of_inverse(people, share):
    """Sum over all sizes in the population, each with its chance."""
    total, chance = 0.0, share**people
    for size in range(people, 4000):
        total += chance / size
        chance *= (1 - share) * size / (size - people + 1)
    return total
