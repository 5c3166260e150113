"""All searches find the same answers as trying every node, for every model, with and without suppression."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.helpers import task_of
from tests.methods.lattice.brute_force import MODELS, all_answers, feasible, suppressed_rows, tables

from sfumato.errors import InfeasibleError
from sfumato.hierarchies import Categorical, Numeric
from sfumato.loss import LossReport, RecodedTable, names_of
from sfumato.methods import Task
from sfumato.methods.lattice.bottom_up import BottomUp
from sfumato.methods.lattice.datafly import Datafly
from sfumato.methods.lattice.frequencies import Frequencies
from sfumato.methods.lattice.incognito import Incognito
from sfumato.methods.lattice.judge import NodeJudge, Verdict
from sfumato.methods.lattice.lattice import Lattice
from sfumato.methods.lattice.nodes import Space, minimal
from sfumato.methods.lattice.samarati import Samarati
from sfumato.methods.lattice.scores import ABLE
from sfumato.privacy import KAnonymity, MinimumSpan
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

COMPLETE = [
    Lattice(),
    Incognito(variant="basic"),
    Incognito(variant="superroots"),
    Incognito(variant="cube"),
    Incognito(variant="materialized"),
    BottomUp(),
    BottomUp(rollup=False),
]


@pytest.mark.parametrize("models", MODELS, ids=str)
@settings(max_examples=examples(25))
@given(microdata=tables(), share=st.sampled_from([0.0, 0.0, 0.1, 0.3, 1.0]))
def test_every_complete_search_finds_what_trying_all_nodes_finds(models, microdata: Microdata, share: float) -> None:
    assume(feasible(models, microdata))
    task = task_of(microdata, models, int(share * len(microdata)))
    expected = all_answers(task)
    for method in COMPLETE:
        recoding = method.run(task)
        found = recoding.details["alternatives"].answers
        assert found == expected, method
        assert recoding.levels in expected
        gone = np.zeros(len(microdata), bool) if recoding.suppressed is None else recoding.suppressed
        assert (gone == suppressed_rows(task, recoding.levels)).all()
    assert Lattice(answers="minimal").run(task).details["alternatives"].answers == minimal(expected)


@pytest.mark.parametrize("models", MODELS, ids=str)
@settings(max_examples=examples(15))
@given(microdata=tables(), share=st.sampled_from([0.0, 0.2, 1.0]))
def test_searches_for_one_answer_return_an_answer(models, microdata: Microdata, share: float) -> None:
    assume(feasible(models, microdata))
    task = task_of(microdata, models, int(share * len(microdata)))
    expected = all_answers(task)
    assert Datafly().run(task).levels in expected
    lowest = min(map(sum, expected))
    found = Samarati().run(task).levels
    assert found in expected
    assert sum(found) == lowest


@settings(max_examples=examples(40))
@given(
    ages=st.lists(st.integers(0, 12), min_size=2, max_size=30),
    width=st.integers(1, 9),
    share=st.sampled_from([0.0, 0.2]),
    seed=st.integers(0, 9),
)
def test_a_minimum_span_is_searched_like_any_other_model(ages: list[int], width: int, share: float, seed: int) -> None:
    other = np.random.default_rng(seed).integers(0, 4, len(ages))
    microdata = encode(pa.table({"age": ages, "q": other}), {"age": Numeric(widths=(2, 4)), "q": Categorical()})
    models = (KAnonymity(2), MinimumSpan("age", width))
    assume(feasible(models, microdata))
    task = task_of(microdata, models, int(share * len(ages)))
    expected = all_answers(task)
    for method in COMPLETE:
        if expected:
            assert method.run(task).details["alternatives"].answers == expected
        else:
            with pytest.raises(InfeasibleError):
                method.run(task)


class AnyNodes(NodeJudge):
    """Says of some nodes that they are answers, without rhyme or reason: no fact about one tells of another."""

    def __init__(self, task: Task, answers: set[tuple[int, ...]]) -> None:
        super().__init__(task, prune=False)
        self.answers = answers

    def verdict(self, frequencies: Frequencies) -> Verdict:
        answer = frequencies.levels in self.answers
        return Verdict(0, 0, answer, clean=False, hopeless=False)


@settings(max_examples=examples(40))
@given(microdata=tables(), seed=st.integers(0, 1000))
def test_without_pruning_every_single_node_counts(microdata: Microdata, seed: int) -> None:
    task = task_of(microdata, (KAnonymity(1),), 0)
    nodes = list(Space(microdata.domains).nodes())
    random = np.random.default_rng(seed)
    answers = {node for node in nodes if random.random() < 0.3} or {nodes[-1]}
    for method in COMPLETE:
        solution = type(method)(**{**vars(method), "exhaustive": True}).solve(AnyNodes(task, answers))
        assert solution.found.answers == sorted(answers), method
    lowest = Samarati(exhaustive=True).solve(AnyNodes(task, answers)).chosen
    assert sum(lowest) == min(map(sum, answers))
    assert Datafly(exhaustive=True).solve(AnyNodes(task, answers)).chosen in answers


@settings(max_examples=examples(100))
@given(
    microdata=tables(),
    models=st.sampled_from(MODELS),
    share=st.sampled_from([0.1, 0.3, 0.6]),
    limits=st.lists(st.integers(0, 2), min_size=4, max_size=4),
)
def test_where_a_bad_class_can_spoil_others_no_search_for_one_answer_misses_it(
    microdata: Microdata, models, share: float, limits: list[int]
) -> None:
    assume(feasible(models, microdata))
    task = task_of(microdata, models, int(share * len(microdata)))
    max_level = {domain.name: min(limit, domain.top) for domain, limit in zip(microdata.domains, limits, strict=False)}
    expected = all_answers(task, tuple(max_level.get(domain.name, domain.top) for domain in microdata.domains))
    for method in (Datafly(max_level=max_level), Samarati(max_level=max_level)):
        if expected:
            assert method.run(task).levels in expected
        else:
            with pytest.raises(InfeasibleError):
                method.run(task)


def measured(task: Task, levels: tuple[int, ...]) -> LossReport:
    """Return the losses of a node by the code that measures releases."""
    recoding = Recoding(levels=levels, suppressed=suppressed_rows(task, levels))
    classes = EquivalenceClasses.of(task.microdata, recoding)
    return LossReport.of(RecodedTable(task.microdata, classes, 0, task.requirements.k))


LOSSES = names_of(ABLE)


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=examples(25))
@given(microdata=tables(), share=st.sampled_from([0.0, 0.2, 1.0]), models=st.sampled_from(MODELS))
def test_the_released_answer_loses_least_and_alternatives_say_what_each_loses(
    loss: str, microdata: Microdata, share: float, models
) -> None:
    assume(feasible(models, microdata))
    task = task_of(microdata, models, int(share * len(microdata)))
    recoding = Lattice(minimize=loss).run(task)
    alternatives = recoding.details["alternatives"]
    reports = [measured(task, node) for node in alternatives.answers]
    columns = alternatives.to_columns()
    for name in LOSSES:
        told = np.array(columns[name])
        truth = np.array([report[name] for report in reports])
        releasing = np.array(columns["suppressed"]) < len(microdata)
        assert told[releasing] == pytest.approx(truth[releasing])
    values = [(-1 if loss == "precision" else 1) * value for value in columns[loss]]
    assert values[alternatives.answers.index(recoding.levels)] == pytest.approx(min(values))
    best = Lattice(minimize=loss, answers="best").run(task).levels
    assert values[alternatives.answers.index(best)] == pytest.approx(min(values))


@settings(max_examples=examples(30))
@given(microdata=tables(), limit=st.integers(0, 2))
def test_limits_are_kept_by_every_search(microdata: Microdata, limit: int) -> None:
    task = task_of(microdata, (KAnonymity(2),), 0)
    assume(len(microdata) >= 2)
    tops = tuple(domain.top for domain in microdata.domains)
    limits = (min(limit, tops[0]), *tops[1:])
    expected = all_answers(task, limits)
    for method in [*COMPLETE, Samarati(), Datafly()]:
        limited = type(method)(**{**vars(method), "max_level": {"q0": limit}})
        if not expected:
            with pytest.raises(InfeasibleError, match="max_level: q0="):
                limited.run(task)
            continue
        recoding = limited.run(task)
        assert recoding.levels in expected
        if method in COMPLETE:
            assert recoding.details["alternatives"].answers == expected
