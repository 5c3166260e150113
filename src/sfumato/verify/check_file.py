"""Verification of a file in any format, from its bytes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.errors import listed
from sfumato.verify.classes import code_column
from sfumato.verify.engine_check import verify_grouped
from sfumato.verify.engine_groups import GroupingEngine, grouped_columns
from sfumato.verify.interpretations import BY_EYE, INTERPRETATIONS, Interpretation, seen_through, words_for_missing
from sfumato.verify.meanings import written_differently
from sfumato.verify.reading import TYPED, read_file
from sfumato.verify.release import check_columns, verify_release
from sfumato.verify.verification import RuleCheck, Verification


def check_file(
    path: Path,
    form: str,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    requirements: Sequence[Mapping[str, Any]] = (),
    separator: str = ",",
    people: NDArray[np.int64] | None = None,
) -> Verification:
    """Recompute every promise from a file, as it is written and as common programs interpret it.

    Parameters
    ----------
    path, form, separator
        As in `read_file`.
    quasi_identifiers, sensitive, requirements, people
        As in `verify_release`.
    """
    table = read_file(path, form, [*quasi_identifiers, *sensitive], separator)
    result = verify_release(table, quasi_identifiers, sensitive, requirements, people=people)
    checks = list(result.checks)
    for reading in INTERPRETATIONS.get(form, ()):
        seen, merged = seen_through(reading, table)
        if merged:
            found = verify_release(seen, quasi_identifiers, sensitive, requirements, people=people)
            checks += only_there(reading, found, result)
    notes = notes_on(table, form)
    seen, merged = seen_through(BY_EYE, table)
    if merged:
        notes += notes_by_eye(
            verify_release(seen, quasi_identifiers, sensitive, requirements, people=people), result, merged
        )
    return replace(result, checks=tuple(checks), notes=tuple(notes))


def check_grouped(
    engine: GroupingEngine,
    form: str,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    requirements: Sequence[Mapping[str, Any]] = (),
) -> Verification:
    """Recompute every promise as `check_file` does, for a table that an engine groups and counts.

    Parameters
    ----------
    engine
        Holds the table, with text as it is written.
    form
        The format of the file.
    quasi_identifiers, sensitive, requirements
        As in `verify_release`.
    """
    check_columns(engine.schema.names, quasi_identifiers, sensitive)
    known = grouped_columns(engine, [*quasi_identifiers, *sensitive])
    result = verify_grouped(engine, quasi_identifiers, sensitive, requirements, columns=known)
    checks = list(result.checks)
    for reading in INTERPRETATIONS.get(form, ()):
        merged = {name: seen for name, column in known.items() if (seen := column.seen(reading)) is not None}
        if merged:
            found = verify_grouped(engine, quasi_identifiers, sensitive, requirements, columns={**known, **merged})
            checks += only_there(reading, found, result)
    notes = [note for column in known.values() for note in notes_on(pa.table({column.name: column.labels}), form)]
    merged = {name: seen for name, column in known.items() if (seen := column.seen(BY_EYE)) is not None}
    if merged:
        found = verify_grouped(engine, quasi_identifiers, sensitive, requirements, columns={**known, **merged})
        notes += notes_by_eye(found, result, merged)
    return replace(result, checks=tuple(checks), notes=tuple(notes))


def only_there(reading: Interpretation, found: Verification, on_paper: Verification) -> list[RuleCheck]:
    """The rules that are broken under one interpretation although they hold for the text as it is written."""
    broken = {(check.rule, check.column) for check in on_paper.violations}
    return [
        replace(check, rule=f"{check.rule}, read {reading.title}")
        for check in found.violations
        if (check.rule, check.column) not in broken
    ]


def notes_by_eye(found: Verification, on_paper: Verification, merged: Iterable[str]) -> list[str]:
    """Warn where rules hold only because values that look alike count as different."""
    said = f"Column {listed(merged)} has values that look alike and differ only in what nobody sees: blanks, invisible "
    said += "characters or forms of Unicode."
    broken = only_there(BY_EYE, found, on_paper)
    general = [] if found.checks else [f"{said} They count as different."]
    return general + [f"{said} Taken as one, {check}." for check in broken]


def notes_on(table: pa.Table, form: str) -> list[str]:
    """What the publisher should know about the texts of a table although no rule is broken."""
    notes = []
    for name in table.column_names:
        values = code_column(name, table.column(name)).values
        # Sorted, since engines return values in any order.
        pair = written_differently(sorted(values.to_pylist(), key=str)) if form not in TYPED else None
        if pair is not None:
            notes.append(
                f"Column {listed([name])} writes equal values differently, such as {listed(pair)}. What differs on "
                "paper counts as different."
            )
    words = words_for_missing(table) if form in INTERPRETATIONS else {}
    return notes + [
        f"Column {listed([name])} holds {listed(found)}, which pandas and other programs take for a missing value."
        for name, found in words.items()
    ]
