"""How the documentation becomes a site: `make docs`. The pages stay as they are, readable in any editor.

The source folder is the repository, so that links between README, CONTRIBUTING and docs lead where they do everywhere.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

project = "Sfumato"
html_title = "Sfumato"
root_doc = "docs/index"
include_patterns = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "docs/**/*.md"]
extensions = ["myst_parser"]
# Headings get the same anchors as on GitHub.
myst_heading_anchors = 4
html_theme = "furo"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
# The search would fetch summaries of pages, which browsers refuse to pages opened as files.
html_show_search_summary = False
html_search_scorer = str(Path(__file__).with_name("scorer.js"))

#: Pages that stand beside those which the index links, at the end of its list.
BESIDE = ["/README", "/CHANGELOG", "/SECURITY"]

#: Pages that list others which the index does not link: how each names them.
HUBS = {
    "docs/how-to/large-tables": re.compile(r"^- \[[^]]*\]\(([^)#]+)\.md\)", re.MULTILINE),
    "docs/papers/index": re.compile(r"^## \[[^]]*\]\(([^)#]+)\.md\)", re.MULTILINE),
}

_SECTION = re.compile(r"^## ([^:\n]+)", re.MULTILINE)
_PAGE = re.compile(r"^- \[[^]]*\]\(([^)#]+)\.md\)", re.MULTILINE)
_ENTRY = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=docs/index.html">\n'


#: Pages that a search leaves out: they repeat the words of the others, and answer no question.
UNSEARCHED = ("docs/papers/", "CHANGELOG", "docs/measurements")

#: What people type for things that pages call otherwise; the search finds the page of each.
SYNONYMS = {
    "docs/how-to/visits": "Excel workbook spreadsheet xlsx patients visits hospital encounters longitudinal",
    "docs/explanation/gdpr": "GDPR DSGVO RGPD data protection law regulation legal Europe personal data",
    "docs/glossary": "glossary terms definitions dictionary vocabulary meaning",
    "docs/how-to/presets": "HIPAA EMA safe harbor regulation compliance",
    "docs/how-to/several-rows": "longitudinal visits transactions events repeated",
    "docs/how-to/risk": "reidentification deanonymization uniqueness",
    "docs/how-to/transform": "top coding rounding binning bucketing",
    "docs/how-to/hierarchies": "taxonomy bins buckets levels",
    "docs/how-to/large-tables": "big data out of memory DuckDB Spark",
    "docs/how-to/pseudonyms": "hashing tokenization encryption",
}


def mark_pages(app: Any, name: str, text: list[str]) -> None:
    """Leave pages out of the search, and give others words by which it finds them, which nobody sees."""
    if name.startswith(UNSEARCHED):
        text[0] = f"---\nnosearch: true\n---\n{text[0]}"
    if name in SYNONYMS:
        text[0] += f"\n```{{raw}} html\n<p hidden>{SYNONYMS[name]}</p>\n```\n"


def list_pages(app: Any, name: str, text: list[str]) -> None:
    """Give the index and the hubs a hidden list of the pages that they link: the site's menu."""
    if name in HUBS:
        text[0] += _hidden_list(HUBS[name].findall(text[0]))
    if name != root_doc:
        return
    titles = _SECTION.split(text[0])[1:]
    lists = {title: _PAGE.findall(below) for title, below in zip(titles[::2], titles[1::2], strict=True)}
    lists["About"] = ["/CONTRIBUTING", *BESIDE]
    for title, pages in lists.items():
        text[0] += _hidden_list(pages, f":caption: {title}\n")


def _hidden_list(pages: list[str], options: str = "") -> str:
    """Write a hidden table of contents."""
    listed = "\n".join(pages)
    return f"\n```{{toctree}}\n:hidden:\n{options}\n{listed}\n```\n"


def write_entry(app: Any, failed: Exception | None) -> None:
    """Redirect from the root of the site to the index."""
    if failed is None:
        Path(app.outdir, "index.html").write_text(_ENTRY, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    """Register them with Sphinx."""
    app.connect("source-read", mark_pages)
    app.connect("source-read", list_pages)
    app.connect("build-finished", write_entry)
    return {"parallel_read_safe": True}
