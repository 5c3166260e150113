"""How far releases are from the least possible loss: over tables, k, l, rows and columns, and what each step adds.

Every figure is a mean over ``SFUMATO_SEEDS`` draws of ``SFUMATO_ROWS`` rows (10 and 400 if they are not set). All
bounds from prices are confirmed by the check of `sfumato.check_bound` before they count. ``SFUMATO_TABLES`` names the
tables. The figures go to ``benchmarks/results/gaps.csv``, one line per draw, as they are found.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pyarrow as pa

from benchmarks.least_loss import QIS
from benchmarks.measure import ADULT, RESULTS, Result
from sfumato import datasets
from sfumato.io import open_source
from sfumato.loss import Bound, Mixed, bound_by, gcp_bound
from sfumato.loss.bound.cutting_planes import Stop
from sfumato.methods import Hilbert, Method, Mondrian, Task, TopDown
from sfumato.methods.portfolio import cheap, suitable, try_all
from sfumato.methods.proven.proof import Proof
from sfumato.methods.refinement import RefinementLimit
from sfumato.methods.refinement.search import refine
from sfumato.methods.task_loss import TaskLoss
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, Requirements
from sfumato.release.bound_file import BoundedClasses, bound_record
from sfumato.table.encoding import encode
from sfumato.table.recoding import EquivalenceClasses
from sfumato.table.schema import Declared
from sfumato.verify.lower_bound import verify_bound

SEEDS = int(os.environ.get("SFUMATO_SEEDS", "10"))
ROWS = int(os.environ.get("SFUMATO_ROWS", "400"))
TABLES = os.environ.get("SFUMATO_TABLES", "Adult,census,diabetes,covid,free1,hsb2,numbers").split(",")
SHARED = ADULT.parent / "tables"

#: The rounds of the linear program and of refinement: the same work on every machine.
PRICE_ROUNDS, REFINE_ROUNDS = 8, 16


@dataclass(frozen=True)
class People:
    """A table: its columns, how the quasi-identifiers generalize, and the sensitive column, if any."""

    table: pa.Table
    hierarchies: Mapping[str, Declared]
    sensitive: str | None = None

    def drawn(self, rows: int, seed: int) -> pa.Table:
        """Draw some rows without replacement."""
        places = np.random.default_rng(seed).permutation(self.table.num_rows)[:rows]
        return self.table.take(pa.array(np.sort(places)))


def _shared(file: str, names: tuple[str, ...], sensitive: str | None = None) -> Callable[[], People | None]:
    def load() -> People | None:
        if not (SHARED / file).exists():
            return None
        wanted = [*names, *([] if sensitive is None else [sensitive])]
        table = open_source(SHARED / file).read(wanted)
        return People(table, dict.fromkeys(names), sensitive)

    return load


def _adult() -> People | None:
    if not ADULT.exists():
        return None
    data = datasets.adult(ADULT).without_levels()
    return People(data.table, {name: data.hierarchies[name] for name in QIS}, "occupation")


def _census() -> People:
    data = datasets.census(rows=20_000, seed=1).without_levels()
    return People(data.table, {name: data.hierarchies[name] for name in data.quasi_identifiers}, data.sensitive[0])


def _numbers(columns: int = 3) -> People:
    random = np.random.default_rng(columns)
    values = random.normal(size=(20_000, columns)) + random.normal(size=(20_000, 1))
    named = {f"x{at}": np.round(values[:, at], 2) for at in range(columns)}
    return People(pa.table(named), dict.fromkeys(named))


DIABETES = ("race", "gender", "age", "admission_type_id", "time_in_hospital")
LOADERS: dict[str, Callable[[], People | None]] = {
    "Adult": _adult,
    "census": _census,
    "diabetes": _shared("diabetes.csv", DIABETES, "A1Cresult"),
    "covid": _shared("covid_buenos_aires.csv", ("barrio", "genero", "edad"), "tipo_contagio"),
    "free1": _shared("free1.rds", ("REGION", "SEX", "AGE", "MARSTAT", "EDUC1")),
    "hsb2": _shared("hsb2.sav", ("Gender", "race", "ses", "schtyp", "read", "math")),
    "numbers": _numbers,
}


@cache
def people(name: str) -> People | None:
    """Load a table; a number after its name says how many of its columns are quasi-identifiers, the first ones."""
    kind, _, columns = name.partition(" ")
    if kind == "numbers" and columns:
        return _numbers(int(columns))
    found = LOADERS[kind]()
    if found is None or not columns:
        return found
    return replace(found, hierarchies=dict(list(found.hierarchies.items())[: int(columns)]))


def run() -> Iterator[Result]:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "gaps.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["study", "table", "k", "l", "rows", "seed", *STEPS])
        for study, name, k, ell, rows in plan():
            found = people(name)
            if found is None or (ell is not None and found.sensitive is None):
                continue
            figures = []
            for seed in range(SEEDS):
                figures.append(one_draw(found, k, ell, rows, seed))
                writer.writerow([study, name, k, ell or "", rows, seed, *(f"{one:.6f}" for one in figures[-1])])
                file.flush()
            yield summary(study, name, k, ell, rows, np.array(figures))


def plan() -> Iterator[tuple[str, str, int, float | None, int]]:
    """What is measured: all tables; then l, k, rows and how many columns, on one or two tables each."""
    yield from (("tables", name, 5, None, ROWS) for name in TABLES)
    yield from (("l", name, 5, 2.0, ROWS) for name in TABLES if name in {"Adult", "census"})
    yield from (("k", "Adult", k, None, ROWS) for k in (2, 10, 25) if "Adult" in TABLES)
    yield from (("rows", "Adult", 5, None, rows) for rows in (100, 1_600) if "Adult" in TABLES)
    yield from (("columns", f"Adult {columns}", 5, None, ROWS) for columns in (2, 4, 6) if "Adult" in TABLES)
    yield from (("columns", f"numbers {columns}", 5, None, ROWS) for columns in (1, 2, 4) if "numbers" in TABLES)


#: What is found of each draw: bounds after capping and after the linear program, and losses after each step.
STEPS = (
    *("capped", "program", "mondrian", "topdown", "hilbert"),
    *("portfolio", "dive", "refined", "refined_without_prices"),
)
COMPARED: tuple[Method, ...] = (Mondrian(), TopDown("penalty"), Hilbert())


def one_draw(found: People, k: int, ell: float | None, rows: int, seed: int) -> tuple[float, ...]:
    """Take every step for one draw; the bounds are those that the independent check confirms."""
    table = found.drawn(rows, seed)
    sensitive = [] if ell is None or found.sensitive is None else [found.sensitive]
    microdata = encode(table, dict(found.hierarchies), sensitive)
    models: tuple[PrivacyModel, ...] = (KAnonymity(k),) if ell is None else (KAnonymity(k), LDiversity(ell))
    task = Task(microdata, Requirements(models, microdata))
    goal, proof = TaskLoss(task), Proof(task)

    def confirmed(bound: Bound) -> float:
        if bound.prices is None:
            return float(bound)
        classes = BoundedClasses(k, None if ell is None else Fraction(ell), found.sensitive, False, "category")
        if ell is None:
            classes = BoundedClasses(k, None, None, False, "category")
        check = verify_bound(table, bound_record(table, microdata.domains, {}, classes, bound))
        assert check.ok, check.summary()
        return check.bound

    capped = gcp_bound(microdata, k, mixed=Mixed.by(task.requirements))
    prices = proof.raised(Stop(rounds=PRICE_ROUNDS))
    each = None if prices is None else proof.of_rows(prices)
    program = confirmed(capped) if each is None else max(confirmed(capped), confirmed(bound_by(each)))
    tried = try_all(goal, list(cheap(task) if proof.shows_classes else suitable(task, None)))
    best = min(tried, key=lambda one: one.loss)
    dive = proof.followed(prices, Stop(rounds=PRICE_ROUNDS)) if prices is not None else None
    dived = np.nan if dive is None else goal.measure_rows(dive).loss
    start = dive if dive is not None and dived < best.loss.loss else best.classes
    refined = goal.measure_rows(refine(goal, start, RefinementLimit(REFINE_ROUNDS), each)).loss
    without = goal.measure_rows(refine(goal, best.classes, RefinementLimit(REFINE_ROUNDS), None)).loss
    others = [goal.measure_rows(EquivalenceClasses.of(microdata, one.run(task)).of_row).loss for one in COMPARED]
    return (float(confirmed(capped)), program, *others, best.loss.loss, dived, refined, without)


def summary(study: str, name: str, k: int, ell: float | None, rows: int, figures: np.ndarray) -> Result:
    """The mean gap of the last step to the best bound."""
    known = {step: own[~np.isnan(own)] for step, own in zip(STEPS, figures.T, strict=True)}
    gap = float(np.mean(known["refined"] / known["program"]) - 1)
    mixed = "" if ell is None else f", l={ell:g}"
    note = ", ".join(f"{step} {own.mean():.4f}" for step, own in known.items() if len(own))
    return Result(f"{study}: {name}, k={k}{mixed}, {rows} rows: gap", gap * 100, unit="%", note=note)
