"""What it does not protect against: the limits of the threat model that apply to this release."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sfumato.common.html import Content, Markup, element, joined
from sfumato.release.report.facts import ReportFacts
from sfumato.release.report.parts import percent, quoted, section, sentence

#: A table of fewer people counts as small.
SMALL = 300

#: The most cautions that are listed one by one.
MOST_CAUTIONS = 20

#: The kinds that a sensitive column of numbers is read as.
NUMBERS = ("number", "numeric", "integer", "decimal")


class Limit(NamedTuple):
    """One limit: its entry in the threat model, what was found here, the remedy, and its title in the report."""

    entry: str
    found: str
    remedy: str
    title: str | None = None


Look = Callable[[ReportFacts], Iterator[Limit]]
LOOKS: list[Look] = []


def looks(function: Look) -> Look:
    """Register a function that looks for a limit."""
    LOOKS.append(function)
    return function


def section_limits(found: ReportFacts) -> Markup:
    """The limits that apply and the cautions, each with what to do."""
    limits = [limit for look in LOOKS for limit in look(found)]
    return section(
        "limits",
        "What it does not protect against",
        "No table of rows is safe against everything: what applies to this very table, and what helps against it.",
        *(_block(one.title or one.entry, one.found, one.remedy) for one in limits),
        _cautions(found),
    )


def _block(title: str, found: str, remedy: str) -> Markup:
    helps = element("p", element("strong", "What helps: "), sentence(remedy))
    return element("div", element("h3", title), element("p", sentence(found)), helps, class_="limit")


def _cautions(found: ReportFacts) -> Content:
    """The cautions, the most serious first."""
    blocks = [
        _block(f"Caution: {one.code}" + (" (known and confirmed)" if one.confirmed else ""), one.found, one.advice)
        for one in found.cautions[:MOST_CAUTIONS]
    ]
    left = len(found.cautions) - MOST_CAUTIONS
    more = element("p", f"and {left:,} more cautions, which stand in the manifest", class_="note") if left > 0 else None
    return joined(*blocks, more)


@looks
def plain_columns(found: ReportFacts) -> Iterator[Limit]:
    """Look for columns that are published as they are."""
    plain = found.with_role("plain")
    if plain:
        yield Limit(
            "The attacker",
            f"{quoted(plain)} {'is' if len(plain) == 1 else 'are'} published unchanged. If anybody could know such a "
            "value about a person, it narrows the person's group down, and no k makes up for that.",
            "Declare as a quasi-identifier whatever somebody might know, or drop it.",
            "Plain columns",
        )


@looks
def homogeneity(found: ReportFacts) -> Iterator[Limit]:
    """Look for groups in which all people share one sensitive value."""
    for name, risk in found.risk.after.sensitive.items():
        if risk.certain > 0:
            yield Limit(
                "Homogeneity",
                f"{percent(risk.certain)} of the people are in groups in which everybody has the same "
                f"{quoted([name])}: to find the group is to know it.",
                "Ask for l-diversity or t-closeness of this column.",
            )


@looks
def background(found: ReportFacts) -> Iterator[Limit]:
    """Look at how certain an attacker becomes by ruling values out."""
    values = found.verification.l
    if values is not None and found.promised("l-diversity"):
        ruled_out = min(1.0, 1 / max(1.0, values - 1))
        yield Limit(
            "Background knowledge",
            f"From the table alone nobody is more than {percent(1 / values)} sure of a sensitive value. Whoever can "
            f"rule out one value may be up to {percent(ruled_out)} sure, and more with every further one.",
            "Choose a larger l than the certainty that you can accept, or recursive l-diversity.",
        )


@looks
def skewness(found: ReportFacts) -> Iterator[Limit]:
    """Look for sensitive columns whose spread in a group is not limited."""
    guarded = {promise.get("column") for promise in found.promised("t-closeness")}
    for name, one in found.verification.achieved.sensitive.items():
        if one.t is not None and one.t > 0 and None not in guarded and name not in guarded:
            yield Limit(
                "Skewness",
                f"No limit is set on how far a group's {quoted([name])} may differ from the whole table's; the largest "
                f"distance is {one.t:.2f} (0 is none, 1 is all).",
                "Ask for t-closeness where the rarity of a value is what makes it sensitive.",
            )


@looks
def similarity(found: ReportFacts) -> Iterator[Limit]:
    """Look for categories that count as different and may mean nearly the same."""
    apart = [promise for promise in found.promised("t-closeness") if promise.get("distance") == "hierarchical"]
    kinds = [name for name in found.with_role("sensitive") if not found.kinds.get(name, "").startswith(NUMBERS)]
    if kinds and found.promised("l-diversity") and not apart:
        yield Limit(
            "Similarity",
            f"Different values of {quoted(kinds)} count as different even where they mean nearly the same, as three "
            "diseases of the stomach do.",
            "Group the values before, or use t-closeness with a taxonomy in which related values stand together.",
        )


@looks
def numeric_sensitive(found: ReportFacts) -> Iterator[Limit]:
    """Look for exact amounts, which may be distinct and yet close to each other."""
    amounts = [name for name in found.with_role("sensitive") if found.kinds.get(name, "").startswith(NUMBERS)]
    if amounts:
        yield Limit(
            "Numeric sensitive values",
            f"{quoted(amounts)} {'is' if len(amounts) == 1 else 'are'} published as exact numbers. Values may count as "
            "different and yet tell nearly the same, and an unusual one may identify by itself.",
            "Put amounts into bands first and cut off the extremes, or use t-closeness with the ordered distance.",
        )


@looks
def outliers(found: ReportFacts) -> Iterator[Limit]:
    """Look for ends of intervals that are one person's own value."""
    rows = found.singling_out.get("rows", 0)
    if rows:
        yield Limit(
            "Outliers",
            f"In {percent(found.singling_out.get('share', 0.0))} of the groups that show an interval, exactly one "
            "person has the value at an end, so that this value can be read off.",
            'Declare widths or levels, or use ends="grid", so that intervals end at round numbers that are nobody\'s.',
        )


@looks
def minimality(found: ReportFacts) -> Iterator[Limit]:
    """Check whether groups depend on sensitive values, which leaves traces of them."""
    if found.promised("l-diversity", "t-closeness", "beta-likeness", "delta-disclosure"):
        yield Limit(
            "Attacks on minimality",
            "The groups were made with an eye on the sensitive values. Whoever knows the method can sometimes conclude "
            "from a group that is larger than needed why it was left whole.",
            "Ask for a larger l than you need, or make groups by k alone and raise k until the l is there by itself.",
        )


@looks
def teaching(found: ReportFacts) -> Iterator[Limit]:
    """Check whether the table can be learned from to predict sensitive values."""
    if found.with_role("sensitive"):
        yield Limit(
            "What the classes teach together",
            "Whoever learns from the whole table how people and sensitive values go together can guess better than "
            "from one group, also about people who are not in it.",
            "If what can be learnt about a group of people does harm, do not publish the column.",
        )


@looks
def totals(found: ReportFacts) -> Iterator[Limit]:
    """Check whether rows were suppressed, which published totals may reveal."""
    total = found.suppressed.get("total", 0)
    if total:
        many = f"{total:,}" if found.may.losses else found.may.few.capitalize()
        yield Limit(
            "Published totals",
            f"{many} rows are left out. Whoever knows the true totals from elsewhere can tell what those rows held.",
            "Compare with what is public already, and allow less suppression.",
        )


@looks
def order(found: ReportFacts) -> Iterator[Limit]:
    """Check whether the rows are in the order of the original."""
    if found.keeps_order:
        yield Limit(
            "The order of rows",
            "The rows stand in the order of the original. Whoever knows that order knows whose row is whose.",
            "Leave keep_order out: rows are then put in random order.",
        )


@looks
def small(found: ReportFacts) -> Iterator[Limit]:
    """Check whether the table is small."""
    people = found.risk.after.people
    if people < SMALL:
        yield Limit(
            "Small tables",
            f"The table has {people:,} people. In a small table groups are wide, and everybody may know who is in it.",
            "Prefer a larger k, fewer quasi-identifiers, or a table of counts instead of rows.",
        )


@looks
def rows_per_person(found: ReportFacts) -> Iterator[Limit]:
    """Check whether rows were counted instead of people."""
    if not found.with_role("person"):
        yield Limit(
            "Several rows for one person",
            "Every row was counted as a person of its own. Where somebody has several rows, a group may hold fewer "
            "people than promised.",
            "Say whose row it is with person=, if people can have several.",
        )


@looks
def again(found: ReportFacts) -> Iterator[Limit]:
    """Name the limit of every release: further releases about the same people can undo it."""
    yield Limit(
        "Several releases of one table",
        "The promises hold for this table alone. A second release of the same people, by whomever, can undo them.",
        "Publish one release of a table; make coarser versions from the release, not from the original.",
    )


@looks
def membership(found: ReportFacts) -> Iterator[Limit]:
    """Check whether anything limits what the release tells about who is in the table."""
    if not found.promised("delta-presence"):
        yield Limit(
            "Who is in the table",
            "No promise here limits how sure somebody can be that a person is in the table at all.",
            "Ask for delta-presence against the population that the table was drawn from, or publish a sample.",
        )
