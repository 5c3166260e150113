"""Policies: what is written is what is read, and whoever misspells something is told."""

from __future__ import annotations

import os
import tempfile
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from tests.run.policy.strategies import policies

import sfumato as sf
from sfumato.api.policy import Policy
from sfumato.common.toml import dumps
from sfumato.errors import DataError, HierarchyError, OutputError, ParameterError, SchemaError, SfumatoError

EXAMPLE = """\
# How a release is made: sfumato anonymize IN -o OUT --policy THIS_FILE

sensitive = ["disease"]
identifiers = ["name"]
rest = "drop"

[quasi_identifiers]
age = { type = "numeric", widths = [5, 10], weight = 2 }
"zip code" = { type = "prefix" }
sex = { type = "auto" }

[[privacy]]
model = "k-anonymity"
k = 10

[[privacy]]
model = "l-diversity"
l = 3
kind = "recursive"
c = 2.5

[method]
name = "mondrian"
relaxed = true
categories = "ordered"

[options]
suppression = 0.02
missing = "category"
intervals = "text"
ends = "data"
keep_order = false
seed = 7
separator = ";"
na = { "*" = ["?"], age = ["999"] }
confirm = ["zip code"]
strict = true
engine = "auto"
"""


def example() -> Policy:
    return Policy(
        sf.Schema(
            {"age": sf.Numeric((5, 10)), "zip code": sf.Prefix(), "sex": None},
            sensitive="disease",
            identifiers="name",
            rest="drop",
            weights={"age": 2},
        ),
        [sf.KAnonymity(10), sf.LDiversity(3, "recursive", 2.5)],
        sf.Mondrian(relaxed=True),
        suppression=0.02,
        seed=7,
        separator=";",
        na={"*": ["?"], "age": 999},
        confirm="zip code",
        strict=True,
    )


def people(rows: int = 60) -> pa.Table:
    return pa.table(
        {
            "age": [20 + row % 30 for row in range(rows)],
            "sex": [("F", "M")[row % 2] for row in range(rows)],
            "disease": [("flu", "ulcer", "asthma")[row % 3] for row in range(rows)],
        }
    )


# Round trips


@given(policies)
def test_a_policy_survives_plain_values(policy: Policy) -> None:
    assert Policy.from_dict(policy.to_dict()) == policy


@given(policies)
def test_toml_holds_exactly_the_plain_values(policy: Policy) -> None:
    assert tomllib.loads(dumps(policy.to_dict())) == policy.to_dict()


@given(policies)
def test_a_policy_survives_a_file_with_its_columns_in_order(policy: Policy) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "policy.toml")
        policy.write(path, secret=True)
        again = Policy.read(path)
    assert again == policy
    # Methods break ties by the order of columns, so another order would be another release.
    assert list(again.schema.quasi_identifiers) == list(policy.schema.quasi_identifiers)


def test_a_policy_file_is_readable(tmp_path: Path) -> None:
    example().write(tmp_path / "policy.toml", secret=True)
    assert (tmp_path / "policy.toml").read_text(encoding="utf-8") == EXAMPLE
    assert Policy.read(tmp_path / "policy.toml") == example()


def test_a_long_hierarchy_keeps_its_place_among_the_others(tmp_path: Path) -> None:
    long = sf.Ordered([f"value {number}" for number in range(50)])
    policy = Policy(sf.Schema({"a": None, "b": long, "c": sf.Prefix()}))
    policy.write(tmp_path / "policy.toml")
    text = (tmp_path / "policy.toml").read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 110
    assert text.index("[quasi_identifiers]\na =") < text.index("[quasi_identifiers.b]") < text.index("_identifiers.c]")


def test_what_is_left_out_has_its_default() -> None:
    assert Policy.from_dict({}) == Policy(sf.Schema())
    assert Policy.from_dict({"method": {"name": "mondrian-relaxed"}}).method == sf.Mondrian(relaxed=True)
    assert Policy.from_dict({"quasi_identifiers": {"age": {}}}).schema == sf.Schema(["age"])


def test_quasi_identifiers_may_be_a_list_of_names() -> None:
    listed = Policy.from_dict({"quasi_identifiers": ["age", "zip"]})
    assert listed.schema.quasi_identifiers == {"age": None, "zip": None}


@pytest.mark.parametrize("name", ["mixed", "dm"])
def test_what_only_python_can_hold_is_refused_at_saving(name: str, tmp_path: Path) -> None:
    """Also under the name of a cost that exists: reading it back would give that one instead."""
    own = sf.Objective(name, by_size=lambda sizes: sizes**3)
    policy = Policy(sf.Schema(["age"]), [sf.KAnonymity(2)], sf.EnumMulti(minimize=own))
    with pytest.raises(ParameterError, match="The 'minimize' parameter of the method 'enum-multi' is a Python object"):
        policy.write(tmp_path / "policy.toml")
    assert list(tmp_path.iterdir()) == []


def test_a_method_may_be_given_by_name() -> None:
    assert Policy(sf.Schema(), method="mondrian-relaxed").method == sf.Mondrian(relaxed=True)  # type: ignore[arg-type]


# Hierarchy files


def with_country_file(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "country.csv").write_text("France;Europe;*\nJapan;Asia;*\n", encoding="utf-8")
    return folder / "country.csv"


def test_hierarchy_files_are_found_relative_to_the_policy(tmp_path: Path) -> None:
    with_country_file(tmp_path / "trees")
    text = '[quasi_identifiers]\ncountry = { type = "taxonomy", file = "trees/country.csv" }\n'
    (tmp_path / "policy.toml").write_text(text, encoding="utf-8")
    country = Policy.read(tmp_path / "policy.toml").schema.quasi_identifiers["country"]
    assert isinstance(country, sf.Taxonomy)
    assert country.rows == (("France", "Europe", "*"), ("Japan", "Asia", "*"))
    assert country.path == tmp_path / "trees" / "country.csv"


def test_relative_files_are_written_relative_to_the_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with_country_file(tmp_path / "trees")
    Path("policies").mkdir()
    taxonomy = sf.Taxonomy.read(Path("trees", "country.csv"))
    policy = Policy(
        sf.Schema({"country": taxonomy}, sensitive="origin"),
        [sf.TCloseness(0.3, "hierarchical", taxonomy, column="origin")],
    )
    policy.write(Path("policies", "policy.toml"))
    written = tomllib.loads(Path("policies", "policy.toml").read_text(encoding="utf-8"))
    relative = os.path.join("..", "trees", "country.csv")
    assert written["quasi_identifiers"]["country"]["file"] == relative
    assert written["privacy"][0]["taxonomy"]["file"] == relative
    assert Policy.read(Path("policies", "policy.toml")) == policy


def test_absolute_files_stay_absolute(tmp_path: Path) -> None:
    path = with_country_file(tmp_path)
    policy = Policy(sf.Schema({"country": sf.Taxonomy.read(path)}))
    policy.write(tmp_path / "policy.toml")
    assert Policy.read(tmp_path / "policy.toml") == policy
    written = tomllib.loads((tmp_path / "policy.toml").read_text(encoding="utf-8"))
    assert written["quasi_identifiers"]["country"]["file"] == str(path)


def test_a_column_may_be_called_file(tmp_path: Path) -> None:
    policy = Policy(sf.Schema({"file": sf.Prefix()}, sensitive="name"))
    policy.write(tmp_path / "policy.toml")
    assert Policy.read(tmp_path / "policy.toml") == policy


# Mistakes

MONDRIAN = "[method]\nname = 'mondrian'\n"


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("quasi_identifers = {}", ParameterError, "'quasi_identifers' is not known. Did you mean 'quasi_identifiers'"),
        ("[options]\nsupression = 0.1", ParameterError, "[options]: key 'supression' is not known. Did you mean 'supp"),
        ("[options]\nsuppression = 4", ParameterError, "For 4 % write 0.04"),
        ("[options]\nseparator = 4", ParameterError, "'separator' parameter of [options] must be text. Got 4."),
        ("options = 4", ParameterError, "'options' must be a table such as [options]"),
        ("[method]\nname = 'mondrain'", ParameterError, "[method]: name: 'mondrain' is not known. Did you mean 'mondr"),
        (MONDRIAN + "relaxd = true", ParameterError, "[method]: key 'relaxd' is not known. Did you mean 'relaxed'?"),
        (MONDRIAN + "relaxed = 1", ParameterError, "'relaxed' parameter of Mondrian must be True or False. Got 1."),
        ("[[privacy]]\nk = 3", ParameterError, "[[privacy]] 1 has no key 'model'"),
        ("[[privacy]]\nmodel = 'k-anonymty'", ParameterError, "'k-anonymty' is not known. Did you mean 'k-anonymity'?"),
        ("[[privacy]]\nmodel = 'k-anonymity'", ParameterError, "[[privacy]] 1 lacks 'k'"),
        ("[[privacy]]\nmodel = 'k-anonymity'\nk = 0", ParameterError, "'k' parameter of KAnonymity must be"),
        ("[[privacy]]\nmodel = 'l-diversity'\nl = 3\ncolumn = 3", ParameterError, "must be text. Got 3."),
        ("[[privacy]]\nmodel = 'k-anonymity'\nk = 3\nkk = 4", ParameterError, "key 'kk' is not known"),
        ("[[privacy]]\nmodel = 't-closeness'\nt = 0.1\ntaxonomy = 'a.csv'", ParameterError, "taxonomy' parameter"),
        ("privacy = 'k=3'", ParameterError, "'privacy' must be a list of tables"),
        ("sensitive = 'disease'", ParameterError, "must be a list of column names. Got 'disease'."),
        ("sensitive = ['a']\nplain = ['a']", SchemaError, "'a' is declared both as sensitive and as plain"),
        ("rest = 'keep'", ParameterError, "'rest' parameter"),
        ("quasi_identifiers = 'age'", ParameterError, "must be a table, or a list of column names. Got 'age'."),
        ("quasi_identifiers = [5]", ParameterError, "must be a list of column names. Got [5]."),
        ("sensitive = [5]", ParameterError, "must be a list of column names. Got [5]."),
        ("[quasi_identifiers]\nx = { type = 'taxonomy', rows = [1] }", HierarchyError, "Row 1 of the taxonomy is 1."),
        ("[quasi_identifiers]\nage = 'numeric'", ParameterError, "'age' must be a table"),
        ("[quasi_identifiers]\nage = { type = 'numerc' }", ParameterError, "Did you mean 'numeric'?"),
        ("[quasi_identifiers]\nage = { type = 'numeric', width = 5 }", ParameterError, "Did you mean 'widths'?"),
        ("[quasi_identifiers]\nage = { widths = [5] }", ParameterError, "Quasi-identifier 'age': key 'widths'"),
        ("[quasi_identifiers]\nage = { type = 'numeric', widths = 5 }", ParameterError, "must be a list. Got 5."),
        ("[quasi_identifiers]\nx = { type = 'ordered', order = 'low' }", ParameterError, "must be a list. Got 'low'."),
        ("[quasi_identifiers]\nx = { type = 'ordered' }", ParameterError, "Quasi-identifier 'x' lacks 'order'"),
        ("[quasi_identifiers]\nx = { type = 'taxonomy' }", ParameterError, "either 'file' or 'rows'"),
        ("[quasi_identifiers]\nx = { type = 'taxonomy', file = 'no.csv' }", HierarchyError, "no.csv' does not exist"),
        ("[quasi_identifiers]\nx = { weight = -1 }", ParameterError, "weight"),
        ("x = ", ParameterError, "is not valid TOML"),
    ],
)
def test_a_mistake_is_named_with_the_file(text: str, error: type[SfumatoError], said: str, tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(error) as raised:
        Policy.read(path)
    assert said in str(raised.value)
    assert str(path) in str(raised.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"no\.toml' does not exist"):
        Policy.read(tmp_path / "no.toml")
    with pytest.raises(ParameterError, match="cannot be read: Is a directory"):
        Policy.read(tmp_path)
    (tmp_path / "latin.toml").write_bytes("rest = 'dröp'".encode("latin-1"))
    with pytest.raises(ParameterError, match="not UTF-8"):
        Policy.read(tmp_path / "latin.toml")


def test_a_policy_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="directory does not exist"):
        example().write(tmp_path / "none" / "policy.toml")


# Running and checking


def test_running_a_policy_is_anonymizing_with_its_parts() -> None:
    schema = sf.Schema(["age", "sex"], sensitive="disease")
    policy = Policy(schema, [sf.KAnonymity(5), sf.LDiversity(2)], sf.Mondrian(True), intervals="bounds", seed=3)
    direct = sf.anonymize(people(), schema, k=5, l=2, method=sf.Mondrian(True), intervals="bounds", seed=3)
    assert policy.run(people()).table == direct.table


def test_running_without_privacy_is_refused() -> None:
    with pytest.raises(ParameterError, match="No privacy is asked for"):
        Policy(sf.Schema(["age"], rest="drop")).run(people())


@pytest.mark.parametrize("intervals", ["text", "bounds"])
def test_a_release_of_a_policy_passes_its_check(intervals: str) -> None:
    schema = sf.Schema(["age", "sex"], sensitive="disease")
    models = [sf.KAnonymity(5), sf.MinimumSpan("age", 3)]
    policy = Policy(schema, models, intervals=intervals)
    release = policy.run(people()).table
    assert ("age_min" in release.column_names) == (intervals == "bounds")
    result = policy.check(release)
    assert result.ok
    assert len(result.checks) == 2
    assert not Policy(schema, [sf.KAnonymity(61)]).check(release).ok
    assert not Policy(schema, [sf.MinimumSpan("age", 25)]).check(release).ok


def test_how_the_original_is_read_is_not_how_the_release_is_written(tmp_path: Path) -> None:
    (tmp_path / "original.csv").write_text("age;sex\n" + "30;f\n" * 3, encoding="utf-16")
    policy = Policy(sf.Schema(["age", "sex"]), [sf.KAnonymity(2)], separator=";", encoding="utf-16")
    policy.run(tmp_path / "original.csv").write(tmp_path / "release.csv")
    assert policy.check(tmp_path / "release.csv").ok


def test_codes_that_look_like_numbers_are_checked_as_text(tmp_path: Path) -> None:
    (tmp_path / "release.csv").write_text("zip\n0213\n213\n", encoding="utf-8")
    policy = Policy(sf.Schema({"zip": sf.Prefix()}), [sf.KAnonymity(2)])
    assert not policy.check(tmp_path / "release.csv").ok
    with pytest.raises(SchemaError, match="no column 'zip'"):
        policy.check(people())


def test_checking_an_unreadable_file_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        Policy(sf.Schema(["age"])).check(tmp_path / "no.csv")


def test_a_population_in_memory_is_not_written_to_a_file_that_nobody_can_read(tmp_path: Path) -> None:
    register = pa.table({"age": [20, 21, 22]})
    with pytest.raises(ParameterError, match="population of k-map is a table in memory"):
        Policy(sf.Schema(["age"]), [sf.KMap(2, population=register)]).write(tmp_path / "policy.toml")
    assert not (tmp_path / "policy.toml").exists()
    Policy(sf.Schema(["age"]), [sf.KMap(2, population="register.csv")]).write(tmp_path / "policy.toml")
    assert Policy.read(tmp_path / "policy.toml").privacy[0].name == "k-map"
