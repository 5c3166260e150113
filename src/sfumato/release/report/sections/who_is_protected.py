"""Who is protected: the risk of re-identification before and after, and what finding a person discloses."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sfumato.assess.risk.records import smallest_class
from sfumato.common.charts import charts
from sfumato.common.html import Markup
from sfumato.release.report.facts import ReportFacts
from sfumato.release.report.parts import figure, items, listing, named, names, paragraph, percent, section, subsection


def section_people(found: ReportFacts) -> Markup:
    """The sizes of classes, the risk of re-identification, and the certainty about sensitive values."""
    known = names(found.quasi_identifiers)
    return section(
        "people",
        "Who is protected",
        f"How hard it is to find one person for somebody who knows that person's {known or 'particulars'}.",
        figure(
            found.risk_picture,
            "Whoever looks like nobody else can be found for certain. The fewer people look alike, "
            "the higher the risk.",
        )
        if found.may.original
        else paragraph(f"The risk before is {found.may.not_told}."),
        figure(charts.class_sizes(found.class_sizes, found.k)),
        subsection(
            "The risk in numbers",
            paragraph(
                "The risk of a person is one divided by the number of people who look alike. Custodians of data use "
                "the thresholds below; which one is right depends on who gets the table."
            ),
            listing(("figure", "before", "after"), list(_risks(found)))
            if found.may.original
            else listing(("figure", "after"), [(title, after) for title, _, after in _risks(found)]),
        ),
        _sensitive(found),
    )


def _risks(found: ReportFacts) -> Iterator[tuple[str, str, str]]:
    before, after = found.risk.before, found.risk.after
    yield "people", f"{before.people:,}", f"{after.people:,}"
    yield "groups of people who look alike", f"{before.classes:,}", f"{after.classes:,}"
    yield "look like nobody else", f"{before.unique:,} ({percent(before.prosecutor.unique_share)})", _unique(found)
    yield "highest risk", _share(before.prosecutor.highest), _share(after.prosecutor.highest)
    yield "mean risk", _share(before.prosecutor.mean), _share(after.prosecutor.mean)
    for limit in before.prosecutor.above:
        title = f"risk above {limit:g} (fewer than {smallest_class(limit)} look alike)"
        yield title, percent(before.prosecutor.above[limit]), percent(after.prosecutor.above.get(limit, 0.0))


def _unique(found: ReportFacts) -> str:
    after = found.risk.after
    return f"{after.unique:,} ({percent(after.prosecutor.unique_share)})"


def _share(value: float | None) -> str:
    return "–" if value is None else percent(value)


def _sensitive(found: ReportFacts) -> Markup:
    achieved = found.verification.achieved.sensitive
    if not achieved:
        return subsection(
            "Sensitive values", paragraph("No column is declared sensitive, so nothing is promised about any.")
        )
    rows = [
        (
            named(name),
            one.distinct_l,
            _round(one.frequency_l),
            _round(one.entropy_l),
            _round(one.t),
            percent(found.risk.after.sensitive[name].certain) if name in found.risk.after.sensitive else "–",
        )
        for name, one in achieved.items()
    ]
    headers = (
        "column",
        "different values at least",
        "l (frequency)",
        "l (entropy)",
        "t",
        "people of whom it is certain",
    )
    return subsection(
        "Sensitive values",
        paragraph(
            "Finding somebody's group is enough where all in it have the same sensitive value. With l of 3, nobody is "
            "more than one third sure of a value; t says how far a group may differ from the whole table, 0 not at all."
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
