"""Certificates that somebody edits at random: what is called verified is true, by a judge that counts rows itself."""

from __future__ import annotations

import csv
import json
import random
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.fuzz.duration import rounds

import sfumato as sf
from sfumato.errors import SfumatoError
from sfumato.release.certificate_check import digest, seen_in

NUMBERS = [0, 1, 2, 3, 5, 40, -1, 10**30, 0.0, 0.1, 0.3, 0.5, 1.0, 2.5, 1e308, True]
WORDS = [
    "given",
    "rows",
    "people",
    "",
    "k-anonymity",
    "l-diversity",
    "average-risk",
    "unique-share",
    "k-map",
    "illness",
]
WORDS += ["distinct", "frequency", "entropy", "recursive", "age", "sex", "equal", "hierarchical", "perfect", "Verified"]
NAMES = ["model", "k", "l", "kind", "column", "limit", "population", "taxonomy", "t", "distance", "c", "order"]


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    file = tmp_path_factory.mktemp("certified") / "release.csv"
    rng = random.Random(1)
    people = pa.table(
        {
            "age": [rng.randrange(20, 60) for _ in range(80)],
            "sex": [rng.choice("fm") for _ in range(80)],
            "illness": [rng.choice(["flu", "ulcer", "asthma"]) for _ in range(80)],
        }
    )
    asked = {"privacy": [sf.AverageRisk(0.5), sf.UniqueShare(0.2)], "k": 3, "l": 2, "method": "mondrian", "seed": 1}
    release = sf.anonymize(people, quasi_identifiers=["age", "sex"], sensitive="illness", **asked)
    release.write(file)
    return file, dict(sf.certify(people, release, file, targets=5, seed=1).record)


def value(rng: random.Random) -> Any:
    made = [rng.choice(NUMBERS), rng.choice(WORDS), rng.choice(WORDS), None, [rng.choice(WORDS)], {}, float("nan")]
    return rng.choice([*made, rng.choice(NUMBERS)])


def is_whole(record: dict[str, Any]) -> bool:
    """Whether nobody has replaced the lists that edits go into."""
    promises, columns = record["promises"], record["columns"]
    lists = isinstance(promises, list) and all(isinstance(one, dict) for one in promises)
    return lists and isinstance(columns, dict) and bool(columns)


def edit(rng: random.Random, record: dict[str, Any]) -> None:
    """Change, add or remove something, most often in what decides about the verdict."""
    place = rng.choice(["promise", "promise", "promise", "columns", "counts", "any"]) if is_whole(record) else "any"
    if place == "promise" and record["promises"]:
        promise = rng.choice(record["promises"])
        act = rng.random()
        if act < 0.6:
            promise[rng.choice([*promise, rng.choice(NAMES)])] = value(rng)
        elif act < 0.8:
            promise.pop(rng.choice([*promise, ""]), None)
        else:
            record["promises"].append({"model": rng.choice(WORDS), rng.choice(NAMES): value(rng)})
    elif place == "columns":
        names = record["columns"][rng.choice(["quasi_identifiers", "sensitive"])]
        names.remove(rng.choice(names)) if names and rng.random() < 0.6 else names.append(rng.choice(["age", "sex"]))
    elif place == "counts":
        record["counts"] = rng.choice(["people", "rows", "given", 1])
    else:
        record[rng.choice(list(record))] = value(rng)


def repaired(record: dict[str, Any], file: Path) -> dict[str, Any]:
    """Make all figures and the digest right, as a careful forger would."""
    try:
        _, figures = seen_in(file, record["columns"], [])
        by_rows = record["counts"] == "rows"
        record["achieved"] = figures["achieved"] if by_rows else None
        record["risk"] = {"before": {}, "after": figures["risk"]}
    except (SfumatoError, KeyError, TypeError, AttributeError, ValueError):
        pass
    try:
        return record | {"digest": digest(record)}
    except (TypeError, ValueError):
        return record


def keeps(rows: list[dict[str, str]], record: dict[str, Any], promise: dict[str, Any]) -> bool | None:
    """Judge a promise by counting rows; None if this judge does not know the model."""
    groups: defaultdict[tuple[str, ...], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in record["columns"]["quasi_identifiers"])].append(row)
    sizes = [len(group) for group in groups.values()]
    if promise["model"] == "k-anonymity":
        return min(sizes) >= promise["k"]
    if promise["model"] == "average-risk":
        return len(sizes) / len(rows) <= promise["limit"] + 1e-6
    if promise["model"] == "unique-share":
        return sizes.count(1) / len(rows) <= promise["limit"] + 1e-6
    if promise["model"] == "l-diversity":
        named = promise.get("column")
        columns = [named] if named is not None else record["columns"]["sensitive"]
        counts = [Counter(row[one] for row in group) for group in groups.values() for one in columns]
        exact = promise.get("kind", "frequency") == "frequency" and record["counts"] == "rows"
        most = [sum(one.values()) / max(one.values()) if exact else len(one) for one in counts]
        return min(most) >= promise["l"] - 1e-6
    return None


def test_an_edited_certificate_never_says_more(certified: tuple[Path, dict[str, Any]]) -> None:
    file, original = certified
    with open(file, newline="", encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    verdicts: Counter[str] = Counter()
    for rng in rounds(1.0):
        record = json.loads(json.dumps(original))
        for _ in range(rng.choice([0, 1, 1, 2, 3])):
            edit(rng, record)
        record = repaired(record, file)
        try:
            found = sf.Certificate(record).check(file)
        except SfumatoError:
            verdicts["refused"] += 1
            continue
        verdicts[found.summary().partition(":")[0]] += 1
        if found.broken:
            continue
        judged = [keeps(rows, record, one) for one in record["promises"]]
        assert False not in judged, (rng, record["promises"], record["columns"], record["counts"])
        if found.ok:
            assert record["promises"]
            assert record["counts"] == "rows"
            assert record["preset"] is None
            assert not [one for one in record["promises"] if one["model"] in {"k-map", "delta-presence"}]
        else:
            assert found.not_checkable
    assert {"Verified", "NOT verified", "refused"} <= set(verdicts), verdicts
