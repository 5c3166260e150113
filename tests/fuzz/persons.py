"""Random releases of tables with several rows per person, whose people are counted again by somebody else.

Every row carries a number that is released with it, so the judge knows whose rows a class holds. One number makes one
case: ``python -m tests.fuzz.persons --seed 17 --cases 1`` repeats case 17.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pyarrow as pa
from tests.fuzz.search import Finding, judged, refusal, search

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.methods import REGISTRY

ILLNESSES = ["flu", "gout", "ulcer", "acne", "asthma"]
#: Persons whose names programs mistake for something else.
ODD = ["None", "nan", "", " ", "0", "P1 ", "p1", "NULL"]


@dataclass(frozen=True)
class Case:
    """A table of visits and what is asked of its release."""

    cells: dict[str, list[Any]]
    request: dict[str, Any]
    #: The columns of which every class holds k.
    counted: list[str]
    k: int
    l: int | None  # noqa: E741


def case(seed: int) -> Case:
    """Make the case of a seed."""
    rng = random.Random(seed)
    cells = _visits(rng)
    k, l = rng.choice([2, 2, 3, 5]), rng.choice([None, None, 2])  # noqa: E741
    how, counted = _counting(rng)
    roles = _roles(rng, cells, how)
    models = [sf.KAnonymity(k), *([] if l is None else [sf.LDiversity(l, kind="frequency", column="illness")])]
    options = {
        "privacy": models,
        "method": rng.choice([*sorted(REGISTRY), "auto", "mondrian", "hilbert"]),
        "suppression": rng.choice([0.0, 0.0, 0.2, 1.0]),
        "missing": rng.choice(["category", "suppress"]),
        "confirm": ["row"],
        "seed": seed,
    }
    if rng.random() < 0.3:
        options["sample"] = rng.choice([0.5, 0.8, sf.Sample(0.6, "region")])
    return Case(cells, roles | how | options, counted, k, l)


def _visits(rng: random.Random) -> dict[str, list[Any]]:
    """Visits: people have 1 to 58 rows, their ages may change, some rows have no person."""
    many = rng.choice([2, 4, 4, 12, 58])
    names: list[Any] = [f"P{number}" for number in range(rng.randint(6, 40))]
    if rng.random() < 0.3:
        names = [*rng.sample(ODD, rng.randint(1, 4)), *names]
    if rng.random() < 0.2:
        names = [*names, None]
    patients = [name for name in names for _ in range(rng.randint(1, many))][:400]
    grows, moves = rng.random() < 0.5, rng.random() < 0.3
    ages = {name: rng.randint(20, 40) for name in names}
    regions = {name: rng.choice("NSW") for name in names}
    rng.shuffle(patients)
    return {
        "patient": patients,
        "nurse": [rng.choice(["Ann", "Bob", "Cyd", "Dan", "Eve"]) for _ in patients],
        "age": [ages[name] + (rng.randint(0, 3) if grows else 0) for name in patients],
        "region": [rng.choice("NSW") if moves else regions[name] for name in patients],
        "illness": [rng.choice(ILLNESSES) for _ in patients],
        "row": list(range(len(patients))),
    }


def _counting(rng: random.Random) -> tuple[dict[str, Any], list[str]]:
    """How people are declared, and of which columns the judge counts values then."""
    return rng.choice(
        [
            ({"person": "patient", "identifiers": ["nurse"]}, ["patient"]),
            ({"person": "patient", "identifiers": ["nurse"]}, ["patient"]),
            ({"person": "patient", "plain": ["nurse"]}, ["patient"]),
            ({"identifiers": ["patient", "nurse"], "pseudonymize": "patient"}, ["patient"]),
            ({"person": "patient", "identifiers": ["nurse"], "pseudonymize": "patient"}, ["patient"]),
            ({"person": "patient", "identifiers": ["nurse"], "pseudonymize": "nurse"}, ["patient"]),
            ({"identifiers": ["patient", "nurse"], "pseudonymize": ["patient", "nurse"]}, ["patient", "nurse"]),
            ({"identifiers": ["nurse", "patient"], "pseudonymize": ["nurse", "patient"]}, ["patient", "nurse"]),
        ]
    )


def _roles(rng: random.Random, cells: Mapping[str, Sequence[Any]], how: dict[str, Any]) -> dict[str, Any]:
    """The other roles, and the table's columns in any order: nothing may depend on it."""
    order = list(cells)
    rng.shuffle(order)
    how["plain"] = [*how.get("plain", []), "row"]
    quasi = {"age": rng.choice([None, sf.Numeric(widths=(2, 10))]), "region": None}
    return {"quasi_identifiers": quasi, "sensitive": ["illness"]}


def run(one: Case, order: Sequence[str]) -> str:
    """Make the release of a case and judge it; return what became of it."""
    table = pa.table({name: one.cells[name] for name in order})
    try:
        release = sf.anonymize(table, **one.request)
    except SfumatoError as error:
        return refusal(error)
    rows = release.table.to_pylist()
    judge_people(one, release, rows)
    judge_pseudonyms(one, rows)
    judge_sample(one, release, rows)
    return "released"


def person_of(one: Case, row: Mapping[str, Any], column: str) -> object:
    """Whose row it was; a row without a person is a person of its own."""
    found = one.cells[column][int(row["row"])]
    return ("nobody", row["row"]) if found is None else found


def classes_of(rows: Sequence[Mapping[str, Any]]) -> dict[tuple[Any, ...], list[Mapping[str, Any]]]:
    """Rows that look alike."""
    classes = defaultdict(list)
    for row in rows:
        classes[row["age"], row["region"]].append(row)
    return classes


def judge_people(one: Case, release: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Count who is in each class, and who has the commonest illness there; hold it against what is asked and said."""
    counts = [_counted(one, members, column) for members in classes_of(rows).values() for column in one.counted]
    if not counts:
        return
    fewest, least = min(people for people, _ in counts), min(Fraction(people, most) for people, most in counts)
    if fewest < max(one.k, release.achieved.k):
        raise Finding(f"a class has {fewest} people; k = {one.k} was asked for, {release.achieved.k} said")
    if least < (one.l or 1):
        raise Finding(f"l = {float(least)}, and {one.l} was asked for")
    if release.achieved.sensitive["illness"].frequency_l > least + Fraction(1, 10**9):
        raise Finding(f"l = {float(least)}, and {release.achieved.sensitive['illness'].frequency_l} is said")
    if release.risk.after.prosecutor.highest < 1 / fewest - 1e-12:
        raise Finding(
            f"the risk is said to be {release.risk.after.prosecutor.highest}, and a class has {fewest} people"
        )


def _counted(one: Case, members: Sequence[Mapping[str, Any]], column: str) -> tuple[int, int]:
    """How many people a class has, and how many of them share the commonest illness."""
    ill = defaultdict(set)
    for row in members:
        ill[row["illness"]].add(person_of(one, row, column))
    return len(set[object]().union(*ill.values())), max(map(len, ill.values()))


def judge_pseudonyms(one: Case, rows: Sequence[Mapping[str, Any]]) -> None:
    """One pseudonym for one person, none for two, and no name among them."""
    asked = one.request.get("pseudonymize", [])
    for column in [asked] if isinstance(asked, str) else asked:
        pairs = {(one.cells[column][int(row["row"])], row[column]) for row in rows}
        if any((name is None) != (pseudonym is None) for name, pseudonym in pairs):
            raise Finding(f"a missing {column} did not stay missing")
        if not len(pairs) == len({name for name, _ in pairs}) == len({pseudonym for _, pseudonym in pairs}):
            raise Finding(f"pseudonyms of {column} mix people up")
        if {name for name, _ in pairs if name} & {pseudonym for _, pseudonym in pairs}:
            raise Finding(f"a {column} is its own pseudonym")
    for column in {"patient", "nurse"} - set([asked] if isinstance(asked, str) else asked) - set(one.request["plain"]):
        if rows and column in rows[0]:
            raise Finding(f"{column} is released")


def judge_sample(one: Case, release: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Everything else is true of its row; of a person who was drawn all rows are there, or said to be suppressed."""
    for row in rows:
        if row["illness"] != one.cells["illness"][int(row["row"])]:
            raise Finding("an illness moved to another row")
    if len({row["row"] for row in rows}) != len(rows):
        raise Finding("a row was released twice")
    drawn = {person_of(one, row, "patient") for row in rows}
    theirs = sum(name in drawn for name in one.cells["patient"] if name is not None)
    shown = sum(one.cells["patient"][int(row["row"])] is not None for row in rows)
    if "person" in one.request and theirs - shown > release.suppressed:
        raise Finding(f"{theirs - shown} rows of people who were drawn are missing, {release.suppressed} suppressed")


def attempt(seed: int) -> str:
    """Run the case of a seed; whatever is found says how to repeat it."""
    one = case(seed)
    order = sorted(one.cells, key=lambda name: random.Random(f"{seed}{name}").random())
    return judged(lambda: run(one, order), "tests.fuzz.persons", seed, f"{one.request}\n{order}\n{one.cells}")


if __name__ == "__main__":
    search(attempt, __doc__)
