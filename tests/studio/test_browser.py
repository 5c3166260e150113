"""The studio in a real Chromium: the whole way by mouse and by keyboard, its states and widths, and who gets in."""

from __future__ import annotations

import base64
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.studio.tab import PATIENCE, Tab, in_browser, opened_browser
from tests.studio.test_server import Running

import sfumato as sf
from sfumato.io import write_table

pytestmark = in_browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    yield from opened_browser()


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Running]:
    running = Running(tmp_path)
    yield running
    running.end(signal.SIGKILL)


def test_the_census_by_mouse_from_the_file_to_a_verified_release(browser: Any, studio: Running, tmp_path: Path) -> None:
    tab = Tab(browser, studio).enter()
    tab.page.wait_for_selector(".drop")
    assert tab.page.url == tab.address, "the token is not in the address any more"
    tab.accessible(everywhere=True)
    tab.shot("empty")
    write_table(sf.datasets.census(2_000).table, tmp_path / "census.csv")
    tab.open(tmp_path / "census.csv")
    before = tab.page.locator("h1.sentence").text_content()
    tab.choose_role(7, "Secret")
    tab.until("before => document.querySelector('h1.sentence').textContent !== before", arg=before)
    assert "occupation" not in (tab.page.locator("h1.sentence").text_content() or "")
    tab.accessible(everywhere=True)
    tab.shot("columns")
    tab.button("Undo").click()
    tab.until("before => document.querySelector('h1.sentence').textContent === before", arg=before)
    tab.button("Redo").click()
    tab.until("before => document.querySelector('h1.sentence').textContent !== before", arg=before)

    tab.button("Steps age").click()
    tab.page.wait_for_selector(".drawer .chain")
    tab.page.fill(".drawer input[type=text]", "5, 20")
    tab.until("document.querySelectorAll('.drawer .chain li').length === 4")
    tab.accessible(everywhere=True)
    tab.shot("steps")
    tab.button("Use these steps").click()
    tab.until("!!document.querySelector('.tools button:not(:disabled)')")
    tab.button("Close", exact=True).click()

    tab.make()
    assert tab.button("Release", exact=True).is_disabled(), "amber has to be decided"
    tab.accessible(everywhere=True)
    tab.shot("handout")
    tab.page.get_by_label("Recipient").fill("The council")
    tab.page.get_by_label("Purpose").fill("Planning schools")
    tab.page.get_by_label("Purpose").blur()
    tab.page.wait_for_selector(".stale")
    assert "this is the release before" in (tab.page.locator(".notice.stale").text_content() or "")
    assert tab.button("Release", exact=True).is_disabled(), "the report does not say yet who gets it"
    tab.shot("stale")
    tab.button("Make it again").click()
    tab.until("!document.querySelector('.stale')")
    tab.complete()
    tab.decide()
    for name, file in (
        ("Release", "release.csv"),
        ("Report", "report.html"),
        ("Certificate", "certificate.json"),
        ("Policy", "policy.toml"),
    ):
        (tmp_path / file).write_bytes(tab.download(name))
    policy = sf.Policy.read(tmp_path / "policy.toml")
    assert policy.check(tmp_path / "release.csv").ok
    assert policy.to_dict()["quasi_identifiers"]["age"] == {"type": "numeric", "widths": [5, 20]}
    assert json.loads((tmp_path / "certificate.json").read_text(encoding="utf-8"))["file"]
    assert "Planning schools" in (tmp_path / "report.html").read_text(encoding="utf-8")
    tab.page.locator("summary").click()
    tab.page.wait_for_selector(".panel pre")
    tab.accessible()

    tab.button("Close and erase").click()
    tab.button("Erase it").click()
    tab.page.wait_for_selector("text=Closed and erased")
    tab.accessible()
    tab.shot("closed")
    assert studio.process.wait(20) == 0
    assert studio.left() == []
    assert {request.url.split("/")[2] for request in tab.asked if not request.url.startswith(("data:", "blob:"))} == {
        f"127.0.0.1:{studio.port}"
    }
    assert not any(
        studio.token in request.url for request in tab.asked if "/api/" in request.url or "/static/" in request.url
    )
    referred = [one.url for one in tab.asked if one.headers.get("referer")]
    assert referred == []
    assert [one for one in tab.heard if "409" not in one] == []
    tab.close()


#: Drops a file somewhere, and says whether the browser leaves it to the page.
DROP = """([where, name, content]) => {
    const bytes = Uint8Array.from(atob(content), one => one.charCodeAt(0)), dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([bytes], name));
    const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector(where).dispatchEvent(event);
    return event.defaultPrevented;
}"""


def visits(folder: Path) -> Path:
    """Write a workbook of visits, several of each patient."""
    from openpyxl import Workbook  # noqa: PLC0415

    book = Workbook()
    sheet = book.active
    sheet.append(["patient_id", "date of birth", "sex", "ward", "diagnosis"])
    for at in range(600):
        person = at % 200
        born = f"{1940 + person % 60}-{1 + person % 12:02d}-{1 + person % 28:02d}"
        sheet.append(
            [f"P{10000 + person}", born, "mf"[person % 2], f"W{at % 5}", ("I10", "E11.9", "J45.0", "K29.5")[at % 4]]
        )
    path = folder / "visits.xlsx"
    book.save(path)
    return path


def test_a_workbook_of_visits_dropped_on_the_page(browser: Any, studio: Running, tmp_path: Path) -> None:
    tab = Tab(browser, studio).enter()
    tab.page.wait_for_selector(".drop")
    content = base64.b64encode(visits(tmp_path).read_bytes()).decode()
    # A file that misses its place does not replace the page.
    assert tab.page.evaluate(DROP, ["header", "other.csv", ""]), "the browser would show the file"
    assert tab.page.locator("tr[data-column]").count() == 0
    assert tab.page.evaluate(DROP, [".drop", "visits.xlsx", content])
    tab.ready()
    assert tab.page.locator("[data-column='0'] .chosen").text_content() == "2Whose row"
    # Nobody has a value in one row only, and yet everybody is alone with a day of birth: people are counted.
    assert (tab.page.locator("h1.sentence").text_content() or "").startswith("100 in 100 people")
    assert "100% found by it alone" in (tab.page.locator("[data-column='1'] .risk").text_content() or "")
    tab.shot("unsure")
    for column in tab.undecided():
        tab.choose_role(column, "May be known")
    assert tab.undecided() == []
    tab.button("2 Choose").click()
    tab.until("document.querySelector('h1.sentence')?.textContent.includes('finds the right person')")
    tab.make()
    tab.decide()
    release = tab.download("Release").decode()
    assert "P100" not in release
    assert release.splitlines()[0].replace('"', "").startswith("date of birth,sex")
    tab.close()


def test_a_german_table_in_german(browser: Any, studio: Running, tmp_path: Path) -> None:
    rows = 400
    table = pa.table(
        {
            "Krankenaktennummer": [f"KA-{70000 + at * 7}" for at in range(rows)],
            "Geburtsjahr": [1940 + at * at % 61 for at in range(rows)],
            "Geschlecht": ["weiblich" if at % 2 else "männlich" for at in range(rows)],
            "PLZ": [f"{10115 + at * 7 % 11}" for at in range(rows)],
            "Diagnose": [("Asthma", "Grippe", "Gicht", "Migräne")[at % 4] for at in range(rows)],
        }
    )
    write_table(table, tmp_path / "patienten.csv")
    tab = Tab(browser, studio, locale="de-DE").enter()
    tab.open(tmp_path / "patienten.csv")
    assert "von 100 Menschen" in (tab.page.locator("h1.sentence").text_content() or "")
    assert tab.page.locator("[data-column='0'] .chosen").text_content() == "1Nennt die Person"
    assert tab.page.evaluate("document.documentElement.lang") == "de"
    assert tab.page.locator("[data-column='0'] [lang=en]").count() == 1, "what the library says is English"
    tab.accessible()
    tab.shot("deutsch")
    # A number of every row is not harmless without being asked about.
    tab.page.locator("[data-column='0'] .roles label", has_text="Harmlos").click()
    tab.page.wait_for_selector("dialog[open]")
    tab.accessible()
    tab.shot("asked")
    tab.button("Nein, Rolle behalten").click()
    assert tab.page.locator("[data-column='0'] .chosen").text_content() == "1Nennt die Person"
    tab.close()


def test_sixty_columns_in_three_scripts(browser: Any, studio: Running, tmp_path: Path) -> None:
    names = [
        *(f"question {at}" for at in range(20)),
        *(f"вопрос {at}" for at in range(20)),
        *(f"質問{at}" for at in range(17)),
    ]
    names += ["</script><script>document.title='x'</script>", "\u202eevil", "=cmd()"]
    table = pa.table(
        {name: [(at * (place + 3)) % (place + 2) for at in range(500)] for place, name in enumerate(names)}
    )
    write_table(table, tmp_path / "survey.parquet")
    tab = Tab(browser, studio).enter()
    tab.open(tmp_path / "survey.parquet")
    assert tab.page.locator("tr[data-column]").count() == 60
    assert tab.page.title() == "Sfumato"
    tab.shot("sixty")
    unsure = tab.page.locator("tr.unsure").count()
    assert unsure > 0
    assert tab.button("3 Hand out").is_disabled(), "what is unsure has to be decided first"
    tab.accessible()
    assert [one for one in tab.heard if not one.startswith("error: Failed")] == []
    tab.close()


def test_the_whole_way_by_keyboard(browser: Any, studio: Running) -> None:
    tab = Tab(browser, studio).enter()
    tab.page.wait_for_selector("text=A census of")
    press = tab.page.keyboard.press

    def tab_to(text: str, limit: int = 80) -> None:
        for _ in range(limit):
            press("Tab")
            focused = "document.activeElement === document.body ? '' : document.activeElement.textContent"
            if text in tab.page.evaluate(focused):
                return
        pytest.fail(f"'{text}' is not reached by the keyboard")

    tab_to("A census of")
    press("Enter")
    tab.ready()
    tab.page.locator("[data-column='7'] input:checked").focus()
    press("4")
    tab.until("document.querySelector(`[data-column='7'] .chosen`).textContent.includes('Secret')")
    press("Control+z")
    tab.until("document.querySelector(`[data-column='7'] .chosen`).textContent.includes('May be known')")
    press("Control+Shift+z")
    tab.until("document.querySelector(`[data-column='7'] .chosen`).textContent.includes('Secret')")
    tab.page.evaluate("document.querySelector('header button').focus()")
    tab_to("3 Hand out")
    press("Enter")
    tab.page.wait_for_selector("article.sheet")
    for _ in range(60):
        press("Tab")
        if tab.page.evaluate("document.activeElement.matches('.concerns input:not(:checked)')"):
            press("Space")
            tab.page.wait_for_timeout(300)
        if tab.page.evaluate("document.activeElement.matches('.files button')"):
            break
    with tab.page.expect_download() as waiting:
        press("Enter")
    assert waiting.value.suggested_filename == "release.csv"
    tab.close()


# Who gets in


def test_a_window_opened_from_the_page_is_not_let_in(browser: Any, studio: Running) -> None:
    tab = Tab(browser, studio).enter()
    tab.page.wait_for_selector(".drop")
    with tab.context.expect_page() as waiting:
        tab.page.evaluate("window.open('/')")
    other = waiting.value
    other.wait_for_selector("text=The studio is open in another tab", timeout=PATIENCE)
    tab.page, first = other, tab.page
    tab.accessible()
    tab.shot("elsewhere")
    tab.page = first
    assert other.evaluate("sessionStorage.getItem('key')"), "it inherited the key, which is not enough"
    inherited = "{headers: {authorization: 'Bearer ' + sessionStorage.getItem('key'), 'x-tab': ''}}"
    assert other.evaluate(f"fetch('/api/state', {inherited}).then(one => one.status)") == 409
    tab.page.reload()
    tab.page.wait_for_selector(".drop", timeout=PATIENCE)
    tab.close()


def test_without_the_token_the_page_is_locked(browser: Any, studio: Running) -> None:
    tab = Tab(browser, studio)
    tab.page.goto(tab.address)
    tab.page.wait_for_selector("text=This page is locked")
    tab.accessible()
    tab.shot("locked")
    tab.page.goto(f"{tab.address}#wrong")
    tab.page.reload()
    tab.page.wait_for_selector("text=This page is locked")
    tab.close()


def test_other_sites_get_nothing_and_the_page_sends_nothing(browser: Any, studio: Running) -> None:
    tab = Tab(browser, studio).enter()
    tab.page.wait_for_selector(".drop")
    outcomes = tab.page.evaluate(
        """async () => {
          const out = {};
          const form = document.createElement("form");
          form.method = "post"; form.action = "http://127.0.0.1:9/"; document.body.append(form);
          const blocked = new Promise(resolve => document.addEventListener("securitypolicyviolation",
            event => resolve(event.effectiveDirective)));
          form.submit();
          out.form = await blocked;
          try { document.body.innerHTML = "<b>x</b>"; out.html = "set"; } catch (error) { out.html = error.name; }
          try { await fetch("http://127.0.0.1:9/"); out.fetch = "sent"; } catch { out.fetch = "blocked"; }
          const image = new Image();
          out.image = await new Promise(resolve => {
            image.onerror = () => resolve("blocked");
            image.onload = () => resolve("loaded");
            image.src = "http://127.0.0.1:9/x.png";
          });
          try { new Function("return 1")(); out.eval = "run"; } catch { out.eval = "blocked"; }
          return out;
        }"""
    )
    assert outcomes == {
        "form": "form-action",
        "html": "TypeError",
        "fetch": "blocked",
        "image": "blocked",
        "eval": "blocked",
    }
    stranger = tab.context.new_page()
    stranger.goto("data:text/html,<title>stranger</title>")
    tried = stranger.evaluate(
        """async address => {
          const out = [];
          for (const path of ["api/state", "static/main.js", ""]) {
            try { const answer = await fetch(address + path); out.push(answer.status); } catch { out.push("refused"); }
          }
          try { await fetch(address + "api/close", {method: "POST", mode: "no-cors", body: "{}"}); } catch { }
          return out;
        }""",
        tab.address,
    )
    assert tried == ["refused", "refused", "refused"]
    assert studio.process.poll() is None
    tab.page.reload()
    tab.page.wait_for_selector(".drop")
    tab.close()


def test_a_framed_page_stays_empty(browser: Any, studio: Running) -> None:
    tab = Tab(browser, studio)
    tab.page.set_content(f"<iframe src='{tab.address}'></iframe>")
    tab.page.wait_for_timeout(1000)
    assert "Sfumato" not in tab.page.frames[-1].content()
    tab.close()


# States


#: Shows a job as running, for as long as somebody looks at it.
RUN = "async job => { (await import('/static/state.js')).running.value = job; }"


def test_cancel_keeps_the_last_result_and_a_lost_server_is_told(browser: Any, studio: Running, tmp_path: Path) -> None:
    write_table(sf.datasets.census(2_000).table, tmp_path / "census.csv")
    tab = Tab(browser, studio).enter().open(tmp_path / "census.csv")
    tab.choose_role(7, "Secret")
    tab.button("3 Hand out").click()
    tab.page.wait_for_selector(".running")
    milliseconds = tab.page.evaluate(
        """async () => {
          const begun = performance.now();
          document.querySelector(".running button").click();
          while (document.querySelector(".running")) await new Promise(requestAnimationFrame);
          return performance.now() - begun;
        }"""
    )
    assert milliseconds < 1000, "300 ms in a quiet machine"
    tab.page.wait_for_selector("text=There is no release yet.")
    tab.shot("no-release")
    for name, stage in (("running", "verifying"), ("compiling", "compiling, once")):
        tab.page.evaluate(RUN, {"name": "make", "stage": stage, "share": 0, "since": 0, "began": 0})
        tab.page.wait_for_selector(".running")
        tab.accessible()
        tab.shot(name)
    assert "Only the first time: this machine is compiling." in (tab.page.locator(".running").text_content() or "")
    tab.page.evaluate(RUN, None)
    tab.button("Make and verify").click()
    tab.page.wait_for_selector(".running")
    before = studio.workers()
    for worker in before:
        os.kill(worker, signal.SIGKILL)
    tab.page.wait_for_selector("text=The memory was probably not enough")
    tab.accessible()
    tab.shot("died")
    end = time.monotonic() + 30
    while not set(studio.workers()) - set(before):
        assert time.monotonic() < end, "no worker comes back"
        time.sleep(0.1)
    tab.button("Make and verify").click()
    tab.page.wait_for_selector("article.sheet")
    studio.end(signal.SIGKILL)
    tab.page.wait_for_selector("text=The studio does not answer")
    assert tab.page.locator("article.sheet").count() == 1, "what was found stays on the screen"
    tab.accessible()
    tab.shot("gone")
    tab.close()


def test_a_file_that_cannot_be_read_gets_a_sentence(browser: Any, studio: Running, tmp_path: Path) -> None:
    (tmp_path / "broken.xlsx").write_bytes(b"PK\x03\x04 nonsense")
    tab = Tab(browser, studio).enter()
    tab.page.wait_for_selector(".drop")
    tab.page.set_input_files(".drop input[type=file]", tmp_path / "broken.xlsx")
    tab.page.wait_for_selector("text=The file cannot be read.")
    tab.accessible()
    tab.shot("unreadable")
    assert "'broken.xlsx'" in (tab.page.locator(".notice").text_content() or ""), "its own name, not that of the upload"
    write_table(pa.table({"age": [20, 30] * 20}), tmp_path / "ages.csv")
    tab.open(tmp_path / "ages.csv")
    tab.page.set_input_files("main label:has-text('Open another table') input", tmp_path / "broken.xlsx")
    tab.page.wait_for_selector(".drop")
    tab.close()


def test_next_months_table_keeps_what_was_decided(browser: Any, tmp_path: Path) -> None:
    for month, rows in (("june", 300), ("july", 400)):
        table = {
            "age": [20 + at % 40 for at in range(rows)],
            "town": ["Rome", "Pisa"] * (rows // 2),
            "illness": ["flu", "gout"] * (rows // 2),
        }
        write_table(pa.table(table), tmp_path / f"{month}.csv")
    studio = Running(tmp_path, str(tmp_path / "june.csv"))
    # The file of the command line is opened at once.
    tab = Tab(browser, studio).enter().ready()
    tab.choose_role(1, "Secret")
    tab.make()
    tab.page.set_input_files("aside input[type=file]", tmp_path / "july.csv")
    tab.page.wait_for_selector("text=july.csv")
    tab.ready()
    assert tab.page.locator("[data-column='1'] .chosen").text_content() == "4Secret"
    tab.close()
    studio.end(signal.SIGKILL)
