"""The roles of columns are suggested by names in eleven languages; no name of a person is let out by a guess."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests import people
from tests.profiles.names_of_columns import NAMED, Named

import sfumato as sf

PEOPLE = 120
#: The least share of suggestions that a statistician would accept.
SHARE = 0.9


def _suggested(columns: list[Named], rows_each: int) -> list[tuple[Named, str, str]]:
    """Every column with the role that is suggested for it, and how sure the suggestion is."""
    cells = {column.name: people.cells(column.held.make, PEOPLE, column.name) * rows_each for column in columns}
    profile = sf.profile(pa.table(cells))
    suggestions = ((column, profile[column.name].suggestion) for column in columns)
    return [(column, suggestion.role, suggestion.certainty) for column, suggestion in suggestions]


def _right(column: Named, role: str) -> bool:
    return role in column.held.roles.split()


@pytest.mark.parametrize("rows_each", [1, 3])
@pytest.mark.parametrize("language", NAMED)
def test_nobody_is_let_out_by_a_guess(language, rows_each):
    assert len(NAMED[language]) >= 40
    dangerous = [
        (column.name, column.holds, role, certainty)
        for column, role, certainty in _suggested(NAMED[language], rows_each)
        if column.held.direct and role not in {"identifier", "person"} and certainty != "unsure"
    ]
    assert dangerous == []


@pytest.mark.parametrize("rows_each", [1, 3])
def test_nine_of_ten_suggestions_are_right(rows_each):
    suggested = [found for columns in NAMED.values() for found in _suggested(columns, rows_each)]
    wrong = [(column.language, column.name, role) for column, role, _ in suggested if not _right(column, role)]
    assert 1 - len(wrong) / len(suggested) >= SHARE, wrong
