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

import sfumato as sf
from sfumato.common.charts import charts

FOLDER = Path(__file__).parent / "pictures"
ROWS = 20_000
KS = (2, 5, 10, 20, 50, 100)
METHODS = ("auto", "mondrian", "hilbert")

people = sf.datasets.census(rows=ROWS, seed=1).without_levels()


def as_k_grows() -> charts.Picture:
    """Return what is lost and what is gained, from the original on."""
    releases = [sf.anonymize(people.table, people.schema, k=k, seed=1) for k in KS]
    before = releases[0].risk.before.prosecutor.mean or 0.0
    risks = [before, *(release.risk.after.prosecutor.mean or 0.0 for release in releases)]
    losses = [0.0, *(release.loss.gcp for release in releases)]
    at = KS.index(10) + 1
    title = (
        f"At k=10 the chance to be found falls from {before:.0%} to {risks[at]:.0%}; {losses[at]:.0%} of detail is lost"
    )
    x = charts.Axis("k: how many people look alike (1 is the original)", log=True, ticks=(1, *KS), low=1, high=KS[-1])
    y = charts.Axis("share", ".0%", low=0)
    return charts.lines(title, x, y, (1, *KS), {"chance that a person is found": risks, "detail that is lost": losses})


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
    "k-grows": lambda: as_k_grows().chart,
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
