"""What it does not protect against: everything that remains to be considered, as one list, the gravest first."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.common.html import Content, Markup, element, joined
from sfumato.release.report.concerns import Concern, concerns_of
from sfumato.release.report.facts import ReportFacts
from sfumato.release.report.parts import cut, paragraph, percent, section, sentence, subsection

#: The most concerns that are listed one by one.
MOST_CONCERNS = 40

#: How many of them page one names, and the most characters of each sentence there.
MOST_IN_BRIEF = 4
LONGEST_IN_BRIEF = 190


def section_limits(found: ReportFacts) -> Markup:
    """Every concern with what was found and what helps: first what somebody has to decide about."""
    concerns = concerns_of(found)
    shown, left = concerns[:MOST_CONCERNS], len(concerns) - MOST_CONCERNS
    return section(
        "limits",
        "What it does not protect against",
        "No table of rows is safe against everything: what applies to this very table, the gravest first, and what "
        "helps against it.",
        _list("What needs a decision", [one for one in shown if one.open]),
        _list("What was confirmed by the owner", [one for one in shown if one.confirmed and not one.open]),
        _list("What holds for tables like this one", [one for one in shown if not one.open and not one.confirmed]),
        paragraph(f"and {left:,} more, which stand in the manifest") if left > 0 else None,
    )


def _list(title: str, concerns: Sequence[Concern]) -> Content:
    """Some concerns under a heading; nothing if there are none."""
    if not concerns:
        return None
    return subsection(title, element("div", [_block(one) for one in concerns], class_="limits"))


def _block(concern: Concern) -> Markup:
    return element(
        "div",
        element("h4", concern.title, _share(concern)),
        element("p", sentence(concern.found)),
        element("p", element("strong", "What helps: "), sentence(concern.helps)),
        class_=f"limit is-{concern.severity}" if concern.open else "limit",
    )


def _share(concern: Concern) -> Content:
    """How many people it concerns, where it was counted, and for how grave the program takes it."""
    if not concern.open:
        return None
    concerned = "" if not concern.share else f" · {percent(concern.share)} of the rows"
    return element("span", f"{concern.severity}{concerned}", class_="tag")


def brief_list(concerns: Sequence[Concern]) -> Markup:
    """The gravest concerns, each with what helps; the others are counted, with a link to all."""
    shown = [
        element(
            "li",
            element("strong", one.title, ". "),
            cut(one.found, LONGEST_IN_BRIEF),
            element("em", " What helps: ", cut(one.helps, LONGEST_IN_BRIEF)),
            class_="open" if one.open else None,
        )
        for one in concerns[:MOST_IN_BRIEF]
    ]
    left = concerns[MOST_IN_BRIEF:]
    if not left:
        return element("ul", shown)
    waiting = sum(one.open for one in left)
    need = f"{waiting:,} of which {'needs' if waiting == 1 else 'need'} a decision" if waiting else "good to know"
    more = f"{len(left):,} more, {need}"
    return joined(element("ul", shown), element("p", element("a", more, href="#limits"), class_="note"))
