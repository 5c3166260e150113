"""Screen 2: its answers are those of the library, and the picture is the same under the port of a notebook."""

from __future__ import annotations

import base64
import importlib.util
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest

import sfumato as sf
from sfumato.studio.desk import Bench, Held
from sfumato.studio.operations import find
from sfumato.studio.operations.choose import frontier_of
from sfumato.studio.plan import Plan
from sfumato.studio.widget import MODULE

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
LACKING = (
    "no Chromium on PATH" if CHROMIUM is None else "" if importlib.util.find_spec("playwright") else "no playwright"
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("studio")
    table = sf.datasets.census(rows=600, seed=2).table.select(["age", "gender", "education", "salary_class"])
    pyarrow.csv.write_csv(table, folder / "people.csv")
    roles = ("quasi-identifier", "quasi-identifier", "quasi-identifier", "sensitive")
    plan = Plan(roles, k=5, privacy=({"model": "l-diversity", "l": 2},))
    return Bench(Held(folder / "people.csv", "people.csv"), plan, {}, lambda *_: None, folder)


def asked(bench: Bench, name: str, **args: Any) -> Any:
    return find(name)(replace(bench, args=args))


def test_the_frontier_begins_with_every_k_and_the_goal(bench: Bench) -> None:
    said = asked(bench, "frontier")
    first, second = next(said), next(said)
    assert first["chosen"] == 5
    assert {5, 10, 100} <= set(first["sizes"])
    assert second["point"]["k"] == 10
    assert second["point"]["sentence"].startswith("Everybody looks like at least")
    again = asked(bench, "frontier")
    next(again)
    assert next(again)["point"] == second["point"], "what is known is not computed again"


def test_the_same_people_are_shown_with_every_k(bench: Bench) -> None:
    five, ten = (asked(bench, "people", k=k) for k in (5, 10))
    assert [one["row"] for one in five["people"]] == [one["row"] for one in ten["people"]]
    original = bench.table.cast(pa.schema([(name, pa.string()) for name in bench.table.column_names])).to_pylist()
    for one in ten["people"]:
        assert one["before"] == {name: original[one["row"]][name] for name in one["before"]}
        assert one["alike"] >= 10
        assert one["after"]["salary_class"] == one["before"]["salary_class"]


def test_a_cell_says_what_one_step_finer_would_break(bench: Bench) -> None:
    shown = asked(bench, "people", k=10)["people"]
    row = next(one for one in shown if one["before"]["age"] != one["after"]["age"])["row"]
    lines = asked(bench, "why", k=10, row=row, column=0)["lines"]
    assert "look alike" in lines[0]
    assert "age" in lines[1]


def test_what_a_neighbour_knows_is_counted(bench: Bench) -> None:
    one = asked(bench, "people", k=10)["people"][0]["before"]
    found = asked(bench, "knows", k=10, known={"0": one["age"], "1": one["gender"], "2": " "})
    rows = zip(bench.table["age"].to_pylist(), bench.table["gender"].to_pylist(), strict=True)
    assert found["before"] == sum((str(age), sex) == (one["age"], one["gender"]) for age, sex in rows)
    assert found["after"] >= max(10, found["before"])
    ranged = asked(bench, "knows", k=10, known={"0": "30–40"})
    assert asked(bench, "knows", k=10, known={"0": "30-40"}) == ranged, "as keyboards have it"
    assert ranged["before"] == sum(30 <= age <= 40 for age in bench.table["age"].to_pylist())


def test_an_impossible_goal_names_the_nearest(bench: Bench) -> None:
    hard = replace(bench, plan=replace(bench.plan, k=601))
    said = asked(hard, "frontier")
    next(said)
    assert any(message["point"]["failed"] for message in said)
    assert asked(hard, "nearest")["sizes"][0] <= 600
    table = replace(bench, plan=replace(bench.plan, privacy=({"model": "l-diversity", "l": 500},)))
    nearest = asked(table, "nearest", k=5)["models"]
    assert 2 <= nearest[0]["l"] < 500
    assert frontier_of(replace(table, plan=replace(bench.plan, privacy=tuple(nearest)))).point(5).gcp is not None


def test_the_release_that_is_handed_out_is_the_one_that_was_shown(bench: Bench) -> None:
    shown = frontier_of(bench).release(5)
    next(asked(bench, "make"))
    assert bench.held.kept["release"].table.equals(shown.table)


def test_the_widget_sends_the_same_points() -> None:
    pytest.importorskip("anywidget")
    table = sf.datasets.census(rows=300, seed=2).table.select(["age", "gender"])
    frontier = sf.frontier(table, quasi_identifiers=["age", "gender"], k=[3, 5], seed=1)
    shown = sf.widget(frontier)
    sent: list[dict[str, Any]] = []
    shown.send = sent.append
    from sfumato.studio.widget import _Answers  # noqa: PLC0415

    answers = _Answers(frontier, shown)
    answers._send_all()
    assert sent[0]["value"]["sizes"] == list(frontier.sizes)
    assert [one["value"]["point"]["k"] for one in sent[1:-1]] == [5, 3, 5, 3]
    assert sent[-1] == {"kind": "done"}
    answers.hear({"name": "choose", "args": {"k": 3}})
    assert shown.chosen == 3


# The picture in a browser

POINTS = [
    {"k": 10, "gcp": 0.059, "highest": 0.1, "approximate": False, "bound": 0.04, "failed": None},
    {"k": 5, "gcp": 0.05, "highest": 0.2, "approximate": False, "bound": None, "failed": None},
    {"k": 20, "gcp": 0.09, "highest": 0.05, "approximate": True, "bound": None, "failed": None},
    {"k": 100, "gcp": None, "highest": None, "approximate": False, "bound": None, "failed": "impossible"},
]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Frontier</title>
<main><h1>Two ports</h1><div id="http" style="width:600px"></div><div id="widget" style="width:600px"></div></main>
<script type="module">
const { mount, default: widget } = await import("data:text/javascript;base64,MODULE");
const told = [{ sizes: [2, 5, 10, 20, 100], chosen: 10 }, ...POINTS.map(point => ({ point }))];
Object.assign(window, { mount, told });
const tell = hear => { for (const value of told) hear({ kind: "message", value }); hear({ kind: "done" }); };
window.chosen = { http: [], widget: [] };
mount(document.getElementById("http"), {
  request(name, args) { chosen.http.push([name, args]); return Promise.resolve(); },
  subscribe(name, args, hear) { tell(hear); return () => {}; },
});
let receive;
widget.render({ el: document.getElementById("widget"), model: {
  on(name, hear) { receive = hear; }, off() {},
  send({ name, args }) {
    if (name === "frontier") queueMicrotask(() => tell(receive));
    else chosen.widget.push([name, args]);
  } } });
</script></html>"""


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Any]:
    if LACKING and not os.environ.get("CI"):
        pytest.skip(f"{LACKING}: the picture is not drawn")
    import json  # noqa: PLC0415

    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    source = base64.b64encode(MODULE.read_bytes()).decode()
    file = tmp_path / "ports.html"
    file.write_text(PAGE.replace("MODULE", source).replace("POINTS", json.dumps(POINTS)), encoding="utf-8")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 700, "height": 900})
        opened.goto(file.as_uri())
        opened.wait_for_selector("#http svg[data-done='3']")
        opened.wait_for_selector("#widget svg[data-done='3']")
        yield opened
        browser.close()


def test_the_picture_is_the_same_under_both_ports(page: Any) -> None:
    drawn = [page.inner_html(f"#{name}") for name in ("http", "widget")]
    assert drawn[0] == drawn[1]
    assert drawn[0].count('class="solid"') == 2
    assert drawn[0].count('class="about"') == drawn[0].count('class="pending"') == drawn[0].count('class="failed"') == 1
    assert 'class="region"' in drawn[0]
    assert "2 of 5 releases made and verified" in drawn[0], "what is impossible was not made"


def test_a_bound_from_a_sample_is_not_called_certain(page: Any) -> None:
    assert "nobody can get here" in page.inner_text("#http")
    assert "sure" not in page.inner_text("#http")
    page.evaluate("""() => {
      document.body.insertAdjacentHTML("beforeend", "<div id='sampled' style='width:600px'></div>");
      const point = { ...told.find(one => one.point?.bound).point, bound_confidence: 0.99 };
      mount(document.getElementById("sampled"), { request() {}, subscribe(name, args, hear) {
        for (const value of [told[0], { point }]) hear({ kind: "message", value });
        return () => {};
      } });
    }""")
    page.wait_for_selector("#sampled .region")
    assert "nobody can get here: from a sample, 99% sure" in page.inner_text("#sampled")


def test_the_handle_is_a_slider_that_moves_by_keys_and_says_where_it_is(page: Any) -> None:
    slider = page.locator("#http [role=slider]")
    assert slider.get_attribute("aria-valuenow") == "10"
    assert slider.get_attribute("aria-valuetext") == "k = 10: 5.9% of the detail lost, a chance of at most 10%"
    slider.focus()
    for key, k in (("ArrowLeft", "5"), ("Home", "2"), ("End", "100"), ("ArrowLeft", "20")):
        page.keyboard.press(key)
        assert slider.get_attribute("aria-valuenow") == k
    assert "≈" in str(slider.get_attribute("aria-valuetext"))
    assert page.evaluate("chosen.http.map(one => one[1].k)") == [5, 2, 100, 20]
    # Nothing but the handle is touched by a step: far below the 16 ms of a frame.
    steps = page.evaluate("""() => {
      const handle = document.querySelector("#http [role=slider]"), took = [];
      for (let at = 0; at < 200; at++) {
        const begin = performance.now();
        handle.dispatchEvent(new KeyboardEvent("keydown", { key: at % 2 ? "ArrowLeft" : "ArrowRight", bubbles: true }));
        handle.getBoundingClientRect();
        took.push(performance.now() - begin);
      }
      return took.sort((one, two) => one - two)[190];
    }""")
    assert steps < 16
