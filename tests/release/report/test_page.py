"""The report: it says everything, holds aggregates only, and survives whatever a table holds."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from tests.release.report.conftest import people, policy

import sfumato as sf
from sfumato.api.report import facts_of_files
from sfumato.release.report.facts import ReportFacts, facts_of_release
from sfumato.release.report.limits import LOOKS, TITLES
from sfumato.release.report.page import SECTIONS, page
from sfumato.release.report.parts import percent

#: A page, however large the table is.
LARGEST = 300_000


class Reader(HTMLParser):
    """Reads a page: its elements with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.open: list[str] = []
        self.feed(text.replace("<wbr>", ""))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.said.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.said).split())


@pytest.fixture(scope="module", name="found")
def all_facts(release: sf.Release, tmp_path_factory: pytest.TempPathFactory) -> ReportFacts:
    file = tmp_path_factory.mktemp("release") / "release.csv"
    release.write(file)
    return facts_of_release(release, file)


@pytest.fixture(scope="module", name="text")
def whole_page(found: ReportFacts) -> str:
    return page(found)


class TestPage:
    def test_is_one_small_file_that_asks_for_nothing(self, text: str):
        reader = Reader(text)
        assert len(text.encode()) < LARGEST
        assert reader.open == []
        names = {name for name, _ in reader.elements}
        assert not names & {
            "script",
            "link",
            "img",
            "iframe",
            "object",
            "form",
            "base",
            "image",
            "use",
            "foreignobject",
        }
        for name, attributes in reader.elements:
            assert not [key for key in attributes if key.startswith("on") or key in {"src", "style", "action"}], name
            assert attributes.get("href", "#").startswith("#")
        assert not re.search(r"url\(|@import|https?:", text)

    def test_allows_nothing_but_its_own_style(self, text: str):
        [allowed] = [one["content"] for name, one in Reader(text).elements if one.get("http-equiv")]
        assert allowed.startswith("default-src 'none'; style-src 'sha256-")
        assert "unsafe" not in allowed

    def test_has_landmarks_and_headings_in_order(self, text: str):
        elements = Reader(text).elements
        names = [name for name, _ in elements]
        assert [names.count(name) for name in ("h1", "main", "nav", "header", "footer")] == [1, 1, 1, 1, 1]
        ids = [one["id"] for name, one in elements if name == "section"]
        assert ids == list(SECTIONS)
        linked = [one["href"] for name, one in elements if name == "a"]
        assert set(linked) >= {f"#{key}" for key in SECTIONS}
        levels = [int(name[1]) for name in names if re.fullmatch("h[1-6]", name)]
        assert all(later - level <= 1 for level, later in pairwise(levels))

    def test_every_section_begins_with_a_sentence(self, text: str):
        assert len(re.findall(r'</h2><p class="lead">[^<]{30,}\.</p>', text)) == len(SECTIONS) - 1  # but page one

    def test_every_picture_is_described_and_has_its_table(self, text: str):
        elements = Reader(text).elements
        pictures = [one for name, one in elements if name == "svg" and one.get("role") == "img"]
        assert len(pictures) == text.count("<figure>") == text.count("<summary>The numbers</summary>") >= 7
        assert all(len(one["aria-label"]) > 30 for one in pictures)


class TestContents:
    def test_the_verdict(self, text: str, found: ReportFacts, release: sf.Release):
        said = Reader(text).text
        assert "every promise holds" in said
        assert found.file is not None
        assert found.file.sha256 in said
        assert found.file.name in said
        assert sf.__version__ in said
        assert "nobody is picked out with a chance above 20%" in said
        assert "nobody can be more than 66.7% sure of anyone's illness" in said

    def test_who_is_protected(self, text: str, release: sf.Release):
        said = Reader(text).text
        before = release.risk.before
        assert f"{before.unique:,} ({before.prosecutor.unique_share:.1%}" in said
        assert "0.09 (1 in 11)" in said
        assert "stricter than the promise, k = 5: asks for 11 who look alike" in said
        assert "Nearest to the limit of k" in said

    def test_what_was_lost(self, text: str, release: sf.Release):
        said = Reader(text).text
        assert f"GCP {release.loss.gcp:.4f}" in said
        assert f"can lose less than {percent(float(release.bound))}" in said
        assert "average class size over k (c_avg)" in said
        for name in release.shown.quasi_identifiers:
            assert f"{name} before and after" in said
        assert f"{release.suppressed:,} of 600 rows" in said

    def test_how_it_was_made(self, text: str):
        said = Reader(text).text
        assert "Levels" in said
        assert "width 10" in said
        assert "mondrian (categories = ordered)" in said

    def test_the_policy_makes_the_release_again(self, found: ReportFacts, release: sf.Release):
        again = sf.Policy.from_dict(tomllib.loads(found.policy))
        assert again.seed is None
        assert again.schema == policy().schema
        assert again.privacy == policy().privacy
        assert again.suppression == 0.05
        assert again.run(people()).achieved.k >= 5

    def test_the_secret_is_nowhere(self, text: str):
        assert "12345678" not in text.replace(",", "").replace("_", "")


class TestLimits:
    def test_are_those_of_the_threat_model(self, found: ReportFacts, repository: Path):
        headings = re.findall(r"^##+ (.*)$", (repository / "docs/explanation/threat-model.md").read_text(), re.M)
        told = [limit for look in LOOKS for limit in look(found)]
        assert {limit.entry for limit in told} <= set(headings)
        assert {limit.entry for limit in told} <= TITLES.keys()
        assert "Columns that are published unchanged" in {limit.title for limit in told}

    def test_are_found_by_looking(self, found: ReportFacts):
        entries = {limit.entry for look in LOOKS for limit in look(found)}
        assert {"Background knowledge", "Skewness", "Similarity", "Published totals", "Outliers"} <= entries
        assert not entries & {"Small tables", "The order of rows", "Numeric sensitive values", "Homogeneity"}
        small = sf.anonymize(
            pa.table({"age": [1, 2, 3, 4] * 5, "pay": [10] * 20}),
            quasi_identifiers="age", sensitive="pay", k=5, keep_order=True, method="mondrian",
        )  # fmt: skip
        entries = {limit.entry for look in LOOKS for limit in look(facts_of_release(small))}
        assert {"Small tables", "The order of rows", "Numeric sensitive values", "Homogeneity"} <= entries
        assert "The attacker" not in entries

    def test_presence_is_limited_only_where_that_is_promised(self, found: ReportFacts):
        def entries(*models: dict[str, object]) -> set[str]:
            return {limit.entry for look in LOOKS for limit in look(replace(found, promises=models))}

        assert "Who is in the table" in entries({"model": "k-anonymity", "k": 5})
        assert "Who is in the table" not in entries({"model": "delta-presence", "low": 0.0, "high": 0.5})


# Aggregates only

PLANTED = re.compile("zq(town|hamlet|school|middle|ill|visit|name|no|77|a)|736.?455|645.?546", re.IGNORECASE)


def planted_release() -> sf.Release:
    """Return a release of a table with a value in every column that the release does not show.

    The last row goes because its age is missing; the ages 645,546 and 736,455 stand inside an interval.
    """
    rows = 60
    towns = ["bay", "glen"] * (rows // 2 - 1) + ["zqtown", "zqhamlet"]
    table = pa.table(
        {
            "zip": [f"9{row % 5}00" for row in range(rows - 1)] + ["zq77"],
            "age": [10, 300_000, 600_000, 999_999] * (rows // 4 - 1) + [10, 736_455, 645_546, None],
            "town": towns,
            "school": ["a", "b", "c", "zqschool"] * (rows // 4),
            "rank": ["low", "high", "zqmiddle"] * (rows // 3),
            "illness": ["flu", "acne", "ulcer"] * (rows // 3 - 1) + ["flu", "acne", "zqillness"],
            "visit": ["x", "y"] * (rows // 2 - 1) + ["x", "zqvisit"],
            "name": [f"zqname{row}" for row in range(rows)],
            "note": ["zqnote"] * rows,
        }
    )
    taxonomy = sf.Taxonomy(
        [["a", "ab", "*"], ["b", "ab", "*"], ["c", "cd", "*"], ["zqschool", "cd", "*"], ["zqno", "cd", "*"]]
    )
    return sf.anonymize(
        table,
        quasi_identifiers={
            "zip": sf.Prefix(), "age": sf.Numeric(), "town": sf.Categorical(), "school": taxonomy,
            "rank": sf.Ordered(["low", "zqmiddle", "high"]),
        },
        sensitive="illness", plain="visit", identifiers="name", rest="drop", missing="suppress",
        k=20, method="mondrian", seed=1, confirm=["visit", "illness"],
    )  # fmt: skip


def everything_drawn(release: sf.Release) -> Iterator[str]:
    """Yield all that is drawn or written about a release, and the specifications behind it."""
    charts: list[Any] = [release.plot.loss(), release.plot.classes(), release.plot.risk()]
    charts += [release.plot.column(name) for name in release.shown.quasi_identifiers]
    for chart in charts:
        yield json.dumps(chart.to_dict(), ensure_ascii=False)
    facts = facts_of_release(release)
    yield page(facts)
    yield repr(facts)
    for column in facts.columns.values():
        yield column.picture.svg()
        yield repr(column.picture.rows)


class TestAggregatesOnly:
    def test_no_planted_value_is_in_any_artefact(self):
        release = planted_release()
        assert not PLANTED.search("\n".join(map(str, release.table.to_pylist()))), "the release itself shows it"
        for artefact in everything_drawn(release):
            found = PLANTED.search(artefact)
            assert not found, artefact[max(0, found.start() - 80) : found.end() + 80]

    def test_the_search_finds_what_is_there(self):
        shown = sf.anonymize(pa.table({"x": ["zqa"] * 9 + ["b"] * 9}), quasi_identifiers="x", k=9, method="mondrian")
        assert all(
            PLANTED.search(artefact)
            for artefact in (page(facts_of_release(shown)), json.dumps(shown.plot.column("x").to_dict()))
        )


# Hostile input

NAMES = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "a" * 10_000,
    "שלום \u202e evil",
    "🙂",
    "'",
    "_",
    "]]>",
)


def hostile_release() -> sf.Release:
    random = np.random.default_rng(5)
    columns = {name: random.choice([f"{name} <b>{at}</b>" for at in range(3)], 100) for name in NAMES}
    sensitive = {"</style><script>": random.choice(["<svg onload=alert(1)>", "b", "\u202e"], 100)}
    return sf.anonymize(
        pa.table(columns | sensitive),
        quasi_identifiers=list(NAMES), sensitive=list(sensitive), k=5, method="mondrian", confirm=["lost-column"],
    )  # fmt: skip


class TestHostileInput:
    def test_names_and_labels_are_text(self):
        text = page(facts_of_release(hostile_release()))
        reader = Reader(text)
        assert len(text.encode()) < LARGEST
        assert not {name for name, _ in reader.elements} & {"script", "img", "b"}
        assert not [one for _, one in reader.elements if any(key.startswith("on") for key in one)]
        assert "\u202e" not in text
        assert "<script>alert(1)</script>" in reader.text
        assert reader.open == []

    def test_two_hundred_columns(self):
        random = np.random.default_rng(5)
        table = pa.table({f"column {at}": random.integers(0, 9, 60) for at in range(200)})
        release = sf.anonymize(table, quasi_identifiers=table.column_names, k=5, method="mondrian", seed=1)
        # Its bound takes ten seconds, and one number more or less changes nothing here.
        text = page(facts_of_release(release, bound=False))
        assert len(text.encode()) < LARGEST
        assert all(f"column {at}" in text for at in range(200))

    def test_one_class_and_no_sensitive_column(self):
        release = sf.anonymize(pa.table({"age": list(range(10))}), quasi_identifiers="age", k=10, method="mondrian")
        said = Reader(page(facts_of_release(release))).text
        assert "No column is declared sensitive" in said
        assert "Everybody looks like at least 9 others" in said

    def test_everything_suppressed_but_k_rows(self):
        ages = [30] * 5 + list(range(100, 2_000, 50))
        release = sf.anonymize(
            pa.table({"age": ages}),
            quasi_identifiers={"age": sf.Categorical()},
            k=5,
            suppression=0.9,
            method="incognito",
        )
        assert release.table.num_rows == 5
        said = Reader(page(facts_of_release(release))).text
        assert f"{len(ages) - 5} of {len(ages)} rows" in said
        assert "1950" not in said


def test_changed_columns_and_pseudonyms_are_told(tmp_path: Path):
    """Also of a file, whose original is changed in the same way before it is compared."""
    csv.write_csv(people(60), tmp_path / "original.csv")
    schema = sf.Schema(["age", "town"], sensitive="illness", identifiers="name", plain="hours", rest="drop")
    changed = {"transform": {"hours": sf.Rounded([10])}, "pseudonymize": "name"}
    asked = sf.Policy(schema, [sf.KAnonymity(5)], method="mondrian", **changed)  # type: ignore[arg-type]
    release = asked.run(tmp_path / "original.csv")
    release.write(tmp_path / "release.csv")
    release.report(tmp_path / "made.html", file=tmp_path / "release.csv")
    assert asked.report(tmp_path / "found.html", tmp_path / "original.csv", tmp_path / "release.csv").ok
    for page_of in ("made.html", "found.html"):
        said = Reader((tmp_path / page_of).read_text(encoding="utf-8")).text
        assert "names people; shown as pseudonyms" in said
        assert "changed first, as the policy says" in said


def test_a_method_that_nobody_named_was_not_asked_for_by_name(tmp_path: Path):
    table = people(200)
    roles = {"quasi_identifiers": "age", "sensitive": "illness", "rest": "drop"}
    made = sf.anonymize(table, **roles, preset="cms-11", seed=1)
    made.report(tmp_path / "report.html")
    assert "asked for by name" not in Reader((tmp_path / "report.html").read_text(encoding="utf-8")).text


def test_a_broken_promise_is_said_first(tmp_path: Path):
    table = people(50)
    release = table.select(["age", "hours", "town", "school", "illness", "visit"])
    strict = policy(suppression=0.0)
    csv.write_csv(table, tmp_path / "original.csv")
    csv.write_csv(release, tmp_path / "release.csv")
    verification = strict.report(tmp_path / "report.html", tmp_path / "original.csv", tmp_path / "release.csv")
    said = Reader((tmp_path / "report.html").read_text(encoding="utf-8")).text
    assert not verification.ok
    assert "Do not publish: 2 promises are broken." in said
    assert "asked for by name" in said


@pytest.mark.parametrize("model", [sf.LDiversity(2, kind="recursive", c=2), sf.DeltaDisclosure(0.5)], ids=str)
def test_what_has_no_limit_is_called_unlimited(model: sf.PrivacyModel, tmp_path: Path) -> None:
    released = pa.table({"age": ["[1, 2]"] * 2 + ["[3, 4]"] * 2, "s": list("aabb")})
    csv.write_csv(released, tmp_path / "release.csv")
    asked = sf.Policy(sf.Schema(["age"], "s"), [model])
    original = pa.table({"age": [1, 2, 3, 4], "s": list("aabb")})
    assert not asked.report(tmp_path / "report.html", original, tmp_path / "release.csv")
    assert "unlimited" in (tmp_path / "report.html").read_text(encoding="utf-8")


def visits(seed: int = 4) -> pa.Table:
    """People with one to eight visits each; a person's visits share an age."""
    random = np.random.default_rng(seed)
    of_person = np.repeat(np.arange(200), random.integers(1, 9, 200))
    wards = random.choice(["A", "B", "C"], len(of_person))
    return pa.table({"patient": of_person, "age": 20 + of_person % 40, "ward": wards, "illness": wards})


def test_a_file_with_several_rows_of_a_person_tells_no_risk_by_rows(tmp_path: Path) -> None:
    asked = sf.Policy(sf.Schema(["age", "ward"], sensitive="illness", person="patient"), [sf.KAnonymity(4)], seed=1)
    made = asked.run(visits())
    made.write(tmp_path / "release.csv")
    asked.report(tmp_path / "found.html", visits(), tmp_path / "release.csv")
    found = (tmp_path / "found.html").read_text(encoding="utf-8")
    assert "1 in " not in found[: found.index("What it does not protect against")]
    assert "cannot be counted" in found
    assert "No column is declared sensitive" not in found
    assert found.count("not counted") >= 1
    made.report(tmp_path / "made.html", file=tmp_path / "release.csv")
    assert "is found at worst" in (page := (tmp_path / "made.html").read_text(encoding="utf-8"))
    assert f"1 in {round(1 / made.risk.after.prosecutor.highest)}" in page


def test_pseudonyms_let_a_report_of_a_file_count_people(tmp_path: Path) -> None:
    asked = sf.Policy(
        sf.Schema(["age"], sensitive="illness", plain=["ward"], person="patient"),
        [sf.KAnonymity(4)],
        pseudonymize={"patient": sf.Pseudonyms()},
        confirm=["ward"],
        seed=1,
    )
    made = asked.run(visits())
    made.write(tmp_path / "release.csv")
    facts = facts_of_files(asked, asked.to_dict(), visits(), tmp_path / "release.csv")
    assert not facts.rows_only
    assert facts.risk.after.people == 200
    assert facts.risk.after.prosecutor.highest == made.risk.after.prosecutor.highest
