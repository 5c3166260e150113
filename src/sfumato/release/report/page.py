"""The report page: one HTML file that loads nothing from elsewhere, for light and dark screens and for print."""

from __future__ import annotations

import base64
import hashlib
import os
from typing import TYPE_CHECKING

from sfumato.assess.utility.report import Utility
from sfumato.common.html import Markup, element, joined, style
from sfumato.io import write_text
from sfumato.release.report.facts import About, ReportFacts, facts_of_release
from sfumato.release.report.page_one import subject_of
from sfumato.release.report.parts import cut
from sfumato.release.report.sections.how_it_was_made import section_making
from sfumato.release.report.sections.not_protected_against import section_limits
from sfumato.release.report.sections.page_one import section_page_one
from sfumato.release.report.sections.policy import section_policy
from sfumato.release.report.sections.verdict import section_verdict
from sfumato.release.report.sections.what_was_lost import section_lost
from sfumato.release.report.sections.who_is_protected import section_people
from sfumato.release.report.style import RULES

if TYPE_CHECKING:
    from sfumato.release.release import Release

#: The sections in their order, with the text of the link to each.
SECTIONS = {
    "one": ("The decision", section_page_one),
    "limits": ("What it does not protect against", section_limits),
    "verdict": ("Promises and checks", section_verdict),
    "people": ("Who is protected", section_people),
    "lost": ("What was lost", section_lost),
    "making": ("How it was made", section_making),
    "policy": ("The policy", section_policy),
}

#: The most characters of a title.
LONGEST_TITLE = 120


def write_report(
    release: Release,
    path: str | os.PathLike[str],
    file: str | os.PathLike[str] | None = None,
    utility: Utility | None = None,
    about: About | None = None,
) -> None:
    """Write the report of a release to a file, atomically."""
    write_text(path, page(facts_of_release(release, file, utility, about)))


def page(found: ReportFacts) -> str:
    """The whole report."""
    return f"<!doctype html>\n{element('html', _head(found), _body(found), lang='en', dir='ltr')}\n"


def _head(found: ReportFacts) -> Markup:
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=_security()),
        element("meta", name_="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name_="color-scheme", content="light dark"),
        element("meta", name_="referrer", content="no-referrer"),
        element("title", _title(found)),
        style(RULES),
    )


def _security() -> str:
    """Allow nothing but the style of this page, by its hash: no script, no request, no form."""
    digest = base64.b64encode(hashlib.sha256(RULES.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _body(found: ReportFacts) -> Markup:
    first, *others = (build(found) for _, build in SECTIONS.values())
    links = [element("li", element("a", title, href=f"#{key}")) for key, (title, _) in list(SECTIONS.items())[1:]]
    return element(
        "body",
        element("a", "Skip to the report", href="#one", class_="skip"),
        element("header", element("h1", _title(found))),
        element("main", first, element("nav", element("ol", links), aria_label="Details"), joined(*others)),
        element(
            "footer",
            element(
                "p",
                "This page holds totals, shares and a few rows of the published table: no row of the original, and no "
                "value that the published table does not show. It asks no server for anything.",
            ),
        ),
    )


def _title(found: ReportFacts) -> str:
    """The title that was given, or what is released."""
    given = found.about.title
    return cut(" ".join(given.split()), LONGEST_TITLE) if given else f"Release of {subject_of(found)}"
