"""Models on several sensitive columns, on missing values, on spans; and what is no column for them."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples
from tests.privacy.helpers import compiled_verdicts, readable_verdicts

import sfumato as sf
from sfumato.errors import HierarchyError, ParameterError, SchemaError
from sfumato.hierarchies import Ordered, Taxonomy
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, Requirements, TCloseness
from sfumato.table.encoding import encode
from sfumato.table.recoding import Recoding


def both(model, table, classes, **hierarchies):
    """Return the verdicts on the classes, which reading and compiling must agree on."""
    quasi = {name: hierarchies.get(name) for name in table if name not in {"s", "t"}}
    microdata = encode(pa.table(table), quasi, [name for name in table if name in {"s", "t"}])
    recoding = Recoding(classes=np.array(classes, np.int32))
    readable = readable_verdicts(model, microdata, recoding)
    assert compiled_verdicts(model, microdata, recoding) == readable
    return readable


TWO = {"q": [1, 1, 2, 2], "s": ["x", "y", "x", "y"], "t": ["u", "u", "u", "v"]}


def test_every_sensitive_column_counts_unless_one_is_named():
    assert both(LDiversity(2), TWO, [0, 0, 1, 1]) == [False, True]
    assert both(LDiversity(2, column="s"), TWO, [0, 0, 1, 1]) == [True, True]
    assert both(LDiversity(2, column="t"), TWO, [0, 0, 1, 1]) == [False, True]


def test_a_missing_sensitive_value_is_a_value():
    table = {"q": [1, 1, 2, 2], "s": ["x", None, "x", "x"]}
    assert both(LDiversity(2), table, [0, 0, 1, 1]) == [True, False]


def test_a_missing_value_is_far_from_all_in_a_tree():
    """The class of x and y is the table but for the missing half: 1/2 of it moves all the way to the root."""
    tree = Taxonomy([("x", "A"), ("y", "A")])
    table = {"q": [1, 1, 2, 2], "s": ["x", "y", None, None]}
    for t, verdict in ((0.5, True), (0.49, False)):
        model = TCloseness(t, distance="hierarchical", taxonomy=tree)
        assert both(model, table, [0, 0, 1, 1]) == [verdict, verdict]


def test_values_that_are_left_out_are_no_steps_between_others():
    """Without b the values a and c are neighbours, and a class of a alone is half of everything away."""
    microdata = encode(pa.table({"q": [1, 2, 3], "s": ["a", "b", "c"]}), {"q": None}, ["s"])
    released = microdata.take(np.array([0, 2]))
    recoding = Recoding(classes=np.array([0, 1], np.int32))
    for t, verdict in ((0.5, True), (0.4, False)):
        model = TCloseness(t, distance="ordered")
        assert readable_verdicts(model, released, recoding) == [verdict, verdict]
        assert compiled_verdicts(model, released, recoding) == [verdict, verdict]


def test_rules_of_several_models_hold_together():
    microdata = encode(pa.table(TWO), {"q": None}, ["s", "t"])
    requirements = Requirements((KAnonymity(2), LDiversity(2), TCloseness(0.3, column="s")), microdata)
    assert len(requirements.bound) == 4
    assert requirements.smallest_class == requirements.k == 2
    broken = requirements.broken_by(Recoding(classes=np.array([0, 0, 1, 1], np.int32)))
    assert [(rule.model.name, rule.column) for rule in broken] == [("l-diversity", 1)]
    assert requirements.monotone


def test_without_models_everything_is_allowed():
    microdata = encode(pa.table({"q": [1, 2]}), {"q": None})
    requirements = Requirements((), microdata)
    assert requirements.smallest_class == 1
    assert requirements.broken_by_table() == []


# --- spans


def test_spans_in_the_unit_of_the_column():
    table = {"q": [0, 5, 10, 14]}
    assert both(MinimumSpan("q", 5), table, [0, 0, 1, 1]) == [True, False]
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 8), dt.date(2024, 2, 1), dt.date(2024, 2, 2)]
    assert both(MinimumSpan("q", 7), {"q": days}, [0, 0, 1, 1]) == [True, False]
    grades = Ordered(["a", "b", "c", "d"])
    assert both(MinimumSpan("q", 2), {"q": ["a", "c", "c", "d"]}, [0, 0, 1, 1], q=grades) == [True, False]


def test_a_span_that_reaches_missing_is_everything():
    table = {"q": [1, None, 5, None, 9]}
    assert both(MinimumSpan("q", 8), table, [0, 0, 1, 2, 2]) == [True, False, True]


def test_only_missing_values_span_nothing():
    assert both(MinimumSpan("q", 1), {"q": [1, 9, None, None]}, [0, 0, 1, 1]) == [True, False]


@settings(max_examples=examples(60))
@given(
    st.lists(st.one_of(st.none(), st.integers(0, 9)), min_size=2, max_size=8).filter(any),
    st.integers(1, 9),
    st.data(),
)
def test_merging_never_narrows_a_span(cells, width, data):
    of_row = data.draw(st.lists(st.integers(0, 2), min_size=len(cells), max_size=len(cells)))
    of_row = np.unique(of_row, return_inverse=True)[1]
    verdicts = both(MinimumSpan("q", width), {"q": cells}, of_row)
    if len(verdicts) > 1 and verdicts[0]:
        assert both(MinimumSpan("q", width), {"q": cells}, np.maximum(of_row - 1, 0))[0]


# --- what does not fit


def bind(model):
    microdata = encode(pa.table({"q": [1, 2], "c": ["x", "y"], "s": ["u", "v"]}), {"q": None, "c": None}, ["s"])
    return Requirements((model,), microdata).bound


@pytest.mark.parametrize("model", [LDiversity(2, column="q"), TCloseness(0.2, column="nothing")])
def test_a_column_that_is_not_sensitive_is_refused(model):
    with pytest.raises(SchemaError, match=r"which is not declared as sensitive. Sensitive columns: 's'"):
        bind(model)


@pytest.mark.parametrize("model", [LDiversity(2), TCloseness(0.2)])
def test_a_table_without_sensitive_columns_is_refused(model):
    with pytest.raises(SchemaError, match="needs a sensitive column"):
        Requirements((model,), encode(pa.table({"q": [1]}), {"q": None})).bound  # noqa: B018


def test_a_span_of_what_has_none_is_refused():
    with pytest.raises(SchemaError, match="not a quasi-identifier"):
        bind(MinimumSpan("s", 1))
    with pytest.raises(SchemaError, match="categories, not as intervals"):
        bind(MinimumSpan("c", 1))


def test_a_taxonomy_that_lacks_a_sensitive_value_is_refused():
    with pytest.raises(HierarchyError, match="1 value that is not in its taxonomy"):
        bind(TCloseness(0.2, distance="hierarchical", taxonomy=Taxonomy([("u", "X")])))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: KAnonymity(0),
        lambda: KAnonymity(2.0),
        lambda: KAnonymity(True),
        lambda: KAnonymity("2"),
        lambda: LDiversity(0.5),
        lambda: LDiversity(float("nan")),
        lambda: LDiversity(2.5, kind="distinct"),
        lambda: LDiversity(2, kind="fancy"),
        lambda: LDiversity(2, kind="recursive"),
        lambda: LDiversity(2, kind="recursive", c=0),
        lambda: LDiversity(2, c=3),
        lambda: TCloseness(-0.1),
        lambda: TCloseness(20),
        lambda: TCloseness(0.2, distance="far"),
        lambda: TCloseness(0.2, distance="hierarchical"),
        lambda: TCloseness(0.2, taxonomy=Taxonomy([("a", "b")])),
        lambda: MinimumSpan("q", 0),
        lambda: MinimumSpan("q", float("inf")),
    ],
)
def test_parameters_are_refused_in_one_form(wrong):
    with pytest.raises(ParameterError, match=r"^The '\w+' parameter of \w+ must be .+\. Got .+\."):
        wrong()


def test_a_column_of_missing_values_has_no_distance_from_itself():
    tree = Taxonomy.from_dict({"a": ["x", "y"], "b": ["z"]})
    closeness = TCloseness(0.1, distance="hierarchical", taxonomy=tree)
    table = pa.table({"q": [1, 2, 3, 4], "s": pa.array([None] * 4, pa.string())})
    release = sf.anonymize(table, quasi_identifiers="q", sensitive="s", k=2, privacy=closeness, method="mondrian")
    assert release.verification.t == 0
