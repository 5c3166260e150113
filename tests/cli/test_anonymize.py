"""``sfumato anonymize``: what it writes, where, and how a policy and options go together."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.cli.command import ROLES, refused, run, write_patients

import sfumato as sf

ASK = (*ROLES, "-k", 5, "-l", 2)


def rows(path: str) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def saved(*arguments: object) -> sf.Policy:
    files = ("-o", "release.csv", "--save-policy", "saved.toml", "--force", "release.csv", "--force", "saved.toml")
    done = run("anonymize", "patients.csv", *files, *arguments)
    assert done.code == 0, done.stderr
    return sf.Policy.read("saved.toml")


def test_a_release_is_written_and_told_about(folder: Path) -> None:
    done = run("anonymize", "patients.csv", "-o", "release.csv", *ASK)
    assert (done.code, done.stdout) == (0, "")
    released = rows("release.csv")
    assert len(released) == 200
    assert set(released[0]) == {"age", "zip", "disease"}
    assert sf.check("release.csv", quasi_identifiers=["age", "zip"], sensitive="disease", k=5, l=2).ok
    roles = ("quasi-identifiers  age (number), zip (", "dropped            name")
    for fact in (*roles, "k=5", "GCP", "DM", "C_AVG", "verified"):
        assert fact in done.stderr
    assert "wrote release.csv" in done.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["patients.csv", "release.csv"]


def test_the_summary_fits_the_screen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = run("anonymize", "patients.csv", "-o", "release.csv", *ASK)
    assert max(map(len, done.stderr.splitlines())) <= 80


def test_json_goes_to_stdout_alone(folder: Path) -> None:
    done = run("anonymize", "patients.csv", "-o", "r.parquet", *ASK, "--json", "--manifest", "m.json", "--quiet")
    assert (done.code, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert told["files"] == {"output": "r.parquet", "manifest": "m.json"}
    assert told["released"]["ok"]
    assert told["released"]["k"] >= 5
    assert 0 < told["loss"]["gcp"] < 1
    assert set(told["loss"]["by_attribute"]) == {"age", "zip"}
    manifest = json.loads(Path("m.json").read_text(encoding="utf-8"))
    assert manifest["options"].pop("seed") >= 0
    assert told["manifest"] == manifest


def test_quiet_says_nothing(folder: Path) -> None:
    done = run("anonymize", "patients.csv", "-o", "release.csv", *ASK, "-q")
    assert (done.code, done.stdout, done.stderr) == (0, "", "")


def test_a_release_is_what_python_makes(folder: Path) -> None:
    options = ("--suppression", 0.05, "--intervals", "bounds", "--seed", 7, "--keep-order", "--method", "mondrian")
    run("anonymize", "patients.csv", "-o", "release.parquet", *ASK, "--hierarchy", "zip=prefix", *options)
    release = sf.anonymize(
        "patients.csv",
        quasi_identifiers={"age": None, "zip": sf.Prefix()},
        sensitive="disease",
        identifiers="name",
        k=5,
        l=2,
        suppression=0.05,
        intervals="bounds",
        seed=7,
        keep_order=True,
        method="mondrian",
    )
    release.write("python.parquet")
    assert Path("release.parquet").read_bytes() == Path("python.parquet").read_bytes()


def test_a_saved_policy_makes_the_same_release(folder: Path) -> None:
    run("anonymize", "patients.csv", "-o", "one.csv", *ASK, "--hierarchy", "zip=prefix", "--save-policy", "p.toml")
    done = run("anonymize", "patients.csv", "-o", "two.csv", "--policy", "p.toml")
    assert done.code == 0
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


def test_a_policy_may_be_replaced_by_what_it_became(folder: Path) -> None:
    run("anonymize", "patients.csv", "-o", "one.csv", *ASK, "--save-policy", "p.toml")
    again = ("anonymize", "patients.csv", "-o", "two.csv", "--policy", "p.toml", "-k", 8, "--save-policy", "p.toml")
    assert "exists already" in refused(4, *again)
    assert run(*again, "--force", "p.toml").code == 0
    assert sf.KAnonymity(8) in sf.Policy.read("p.toml").privacy


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_the_separator_is_detected_or_given(separator: str, folder: Path) -> None:
    write_patients(folder / "other.csv", separator=separator)
    assert run("anonymize", "other.csv", "-o", "one.csv", *ASK).code == 0
    said = "tab" if separator == "\t" else separator
    assert run("anonymize", "other.csv", "-o", "two.csv", *ASK, "--sep", said).code == 0
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("age=numeric", sf.Numeric()),
        ("age=numeric:5,10,20", sf.Numeric((5, 10, 20))),
        ("age=numeric:2.5, 5", sf.Numeric((2.5, 5))),
        ("zip=prefix", sf.Prefix()),
        ("zip=prefix:5", sf.Prefix(length=5)),
        ("zip=categorical", sf.Categorical()),
        ("zip=ordered:02138|02139|53706|53715", sf.Ordered(["02138", "02139", "53706", "53715"])),
    ],
)
def test_hierarchies_in_a_few_characters(text: str, expected: object, folder: Path) -> None:
    column = text.partition("=")[0]
    assert saved(*ASK, "--hierarchy", text).schema.quasi_identifiers[column] == expected


@pytest.mark.parametrize("text", ["zip=zip.csv", "zip=taxonomy:zip.csv"])
def test_a_hierarchy_file_is_a_taxonomy(text: str, folder: Path) -> None:
    Path("zip.csv").write_text("02138;MA;*\n02139;MA;*\n53706;WI;*\n53715;WI;*\n", encoding="utf-8")
    how = saved(*ASK, "--hierarchy", text).schema.quasi_identifiers["zip"]
    assert how == sf.Taxonomy.read("zip.csv")


def test_dates_take_levels(folder: Path) -> None:
    lines = ["born,disease", *(f"19{year}-05-17,flu" for year in range(50, 90))]
    Path("born.csv").write_text("\n".join(lines), encoding="utf-8")
    arguments = ("--qi", "born", "--plain", "disease", "-k", 4, "--hierarchy", "born=dates:month,year")
    assert run("anonymize", "born.csv", "-o", "r.csv", *arguments, "--save-policy", "p.toml").code == 0
    assert sf.Policy.read("p.toml").schema.quasi_identifiers["born"] == sf.Dates(["month", "year"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("l-diversity:l=2,kind=entropy", sf.LDiversity(2, "entropy")),
        ("l-diversity:l=2,kind=recursive,c=3.5,column=disease", sf.LDiversity(2, "recursive", 3.5, column="disease")),
        ("t-closeness:t=0.8", sf.TCloseness(0.8)),
        ("minimum-span:column=age,width=5", sf.MinimumSpan("age", 5)),
    ],
)
def test_any_model_in_a_few_characters(text: str, expected: object, folder: Path) -> None:
    assert saved(*ROLES, "--privacy", text).privacy == (expected,)


def test_a_model_may_take_a_taxonomy_from_a_file(folder: Path) -> None:
    text = "flu;lungs;*\nasthma;lungs;*\nulcer;other;*\nangina;other;*\n"
    Path("disease.csv").write_text(text, encoding="utf-8")
    model = "t-closeness:t=0.9,distance=hierarchical,taxonomy=disease.csv"
    expected = sf.TCloseness(0.9, "hierarchical", sf.Taxonomy.read("disease.csv"))
    assert saved(*ROLES, "--privacy", model).privacy == (expected,)


def test_parameters_of_the_method(folder: Path) -> None:
    policy = saved(*ASK, "--method", "mondrian", "--set", "relaxed=true", "--set", "categories=taxonomy")
    assert policy.method == sf.Mondrian(relaxed=True, categories="taxonomy")
    assert saved(*ASK, "--method", "mondrian-relaxed").method == sf.Mondrian(relaxed=True)


def test_parameters_of_the_method_by_column(folder: Path) -> None:
    cuts = (
        "--set",
        "splits.age=40,50",
        "--set",
        "splits.zip=[53706]",
        "--minimize",
        "gcp",
        "--set",
        "time_limit=1.5",
    )
    policy = saved(*ASK, "--method", "enum-multi", *cuts)
    assert policy.method == sf.EnumMulti(splits={"age": [40, 50], "zip": [53706]}, minimize="gcp", time_limit=1.5)
    again = saved("--policy", "saved.toml", "--set", "splits.age=3")
    assert again.method == sf.EnumMulti(splits={"age": 3, "zip": [53706]}, minimize="gcp", time_limit=1.5)


BASE = """
sensitive = ["disease"]
identifiers = ["name"]
rest = "plain"
[quasi_identifiers]
age = { type = "numeric", widths = [5, 10], weight = 3 }
zip = { type = "prefix" }
[[privacy]]
model = "k-anonymity"
k = 5
[[privacy]]
model = "l-diversity"
l = 2
[method]
name = "mondrian"
relaxed = true
[options]
suppression = 0.1
keep_order = true
seed = 3
"""


@pytest.fixture
def base(folder: Path) -> sf.Policy:
    Path("base.toml").write_text(BASE, encoding="utf-8")
    return sf.Policy.read("base.toml")


def test_a_policy_alone_is_taken_as_it_is(base: sf.Policy) -> None:
    assert saved("--policy", "base.toml") == replace(base, seed=None)  # the seed is a secret


def test_models_replace_those_of_the_same_name(base: sf.Policy) -> None:
    assert saved("--policy", "base.toml", "-k", 7).privacy == (sf.LDiversity(2), sf.KAnonymity(7))
    entropy = saved("--policy", "base.toml", "--privacy", "l-diversity:l=1.5,kind=entropy").privacy
    assert entropy == (sf.KAnonymity(5), sf.LDiversity(1.5, "entropy"))


def test_a_named_column_changes_its_role_and_no_other_does(base: sf.Policy) -> None:
    schema = saved("--policy", "base.toml", "--identifiers", "zip").schema
    # A column that the policy drops must never come back because another one is dropped too.
    assert schema.identifiers == ("name", "zip")
    assert schema.quasi_identifiers == {"age": sf.Numeric((5, 10))}
    assert schema.weights == {"age": 3}
    assert schema.sensitive == ("disease",)
    assert schema.rest == "plain"


def test_a_quasi_identifier_named_again_keeps_its_hierarchy(base: sf.Policy) -> None:
    assert saved("--policy", "base.toml", "--qi", "age").schema == base.schema
    hierarchies = saved("--policy", "base.toml", "--hierarchy", "age=numeric:20").schema.quasi_identifiers
    assert hierarchies == {"age": sf.Numeric((20,)), "zip": sf.Prefix()}


def test_options_take_precedence(base: sf.Policy) -> None:
    said = ("--suppression", 0, "--seed", 9, "--shuffle", "--missing", "error", "--intervals", "mean", "--rest", "drop")
    policy = saved("--policy", "base.toml", *said, "--set", "relaxed=false")
    assert (policy.suppression, policy.seed, policy.keep_order) == (0.0, None, False)
    assert (policy.missing, policy.intervals, policy.schema.rest) == ("error", "mean", "drop")
    assert policy.method == sf.Mondrian(relaxed=False)


def test_columns_are_changed_by_options_and_saved_with_them(folder: Path) -> None:
    done = run(
        *("anonymize", "patients.csv", "-o", "out.csv", "--qi", "age,zip", "--sensitive", "disease", "--rest", "drop"),
        *("-k", 3, "--transform", "disease=prefix:12:3", "--sample", "0.5:zip", "--save-policy", "p.toml"),
    )
    assert done.code == 0, done.stderr
    policy = sf.Policy.read("p.toml")
    assert policy.sample == sf.Sample(0.5, "zip")
    assert policy.transform == {"disease": sf.AtLevel(sf.Prefix(12, [3]))}
    assert "changed" in done.stderr
