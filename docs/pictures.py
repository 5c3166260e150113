"""Draw the pictures of README and docs/gallery.md again: `make pictures`, or with names for some of them.

All show made-up people. The same seed gives the same pictures, except for times: a changed picture shows a change of
the product.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import drawings

import sfumato as sf

FOLDER = Path(__file__).parent / "pictures"
ROWS = 20_000
KS = (2, 5, 10, 20, 50, 100)
METHODS = ("auto", "mondrian", "hilbert")

people = sf.datasets.census(rows=ROWS, seed=1).without_levels()


@cache
def release() -> sf.Release:
    """Return the release that most pictures are about."""
    return sf.anonymize(people.table, people.schema, k=10, l=3, seed=1)


def search_over_time() -> Any:
    """Return how a search for the best partition closes in on it."""
    few = sf.Schema(["age", "education", "work_class", "marital_status"], rest="drop")
    search = sf.EnumMulti(splits=40, time_limit=8)
    return sf.anonymize(people.table, few, k=20, method=search, seed=1).optimality.plot()


class PageOne:
    """Page one of the report as a picture, as Chromium shows it."""

    def save(self, path: str) -> None:
        """Write the picture; its name ends in .png."""
        from playwright.sync_api import sync_playwright  # noqa: PLC0415

        with TemporaryDirectory() as folder, sync_playwright() as playwright:
            file, report = Path(folder) / "release.csv", Path(folder) / "report.html"
            release().write(file)
            release().report(report, file=file, recipient="University of Siena", purpose="research on work and income")
            found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
            browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
            tab.goto(report.as_uri())
            bottom = tab.evaluate("document.querySelector('#one').getBoundingClientRect().bottom")
            tab.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": 1280, "height": bottom + 16})
            browser.close()


#: The pictures that are no drawings.
PHOTOGRAPHS = ("page-one",)

#: Every picture as a reader of the gallery gets it: an Altair chart, or what is saved like one, made when asked for.
PICTURES: dict[str, Callable[[], Any]] = {
    "cells": drawings.cells,
    "neighbour": drawings.neighbour,
    "lonely": drawings.lonely,
    "frontier": drawings.frontier,
    "loss": lambda: release().plot.loss(),  # noqa: PLW0108
    "classes": lambda: release().plot.classes(),  # noqa: PLW0108
    "risk": lambda: release().plot.risk(),  # noqa: PLW0108
    "age": lambda: release().plot.column("age"),
    "compare": lambda: sf.compare(people.table, people.schema, methods=METHODS, k=KS, seed=1).plot(),
    "search": search_over_time,
    "page-one": PageOne,
}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or PICTURES:
        file = FOLDER / f"{name}.{'png' if name in PHOTOGRAPHS else 'svg'}"
        PICTURES[name]().save(str(file))
        print(f"{file.relative_to(FOLDER.parent.parent)}  {file.stat().st_size / 1000:.0f} kB", flush=True)
