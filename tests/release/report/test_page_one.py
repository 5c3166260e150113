"""Page one: what it says of a release, and that nobody is exposed on a green one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import csv
from tests.release.report.conftest import people, policy, safe_release

import sfumato as sf
from sfumato.assess.cautions import CODES, Caution
from sfumato.assess.cautions.caution import SEVERITIES
from sfumato.release.report.caution_words import IN_WORDS
from sfumato.release.report.facts import ReportFacts, facts_of_release
from sfumato.release.report.limits import limits_of
from sfumato.release.report.page_one import PageOne, State, page_one
from sfumato.release.report.released_rows import UniqueRows, count_unique, example_of
from sfumato.verify.verification import Unproven


@pytest.fixture(scope="module", name="safe")
def safe_facts() -> ReportFacts:
    return facts_of_release(safe_release())


def caution(code: str, severity: str = "note", confirmed: bool = False) -> Caution:
    return Caution(code, severity, ("age",), 7, "Something was found.", "Do something.", confirmed)


def exposures(safe: ReportFacts) -> Iterator[tuple[str, ReportFacts]]:
    """Yield the safe release with one thing that stands in the way, for every such thing."""
    for code, severity in product(CODES, SEVERITIES):
        yield f"{severity} {code}", replace(safe, cautions=[caution(code, severity)])
    yield "a caution of another package", replace(safe, cautions=[caution("someone-else's")])
    after = safe.risk.after
    for share in (1.0, 0.5, 1e-9):
        certain = {"illness": replace(after.sensitive["illness"], certain=share)}
        yield f"certain {share}", replace(safe, risk=replace(safe.risk, after=replace(after, sensitive=certain)))
    yield "certain unknown", replace(safe, risk=replace(safe.risk, after=replace(after, sensitive={})))
    for alone in (1, 2, 5_000):
        yield f"unique {alone}", replace(safe, unique=UniqueRows(5_000, 2, alone, 0))
    yield "unique unknown", replace(safe, unique=None)
    yield "guessed", replace(safe, grounds=replace(safe.grounds, guessed=("how to generalize age",)))
    yield "not looked at", replace(safe, not_looked_at=["repeated-rows"])
    yield (
        "not proven",
        replace(safe, verification=replace(safe.verification, not_checkable=(Unproven(("k over people",)),))),
    )
    yield "nothing promised", replace(safe, verification=replace(safe.verification, checks=()))
    yield "in its order", replace(safe, keeps_order=True)
    yield "ends of intervals", replace(safe, singling_out={"rows": 3, "share": 0.1, "classes_with_intervals": 30})


def test_people_at_the_end_of_an_interval_are_counted(safe: ReportFacts) -> None:
    found = replace(safe, singling_out={"rows": 3, "share": 0.1, "classes_with_intervals": 30})
    [limit] = [one for one in limits_of(found) if one.entry == "Outliers"]
    assert limit.share == pytest.approx(3 / safe.verification.rows)


class TestState:
    def test_is_green_where_nothing_stands_in_the_way(self, safe: ReportFacts):
        one = page_one(safe)
        assert one.state is State.GREEN
        assert one.reasons == ()
        assert one.headline == "Nothing stands in the way: every promise holds."

    def test_is_never_green_where_something_does(self, safe: ReportFacts):
        tried = dict(exposures(safe))
        assert len(tried) > len(CODES) * len(SEVERITIES)
        for name, found in tried.items():
            one = page_one(found)
            assert one.state is State.AMBER, name
            assert len(one.reasons) == 1, name
            assert "1 thing needs a decision" in one.headline, name

    def test_is_red_if_a_promise_is_broken_whatever_else_is_found(self, safe: ReportFacts):
        [first, *others] = safe.verification.checks
        broken = replace(safe.verification, checks=(replace(first, breaking=1), *others))
        for name, found in [("safe", safe), *exposures(safe)]:
            if found.verification is safe.verification:
                one = page_one(replace(found, verification=broken))
                assert one.state is State.RED, name
                assert one.headline == "Do not publish: 1 promise is broken.", name
                assert not one.example.rows, name
        nobody = page_one(replace(safe, verification=replace(safe.verification, rows=0)))
        assert nobody.state is State.RED
        assert nobody.headline.startswith("Do not publish")

    def test_a_confirmed_caution_is_told_and_does_not_stop(self, safe: ReportFacts):
        for code in CODES:
            one = page_one(replace(safe, cautions=[caution(code, "warning", confirmed=True)]))
            assert one.state is State.GREEN, code
            assert [known.key for known in one.concerns if known.confirmed] == [code]

    def test_a_confirmation_hides_no_exposure(self, safe: ReportFacts):
        exposed = replace(safe, unique=UniqueRows(5_000, 2, 9, 0), cautions=[caution("unique-rows", confirmed=True)])
        assert page_one(exposed).state is State.AMBER

    @given(st.lists(st.tuples(st.sampled_from(CODES), st.sampled_from(SEVERITIES), st.booleans()), max_size=5))
    def test_any_open_caution_of_several_is_enough(self, safe: ReportFacts, cautions: list[tuple[str, str, bool]]):
        one = page_one(replace(safe, cautions=[caution(*each) for each in cautions]))
        assert (one.state is State.GREEN) == all(confirmed for _, _, confirmed in cautions)


class TestConcerns:
    def test_come_by_severity_and_then_by_how_many_they_concern(self, safe: ReportFacts):
        found = replace(
            safe,
            unique=UniqueRows(5_000, 2, 50, 0),
            keeps_order=True,
            cautions=[caution("lost-column", "warning"), caution("near-unique", "error"), caution("reading")],
        )
        keys = [one.key for one in page_one(found).reasons]
        assert keys == ["near-unique", "The order of rows", "unique", "lost-column", "reading"]

    def test_one_kind_of_caution_is_one_concern(self, safe: ReportFacts):
        many = [replace(caution("lost-column", "warning"), columns=(f"column {at}",)) for at in range(30)]
        [concern] = page_one(replace(safe, cautions=many)).reasons
        assert "column 1" in concern.found
        assert "more" in concern.found

    def test_every_caution_has_words_without_code(self):
        assert set(IN_WORDS) == set(CODES)
        for title, helps in IN_WORDS.values():
            assert not {"=", "'", "`", "--"} & set(title + helps)
            assert helps.endswith(".")


class TestUniqueRows:
    @given(st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=30))
    def test_are_those_that_nobody_shares(self, rows: list[tuple[int, int, int]]):
        table = pa.table(dict(zip("abc", zip(*rows, strict=True), strict=True)))
        found = count_unique(table, ["c"])
        assert found is not None
        known = [row[:2] for row in rows]
        assert found.everywhere == sum(rows.count(row) == 1 for row in rows)
        assert found.without_sensitive == sum(known.count(row) == 1 for row in known)
        assert (found.rows, found.columns) == (len(rows), 3)

    def test_pseudonyms_are_left_out_and_missing_values_are_values(self):
        table = pa.table({"a": [None, None, 1], "number": ["x", "y", "z"]})
        assert count_unique(table, [], ["number"]) == UniqueRows(3, 1, 1, 1)

    def test_are_unknown_where_values_cannot_be_compared(self):
        assert count_unique(pa.table({"a": [{"b": 1}, {"b": 2}]}), []) is None

    def test_plain_columns_count(self):
        """Nobody is unique in what outsiders are assumed to know, and everybody in what is published."""
        rows = 100
        table = pa.table({"age": [30, 40] * (rows // 2), "note": list(range(rows)), "s": list("abcd") * (rows // 4)})
        release = sf.anonymize(
            table, quasi_identifiers="age", sensitive="s", plain="note", k=20, confirm=["note", "age"], seed=1
        )
        one = page_one(facts_of_release(release))
        assert one.state is State.AMBER
        assert [figure.value for figure in one.figures if "unique" in figure.name] == ["100%"]


@pytest.fixture(scope="module", name="usual")
def usual_page() -> PageOne:
    return page_one(facts_of_release(policy().run(people())))


def test_certain_and_unique_are_among_the_first_figures(usual: PageOne, safe: ReportFacts):
    for one in (usual, page_one(safe)):
        assert "certain" in one.figures[1].name
        assert "unique over all columns" in one.figures[2].name


#: What a board asks before it signs, the part of page one that answers, and what stands there.
QUESTIONS = {
    "May I sign this?": ("state", r"Check before signing: every promise holds, \d+ things need a decision\."),
    "Who gets it, and what for?": ("about", r"for: University of Siena\s+purpose: research on work"),
    "How many people are in it?": ("cards", r"\d+ rows are published|rows are published \d+"),
    "How likely is it that somebody is found?": ("safe", r"at worst 1 time in \d+, on average 1 time in \d+"),
    "By whom: what does one have to know for that?": (
        "safe",
        r"Somebody who knows a person's age, hours, town and school",
    ),
    "How was it before?": ("safe", r"In the original, [\d.]+% could be found for certain"),
    "Does it give anybody's illness away?": ("cards", r"have a sensitive value that is certain"),
    "Does anybody still stand out, with everything in it?": ("cards", r"are unique over all columns [\d.]+%"),
    "What is it still good for, and what is lost?": (
        "useful",
        r"of the detail is lost .* rows are left out\. Lost most: ",
    ),
    "What can still go wrong, and what do I do about it?": ("remains", r"unique over all columns\..* What helps: "),
    "What do I have to take on trust?": ("rests", r"assumed others may know age, hours, town and school"),
    "What does it look like?": ("example", r"age hours town school illness visit .*(\[\d+, \d+\]|\d+)"),
    "Is this the file, who checked it, and when?": (
        "checked",
        r"[0-9a-f]{64} · recounted \d+ \w+ \d{4}, from the released",
    ),
    "Where do I sign?": ("decision", r"publish.*restricted recipients only.*rework.*name.*date.*signature"),
}


@pytest.fixture(scope="module", name="parts")
def parts_of_page_one(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("release")
    release = policy().run(people())
    release.write(folder / "release.csv")
    about = {"title": "Patients 2026", "recipient": "University of Siena", "purpose": "research on work"}
    release.report(folder / "report.html", file=folder / "release.csv", **about)
    return PartsOfPageOne((folder / "report.html").read_text(encoding="utf-8")).text


class PartsOfPageOne(HTMLParser):
    """The text of every element with a class inside page one, and of its title, by that class."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text: dict[str, str] = {}
        self.open: list[tuple[str, ...]] = []
        self.feed(page.replace("<wbr>", ""))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append((tag, *(dict(attrs).get("class") or "").split()))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        inside = {name for names in self.open for name in names}
        for name in inside if "one" in inside or "header" in inside else ():
            self.text[name] = " ".join(f"{self.text.get(name, '')} {data}".split())


@pytest.mark.parametrize("question", QUESTIONS)
def test_page_one_answers_what_a_board_asks(parts: dict[str, str], question: str):
    where, answer = QUESTIONS[question]
    assert re.search(answer, parts[where]), parts[where]


def test_page_one_has_the_title_that_was_given(parts: dict[str, str]):
    assert parts["h1"] == "Patients 2026"


def test_hostile_words_about_a_report_are_text(tmp_path: Path):
    hostile = "<script>alert(1)</script>" * 40
    release = safe_release()
    release.report(tmp_path / "report.html", title=hostile, recipient=hostile, purpose="\u202e" + hostile)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "\u202e" not in page
    assert "&lt;script&gt;" in page


def test_no_row_of_a_broken_release_is_shown(tmp_path: Path):
    csv.write_csv(people(50), tmp_path / "original.csv")
    csv.write_csv(people(50).drop_columns(["name"]), tmp_path / "release.csv")
    policy(suppression=0.0).report(tmp_path / "r.html", tmp_path / "original.csv", tmp_path / "release.csv")
    parts = PartsOfPageOne((tmp_path / "r.html").read_text(encoding="utf-8")).text
    assert parts["example"] == "Example No row is shown of a table that must not be published."
    assert parts["remains"].startswith("Remains A broken promise")


def test_the_example_shows_every_kind_of_column_and_only_what_fits():
    table = pa.table({f"column {at}": ["x" * 40] * 5 for at in range(60)} | {"secret": ["s"] * 5})
    roles = dict.fromkeys(table.column_names, "quasi-identifier") | {"secret": "sensitive"}
    example = example_of(table, roles)
    assert "secret" in example.columns
    assert len(example.rows) == 3
    assert len(example.columns) + example.left_out == 61
    assert sum(max(len(name), 22) for name in example.columns) <= 120
    assert all(len(cell or "") <= 22 for row in example.rows for cell in row)
