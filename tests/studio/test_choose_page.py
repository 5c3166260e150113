"""The second screen and the drawer in a real Chromium: the handle, people, rules, groups by dragging, a traced step."""

from __future__ import annotations

import json
import random
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.studio.tab import Tab, in_browser, opened_browser
from tests.studio.test_server import Running

from sfumato.io import write_table

pytestmark = in_browser

ROWS = 240
#: The milliseconds of a frame at 60 Hz.
FRAME = 16.0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from opened_browser()


@pytest.fixture
def tab(browser: Any, tmp_path: Path) -> Iterator[Tab]:
    """A studio of its own with a table of people, and with roles that are decided."""
    draw = random.Random(1)
    people = {
        "age": [draw.randrange(20, 80) for _ in range(ROWS)],
        "town": [draw.choice(("Rome", "Siena", "Pisa", "Lucca")) for _ in range(ROWS)],
        "illness": [draw.choice(("flu", "gout", "asthma")) for _ in range(ROWS)],
    }
    write_table(pa.table(people), tmp_path / "people.csv")
    running = Running(tmp_path, str(tmp_path / "people.csv"))
    opened = Tab(browser, running).enter().ready()
    for column, role in enumerate(("May be known", "May be known", "Secret")):
        opened.choose_role(column, role)
    yield opened
    assert [one for one in opened.heard if one.startswith("error") and "Failed to load" not in one] == []
    opened.close()
    running.end(signal.SIGKILL)


def sentence(tab: Tab) -> str:
    return tab.page.locator("h1.sentence").text_content() or ""


def handle(tab: Tab) -> Any:
    return tab.page.locator(".picture [role=slider]")


def chosen(tab: Tab) -> int:
    return int(handle(tab).get_attribute("aria-valuenow"))


def drag_to(tab: Tab, k: int) -> None:
    """Drag the handle by the mouse to the point of a k."""
    begin, end = (middle(tab, found) for found in ("[role=slider] circle:last-of-type", f"[data-k='{k}']"))
    tab.page.mouse.move(*begin)
    tab.page.mouse.down()
    tab.page.mouse.move(*end, steps=5)
    tab.page.mouse.up()


#: Records whether the page said that its rows are of the release before, and whether there ever were none.
WATCH_ROWS = """() => new MutationObserver(() => {
    window.waited ||= document.querySelector('.tabs').textContent.includes('the release before');
    window.empty ||= !document.querySelector('table.same');
}).observe(document.body, {childList: true, subtree: true, characterData: true})"""


def middle(tab: Tab, found: str) -> tuple[float, float]:
    """Return where something in the picture is; at once, since it is drawn again with every point."""
    box = "const box = document.querySelector(found).getBoundingClientRect()"
    x, y = tab.page.evaluate(
        f"found => {{ {box}; return [box.x + box.width / 2, box.y + box.height / 2]; }}", f".picture {found}"
    )
    return x, y


def shown_at(tab: Tab, k: int) -> None:
    """Wait until the release of a k is in the sentence and in the rows."""
    tab.until(f"document.querySelector('.picture [role=slider]')?.getAttribute('aria-valuenow') === '{k}'")
    said = "document.querySelector('h1.sentence').textContent.match(/Everybody looks like at least (\\d+) other/)?.[1]"
    tab.until(f"{said} >= {k - 1}")
    tab.page.wait_for_selector("table.same")


def test_the_second_screen_by_mouse(tab: Tab) -> None:
    tab.button("2 Choose").click()
    tab.page.wait_for_selector(".picture .pending")
    tab.shot("choose-pending")
    shown_at(tab, 5)
    assert "A neighbour who knows age and town" in sentence(tab)

    drag_to(tab, 10)
    shown_at(tab, 10)
    tab.until("!document.querySelector('.tools button').disabled")
    tab.button("Undo").click()
    shown_at(tab, 5)
    tab.button("Redo").click()
    shown_at(tab, 10)

    tab.page.locator("button.cell").first.click()
    tab.until("document.querySelector('.why').textContent.includes('look alike')")
    tab.until("!document.querySelector('.keys').textContent.includes('Cancel')")
    assert tab.page.locator(".picture .region").count() == 1, "what nobody can reach"
    assert tab.page.locator(".picture .pending").count() == 0
    tab.accessible(everywhere=True)
    tab.shot("choose")
    assert tab.page.locator(".groups-map canvas").bounding_box()["height"] > 5

    tab.page.get_by_role("tab", name="Attack").click()
    tab.button("Take somebody").click()
    tab.page.wait_for_selector(".figure")
    before, after = (int(one) for one in tab.page.locator(".figure").text_content().split(" → "))
    assert 1 <= before <= after
    assert after >= 10, "no fewer than k candidates remain"
    tab.accessible()
    tab.shot("attack")
    tab.page.get_by_role("tab", name="Columns").click()
    assert tab.page.locator("[role=tabpanel] tbody tr").count() == 2
    tab.accessible()
    tab.shot("lost")
    tab.page.get_by_role("tab", name="Use").click()
    tab.button("Measure what is left").click()
    tab.page.wait_for_selector("[role=tabpanel] li")
    tab.accessible()
    tab.shot("use")
    # The release is made even while something else is measured.
    tab.button("Measure what is left").click()
    tab.make()
    tab.complete()


def test_rules_are_sentences_and_an_impossible_goal_names_the_nearest(tab: Tab) -> None:
    tab.button("2 Choose").click()
    shown_at(tab, 5)
    rule = tab.page.get_by_label("no value of illness belongs to more than")
    rule.select_option("one in 4")
    tab.page.wait_for_selector("text=This goal is impossible here.")
    tab.page.wait_for_selector(".notice button")
    tab.accessible(everywhere=True)
    tab.shot("impossible")
    tab.page.locator(".notice button").first.click()
    tab.until("!document.querySelector('h1.sentence').textContent.includes('impossible')")
    shown_at(tab, 5)
    tab.page.get_by_label("Keep what is asked for by").select_option(index=1)
    tab.until("!document.querySelector('.tools button').disabled")
    tab.page.get_by_label("Keep what is asked for by").select_option(index=0)
    shown_at(tab, 5)
    tab.page.get_by_label("Intervals end at").select_option("round values")
    tab.until("!document.querySelector('.tabs').textContent.includes('the release before')")
    shown_at(tab, 5)
    tab.page.evaluate(WATCH_ROWS)
    tab.page.get_by_label("are spread as in the whole table").select_option("at most 0.5")
    tab.until("window.waited && !document.querySelector('.tabs').textContent.includes('the release before')")
    assert not tab.page.evaluate("window.empty"), "the last result stays until the next one is there"
    shown_at(tab, 5)
    tab.page.locator("details.panel summary").press("Enter")
    tab.until("document.querySelector('.panel pre')?.textContent.includes('t-closeness')")
    assert 'ends = "grid"' in (tab.page.locator(".panel pre").first.text_content() or "")
    tab.accessible()
    tab.shot("panel")


def test_estimates_from_a_sample_are_called_so(tab: Tab) -> None:
    """What a table of ten million rows shows first; its messages are put in the place of the server's."""
    point = {"gcp": 0.06, "by_attribute": {"age": 0.1, "town": 0.02}, "costliest": "age", "achieved": 10, "mean": 0.05}
    point |= {"highest": 0.1, "before": 0.8, "sizes": [], "sampled": 80_000, "approximate": True, "suppressed": 0}
    said = [{"sizes": [5, 10, 20], "chosen": 10, "suggested": 10, "rows": 10_000_000}]
    said += [{"point": point | {"k": k, "gcp": k / 200}} for k in (10, 5, 20)]
    stream = "".join(f"data: {json.dumps({'kind': 'message', 'value': one})}\n\n" for one in said)
    events = re.compile(r"/api/jobs/\d+/events")
    tab.page.route(events, lambda route: route.fulfill(body=stream, content_type="text/event-stream"))
    tab.button("2 Choose").click()
    tab.until("document.querySelector('h1.sentence')?.textContent.includes('Estimated from 80,000 rows.')")
    assert "It costs ≈ 5% of the detail" in sentence(tab)
    assert "Shown as soon as" in (tab.page.locator("[role=tabpanel]").text_content() or ""), "no rows of another table"
    assert tab.page.get_by_text("Before:").count() == 0
    assert tab.page.locator(".picture .about").count() == 3
    assert tab.button("Hand it out").is_disabled(), "an estimate is no release"
    tab.accessible()
    tab.shot("estimated")
    tab.page.unroute(events)


def test_the_second_screen_by_keyboard_and_a_step_within_a_frame(tab: Tab) -> None:
    press = tab.page.keyboard.press
    tab.page.evaluate("document.querySelector('header button').focus()")
    for _ in range(4):
        press("Tab")
        if "2 Choose" in tab.page.evaluate("document.activeElement.textContent"):
            break
    press("Enter")
    shown_at(tab, 5)
    tab.until("!document.querySelector('.keys').textContent.includes('Cancel')")
    for _ in range(12):
        press("Tab")
        if tab.page.evaluate("document.activeElement.getAttribute('role') === 'slider'"):
            break
    press("Home")
    assert chosen(tab) == 2
    press("ArrowRight")
    press("ArrowRight")
    assert chosen(tab) == 5
    assert "k = 5" in handle(tab).get_attribute("aria-valuetext")
    # What else runs on the machine only slows steps down, so that the quietest of three traces says what they take.
    assert any(slow_step(tab) < FRAME for _ in range(3))
    press("End")
    press("PageDown")
    press("Home")
    press("ArrowRight")
    tab.until("document.querySelector('.tools button').disabled === false")
    press("Tab")
    tab.until("document.activeElement.getAttribute('role') !== 'slider'")


def slow_step(tab: Tab) -> float:
    """Return the milliseconds below which 95 of 100 steps of the handle stay."""
    steps = traced(tab, ["ArrowRight", "ArrowLeft"] * 20)
    assert len(steps) >= 40
    return sorted(steps)[int(len(steps) * 0.95)]


def traced(tab: Tab, keys: list[str]) -> list[float]:
    """Return the milliseconds of processor time that the page's thread took for each key and the frame that follows it.

    Real keys are pressed, and Chromium's own trace is read: from one key to the next, all tasks of the thread that runs
    scripts, styles, layout and paint.
    """
    tools = tab.context.new_cdp_session(tab.page)
    events: list[dict[str, Any]] = []
    ended: list[bool] = []
    tools.on("Tracing.dataCollected", lambda message: events.extend(message["value"]))
    tools.on("Tracing.tracingComplete", lambda _: ended.append(True))
    tools.send("Tracing.start", {"categories": "toplevel,devtools.timeline", "transferMode": "ReportEvents"})
    for key in keys:
        tab.page.keyboard.press(key)
        tab.page.wait_for_timeout(50)
    tools.send("Tracing.end")
    while not ended:
        tab.page.wait_for_timeout(20)
    downs = [
        one for one in events if one["name"] == "EventDispatch" and one["args"].get("data", {}).get("type") == "keydown"
    ]
    thread = {(one["pid"], one["tid"]) for one in downs}
    assert len(thread) == 1, json.dumps(sorted({one["name"] for one in events}))[:500]
    tasks = [one for one in events if one["name"] in TASKS and one["ph"] == "X" and (one["pid"], one["tid"]) in thread]
    times = sorted(one["ts"] for one in downs)
    return [
        sum(one.get("tdur", one["dur"]) for one in tasks if begin <= one["ts"] + one["dur"] < end) / 1000
        for begin, end in zip(times, [*times[1:], times[-1] + 50_000], strict=True)
    ]


#: The tasks of a thread, which do not lie in each other.
TASKS = ("ThreadControllerImpl::RunTask", "RunTask")


def test_steps_are_grouped_by_dragging_and_by_keys_and_go_to_files_and_back(tab: Tab, tmp_path: Path) -> None:
    tab.button("Steps town").click()
    tab.page.wait_for_selector(".drawer .groups")
    before = tab.page.locator(".levels").text_content()
    value = tab.page.locator(".groups .value", has_text="Siena")
    value.drag_to(tab.page.locator(".groups li", has_text="Pisa"))
    tab.until(
        "[...document.querySelectorAll('.groups li')].some(one => /Siena.*Pisa|Pisa.*Siena/s.test(one.textContent))"
    )
    assert tab.page.locator(".chain li").count() == 3
    assert tab.page.locator(".levels").text_content() != before, "the counts follow"

    # The same by keys: tick two values, and name a group.
    for town in ("Rome", "Lucca"):
        tab.page.get_by_role("checkbox", name=town).focus()
        tab.page.keyboard.press("Space")
    tab.page.get_by_label("New group").focus()
    tab.page.keyboard.type("large")
    tab.page.keyboard.press("Enter")
    tab.until("[...document.querySelectorAll('.groups button')].some(one => one.textContent.startsWith('large'))")
    tab.accessible(everywhere=True)
    tab.shot("groups")
    with tab.page.expect_download() as waiting:
        tab.button("Save as a file").click()
    saved = Path(waiting.value.path()).read_text(encoding="utf-8")
    assert "Rome,large,*" in saved.replace(";", ",")
    tab.page.keyboard.press("Escape")
    tab.button("Undo").click()
    tab.button("Undo").click()
    tab.button("Steps town").click()
    tab.until("document.querySelectorAll('.drawer .chain li').length === 2")
    (tmp_path / "towns.csv").write_text(saved, encoding="utf-8")
    tab.page.set_input_files(".drawer input[type=file]", tmp_path / "towns.csv")
    tab.until("document.querySelectorAll('.drawer .chain li').length === 3")
    (tmp_path / "wrong.csv").write_text("Rome,*\n", encoding="utf-8")
    tab.page.set_input_files(".drawer input[type=file]", tmp_path / "wrong.csv")
    tab.page.wait_for_selector(".drawer [role=alert]")
    assert tab.page.locator(".drawer .chain li").count() == 3, "steps that do not fit change nothing"
