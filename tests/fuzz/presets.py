"""Random requests under presets, on tables that mix columns of real exports, judged by what comes out.

Columns, their cells and the judge of HIPAA Safe Harbor are those of `tests.run.presets`. One number makes one case:
``python -m tests.fuzz.presets --seed 17 --cases 1`` repeats case 17.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from tests import people
from tests.fuzz.search import Finding, judged, refusal, search
from tests.run.presets.safe_harbor_allowed import ALLOWED
from tests.run.presets.safe_harbor_columns import FORBIDDEN, Column
from tests.run.presets.safe_harbor_judge import ANCHOR, cells_shown, fault_of

import sfumato as sf
from sfumato.errors import SfumatoError

SAFE = "hipaa-safe-harbor"
#: The least number of people that look alike, by preset.
FEWEST = {SAFE: 1, "hipaa-expert": 1, "wp216": 1, "cms-11": 11, "ema-0070": 11, "health-canada": 11}
NUMBERS = {"age", "sbp", "bmi", "height_cm", "total_charges", "mother_age", "los", "heart_rate"}
DAYS = {"dob", "admitted", "visit_start_date", "edd"}


@dataclass(frozen=True)
class Case:
    """A table and what is asked of its release."""

    columns: list[Column]
    table: pa.Table
    request: dict[str, Any]

    def named(self, role: str) -> set[str]:
        """The columns that have this role."""
        return set(self.request.get(role, ()))


def case(seed: int) -> Case:
    """Make the case of a seed."""
    rng = random.Random(seed)
    columns = _chosen(rng)
    names = [column.name for column in columns]
    rows, each = rng.choice([12, 25, 60]), rng.choice([1, 1, 2, 4])
    cells = {
        column.name: _with_strangers(rng, people.cells(column.make, rows, (seed, column.name))) for column in columns
    }
    table = pa.table(
        {ANCHOR: [rng.choice("FM") for _ in range(rows * each)]} | {name: cells[name] * each for name in cells}
    )
    preset = rng.choice([SAFE] * 6 + sorted(FEWEST))
    roles = _roles(rng, names)
    request = roles | {
        "preset": preset,
        "rest": rng.choice(["plain", "plain", "drop"]),
        "confirm": [name for name in names if rng.random() < 0.15],
        "k": rng.choice([None, 2, 3]) if FEWEST[preset] > 1 else rng.choice([None, None, 2, 5]) or 1,
        "method": rng.choice(["mondrian", "mondrian", "hilbert", "auto"]),
        "suppression": rng.choice([0.0, 0.3, 1.0]),
        "intervals": rng.choice(["text", "text", "bounds"]),
        "transform": _transformed(rng, names),
        "seed": seed,
    }
    return Case(columns, table, request)


def _chosen(rng: random.Random) -> list[Column]:
    """Some columns of both lists, no two of which differ in capitals only."""
    some = [*rng.sample(FORBIDDEN, rng.randint(1, 8)), *rng.sample(ALLOWED, rng.randint(0, 6))]
    some += [one for one in FORBIDDEN if one.name in {"age", "zip", "dob", "admitted"} and rng.random() < 0.2]
    return list({column.name.lower(): column for column in some}.values())


def _with_strangers(rng: random.Random, cells: list[Any]) -> list[Any]:
    """Some cells are missing, or not what the others are."""
    if rng.random() < 0.7:
        return cells
    strange = ["", " ", "?", "N/A", "unknown", None] if any(isinstance(cell, str) for cell in cells) else [None]
    return [rng.choice(strange) if rng.random() < 0.15 else cell for cell in cells]


def _roles(rng: random.Random, names: Sequence[str]) -> dict[str, Any]:
    """A role for some columns; the others are the rest."""
    roles: dict[str, Any] = {"quasi_identifiers": [ANCHOR], "sensitive": [], "plain": [], "identifiers": []}
    for name in names:
        role = rng.choice([None, None, None, "quasi_identifiers", "sensitive", "plain", "plain", "identifiers"])
        if role is not None:
            roles[role].append(name)
    return roles


def _transformed(rng: random.Random, names: Sequence[str]) -> dict[str, Any]:
    """Transformations of columns whose values they fit."""
    fits: dict[str, list[Any]] = {
        name: [sf.Round(5), sf.Clip(0, 95), sf.AtLevel(sf.Bands([50, 92]))] for name in NUMBERS
    }
    fits |= {name: [sf.Shift(90), sf.AtLevel(sf.Dates(), "month"), sf.AtLevel(sf.Dates(), "year")] for name in DAYS}
    return {name: rng.choice(fits[name]) for name in names if name in fits and rng.random() < 0.4}


def run(one: Case) -> str:
    """Make the release of a case and judge it; return what became of it."""
    try:
        release = sf.anonymize(one.table, **one.request)
    except SfumatoError as error:
        judge_words(one, str(error))
        return refusal(error)
    judge_roles(one, release.table)
    judge_size(one, release.table)
    if one.request["preset"] == SAFE:
        judge_columns(one, release)
    judge_words(one, release.summary())
    return "released"


def judge_columns(one: Case, release: Any) -> None:
    """Forbidden columns came out in a form that is allowed, or were confirmed, and that is on record."""
    for column in one.columns:
        fault = fault_of(column, cells_shown(release.table, column.name)) if column.kind else None
        if fault and column.name not in one.named("confirm"):
            raise Finding(f"{column.name!r}, {column.kind}: {fault}")
        if fault and json.dumps(column.name, ensure_ascii=False) not in _on_record(release):
            raise Finding(f"{column.name!r} was confirmed, and the manifest does not say so")


def _on_record(release: Any) -> str:
    """What the manifest says about the preset and about cautions that were confirmed."""
    confirmed = [caution for caution in release.manifest["cautions"] if caution["confirmed"]]
    return json.dumps([release.manifest["preset"], confirmed], ensure_ascii=False)


def judge_roles(one: Case, table: pa.Table) -> None:
    """What was to be dropped is not there."""
    declared = one.named("quasi_identifiers") | one.named("sensitive") | one.named("plain")
    for column in one.columns:
        undeclared = column.name not in declared and one.request["rest"] == "drop"
        if (undeclared or column.name in one.named("identifiers")) and cells_shown(table, column.name):
            raise Finding(f"{column.name!r} was to be dropped")


def judge_size(one: Case, table: pa.Table) -> None:
    """Enough rows look alike in what was declared as known to others."""
    k = max(one.request["k"] or 1, FEWEST[one.request["preset"]])
    known = [
        name
        for name in table.column_names
        if name.removesuffix("_min").removesuffix("_max") in one.named("quasi_identifiers")
    ]
    sizes = Counter(tuple(row.values()) for row in table.select(known).to_pylist())
    if sizes and min(sizes.values()) < k:
        raise Finding(f"{min(sizes.values())} rows look alike, not {k}")


def judge_words(one: Case, words: str) -> None:
    """No message carries a cell of a column that is forbidden."""
    for column in one.columns:
        if column.kind and column.may_show == "nothing":
            for cell in set(one.table[column.name].to_pylist()):
                if isinstance(cell, str) and len(cell) > 8 and any(map(str.isdigit, cell)) and cell in words:
                    raise Finding(f"a message shows a cell of {column.name!r}: {words}")


def attempt(seed: int) -> str:
    """Run the case of a seed; whatever is found says how to repeat it."""
    one = case(seed)
    return judged(lambda: run(one), "tests.fuzz.presets", seed, one.request)


if __name__ == "__main__":
    search(attempt, __doc__)
