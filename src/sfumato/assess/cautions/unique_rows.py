"""Cautions about columns that are released unchanged and single people out."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from sfumato.assess.cautions.caution import CautionFinding, after, before, percent, quoted, share
from sfumato.assess.cautions.view import ReleaseView, RequestView, ViewedColumn
from sfumato.assess.meaning.recognise import could_point_to_a_person
from sfumato.errors import listed

#: From this share of rows with a unique value on, a column identifies people like a name.
NEAR_UNIQUE = 0.5
#: In smaller tables many harmless columns are unique by chance.
SMALLEST_TABLE = 50
#: The shares of unique rows from which on they are worth a warning.
WORTH_A_WARNING = 0.01
SENSITIVE_WORTH_A_WARNING = 0.1
#: How many of the most identifying columns are named.
NAMED = 3


@before("near-unique")
def near_unique(view: RequestView) -> Iterator[CautionFinding]:
    """Find single columns that identify people like a name, because most rows have a unique value."""
    for column in view.with_role("plain", "sensitive"):
        yield from as_good_as_a_name(column.name, column.role, column.unique_rows, view.rows, column.values)


def as_good_as_a_name(
    name: str, role: str, unique: int, rows: int, values: pa.Array | None = None
) -> Iterator[CautionFinding]:
    """Judge a column by how many rows are the only ones with their value, and a sensitive one by its values too."""
    if rows < SMALLEST_TABLE or unique < NEAR_UNIQUE * rows:
        return
    points = role == "plain" or (values is not None and could_point_to_a_person(name, values))
    advice = {
        "plain": "Drop the column, or declare it as a quasi-identifier.",
        "sensitive": "Declare it as an identifier, unless no such value can point to a person."
        if points
        else "Round it or group its values before, if somebody outside may know them.",
    }
    yield CautionFinding(
        "error" if points else "warning",
        (name,),
        unique,
        f"The {role} column {quoted(name)} is released as it is, and {share(unique, rows)} rows are the only ones with "
        "their value: whoever knows the value finds the row.",
        advice[role],
    )


@after("unique-rows")
def unique_rows(view: ReleaseView) -> Iterator[CautionFinding]:
    """Count the rows that are unique in the columns released unchanged, alone and with the quasi-identifiers."""
    plain, sensitive = view.with_role("plain"), view.with_role("sensitive")
    if plain:
        yield from _unique_in_plain(view, plain, sensitive)
    elif sensitive:
        yield from _unique_in_sensitive(view, sensitive)


def _unique_in_plain(
    view: ReleaseView, plain: list[ViewedColumn], sensitive: list[ViewedColumn]
) -> Iterator[CautionFinding]:
    names = [column.name for column in plain]
    beside = view.alone(names, with_classes=True)
    if not beside:
        return
    rows, alone = view.released_rows, view.alone(names)
    everything = view.alone([*names, *(column.name for column in sensitive)], with_classes=True) if sensitive else 0
    with_sensitive = f", and {everything:,} with the sensitive ones too" if sensitive else ""
    yield CautionFinding(
        "warning" if beside >= WORTH_A_WARNING * rows else "note",
        tuple(names),
        beside,
        f"{share(alone, rows)} rows are unique in the {_columns('plain', plain)} alone, {beside:,} "
        f"({percent(beside, rows)}) together with the released quasi-identifiers{with_sensitive}.",
        f"k counts only the quasi-identifiers: declare what an outsider may know as such, or drop it{_worst(plain)}.",
    )


def _unique_in_sensitive(view: ReleaseView, sensitive: list[ViewedColumn]) -> Iterator[CautionFinding]:
    names = [column.name for column in sensitive]
    alone, rows = view.alone(names), view.released_rows
    if alone < WORTH_A_WARNING * rows:
        return
    beside = view.alone(names, with_classes=True)
    yield CautionFinding(
        "warning" if alone >= SENSITIVE_WORTH_A_WARNING * rows else "note",
        tuple(names),
        alone,
        f"{share(alone, rows)} rows are unique in the {_columns('sensitive', sensitive)} alone, {beside:,} "
        f"({percent(beside, rows)}) together with the released quasi-identifiers.",
        "Round or group such values before, if somebody outside may know them.",
    )


def _columns(role: str, columns: list[ViewedColumn]) -> str:
    return f"{role} column {quoted(columns[0].name)}" if len(columns) == 1 else f"{len(columns)} {role} columns"


def _worst(columns: list[ViewedColumn]) -> str:
    """Name the columns with the most distinct values, which single out most."""
    if len(columns) == 1:
        return ""
    ranked = sorted(columns, key=lambda column: -len(column.values))[:NAMED]
    return f" (most different values: {listed(column.name for column in ranked)})"
