"""What is promised, how it was verified, and what that rests on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.common.charts.charts import formatted
from sfumato.common.html import Content, Markup, element, facts
from sfumato.release.report.facts import ReportFacts
from sfumato.release.report.parts import (
    items,
    listing,
    named,
    names,
    paragraph,
    percent,
    section,
    sentence,
    subsection,
)
from sfumato.verify.verification import RuleCheck

#: What each model promises, for people who have never heard of it.
IN_WORDS = {
    "k-anonymity": "Everybody looks like at least {others} others: nobody is picked out with a chance above {risk}.",
    "l-diversity": "People who look alike differ in {of}, so that nobody can be sure of anyone's.",
    "t-closeness": "Among people who look alike, {of} is spread as in the whole table, but for {t} at most; 0 % would "
    "be exactly so, 100 % altogether otherwise.",
    "beta-likeness": "Finding somebody's group makes no value of {of} much likelier than it was.",
    "delta-disclosure": "Finding somebody's group makes no value of {of} much likelier or less likely.",
    "minimum-span": "What is shown of {of} is never narrower than promised.",
    "average-risk": "On average over all people, the chance to be picked out is at most as high as promised.",
    "unique-share": "At most so many people look like nobody else in the table.",
    "k-map": "Everybody looks like at least {others} others in the population that the table was drawn from.",
    "marketer-risk": "On average over all people, the chance to be picked out of the population is limited.",
    "population-uniques": "At most so many people look like nobody else in the population.",
    "delta-presence": "Nobody can tell from the table whether a person is in it, beyond the limits that are promised.",
}


def section_verdict(found: ReportFacts) -> Markup:
    """The promises in plain words, and what was checked when, how and by whom."""
    verification = found.verification
    return section(
        "verdict",
        "Promises and checks",
        "What is promised to the people in this table, how it was recounted, and what it rests on.",
        *(paragraph(element("strong", caveat)) for caveat in verification.caveats),
        subsection("What is promised", listing(("promise", "what it means"), list(_promises(found)))),
        subsection(
            "How it was checked", _checks(found), *_unproven(found), *(paragraph(note) for note in verification.notes)
        ),
        subsection("What this rests on", *_grounds(found)),
        subsection("What was checked", facts(_provenance(found))),
    )


def _promises(found: ReportFacts) -> Iterator[tuple[str, str]]:
    for promise in found.promises:
        yield _title(promise), _meaning(promise, found)
    if not found.promises:
        yield "none", "Nothing was promised."


def _title(promise: Mapping[str, Any]) -> str:
    shown = {key: value for key, value in promise.items() if key not in {"model", "taxonomy", "population"}}
    values = ", ".join(
        f"{key} = {value:g}" if isinstance(value, float) else f"{key} = {value}" for key, value in shown.items()
    )
    return f"{promise['model']} ({values})" if values else str(promise["model"])


def _meaning(promise: Mapping[str, Any], found: ReportFacts) -> str:
    k = promise.get("k", 1)
    column = promise.get("column")
    of = named(str(column)) if column is not None else names(found.with_role("sensitive")) or "the sensitive value"
    words = IN_WORDS.get(promise["model"])
    if _is_empty(promise):
        return "Nothing: every table keeps it."
    if promise["model"] == "l-diversity" and promise.get("kind") == "frequency":
        return (
            f"Among people who look alike, nobody can be more than {percent(1 / promise['l'])} sure of anyone's {of}."
        )
    if promise["model"] == "differential-privacy":
        return (
            "Whether a person's row is in the table changes the chance of no release by more than a factor of "
            f"{math.exp(promise['epsilon']):,.3g}, except with a chance of {promise['delta']:g}. This is a property of "
            "the procedure: one table cannot show it."
        )
    if words is None:
        return "See the privacy models in the documentation."
    return words.format(others=f"{k - 1:,}", risk=percent(1 / k), of=of, t=percent(promise.get("t", 0.0)))


def _is_empty(promise: Mapping[str, Any]) -> bool:
    """Whether every table keeps a promise, such as k = 1."""
    least = promise.get("k", promise.get("l", 2) if promise.get("kind") != "recursive" else 2)
    return least <= 1 or promise.get("t", promise.get("limit", 0)) >= 1


def _checks(found: ReportFacts) -> Markup:
    rows = [
        (_rule(check), _number(check.asked), _found(check), "holds" if check.ok else "BROKEN")
        for check in found.verification.checks
    ]
    said = (
        "A program that shares no code with the one that made the table read the published rows, as anybody else "
        "would, and counted anew."
    )
    if not rows:
        return paragraph(said)
    return element("div", paragraph(said), listing(("rule", "asked", "found", "verdict"), rows))


def _unproven(found: ReportFacts) -> Iterator[Markup]:
    """Say what the file alone does not prove."""
    for one in found.verification.not_checkable:
        yield paragraph(element("strong", f"Not checkable from this file: {one}."))


def _rule(check: RuleCheck) -> str:
    return check.rule if check.column is None else f"{check.rule} of {named(check.column)}"


def _found(check: RuleCheck) -> str:
    return "–" if check.found is None else f"{formatted(_number(check.found))} ({check.measures})"


def _number(value: float | None) -> int | float | str | None:
    if value is None or math.isnan(value):
        return None
    if math.isinf(value):
        return "unlimited"
    return int(value) if value == int(value) else value


def _grounds(found: ReportFacts) -> Iterator[Content]:
    """What was proven, what was assumed, and what was guessed: three different things."""
    grounds = found.grounds
    said = {
        "Proven": (f"Recomputed from {grounds.source}.", grounds.proven),
        "Assumed": ("Declared by the owner of the table; the promises hold as far as this is true.", grounds.assumed),
        "Guessed": ("Suggested by the program, declared by nobody.", grounds.guessed),
        "Confirmed by hand": ("The program asked, and somebody answered for it.", grounds.confirmed),
    }
    for word, (meaning, sentences) in said.items():
        if sentences:
            yield paragraph(element("strong", f"{word}. "), meaning)
            yield items(sentence(one) for one in sentences)


def _provenance(found: ReportFacts) -> Iterator[tuple[str, str]]:
    if found.file is not None:
        yield "file", named(found.file.name)
        yield "size", f"{found.file.size:,} bytes"
        yield "SHA-256", found.file.sha256
    else:
        yield "table", "the released rows in memory; no file was named, so there is no hash"
    yield (
        "rows and classes",
        f"{found.verification.rows:,} rows in {found.verification.classes:,} groups of people who look alike",
    )
    yield "this report", f"{found.when:%d %B %Y, %H:%M} UTC"
    yield "program", ", ".join(f"{name} {version}" for name, version in found.versions.items())
    yield "policy", "at the end of this page"
