"""Page one as HTML: one sheet of A4 in print, about one screen in a browser."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.common.html import Content, Markup, bar, element, joined, table
from sfumato.release.report.facts import ReportFacts
from sfumato.release.report.page_one import KeyFigure, PageOne, State, page_one
from sfumato.release.report.parts import cut, named, percent, scrolling
from sfumato.release.report.released_rows import Example
from sfumato.release.report.sections.not_protected_against import MOST_IN_BRIEF, brief_list

#: The signs of the three states, which also say without colour what they are.
SIGNS = {State.GREEN: "✓", State.AMBER: "!", State.RED: "✕"}

#: The most people that are drawn one by one.
MOST_FIGURES = 24

#: The most characters of a sentence on page one.
LONGEST = 260

#: What can be decided, and a line to sign.
DECISIONS = ("publish", "to restricted recipients only", "rework")
LINES = ("name", "date", "signature")


def section_page_one(found: ReportFacts) -> Markup:
    """Page one of a report."""
    return markup_of(page_one(found))


def markup_of(one: PageOne) -> Markup:
    """Page one as a section of a page; the style of reports gives it its look."""
    said = (
        ("safe", "Safe?", joined(element("p", cut(one.safe, LONGEST)), _people(one.one_in))),
        ("useful", "Useful?", joined(element("p", one.useful), _lost(one.lost))),
        ("remains", "Remains", brief_list(one.concerns)),
        (
            "rests",
            "Rests on",
            [element("p", element("em", word), " ", cut(text, LONGEST)) for word, text in _rests(one)],
        ),
    )
    signed = (("example", "Example", _example(one)), ("decision", "Decision", _decision()))
    sign = element("span", SIGNS[one.state], class_="sign", aria_hidden="true")
    return element(
        "section",
        element("h2", "The decision", id="one-title", class_="unseen"),
        _about(one),
        element("p", sign, one.headline, class_=f"state {one.state}"),
        element("dl", [_figure(figure) for figure in one.figures], class_="cards"),
        element("dl", [_row(*row) for row in said], class_="rows pairs"),
        element("dl", [_row(*row) for row in signed], class_="rows"),
        element("p", one.checked, class_="note checked"),
        id="one",
        aria_labelledby="one-title",
        class_="one",
    )


def _row(key: str, title: str, said: Content) -> Markup:
    return element("div", element("dt", title), element("dd", said), class_=key)


def _rests(one: PageOne) -> Iterator[tuple[str, str]]:
    """What it rests on; what was guessed is not said twice."""
    brief = {concern.key for concern in one.concerns[:MOST_IN_BRIEF]}
    yield from ((word, text) for word, text in one.rests_on if word not in brief)


def _about(one: PageOne) -> Markup:
    """Who gets the release and what for; lines to fill in by hand where nobody said."""
    said = (("for", one.about.recipient), ("purpose", one.about.purpose))
    return element("p", [[element("span", f"{word}: ", _filled(text)), " "] for word, text in said], class_="about")


def _filled(text: str | None) -> Markup:
    if text:
        return element("strong", cut(" ".join(text.split()), LONGEST))
    return element("span", class_="blank", role="img", aria_label="to be filled in")


def _figure(figure: KeyFigure) -> Markup:
    return element(
        "div",
        element("dt", figure.name),
        element("dd", figure.value, class_="value"),
        element("dd", figure.meaning, class_="note"),
        class_="card alarming" if figure.alarming else "card",
    )


def _people(one_in: int | None) -> Content:
    """One person of so many, drawn; the sentence beside it says the same."""
    if one_in is None or one_in > MOST_FIGURES:
        return None
    figures = [
        element(
            "g",
            element("circle", cx=6, cy=4, r=3),
            element("path", d="M1 17 v-5 a5 4 0 0 1 10 0 v5 z"),
            transform=f"translate({14 * at} 1)",
            class_="found" if at == 0 else None,
        )
        for at in range(one_in)
    ]
    return element("svg", figures, class_="people", viewBox=f"0 0 {14 * one_in} 19", aria_hidden="true")


def _lost(lost: Sequence[tuple[str, float]]) -> Content:
    if not lost:
        return None
    said = [
        element("span", element("bdi", named(name)), " ", bar(share), " ", percent(share), class_="loss")
        for name, share in lost
    ]
    return element("p", "Lost most: ", said, class_="losses")


def _example(one: PageOne) -> Content:
    example = one.example
    if not example.rows:
        return element("p", "No row is shown of a table that must not be published.")
    left = example.left_out
    more = f"and {left:,} more {'column' if left == 1 else 'columns'}" if left else None
    return joined(scrolling(_rows(example)), element("p", more, class_="note") if more else None)


def _rows(example: Example) -> Markup:
    return table(example.columns, [["–" if cell is None else cell for cell in row] for row in example.rows])


def _decision() -> Markup:
    boxes = [element("span", element("span", class_="box"), text, class_="choice") for text in DECISIONS]
    lines = [element("span", text, " ", element("span", class_="blank"), class_="choice") for text in LINES]
    return element("p", boxes, lines, class_="decision")
