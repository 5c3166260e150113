"""How near to the least possible loss, proven: Adult, census, Lands End, numbers; and what the printed bound costs.

``SFUMATO_SECONDS`` is the time that each search gets, 60 if it is not set; ``SFUMATO_TABLES`` names the tables to look
at, such as ``Adult,numbers``. The table goes to ``benchmarks/results/proven.csv``.
"""

from __future__ import annotations

import csv
import os
import time
from collections.abc import Iterator
from itertools import product

import numpy as np

from benchmarks.least_loss import QIS, adult, census, correlated
from benchmarks.measure import ADULT, RESULTS, Result, ratio
from sfumato import datasets
from sfumato.loss import METRICS, Mixed, RecodedTable, bound_by, gcp_bound
from sfumato.loss.bound.bound import CONFIDENCE, LEAST_SAMPLE, PAIRS, DistinctRows, lower_confidence
from sfumato.methods import Proven, Task
from sfumato.methods.warm_up import warm_up
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, Requirements
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses

SECONDS = float(os.environ.get("SFUMATO_SECONDS", "60"))
TABLES = os.environ.get("SFUMATO_TABLES", "Adult,nine,mixed,census,Lands End,numbers,cost").split(",")

#: What a minute and ten minutes should give on Adult with eight quasi-identifiers, by k: the bound, and the loss.
WANTED = {5: (0.0202, 0.0222), 10: (0.0335, 0.0365), 50: (0.078, 0.0875)}
WANTED_AT_LENGTH = {5: (0.0207, 0.0218), 10: (0.0342, 0.0359), 50: (0.0807, 0.086)}

#: What the printed bound of a large table may cost, against comparing pairs of rows alone.
COST = 2.0

ROWS: list[tuple[str, float, float, bool, float]] = []


def run() -> Iterator[Result]:
    ROWS.clear()
    parts = {
        "Adult": on_adult,
        "nine": on_nine,
        "mixed": on_mixed,
        "census": on_census,
        "Lands End": on_lands_end,
        "numbers": on_numbers,
        "cost": cost_of_the_bound,
    }
    for name in TABLES:
        yield from parts[name]()
        write_table()


def on_adult() -> Iterator[Result]:
    if not ADULT.exists():
        return
    wanted = WANTED if SECONDS < 600 else WANTED_AT_LENGTH
    table = adult(QIS)
    for k, (least, most) in wanted.items():
        yield proven(f"Adult, 8 QIs, k={k}", table, KAnonymity(k))
        _, loss, bound, _, _ = ROWS[-1]
        yield Result(f"Adult, 8 QIs, k={k}: loss / wanted loss", loss / most, 1.0, note=f"{loss:.5f} of {most}")
        yield Result(f"Adult, 8 QIs, k={k}: wanted bound / bound", least / bound, 1.0, note=f"{least} of {bound:.5f}")
        write_table()


def on_nine() -> Iterator[Result]:
    if ADULT.exists():
        table = adult((*QIS, "occupation"))
        yield from (proven(f"Adult, 9 QIs, k={k}", table, KAnonymity(k)) for k in (5, 10, 50))


def on_mixed() -> Iterator[Result]:
    """What the bound gains by knowing that sensitive values have to be mixed."""
    if not ADULT.exists():
        return
    table = adult(QIS, ("occupation",))
    for l in (2, 3, 5):  # noqa: E741
        yield proven(f"Adult, 8 QIs, k=5, l={l}", table, KAnonymity(5), LDiversity(l))
        plain = gcp_bound(table, 5)
        yield Result(f"Adult, k=5, l={l}: bound / that of k alone", ROWS[-1][2] / plain)


def on_census() -> Iterator[Result]:
    yield proven("census, 200,000 rows, k=10", census(200_000), KAnonymity(10))


def on_lands_end() -> Iterator[Result]:
    data = datasets.lands_end(rows=100_000, seed=1).without_levels()
    table = encode(data.table, {name: data.hierarchies[name] for name in data.quasi_identifiers}, ())
    yield proven("Lands End, 100,000 rows, k=10", table, KAnonymity(10))


def on_numbers() -> Iterator[Result]:
    for rows, columns in product((4_000, 20_000), range(1, 7)):
        table, name = correlated(rows, columns), f"{rows:,} rows of {columns} correlated numbers, k=10"
        printed = gcp_bound(table, 10)
        yield proven(name, table, KAnonymity(10))
        loss = ROWS[-1][1]
        note = f"printed {printed:.4f} in {printed.seconds:.1f} s, by prices: {printed.prices is not None}"
        yield Result(f"{name}: loss / printed bound", loss / printed, note=note)


def cost_of_the_bound() -> Iterator[Result]:
    table = census(1_000_000)
    found, ours, pairs = ratio(lambda: gcp_bound(table, 10), lambda: pairs_alone(table, 10), repeat=2)
    yield Result(
        "census, 1,000,000 rows: time of the bound / of pairs", found, COST, note=f"{ours:.1f} s, {pairs:.1f} s"
    )


def pairs_alone(microdata: Microdata, k: int) -> float:
    """What the bound of a large table did once: compare sampled rows with all others, and look at no box."""
    people = DistinctRows.of(microdata)
    rare = np.flatnonzero(people.counts < k)
    sample = np.random.default_rng(0).choice(rare, max(LEAST_SAMPLE, PAIRS // len(people)))
    return lower_confidence(people.least_losses(sample, k), 1 - CONFIDENCE) * len(rare) / len(microdata)


def proven(name: str, microdata: Microdata, *models: PrivacyModel) -> Result:
    """Search for a while; return the gap that was proven."""
    task = Task(microdata, Requirements(models, microdata))
    warm_up(task, Proven())
    begin = time.perf_counter()
    recoding = Proven(SECONDS).run(task)
    seconds = time.perf_counter() - begin
    assert not task.requirements.broken_by(recoding), f"{name}: a model is broken"
    loss = METRICS["gcp"].measure(RecodedTable(microdata, EquivalenceClasses.of(microdata, recoding)))
    prices = recoding.details.get("row_prices")
    if prices is not None:
        bound = bound_by(np.asarray(prices))
    else:
        bound = gcp_bound(microdata, task.requirements.smallest_class, mixed=Mixed.by(task.requirements))
    ROWS.append((name, loss, float(bound), bound.certified, seconds))
    sure = "" if bound.certified else f", {bound.confidence:.0%} sure"
    note = f"loss {loss:.4f}, bound {bound:.4f}{sure}, {seconds:.0f} s"
    return Result(f"{name}: above the least possible", (loss / bound - 1) * 100, unit="%", note=note)


def write_table() -> None:
    RESULTS.mkdir(exist_ok=True)
    with (RESULTS / "proven.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "gcp", "bound", "certified", "gap", "seconds"])
        for name, loss, bound, certified, seconds in ROWS:
            gap = f"{loss / bound - 1:.4f}" if bound else ""
            writer.writerow([name, f"{loss:.6f}", f"{bound:.6f}", certified, gap, f"{seconds:.1f}"])
