"""The candidates for what a neighbour knows, before and after, against a count by hand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.errors import EngineError, ParameterError, SchemaError


def _table(rows: int = 300) -> pa.Table:
    random = np.random.default_rng(5)
    return pa.table(
        {
            "age": random.integers(18, 90, rows),
            "sex": random.choice(["f", "m"], rows),
            "zip": [str(code) for code in random.integers(53700, 53730, rows)],
            "illness": random.choice(["flu", "ulcer", "asthma"], rows),
        }
    )


PEOPLE = _table()
SCHEMA = sf.Schema({"age": None, "sex": None, "zip": sf.Prefix()}, "illness")


def _may_be(cell: str, value: Any) -> bool:
    """Whether a shown cell may stand for a value: the obvious reading."""
    ends = re.fullmatch(r"\[(-?\d+), (-?\d+)\]", cell)
    if ends:
        low, high = (int(end) for end in ends.groups())
        first, last = value if isinstance(value, tuple) else (int(value), int(value))
        return bool(first <= high and last >= low)
    if isinstance(value, tuple):
        return cell == "*" or value[0] <= int(cell) <= value[1]
    if cell.endswith("*"):
        return str(value).startswith(cell.rstrip("*"))
    if cell.startswith("{"):
        return str(value) in cell.strip("{}").split(", ")
    return cell == str(value)


def _fits(row: dict[str, Any], known: dict[str, Any]) -> bool:
    return all(
        known[name][0] <= row[name] <= known[name][1] if isinstance(known[name], tuple) else row[name] == known[name]
        for name in known
    )


@pytest.mark.parametrize("method", ["mondrian", "hilbert", "lattice"])
@pytest.mark.parametrize("row", [0, 17, 120])
@pytest.mark.parametrize("names", [["age"], ["age", "sex", "zip"], ["zip", "illness"]])
def test_candidates_are_those_counted_by_hand(method: str, row: int, names: list[str]) -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=5, method=method, seed=1)
    target = PEOPLE.slice(row, 1).to_pylist()[0]
    known = {name: target[name] for name in names}
    found = release.knows(known)
    assert found.before == sum(_fits(one, known) for one in PEOPLE.to_pylist())
    fitting = [one for one in release.table.to_pylist() if all(_may_be(str(one[name]), known[name]) for name in known)]
    assert found.after == len(fitting) >= found.before
    if "illness" not in known:
        counts = [sum(one["illness"] == value for one in fitting) for value in ("flu", "ulcer", "asthma")]
        assert found.secrets["illness"][1] == pytest.approx(max(counts) / len(fitting))
    else:
        assert not found.secrets


def test_a_range_fits_every_cell_that_overlaps_it() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=5, method="mondrian", seed=1)
    found = release.knows({"age": (30, 40)})
    assert found.before == sum(30 <= age <= 40 for age in PEOPLE["age"].to_pylist())
    assert found.after == sum(_may_be(str(cell), (30, 40)) for cell in release.table["age"].to_pylist())


def test_people_are_counted_not_rows() -> None:
    visits = pa.concat_tables([PEOPLE, PEOPLE]).append_column("whose", pa.array([*range(300), *range(300)]))
    roles: dict[str, Any] = {"quasi_identifiers": ["age", "sex", "zip"], "sensitive": "illness", "person": "whose"}
    release = sf.anonymize(visits, **roles, k=5, seed=1)
    target = PEOPLE.slice(3, 1).to_pylist()[0]
    known = {name: target[name] for name in ("age", "sex", "zip")}
    assert release.knows(known).before == sum(_fits(one, known) for one in PEOPLE.to_pylist())
    assert release.knows(known).people
    assert release.knows({}).after == 300


def test_rows_left_out_are_mentioned() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=20, suppression=0.2, method="mondrian", seed=1)
    assert release.knows({}).left_out == release.suppressed > 0
    assert "left out" in str(release.knows({"age": 44}))


def test_nobody_may_fit_in_the_table() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=5, seed=1)
    assert str(release.knows({"age": 17})).startswith("Nobody in the table fits that")


@pytest.mark.parametrize(
    ("known", "error", "said"),
    [
        ({"aeg": 30}, SchemaError, "Did you mean 'age'"),
        ({"age": "old"}, ParameterError, "no value of its scale"),
        ("age", ParameterError, "a value or a range"),
    ],
)
def test_what_cannot_be_read_is_refused(known: Any, error: type[Exception], said: str) -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=5, seed=1)
    with pytest.raises(error, match=said):
        release.knows(known)


def test_an_engine_does_not_look_at_single_rows() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=5, seed=1, engine="duckdb", method="hilbert")
    with pytest.raises(EngineError, match="single rows"):
        release.knows({"age": 30})


def test_the_answer_is_in_nothing_that_is_published() -> None:
    release = sf.anonymize(PEOPLE, SCHEMA, k=5, seed=1)
    before = str(release.manifest), str(release)
    release.knows({"age": 30})
    assert (str(release.manifest), str(release)) == before


def test_a_value_that_no_released_row_shows_is_no_typo() -> None:
    places = ["China"] * 60 + ["Italy"] * 60 + ["Chile"]
    people = pa.table({"place": places, "ill": ["flu", "gout", "asthma"] * 40 + ["flu"]})
    release = sf.anonymize(people, quasi_identifiers="place", sensitive="ill", k=10, seed=1)
    assert "Chile" not in set(release.table["place"].to_pylist())
    found = release.knows({"place": "Chile"})
    assert found.before == 1
    assert found.after + found.left_out >= 10
    with pytest.raises(ParameterError, match="Did you mean 'Chile'"):
        release.knows({"place": "Chil"})
    measured = sf.utility(people, release, seed=0)
    assert all(0 <= one.value < np.inf for one in measured.values())
