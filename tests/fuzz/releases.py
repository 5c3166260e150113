"""Random releases of hostile tables, held against what an outsider reads in the written file.

One number makes one case: ``python -m tests.fuzz.releases --seed 17 --cases 1`` repeats case 17 and tells about it;
``--seconds 3600`` searches for an hour from that seed on.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from tests.fuzz import outsider
from tests.fuzz.hostile import ANCESTORS, GRADES, ILLNESSES, Column, quasi_identifier, sensitive
from tests.fuzz.search import Finding, judged, refusal

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.methods import REGISTRY

FORMS = ("csv", "tsv", "jsonl", "parquet")
#: Minimum spans to ask for, in numbers, days or steps.
WIDTHS = {"number": [0.1, 0.3, 1, 2, 5, 10], "date": [1, 5, 28, 90, 364], "grade": [1, 2, 5]}
#: Marks what must never be released.
MARK = "zqsecret"


@dataclass(frozen=True)
class Case:
    """A table and what is asked of its release."""

    seed: int
    columns: list[Column]
    sensitive: list[Column]
    plain: Column | None
    rows: int
    request: dict[str, Any]
    promises: list[dict[str, Any]] = field(default_factory=list)
    form: str = "csv"
    frame: str = "arrow"

    def table(self) -> pa.Table:
        """Return the table, with a column of names that must not come out again."""
        made = {column.name: column.arrow for column in (*self.columns, *self.sensitive)}
        if self.plain is not None:
            made[self.plain.name] = self.plain.arrow
        return pa.table(made | {"who": [f"{MARK}{row}" for row in range(self.rows)]})

    def describe(self) -> str:
        """Return the case for people."""
        lines = [f"{name} = {value!r}" for name, value in self.request.items()]
        cells = [
            f"{column.name} ({column.kind}, {column.how!r}): {column.cells}"
            for column in (*self.columns, *self.sensitive)
        ]
        return "\n".join([*lines, f"{self.form}, {self.frame}", *cells])


def case(seed: int) -> Case:
    """Make the case of a seed."""
    rng = random.Random(seed)
    rows = rng.choice([rng.randint(2, 12), rng.randint(5, 30), rng.randint(20, 60)])
    columns = [quasi_identifier(rng, f"q{at}", rows) for at in range(rng.choice([1, 1, 2, 2, 3, 4]))]
    secret = [sensitive(rng, f"s{at}", rows) for at in range(rng.choice([0, 1, 1, 2]))]
    plain = sensitive(rng, "plain", rows) if rng.random() < 0.3 else None
    models, promises = _models(rng, columns, secret)
    intervals = rng.choice(["text", "text", "bounds", "midpoint", "mean"])
    if any(promise["model"] == "span" for promise in promises):
        intervals = rng.choice(["text", "bounds"])
    request: dict[str, Any] = {
        "quasi_identifiers": {column.name: column.how for column in columns},
        "sensitive": [column.name for column in secret],
        "plain": [] if plain is None else ["plain"],
        "confirm": [] if plain is None else ["plain"],
        "identifiers": "who",
        "privacy": models,
        "method": rng.choice(sorted(REGISTRY)),
        "suppression": rng.choice([0.0, 0.0, 0.1, 0.29, 1.0]),
        "missing": rng.choice(["category", "category", "suppress"]),
        "intervals": intervals,
        "keep_order": rng.random() < 0.3,
        "seed": rng.choice([None, seed]),
    }
    frame = rng.choice(["arrow", "arrow", "arrow", "pandas", "polars"])
    return Case(seed, columns, secret, plain, rows, request, promises, rng.choice(FORMS), frame)


def _models(rng: random.Random, columns: list[Column], secret: list[Column]) -> tuple[list[Any], list[dict[str, Any]]]:
    """Return privacy models, and the same as promises for whoever judges them."""
    k = rng.choice([1, 2, 2, 3, 5])
    models: list[Any] = [sf.KAnonymity(k)]
    promises: list[dict[str, Any]] = [{"model": "k", "k": k}]
    for column in secret:
        for model, promise in filter(None, (_diversity(rng, column), _closeness(rng, column))):
            models.append(model)
            promises.append(promise)
    scaled = [column for column in columns if column.scaled]
    if scaled and rng.random() < 0.4:
        column = rng.choice(scaled)
        width = rng.choice(WIDTHS[column.kind])
        models.append(sf.MinimumSpan(column.name, width))
        scale = {"order": GRADES} if column.kind == "grade" else {"calendar": column.kind == "date"}
        promises.append({"model": "span", "column": column.name, "width": width, **scale})
    return models, promises


def _diversity(rng: random.Random, column: Column) -> tuple[Any, dict[str, Any]] | None:
    if rng.random() < 0.4:
        return None
    kind = rng.choice(["frequency", "distinct", "entropy", "recursive"])
    l = rng.choice([1, 2, 2, 3] if kind in {"distinct", "recursive"} else [1, 1.5, 2, 2.5])  # noqa: E741
    c = rng.choice([1, 1.5, 3]) if kind == "recursive" else None
    promise = {"model": "l", "l": l, "kind": kind, "c": c, "column": column.name}
    return sf.LDiversity(l, kind=kind, c=c, column=column.name), promise


def _closeness(rng: random.Random, column: Column) -> tuple[Any, dict[str, Any]] | None:
    if rng.random() < 0.6:
        return None
    t = rng.choice([0.0, 0.2, 0.4, 0.6])
    promise = {"model": "t", "t": t, "column": column.name, "groups": ILLNESSES, "distance": "equal"}
    if column.kind == "number" and rng.random() < 0.6:
        return sf.TCloseness(t, distance="ordered", column=column.name), promise | {"distance": "ordered"}
    if column.kind == "illness" and rng.random() < 0.6:
        tree = sf.Taxonomy(ILLNESSES)
        return sf.TCloseness(t, distance="hierarchical", taxonomy=tree, column=column.name), promise | {
            "distance": "hierarchical"
        }
    return sf.TCloseness(t, column=column.name), promise


def run(one: Case, folder: Path) -> str:
    """Make the release of a case, write it and judge the file; return what became of it."""
    table: Any = one.table()
    if one.frame == "pandas":
        table = table.to_pandas(types_mapper=pd_types)
    elif one.frame == "polars":
        table = _polars(table)
    try:
        release = sf.anonymize(table, **one.request)
    except SfumatoError as error:
        return refusal(error)
    path = folder / f"release.{one.form}"
    try:
        release.write(path)
    except SfumatoError as error:
        return "not written: " + refusal(error)
    judge(one, release, path)
    return "released"


def pd_types(kind: pa.DataType) -> Any:
    """Let pandas keep whole numbers whole."""
    import pandas as pd  # noqa: PLC0415

    return pd.ArrowDtype(kind) if not pa.types.is_dictionary(kind) else None


def _polars(table: pa.Table) -> Any:
    import polars as pl  # noqa: PLC0415

    return pl.from_arrow(table)


def judge(one: Case, release: Any, path: Path) -> None:
    """Hold what readers see against what was promised."""
    if one.form != "parquet" and MARK in path.read_text(encoding="utf-8"):
        raise Finding("an identifier is in the file")
    for reader in outsider.READERS[one.form]:
        try:
            rows = reader(path)
        except Exception as error:
            raise Finding(f"{reader.__name__} cannot read the file: {error!r}") from error
        _judge_rows(one, release, rows, reader.__name__)
    frame = [
        {name: None if cell is None else str(cell) for name, cell in row.items()} for row in release.table.to_pylist()
    ]
    _judge_promises(one, frame, "the table itself")


def _shown(one: Case, header: list[str]) -> dict[str, list[str]]:
    return {
        column.name: [column.name] if column.name in header else [f"{column.name}_min", f"{column.name}_max"]
        for column in one.columns
    }


def _judge_rows(one: Case, release: Any, rows: list[outsider.Row], who: str) -> None:
    if len(rows) != one.rows - release.suppressed:
        raise Finding(f"{who} reads {len(rows)} rows of {one.rows}, and {release.suppressed} are said to be suppressed")
    lacking = sum(any(column.cells[row] is None for column in one.columns) for row in range(one.rows))
    left = one.rows - lacking if one.request["missing"] == "suppress" else one.rows
    if release.suppressed > int(one.request["suppression"] * left + 1e-6) + one.rows - left:
        raise Finding(f"{release.suppressed} rows are suppressed")
    if not rows:
        return
    if "who" in rows[0]:
        raise Finding("the identifier is a column of the file")
    _judge_promises(one, rows, who)
    _judge_truth(one, rows, who)


def _judge_promises(one: Case, rows: list[outsider.Row], who: str) -> None:
    if not rows:
        return
    shown = _shown(one, list(rows[0]))
    classes = outsider.classes_of(rows, [name for names in shown.values() for name in names])
    for promise in one.promises:
        fault = outsider.broken(promise, classes, shown)
        if fault:
            raise Finding(f"{who}: {fault}")


def _judge_truth(one: Case, rows: list[outsider.Row], who: str) -> None:
    """Find for every released row another original row of which all that it shows is true."""
    shown = _shown(one, list(rows[0]))
    averaged = one.request["intervals"] in {"midpoint", "mean"}
    tests = [_truth_of(column, shown[column.name]) for column in one.columns if not (averaged and _averageable(column))]
    tests += [_sameness_of(column) for column in (*one.sensitive, *([] if one.plain is None else [one.plain]))]
    fits = [[at for at in range(one.rows) if all(test(at, row) for test in tests)] for row in rows]
    if not outsider.matched(len(rows), fits):
        lost = [row for row, found in zip(rows, fits, strict=True) if not found]
        raise Finding(f"{who}: no original rows fit what is shown, such as {lost[:1]}")


def _averageable(column: Column) -> bool:
    return column.kind in {"number", "date", "moment"}


def _truth_of(column: Column, names: list[str]) -> Any:
    known: dict[Any, bool] = {}

    def test(at: int, row: outsider.Row) -> bool:
        cells = tuple(row[name] for name in names)
        key = (column.cells[at], cells)
        if key not in known:
            known[key] = outsider.is_true(column.kind, column.cells[at], cells, ANCESTORS, GRADES)
        return known[key]

    return test


def _sameness_of(column: Column) -> Any:
    return lambda at, row: outsider.same(column.cells[at], row[column.name])


def attempt(seed: int, folder: Path, method: str | None = None) -> str:
    """Run the case of a seed; whatever is found says how to repeat it."""
    one = case(seed)
    if method is not None:
        one.request["method"] = method
    return judged(lambda: run(one, folder), "tests.fuzz.releases", seed, one.describe())


def main() -> None:
    """Search for a while, and tell about everything that was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--method", default=None, help="always this method, and otherwise the same cases")
    given = parser.parse_args()
    counts, found = Counter[str](), 0
    end = time.monotonic() + given.seconds
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        for seed in range(given.seed, given.seed + given.cases):
            if time.monotonic() > end and seed > given.seed:
                break
            try:
                counts[attempt(seed, Path(folder), given.method)] += 1
            except Finding as finding:
                found += 1
                print(f"--- case {seed}\n{finding}\n", flush=True)
            if seed % 100 == 99:
                print(f"seed {seed}: {dict(counts)}, {found} found", flush=True)
    print(f"{counts.total()} cases, {dict(counts)}, {found} found", flush=True)


if __name__ == "__main__":
    main()
