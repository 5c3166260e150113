"""Building blocks of the report's sections: headings with their lead, figures, tables, lists."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from sfumato.common.charts.charts import Picture, formatted, inline
from sfumato.common.charts.picture import Value
from sfumato.common.html import CELL, Content, Markup, element, folded, joined, table

#: The most rows of a table in a report; a longer one ends with the number of further rows, so that pages stay small.
MOST_ROWS = 250

#: The most characters of a sentence with names from the user's table.
LONGEST_SENTENCE = 700

#: The form of a cell that is a number, optionally followed by a remark.
FIGURE = re.compile(r"(under |over )?(–|-?\d[\d,.]*%?)( \(.*\))?")

#: The most characters of a name in a sentence or a table.
LONGEST_NAME = 60


def section(key: str, title: str, lead: str, *inside: Content) -> Markup:
    """A section; ``lead`` says in one sentence, without jargon, what it is about."""
    heading = element("h2", title, id=f"{key}-title")
    return element(
        "section", heading, element("p", lead, class_="lead"), *inside, id=key, aria_labelledby=f"{key}-title"
    )


def subsection(title: str, *inside: Content) -> Markup:
    """A part of a section under its own heading."""
    return element("div", element("h3", title), *inside, class_="part")


def paragraph(*inside: Content) -> Markup:
    """A paragraph."""
    return element("p", *inside)


def figures(drawn: Iterable[Markup]) -> Markup:
    """Some figures side by side, as many as fit."""
    return element("div", drawn, class_="figures")


def figure(picture: Picture, note: str | None = None) -> Markup:
    """A picture with its description as the caption, and its numbers in a table."""
    caption = element("figcaption", picture.title)
    more = element("p", note, class_="note") if note else None
    numbers = folded("The numbers", listing(picture.headers, picture.rows))
    return element("figure", caption, inline(picture), more, numbers)


def listing(headers: Sequence[str], rows: Sequence[Sequence[Value | Markup]], caption: str | None = None) -> Markup:
    """A table of values; numbers are set to the right, and a long table ends early."""
    shown = [[_cell(value) for value in row] for row in rows[:MOST_ROWS]]
    right = [at for at in range(1, len(headers)) if rows and all(_is_figure(row[at]) for row in rows)]
    laid = table(headers, shown, right, caption)
    left = len(rows) - MOST_ROWS
    return scrolling(laid) if left <= 0 else joined(scrolling(laid), element("p", f"and {left:,} more", class_="note"))


def scrolling(laid: Markup) -> Markup:
    """A table that scrolls by itself on a narrow screen, also by keyboard."""
    return element("div", laid, class_="wide", tabindex=0, role="group", aria_label="table")


def items(said: Iterable[Content]) -> Markup | None:
    """A list of sentences, or None if there are none."""
    found = [element("li", one) for one in said]
    return element("ul", found) if found else None


def code(text: str, label: str) -> Markup:
    """A block of text to copy verbatim."""
    return element("pre", element("code", text), tabindex=0, role="group", aria_label=label)


def named(name: str) -> str:
    """The name of a column for use in a sentence, never longer than a line."""
    name = " ".join(name.split()) or "(no name)"
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def names(columns: Sequence[str], most: int = 8) -> str:
    """The names of columns for use in a sentence; of many only the first.

    >>> names(["age", "sex", "zip"]), names(["a", "b", "c"], 2)
    ('age, sex and zip', 'a, b and 1 more')
    """
    shown = [named(name) for name in columns[:most]]
    if len(columns) > most:
        return f"{', '.join(shown)} and {len(columns) - most:,} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def percent(share: float) -> str:
    """Format a share, never rounding a positive one to 0% or one below 1 to 100%.

    >>> percent(0.1234), percent(0.0), percent(0.00001), percent(0.99999)
    ('12.3%', '0%', 'under 0.1%', 'over 99.9%')
    """
    if 0 < share < 0.001:
        return "under 0.1%"
    if 0.999 < share < 1:
        return "over 99.9%"
    return f"{share:.1%}".replace(".0%", "%")


def quoted(columns: Sequence[str]) -> str:
    """The names of columns in quotation marks, for use in a sentence."""
    return names([f"“{named(name)}”" for name in columns])


def sentence(text: str) -> str:
    """Cut a sentence that long names have made too long to read."""
    return cut(text, LONGEST_SENTENCE)


def cut(text: str, longest: int) -> str:
    """Cut a text between words, where that loses little.

    >>> cut("one two three", 9), cut("abcdefghij", 5)
    ('one two…', 'abcd…')
    """
    if len(text) <= longest:
        return text
    kept = text[: longest - 1]
    words = kept.rpartition(" ")[0]
    return f"{words if len(words) > longest // 2 else kept}…"


def _is_figure(value: Value | Markup) -> bool:
    """Whether a cell is a number, also one with a unit or in words such as ``under 0.1%``."""
    return not isinstance(value, str) or bool(FIGURE.fullmatch(value))


def _cell(value: Value | Markup) -> Content:
    """The content of a cell; sentences are not cut, since the names in them are short already."""
    if not isinstance(value, str):
        return formatted(value)
    return value if isinstance(value, Markup) or len(value) <= CELL else element("span", sentence(value))
