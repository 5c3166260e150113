"""Attacks on what methods optimize: all methods, four tables, several k; and what each defence costs and stops."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import csv

import sfumato as sf
from benchmarks.measure import ADULT, NO_ADULT, RESULTS, Result
from sfumato.assess.attacks import AttackReport, Scenario, run_attacks
from sfumato.common.grouping import code_column
from sfumato.methods import Peeling, find_method

#: Tables of people beside the repository, where there are any.
TABLES = Path(os.environ.get("SFUMATO_TABLES", ADULT.parent / "tables"))
#: Rows of each table, so that everything takes minutes.
ROWS = 3_000
SIZES = (5, 20)
ATTACKS = ("refinement", "downcoding", "cell ends", "predicate singling out", "composition")
#: Methods that show all rows at the same levels have to give up a few, or everything becomes a star.
METHODS: dict[str, dict[str, Any]] = {
    "auto": {},
    "best": {"time_limit": 5},
    "proven": {"time_limit": 5},
    "refined": {},
    "peeling": {},
    "cell-generalization": {},
    "cell-suppression": {},
    "mondrian": {},
    "mondrian-relaxed": {},
    "best-cuts": {},
    "hilbert": {},
    "hilbert-fast": {},
    "idistance": {},
    "idistance-fast": {},
    "cost-aware": {},
    "top-down": {},
    "lattice": {"suppression": 0.05},
    "samarati": {"suppression": 0.05},
    "datafly": {"suppression": 0.05},
    "attribute-suppression": {"suppression": 0.05},
    "full-subtree": {"suppression": 0.05},
    "ordered-set-partition": {"suppression": 0.05},
    "full-subgraph": {"suppression": 0.05},
    "k-optimize": {"suppression": 0.05, "time_limit": 5},
    "enum-multi": {"suppression": 0.05, "time_limit": 5},
}
COLUMNS = (
    "GCP",
    "counts ruled out",
    "hidden values certain",
    "finer records",
    "cell ends",
    "1/e floor",
    "best predicate",
    "who it is, of two releases",
    "processor seconds",
)

Dataset = tuple[str, pa.Table, sf.Schema]


def tables() -> Iterator[Dataset]:
    """Yield the tables with their roles."""
    adult = sf.datasets.adult(ADULT)
    yield "Adult", some(adult.table), adult.schema
    census = sf.datasets.census(rows=ROWS, seed=1)
    yield "census", census.table, census.schema
    for name, known, secret in (
        ("diabetes", {"race": None, "gender": None, "age": None, "admission_type_id": None}, "diag_1"),
        (
            "nhanes",
            {"Gender": None, "Age": sf.Numeric(widths=[5, 10, 20]), "Race1": None, "Education": None},
            "HealthGen",
        ),
    ):
        if (path := TABLES / f"{name}.csv").exists():
            yield name, some(_read(path, [*known, secret])), sf.Schema(known, sensitive=secret)


def _read(path: Path, names: list[str]) -> pa.Table:
    options = csv.ConvertOptions(include_columns=names, null_values=["NA", ""], strings_can_be_null=True)
    return csv.read_csv(path, convert_options=options)


def some(table: pa.Table) -> pa.Table:
    """Draw the rows that are used."""
    rows = np.random.default_rng(1).permutation(table.num_rows)[:ROWS]
    return table.take(pa.array(np.sort(rows)))


def run() -> Iterator[Result]:
    """Write the three tables of the pages to files; the figures shown are seconds."""
    if not ADULT.exists():
        yield NO_ADULT
        return
    yield from _written("refinement_by_levels.md", greedy_table)
    yield from _written("attacks_by_method.md", method_table)
    yield from _written("attacks_under_l.md", diverse_table)
    yield from _written("defences.md", defence_table)


def _written(name: str, make: Callable[[], Iterator[str]]) -> Iterator[Result]:
    begin, lines = time.perf_counter(), []
    for line in make():
        lines.append(line)
        print(line, flush=True)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    yield Result(name, time.perf_counter() - begin, unit="s")


def method_table() -> Iterator[str]:
    """Attack releases of every method on every table."""
    yield "| table, k, method | " + " | ".join(COLUMNS) + " |"
    yield "|---|" + "---|" * len(COLUMNS)
    for (name, table, schema), k, method in itertools.product(tables(), SIZES, METHODS):
        release = made(table, schema, k, method)
        yield f"| {name}, {k}, {method} | {attacked(table, schema, release, k)} |"


#: Methods that differ in how they choose classes, for releases that keep l-diversity too.
DIVERSE = ("auto", "peeling", "cell-generalization", "mondrian", "hilbert", "lattice")


def diverse_table() -> Iterator[str]:
    """Attack releases that keep l-diversity beside those that keep k alone."""
    yield "| table, k, method | " + " | ".join((*COLUMNS, *BY_VALUE)) + " |"
    yield "|---|" + "---|" * len((*COLUMNS, *BY_VALUE))
    for (name, table, schema), method, diversity in itertools.product(tables(), DIVERSE, (None, 2)):
        models = "k = 5" if diversity is None else f"k = 5, l = {diversity}"
        try:
            release = made(table, schema, 5, method, l=diversity)
        except sf.errors.InfeasibleError:
            yield f"| {name}, {models}, {method} | infeasible |" + " |" * (len(COLUMNS) + len(BY_VALUE) - 1)
            continue
        yield f"| {name}, {models}, {method} | {attacked(table, schema, release, 5, SECRETS)} |"


def made(table: pa.Table, schema: sf.Schema, k: int, method: str, **more: Any) -> sf.Release:
    """Make a release; full-domain methods may leave out some rows."""
    options = dict(METHODS.get(method, {}))
    chosen: Any = find_method(method)
    if "time_limit" in options:
        chosen = replace(chosen, time_limit=options.pop("time_limit"))
    return sf.anonymize(table, schema, k=k, method=chosen, seed=1, **options, **more)


def attacked(
    table: pa.Table,
    schema: sf.Schema,
    release: sf.Release,
    k: int,
    more: Sequence[tuple[str, str]] = (),
) -> str:
    """Attack a release, beside one by Mondrian with another k, and write the cells of its row."""
    other = sf.anonymize(table, schema, k=k + 1, method="mondrian", seed=2)
    attacks = list(dict.fromkeys([*ATTACKS, *(name for name, _ in more)]))
    begin = time.process_time()
    report = sf.attack(table, release, previous=[other], attacks=attacks, seed=1, targets=300)
    spent = f"{time.process_time() - begin:.1f}"
    return " | ".join([f"{release.loss.gcp:.3f}", *cells(report, FIGURES), spent, *cells(report, more)])


#: The outcomes behind the columns, and those that l-diversity is about.
FIGURES = (
    ("refinement", "plausible counts of values"),
    ("refinement", "hidden values"),
    ("downcoding", ""),
    ("cell ends", ""),
    ("predicate singling out", "a random part"),
    ("predicate singling out", "the best found"),
    ("composition", "who it is"),
)
SECRETS = (("refinement", "people's"), ("composition", "certain"), ("inference", ""), ("homogeneity", ""))
BY_VALUE = (
    "sensitive value certain, refined",
    "certain, of two releases",
    "sensitive value guessed",
    "the same in the whole class",
)


def cells(report: AttackReport, figures: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Write each attack's rate over its baseline, in percent."""
    for name, variant in figures:
        found = [one for one in report.outcomes if one.attack == name and variant in one.variant]
        yield f"{100 * found[0].rate:.1f} / {100 * found[0].baseline:.1f}" if found else "-"


# The greedy order alone, as in the paper


def greedy_table() -> Iterator[str]:
    """Show rows at levels from fine to coarse, nothing narrowed, and ask what lies behind the coarse ones."""
    adult = sf.datasets.adult(ADULT)
    chosen = ["age", "sex", "race", "marital-status", "education"]
    names = [name for name in chosen if name in adult.schema.quasi_identifiers]
    hierarchies = {name: adult.schema.quasi_identifiers[name] for name in names}
    yield "| quasi-identifiers | k | in coarse classes | counts ruled out | of records | values certain | seconds |"
    yield "|---|---|---|---|---|---|---|"
    for many, k in itertools.product(range(2, len(names) + 1), (3, 5, 10, 20)):
        known = {name: hierarchies[name] for name in names[:many]}
        yield _greedy_row(adult.table.select([*known, *adult.schema.sensitive]), known, k)


def _greedy_row(table: pa.Table, known: dict[str, Any], k: int) -> str:
    release, share = by_levels(table, known, k)
    scene = Scenario(
        table,
        release,
        known,
        knows=tuple(known),
        targets=np.arange(300),
        promised={"k": k},
        row_of=np.arange(table.num_rows),
        random=np.random.default_rng(1),
    )
    begin = time.process_time()
    found = {one.variant: one for one in run_attacks(scene, ["refinement"]).outcomes}
    spent = time.process_time() - begin
    asked = ("plausible counts of values", "plausible counts of whole records", "hidden values")
    rates = [f"{100 * found[name].rate:.1f} %" if name in found else "-" for name in asked]
    return f"| {', '.join(known)} | {k} | {100 * share:.1f} % | {' | '.join(rates)} | {spent:.1f} |"


def by_levels(table: pa.Table, known: dict[str, Any], k: int) -> tuple[pa.Table, float]:
    """Recode greedily: the node with the least loss that shows at least k waiting rows alike, again and again."""
    columns = [_levels(table, name, hierarchy) for name, hierarchy in known.items()]
    nodes = list(itertools.product(*(range(len(levels)) for levels, _ in columns)))
    nodes = sorted(nodes, key=lambda node: (_loss(columns, node), sum(node), node))
    shown = np.full((table.num_rows, len(columns)), -1, np.int64)
    waiting = np.arange(table.num_rows)
    for node in nodes:
        if not len(waiting):
            break
        groups = np.stack([levels[at][waiting] for (levels, _), at in zip(columns, node, strict=True)], axis=1)
        _, which, counts = np.unique(groups, axis=0, return_inverse=True, return_counts=True)
        enough = counts[which.ravel()] >= k
        shown[waiting[enough]] = node
        waiting = waiting[~enough]
    tops = np.array([len(levels) - 1 for levels, _ in columns])
    shown = np.where(shown < 0, tops, shown)
    cells = {}
    for at, (name, (levels, labels)) in enumerate(zip(known, columns, strict=True)):
        cells[name] = [labels[level][levels[level][row]] for row, level in enumerate(shown[:, at].tolist())]
    others = {name: table[name] for name in table.column_names if name not in known}
    return pa.table({**cells, **others}), float((shown > 0).any(axis=1).mean())


def _levels(table: pa.Table, name: str, hierarchy: Any) -> tuple[list[NDArray[np.int64]], list[list[str]]]:
    """The group of every row at every level, and the label of every group."""
    coded = code_column(name, table.column(name))
    domain, code_of = hierarchy.fit(name, coded.values, has_missing=False)
    codes = code_of[coded.codes]
    return [level.groups[codes].astype(np.int64) for level in domain.levels], [
        level.labels.to_pylist() for level in domain.levels
    ]


def _loss(columns: list[tuple[list[NDArray[np.int64]], list[list[str]]]], node: tuple[int, ...]) -> float:
    """The geometric mean of how much of each column a group of its level holds, on average."""
    shares = [1 / len(labels[at]) for (_, labels), at in zip(columns, node, strict=True)]
    return float(np.prod([share + 1 for share in shares]) ** (1 / len(shares)) - 1)


# What helps


def defence_table() -> Iterator[str]:
    """Compare defences with the method they defend, on two tables."""
    yield "| table, k, defence | " + " | ".join(COLUMNS) + " |"
    yield "|---|" + "---|" * len(COLUMNS)
    for (name, table, schema), k in itertools.product(itertools.islice(tables(), 2), SIZES):
        for defence, make in defences(table, schema, k):
            yield f"| {name}, {k}, {defence} | {attacked(table, schema, make(), k)} |"


def defences(table: pa.Table, schema: sf.Schema, k: int) -> Iterator[tuple[str, Callable[[], sf.Release]]]:
    """Name each defence with how a release is made by it."""
    numbers = {name: None for name, one in schema.quasi_identifiers.items() if isinstance(one, sf.Numeric)}
    plain = sf.Schema({**schema.quasi_identifiers, **numbers}, sensitive=schema.sensitive)
    yield "none (peeling)", lambda: sf.anonymize(table, schema, k=k, method="peeling", seed=1)
    for asleep in (0.05, 0.3):
        yield (
            f"rows passed over at random, {asleep:g}",
            lambda asleep=asleep: sf.anonymize(table, schema, k=k, method=Peeling(asleep=asleep), seed=1),
        )
    yield "none (Hilbert)", lambda: sf.anonymize(table, plain, k=k, method="hilbert", seed=1)
    yield "ends on a grid (Hilbert)", lambda: sf.anonymize(table, plain, k=k, method="hilbert", ends="grid", seed=1)
    yield "a sample of half (peeling)", lambda: sf.anonymize(table, schema, k=k, method="peeling", sample=0.5, seed=1)
    levels = sf.anonymize(table, schema, k=k, method="lattice", suppression=0.05, seed=1).level_names
    yield (
        "levels fixed before (recode)",
        lambda: sf.recode(table, schema, levels=levels, k=k, suppression=0.1, seed=1),
    )
