"""One declaration of a loss is enough: releases report it, and every method that is able to lowers it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.loss import METRICS, Objective, RecodedTable, find_objective, register_loss
from sfumato.loss.objective import LABELS, SPANS, Marginals
from sfumato.methods import REGISTRY, Method, find_method
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding


def only_age(microdata: Microdata, marginals: Marginals, tie: float) -> Microdata:
    weights = np.array([1.0 if name == "age" else tie for name in microdata.names])
    return dataclasses.replace(microdata, weights=weights)


#: One loss for every part that a method may be able to lower, and some for several.
NEW = {
    "age_alone": Objective("age_alone", "penalty of age", spread=1.0, prices=only_age, suppressed=lambda rows: 1.0),
    "spans_and_sizes": Objective("spans_and_sizes", spread=1.0, squares=0.05, suppressed=lambda rows: 5.0),
    "spans_and_labels": Objective("spans_and_labels", spread=0.2, labels=3.0, suppressed=lambda rows: 3.0),
    "steps": Objective("steps", heights=lambda domain, weight: np.arange(domain.top + 1.0) ** 2),
    "few_large": Objective("few_large", by_size=lambda sizes: np.maximum(0, sizes - 7) ** 2.0),
}
#: What methods that go on by small steps start from, at best.
STARTS = {"refined": "mondrian", "best": "hilbert", "auto": "hilbert"}
METHODS = {name: find_method(name) for name in REGISTRY}
ABLE = [
    (method, loss)
    for method in METHODS
    for loss, objective in NEW.items()
    if METHODS[method].lowers and objective.parts <= METHODS[method].lowers
]
UNABLE = [(method, loss) for method in METHODS for loss in NEW if METHODS[method].lowers and (method, loss) not in ABLE]


@pytest.fixture(autouse=True)
def _registered() -> Iterator[None]:
    for objective in NEW.values():
        register_loss(objective)
    yield
    for name in NEW:
        del METRICS[name]


def table() -> pa.Table:
    random = np.random.default_rng(8)
    age = random.integers(0, 30, 90)
    return pa.table({"age": age, "size": random.integers(0, 9, 90), "ill": random.choice(["a", "b", "c"], 90)})


SCHEMA = sf.Schema({"age": sf.Numeric(widths=(5, 15)), "size": sf.Numeric(widths=(3,))}, ["ill"])


def release(method: Method) -> sf.Release:
    return sf.anonymize(table(), SCHEMA, k=4, method=method, seed=1)


def test_every_part_has_a_method_and_many_methods_have_a_choice() -> None:
    assert {loss for _, loss in ABLE} == set(NEW)
    assert len({method for method, _ in ABLE}) >= 15


@pytest.mark.parametrize(("method", "loss"), ABLE)
def test_whoever_is_able_lowers_a_new_loss(method: str, loss: str) -> None:
    """It is never more than what the same method makes of another loss; of what it starts from, for a local search."""
    given = METHODS[method]
    asked = release(dataclasses.replace(given, minimize=loss))  # type: ignore[type-var, call-arg]
    if method in STARTS:
        other = find_method(STARTS[method])
    else:
        other = dataclasses.replace(given, minimize="height" if loss == "steps" else "gcp")  # type: ignore[type-var, call-arg]
    assert asked.loss[loss] <= release(other).loss[loss] + 1e-9


@pytest.mark.parametrize(("method", "loss"), UNABLE)
def test_whoever_is_not_says_what_is_missing(method: str, loss: str) -> None:
    missing = sorted(NEW[loss].parts - METHODS[method].lowers)
    with pytest.raises(ParameterError, match=f"cannot minimize '{loss}', which depends on {missing[0]}.* It takes"):
        dataclasses.replace(METHODS[method], minimize=loss)  # type: ignore[type-var, call-arg]


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if method.lowers])
def test_names_are_taken_or_refused_by_what_they_depend_on(method: str) -> None:
    for name, objective in METRICS.items():
        try:
            dataclasses.replace(METHODS[method], minimize=name)  # type: ignore[type-var, call-arg]
        except ParameterError:
            assert not objective.parts <= METHODS[method].lowers
        else:
            assert objective.parts <= METHODS[method].lowers


def test_a_loss_is_reported_under_its_name() -> None:
    made = release(find_method("lattice"))
    assert made.loss.age_alone == pytest.approx(made.loss.by_attribute["age"] * 90)
    assert made.alternatives["spans_and_sizes"][0].as_py() > 0


def test_a_sum_of_parts_by_hand() -> None:
    """Ages 0, 10, 20, 40 and three labels: two classes of two, the second with two labels."""
    microdata = encode(pa.table({"age": [0, 10, 20, 40], "ill": ["a", "a", "a", "b"]}), {"age": None}, ["ill"])
    classes = EquivalenceClasses.of(microdata, Recoding(classes=np.array([0, 0, 1, 1], np.int32)))
    loss = Objective("sum", spread=2.0, squares=0.5, labels=7.0, per_class=-1.0, by_size=np.sqrt)
    spans, sizes, labels = 2 * (2 * 10 / 40 + 2 * 20 / 40), 0.5 * (4 + 4), 7 * 1
    expected = spans + sizes + labels - 2 + 2 * np.sqrt(2)
    assert loss.measure(RecodedTable(microdata, classes)) == pytest.approx(expected)


def test_a_measure_of_the_whole_release_is_no_objective() -> None:
    whole = Objective("largest", by_release=lambda recoded: float(recoded.classes.sizes.max()))
    with pytest.raises(ParameterError, match="depends on a function of the whole release"):
        find_objective("Best", whole, {SPANS, LABELS})


@pytest.mark.parametrize(
    "wrong", [{"spread": -1.0}, {"squares": float("nan")}, {"labels": "many"}, {"per_class": 1.0}], ids=str
)
def test_a_part_that_would_reward_loss_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match=f"The '{next(iter(wrong))}' parameter of Objective"):
        Objective("own", **wrong)  # type: ignore[arg-type]
