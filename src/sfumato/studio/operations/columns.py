"""Screen 1: what the columns are, what they do to the risk, and the steps of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from sfumato.assess.meaning.facts import ColumnCounts
from sfumato.profiles.combinations import singling
from sfumato.studio.desk import Bench

#: The values that are shown of a column, and the rows that are shown at once.
SHOWN_VALUES, MOST_ROWS = 4, 200
#: Rows that are anonymized to compile what the user will need.
WARM_ROWS = 300


def profile(bench: Bench) -> dict[str, Any]:
    """What every column seems to be, and why, with some of its values; who is unique in it are people, not rows."""
    found = bench.profile
    columns = found.to_dict(SHOWN_VALUES)["columns"]
    person = _person(bench, [one["role"] for one in columns])
    if person is not None:
        for record, one in zip(columns, found.columns, strict=True):
            record["unique_share"] = singling([one.facts], person).share
    return {"rows": found.rows, "columns": columns}


def risk(bench: Bench) -> dict[str, Any]:
    """How many people could be found by what others may know, with the roles of the plan, and what to beware of."""
    roles = dict(zip(bench.names, bench.plan.roles, strict=True))
    known, person = _known(bench), _person(bench, bench.plan.roles)
    return {
        "share": singling(list(known.values()), person).share if known else 0.0,
        "columns": list(known),
        "cautions": [one.to_dict() for one in bench.profile.cautions_for(roles)],
    }


def contributions(bench: Bench) -> Iterator[dict[str, Any]]:
    """How many people could still be found if others did not know a column, and by it alone, one after the other."""
    known, person = _known(bench), _person(bench, bench.plan.roles)
    for at, facts in known.items():
        others = [one for other, one in known.items() if other != at]
        without = singling(others, person).share if others else 0.0
        alone = facts.unique_share if person is None else singling([facts], person).share
        yield {"column": at, "without": without, "alone": alone}


def _known(bench: Bench) -> dict[int, ColumnCounts]:
    """The counts of the columns that others may know, by number."""
    roles = bench.plan.roles
    columns = enumerate(bench.profile.columns)
    return {at: one.facts for at, one in columns if roles[at] == "quasi-identifier"}


def _person(bench: Bench, roles: Sequence[str]) -> ColumnCounts | None:
    """The counts of the column that says whose row it is, if people have several."""
    return next((one.facts for one, role in zip(bench.profile.columns, roles, strict=True) if role == "person"), None)


def rows(bench: Bench) -> dict[str, Any]:
    """Some rows of the table, as text."""
    start, count = bench.number("start", 0, 0, 10**12), bench.number("count", 50, 1, MOST_ROWS)
    some = bench.table.slice(start, count)
    cells = [column.cast(pa.string()).to_pylist() for column in some.columns]
    return {"start": start, "total": bench.table.num_rows, "rows": [list(row) for row in zip(*cells, strict=True)]}


def warm(bench: Bench) -> None:
    """Compile what a release of this table needs, on a few of its rows, while the user reads."""
    bench.policy.run(bench.table.slice(0, WARM_ROWS), progress=bench.tell)
