"""One request, whoever asks: the same checks, blamed on the function that was called."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.cli.options import Asked
from sfumato.engines import DuckDB, search_in_place
from sfumato.errors import ParameterError
from sfumato.io import write_table
from sfumato.run.request import Arguments, Request, option_names

TABLE = pa.table({"age": [21, 22, 23, 24], "disease": ["flu", "ulcer", "flu", "asthma"]})
ENTRANCES: dict[str, Callable[..., Any]] = {
    "anonymize": sf.anonymize,
    "strongest": lambda data, **given: sf.strongest(data, max_gcp=1.0, **given),
    "recode": lambda data, **given: sf.recode(data, levels={"age": 0}, **given),
    "check": sf.check,
    "Policy": lambda data, quasi_identifiers, **given: sf.Policy(sf.Schema(quasi_identifiers), **given),
}
WRONG = {
    "suppression": 4,
    "missing": "ignore",
    "intervals": "roman",
    "keep_order": "no",
    "seed": -1,
    "separator": 3,
    "privacy": ["k=3"],
}


CASES = [
    (caller, name)
    for caller in ENTRANCES
    for name in WRONG
    if caller != "check" or name in inspect.signature(sf.check).parameters
]


@pytest.mark.parametrize(("caller", "name"), CASES)
def test_a_wrong_value_is_blamed_on_who_was_called(caller: str, name: str) -> None:
    with pytest.raises(ParameterError, match=f"The '{name}' parameter of {caller} must be"):
        ENTRANCES[caller](TABLE, quasi_identifiers="age", **{name: WRONG[name]})


@pytest.mark.parametrize("function", [sf.anonymize, sf.strongest, sf.recode])
def test_wrong_progress_is_blamed_on_who_was_called(function: Callable[..., Any]) -> None:
    own = {"strongest": {"max_gcp": 1.0}, "recode": {"levels": {"age": 0}}}.get(function.__name__, {})
    with pytest.raises(ParameterError, match=f"'progress' parameter of {function.__name__} must"):
        function(TABLE, quasi_identifiers="age", rest="drop", k=2, progress="yes", **own)


@pytest.mark.parametrize("function", [sf.anonymize, sf.strongest, sf.recode, sf.check, search_in_place])
def test_a_misspelt_argument_is_refused_with_a_hint(function: Callable[..., Any]) -> None:
    expected = rf"{function.__name__}\(\) got an unexpected keyword argument 'sensitiv'. Did you mean 'sensitive'\?"
    with pytest.raises(TypeError, match=expected):
        function(TABLE, sensitiv="disease")


def test_signatures_show_every_argument() -> None:
    every = set(Arguments.__annotations__)
    shown = {function: set(inspect.signature(function).parameters) for function in (sf.anonymize, sf.strongest)}
    assert all(every <= names for names in shown.values())
    assert every - set(inspect.signature(sf.recode).parameters) == {"method", "minimize", "refine"}
    assert inspect.signature(sf.anonymize).parameters["missing"].default == "category"
    assert inspect.signature(sf.check).parameters["k"].default is None


def test_every_option_is_an_argument_and_an_option_of_the_command() -> None:
    assert set(option_names()) <= set(Arguments.__annotations__)
    assert set(option_names()) <= set(inspect.signature(Asked).parameters)


def test_bounds_are_found_by_the_name_of_their_column() -> None:
    release = sf.anonymize(TABLE, quasi_identifiers="age", sensitive="disease", k=2, intervals="bounds")
    asked = {"quasi_identifiers": "age", "sensitive": "disease", "k": 2}
    assert sf.check(release.table, **asked).ok
    assert (
        sf.check(release.table, **asked).classes
        == sf.Policy(sf.Schema("age", "disease"), [sf.KAnonymity(2)]).check(release.table).classes
    )


def test_recode_shows_intervals_and_tells_how_far_it_is() -> None:
    stages: list[str] = []
    schema = sf.Schema({"age": sf.Numeric(widths=(5,))}, sensitive="disease")
    release = sf.recode(
        TABLE, schema, levels={"age": 1}, intervals="bounds", progress=lambda stage, _: stages.append(stage)
    )
    assert release.table.column_names == ["age_min", "age_max", "disease"]
    assert "reading" in stages


def test_a_method_may_be_named_by_its_class() -> None:
    release = sf.anonymize(TABLE, quasi_identifiers="age", rest="drop", k=2, method=sf.Mondrian)
    assert release.manifest["method"]["name"] == "mondrian"
    with pytest.raises(ParameterError, match="FixedLevels has parameters without a default"):
        sf.anonymize(TABLE, quasi_identifiers="age", rest="drop", k=2, method=sf.methods.FixedLevels)


def test_a_release_comes_as_any_kind_of_frame() -> None:
    release = sf.anonymize(TABLE, quasi_identifiers="age", rest="drop", k=2)
    assert release.to_arrow() is release.table
    for frame in (release.to_pandas(), release.to_polars()):
        assert frame["age"].to_list() == release.table["age"].to_pylist()


def test_strongest_refines() -> None:
    found = sf.strongest(TABLE, quasi_identifiers="age", rest="drop", max_gcp=1.0, method="mondrian", refine=True)
    assert found.release.manifest["method"]["name"] == "refined"


def test_a_database_refuses_what_it_does_not_do(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path / "people.parquet")
    with (
        DuckDB(tmp_path / "people.parquet") as database,
        pytest.raises(ParameterError, match="'intervals' is 'bounds', but in a database it can only be 'text'"),
    ):
        search_in_place(database, quasi_identifiers="age", rest="drop", k=2, intervals="bounds")


def test_requests_compare_by_what_they_ask_for() -> None:
    one = Request.of("anonymize", quasi_identifiers="age", k=2)
    assert one == Request.of("strongest", quasi_identifiers="age", privacy=sf.KAnonymity(2))
    assert one != Request.of("anonymize", quasi_identifiers="age", k=2, seed=7)
