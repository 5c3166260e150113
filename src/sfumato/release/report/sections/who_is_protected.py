"""Who is protected: the risk of re-identification before and after, and what finding a person discloses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from sfumato.assess.risk.records import smallest_class
from sfumato.common.charts import charts
from sfumato.common.html import Markup
from sfumato.release.report.facts import ReportFacts
from sfumato.release.report.parts import (
    figure,
    figures,
    items,
    listing,
    named,
    names,
    paragraph,
    percent,
    section,
    subsection,
)


def section_people(found: ReportFacts) -> Markup:
    """The sizes of classes, the risk of re-identification, and the certainty about sensitive values."""
    known = names(found.quasi_identifiers)
    return section(
        "people",
        "Who is protected",
        f"How hard it is to find one person for somebody who knows that person's {known or 'particulars'}.",
        None if found.may.original else paragraph(f"The risk before is {found.may.not_told}."),
        *(_uncounted(found) if found.rows_only else _counted(found)),
        _sensitive(found),
    )


def _counted(found: ReportFacts) -> Iterator[Markup]:
    """The risk before and after, as pictures and as numbers."""
    yield figures(_pictures(found))
    yield subsection(
        "The risk in numbers",
        paragraph("The risk of a person is one divided by the number of people who look alike."),
        _table(("figure", "before", "after"), _risks(found), found),
        paragraph(
            "Custodians of data set thresholds for that risk; which one is right depends on who gets the table. So "
            "many people are above each:"
        ),
        _table(("threshold", "before", "after", "what that says"), _thresholds(found), found),
    )


def _uncounted(found: ReportFacts) -> Iterator[Markup]:
    """The risk before alone, where a file has several rows of a person."""
    before = [row[:2] for row in _risks(found)] if found.may.original else []
    yield subsection(
        "The risk in numbers",
        paragraph(
            "People have several rows, and this file does not say whose they are. So the people who look alike in it "
            "cannot be counted, and counting rows would make the risk look smaller than it is."
        ),
        listing(("figure", "before"), before) if before else None,
    )


def _pictures(found: ReportFacts) -> Iterator[Markup]:
    if found.may.original:
        said = "Whoever looks like nobody else can be found for certain. The fewer look alike, the higher the risk."
        yield figure(found.risk_picture, said)
    yield figure(charts.class_sizes(found.class_sizes, found.k))


def _table(headers: Sequence[str], rows: Iterable[tuple[str, ...]], found: ReportFacts) -> Markup:
    """A table of figures before and after; without those before where they are withheld."""
    kept = [at for at, title in enumerate(headers) if title != "before" or found.may.original]
    return listing([headers[at] for at in kept], [[row[at] for at in kept] for row in rows])


def _thresholds(found: ReportFacts) -> Iterator[tuple[str, ...]]:
    """Every threshold with the people above it, and how that is to be read against what was promised."""
    before, after = found.risk.before.prosecutor.above, found.risk.after.prosecutor.above
    for limit, share in before.items():
        least, now = smallest_class(limit), after.get(limit, 0.0)
        if now == 0:
            reading = f"kept: everybody looks like at least {least - 1:,} others"
        elif found.k is not None and least > found.k:
            reading = f"stricter than the promise, k = {found.k:,}: asks for {least:,} who look alike"
        else:
            reading = f"not kept: asks for {least:,} who look alike"
        yield f"{limit:g} (1 in {least:,})", percent(share), percent(now), reading


def _risks(found: ReportFacts) -> Iterator[tuple[str, str, str]]:
    before, after = found.risk.before, found.risk.after
    yield "people", f"{before.people:,}", f"{after.people:,}"
    yield "groups of people who look alike", f"{before.classes:,}", f"{after.classes:,}"
    yield "look like nobody else", f"{before.unique:,} ({percent(before.prosecutor.unique_share)})", _unique(found)
    yield "highest risk", _share(before.prosecutor.highest), _share(after.prosecutor.highest)
    yield "mean risk", _share(before.prosecutor.mean), _share(after.prosecutor.mean)


def _unique(found: ReportFacts) -> str:
    after = found.risk.after
    return f"{after.unique:,} ({percent(after.prosecutor.unique_share)})"


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _sensitive(found: ReportFacts) -> Markup:
    achieved = found.verification.achieved.sensitive
    if not achieved and found.with_role("sensitive"):
        return subsection(
            "Sensitive values",
            paragraph("How sure anybody can be of people's sensitive values cannot be counted from this file alone."),
        )
    if not achieved:
        return subsection(
            "Sensitive values", paragraph("No column is declared sensitive, so nothing is promised about any.")
        )
    rows = [
        (
            named(name),
            one.distinct_l,
            "–" if not one.frequency_l else percent(1 / one.frequency_l),
            _round(one.entropy_l),
            _round(one.t),
            percent(found.risk.after.sensitive[name].certain) if name in found.risk.after.sensitive else "–",
        )
        for name, one in achieved.items()
    ]
    headers = (
        "column",
        "different values at least",
        "surest guess",
        "l (entropy)",
        "t",
        "people of whom it is certain",
    )
    return subsection(
        "Sensitive values",
        paragraph(
            "Finding somebody's group is enough where all in it have the same sensitive value. The surest guess is the "
            "largest share that one value has in any group; t says how far a group differs from the whole table, 0 not "
            "at all."
        ),
        listing(headers, rows),
        items(_nearest(found)),
    )


def _nearest(found: ReportFacts) -> Iterator[str]:
    """Report how near the classes come to the limit of each model."""
    smallest = found.verification.k
    if smallest is not None and found.k is not None:
        count = found.class_sizes.get(smallest, 0)
        verb = "group has" if count == 1 else "groups have"
        yield f"Nearest to the limit of k: {count:,} {verb} {smallest:,} people, where {found.k:,} are asked for."
    for check in found.verification.checks:
        if check.column is not None and check.found is not None:
            about = f"{check.rule} of {named(check.column)}"
            found_there = f"{check.found:.4g}" if math.isfinite(check.found) else "unlimited"
            near = f"the {check.measures} is {found_there}, where {check.asked:.4g} is asked for"
            yield f"Nearest to the limit of {about}: {near}."


def _round(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
