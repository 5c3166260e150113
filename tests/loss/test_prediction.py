"""Prediction: what spans hide about a label, judged by rows that did not choose it."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.loss.prediction import CERTAINTY, PRIOR, cut_scale, few_labels, information, prediction_prices
from sfumato.methods import Task
from sfumato.methods.multidim.label_cuts import LabelCuts
from sfumato.privacy import Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import SensitiveColumn
from sfumato.table.recoding import Recoding

LABELS = st.integers(0, 2)


def slow_information(chosen: list[tuple[int, int]], judged: list[tuple[int, int]]) -> float:
    """Return the mean logarithm by which a label gets likelier when the value is known, row by row."""
    labels, pairs, values = (
        Counter(label for _, label in chosen),
        Counter(chosen),
        Counter(value for value, _ in chosen),
    )
    before = {label: (labels[label] + 1) / (len(chosen) + 3) for label in range(3)}
    # The whole table is drawn a little towards itself as well.
    whole = {label: (labels[label] + PRIOR * before[label]) / (len(chosen) + PRIOR) for label in range(3)}
    gains = []
    for value, label in judged:
        after = (pairs[value, label] + PRIOR * before[label]) / (values[value] + PRIOR)
        gains.append(math.log(after / whole[label]))
    return sum(gains) / max(1, len(gains))


def counted(rows: list[tuple[int, int]]) -> np.ndarray:
    table = np.zeros((5, 3))
    for value, label in rows:
        table[value, label] += 1
    return table


@given(*[st.lists(st.tuples(st.integers(0, 4), LABELS), min_size=1, max_size=30)] * 2)
def test_what_values_tell_is_worked_out_row_by_row(chosen, judged) -> None:
    assert information(counted(chosen), counted(judged)) == pytest.approx(slow_information(chosen, judged))


def test_a_cut_stays_only_if_other_rows_gain_by_it() -> None:
    cut = np.array([[20, 0], [20, 0], [0, 20], [0, 20]], float)
    assert cut_scale(cut, cut).tolist() == [0, 2]
    assert cut_scale(cut, cut[::-1]).tolist() == [0]
    assert cut_scale(cut, np.full((4, 2), 10.0)).tolist() == [0]
    assert cut_scale(cut[:1], cut[:1]).tolist() == [0]


@pytest.fixture(scope="module")
def people() -> pa.Table:
    random = np.random.default_rng(1)
    rows = 2_000
    age, noise = random.integers(20, 60, rows), random.integers(0, 40, rows)
    town = random.choice(["bay", "cape", "glen", "peak"], rows)
    ill = (age > 45) ^ (random.random(rows) < 0.1)
    return pa.table({"age": age, "noise": noise, "town": town, "other": ["x", "y"] * (rows // 2), "ill": ill})


def test_columns_cost_what_they_tell(people: pa.Table) -> None:
    names = {"age": None, "noise": None, "town": sf.Categorical()}
    microdata = encode(people, names, ["ill"])
    priced = prediction_prices(microdata, microdata.marginals)
    assert priced.weights.sum() == pytest.approx(1)
    assert priced.weights[0] > 0.9 * (1 - CERTAINTY)
    ages = priced.domains[0]
    across, beside = (ages.span_costs(np.array([low]), np.array([high]))[0] for low, high in ((20, 30), (0, 10)))
    assert across > 5 * beside
    with pytest.raises(ParameterError, match="Sensitive columns: 'ill'"):
        prediction_prices(microdata, microdata.marginals, label="age")
    nothing = encode(people, names, ["other"])
    alike = prediction_prices(nothing, nothing.marginals)
    assert alike.weights[0] == pytest.approx(1 / 3, abs=0.34)


def crosses(shown: str, place: float) -> bool:
    low, *high = (float(end) for end in shown.strip("[]").split(","))
    return low < place < (high or [low])[0]


def test_a_release_keeps_what_tells_the_label(people: pa.Table) -> None:
    schema = sf.Schema(["age", "noise", "town"], ["other", "ill"])
    general, made = (
        sf.anonymize(people, schema, k=50, method=sf.BestCuts(minimize=loss), seed=1)
        for loss in ("gcp", "prediction:ill")
    )
    unclear = [sum(crosses(age, 45.5) for age in one.data["age"].to_pylist()) for one in (general, made)]
    assert unclear[1] < 0.2 * unclear[0]
    assert "minimizes-label" in {caution.code for caution in made.cautions}
    assert made.manifest["method"]["parameters"]["minimize"] == "prediction:ill"
    unlabelled = sf.Schema(["age", "noise"], rest="drop")
    with pytest.raises(ParameterError, match="needs a sensitive column"):
        sf.anonymize(people, unlabelled, k=50, method=sf.BestCuts(minimize="prediction"))


@pytest.mark.parametrize("method", [sf.Auto, sf.Hilbert, sf.Lattice, sf.Peeling])
def test_every_method_that_lowers_spans_takes_it(people: pa.Table, method: type) -> None:
    table = people.slice(0, 300)
    schema = sf.Schema({"age": sf.Numeric(widths=(5, 10, 20)), "town": None}, "ill", rest="drop")
    release = sf.anonymize(table, schema, k=5, l=1.2, method=method(minimize="prediction"), seed=1)
    assert release.verification.ok


@pytest.mark.parametrize(
    "models", [(sf.KAnonymity(20),), (sf.KAnonymity(5), sf.LDiversity(1.05)), (sf.MinimumSpan("age", 3),)]
)
def test_cuts_by_the_label_are_allowed_and_confirmed(people: pa.Table, models: tuple) -> None:
    table = people.slice(0, 600).append_column("late", [[None] * 30 + list(range(570))])
    kinds = sf.Taxonomy.from_dict({"sea": ["bay", "cape"], "land": {"hills": ["glen", "peak"]}})
    microdata = encode(table, {"age": None, "late": None, "town": kinds}, ["ill"])
    requirements = Requirements(models, microdata)
    classes = LabelCuts(Task(microdata, requirements)).classes()
    assert not requirements.broken_by(Recoding(classes=classes))
    assert len(np.unique(classes)) > 1
    ages = np.array(table["age"].to_pylist())
    old = np.array([ages[classes == one].mean() > 45 for one in classes])
    assert (old == (ages > 45)).mean() > 0.9


def test_labels_that_follow_nothing_are_not_cut(people: pa.Table) -> None:
    random = np.random.default_rng(7)
    found = []
    for _ in range(5):
        chance = people.set_column(4, "ill", [random.choice(["a", "b"], people.num_rows)])
        microdata = encode(chance, {"age": None, "noise": None, "town": sf.Categorical()}, ["ill"])
        task = Task(microdata, Requirements((sf.KAnonymity(50),), microdata))
        found.append(len(np.unique(LabelCuts(task).classes())))
    assert np.median(found) <= 4


def test_of_many_labels_the_rare_ones_are_one() -> None:
    codes = np.repeat(np.arange(100, dtype=np.int32), np.arange(100, 0, -1))
    column = few_labels(SensitiveColumn("pay", pa.array(range(100)), codes))
    assert column.size == 16
    assert column.counts().tolist() == [*range(100, 85, -1), sum(range(86))]
    few = SensitiveColumn("ill", pa.array(["a", "b"]), np.array([0, 1], np.int32))
    assert few_labels(few) is few
