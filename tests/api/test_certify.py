"""Certificates: a change of a file or of what is said about it is found, and no original value is in them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from tests.cli.command import run

import sfumato as sf
from sfumato.errors import DataError, SfumatoError, VerificationError
from sfumato.release.certificate_check import digest

ROLES = ["--qi", "age,zip", "--sensitive", "illness", "--identifiers", "name", "--method", "mondrian"]


def people(rows: int = 60, seed: int = 1) -> pa.Table:
    random = np.random.default_rng(seed)
    return pa.table(
        {
            "name": [f"PLANTEDname{at}" for at in range(rows)],
            "age": random.integers(20, 80, rows),
            "zip": random.choice([f"PLANTEDzip{at}" for at in range(20)], rows).tolist(),
            "illness": random.choice(["flu", "ulcer", "asthma"], rows).tolist(),
        }
    )


def released(table: pa.Table, **asked: Any) -> sf.Release:
    roles: dict[str, Any] = {"quasi_identifiers": ["age", "zip"], "sensitive": "illness", "rest": "drop"}
    return sf.anonymize(table, **roles | {"k": 3, "method": "mondrian", "seed": 1} | asked)


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, sf.Certificate]:
    file = tmp_path_factory.mktemp("certified") / "release.csv"
    release = released(people(), l=2)
    release.write(file)
    return file, sf.certify(people(), release, file, targets=20, seed=1)


def leaves(record: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where every single value of a record stands."""
    below = record.items() if isinstance(record, dict) else enumerate(record) if isinstance(record, list) else ()
    found = False
    for key, value in below:
        found = True
        yield from leaves(value, (*path, key))
    if not found:
        yield path


def edited(record: Any, path: tuple[Any, ...]) -> dict[str, Any]:
    """Return a copy of a record with one value changed."""
    copy = json.loads(json.dumps(record))
    at = copy
    for key in path[:-1]:
        at = at[key]
    value = at[path[-1]]
    at[path[-1]] = value + 1 if isinstance(value, int | float) and not isinstance(value, bool) else f"{value} or not"
    return copy


def test_a_file_keeps_what_its_certificate_says(certified: tuple[Path, sf.Certificate]) -> None:
    file, certificate = certified
    found = certificate.check(file)
    assert found.ok
    said = [check.rule for check in found.checks]
    assert said[0] == "k-anonymity k=3"
    assert sum(rule.startswith("certificate: ") for rule in said) == 5
    assert "\ncertificate: bytes of the file: holds\n" in found.summary()
    record = certificate.record
    assert [one["model"] for one in record["promises"]] == ["k-anonymity", "l-diversity"]
    assert record["achieved"]["k"] == released(people(), l=2).achieved.k
    assert record["risk"]["before"]["prosecutor"]["highest"] == 1
    tried = {one["attack"] for one in record["attacks"]}
    assert {"linkage", "singling out", "inference", "file channels"} <= tried
    assert set(record["not_tried"]) >= {"intersection"}


def test_every_flipped_byte_is_found(certified: tuple[Path, sf.Certificate], tmp_path: Path) -> None:
    file, certificate = certified
    content = file.read_bytes()
    changed = tmp_path / "changed.csv"
    for place in np.random.default_rng(1).choice(len(content), 25, replace=False).tolist():
        changed.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        said = _summary(certificate.record, changed)
        assert "bytes of the file: BROKEN" in said or "not the one that was certified" in said, place


def test_every_edit_of_a_certificate_is_found(certified: tuple[Path, sf.Certificate]) -> None:
    file, certificate = certified
    places = list(leaves(certificate.record))
    assert len(places) > 100
    for path in places:
        assert digest(edited(certificate.record, path)) != certificate.record["digest"] or path == ("digest",)
    for path in places[:: len(places) // 8]:
        said = _summary(edited(certificate.record, path), file)
        assert "the certificate itself: BROKEN" in said or "is not a certificate" in said, path


@pytest.mark.parametrize(
    "path",
    [
        ("file", "sha256"),
        ("file", "bytes"),
        ("columns", "all", 0),
        ("columns", "quasi_identifiers", 0),
        ("promises", 1, "l"),
        ("achieved", "k"),
        ("achieved", "sensitive", "illness", "t"),
        ("risk", "after", "prosecutor", "mean"),
    ],
)
def test_an_edit_that_also_repairs_the_digest_is_found_by_the_file(
    path: tuple[Any, ...], certified: tuple[Path, sf.Certificate]
) -> None:
    file, certificate = certified
    forged = edited(certificate.record, path)
    said = _summary(forged | {"digest": digest(forged)}, file)
    assert "the certificate itself: BROKEN" not in said
    assert "BROKEN" in said or "not the one that was certified" in said


def _summary(record: Mapping[str, Any], file: Path) -> str:
    try:
        return sf.Certificate(record).check(file).summary()
    except SfumatoError as error:
        return str(error)


def test_certificates_do_not_fit_each_others_files(certified: tuple[Path, sf.Certificate], tmp_path: Path) -> None:
    file, certificate = certified
    other = tmp_path / "other.csv"
    second = released(people(), l=2, seed=2)
    second.write(other)
    assert not certificate.check(other).ok
    assert not sf.certify(people(), second, other, targets=5).check(file).ok
    empty = tmp_path / "empty.csv"
    empty.write_bytes(b"")
    with pytest.raises(VerificationError):
        certificate.check(empty)


def _with_person(folder: Path) -> tuple[pa.Table, sf.Release]:
    table = people().append_column("whose", pa.array([at // 2 for at in range(60)]))
    return table, released(table, person="whose")


def _with_taxonomy(folder: Path) -> tuple[pa.Table, sf.Release]:
    table = people()
    rows = [[value, "PLANTEDgroup", "*"] for value in ("flu", "ulcer", "asthma")]
    return table, released(table, privacy=sf.TCloseness(0.9, distance="hierarchical", taxonomy=sf.Taxonomy(rows)))


def _with_population(folder: Path) -> tuple[pa.Table, sf.Release]:
    register = folder / "PLANTEDregister.csv"
    pyarrow.csv.write_csv(people(), register)
    return people(), released(people(), privacy=sf.KMap(4, population=register))


def _with_order(folder: Path) -> tuple[pa.Table, sf.Release]:
    order = sf.Ordered(sorted({f"PLANTEDzip{at}" for at in range(20)}))
    model = sf.MinimumSpan(column="zip", width=1)
    return people(), released(people(), quasi_identifiers={"age": None, "zip": order}, privacy=model)


def _with_preset(folder: Path) -> tuple[pa.Table, sf.Release]:
    table = people()
    return table, released(table, rest="plain", preset="hipaa-safe-harbor")


@pytest.mark.parametrize(
    ("make", "form"),
    [
        (_with_person, "csv"),
        (_with_taxonomy, "parquet"),
        (_with_population, "csv"),
        (_with_order, "jsonl"),
        (_with_preset, "tsv"),
    ],
)
def test_no_value_of_the_original_is_in_a_certificate(make: Any, form: str, tmp_path: Path) -> None:
    original, release = make(tmp_path)
    file, path = tmp_path / f"release.{form}", tmp_path / "certificate.json"
    release.write(file)
    sf.certify(original, release, file, path, targets=5, seed=1)
    text = path.read_text(encoding="utf-8")
    assert "PLANTED" not in text
    assert str(tmp_path) not in text
    assert str(release.manifest["options"]["seed"]) not in json.loads(text).values()
    found = sf.Certificate.read(path).check(file)
    assert not found.violations, found.summary()
    assert len(found.not_checkable) == 1, found.summary()
    assert found.summary().startswith("Partly verified")
    assert make is _with_preset or "since the file does not say wh" in str(found.not_checkable[0])


def test_bounds_are_certified_too(tmp_path: Path) -> None:
    release = released(people(), intervals="bounds")
    file = tmp_path / "bounds.csv"
    release.write(file)
    assert sf.certify(people(), release, file, targets=5).check(file).ok


def test_the_command_line_certifies_and_checks(tmp_path: Path) -> None:
    original, file, path = tmp_path / "people.csv", tmp_path / "release.csv", tmp_path / "certificate.json"
    pyarrow.csv.write_csv(people(), original)
    done = run("anonymize", original, "-o", file, *ROLES, "-k", 3, "--certificate", path)
    assert (done.code, f"wrote {path}" in done.stderr) == (0, True)
    checked = run("check", file, "--certificate", path)
    assert checked.code == 0
    assert "bytes of the file: holds" in checked.stdout
    file.write_bytes(file.read_bytes().replace(b"flu", b"ulcer", 1))
    assert run("check", file, "--certificate", path).code == 1
    assert run("check", file, "--certificate", path, "-k", 3).code == 2
    assert run("check", tmp_path / "nowhere.csv", "--certificate", path).code == 3
    assert run("anonymize", original, "-o", "-", *ROLES, "-k", 3, "--certificate", path).code == 2
    assert run("anonymize", original, "-o", file, *ROLES, "-k", 3, "--certificate", original).code == 2


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"certificate": 2}'])
def test_what_is_no_certificate_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "none.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match="certificate"):
        sf.Certificate.read(path)


def test_a_time_limit_ends_the_attacks_and_the_certificate_names_those_not_tried(tmp_path: Path) -> None:
    table = people()
    release = sf.anonymize(table, quasi_identifiers=["age"], rest="drop", k=3, seed=1)
    file = tmp_path / "release.csv"
    release.write(file)
    certificate = sf.certify(table, release, file, time_limit=1e-9, seed=1)
    assert "the time limit ended the run" in certificate.record["not_tried"]["linkage"]
    assert certificate.check(file).ok
