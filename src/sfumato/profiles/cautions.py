"""Cautions about a profile: what would fail later, found before a policy is written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sfumato.assess.cautions.caution import Caution, quoted, share
from sfumato.assess.cautions.missing_codes import look_wrong
from sfumato.assess.cautions.view import ViewedColumn
from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.assess.meaning.meaning import Meaning
from sfumato.profiles.combinations import singling
from sfumato.profiles.roles import suggest_person

#: Fewer rows leave little to hide among.
FEW_ROWS = 300
#: More categories without groups only leave '*' to most rows.
MANY_CATEGORIES = 1_000
#: More different amounts are practically unique together with other columns.
MANY_AMOUNTS = 50
#: More quasi-identifiers leave little of each.
MANY_QUASI_IDENTIFIERS = 12
#: The share of rows that plain columns may single out before it is worth a warning.
TELLING = 0.01

Counted = tuple[ColumnCounts, Meaning]


def cautions_of(columns: Sequence[Counted], roles: Mapping[str, str]) -> tuple[Caution, ...]:
    """Find what would fail later if columns have these roles."""
    looks = (_few_rows, _look_wrong, _several_rows, _plain, _amounts, _categories, _quasi_identifiers)
    return tuple(caution for look in looks for caution in look(columns, roles))


def _of(columns: Sequence[Counted], roles: Mapping[str, str], *wanted: str) -> list[Counted]:
    return [one for one in columns if roles[one[0].name] in wanted]


def _few_rows(columns: Sequence[Counted], roles: Mapping[str, str]) -> Iterator[Caution]:
    rows = columns[0][0].rows if columns else 0
    if rows < FEW_ROWS:
        yield Caution(
            "few-rows",
            "warning",
            (),
            rows,
            f"The table has {rows:,} rows, so that groups of people who look alike have to be wide.",
            "Ask for a small k, take few quasi-identifiers, or publish counts instead of rows.",
        )


def _look_wrong(columns: Sequence[Counted], roles: Mapping[str, str]) -> Iterator[Caution]:
    """Find values that look wrong: impossible ages, several words or spellings of one thing."""
    for facts, _ in _of(columns, roles, "quasi-identifier", "sensitive", "plain"):
        counted = np.append(facts.counts, facts.missing)
        yield from look_wrong(ViewedColumn(facts.name, roles[facts.name], facts.values, counted=counted), facts.rows)


def _several_rows(columns: Sequence[Counted], roles: Mapping[str, str]) -> Iterator[Caution]:
    """Find identifiers of people that repeat, though no column is declared as the person."""
    if "person" in roles.values():
        return
    found = suggest_person((facts, meaning, roles[facts.name]) for facts, meaning in columns)
    if found is not None:
        yield Caution(
            "several-rows-per-person",
            "warning",
            (found.name,),
            found.people,
            f"{quoted(found.name)} repeats: {found.rows:,} rows seem to belong to {found.people:,} people "
            f"({found.reason}), so that k rows are fewer than k people.",
            f"Declare it as the person: person = {found.name!r}.",
        )


def _plain(columns: Sequence[Counted], roles: Mapping[str, str]) -> Iterator[Caution]:
    """Find plain columns that single people out, one by one or all together."""
    plain = [facts for facts, _ in _of(columns, roles, "plain") if facts.different > 1]
    alone = [facts for facts in plain if facts.unique >= TELLING * facts.rows]
    for facts in alone:
        yield Caution(
            "plain-identifies",
            "warning",
            (facts.name,),
            facts.unique,
            f"The plain column {quoted(facts.name)} is released as it is, and {share(facts.unique, facts.rows)} rows "
            "are alone with their value.",
            "Declare it as a quasi-identifier, or as an identifier to leave it out.",
        )
    if len(plain) > 1 and not alone:
        together = singling(plain)
        if together.share >= TELLING:
            yield Caution(
                "plain-identifies",
                "warning",
                together.columns,
                together.unique,
                f"Together the {len(plain)} plain columns leave {share(together.unique, plain[0].rows)} rows alone.",
                "Declare what others may know of them as quasi-identifiers.",
            )


def _amounts(columns: Sequence[Counted], roles: Mapping[str, str]) -> Iterator[Caution]:
    found = [
        facts
        for facts, meaning in _of(columns, roles, "sensitive")
        if meaning.kind in {"amount", "number"} and facts.different > MANY_AMOUNTS
    ]
    if found:
        names = tuple(facts.name for facts in found)
        what = (
            f"{quoted(names[0])} holds exact amounts"
            if len(found) == 1
            else f"{len(found)} sensitive columns hold exact amounts"
        )
        yield Caution(
            "amount-without-bands",
            "warning",
            names,
            max(facts.different for facts in found),
            f"{what}: whoever knows one finds its row, and l-diversity takes 1,000 and 1,001 for two different values.",
            "Round them or put them into bands (transform, such as round:500), or ask for t-closeness.",
        )


def _categories(columns: Sequence[Counted], roles: Mapping[str, str]) -> Iterator[Caution]:
    for facts, meaning in _of(columns, roles, "quasi-identifier"):
        if meaning.kind == "category" and facts.different > MANY_CATEGORIES:
            yield Caution(
                "many-categories",
                "warning",
                (facts.name,),
                facts.different,
                f"{quoted(facts.name)} has {facts.different:,} categories and nothing between one of them and '*'.",
                "Give it a hierarchy that groups them, make it an identifier, or leave it out.",
            )


def _quasi_identifiers(columns: Sequence[Counted], roles: Mapping[str, str]) -> Iterator[Caution]:
    found = _of(columns, roles, "quasi-identifier")
    if len(found) > MANY_QUASI_IDENTIFIERS:
        yield Caution(
            "many-quasi-identifiers",
            "warning",
            (),
            len(found),
            f"{len(found)} quasi-identifiers leave little of each.",
            "Ask of each whether somebody outside can know it; what nobody can know may be sensitive or left out.",
        )
    elif not found:
        yield Caution(
            "no-quasi-identifier",
            "warning",
            (),
            0,
            "No column is a quasi-identifier, so that nothing can be protected by looking alike.",
            "Name the columns that somebody outside may know.",
        )
