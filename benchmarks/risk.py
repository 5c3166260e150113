"""Risk of a table: time against a GROUP BY, minimal uniques, and estimators where the truth is known."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.measure import ADULT, Result, ratio, seconds
from sfumato.assess.risk.drivers import DistinctLooks, find_drivers
from sfumato.privacy.estimators import estimate

PEOPLE = 100_000


def run() -> Iterator[Result]:
    yield from against_group_by(1_000_000)
    yield from several_rows(1_000_000, 300_000)
    yield from uniques_of_adult()
    yield from estimators()
    yield from median_errors()


def against_group_by(rows: int) -> Iterator[Result]:
    """Compare with the least that any tool has to do: one GROUP BY on all quasi-identifiers."""
    census = sf.datasets.census(rows, seed=1)
    names = list(census.hierarchies)[:7]
    table = census.table.select(names)
    columns = ", ".join(f'"{name}"' for name in names)
    query = f"SELECT count(*), max(n) FROM (SELECT count(*) AS n FROM people GROUP BY {columns})"

    def peer() -> object:
        with duckdb.connect() as connection:
            connection.register("people", table)
            return connection.execute(query).fetchall()

    times, mine, theirs = ratio(lambda: sf.risk(table, quasi_identifiers=names), peer)
    note = f"{mine:.2f} s against {theirs:.2f} s"
    yield Result(f"risk of {rows:,} rows x {len(names)}, of a GROUP BY", times, 3, note=note)


def several_rows(rows: int, people: int) -> Iterator[Result]:
    """Compare counting people with counting rows: where people always look the same, and where they do not."""
    census = sf.datasets.census(people, seed=1)
    random = np.random.default_rng(1)
    whose = random.permutation(np.concatenate([np.arange(people), random.integers(0, people, rows - people)]))
    same = census.table.take(pa.array(whose)).append_column("whose", pa.array(whose))
    ages = pa.array(np.asarray(same["age"]) + random.integers(0, 3, rows))
    asked = {"quasi_identifiers": census.schema.quasi_identifiers, "sensitive": census.schema.sensitive}
    asked |= {"rest": "drop", "k": 10, "seed": 1}
    for looks, table in {
        "one look": same,
        "up to three": same.set_column(same.column_names.index("age"), "age", ages),
    }.items():
        for method in ("mondrian", "hilbert"):
            times, mine, theirs = ratio(
                lambda table=table, method=method: sf.anonymize(table, person="whose", method=method, **asked),
                lambda table=table, method=method: sf.anonymize(table, method=method, **asked),
                repeat=1,
            )
            title = f"{method}, {rows:,} rows of {people:,} people, {looks} each: of the same without person"
            yield Result(title, times, 4 if looks == "one look" else None, note=f"{mine:.2f} s against {theirs:.2f} s")
        times, mine, theirs = ratio(
            lambda table=table: sf.risk(table, quasi_identifiers=list(census.schema.quasi_identifiers), person="whose"),
            lambda table=table: sf.risk(table, quasi_identifiers=list(census.schema.quasi_identifiers)),
            repeat=1,
        )
        yield Result(f"risk of these, {looks} each", times, 4, note=f"{mine:.2f} s against {theirs:.2f} s")


def uniques_of_adult() -> Iterator[Result]:
    adult = sf.datasets.adult(ADULT).table
    found = sf.risk(adult, quasi_identifiers=adult.column_names)
    yield Result("minimal uniques of up to 3 of 9 columns, Adult", seconds(lambda: found.special_uniques(3)), 5, "s")
    looks = DistinctLooks.of(found.quasi_identifiers, found.counted)
    yield Result("drivers, Adult with 9 columns", seconds(lambda: find_drivers(looks)), 5, "s")


def estimators() -> Iterator[Result]:
    """Show how far each estimate is from the truth, in percent of the population."""
    random = np.random.default_rng(1)
    for name, cells in populations(random).items():
        truth = float((np.bincount(cells) == 1).sum())
        for fraction in (0.01, 0.1, 0.5):
            sample = np.bincount(random.choice(cells, int(fraction * len(cells)), replace=False))
            found = estimate(sample[sample > 0], len(cells))
            shares = ", ".join(f"{one} {count / len(cells):.1%}" for one, count in found.uniques.items())
            error = 100 * abs(found.expected - truth) / len(cells)
            note = f"truth {truth / len(cells):.1%}: {shares}; chosen {found.chosen}"
            yield Result(f"uniques of {name} cells from {fraction:.0%}: off by", error, unit="points", note=note)


def median_errors(draws: int = 15) -> Iterator[Result]:
    """Measure what Dankar and others (2012) report: the median relative error over draws, here of the chosen one."""
    random = np.random.default_rng(2)
    for name, cells in populations(random).items():
        truth = float((np.bincount(cells) == 1).sum())
        for fraction in (0.05, 0.1, 0.3, 0.5, 0.7):
            drawn = (random.choice(cells, int(fraction * len(cells)), replace=False) for _ in range(draws))
            samples = map(np.bincount, drawn)
            found = [estimate(sample[sample > 0], len(cells)) for sample in samples]
            errors = np.array([abs(one.expected - truth) / truth for one in found])
            low, middle, high = np.percentile(errors, [25, 50, 75])
            note = f"quartiles {low:.1%} and {high:.1%} of {draws} draws; chosen {found[0].chosen}"
            title = f"uniques of {name} cells from {fraction:.0%}: median relative error"
            yield Result(title, 100 * middle, unit="%", note=note)


def populations(random: np.random.Generator) -> dict[str, NDArray[np.int64]]:
    """People in cells of known chances, and a population of the slide model."""
    chances = {
        "Zipf": 1 / np.arange(1, 200_001),
        "lognormal": random.lognormal(0, 1.5, 30_000),
        "gamma": random.gamma(0.5, 1, 50_000),
        "equal": np.ones(20_000),
    }
    drawn = {name: random.choice(len(each), PEOPLE, p=each / each.sum()) for name, each in chances.items()}
    slide = 1 + random.negative_binomial(0.3, 0.05, 15_000)
    return drawn | {"slide": np.repeat(np.arange(len(slide)), slide)}
