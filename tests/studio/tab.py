"""A tab of a real Chromium with the studio in it, as the tests of the page use it.

Chromium is looked for on PATH. Where there is none, these tests are skipped; continuous integration has one.
"""

from __future__ import annotations

import base64
import importlib.util
import itertools
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.release.report.test_browser import axe_source
from tests.studio.test_server import Running

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PLAYWRIGHT = importlib.util.find_spec("playwright") and importlib.util.find_spec("axe_playwright_python")
LACKING = "no Chromium on PATH" if CHROMIUM is None else "" if PLAYWRIGHT else "playwright is not installed"

#: The mark of modules that open a browser.
in_browser = pytest.mark.skipif(
    bool(LACKING) and not os.environ.get("CI"), reason=f"{LACKING}: the studio is not opened"
)

#: Where screenshots go, for the tour of the documentation; nowhere if it is not set.
SHOTS = os.environ.get("SFUMATO_SHOTS")
QUALITY = 60
WIDTHS = (1280, 800, 390)
#: No sandbox is to be had inside a container, and nothing but our page is to be loaded.
ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--disable-background-networking",
             "--disable-component-update", "--disable-sync"]  # fmt: skip
PATIENCE = 180_000


def opened_browser() -> Iterator[Any]:
    """Open Chromium, and close it at the end."""
    assert not LACKING, f"Continuous integration opens the studio in a browser, but there is {LACKING}."
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


class Tab:
    """A tab with the studio, and everything that it complained about or asked for."""

    def __init__(self, browser: Any, studio: Running, locale: str = "en-GB", **options: Any) -> None:
        self.studio = studio
        self.context = browser.new_context(locale=locale, viewport={"width": 1280, "height": 900}, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.heard: list[str] = []
        self.asked: list[Any] = []
        self.page.on("console", lambda message: self.heard.append(f"{message.type}: {message.text}"))
        self.page.on("pageerror", lambda error: self.heard.append(f"error: {error}"))
        self.page.on("request", lambda request: self.asked.append(request))  # noqa: PLW0108

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.studio.port}/"

    def enter(self) -> Tab:
        self.page.goto(f"{self.address}#{self.studio.token}")
        return self

    def ready(self) -> Tab:
        """Wait until the columns are counted."""
        self.until("/\\d.* 100 /.test(document.querySelector('h1.sentence')?.textContent ?? '')")
        return self

    def until(self, true: str, arg: Any = None) -> None:
        """Wait until something is true; Playwright's own waiting evaluates text, which the page forbids."""
        end = time.monotonic() + PATIENCE / 1000
        while not self.page.evaluate(true, arg):
            assert time.monotonic() < end, f"{true}, but the page says:\n{self.page.inner_text('body')[:3000]}"
            self.page.wait_for_timeout(50)

    def button(self, name: str, exact: bool = False) -> Any:
        return self.page.get_by_role("button", name=name, exact=exact)

    def choose_role(self, column: int, role: str) -> None:
        self.page.locator(f"[data-column='{column}'] .roles label", has_text=role).click()
        self.until(
            "([at, role]) => document.querySelector(`[data-column='${at}'] .chosen`).textContent.includes(role)",
            arg=[column, role],
        )

    def open(self, path: Path) -> Tab:
        """Open a file, and wait until its columns are counted."""
        self.page.wait_for_selector(".drop")
        self.page.set_input_files(".drop input[type=file]", path)
        return self.ready()

    def undecided(self) -> list[int]:
        """Return the columns that have to be decided."""
        found = "[...document.querySelectorAll('tr.unsure')].map(one => Number(one.dataset.column))"
        return list(self.page.evaluate(found))

    def make(self) -> None:
        """Make the release, and wait for page one."""
        self.button("3 Hand out").click()
        self.page.wait_for_selector("article.sheet")

    def complete(self) -> None:
        """Wait until the report and the certificate are written, too."""
        self.until("!document.querySelector('.running')")

    def decide(self) -> None:
        for box in self.page.locator(".concerns .open input").all():
            box.check()
        self.until("!document.querySelector('.files button').disabled")

    def download(self, name: str) -> bytes:
        with self.page.expect_download() as waiting:
            self.button(name, exact=True).click()
        return Path(waiting.value.path()).read_bytes()

    def accessible(self, everywhere: bool = False) -> None:
        """Let axe look at the page; ``everywhere``: in all widths, light and dark."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(f"() => {{ {axe_source()} }}")
        self._look_over("{resultTypes: ['violations']}")
        if not everywhere:
            return
        for width, scheme in itertools.product(WIDTHS, ("light", "dark")):
            self._show(width, scheme)
            # In other widths and colours, contrasts and what can be scrolled differ; names and roles do not.
            rules = ["color-contrast", "scrollable-region-focusable", "target-size"]
            self._look_over(f"{{resultTypes: ['violations'], runOnly: {rules}}}")
            assert self.page.evaluate("document.documentElement.scrollWidth") <= width, width
        self._show(WIDTHS[0], "light")

    def _look_over(self, options: str) -> None:
        found = self.page.evaluate(f"axe.run(document, {options})")["violations"]
        assert not found, [(one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]

    def _show(self, width: int, scheme: str) -> None:
        self.page.emulate_media(color_scheme=scheme)
        self.page.set_viewport_size({"width": width, "height": 900})

    def shot(self, name: str) -> None:
        """Keep screenshots in all widths and both colours, if somebody asked for them."""
        if not SHOTS:
            return
        tools = self.context.new_cdp_session(self.page)
        for width, scheme in itertools.product(WIDTHS, ("light", "dark")):
            self._show(width, scheme)
            self.page.evaluate("scrollTo(0, 0)")
            self.page.wait_for_timeout(150)
            taken = tools.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
            Path(SHOTS, f"{name}-{width}-{scheme}.webp").write_bytes(base64.b64decode(taken["data"]))
        self._show(WIDTHS[0], "light")

    def close(self) -> None:
        self.context.close()
