"""What was proven, assumed, guessed and confirmed are four different words in every output."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.release.manifest import NAMED, Grounds

PEOPLE = {
    "age": [25, 27, 41, 44],
    "zip": ["1", "2", "3", "4"],
    "who": ["a", "b", "c", "d"],
    "illness": ["flu", "ulcer", "flu", "asthma"],
}
ALONE = "Somebody looks like nobody else (k=1): whoever knows their quasi-identifiers finds their row."


@pytest.fixture(scope="module")
def people() -> pa.Table:
    return pa.table(PEOPLE)


def lines(release: sf.Release, name: str) -> list[str]:
    return [line.split("  ", 1)[1].strip() for line in release.summary().splitlines() if line.startswith(f"{name} ")]


def test_every_kind_of_knowledge_has_its_word(people: pa.Table) -> None:
    release = sf.anonymize(
        people, quasi_identifiers="age", sensitive="illness", plain="zip", person="who", k=2, confirm=["zip"], seed=1
    )
    grounds = release.manifest["grounds"]
    assert grounds["proven"] == ["k-anonymity k=2: holds, smallest class 2"]
    assert grounds["source"] == "the released rows and the column of persons"
    assert grounds["assumed"] == [
        "others may know age",
        "nobody can find a person by zip, released unchanged",
        "nobody knows anyone's illness beforehand",
        "who says whose row it is",
    ]
    assert grounds["guessed"] == ["how to generalize age (number)"]
    assert grounds["confirmed"] == ["unique-rows (zip)"]
    assert lines(release, "verified") == ["yes, from the released rows and the column of persons"]
    assert lines(release, "assumed") == ["; ".join(grounds["assumed"])]
    assert lines(release, "guessed") == grounds["guessed"]
    assert lines(release, "confirmed") == grounds["confirmed"]
    assert Grounds.recorded(json.loads(json.dumps(grounds))).to_dict() == grounds


def test_what_is_declared_is_not_guessed(people: pa.Table) -> None:
    release = sf.anonymize(
        people,
        quasi_identifiers={"age": sf.Numeric(widths=[20])},
        rest="drop",
        privacy=sf.KMap(2, population=people.select(["age"])),
        seed=1,
    )
    grounds = Grounds.recorded(release.manifest["grounds"])
    assert grounds.guessed == ()
    assert grounds.source == "the released rows and the population that was given"
    assert "the hierarchy of age, as declared" in grounds.assumed
    assert "the population is the one that the table was drawn from" in grounds.assumed
    assert "every row is a different person" in grounds.assumed


def test_several_columns_are_listed_as_english_does(people: pa.Table) -> None:
    release = sf.anonymize(
        people,
        quasi_identifiers={"age": sf.Numeric(widths=[20]), "zip": sf.Prefix()},
        sensitive=["illness", "who"],
        k=2,
        confirm=["who"],
        seed=1,
    )
    assumed = release.manifest["grounds"]["assumed"]
    assert "the hierarchies of age and zip, as declared" in assumed
    assert "nobody knows anyone's who or illness beforehand" in assumed


def test_two_tables_say_it_too(people: pa.Table) -> None:
    made = sf.anatomize(people, quasi_identifiers="age", sensitive="illness", rest="drop", l=2, seed=1)
    assert made.manifest["grounds"]["source"] == "the two tables alone"
    assert "assumed   " in made.summary()


def test_thousands_of_columns_make_a_short_sentence() -> None:
    wide = pa.table({f"c{at}": [1, 1] for at in range(200)})
    release = sf.anonymize(wide, quasi_identifiers=wide.column_names, k=2, seed=1)
    assert release.manifest["grounds"]["assumed"][0].endswith(f"and {200 - NAMED} more")


class TestPromisesOfNothing:
    def test_k_1_is_verified_and_says_that_it_promises_nothing(self, people: pa.Table, tmp_path: Path) -> None:
        release = sf.anonymize(people, quasi_identifiers="age", sensitive="illness", rest="drop", k=1, seed=1)
        said = ("k-anonymity k=1 promises nothing: every table keeps it.", ALONE)
        assert release.verification.ok
        assert tuple(lines(release, "but")) == said == tuple(release.manifest["grounds"]["caveats"])
        assert all(one in release._repr_html_() for one in said)
        checked = sf.check(people, quasi_identifiers="age", k=1)
        assert all(f"Note: {one}" in checked.summary() for one in said)
        assert checked.to_dict()["notes"] == list(said)
        release.report(tmp_path / "report.html")
        page = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert all(one in page for one in said)
        assert "Nothing: every table keeps it." in page
        assert "at least 0 others" not in page

    @pytest.mark.parametrize(
        "model",
        [
            sf.LDiversity(1),
            sf.LDiversity(1, kind="distinct"),
            sf.TCloseness(1),
            sf.AverageRisk(1),
            sf.UniqueShare(1),
            sf.KMap(1, population=pa.table({"age": PEOPLE["age"]})),
            sf.DeltaPresence(0, 1, population=pa.table({"age": PEOPLE["age"]})),
            sf.MarketerRisk(1, population=pa.table({"age": PEOPLE["age"]})),
            sf.PopulationUniques(1, population=pa.table({"age": PEOPLE["age"]})),
        ],
        ids=str,
    )
    def test_so_does_every_other_promise_that_all_tables_keep(self, people: pa.Table, model: sf.PrivacyModel) -> None:
        found = sf.check(people, quasi_identifiers="age", sensitive="illness", privacy=model)
        assert found.ok
        assert len(found.caveats) == 2
        assert "promises nothing" in found.caveats[0]

    @pytest.mark.parametrize(
        "model", [sf.KAnonymity(2), sf.LDiversity(1.5), sf.LDiversity(2, kind="recursive", c=1), sf.AverageRisk(0.5)]
    )
    def test_a_real_promise_does_not(self, model: sf.PrivacyModel) -> None:
        alike = pa.table({"age": ["*"] * 4, "illness": list("aabc")})
        found = sf.check(alike, quasi_identifiers="age", sensitive="illness", privacy=model)
        assert found.caveats == ()

    def test_a_broken_rule_needs_no_caveat(self, people: pa.Table) -> None:
        assert sf.check(people, quasi_identifiers="age", k=2).caveats == ()


def test_the_command_line_tells_proof_from_assumption(people: pa.Table, tmp_path: Path) -> None:
    file = tmp_path / "release.csv"
    pa.csv.write_csv(pa.table({"age": ["*"] * 4, "illness": list("abca")}), file)
    done = run("check", str(file), "--qi", "age", "--sensitive", "illness", "-k", "2")
    assert done.code == 0
    assert "proven    from the rows of the table alone\n" in done.stdout
    assert "assumed   others may know age; nobody knows anyone's illness beforehand; every row" in done.stdout
    told = json.loads(run("check", str(file), "--qi", "age", "-k", "2", "--json").stdout)["grounds"]
    assert told["proven"] == ["k-anonymity k=2: holds, smallest class 4"]
    assert told["assumed"] == ["others may know age", "every row is a different person"]
