"""Roles on tables of the kinds that are published about people.

Run for the first time, the two lists had 82.2 % of 535 columns right with two dangerous misses, and 81.7 % of 180 with
none; what is asserted is after their misses had been read.
"""

from __future__ import annotations

import pytest
from tests.profiles.language_kinds import BATCH_SIX
from tests.profiles.more_kinds import BATCH_FOUR, BATCH_THREE
from tests.profiles.public_kinds import BATCH_ONE, BATCH_TWO, Column, Kind
from tests.profiles.survey_kinds import BATCH_FIVE

import sfumato as sf

SUGGESTED: dict[str, dict[str, str]] = {}


def suggested(kind: Kind) -> list[tuple[Column, str]]:
    roles = SUGGESTED.setdefault(kind.name, sf.profile(kind.table()).roles)
    return [(column, roles[column.name]) for column in kind.columns]


@pytest.mark.parametrize(
    "kind", [*BATCH_ONE, *BATCH_TWO, *BATCH_THREE, *BATCH_FIVE, *BATCH_SIX], ids=lambda kind: kind.name
)
def test_nobody_is_let_out_and_people_with_several_rows_are_found(kind: Kind) -> None:
    found = suggested(kind)
    let_out = [(one.name, role) for one, role in found if one.direct and role not in {"identifier", "person"}]
    missed = [(one.name, role) for one, role in found if one.roles == ("person",) and role != "person"]
    assert not let_out
    assert not missed


@pytest.mark.parametrize(
    ("batch", "at_least"),
    [
        (BATCH_ONE, 0.97),
        (BATCH_TWO, 0.9),
        (BATCH_THREE, 0.93),
        (BATCH_FOUR, 0.9),
        (BATCH_FIVE, 0.93),
        (BATCH_SIX, 0.93),
    ],
)
def test_most_roles_are_those_that_an_expert_would_accept(batch: list[Kind], at_least: float) -> None:
    judged = [(kind.name, one.name, role, one.roles) for kind in batch for one, role in suggested(kind)]
    wrong = [one for one in judged if one[2] not in one[3]]
    assert len(wrong) <= (1 - at_least) * len(judged), wrong
