"""The limits of the threat model that apply to a release, each found by looking at its facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sfumato.release.report.facts import ReportFacts
from sfumato.release.report.parts import percent, quoted

#: A table of fewer people counts as small.
SMALL = 300

#: The kinds that a sensitive column of numbers is read as.
NUMBERS = ("number", "numeric", "integer", "decimal")

#: The entry about groups that share one sensitive value.
HOMOGENEITY = "Homogeneity"


#: The entries of the threat model as a board reads them.
TITLES = {
    "The attacker": "Columns that are published unchanged",
    "Homogeneity": "Sensitive values that are certain",
    "Background knowledge": "Somebody who can rule values out",
    "Skewness": "Groups that differ from the whole table",
    "Similarity": "Values that differ and mean nearly the same",
    "Numeric sensitive values": "Exact amounts",
    "Outliers": "Ends of intervals that are somebody's own value",
    "Attacks on minimality": "Somebody who knows how the groups were made",
    "What the classes teach together": "Guesses learned from the whole table",
    "Published totals": "Totals that are known from elsewhere",
    "The order of rows": "Rows in their original order",
    "Small tables": "A small table",
    "Several rows for one person": "Rows are counted, not people",
    "Several releases of one table": "A second release of the same people",
    "Who is in the table": "Whether somebody is in the table",
}


class Limit(NamedTuple):
    """One limit of what a release protects against.

    Attributes
    ----------
    entry
        Its entry in the threat model.
    found
        What was found here.
    remedy
        What helps, in words that need no program.
    open
        Whether it exposes people of this very table, so that somebody has to decide; the others hold for all tables.
    share
        The share of people that it concerns, where it was counted.
    """

    entry: str
    found: str
    remedy: str
    open: bool = False
    share: float | None = None

    @property
    def title(self) -> str:
        """Its title in the report."""
        return TITLES.get(self.entry, self.entry)


Look = Callable[[ReportFacts], Iterator[Limit]]
LOOKS: list[Look] = []


def looks(function: Look) -> Look:
    """Register a function that looks for a limit."""
    LOOKS.append(function)
    return function


def limits_of(found: ReportFacts) -> list[Limit]:
    """Every limit that applies to a release."""
    return [limit for look in LOOKS for limit in look(found)]


@looks
def plain_columns(found: ReportFacts) -> Iterator[Limit]:
    """Look for columns that are published as they are."""
    plain = found.with_role("plain")
    if plain:
        yield Limit(
            "The attacker",
            f"{quoted(plain)} {'is' if len(plain) == 1 else 'are'} published unchanged. If anybody could know such a "
            "value about a person, it narrows the person's group down, and no k makes up for that.",
            "Go through these columns: what an outsider might know has to be protected too, or left out.",
        )


@looks
def homogeneity(found: ReportFacts) -> Iterator[Limit]:
    """Look for groups in which all people share one sensitive value."""
    for name, risk in found.risk.after.sensitive.items():
        if risk.certain > 0:
            yield Limit(
                HOMOGENEITY,
                f"{percent(risk.certain)} of the {'rows' if found.rows_only else 'people'} are in groups in which "
                f"everybody has the same {quoted([name])}: to find the group is to know it.",
                "Have the table made again with a promise about this column (l-diversity or t-closeness), or leave the "
                "column out.",
                open=True,
                share=risk.certain,
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
            "Have the table made with a larger l, so that several values can be ruled out before one is likely.",
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
                "Where the rarity of a value is what makes it sensitive, have t-closeness promised too.",
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
    exact = [name for name in found.with_role("sensitive") if name not in found.changed]
    amounts = [name for name in exact if found.kinds.get(name, "").startswith(NUMBERS)]
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
            "Have intervals end at round numbers that are nobody's own.",
            open=True,
            share=_at_an_end(found),
        )


def _at_an_end(found: ReportFacts) -> float | None:
    """The share of people who are alone at an end: at least one in every such group."""
    groups = found.singling_out.get("classes_with_intervals")
    if not groups:
        return None
    return min(1.0, found.singling_out.get("share", 0.0) * groups / max(1, found.verification.rows))


@looks
def minimality(found: ReportFacts) -> Iterator[Limit]:
    """Check whether groups depend on sensitive values, which leaves traces of them."""
    if found.promised("l-diversity", "t-closeness", "beta-likeness", "delta-disclosure"):
        yield Limit(
            "Attacks on minimality",
            "The groups were made with an eye on the sensitive values. Whoever knows the method can sometimes conclude "
            "from a group that is larger than needed why it was left whole.",
            "Have a larger l promised than you need, or larger groups.",
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
    if found.suppressed.get("total", 0) and not found.may.private:
        yield Limit(
            "Published totals",
            f"{left_out(found)} rows are left out. Whoever knows the true totals from elsewhere can tell what those "
            "rows held.",
            "Compare with what is public already, and allow less suppression.",
        )


def left_out(found: ReportFacts) -> str:
    """How many rows are not released, at the beginning of a sentence."""
    if found.may.losses:
        return f"{found.suppressed.get('total', 0):,}"
    return f"{found.may.few.capitalize()} of" if found.may.private else found.may.few.capitalize()


@looks
def order(found: ReportFacts) -> Iterator[Limit]:
    """Check whether the rows are in the order of the original."""
    if found.keeps_order:
        yield Limit(
            "The order of rows",
            "The rows stand in the order of the original. Whoever knows that order knows whose row is whose.",
            "Have the rows put in random order.",
            open=True,
            share=1.0,
        )


@looks
def small(found: ReportFacts) -> Iterator[Limit]:
    """Check whether the table is small."""
    people = (found.risk.before if found.rows_only else found.risk.after).people
    if people < SMALL:
        yield Limit(
            "Small tables",
            f"The table has {people:,} people. In a small table groups are wide, and everybody may know who is in it.",
            "Prefer larger groups, fewer columns, or a table of counts instead of rows.",
        )


@looks
def rows_per_person(found: ReportFacts) -> Iterator[Limit]:
    """Check whether rows were counted instead of people."""
    if not found.with_role("person"):
        yield Limit(
            "Several rows for one person",
            "Every row was counted as a person of its own. Where somebody has several rows, a group may hold fewer "
            "people than promised.",
            "Ask whether people can have several rows; if so, have people counted instead of rows.",
        )


@looks
def again(found: ReportFacts) -> Iterator[Limit]:
    """Name the limit of every release: further releases about the same people can undo it."""
    if found.may.private:
        yield Limit(
            "Several releases of one table",
            "The parameters of several releases of the same people add up: two of them promise half as much.",
            "Publish one release of a table; make coarser versions from the release, not from the original.",
        )
        return
    yield Limit(
        "Several releases of one table",
        "The promises hold for this table alone. A second release of the same people, by whomever, can undo them.",
        "Publish one release of a table; make coarser versions from the release, not from the original.",
    )


@looks
def membership(found: ReportFacts) -> Iterator[Limit]:
    """Check whether anything limits what the release tells about who is in the table."""
    if not found.promised("delta-presence", "differential-privacy"):
        yield Limit(
            "Who is in the table",
            "No promise here limits how sure somebody can be that a person is in the table at all.",
            "If being in the table is a secret in itself, have that promised too (delta-presence), or "
            "publish a sample.",
        )
