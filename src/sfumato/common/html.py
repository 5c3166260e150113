"""HTML for notebooks and reports: escaped as it is built, without script, in the colours of the page around it."""

from __future__ import annotations

import html
import re
from collections.abc import Container, Iterable, Sequence

from sfumato.errors import printable

#: Characters of a cell, and of a fact, that are shown; names and labels come from users and may be arbitrarily long.
CELL, FACT = 120, 1000

_NAME = re.compile(r"[a-z][a-zA-Z0-9-]*")
_VOID = {"br", "col", "hr", "img", "meta", "wbr"}
_LONG_WORD = re.compile(r"\S{41}")
_PARTS = re.compile(r"\S{1,40}|\s+")

#: All rules begin with the class that `fragment` sets, so that the rest of a notebook stays as it is. Nothing has a
#: colour of its own but the bars: text and lines take that of the page, light or dark.
STYLE = """
.sfumato { font: 0.9rem/1.45 system-ui, sans-serif; color: inherit; max-width: 60rem; }
.sfumato h3, .sfumato h4 { margin: 0.9em 0 0.3em; font-size: 1em; font-weight: 600; text-align: start; }
.sfumato h3 { font-size: 1.1em; margin-top: 0; }
.sfumato p { margin: 0.3em 0; text-align: start; }
.sfumato table { border-collapse: collapse; margin: 0.3em 0; color: inherit; font-size: 1em; }
.sfumato caption { text-align: start; font-weight: 600; padding: 0.3em 0; color: inherit; }
.sfumato th, .sfumato td { padding: 0.15em 1em 0.15em 0; text-align: start; vertical-align: top; border: 0;
  border-bottom: 1px solid color-mix(in srgb, currentColor 22%, transparent); background: none; color: inherit;
  white-space: normal; max-width: 44rem; unicode-bidi: isolate; }
.sfumato th { font-weight: 400; }
.sfumato thead th { font-weight: 600; }
.sfumato thead th, .sfumato thead td { border-bottom-color: currentColor; }
.sfumato .number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.sfumato pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.3em 0; padding: 0.5em 0.8em; color: inherit;
  background: color-mix(in srgb, currentColor 6%, transparent); border: 0; }
.sfumato summary { cursor: pointer; }
.sfumato .bar { width: 8rem; height: 0.75em; vertical-align: middle; }
.sfumato .bar .whole { fill: currentColor; fill-opacity: 0.13; }
.sfumato .bar .part { fill: #2f86c5; }
.sfumato .good, .sfumato .bad { font-weight: 600; padding-inline-start: 0.6em;
  border-inline-start: 0.25em solid #2f86c5; }
.sfumato .bad { border-color: #d55e00; }
""".strip()


class Markup(str):
    """Text that is HTML already; any other text is escaped where it is put in."""

    __slots__ = ()


#: What may stand in an element: text, which is escaped; markup; numbers; nothing; or several of them.
Content = str | float | None | Iterable["Content"]


def element(name: str, *inside: Content, **attributes: str | float | bool | None) -> Markup:
    """An element; ``class_`` and ``aria_label`` are written ``class`` and ``aria-label``.

    Text is escaped, so that no user's text can end the element or begin another one, and no element can run a script.

    Examples
    --------
    >>> element("td", "<b>", element("br"), class_="number")
    '<td class="number">&lt;b&gt;<br></td>'
    """
    if not _NAME.fullmatch(name) or name in {"script", "style"}:
        raise ValueError(f"{name} is no element that can be built like this")
    opening = name + "".join(_attribute(key, value) for key, value in attributes.items())
    return Markup(f"<{opening}>" if name in _VOID else f"<{opening}>{joined(*inside)}</{name}>")


def joined(*inside: Content) -> Markup:
    """Join contents, escaping those that are not markup yet."""
    return Markup("".join(map(_escaped, inside)))


def style(rules: str) -> Markup:
    """A style element; its rules must come from this package, never from a user."""
    if "<" in rules:
        raise ValueError("rules of style hold no markup")
    return Markup(f"<style>{rules}</style>")


def table(
    header: Sequence[str],
    rows: Iterable[Sequence[Content]],
    numbers: Container[int] = (),
    caption: str | None = None,
) -> Markup:
    """A table whose first column names the rows; the columns at the places ``numbers`` are set to the right."""
    classes = ["number" if place in numbers else None for place in range(len(header))]
    # A column without a title, such as one of names, has no header that could be read out.
    head = [
        element("th", title, scope="col", class_=one) if title else element("td")
        for title, one in zip(header, classes, strict=True)
    ]
    body = [
        element(
            "tr",
            [
                element("td" if place else "th", _cut(cell, CELL), class_=one, scope=None if place else "row")
                for place, (cell, one) in enumerate(zip(row, classes, strict=True))
            ],
        )
        for row in rows
    ]
    title = None if caption is None else element("caption", caption)
    return element("table", title, element("thead", element("tr", head)), element("tbody", body))


def facts(pairs: Iterable[tuple[str, Content]]) -> Markup:
    """A table of two columns: the name of each fact, and the fact."""
    rows = [
        element("tr", element("th", _cut(name, CELL), scope="row"), element("td", _cut(said, FACT)))
        for name, said in pairs
    ]
    return element("table", element("tbody", rows))


def bar(share: float) -> Markup:
    """A bar of a share from 0 to 1, which also prints; put the figure beside it for readers who cannot see the bar."""
    width = round(100 * min(max(share, 0.0), 1.0), 1)
    parts = (("whole", 100), ("part", width))
    drawn = [element("rect", class_=kind, width=across, height=10) for kind, across in parts]
    return element("svg", drawn, class_="bar", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")


def verdict(good: bool, text: str) -> Markup:
    """The verdict as a sentence, which says in words what its colour says."""
    return element("p", text, class_="good" if good else "bad")


def folded(title: str, *inside: Content) -> Markup:
    """A folded part, which opens at a click."""
    return element("details", element("summary", title), *inside)


def fragment(title: str, *inside: Content) -> str:
    """A part of a page that brings its own style along: what a notebook shows of an object."""
    heading = element("h3", _cut(title, CELL))
    return str(element("div", style(STYLE), heading, *inside, class_="sfumato"))


def _attribute(key: str, value: str | float | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if not _NAME.fullmatch(name) or name.startswith("on") or name in {"src", "style"}:
        raise ValueError(f"{name} is no attribute that can be set like this")
    if name == "href" and not str(value).startswith("#"):
        raise ValueError("a link leads to a place on the same page")
    if value is None or value is False:
        return ""
    return f" {name}" if value is True else f' {name}="{_escaped(str(value))}"'


def _escaped(content: Content) -> str:
    if isinstance(content, Markup):
        return content
    if content is None:
        return ""
    if isinstance(content, str | int | float):
        return html.escape(printable(str(content)))
    return "".join(map(_escaped, content))


def _cut(content: Content, limit: int) -> Content:
    """Shorten users' text, and let browsers break its longest words."""
    if isinstance(content, Markup) or not isinstance(content, str):
        return content
    text = content if len(content) <= limit else f"{content[: limit - 1]}…"
    return [[part, element("wbr")] for part in _PARTS.findall(text)] if _LONG_WORD.search(text) else text
