"""`make docs`: every page becomes one of a site that needs nothing from outside, where links lead and search finds."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
from tests.release.report import test_browser
from tests.release.report.test_browser import browser  # noqa: F401

NEEDED = ("sphinx", "myst_parser", "furo")
LACKING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
pytestmark = pytest.mark.skipif(
    bool(LACKING) and not os.environ.get("CI"), reason=f"{LACKING} not installed: pip install -e '.[docs]'"
)


class Page(HTMLParser):
    """The places of a page that can be linked, where it links to, and what it loads to be shown."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") != "canonical":
            self.loaded.append(found.get("href", ""))
        elif "src" in found:
            self.loaded.append(found["src"])


@pytest.fixture(scope="module")
def site(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    options = ["-W", "--keep-going", "-q", "-c", "docs", "-d", str(folder / "doctrees")]
    command = [sys.executable, "-m", "sphinx", *options, ".", str(folder / "site")]
    done = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path.resolve(): Page(path) for path in site.rglob("*.html")}


def wrong_links(pages: dict[Path, Page]) -> Iterator[str]:
    for path, page in pages.items():
        for link in [*page.links, *page.loaded]:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                yield f"{path.name} links {link}, which is not there"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                yield f"{path.name} links {link}, a place which is not there"


def test_every_page_is_there(site: Path, repository: Path) -> None:
    sources = [*repository.glob("docs/**/*.md"), repository / "README.md", repository / "CONTRIBUTING.md"]
    for source in sources:
        assert (site / source.relative_to(repository)).with_suffix(".html").is_file()
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")


def test_every_link_inside_leads_somewhere(pages: dict[Path, Page]) -> None:
    assert sum(len(page.links) for page in pages.values()) > 1000
    assert not list(wrong_links(pages))


def test_a_wrong_link_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text('<p id="a"><a href="#a"></a><a href="#b"></a><a href="gone.html"></a><img src="no.svg">')
    assert len(list(wrong_links({path.resolve(): Page(path)}))) == 3


def test_nothing_is_loaded_from_outside(pages: dict[Path, Page], site: Path) -> None:
    outside = [address for page in pages.values() for address in page.loaded if urlsplit(address).netloc]
    assert not outside
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        assert "@import" not in text
        assert "url(http" not in text.replace('"', "").replace("'", "")


def test_the_search_knows_words_of_the_pages(site: Path) -> None:
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    for terms, name in (("terms", "docs/explanation/cost-aware"), ("titleterms", "docs/explanation/hilbert")):
        found = index[terms]["hilbert"]
        assert name in [index["docnames"][number] for number in ([found] if isinstance(found, int) else found)]
    # A page that is opened as a file may load the index, which is a program, but fetch nothing.
    assert "SHOW_SEARCH_SUMMARY: false" in (site / "_static" / "documentation_options.js").read_text(encoding="utf-8")


@test_browser.pytestmark
def test_the_search_finds_pages_that_are_opened_as_files(site: Path, browser: Any) -> None:  # noqa: F811
    tab = browser.new_page()
    heard: list[str] = []
    tab.on("console", lambda message: heard.append(message.text))
    tab.on("pageerror", lambda error: heard.append(str(error)))
    tab.on("request", lambda request: heard.extend([] if request.url.startswith("file:") else [request.url]))
    try:
        tab.goto(f"{(site / 'search.html').as_uri()}?q=suppression")
        tab.wait_for_selector("#search-results li a")
        assert tab.locator("#search-results li a").count() > 5
        assert tab.locator("#search-results li a").first.get_attribute("href")
        assert not heard
    finally:
        tab.close()


#: What people search for, and the page that should come first.
SEARCHED = {
    "excel patient visits": "docs/how-to/visits.html",
    "GDPR": "docs/explanation/gdpr.html",
    "DSGVO": "docs/explanation/gdpr.html",
    "glossary": "docs/glossary.html",
    "quasi-identifier": "docs/glossary.html",
    "l-diversity": "docs/glossary.html",
    "k-anonymity": "docs/glossary.html",
}


@test_browser.pytestmark
@pytest.mark.parametrize("query", SEARCHED)
def test_the_search_puts_the_right_page_first(site: Path, browser: Any, query: str) -> None:  # noqa: F811
    tab = browser.new_page()
    try:
        tab.goto(f"{(site / 'search.html').as_uri()}?q={quote(query)}")
        tab.wait_for_selector("#search-results li a")
        tab.wait_for_timeout(500)
        found = [link.get_attribute("href") or "" for link in tab.locator("#search-results li a").all()]
        assert found[0].split("#")[0].split("?")[0].endswith(SEARCHED[query]), found[:5]
        assert not [href for href in found if "papers/" in href or "CHANGELOG" in href]
    finally:
        tab.close()


def test_pictures_are_small_and_each_has_its_place(repository: Path) -> None:
    """The pictures are those that the command draws, each is shown, and none loads or runs anything."""
    drawn = set(
        re.findall(r'^    "([\w-]+)": ', (repository / "docs" / "pictures.py").read_text(encoding="utf-8"), re.M)
    )
    files = {path.stem: path for path in (repository / "docs" / "pictures").iterdir()}
    pages = [repository / "README.md", repository / "docs" / "gallery.md"]
    shown = {
        name
        for page in pages
        for name in re.findall(r"pictures/([\w-]+)\.(?:svg|png)\)", page.read_text(encoding="utf-8"))
    }
    assert drawn == set(files) == shown
    for path in files.values():
        assert path.stat().st_size < (300_000 if path.suffix == ".png" else 40_000)
    for text in [path.read_text(encoding="utf-8") for path in files.values() if path.suffix == ".svg"]:
        assert "<script" not in text
        assert "http" not in text.replace("http://www.w3.org/", "")
