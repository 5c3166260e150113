"""Refinement never raises the loss and never breaks a model, whatever it starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import examples
from tests.helpers import table_strategy

from sfumato.common import threads
from sfumato.errors import ParameterError
from sfumato.methods import Hilbert, Mondrian, Refined, Task
from sfumato.methods.refinement import RefinementLimit, search
from sfumato.methods.refinement.search import refine
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, Requirements, TCloseness
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

MODELS: list[tuple[PrivacyModel, ...]] = [
    (KAnonymity(2),),
    (KAnonymity(5),),
    (KAnonymity(2), LDiversity(2)),
    (LDiversity(2, kind="distinct"),),
    (KAnonymity(3), LDiversity(1.5, kind="entropy")),
    (LDiversity(2, kind="recursive", c=2.0),),
    (KAnonymity(2), TCloseness(0.3)),
    (KAnonymity(2), TCloseness(0.2, distance="ordered"), LDiversity(2, kind="distinct")),
]


def slow_loss(microdata: Microdata, classes: NDArray[np.int32]) -> float:
    """Return the penalty of a recoding, row by row and value by value."""
    total = 0.0
    for row, group in enumerate(classes):
        if group < 0:
            total += 1
            continue
        members = microdata.codes[classes == group].astype(int)
        for at, domain in enumerate(microdata.domains):
            lo, hi = np.array([members[:, at].min()]), np.array([members[:, at].max()])
            total += microdata.weights[at] * float(domain.span_costs(lo, hi)[0])
        assert row < len(microdata)
    return total / len(microdata)


def allowed_start(requirements: Requirements, labels: list[int]) -> NDArray[np.int32]:
    """Return classes near the given ones that are allowed: those that are not become one, or everything does."""
    classes = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    for group in range(int(classes.max()) + 1):
        alone = np.where(classes == group, 0, -1).astype(np.int32)
        if requirements.broken_by(Recoding(classes=alone)):
            classes[classes == group] = classes.max() + 1
            classes[classes > group] = np.where(classes[classes > group] > group, classes[classes > group], group)
    broken = requirements.broken_by(Recoding(classes=classes))
    return np.zeros(len(labels), np.int32) if broken else classes


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_the_loss_never_rises_and_every_model_still_holds(data: st.DataObject) -> None:
    microdata = data.draw(table_strategy(rows=(6, 60))).encoded()
    requirements = Requirements(data.draw(st.sampled_from(MODELS)), microdata)
    assume(not requirements.broken_by_table())
    labels = data.draw(st.lists(st.integers(0, 6), min_size=len(microdata), max_size=len(microdata)))
    start = allowed_start(requirements, labels)
    rounds = data.draw(st.sampled_from([1, 3, 40]))
    goal = TaskLoss(Task(microdata, requirements, seed=data.draw(st.integers(0, 9))))
    refined = refine(goal, start, RefinementLimit(rounds=rounds))
    assert slow_loss(microdata, refined) <= slow_loss(microdata, start) + 1e-9
    assert not requirements.broken_by(Recoding(classes=refined))
    assert (refined >= 0).all()


@pytest.mark.parametrize("columns", [12, 20, 30])
def test_wide_tables_are_refined_too(columns: int) -> None:
    random = np.random.default_rng(columns)
    numbers = {f"n{at}": random.integers(0, 50, 200) for at in range(columns // 2)}
    words = {f"w{at}": random.choice(list("abcdef"), 200) for at in range(columns - columns // 2)}
    microdata = encode(pa.table(numbers | words), dict.fromkeys(numbers | words))
    task = Task(microdata, Requirements((KAnonymity(5),), microdata))
    start = Hilbert().run(task).classes
    assert start is not None
    losses = [slow_loss(microdata, start)]
    for rounds in (1, 8):
        refined = refine(TaskLoss(task), start, RefinementLimit(rounds=rounds))
        assert not task.requirements.broken_by(Recoding(classes=refined))
        losses.append(slow_loss(microdata, refined))
    assert losses[0] > losses[1] > losses[2]


@settings(max_examples=examples(30), deadline=None)
@given(table_strategy(rows=(12, 40)), st.integers(1, 5))
def test_rows_that_are_left_out_stay_out(table, out: int) -> None:
    microdata = table.encoded()
    start = np.zeros(len(microdata), np.int32)
    start[:out] = -1
    refined = refine(
        TaskLoss(Task(microdata, Requirements((KAnonymity(3),), microdata))), start, RefinementLimit(rounds=4)
    )
    assert np.array_equal(refined < 0, start < 0)
    assert slow_loss(microdata, refined) <= slow_loss(microdata, start) + 1e-9


@settings(max_examples=examples(20), deadline=None)
@given(table_strategy(rows=(20, 60)))
def test_the_reported_loss_is_what_an_independent_recomputation_finds(table) -> None:
    microdata = table.encoded()
    stages: list[str] = []
    task = Task(
        microdata, Requirements((KAnonymity(3),), microdata), progress=lambda stage, share: stages.append(stage)
    )
    refined = refine(TaskLoss(task), np.zeros(len(microdata), np.int32), RefinementLimit(rounds=8))
    assert stages[-1] == f"refining, loss {slow_loss(microdata, refined):.4f}"


def numbers(rows: int, seed: int = 0) -> Microdata:
    import pyarrow as pa  # noqa: PLC0415

    from sfumato.table.encoding import encode  # noqa: PLC0415

    random = np.random.default_rng(seed)
    x = random.normal(size=rows)
    y = x + random.normal(size=rows)
    return encode(pa.table({"x": np.round(x, 1), "y": np.round(y, 1)}), {"x": None, "y": None})


def test_one_class_falls_apart_into_many() -> None:
    microdata = numbers(400)
    task = Task(microdata, Requirements((KAnonymity(5),), microdata))
    refined = refine(TaskLoss(task), np.zeros(400, np.int32), RefinementLimit(rounds=32))
    assert slow_loss(microdata, refined) < 0.15
    assert len(np.unique(refined)) > 40


def test_the_same_seed_gives_the_same_classes_and_another_seed_others() -> None:
    microdata = numbers(500)
    requirements = Requirements((KAnonymity(5),), microdata)
    start = Mondrian().run(Task(microdata, requirements)).classes
    assert start is not None
    found = [
        refine(TaskLoss(Task(microdata, requirements, seed=seed)), start, RefinementLimit(rounds=4))
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


@pytest.mark.parametrize(("seconds", "number", "many"), [(np.inf, 1, True), (60.0, 2, False), (60.0, 16, True)])
def test_a_calm_search_is_divided_among_many_processors(
    seconds: float, number: int, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fixed amount of work is divided alike on every machine; with a time limit, where it keeps threads busy."""
    table = pa.table({"age": np.random.default_rng(3).integers(0, 90, 2_000)})
    microdata = encode(table, {"age": None})
    task = Task(microdata, Requirements((KAnonymity(5),), microdata))
    counts: list[int] = []

    def noted(work: Any, pieces: Any) -> list[Any]:
        pieces = list(pieces)
        counts.append(len(pieces))
        return threads.side_by_side(work, pieces)

    monkeypatch.setattr(search, "PART_ROWS", 50)
    monkeypatch.setattr(search, "PART_CELLS", 8 * 1_000)
    monkeypatch.setattr(search, "side_by_side", noted)
    start = Hilbert().run(task).classes
    assert start is not None
    with threads.at_most(number):
        refine(TaskLoss(task), start, RefinementLimit(rounds=8, seconds=seconds, patience=0.0))
    assert counts[0] == 2
    assert (max(counts) >= 16) == many


def test_an_interrupt_keeps_the_best_so_far() -> None:
    microdata = numbers(400)
    requirements = Requirements((KAnonymity(5),), microdata)

    def interrupt(stage: str, share: float) -> None:
        if stage.startswith("refining, loss"):
            raise KeyboardInterrupt

    start = np.zeros(400, np.int32)
    refined = refine(TaskLoss(Task(microdata, requirements, progress=interrupt)), start, RefinementLimit(rounds=400))
    assert slow_loss(microdata, refined) < 0.9 * slow_loss(microdata, start)
    assert not requirements.broken_by(Recoding(classes=refined))


def test_no_rounds_change_nothing() -> None:
    microdata = numbers(50)
    start = np.zeros(50, np.int32)
    task = Task(microdata, Requirements((KAnonymity(5),), microdata))
    assert np.array_equal(refine(TaskLoss(task), start, RefinementLimit(rounds=0)), start)


@pytest.mark.parametrize("option", [True, 0.2, "exhaustive", False])
def test_every_way_to_say_how_long(option: bool | float | str) -> None:
    microdata = numbers(300)
    task = Task(microdata, Requirements((KAnonymity(5),), microdata))
    plain = slow_loss(microdata, EquivalenceClasses.of(microdata, Hilbert().run(task)).of_row)
    recoding = Refined(Hilbert(), option).run(task)
    assert recoding.classes is not None
    loss = slow_loss(microdata, recoding.classes)
    assert loss == pytest.approx(plain) if option is False else loss < plain


@pytest.mark.parametrize("option", ["often", 0, -1.0, float("nan"), None])
def test_a_wrong_limit_is_refused(option: object) -> None:
    with pytest.raises(ParameterError, match="refine"):
        Refined("mondrian", option)  # type: ignore[arg-type]
