"""Page one of a report: what the person who signs has to know, as one structure that pages and screens read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from sfumato.release.report.concerns import Concern, certain_shares, concerns_of
from sfumato.release.report.facts import About, ReportFacts
from sfumato.release.report.parts import named, names, percent
from sfumato.release.report.released_rows import Example

#: How many columns are named that lost most.
MOST_LOST = 3

#: Why people are not counted where a file has several rows of a person.
NOBODYS_ROWS = "the file does not say which rows are one person's"

#: How many columns that outsiders may know are named.
MOST_KNOWN = 6


class State(StrEnum):
    """Whether a release may be signed.

    Green: every promise holds, and nothing stands in the way. Amber: no promise is broken, but somebody has to decide
    about something. Red: do not publish.
    """

    GREEN = "green"
    AMBER = "amber"
    RED = "red"


@dataclass(frozen=True)
class KeyFigure:
    """One number that matters: its value, its name, what it means, and whether it is a reason to look closer."""

    value: str
    name: str
    meaning: str
    alarming: bool = False


@dataclass(frozen=True)
class PageOne:
    """What the person who signs has to know.

    Attributes
    ----------
    subject, about
        What is released; its title, its recipient and its purpose.
    state, headline
        Whether it may be signed, and the same as a sentence.
    figures
        The numbers that matter most, in this order: the risk of being found, whose sensitive value is certain, who is
        unique over all released columns, rows, detail lost.
    safe, useful, rests_on
        What protects people, what is still in the table, and what all this rests on, in sentences.
    one_in
        How many people look alike at least, so that one of so many is found at worst; None if nobody is released.
    lost
        The columns that lost most, and the share that each lost.
    concerns
        Everything that remains, the gravest first; the open ones are the reasons for the state.
    example
        A few released rows; none of a release that must not be published.
    checked
        Of which file this was found, when, and by which program.
    """

    subject: str
    about: About
    state: State
    headline: str
    figures: tuple[KeyFigure, ...]
    safe: str
    useful: str
    rests_on: tuple[tuple[str, str], ...]
    one_in: int | None = None
    lost: tuple[tuple[str, float], ...] = ()
    concerns: tuple[Concern, ...] = field(default=(), repr=False)
    example: Example = field(default_factory=Example, repr=False)
    checked: str = ""

    @property
    def reasons(self) -> tuple[Concern, ...]:
        """What somebody has to decide about."""
        return tuple(one for one in self.concerns if one.open)


def page_one(found: ReportFacts) -> PageOne:
    """Judge a release from all that is known about it."""
    concerns = concerns_of(found)
    state = state_of(found, concerns)
    highest = found.risk.after.prosecutor.highest
    ranked = sorted(found.by_column.items(), key=lambda item: -item[1])
    return PageOne(
        subject=subject_of(found),
        about=found.about,
        state=state,
        headline=_headline(found, state, sum(one.open for one in concerns)),
        figures=tuple(_figures(found)),
        safe=_safe(found),
        useful=_useful(found),
        rests_on=tuple(_rests_on(found)),
        one_in=None if not highest or found.rows_only else round(1 / highest),
        lost=tuple((name, share) for name, share in ranked[:MOST_LOST] if share > 0),
        concerns=concerns,
        example=Example() if state is State.RED else found.example,
        checked=_checked(found),
    )


def state_of(found: ReportFacts, concerns: tuple[Concern, ...]) -> State:
    """Green only if every promise is proven and nothing is open; red if a promise is broken or there are no rows."""
    if found.verification.broken:
        return State.RED
    if not found.verification.ok or any(one.open for one in concerns):
        return State.AMBER
    return State.GREEN


def subject_of(found: ReportFacts) -> str:
    """What is released: a file by name, or some rows."""
    return named(found.file.name) if found.file is not None else f"a table of {found.verification.rows:,} rows"


def _headline(found: ReportFacts, state: State, decisions: int) -> str:
    verification = found.verification
    if not verification.rows:
        return "Do not publish: the table has no rows, so nothing was verified."
    if state is State.RED:
        broken = len(verification.violations)
        return f"Do not publish: {broken} {'promise is' if broken == 1 else 'promises are'} broken."
    holds = _promises_hold(found)
    if state is State.GREEN:
        return f"Nothing stands in the way: {holds}."
    needs = "1 thing needs a decision" if decisions == 1 else f"{decisions:,} things need a decision"
    return f"Check before signing: {holds}, {needs}."


def _promises_hold(found: ReportFacts) -> str:
    verification = found.verification
    if not verification.checks:
        return "no promise was asked for"
    if not verification.ok:
        return "no promise is broken, but this file alone does not prove all of them"
    return "the promise holds" if len(verification.checks) == 1 else "every promise holds"


# The figures that matter most


def _figures(found: ReportFacts) -> Iterator[KeyFigure]:
    highest = found.risk.after.prosecutor.highest
    if found.rows_only:
        yield KeyFigure("not counted", "is found at worst", NOBODYS_ROWS, alarming=True)
    else:
        yield _risk_figure(highest)
    yield _certain_figure(found)
    yield _unique_figure(found)
    came = f"of {found.rows_in:,} in the original" if found.may.losses else f"{found.may.few} were left out"
    yield KeyFigure(f"{found.verification.rows:,}", "rows are published", came)
    if "gcp" in found.losses:
        yield KeyFigure(percent(found.losses["gcp"]), "of the detail is lost", "0% is nothing, 100% is everything")


def _risk_figure(highest: float | None) -> KeyFigure:
    return KeyFigure(
        "–" if not highest else f"1 in {round(1 / highest):,}",
        "is found at worst",
        "by somebody who knows all that is taken for known",
        highest is not None and highest > 1 / 2,
    )


def _certain_figure(found: ReportFacts) -> KeyFigure:
    name = "have a sensitive value that is certain"
    sensitive = found.with_role("sensitive")
    if not sensitive:
        return KeyFigure("none", "is declared sensitive", "so nothing is promised about any value")
    if any(one not in found.risk.after.sensitive for one in sensitive):
        return KeyFigure("not looked at", name, "nobody counted them", alarming=True)
    shares = certain_shares(found)
    if not shares and found.rows_only:
        return KeyFigure("not counted", name, NOBODYS_ROWS, alarming=True)
    if not shares:
        return KeyFigure("0%", name, "no group shares a single value")
    worst = max(shares, key=lambda one: shares[one])
    people = found.risk.after.people
    value = percent(shares[worst]) if found.may.allows_released(shares[worst], people) else "some"
    meaning = f"once their group is found: {named(worst)}" + (" (rows are counted)" if found.rows_only else "")
    return KeyFigure(value, name, meaning, alarming=True)


def _unique_figure(found: ReportFacts) -> KeyFigure:
    unique, name = found.unique, "are unique over all columns"
    if unique is None:
        return KeyFigure("not looked at", name, "nobody counted them", alarming=True)
    shown = percent(unique.share) if found.may.allows_released(unique.share, unique.rows) else "some"
    meaning = f"of the rows, in all {unique.columns:,} published columns together"
    return KeyFigure(shown, name, meaning, alarming=unique.everywhere > 0)


# Sentences


def _safe(found: ReportFacts) -> str:
    after = found.risk.after.prosecutor
    known = names(found.quasi_identifiers, MOST_KNOWN) or "nothing of the table"
    if not after.highest or not after.mean:
        return "Nobody is in the table."
    if found.rows_only:
        return (
            "People have several rows, and this file does not say whose they are: nobody can count from it how many "
            "people look alike. The report that is written together with the release counts them."
        )
    at_worst, on_average = round(1 / after.highest), int(1 / after.mean + 1e-9)
    said = f"Somebody who knows a person's {known} finds that person "
    said += f"at worst 1 time in {at_worst:,}" if at_worst > 1 else "at worst for certain"
    said += f", on average 1 time in {on_average:,}." if on_average != at_worst else "."
    if found.may.original and found.risk.before.prosecutor.unique_share > 0:
        said += f" In the original, {percent(found.risk.before.prosecutor.unique_share)} could be found for certain."
    return said


def _useful(found: ReportFacts) -> str:
    if not found.may.losses:
        return f"What was lost is {found.may.not_told}."
    parts = list(_loss(found))
    gone = found.suppressed.get("total", 0)
    rows = f"{gone:,} of {found.rows_in:,} rows are left out" if gone else "no row is left out"
    return "; ".join([*parts, rows]).capitalize() + "."


def _loss(found: ReportFacts) -> Iterator[str]:
    if "gcp" in found.losses:
        least = f" (no release in such groups can lose less than {percent(float(found.bound))})" if found.bound else ""
        yield f"{percent(found.losses['gcp'])} of the detail is lost{least}"
    else:
        yield "how much detail is lost was not measured"
    if found.utility is not None and "query_error" in found.utility:
        yield f"counts are off by {percent(found.utility['query_error'].value)}"


def _rests_on(found: ReportFacts) -> Iterator[tuple[str, str]]:
    grounds = found.grounds
    for word, said in (("assumed", grounds.assumed), ("guessed", grounds.guessed), ("confirmed", grounds.confirmed)):
        if said:
            yield word, "; ".join(said)


def _checked(found: ReportFacts) -> str:
    by = f"sfumato {found.versions['sfumato']}" if "sfumato" in found.versions else "sfumato"
    of = "the rows in memory; no file was named" if found.file is None else f"SHA-256 {found.file.sha256}"
    return f"{of} · recounted {found.when:%d %B %Y}, from {found.grounds.source}, by {by}"
