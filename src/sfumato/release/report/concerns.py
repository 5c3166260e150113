"""Everything that remains to be considered before a release is signed, as one list, the gravest first.

Cautions, limits of the threat model, what was guessed, what was not looked at and what could not be proven are
concerns alike. An open one stands in the way of a green page until somebody decides about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sfumato.assess.cautions import Caution
from sfumato.assess.cautions.caution import SEVERITIES
from sfumato.release.report.caution_words import in_words
from sfumato.release.report.facts import ReportFacts
from sfumato.release.report.limits import HOMOGENEITY, Limit, limits_of
from sfumato.release.report.parts import percent, quoted
from sfumato.release.report.released_rows import UniqueRows


@dataclass(frozen=True)
class Concern:
    """Something to consider before signing.

    Attributes
    ----------
    key
        What it is: the code of a caution, the entry of the threat model, or ``certain``, ``unique``, ``guessed`` …
    title, found, helps
        What it is called, what was found, and what helps, in words that need no program.
    severity
        ``"error"``, ``"warning"`` or ``"note"``.
    open
        Whether somebody has to decide about it before the release is signed.
    share
        The share of people or rows that it concerns, where it was counted.
    confirmed
        Whether the owner confirmed it when the release was made.
    """

    key: str
    title: str
    found: str
    helps: str
    severity: str = "note"
    open: bool = False
    share: float | None = None
    confirmed: bool = False

    @property
    def rank(self) -> tuple[bool, int, float]:
        """The place in the list: what is open first, by severity, then by how many people it concerns."""
        return not self.open, SEVERITIES.index(self.severity), -(self.share or 0.0)


def concerns_of(found: ReportFacts) -> tuple[Concern, ...]:
    """Everything to consider about a release, the gravest first."""
    exposed = [*_unproven(found), *_certain(found), *_unique(found), *_not_looked_at(found), *_guessed(found)]
    limits = [_limit(one) for one in limits_of(found) if one.entry != HOMOGENEITY]
    return tuple(sorted([*exposed, *_cautions(found), *limits], key=lambda one: one.rank))


def _unproven(found: ReportFacts) -> Iterator[Concern]:
    """What is broken, what the verifier could not prove, and what holds and yet protects nobody."""
    verification = found.verification
    for check in verification.violations:
        yield Concern(
            "broken",
            "A broken promise",
            f"{check}.",
            "Do not publish this table; have it made again.",
            "error",
            open=True,
            share=1.0,
        )
    if not verification.checks:
        yield Concern(
            "nothing-promised",
            "Nothing was promised",
            "No promise to the people in the table was asked for, so none was checked.",
            "Have a promise made: how many people have to look alike at least.",
            "error",
            open=True,
        )
    for caveat in verification.caveats:
        yield Concern(
            "empty-promise",
            "A promise that protects nobody",
            caveat,
            "Have the table made with a larger k.",
            "error",
            open=True,
        )
    for one in verification.not_checkable:
        yield Concern(
            "not-checkable",
            "A promise that this file alone does not prove",
            f"Not checkable from this file: {one}.",
            "Sign the report that was written together with the release, which counted with what this file lacks "
            "(sfumato anonymize --report FILE).",
            "warning",
            open=True,
        )


def certain_shares(found: ReportFacts) -> dict[str, float]:
    """The share of people whose value is certain, of every sensitive column where there are any."""
    return {name: one.certain for name, one in found.risk.after.sensitive.items() if one.certain > 0}


def _certain(found: ReportFacts) -> Iterator[Concern]:
    """Sensitive values that are certain for some people, by column."""
    for limit in limits_of(found):
        if limit.entry == HOMOGENEITY:
            yield Concern(
                "certain",
                limit.title,
                limit.found,
                limit.remedy,
                "warning",
                open=True,
                share=limit.share,
            )


def _unique(found: ReportFacts) -> Iterator[Concern]:
    """Rows that nobody shares, over all released columns."""
    unique = found.unique
    if unique is None or not unique.everywhere:
        return
    countable = found.may.allows_released(unique.share, unique.rows)
    many = f"{unique.everywhere:,} of {unique.rows:,} rows ({percent(unique.share)})" if countable else "Some rows"
    verb = "is" if countable and unique.everywhere == 1 else "are"
    known, helps = _known(found, unique)
    yield Concern(
        "unique",
        "Rows that are unique over all columns",
        f"{many} {verb} unique over all {unique.columns:,} published columns{known}.",
        helps,
        "warning",
        open=True,
        share=unique.share,
    )


def _known(found: ReportFacts, unique: UniqueRows) -> tuple[str, str]:
    """How many are unique even without the sensitive columns, and what helps."""
    go_through = "Leave out, or have protected, what an outsider might know of the columns published unchanged."
    if not found.with_role("sensitive"):
        return "", go_through
    if not unique.without_sensitive:
        return (
            ", but nobody is without the sensitive ones",
            "If an outsider might know a sensitive value, have such values rounded or grouped first.",
        )
    if not found.may.allows_released(unique.without_sensitive / unique.rows, unique.rows):
        return ", some of them even without the sensitive ones", go_through
    return f", {unique.without_sensitive:,} even without the sensitive ones", go_through


def _not_looked_at(found: ReportFacts) -> Iterator[Concern]:
    """What nobody looked at, so that nobody knows whether it is there."""
    if found.unique is None:
        yield Concern(
            "unique-unknown",
            "Nobody counted who is unique over all columns",
            "How many rows are unique over all published columns was not looked at.",
            "Have the released file checked where it fits in memory.",
            "warning",
            open=True,
        )
    unknown = [name for name in found.with_role("sensitive") if name not in found.risk.after.sensitive]
    if unknown:
        yield Concern(
            "certain-unknown",
            "Nobody counted whose sensitive value is certain",
            "For how many people a sensitive value is certain was not looked at.",
            "Have the released file checked where it fits in memory.",
            "warning",
            open=True,
        )
    if found.not_looked_at:
        yield Concern(
            "cautions-unknown",
            "Not everything was looked at that careful people overlook",
            f"{len(found.not_looked_at):,} kinds of caution could not be looked for here.",
            "Sign the report that was written together with the release, from rows in memory.",
            "warning",
            open=True,
        )


def _guessed(found: ReportFacts) -> Iterator[Concern]:
    if found.grounds.guessed:
        yield Concern(
            "guessed",
            "Something was guessed",
            f"The program guessed {'; '.join(found.grounds.guessed)}. Nobody declared it.",
            "Have somebody who knows the columns look at how they are shown, and declare it.",
            "note",
            open=True,
        )


def _cautions(found: ReportFacts) -> Iterator[Concern]:
    """The cautions, those of one kind together; what was counted from the released rows is not said twice."""
    if found.may.private:
        yield Concern(
            "cautions-withheld",
            "What the program cautions about",
            "Whether there is anything to caution about depends on the original, so this page does not say it.",
            "Ask the owner of the table whether its record (manifest) has cautions.",
            open=True,
        )
    kinds: dict[tuple[str, str, bool], list[Caution]] = {}
    for one in found.cautions:
        if not _is_counted(one, found):
            kinds.setdefault((one.code, one.severity, one.confirmed), []).append(one)
    for (code, severity, confirmed), cautions in kinds.items():
        words = in_words(code, cautions[0].advice)
        shares = [share for one in cautions if (share := _concerned(one, found)) is not None]
        yield Concern(
            code,
            words.title,
            f"{cautions[0].found}{_others(cautions[1:])}",
            words.helps,
            severity,
            open=not confirmed,
            share=max(shares, default=None),
            confirmed=confirmed,
        )


def _is_counted(caution: Caution, found: ReportFacts) -> bool:
    """Whether the same was counted from the released rows: who is certain, and who is unique."""
    if caution.code == "unique-rows":
        return found.unique is not None and found.unique.everywhere > 0
    return caution.code == "sensitive-unprotected" and set(caution.columns) <= certain_shares(found).keys()


def _others(cautions: Sequence[Caution]) -> str:
    """Name the other columns of which the same was found."""
    columns = list(dict.fromkeys(name for one in cautions for name in one.columns))
    return f" The same kind was found of {quoted(columns)}." if columns else ""


#: The cautions whose count is one of rows.
BY_ROWS = ("near-unique", "unique-rows", "missing-codes", "numbers-as-text", "tells-hidden", "minimizes-label")


def _concerned(caution: Caution, found: ReportFacts) -> float | None:
    """The share of rows that a caution concerns, where its count is one of rows that may be reported."""
    if caution.code not in BY_ROWS or not found.may.original or not found.rows_in:
        return None
    return min(1.0, caution.count / found.rows_in)


def _limit(limit: Limit) -> Concern:
    severity = "warning" if limit.open else "note"
    return Concern(limit.entry, limit.title, limit.found, limit.remedy, severity, open=limit.open, share=limit.share)
