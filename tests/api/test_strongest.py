"""The strongest privacy that a tolerable loss allows."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import examples

import sfumato as sf
from sfumato.errors import InfeasibleError, ParameterError, SchemaError
from sfumato.methods.linear import hilbert


@settings(max_examples=examples(25))
@given(st.lists(st.integers(0, 60), min_size=4, max_size=40), st.sampled_from([0.05, 0.2, 0.5, 1.0]))
def test_no_larger_k_would_fit(ages: list[int], max_gcp: float) -> None:
    people = pa.table({"age": ages})
    losses = {k: sf.anonymize(people, quasi_identifiers="age", k=k).loss.gcp for k in range(2, len(ages) + 1)}
    fitting = [k for k, loss in losses.items() if loss <= max_gcp]
    if not fitting:
        with pytest.raises(InfeasibleError, match="Even k=2"):
            sf.strongest(people, quasi_identifiers="age", max_gcp=max_gcp)
        return
    found = sf.strongest(people, quasi_identifiers="age", max_gcp=max_gcp)
    assert found.value == max(fitting)
    assert found.k >= found.value
    assert found.release.loss.gcp == pytest.approx(losses[found.value])
    assert dict(found.curve) == pytest.approx({k: losses[k] for k, _ in found.curve})


def test_the_curve_rises_and_is_told() -> None:
    people = sf.datasets.census(rows=1500, seed=4).without_levels()
    found = sf.strongest(people.table, people.schema, max_gcp=0.3)
    losses = [loss for _, loss in found.curve]
    assert losses == sorted(losses)
    assert f"k={found.value}" in found.summary()
    shown = found.release.summary()
    assert "the largest k with a GCP of at most 0.3" in shown
    assert all(f"k={k:,} {loss:.4f}" in shown for k, loss in found.curve)
    assert found.release.manifest["searched"]["curve"] == [list(point) for point in found.curve]
    assert found.release.verify().ok


def test_l_can_be_varied_while_other_models_hold() -> None:
    people = sf.datasets.census(rows=1500, seed=4).without_levels()
    schema = sf.Schema(people.schema.quasi_identifiers, sensitive="occupation", rest="drop")
    found = sf.strongest(people.table, schema, max_gcp=0.4, maximize="l", k=4)
    column = found.release.achieved.sensitive["occupation"]
    assert found.value >= 2
    assert column.frequency_l >= found.value
    assert found.k >= 4
    assert found.release.loss.gcp <= 0.4


def test_what_is_asked_for_is_the_least_that_will_do() -> None:
    people = sf.datasets.census(rows=800, seed=4).without_levels()
    loss = sf.anonymize(people.table, people.schema, k=12, method="hilbert").loss.gcp
    found = sf.strongest(people.table, people.schema, max_gcp=loss + 1e-9, k=12, method="hilbert")
    assert found.value >= 12
    assert min(found.curve)[0] == 12
    with pytest.raises(InfeasibleError, match=r"Even k=12 has a GCP of .* Accept (0\.\d+), or try") as refused:
        sf.strongest(people.table, people.schema, max_gcp=loss - 1e-6, k=12, method="hilbert")
    enough = float(str(refused.value).split("Accept ")[1].split(",")[0])
    assert sf.strongest(people.table, people.schema, max_gcp=enough, k=12, method="hilbert").value >= 12


def test_other_kinds_of_diversity_hold_while_l_is_varied() -> None:
    people = sf.datasets.census(rows=1500, seed=4).without_levels()
    schema = sf.Schema(people.schema.quasi_identifiers, sensitive="occupation", rest="drop")
    other = sf.LDiversity(6, kind="distinct")
    found = sf.strongest(people.table, schema, max_gcp=0.5, maximize="l", privacy=other, method="hilbert")
    column = found.release.achieved.sensitive["occupation"]
    assert column.distinct_l >= 6
    assert column.frequency_l >= found.value
    assert {model["kind"] for model in found.release.manifest["privacy"]} == {"frequency", "distinct"}


def test_a_limit_of_the_table_ends_the_search() -> None:
    people = pa.table({"age": [1, 2, 3, 4, 5, 6], "illness": ["a", "a", "b", "b", "c", "c"]})
    found = sf.strongest(people, quasi_identifiers="age", sensitive="illness", max_gcp=1.0, maximize="l")
    assert found.value == 3
    assert sf.strongest(people, quasi_identifiers="age", sensitive="illness", max_gcp=1.0).value == 6


@pytest.mark.parametrize("method", ["hilbert", "hilbert-fast", "auto"])
def test_the_table_is_sorted_once(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    people = sf.datasets.census(rows=500, seed=4).without_levels()
    calls = []
    original = hilbert.curve_keys
    monkeypatch.setattr(hilbert, "curve_keys", lambda *given: calls.append(1) or original(*given))
    found = sf.strongest(people.table, people.schema, max_gcp=0.4, method=method)
    assert len(found.curve) > 3
    assert len(calls) == 1


@pytest.mark.parametrize("method", ["mondrian", "cost-aware"])
def test_any_method_can_be_asked(method: str) -> None:
    people = sf.datasets.census(rows=500, seed=4).without_levels()
    found = sf.strongest(people.table, people.schema, max_gcp=0.4, method=method)
    assert found.release.loss.gcp <= 0.4
    assert found.release.manifest["method"]["name"] == method


def test_what_makes_no_sense_is_refused() -> None:
    people = pa.table({"age": [1, 2, 3]})
    with pytest.raises(ParameterError, match="max_gcp"):
        sf.strongest(people, quasi_identifiers="age", max_gcp=10)
    with pytest.raises(ParameterError, match="maximize"):
        sf.strongest(people, quasi_identifiers="age", max_gcp=0.1, maximize="t")
    with pytest.raises(SchemaError, match="sensitive"):
        sf.strongest(people, quasi_identifiers="age", max_gcp=0.1, maximize="l")
