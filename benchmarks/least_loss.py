"""The least loss: every method side by side, what it loses and how long it takes.

Limits are those that the portfolio must keep. The table goes to ``benchmarks/results/least_loss.csv`` and, as
plots of loss against time, to ``least_loss-1.svg`` and so on beside it. ``SFUMATO_LIGHT=1`` leaves the tables of a
million rows and more out.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.drawing import save
from benchmarks.measure import ADULT, NO_ADULT, RESULTS, Result
from sfumato import datasets
from sfumato.common.charts import charts
from sfumato.loss import METRICS, RecodedTable
from sfumato.methods import Auto, Best, BestCuts, CostAware, Hilbert, Method, Mondrian, Peeling, Refined, Task
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses

QIS = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "salary-class")
SECONDS = 10.0
LIGHT = bool(os.environ.get("SFUMATO_LIGHT"))

#: What ``best`` may lose at most on Adult, by k: with eight quasi-identifiers, and with the occupation as a ninth.
EIGHT = {5: 0.026, 10: 0.043, 50: 0.099}
NINE = {5: 0.050, 10: 0.077, 50: 0.155}


@dataclass(frozen=True)
class Run:
    """One method on one table."""

    table: str
    method: str
    loss: float
    seconds: float


RUNS: list[Run] = []


def run() -> Iterator[Result]:
    RUNS.clear()
    warm_up()
    if ADULT.exists():
        yield from on_adult()
    else:
        yield NO_ADULT
    yield from on_census()
    yield from on_numbers()
    yield from default_method()
    write_table()
    write_plots()


def warm_up() -> None:
    """Compile everything, so that no figure contains it."""
    microdata = census(400)
    for method in side_by_side(0.1):
        measure("warm up", method, microdata, KAnonymity(5))
        measure("warm up", method, microdata, KAnonymity(5), LDiversity(2, column="occupation"))
    RUNS.clear()


def side_by_side(seconds: float = SECONDS) -> list[Method]:
    return [
        Mondrian(),
        Hilbert(),
        CostAware(),
        BestCuts(),
        Peeling(),
        Refined(Hilbert()),
        Auto(),
        Best(seconds),
    ]


def measure(table: str, method: Method, microdata: Microdata, *models: PrivacyModel) -> Run:
    task = Task(microdata, Requirements(models, microdata))
    begin = time.perf_counter()
    recoding = method.run(task)
    seconds = time.perf_counter() - begin
    assert not task.requirements.broken_by(recoding), f"{method.name} broke a model"
    name = f"{method.name} ({method.method.name})" if isinstance(method, Refined) else method.name  # type: ignore[union-attr]
    lost = METRICS["gcp"].measure(RecodedTable(microdata, EquivalenceClasses.of(microdata, recoding)))
    found = Run(table, name, lost, seconds)
    RUNS.append(found)
    return found


def adult(quasi_identifiers: tuple[str, ...], sensitive: tuple[str, ...] = ()) -> Microdata:
    data = datasets.adult(ADULT).without_levels()
    return encode(data.table, {name: data.hierarchies[name] for name in quasi_identifiers}, sensitive)


def census(rows: int) -> Microdata:
    data = datasets.census(rows=rows, seed=1).without_levels()
    return encode(data.table, {name: data.hierarchies[name] for name in data.quasi_identifiers}, data.sensitive)


def correlated(rows: int, columns: int) -> Microdata:
    random = np.random.default_rng(columns)
    values = random.normal(size=(rows, columns)) + random.normal(size=(rows, 1))
    named: dict[str, Any] = {f"x{at}": np.round(values[:, at], 2) for at in range(columns)}
    return encode(pa.table(named), dict.fromkeys(named))


def on_adult() -> Iterator[Result]:
    eight = adult(QIS)
    for k, limit in EIGHT.items():
        for method in side_by_side():
            found = measure(f"Adult, 8 QIs, k={k}", method, eight, KAnonymity(k))
            best = method.name == "best"
            yield Result(
                f"{found.table}: {found.method}",
                found.loss,
                limit if best else None,
                unit="GCP",
                note=f"{found.seconds:.2f} s",
            )
    nine = adult((*QIS, "occupation"))
    for k, limit in NINE.items():
        found = measure(f"Adult, 9 QIs, k={k}", Best(SECONDS), nine, KAnonymity(k))
        yield Result(f"{found.table}: best", found.loss, limit, unit="GCP", note=f"{found.seconds:.2f} s")
    diverse = adult(QIS, ("occupation",))
    for l in (3, 5):  # noqa: E741
        yield against_hilbert(f"Adult, k=5, l={l}", Best(SECONDS), diverse, 0.75, KAnonymity(5), LDiversity(l))


def on_census() -> Iterator[Result]:
    microdata = census(200_000)
    for k in (10, 50, 100):
        yield against_hilbert(f"census, 200,000 rows, k={k}", Best(60.0), microdata, 0.60, KAnonymity(k))


def on_numbers() -> Iterator[Result]:
    for columns in range(2, 7):
        microdata = correlated(20_000, columns)
        yield against_hilbert(f"{columns} correlated numbers, k=10", Best(SECONDS), microdata, 0.93, KAnonymity(10))


def against_hilbert(table: str, method: Method, microdata: Microdata, limit: float, *models: PrivacyModel) -> Result:
    peer = measure(table, Hilbert(), microdata, *models)
    ours = measure(table, method, microdata, *models)
    note = f"{ours.loss:.4f} in {ours.seconds:.1f} s, Hilbert {peer.loss:.4f} in {peer.seconds:.2f} s"
    return Result(f"{table}: {method.name} / Hilbert", ours.loss / peer.loss, limit, note=note)


def default_method() -> Iterator[Result]:
    """The default against Hilbert in time and loss, and how its time grows."""
    times = {}
    for rows in (100_000, 800_000) if LIGHT else (100_000, 1_000_000, 3_200_000):
        microdata = census(rows)
        pairs = [
            (measure(f"census, {rows:,} rows, k=10", method, microdata, KAnonymity(10)), method)
            for _ in range(2)
            for method in (Hilbert(), Auto())
        ]
        peer = min((found for found, method in pairs if method == Hilbert()), key=lambda found: found.seconds)
        ours = min((found for found, method in pairs if method == Auto()), key=lambda found: found.seconds)
        times[rows] = ours.seconds
        limits = (5.0, 0.70) if rows == 1_000_000 else (None, None)
        yield Result(f"census, {rows:,} rows: time of auto / Hilbert", ours.seconds / peer.seconds, limits[0])
        yield Result(f"census, {rows:,} rows: loss of auto / Hilbert", ours.loss / peer.loss, limits[1])
        if rows == 1_000_000:
            refined = measure(f"census, {rows:,} rows, k=10", Refined(Hilbert()), microdata, KAnonymity(10))
            note = f"{refined.loss:.4f}, Hilbert {peer.loss:.4f}"
            yield Result(f"census, {rows:,} rows: Hilbert refined", refined.seconds, 300.0, unit="s", note=note)
    first, last = min(times), max(times)
    growth = times[last] / times[first] / (last / first)
    yield Result(f"time per row at {last:,} rows / at {first:,}", growth, 1.5)


def write_table() -> None:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "least_loss.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "method", "gcp", "seconds"])
        writer.writerows((run.table, run.method, f"{run.loss:.6f}", f"{run.seconds:.3f}") for run in RUNS)


def write_plots() -> None:
    """Draw the loss of every method against its time, a figure for each table of eight quasi-identifiers."""
    for number, table in enumerate(name for name in dict.fromkeys(run.table for run in RUNS) if "8 QIs" in name):
        found = [(run.method, run.seconds, run.loss) for run in RUNS if run.table == table]
        x, y = charts.Axis("seconds, logarithmic", log=True), charts.Axis("GCP", low=0)
        save(charts.points(f"What methods lose and take: {table}", x, y, found), f"least_loss-{number + 1}")
