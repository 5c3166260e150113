"""Refinement after every family of methods under every combination of models, and after every method under some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.conformance.test_methods import METHODS
from tests.examples import LONG, examples

import sfumato as sf
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.methods import Refined
from sfumato.methods.base import Method
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, TCloseness
from sfumato.testing.requests import COMBINATIONS
from sfumato.testing.tables import SCHEMA, people

#: Every kind of method once.
STARTS = {method.name: method for method in METHODS.values() if not isinstance(method, Refined)}

PEOPLE = people(rows=90, seed=4, missing=0.05)


def _about_all(models: Sequence[PrivacyModel]) -> bool:
    """Return whether a model is about the release as a whole: then another k may be the least that works."""
    return any(model.whole for model in models)


def released(method: Method, **request: Any) -> sf.Release | None:
    """Return a release, or None where the method says that it cannot do what is asked."""
    try:
        return sf.anonymize(PEOPLE, SCHEMA, method=method, **request)
    except ParameterError as error:
        if "does not support" not in str(error):
            raise
        return None


#: All models with rows left out, which asks for more, and some without.
CASES = [
    *((name, 0.15) for name, models in COMBINATIONS.items() if not _about_all(models)),
    *((name, 0.0) for name in ("k", "frequency l", "minimum-span")),
]


#: Asked of every method, whatever its family has been asked already.
ALWAYS = [("k", 0.0), ("everything", 0.15)]


def pairs() -> list[tuple[str, str, float]]:
    """Every family with every case, its methods taking turns, and every method with some.

    Refinement sees classes, not methods: what it does under a model depends on how a family makes classes. A long run
    asks every method for every case.
    """
    if LONG:
        return [(name, *case) for name in STARTS for case in CASES]
    families: dict[str, list[str]] = {}
    for name, method in STARTS.items():
        families.setdefault(type(method).__module__.split(".")[2], []).append(name)
    turns = [(family[turn % len(family)], *case) for family in families.values() for turn, case in enumerate(CASES)]
    return [*turns, *((name, *case) for name in STARTS for case in ALWAYS if (name, *case) not in turns)]


@pytest.mark.parametrize(("name", "models", "suppression"), pairs())
def test_a_refined_release_is_verified_and_loses_no_more(name: str, models: str, suppression: float) -> None:
    request = {"privacy": COMBINATIONS[models], "suppression": suppression}
    plain = released(STARTS[name], **request)
    refined = released(Refined(STARTS[name]), **request)
    assert (plain is None) == (refined is None)
    if plain is None or refined is None:
        return
    assert refined.verify().ok
    assert refined.suppressed == plain.suppressed
    assert refined.loss.gcp <= plain.loss.gcp + 1e-9
    assert refined.manifest["method"]["tried"]["refined"] <= refined.manifest["method"]["tried"][name] + 1e-9


MODELS: list[PrivacyModel] = [
    KAnonymity(2),
    KAnonymity(5),
    LDiversity(2),
    LDiversity(2, column="first"),
    LDiversity(2, kind="distinct", column="second"),
    LDiversity(1.5, kind="entropy"),
    LDiversity(2, kind="recursive", c=3.0, column="third"),
    TCloseness(0.3, column="first"),
    TCloseness(0.3, distance="ordered", column="third"),
]


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
def test_generated_tables_with_several_sensitive_columns(data: st.DataObject) -> None:
    rows = data.draw(st.integers(4, 60))
    cells = {
        "number": data.draw(st.lists(st.integers(0, 30) | st.none(), min_size=rows, max_size=rows)),
        "letter": data.draw(st.lists(st.sampled_from("abcd"), min_size=rows, max_size=rows)),
    }
    assume(any(value is not None for value in cells["number"]))  # a column without values is refused
    secret = {
        name: data.draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
        for name in ("first", "second", "third")
    }
    table = pa.table(
        {**cells, **secret},
        pa.schema([("number", pa.int64()), ("letter", pa.string()), *((name, pa.int64()) for name in secret)]),
    )
    request: dict[str, Any] = {
        "quasi_identifiers": list(cells),
        "sensitive": list(secret),
        "privacy": data.draw(st.lists(st.sampled_from(MODELS), min_size=1, max_size=4, unique_by=repr)),
        "suppression": data.draw(st.sampled_from([0.0, 0.2])),
        "seed": data.draw(st.integers(0, 3)),
    }
    start = STARTS[data.draw(st.sampled_from(["mondrian", "hilbert", "peeling", "best-cuts", "lattice"]))]
    try:
        plain = sf.anonymize(table, method=start, **request)
    except InfeasibleError:
        with pytest.raises(InfeasibleError):
            sf.anonymize(table, method=Refined(start), **request)
        return
    refined = sf.anonymize(table, method=start, refine=True, **request)
    assert refined.verify().ok
    assert refined.suppressed == plain.suppressed
    assert refined.loss.gcp <= plain.loss.gcp + 1e-9


def test_what_a_method_cannot_do_it_cannot_do_refined_either() -> None:
    for method in STARTS.values():
        assert Refined(method).unsupported == method.unsupported
