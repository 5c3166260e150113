"""``sfumato profile``: what is in a table, and which role each column should have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from sfumato.cli import options
from sfumato.cli.screen import aligned, answer, answer_json, is_watched, paragraphs

if TYPE_CHECKING:
    from sfumato.cli.table import Input
    from sfumato.profiles import ColumnProfile, Profile

#: The options about reading a table.
READ = options.FILE | {"na"}

HEADER = ("column", "meant as", "values", "missing", "alone", "with 2 others", "suggested role", "")

Show = Annotated[int, typer.Option("--show", metavar="N", help="Also show the N most frequent values of every column.")]


@options.takes(only=READ)
def profile(
    place: options.Place,
    asked: options.Asked,
    table: options.Table = None,
    read_as: options.From = None,
    show: Show = 0,
    as_json: options.AsJson = False,
) -> None:
    """Describe each column of a table, how many people it singles out, and which role it should have; print no values.

    For example: sfumato profile patients.csv
    """
    from sfumato.cli.table import Input

    found = profile_of(Input(place, read_as, table), asked)
    if as_json:
        answer_json(found.to_dict(show))
    else:
        answer("\n".join(_lines(found, show)))


def profile_of(given: Input, asked: options.Asked) -> Profile:
    """Profile a table, read as the options say."""
    from sfumato.api.profile import profile as profile_table
    from sfumato.cli.table import file_options, missing_codes, print_remarks
    from sfumato.io import open_source

    source = open_source(given.open(asked), **vars(file_options(asked)))
    found = profile_table(source, na=missing_codes(asked.na or ()), progress=is_watched())
    print_remarks(source)
    return found


def _lines(found: Profile, show: int) -> Iterator[str]:
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
    from sfumato.assess.cautions.caution import percent

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
    """Say why a role is suggested, and how many values of the column count as missing."""
    codes = len(one.facts.missing_codes)
    also = f"; {codes} {'value that means' if codes == 1 else 'values that mean'} 'no value'" if codes else ""
    detail = one.meaning.detail
    exactly = f" ({detail})" if detail and detail not in one.suggestion.reason else ""
    return one.suggestion.reason + exactly + also
