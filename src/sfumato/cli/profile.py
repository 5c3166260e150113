"""``sfumato profile``: what is in a table, in words or for a program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sfumato.api.profile import profile
from sfumato.assess.cautions.caution import percent
from sfumato.cli.options import Asked
from sfumato.cli.request import file_options, given_table, missing_codes
from sfumato.cli.screen import aligned, answer, answer_json, is_watched, paragraphs
from sfumato.common.progress import ProgressOption
from sfumato.io import Source
from sfumato.profiles import ColumnProfile, Profile

HEADER = ("column", "meant as", "values", "missing", "alone", "with 2 others", "suggested role", "")


def show_profile(asked: Asked, place: str, table: str | None, read_as: str | None, show: int, as_json: bool) -> None:
    """Answer with the profile of a table."""
    found = profile_of(asked, given_table(place, asked, read_as, table), progress=is_watched())
    if as_json:
        answer_json(found.to_dict(show))
    else:
        answer("\n".join(_shown(found, show)))


def profile_of(asked: Asked, data: Path | Source, progress: ProgressOption = False) -> Profile:
    """Profile a table as the options say that it is to be read."""
    return profile(
        data,
        na=missing_codes(asked.na or ()),
        progress=progress,
        **vars(file_options(asked)),
    )


def _shown(found: Profile, show: int) -> Iterator[str]:
    yield f"{found.rows:,} rows, {len(found.columns)} columns\n"
    yield aligned(HEADER, [_row(one, found.rows) for one in found.columns])
    yield "\nWhy:"
    yield aligned(("", "", ""), [["", one.name, reason(one)] for one in found.columns]).lstrip("\n")
    if show:
        yield "\nThe most frequent values:"
        yield aligned(("", "", ""), [["", one.name, ", ".join(one.shown(show))] for one in found.columns]).lstrip("\n")
    yield ""
    yield paragraphs("\n".join(found.findings()))


def _row(one: ColumnProfile, rows: int) -> list[str]:
    facts = one.facts
    return [
        one.name,
        one.kind,
        f"{facts.different:,}",
        percent(facts.missing, rows) if facts.missing else "",
        percent(facts.unique, rows) if facts.unique else "",
        percent(one.with_others, 1) if one.with_others else "",
        one.role,
        "" if one.suggestion.certainty == "sure" else one.suggestion.certainty,
    ]


def reason(one: ColumnProfile) -> str:
    """Return why a role is suggested, and what in the column counts as missing."""
    codes = len(one.facts.missing_codes)
    also = f"; {codes} {'value that means' if codes == 1 else 'values that mean'} 'no value'" if codes else ""
    detail = one.meaning.detail
    exactly = f" ({detail})" if detail and detail not in one.suggestion.reason else ""
    return one.suggestion.reason + exactly + also
