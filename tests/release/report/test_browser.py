"""The report in a real browser: it asks for nothing, is accessible on light and dark paper, and prints whole.

Chromium is looked for on PATH. Where there is none, these tests are skipped; continuous integration has one.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv
from tests.release.report.conftest import adult_release, people, policy, safe_release, sixty_columns
from tests.release.report.test_page import hostile_release

import sfumato as sf
from sfumato.release.report.facts import facts_of_release
from sfumato.release.report.page import SECTIONS, page

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PLAYWRIGHT = importlib.util.find_spec("playwright") and importlib.util.find_spec("axe_playwright_python")
LACKING = "no Chromium on PATH" if CHROMIUM is None else "" if PLAYWRIGHT else "playwright is not installed"

pytestmark = pytest.mark.skipif(
    bool(LACKING) and not os.environ.get("CI"), reason=f"{LACKING}: the report is not opened"
)

#: A sheet of A4 without the margins of the page's own print style, in pixels of CSS.
SHEET_WIDTH, SHEET_HEIGHT = (round((side - margin) * 96 / 25.4) for side, margin in ((210, 28), (297, 28)))

#: The smallest size of a letter in any picture, in pixels of the screen.
SMALLEST_TEXT = """Math.min(...[...document.querySelectorAll('figure svg')].flatMap(svg => {
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return [...svg.querySelectorAll('text')].map(text => parseFloat(getComputedStyle(text).fontSize) * scale); }))"""


def full_domain_release() -> sf.Release:
    """Return a release whose report also shows a lattice, and rows that were left out."""
    ages = [20 + row % 40 for row in range(300)] + [90, 91, 92]
    towns = ["Rome", "Siena", "Pisa"] * 101
    return sf.anonymize(
        pa.table({"age": ages, "town": towns}),
        quasi_identifiers={"age": sf.Numeric(widths=[5, 10, 20]), "town": sf.Categorical()},
        k=5,
        suppression=0.02,
        method="incognito",
    )


@pytest.fixture(scope="module")
def pages(release: sf.Release, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write some reports to open."""
    folder = tmp_path_factory.mktemp("pages")
    census = sf.datasets.census(rows=3_000, seed=1)
    made = {
        "usual": release,
        "hostile": hostile_release(),
        "lattice": full_domain_release(),
        "census": sf.anonymize(census.table, census.schema, k=10, l=2, suppression=0.02, method="mondrian", seed=1),
        "readme": sf.anonymize(census.table, census.without_levels().schema, k=10, l=3, method="mondrian", seed=1),
        "sixty": sixty_columns(),
        "green": safe_release(),
    }
    for name, one in made.items():
        (folder / f"{name}.html").write_text(page(facts_of_release(one)), encoding="utf-8")
    csv.write_csv(people(), folder / "original.csv")
    csv.write_csv(people().drop_columns(["name"]), folder / "release.csv")
    policy(suppression=0.0).report(folder / "broken.html", folder / "original.csv", folder / "release.csv")
    return {name: folder / f"{name}.html" for name in (*made, "broken")}


@pytest.fixture(scope="module")
def adult(adult_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the report of a table that is kept beside the repository."""
    path = tmp_path_factory.mktemp("adult") / "adult.html"
    path.write_text(page(facts_of_release(adult_release(adult_dir))), encoding="utf-8")
    return path


@pytest.fixture(params=("adult", "broken", "census", "green", "hostile", "lattice", "readme", "sixty", "usual"))
def path(request: pytest.FixtureRequest, pages: dict[str, Path]) -> Path:
    """One report after the other, of every kind of table that reports were looked at with."""
    found: Path = pages[request.param] if request.param in pages else request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    assert not LACKING, f"Continuous integration opens the report in a browser, but there is {LACKING}."
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        # Inside a container there is no sandbox to be had, and the page is our own.
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield opened
        opened.close()


def opened(browser: Any, path: Path, scheme: str = "light", width: int = 1000) -> tuple[Any, list[str]]:
    """Open a report, and collect what it complains about and asks for."""
    tab = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 900})
    heard: list[str] = []
    tab.on("console", lambda message: heard.append(f"console: {message.text}"))
    tab.on("pageerror", lambda error: heard.append(f"error: {error}"))
    tab.on("request", lambda request: request.url == path.as_uri() or heard.append(f"request: {request.url}"))
    tab.goto(path.as_uri())
    return tab, heard


def violations(tab: Any, rules: Sequence[str] = ()) -> list[tuple[str, str, list[str]]]:
    """Return what keeps people out of a page, as axe finds it by all rules or by some."""
    if not tab.evaluate("'axe' in window"):
        tab.evaluate(axe_source())
    some = f", runOnly: {list(rules)}" if rules else ""
    found = tab.evaluate(f"axe.run(document, {{resultTypes: ['violations']{some}}})")["violations"]
    return [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


def axe_source() -> str:
    """Return axe-core, which looks for what keeps people out."""
    import axe_playwright_python  # noqa: PLC0415

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")


def test_light_and_dark_paper_differ_also_in_pictures(browser: Any, pages: dict[str, Path]) -> None:
    looks = []
    for scheme in ("light", "dark"):
        tab, _ = opened(browser, pages["usual"], scheme)
        looks.append(
            tab.evaluate(
                "[getComputedStyle(document.documentElement).backgroundColor,"
                " getComputedStyle(document.querySelector('figure svg text')).fill]"
            )
        )
        tab.close()
    assert looks[0][0] == "rgb(255, 255, 255)"
    assert all(light != dark for light, dark in zip(*looks, strict=True))


#: What may differ between widths and between light and dark; names, roles and order do not.
SEEN = ("color-contrast", "scrollable-region-focusable", "target-size")


def test_every_kind_of_table_fits_every_screen_and_keeps_nobody_out(browser: Any, path: Path) -> None:
    tab, heard = opened(browser, path, width=1280)
    try:
        bottom = tab.evaluate("document.querySelector('#one').getBoundingClientRect().bottom")
        assert bottom <= 1000, "page one is one screen: the height of a usual one, without the bars of its browser"
        if path.stem in ("usual", "hostile", "lattice"):
            assert tab.locator("section").count() == len(SECTIONS)
        assert violations(tab) == []
        for width, scheme in ((1280, "dark"), (1280, "light"), (800, "light"), (390, "light")):
            tab.emulate_media(color_scheme=scheme)
            tab.set_viewport_size({"width": width, "height": 900})
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, width
            assert tab.evaluate(SMALLEST_TEXT) >= 9, width
            assert violations(tab, SEEN) == [], (width, scheme)
        assert heard == []
    finally:
        tab.close()


def test_page_one_is_one_sheet_of_a4(browser: Any, path: Path) -> None:
    tab, _ = opened(browser, path)
    whole = sheets(tab)
    tab.evaluate("[...document.querySelectorAll('#one ~ *, footer')].forEach(one => one.remove())")
    alone = sheets(tab)
    tab.close()
    assert alone == 1
    assert 2 <= whole <= 8


def test_the_sheets_of_a_longer_page_are_counted(browser: Any, pages: dict[str, Path]) -> None:
    """The count above can fail."""
    tab, _ = opened(browser, pages["usual"])
    tab.evaluate("[...document.querySelectorAll('#one ~ *, footer')].forEach(one => one.remove())")
    tab.evaluate("document.querySelector('#one .checked').textContent = 'more words '.repeat(2000)")
    assert sheets(tab) > 1
    tab.close()


def sheets(tab: Any) -> int:
    """Print a page, and count its sheets of A4."""
    printed = tab.pdf(prefer_css_page_size=True)
    assert set(re.findall(rb"/MediaBox \[0 0 (\d+)[.\d]* (\d+)", printed)) == {(b"594", b"841")}
    return max(int(count) for count in re.findall(rb"/Count (\d+)", printed))


@pytest.mark.parametrize("name", ["usual", "lattice"])
def test_the_printed_page_is_tagged_and_no_picture_is_cut(browser: Any, pages: dict[str, Path], name: str) -> None:
    tab, _ = opened(browser, pages[name], "dark", width=SHEET_WIDTH)
    printed = tab.pdf(format="A4", tagged=True, prefer_css_page_size=True)
    assert b"/StructTreeRoot" in printed
    assert b"/Marked true" in printed
    tab.emulate_media(media="print")
    boxes = tab.evaluate(
        "[...document.querySelectorAll('figure')].map(one => { const box = one.getBoundingClientRect();"
        " const inside = one.querySelector('svg').getBBox(); const drawn = one.querySelector('svg').viewBox.baseVal;"
        " return {width: box.width, height: box.height, whole: getComputedStyle(one).breakInside === 'avoid',"
        " cut: inside.x < drawn.x - 1 || inside.x + inside.width > drawn.x + drawn.width + 1 ||"
        " inside.y < -1 || inside.y + inside.height > drawn.height + 1}; })"
    )
    assert len(boxes) >= 4
    for box in boxes:
        assert box["whole"]
        assert not box["cut"]
        assert box["width"] <= SHEET_WIDTH + 1
        assert box["height"] <= SHEET_HEIGHT
    assert tab.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    tab.close()
