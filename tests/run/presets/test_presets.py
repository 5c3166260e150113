"""Presets: what each asks for holds, what it forbids is gone, and its questions are answered."""

from __future__ import annotations

import datetime
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cli.command import run
from tests.examples import examples

import sfumato as sf
from sfumato.api.checklist import figure, figures_of
from sfumato.assess.attacks import ATTACKS
from sfumato.assess.meaning.recognise import recognise
from sfumato.errors import CautionError, ParameterError, VerificationError
from sfumato.io import open_source
from sfumato.run.presets.adapt import _forbidden
from sfumato.run.presets.detail import is_a_date, year_of_birth, year_shown
from sfumato.run.presets.left_over import left_over
from sfumato.run.presets.preset import Preset

SAFE = Preset.named("hipaa-safe-harbor")
PATIENTS = {
    "name": ["Ann", "Bob", "Cyd", "Dan"],
    "zip": ["02139", "03601", "90210", "10001"],
    "age": [34, 91, 104, 89],
    "dob": [datetime.date(year, 5, 9) for year in (1990, 1931, 1921, 1999)],
    "admitted": ["2024-01-09", "2024-02-29", "2023-05-17", "2023-11-30"],
    "illness": ["flu", "ulcer", "flu", "asthma"],
}


@pytest.fixture(scope="module")
def census() -> sf.datasets.dataset.Dataset:
    return sf.datasets.census(rows=400, seed=1)


@pytest.mark.parametrize("preset", Preset.all(), ids=lambda preset: preset.name)
def test_every_preset_names_its_source_and_what_it_leaves_out(preset: Preset) -> None:
    assert preset.title
    assert preset.summary
    assert preset.source
    assert preset.not_covered
    assert "not legal advice" in preset.text
    known = {attack.name for attack in ATTACKS}
    for question in preset.checklist:
        assert set(question.attacks) <= known


@pytest.mark.parametrize("name", ["ema-0070", "health-canada", "cms-11"])
def test_a_threshold_holds_whatever_else_is_asked(name: str, census: sf.datasets.dataset.Dataset) -> None:
    weaker = sf.anonymize(census.table, census.schema, preset=name, k=3, method="mondrian")
    assert weaker.achieved.k is not None
    assert weaker.achieved.k >= 11
    assert weaker.risk.after.prosecutor.highest is not None
    assert weaker.risk.after.prosecutor.highest <= 1 / 11
    policy = sf.Policy(census.schema, preset=name)
    assert sf.Policy.from_dict(policy.to_dict()) == policy
    assert policy.privacy == (sf.KAnonymity(11),)
    assert sf.Policy(census.schema, [sf.KAnonymity(20)], preset=name).privacy == (sf.KAnonymity(20),)
    assert not sf.check(census.table, quasi_identifiers=list(census.schema.quasi_identifiers), preset=name)


def test_a_preset_that_asks_for_no_number_asks_you(census: sf.datasets.dataset.Dataset) -> None:
    with pytest.raises(ParameterError, match="No privacy is asked for"):
        sf.anonymize(census.table, census.schema, preset="wp216")


def test_questions_are_answered_by_figures_and_attacks(census: sf.datasets.dataset.Dataset) -> None:
    release = sf.anonymize(census.table, census.schema, k=20, method="mondrian", seed=1)
    for preset in Preset.all():
        answers = sf.checklist(census.table, release, preset.name, targets=50, seed=1)
        assert [one.question for one in answers.answers] == [one.question for one in preset.checklist]
        assert answers.ok == all(one.verdict != "not met" for one in answers.answers)
        assert answers.to_dict()["not_covered"]
        assert preset.source in answers.summary()
    weak = sf.anonymize(census.table, census.schema, k=2, method="mondrian", seed=1)
    judged = {one.question: one.verdict for one in sf.checklist(census.table, weak, "ema-0070", targets=50).answers}
    assert judged["Is the highest risk of being found at most 0.09?"] == "not met"
    assert figure(figures_of(weak), "after.prosecutor.highest") == weak.risk.after.prosecutor.highest


def test_a_checklist_needs_a_preset(census: sf.datasets.dataset.Dataset) -> None:
    release = sf.anonymize(census.table, census.schema, k=20, method="mondrian")
    with pytest.raises(ParameterError, match="Which checklist"):
        sf.checklist(census.table, release)
    with pytest.raises(ParameterError, match="no figure 'nothing'"):
        figure(figures_of(release), "after.nothing")


def test_safe_harbor_leaves_nothing_that_it_forbids(tmp_path: Path) -> None:
    release = sf.anonymize(pa.table(PATIENTS), sensitive="illness", rest="plain", preset="hipaa-safe-harbor", seed=1)
    shown = {name: sorted(map(str, column)) for name, column in release.data.to_pydict().items()}
    last = datetime.date.today().year - 90
    assert shown["age"] == ["34", "89", "90+", "90+"]
    assert shown["zip"] == ["000", "021", "100", "902"]
    assert set(shown["dob"]) == {"1990", "1999", f"{last} or before"}
    assert shown["admitted"] == ["2023", "2023", "2024", "2024"]
    assert "name" not in shown
    assert release.manifest["preset"]["dropped"] == {"name": "(A) names"}
    assert "HIPAA, Safe Harbor" in release.summary()
    file = tmp_path / "release.csv"
    release.write(file)
    assert sf.check(file, quasi_identifiers=["age", "zip"], preset="hipaa-safe-harbor")
    assert sf.attack(pa.table(PATIENTS), release, attacks="linkage", seed=1)["linkage"].rate > 0


def test_a_recoding_that_leaves_detail_is_caught_before_anybody_sees_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.run.presets.adapt.year_shown", lambda column: column.cast(pa.string()))
    visits = pa.table({"visit_date": ["2024-05-17", "2024-05-17", "2023-01-02", "2023-01-02"]})
    with pytest.raises(VerificationError, match="no forbidden detail in the dates"):
        sf.anonymize(visits, preset="hipaa-safe-harbor", k=2)


def test_safe_harbor_keeps_declared_widths_and_takes_k() -> None:
    people = pa.table({"age": [31, 33, 88, 89, 95, 99], "illness": list("abcabc")})
    schema = sf.Schema({"age": sf.Numeric(widths=(5, 10))}, "illness")
    release = sf.anonymize(people, schema, preset="hipaa-safe-harbor", k=2)
    assert set(release.data["age"].to_pylist()) == {"[30, 34]", "[85, 89]", "90+"}


def test_a_declared_column_that_looks_like_an_identifier_stops_the_release() -> None:
    table = pa.table({"age": [31, 33], "drug_name": ["x", "y"], "note": ["a", "mail me: a.b@example.org"]})
    with pytest.raises(CautionError, match=r"'drug_name': .A. names; 'note': .F. electronic mail"):
        sf.anonymize(table, quasi_identifiers="age", plain=["drug_name", "note"], preset="hipaa-safe-harbor")
    kept = ["drug_name", "note"]
    release = sf.anonymize(table, quasi_identifiers="age", plain=kept, confirm=kept, preset="hipaa-safe-harbor", k=2)
    assert release.data.column_names == ["age", *kept]
    zips = pa.table({"zip": ["02139", "90210"], "age": [1, 2]})
    confirmed = sf.anonymize(zips, rest="plain", confirm=["zip"], preset="hipaa-safe-harbor")
    assert sorted(confirmed.data["zip"].to_pylist()) == ["021", "902"]  # confirming is no way around the rule


def test_strange_values_stay_what_they_are_and_dates_among_them_are_found() -> None:
    table = pa.table(
        {
            "age": ["34", "-1", "unknown", "95", None],
            "birth_year": ["1980", "2031", "1899", "?", "1990"],
            "seen": ["2024-05-17", "?", "2024-05-18", "2023-01-01", "2023-01-02"],
            "told": ["on 5/17/2024", "never", "never", "no", "no"],
        }
    )
    asked = {"quasi_identifiers": ["age", "birth_year"], "rest": "plain", "preset": "hipaa-safe-harbor", "seed": 1}
    release = sf.anonymize(table, na=["?"], **asked)
    assert set(release.data["age"].to_pylist()) == {"34", "-1", "unknown", "90+", None}
    last = datetime.date.today().year - 90
    assert set(release.data["birth_year"].to_pylist()) == {"1980", "2031", "1990", f"{last} or before", None}
    assert set(release.data["seen"].to_pylist()) == {2023, 2024, None}
    assert release.manifest["preset"]["dropped"] == {"told": "dates beside other values"}
    without = sf.anonymize(table, **asked | {"quasi_identifiers": ["age"], "identifiers": "birth_year"})
    assert set(without.manifest["preset"]["dropped"]) == {"seen", "told"}


def test_a_population_is_recoded_as_the_table_is() -> None:
    register = pa.table({"age": [20, 21, 22, 91, 95, 99], "zip": ["02139"] * 6})
    drawn = pa.table({"age": [20, 22, 95, 99], "zip": ["02139"] * 4})
    asked = {"quasi_identifiers": ["age", "zip"], "preset": "hipaa-safe-harbor", "method": "mondrian"}
    release = sf.anonymize(drawn, privacy=sf.KMap(3, population=register), **asked)
    assert sorted(release.data["age"].to_pylist()) == ["90+", "90+", "[20, 22]", "[20, 22]"]
    found = sf.strongest(drawn, max_gcp=1.0, privacy=sf.KMap(3, population=register), **asked)
    assert found.release.verify().ok


def test_what_a_check_finds_in_a_file_that_others_made(tmp_path: Path) -> None:
    file = tmp_path / "raw.csv"
    pyarrow.csv.write_csv(pa.table(PATIENTS), file)
    found = sf.check(file, quasi_identifiers=["age"], preset="hipaa-safe-harbor")
    broken = {one.column: one.breaking for one in found.violations}
    in_memory = sf.check(pa.table(PATIENTS), quasi_identifiers=["age"], preset="hipaa-safe-harbor", confirm="name")
    assert {one.column: one.breaking for one in in_memory.violations} == {
        name: count for name, count in broken.items() if name != "name"
    }
    assert broken == {"name": 4, "zip": 4, "age": 2, "dob": 4, "admitted": 4}
    assert "BROKEN by 2 values" in found.summary()
    assert "and 1 more" not in found.summary()


@pytest.mark.parametrize(
    ("shown", "finer"),
    [("[85, 90+]", 0), ("90+", 0), ("[85, 94]", 1), ("[30, 39]", 0), ("102", 1), ("*", 0), ("90", 1)],
)
def test_ages_that_a_file_may_show(shown: str, finer: int, tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    pyarrow.csv.write_csv(pa.table({"age": [shown]}), file)
    shown_again = open_source(file).read(["age"], ["age"])
    assert [one.breaking for one in left_over(SAFE, shown_again)] == [finer]


#: One value of each kind that the rule names and a pattern can know, and values beside them that are none.
LOOKS = {
    "(617) 555-0123": "(D)",
    "x 617-555-0123": "(D)",
    "a.b+c@mail.example.org": "(F)",
    "078-05-1120": "(G)",
    "DE89 3704 0044 0532 0130 00": "(J)",
    "1HGCM82633A004352": "(L)",
    "00:1A:2b:3c:4d:5e": "(M)",
    "see https://example.org/x": "(N)",
    "192.168.0.254": "(O)",
    "123e4567-e89b-12d3-a456-426614174000": "(R)",
    "12.5 mg": "",
    "2024": "som",  # a diagnosis is no year
    "J45.909": "",
    "300.1.2": "",
    "a ratio of 3-2-1": "",
}


def looks(name: str, values: list[str | None]) -> str:
    """The letter of the rule that forbids a column, "som" for something not understood; empty if nothing does."""
    table = pa.table({name: values})
    return _forbidden(SAFE, name, recognise(name, table.column(name)), table)[:3]


@pytest.mark.parametrize("value", LOOKS)
def test_values_are_known_by_their_look(value: str) -> None:
    assert looks("diagnosis", ["-", value, None]) == LOOKS[value]


NAMES = {
    "First Name": "(A)",
    "HomeAddress": "(B)",
    "home_phone": "(D)",
    "FAX": "(E)",
    "e_mail": "(F)",
    "email_address": "(F)",
    "ip_address": "(O)",
    "patientSSN": "(G)",
    "mrn": "(H)",
    "health_plan_beneficiary": "(I)",
    "account_no": "(J)",
    "license": "(K)",
    "VIN": "(L)",
    "device_serial": "(M)",
    "url": "(N)",
    "ip": "(O)",
    "fingerprint": "(P)",
    "photo": "(Q)",
    "patient_id": "(R)",
    "patient_sex": "",
    "lesson": "som",
    "birth_weight": "",
    "description": "som",
}


@pytest.mark.parametrize("name", NAMES)
def test_columns_are_known_by_their_names(name: str) -> None:
    assert looks(name, ["f", "m"] if NAMES[name] in {"", "som"} else ["1.5", "2.5"]) == NAMES[name]


def test_dates_are_known_by_their_type_or_by_how_all_are_written() -> None:
    def is_date(values: list[object], named: bool = False, is_year: bool = False) -> bool:
        return is_a_date(pa.chunked_array([values]), named, is_year)

    assert is_date([datetime.datetime(2024, 1, 2)])
    assert is_date(["2/29/2024", None])
    assert is_date(["2024-05"])
    assert is_date([20240229], named=True)
    assert is_date([1936], is_year=True)
    assert not is_date([20240229])
    assert not is_date(["2024-05-01", "later"])
    assert not is_date([1936])
    assert not is_date([1.5], named=True)
    assert year_shown(pa.chunked_array([["2/29/2024"]])).to_pylist() == [2024]
    assert year_shown(pa.chunked_array([[20240229, None]])).to_pylist() == [2024, None]
    assert year_of_birth(pa.chunked_array([[1920, 1950]]), 1936).to_pylist() == ["1936 or before", "1950"]


def test_a_preset_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, census: sf.datasets.dataset.Dataset
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "house.toml"
    file.write_text(Preset.named("cms-11").text.replace("k = 11", "k = 15"), encoding="utf-8")
    policy = sf.Policy(census.schema, method="mondrian", preset="house.toml")
    policy.write(tmp_path / "policy.toml")
    assert 'preset = "house.toml"' in (tmp_path / "policy.toml").read_text(encoding="utf-8")
    assert sf.Policy.read(tmp_path / "policy.toml").run(census.table).achieved.k >= 15  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("title = ", "not valid TOML"),
        ("title = 'a'\nmore = 1", "no place for 'more'"),
        ("title = 'a'", "'summary' parameter"),
        ("title='a'\nsummary='b'\nsource='c'\n[[privacy]]\nmodel='x'", "needs a 'model'"),
        (
            "title='a'\nsummary='b'\nsource='c'\n[[privacy]]\nmodel='k-anonymity'\nz=3",
            "unexpected keyword argument 'z'",
        ),
        ("title='a'\nsummary='b'\nsource='c'\n[[identifiers]]\npattern='('", "a regular expression"),
        ("title='a'\nsummary='b'\nsource='c'\n[ages]\nyoungest=3", "no place for 'youngest'"),
    ],
)
def test_a_wrong_file_is_refused(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParameterError, match=message):
        Preset.named(str(file))


def test_names_that_do_not_exist_are_refused() -> None:
    with pytest.raises(ParameterError, match="There is no preset 'gdpr'"):
        Preset.named("gdpr")
    with pytest.raises(ParameterError, match="'preset' parameter of anonymize must be one of 'cms-11'"):
        sf.anonymize(pa.table({"age": [1, 2]}), quasi_identifiers="age", preset="gdpr")


def test_the_command_line_lists_and_prints_presets() -> None:
    listed = run("presets")
    assert all(preset.name in listed.stdout for preset in Preset.all())
    assert "legal advice" in listed.stdout
    assert run("presets", "cms-11").stdout.strip() == Preset.named("cms-11").text.strip()
    assert run("presets", "gdpr").code == 2


def test_the_command_line_answers_a_presets_questions(tmp_path: Path, census: sf.datasets.dataset.Dataset) -> None:
    file = tmp_path / "census.csv"
    pyarrow.csv.write_csv(census.table, file)
    columns = ["--qi", "age,gender", "--sensitive", "occupation", "--rest", "drop", "--method", "mondrian"]
    done = run("anonymize", file, "-o", tmp_path / "out.csv", *columns, "--preset", "ema-0070")
    assert done.code == 0
    assert "[met] Is the highest risk" in done.stderr
    assert "not legal advice" in done.stderr
    checked = run("check", tmp_path / "out.csv", "--qi", "age,gender", "--preset", "cms-11")
    assert checked.code == 0
    assert "k-anonymity k=11: holds" in checked.stdout


ZIPS = st.one_of(st.integers(0, 99_999), st.none()) | st.sampled_from([501, 3601, 82_101])
AGES = st.one_of(st.integers(0, 120), st.none())
DAYS = st.dates(datetime.date(1890, 1, 1), datetime.date(2026, 1, 1))
NOTES = st.sampled_from(["fine", "12.5 mg", "", "3-2-1", "2024", "a-b"]) | st.sampled_from(list(LOOKS))


@settings(max_examples=examples(15))
@given(st.lists(st.tuples(ZIPS, AGES, DAYS, DAYS, NOTES), min_size=1, max_size=12), st.integers(1, 3))
def test_whatever_comes_in_nothing_forbidden_comes_out(rows: list[tuple[object, ...]], k: int) -> None:
    day = datetime.date(1980, 1, 1)
    rows = [*rows, (2139, 40, day, day, "fine")]  # a column that is missing everywhere is refused
    zips, ages, births, visits, notes = map(list, zip(*rows, strict=True))
    table = pa.table(
        {
            "zip": pa.array(zips, pa.int64()),
            "age": pa.array(ages, pa.int64()),
            "birth_date": births,
            "visit": [f"{day:%m/%d/%Y}" for day in visits],
            "note": notes,
            "sex": ["f"] * len(rows),
        }
    )
    asked = {"rest": "plain", "k": min(k, len(rows)), "preset": "hipaa-safe-harbor", "method": "mondrian"}
    release = sf.anonymize(table, confirm=["sex"], **asked)
    assert sf.check(release.data, quasi_identifiers=["zip", "age"], preset="hipaa-safe-harbor").ok
    assert "note" not in release.data.column_names
    born = {str(day.year) for day in births if day.year > datetime.date.today().year - 90}
    shown = {text for cell in release.data["birth_date"].to_pylist() for text in re.findall(r"\d{4}", str(cell))}
    assert shown <= born | {str(datetime.date.today().year - 90)}


@pytest.mark.parametrize("preset", Preset.all(), ids=lambda preset: preset.name)
def test_every_preset_says_what_was_confirmed_and_what_is_only_reported(preset: Preset) -> None:
    assert preset.date
    assert preset.confirmed or preset.reported
    told = preset.to_dict()
    assert (told["date"], told["confirmed"], told["reported"]) == (
        preset.date,
        list(preset.confirmed),
        list(preset.reported),
    )
    printed = " ".join(run("presets").stdout.split())
    assert all(" ".join(one.split()) in printed for one in (preset.date, *preset.confirmed, *preset.reported))


@pytest.mark.parametrize("name", ["ema-0070", "health-canada"])
def test_a_threshold_that_is_read_in_two_ways_gets_two_answers(name: str, census: sf.datasets.dataset.Dataset) -> None:
    def answered(k: int) -> tuple[str, str | None]:
        table = pa.table({"age": ["*"] * k, "illness": list("abc" * k)[:k]})
        release = sf.anonymize(table, quasi_identifiers="age", sensitive="illness", k=k, seed=1)
        first = sf.checklist(table, release, name, targets=10, seed=1).answers[0]
        assert "groups of 11" in first.reading
        assert "-k 12" in first.stricter
        return first.verdict, first.strict_verdict

    assert answered(11) == ("met", "not met")
    assert answered(12) == ("met", "met")
    assert answered(10) == ("not met", "not met")


@pytest.mark.parametrize("name", ["wp216", "ema-0070", "quebec-2024", "uk-ico-2025"])
def test_singling_out_is_answered_by_both_readings(name: str, census: sf.datasets.dataset.Dataset) -> None:
    release = sf.anonymize(census.table, census.schema, k=20, method="mondrian", seed=1)
    answers = sf.checklist(census.table, release, name, targets=50, seed=1)
    (one,) = [answer for answer in answers.answers if "Cohen and Nissim" in answer.stricter]
    assert (one.verdict, one.strict_verdict) == ("met", "not met")
    assert "predicate singling out succeeds in" in one.strict_figures
    assert f"  [not met] Read more strictly: {one.stricter}. {one.strict_figures}." in answers.summary()
    assert answers.ok == all(answer.verdict != "not met" for answer in answers.answers)


def test_singling_out_is_measured_and_met_by_a_release_that_shows_nothing() -> None:
    table = pa.table({"age": range(20, 80), "illness": ["flu", "gout", "ulcer"] * 20})
    release = sf.anonymize(table, quasi_identifiers={"age": sf.Numeric(widths=[1_000])}, k=60, rest="drop", seed=1)
    (one,) = [each for each in sf.checklist(table, release, "wp216", seed=1).answers if each.stricter]
    assert (one.verdict, one.strict_verdict) == ("met", "met")
    assert "no better than guessing" in one.strict_figures


def test_attacks_on_how_a_release_was_made_answer_iso_27559(census: sf.datasets.dataset.Dataset) -> None:
    release = sf.anonymize(census.table, census.schema, k=20, method="mondrian", seed=1)
    (one,) = [each for each in sf.checklist(census.table, release, "iso-27559", seed=1).answers if each.stricter]
    assert one.strict_verdict == "not met"
    assert "downcoding" in one.strict_figures


def test_ontario_asks_for_the_strictest_threshold(census: sf.datasets.dataset.Dataset) -> None:
    release = sf.anonymize(census.table, census.schema, preset="ontario-ipc-2025", method="mondrian", seed=1)
    assert release.achieved.k is not None
    assert release.achieved.k >= 20
    identity, *_ = sf.checklist(census.table, release, targets=50, seed=1).answers
    assert identity.verdict == "met"


def test_the_seed_of_a_command_holds_for_its_checklist_and_certificate(
    tmp_path: Path, census: sf.datasets.dataset.Dataset
) -> None:
    table = tmp_path / "people.csv"
    pa.csv.write_csv(census.table, table)
    roles = [f"--qi={name}" for name in ("age", "gender", "education")]

    def made(number: int) -> tuple[object, object]:
        files = [f"--output={tmp_path / f'{number}.csv'}", f"--certificate={tmp_path / f'{number}.json'}"]
        asked = [*roles, "--sensitive=occupation", "--rest=drop", "--preset=wp216", "-k5", "--seed=7", "--json"]
        done = run("anonymize", str(table), *asked, *files, "--method=mondrian")
        assert done.code == 0, done.stderr
        attacks = json.loads((tmp_path / f"{number}.json").read_text())["attacks"]
        return json.loads(done.stdout)["preset"]["checklist"], attacks

    assert made(1) == made(2)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('at_most = "much"', "at_most"),
        ("figure = 3", "figure"),
        ("attacks = [1]", "attacks"),
        ("stricter = 1", "stricter"),
    ],
)
def test_a_question_of_the_wrong_kind_is_refused(line: str, message: str) -> None:
    text = f'title = "a"\nsummary = "b"\nsource = "c"\n[[checklist]]\nquestion = "d"\n{line}\n'
    with pytest.raises(ParameterError, match=message):
        Preset.parsed("own", text)


@pytest.mark.parametrize("name", [preset.name for preset in Preset.all() if not preset.recodes])
def test_check_takes_every_preset(name: str, tmp_path: Path) -> None:
    file = tmp_path / "release.csv"
    pa.csv.write_csv(pa.table({"age": ["*"] * 20, "illness": ["a", "b"] * 10}), file)
    done = run("check", str(file), "--qi", "age", "--sensitive", "illness", "--preset", name)
    assert done.code == 0, done.stderr
    asked = Preset.named(name).privacy
    assert all(f"{model.name} k={model.k}: holds" in done.stdout for model in asked if isinstance(model, sf.KAnonymity))
