"""Checks of what a release promises: its models, true values, and its number of rows."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any
from unittest import SkipTest

import pyarrow as pa

from sfumato.api.check import check
from sfumato.methods import Method
from sfumato.methods.base import MISSING, SEVERAL_SENSITIVE, SUPPRESSION
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel
from sfumato.release.release import Release
from sfumato.table.schema import Schema
from sfumato.testing.requests import COMBINATIONS, certain_release, release
from sfumato.testing.tables import REGIONS, SCHEMA, people

_VARIANTS = {
    "k-anonymity": (),
    "l-diversity": ("frequency", "distinct", "entropy", "recursive"),
    "t-closeness": ("equal", "ordered", "hierarchical", "numeric"),
    "beta-likeness": ("basic", "enhanced"),
    "delta-disclosure": (),
    "average-risk": (),
    "unique-share": (),
    "k-map": (),
    "delta-presence": (),
    "minimum-span": (),
}

#: Every word that `Method.unsupported` may hold.
FEATURES = {
    *_VARIANTS,
    *(f"{model} ({variant})" for model, variants in _VARIANTS.items() for variant in variants),
    SUPPRESSION,
    SEVERAL_SENSITIVE,
    MISSING,
}


def check_declaration(method: Method) -> None:
    """Check the declarations of a method: name, summary, kind of recoding, parameters, what it does not support."""
    assert method.name, "A method needs a name."
    assert method.name == method.name.lower(), f"'{method.name}' is not in lower case, as on the command line."
    assert method.summary.strip().endswith("."), f"'{method.name}' needs a summary of whole sentences."
    assert method.recoding in {"full-domain", "global", "local"}, f"Unknown kind of recoding: {method.recoding!r}."
    assert isinstance(method.order_free, bool), "order_free is True or False."
    unknown = set(method.unsupported) - FEATURES
    assert not unknown, f"'{method.name}' declares {sorted(unknown)} as unsupported; known are {sorted(FEATURES)}."
    json.dumps(method.parameters())


def check_models(method: Method) -> None:
    """Check that releases keep every combination of models, or that it is refused as declared."""
    table = people()
    released = [name for name, models in COMBINATIONS.items() if _keeps(method, name, table, models)]
    assert released, f"'{method.name}' refuses every combination of models."


def _keeps(method: Method, name: str, table: pa.Table, models: Sequence[PrivacyModel]) -> bool:
    made = release(method, table, privacy=models)
    if made is None:
        return False
    assert made.verify().ok, f"{name}: the release of '{method.name}' does not verify."
    rows = made.table.to_pylist()
    assert len(rows) == len(table), f"{name}: {len(table)} rows came in and {len(rows)} came out."
    again = check(made.data, quasi_identifiers=tuple(SCHEMA.quasi_identifiers), sensitive=SCHEMA.sensitive)
    groups = _groups(rows)
    smallest = min(map(len, groups.values()))
    assert (again.k, again.classes) == (smallest, len(groups)), f"{name}: the counts of the classes differ."
    _count_again(name, models, groups)
    return True


def _groups(rows: list[dict[str, Any]]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in SCHEMA.quasi_identifiers)].append(row)
    return groups


def _count_again(
    name: str, models: Sequence[PrivacyModel], groups: dict[tuple[Any, ...], list[dict[str, Any]]]
) -> None:
    """Recount the two plainest models by hand, so that a fault of the verifier shows, too."""
    for model in models:
        for group in groups.values():
            if isinstance(model, KAnonymity):
                assert len(group) >= model.k, f"{name}: a class has {len(group)} rows."
            if isinstance(model, LDiversity) and model.kind in {"frequency", "distinct"}:
                for column in [model.column] if model.column else SCHEMA.sensitive:
                    counts = Counter(row[column] for row in group)
                    found = len(group) / max(counts.values()) if model.kind == "frequency" else len(counts)
                    assert found >= model.l - 1e-9, f"{name}: a class has l={found} of '{column}'."


def check_truth(method: Method) -> None:
    """Check that what is shown of each row is true of it, and that its other values are unchanged."""
    table = people(90, seed=1)
    made = certain_release(method, table, keep_order=True, intervals="bounds")
    assert made.table.num_rows == len(table), f"'{method.name}' leaves rows out that it was not asked to."
    for original, shown in zip(table.to_pylist(), made.table.to_pylist(), strict=True):
        for name in ("illness", "income", "visits"):
            assert shown[name] == original[name], f"'{method.name}' changes the column '{name}'."
        for name in ("age", "born"):
            inside = _is_between(original[name], shown[f"{name}_min"], shown[f"{name}_max"])
            assert inside, f"'{method.name}' shows an interval of '{name}' that the row is not in."
        _check_categories(method, original, shown)
    _check_one_quasi_identifier(method, table)


def _check_one_quasi_identifier(method: Method, table: pa.Table) -> None:
    roles = {"quasi_identifiers": "age", "sensitive": "illness", "rest": "drop"}
    made = certain_release(method, table, keep_order=True, intervals="bounds", **roles).table
    for age, low, high in zip(table["age"], made["age_min"], made["age_max"], strict=True):
        inside = _is_between(age.as_py(), low.as_py(), high.as_py())
        assert inside, f"'{method.name}' shows an interval that a row is not in, where there is one quasi-identifier."


def _is_between(value: Any, low: Any, high: Any) -> bool:
    """Whether a value lies within bounds; missing bounds include everything."""
    return (low is None and high is None) or bool(low <= value <= high)


def _check_categories(method: Method, original: dict[str, Any], shown: dict[str, Any]) -> None:
    region = next(name for name, cities in REGIONS.items() if original["city"] in cities)
    true = {
        "sex": shown["sex"] in {"*", original["sex"]},
        "zip": original["zip"].startswith(shown["zip"].rstrip("*")),
        "city": shown["city"] in {"*", region, original["city"]},
    }
    wrong = [name for name, is_true in true.items() if not is_true]
    assert not wrong, f"'{method.name}' shows something of {wrong} that is not true of the row."


def check_equal_rows(method: Method) -> None:
    """Check that equal rows are shown alike, if the method declares that."""
    if method.recoding == "local":
        raise SkipTest(f"'{method.name}' recodes locally: equal rows may be shown differently.")
    few = people(20, seed=2)
    table = pa.concat_tables([few] * 4)
    made = certain_release(method, table, keep_order=True)
    shown = made.table.select(list(SCHEMA.quasi_identifiers)).to_pylist()
    for place, row in enumerate(shown):
        assert row == shown[place % len(few)], f"'{method.name}' shows two equal rows differently."


def check_suppression(method: Method) -> None:
    """Check that at most the allowed rows are suppressed, that all others are released, and that needed ones are."""
    table = people(100, seed=3)
    for share in (0.0, 0.05, 0.3):
        made = release(method, table, suppression=share)
        if made is not None:
            _check_rows(method, made, len(table), share)
    lopsided = table.set_column(
        table.column_names.index("illness"), "illness", [["flu"] * 60 + ["acne", "eczema"] * 20]
    )
    needed = release(method, lopsided, privacy=LDiversity(2, column="illness"), suppression=0.25)
    if needed is not None:
        _check_rows(method, needed, len(table), 0.25)
        assert needed.suppressed >= 20, "20 rows have to be left out here."


def check_people(method: Method) -> None:
    """Check that every class has enough people where people have several rows, and that the person is not released."""
    table = people(120, seed=4).append_column("patient", pa.array([number % 45 for number in range(120)]))
    schema = Schema(SCHEMA.quasi_identifiers, SCHEMA.sensitive, SCHEMA.identifiers, SCHEMA.plain, person="patient")
    if "k-anonymity" in method.unsupported:
        raise SkipTest(f"'{method.name}' does not support k-anonymity.")
    made = release(method, table, schema=schema, privacy=(KAnonymity(3),), keep_order=True)
    if made is None:
        return
    assert "patient" not in made.table.column_names, f"'{method.name}' releases whose row it is."
    groups: dict[tuple[Any, ...], set[int]] = defaultdict(set)
    for number, row in enumerate(made.table.to_pylist()):
        groups[tuple(row[name] for name in schema.quasi_identifiers)].add(number % 45)
    assert min(map(len, groups.values())) >= 3, f"'{method.name}' makes a class of fewer than three people."


def _check_rows(method: Method, made: Release, rows: int, share: float) -> None:
    allowed = int(share * rows)
    assert made.suppressed <= allowed, f"'{method.name}' left out {made.suppressed} rows; {allowed} are allowed."
    assert made.table.num_rows == rows - made.suppressed, f"'{method.name}' lost rows without counting them."
    assert made.verify().ok, made.verify().summary()
