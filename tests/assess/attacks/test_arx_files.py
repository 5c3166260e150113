"""Files as ARX writes them: semicolons, ``[20, 40[``, ``>=80``, ``{a, b}``, ``476**``, and stars for whole rows."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.errors import DataError
from sfumato.hierarchies.reading import read_release

KNOWN = ("age", "job", "zip")
JOBS = {"clerk": "{clerk, teacher}", "teacher": "{clerk, teacher}", "nurse": "{cook, nurse}", "cook": "{cook, nurse}"}
OPTIMALITY = ("refinement", "downcoding", "predicate singling out", "composition")


def people(rows: int, seed: int = 1) -> list[tuple[int, str, str, str]]:
    random = np.random.default_rng(seed)
    draws = (
        np.clip(random.normal(45, 18, rows), 12, 95).astype(int),
        random.choice(list(JOBS), rows, p=[0.4, 0.3, 0.2, 0.1]),
        47_600 + random.choice([1, 2, 11, 12], rows),
        random.choice(["flu", "gout", "ulcer"], rows),
    )
    return [(int(age), str(job), str(zip_), str(ill)) for age, job, zip_, ill in zip(*draws, strict=True)]


def interval(age: int, width: int) -> str:
    """The label of ARX's interval builder, with ages below 20 and from 80 on in one group each."""
    if age < 20 or age >= 80:
        return "<20" if age < 20 else ">=80"
    low = age - (age - 20) % width
    return f"[{low}, {low + width}["


#: Every level of every column, from the value to ``*``.
LEVELS = (
    (str, lambda age: interval(age, 10), lambda age: interval(age, 30), lambda _: "*"),
    (str, JOBS.__getitem__, lambda _: "*"),
    (str, lambda code: code[:4] + "*", lambda code: code[:3] + "**", lambda _: "*"),
)


def shown(row: tuple[Any, ...], node: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(levels[at](value) for levels, at, value in zip(LEVELS, node, row, strict=False))


def full_domain(rows: list[tuple[Any, ...]], node: tuple[int, ...], k: int) -> list[tuple[str, ...]]:
    """One node for all; rows of small classes stay in the file as stars, with what is not a quasi-identifier."""
    sizes = Counter(shown(row, node) for row in rows)
    return [(*(cells if sizes[cells] >= k else ("*",) * 3), row[3]) for row in rows for cells in [shown(row, node)]]


def by_local_recoding(rows: list[tuple[Any, ...]], k: int) -> list[tuple[str, ...]]:
    """Show all rows at the finest node that k of those who wait share, from fine to coarse."""
    nodes = sorted(product(*(range(len(levels)) for levels in LEVELS)), key=lambda node: (sum(node), node))
    done: dict[int, tuple[str, ...]] = {}
    for node in nodes:
        sizes = Counter(shown(row, node) for at, row in enumerate(rows) if at not in done)
        for at, row in enumerate(rows):
            if at not in done and sizes[shown(row, node)] >= k:
                done[at] = shown(row, node)
    return [(*done.get(at, ("*",) * 3), row[3]) for at, row in enumerate(rows)]


def write(path: Path, rows: list[tuple[Any, ...]], separator: str = ";") -> Path:
    path.write_text("\n".join(separator.join(map(str, row)) for row in [(*KNOWN, "ill"), *rows]) + "\n", "utf-8")
    return path


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    rows = people(400)
    for at, name in enumerate(KNOWN):
        values = sorted({row[at] for row in rows})
        lines = [";".join(level(value) for level in LEVELS[at]) for value in values]
        (tmp_path / f"{name}-levels.csv").write_text("\n".join(lines) + "\n", "utf-8")
    return {
        "original": write(tmp_path / "people.csv", rows, ","),
        "local": write(tmp_path / "local.csv", by_local_recoding(rows, 4)),
        "full": write(tmp_path / "full.csv", full_domain(rows, (1, 1, 1), 4)),
        "folder": tmp_path,
    }


def test_every_cell_is_read_as_what_it_says() -> None:
    rows = people(200)
    released = [shown(row, node) for row in rows for node in product(range(4), range(3), range(4))]
    original = pa.table({name: [row[at] for row in rows] for at, name in enumerate(KNOWN)})
    release = pa.table({name: [row[at] for row in released] for at, name in enumerate(KNOWN)})
    reading = read_release(original, release, dict.fromkeys(KNOWN))
    for at, column in enumerate(reading.columns):
        cells = dict(zip(column.cell_of_row.tolist(), (row[at] for row in released), strict=True))
        covers = column.covers(column.original)
        for cell, text in cells.items():
            fits = [any(level(row[at]) == text for level in LEVELS[at]) for row in rows]
            assert covers[:, cell].tolist() == fits, text


@pytest.mark.parametrize(
    ("cell", "fits"),
    [
        ("[20, 40[", [20, 39]),
        ("[20, 40]", [20, 39, 40]),
        ("]20, 40]", [39, 40]),
        ("(20, 40]", [39, 40]),
        ("]20, 40[", [39]),
        (">=40", [40, 41]),
        (">40", [41]),
        ("<=20", [20]),
        ("< 40", [20, 39]),
        ("{20, 41}", [20, 41]),
        ("{41}", [41]),
        ("*", [20, 39, 40, 41]),
    ],
)
def test_notations_of_numbers(cell: str, fits: list[int]) -> None:
    ages = [20, 39, 40, 41]
    [column] = read_release(pa.table({"age": ages}), pa.table({"age": [cell]}), {"age": None}).columns
    assert [age for age, yes in zip(ages, column.covers(column.original)[:, 0], strict=True) if yes] == fits


def test_notations_of_days_decimals_and_names_with_commas() -> None:
    original = pa.table(
        {
            "born": pa.array([0, 31, 365], pa.int32()).cast(pa.date32()),
            "weight": [1.5, 2.25, 3.0],
            "job": ["cook, nurse", "cook", "clerk"],
        }
    )
    cells = {"born": "[01.01.1970, 01.01.1971[", "weight": "[1,5, 2,25[", "job": "{cook, nurse, clerk}"}
    reading = read_release(original, pa.table({name: [cell] for name, cell in cells.items()}), dict.fromkeys(cells))
    covered = [column.covers(column.original)[:, 0].tolist() for column in reading.columns]
    assert covered == [[True, True, False], [True, False, False], [True, False, True]]


def test_null_is_a_missing_value_unless_a_value_is_called_so() -> None:
    original = pa.table({"age": [20, None], "job": [None, "cook"], "code": ["NULL", "x"]})
    release = pa.table({"age": ["NULL"], "job": ["NULL"], "code": ["NULL"]})
    reading = read_release(original, release, dict.fromkeys(original.column_names))
    covered = [column.covers(column.original)[:, 0].tolist() for column in reading.columns]
    assert covered == [[False, True], [True, False], [True, False]]


def test_a_code_that_is_cut_off_names_its_hierarchy() -> None:
    with pytest.raises(DataError, match="read with 'prefix'"):
        read_release(pa.table({"zip": [47601]}), pa.table({"zip": ["4760*"]}), {"zip": None})


@pytest.mark.parametrize("cell", ["[20; 40[", "{20, x}", "[20, 40", "1,500", ">=x"])
def test_a_cell_that_nobody_can_read_is_refused_without_a_value(cell: str) -> None:
    table = pa.table({"age": [20, 39]})
    with pytest.raises(DataError, match="Give the hierarchy that the release was made with"):
        read_release(table, pa.table({"age": [cell]}), {"age": None})


def attacked(files: dict[str, Path], release: Path, *more: str, levels: bool = True) -> dict[str, Any]:
    roles = [part for name in KNOWN for part in ("--qi", name)]
    told = [part for name in KNOWN for part in ("--hierarchy", f"{name}={files['folder'] / f'{name}-levels.csv'}")]
    told = told if levels else ["--hierarchy", "zip=prefix"]
    asked = [*roles, "--sensitive", "ill", *told, "-k", "4", "--seed", "1", "--targets", "200", "--json", *more]
    done = run("attack", str(files["original"]), str(release), *asked)
    assert done.code == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("levels", [True, False])
@pytest.mark.parametrize("kind", ["local", "full"])
def test_attacks_on_optimality_run_on_a_file_of_arx(kind: str, levels: bool, files: dict[str, Path]) -> None:
    previous = write(files["folder"] / "second.csv", full_domain(people(400), (2, 0, 2), 4))
    chosen = [part for name in OPTIMALITY for part in ("--attack", name)]
    report = attacked(files, files[kind], *chosen, "--previous", str(previous), levels=levels)
    tried = {one["attack"] for one in report["attacks"]}
    assert tried >= {"downcoding", "predicate singling out", "composition"}
    found = {(one["attack"], one["variant"]): one for one in report["attacks"]}
    if levels:
        assert "refinement" in tried
    if levels and kind == "local":
        assert found["refinement", "plausible counts of values"]["rate"] > 0.1
    assert found["composition", "who it is"]["rate"] > found["composition", "who it is"]["baseline"]


def test_the_notation_changes_no_result(files: dict[str, Path]) -> None:
    rows = [line.split(";") for line in files["local"].read_text("utf-8").splitlines()[1:]]

    def as_sfumato(age: str) -> str:
        if age.startswith(">="):
            return f"{age[2:]}+"
        return age[:-1] + ")" if age.endswith("[") else age

    same = [(as_sfumato(row[0]), *row[1:]) for row in rows]
    table = {name: [row[at] for row in same] for at, name in enumerate((*KNOWN, "ill"))}
    original = pa.table({name: [row[at] for row in people(400)] for at, name in enumerate((*KNOWN, "ill"))})
    told: dict[str, Any] = {
        "quasi_identifiers": {"age": None, "job": None, "zip": sf.Prefix()}, "sensitive": "ill", "k": 4, "seed": 1
    }  # fmt: skip
    first, second = (sf.attack(original, one, **told) for one in (files["local"], pa.table(table)))
    wanted = {(one.attack, one.variant): one.rate for one in second}
    assert {(one.attack, one.variant): one.rate for one in first if one.attack != "file channels"} == wanted
