"""Recompute what a released table promises, no matter who made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.assess.risk.people import numbered_people
from sfumato.io import FileSource, Source
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification


def check_source(
    source: Source,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    requirements: Sequence[Mapping[str, Any]],
    person: str | None = None,
) -> Verification:
    """Recompute every promise from a table; the verifier reads the bytes of a file by itself.

    ``person`` is the column that identifies the person; without it every row counts as a person.
    """
    people = None if person is None else numbered_people(source.read([person]), person)
    if isinstance(source, FileSource):
        from sfumato.verify.check_file import check_file  # noqa: PLC0415

        return check_file(
            source.path, source.form, quasi_identifiers, sensitive, requirements, source.separator, people
        )
    table = source.stored().read([*quasi_identifiers, *sensitive])
    return verify_release(table, quasi_identifiers, sensitive, requirements, people=people)
