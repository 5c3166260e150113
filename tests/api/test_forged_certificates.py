"""Certificates that somebody edited: they can be made to say less, never more; and signatures say who made them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pytest
from tests.api.test_certify import people, released
from tests.cli.command import refused, run

import sfumato as sf
from sfumato.errors import DataError, ParameterError, SfumatoError
from sfumato.release.certificate_check import digest, file_record, seen_in

COLUMNS = {"all": ["age", "zip", "illness"], "quasi_identifiers": ["age", "zip"], "sensitive": ["illness"]}
K10 = {"model": "k-anonymity", "k": 10}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a file in which everybody can be found."""
    path = tmp_path_factory.mktemp("forged") / "original.csv"
    pyarrow.csv.write_csv(people().drop_columns(["name"]), path)
    return path


def forged(file: Path, promises: list[dict[str, Any]], **changes: Any) -> dict[str, Any]:
    """Write the certificate that somebody without a conscience would, with all figures right."""
    columns = changes.get("columns", COLUMNS)
    _, figures = seen_in(file, columns, [])
    by_rows = changes.get("counts", "rows") == "rows"
    record = {
        "certificate": 1,
        "file": file_record(file),
        "columns": columns,
        "counts": "rows",
        "promises": promises,
        "grounds": {},
        "achieved": figures["achieved"] if by_rows else None,
        "risk": {"before": {}, "after": figures["risk"]},
        "attacks": [],
        "not_tried": {},
        "preset": None,
        "versions": {},
    } | changes
    return record | {"digest": digest(record)}


def verdict(record: dict[str, Any], file: Path) -> str:
    """Say which of the three verdicts, or that there is none."""
    try:
        return sf.Certificate(record).check(file).summary().partition(":")[0]
    except SfumatoError:
        return "refused"


def test_people_need_as_many_rows(original: Path) -> None:
    assert verdict(forged(original, [K10], counts="people"), original) == "NOT verified"
    weak = forged(original, [{"model": "k-anonymity", "k": 1}], counts="people")
    assert verdict(weak, original) == "Partly verified"
    diverse = {"model": "l-diversity", "l": 3}
    for kind in ({}, {"kind": "distinct"}, {"kind": "entropy"}, {"kind": "recursive", "c": 9.0}):
        assert verdict(forged(original, [diverse | kind], counts="people"), original) == "NOT verified"
    for ceiling in ("average-risk", "unique-share"):
        model = {"model": ceiling, "limit": 0.1}
        assert verdict(forged(original, [model], counts="people"), original) == "NOT verified"
    disclosure = {"model": "delta-disclosure", "delta": 50.0}
    assert verdict(forged(original, [disclosure], counts="people"), original) == "NOT verified"


@pytest.mark.parametrize(
    "promise",
    [
        K10 | {"k": "given"},
        K10 | {"column": "given"},
        K10 | {"population": "given"},
        K10 | {"taxonomy": "given"},
        {"model": "l-diversity", "l": 3, "column": "given"},
        {"model": "l-diversity", "l": 3, "kind": "given"},
        {"model": "t-closeness", "t": 0.01, "distance": "equal", "taxonomy": "given"},
        {"model": "t-closeness", "t": 0.01, "distance": "given"},
        {"model": "average-risk", "limit": 0.1, "population": "given"},
        {"model": "k-map", "k": 10},
        {"model": "k-map", "k": -1, "population": "given"},
        {"model": "k-map", "k": "many", "population": "given"},
        {"model": "delta-presence", "low": 0.5, "high": 0.2, "population": "given"},
        {"model": "delta-presence", "low": 0.0, "high": 0.0, "population": "given"},
        {"model": "minimum-span", "column": "nowhere", "width": 5, "order": "given"},
        {"model": "given"},
        {"model": "perfect"},
        {"k": 10},
        K10 | {"k": True},
        K10 | {"k": None},
        K10 | {"k": [10]},
        K10 | {"k": 10**400},
        {"model": "l-diversity", "l": float("nan")},
        {"model": "l-diversity", "l": float("inf")},
        {"model": "t-closeness", "t": -1},
    ],
)
@pytest.mark.parametrize("counts", ["rows", "people"])
def test_a_word_does_not_spare_a_promise_its_check(promise: dict[str, Any], counts: str, original: Path) -> None:
    found = verdict(forged(original, [promise], counts=counts), original)
    unknown = counts == "people" and promise.get("model") == "t-closeness" and promise.get("distance") == "equal"
    assert found in ({"Partly verified"} if unknown else {"NOT verified", "refused"})


def test_what_is_withheld_is_named_and_never_verified(original: Path) -> None:
    for promise in (
        {"model": "k-map", "k": 10, "population": "given"},
        {"model": "t-closeness", "t": 0.1, "distance": "hierarchical", "taxonomy": "given"},
        {"model": "minimum-span", "column": "zip", "width": 2, "order": "given"},
    ):
        found = sf.Certificate(forged(original, [promise])).check(original)
        assert (found.ok, found.broken) == (False, False)
        assert f"Not checkable from this file: {promise['model']}" in found.summary()
        assert found.to_dict()["not_checkable"]


def test_fewer_columns_say_less_and_are_named(original: Path) -> None:
    columns = {"all": COLUMNS["all"], "quasi_identifiers": ["illness"], "sensitive": []}
    found = sf.Certificate(forged(original, [K10], columns=columns)).check(original)
    assert found.ok
    assert "others may know 'illness'; sensitive is nothing; no promise is about 'age', 'zip'" in found.summary()
    assert "not signed" in found.summary()


@pytest.mark.parametrize(
    "change",
    [
        {"promises": []},
        {"promises": {}},
        {"promises": ["k-anonymity"]},
        {"counts": "households"},
        {"counts": ["rows"]},
        {"certificate": True},
        {"columns": {"all": ["age"]}},
        {"columns": COLUMNS | {"sensitive": "illness"}},
        {"columns": COLUMNS | {"quasi_identifiers": []}},
        {"columns": COLUMNS | {"quasi_identifiers": ["age", "age"]}},
        {"columns": COLUMNS | {"quasi_identifiers": ["age", "illness"]}},
        {"preset": "hipaa"},
        {"verified_by": "the ministry"},
        {"achieved": {"k": 100}},
        {"risk": {"before": {}, "after": {"rows": 60, "people": 60, "prosecutor": {"highest": 0.0}}}},
        {"risk": {}},
        {"file": {"sha256": "", "bytes": 0}},
    ],
)
@pytest.mark.parametrize("counts", ["rows", "people"])
def test_what_certificates_do_not_say_is_refused(change: dict[str, Any], counts: str, original: Path) -> None:
    record = forged(original, [{"model": "k-anonymity", "k": 1}], counts=counts) | change
    record |= {"digest": digest(record)}
    assert verdict(record, original) in {"NOT verified", "refused"}


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace('"k": 10', '"k": 1, "k": 10'),
        lambda text: text.replace('"k": 10', '"k": NaN'),
        lambda text: text.replace('"k": 10', '"k": 1e999'),
        lambda text: text.replace('"k": 10', f'"k": {"1" * 5_000}'),
        lambda text: text.replace('"versions": {}', f'"versions": {"[" * 10_000}{"]" * 10_000}'),
        lambda text: text.replace('"versions": {}', f'"versions": {"[" * 90}{"]" * 90}'),
        lambda text: text + "{}",
    ],
)
def test_what_readers_could_read_differently_is_refused(
    edit: Callable[[str], str], original: Path, tmp_path: Path
) -> None:
    text = json.dumps(forged(original, [K10]))
    path = tmp_path / "certificate.json"
    path.write_text(edit(text), encoding="utf-8")
    assert edit(text) != text
    with pytest.raises(DataError, match="certificate"):
        sf.Certificate.read(path)


def test_every_person_certificate_of_ours_is_partly_verified(tmp_path: Path) -> None:
    table = people().append_column("whose", pa.array([at // 2 for at in range(60)]))
    release = released(table, person="whose", privacy=[sf.LDiversity(2, "entropy"), sf.AverageRisk(0.5)])
    release.write(tmp_path / "release.csv")
    path = tmp_path / "certificate.json"
    sf.certify(table, release, tmp_path / "release.csv", path, targets=5)
    done = run("check", tmp_path / "release.csv", "--certificate", path)
    assert done.code == 6, done.stdout
    assert done.stdout.startswith("Partly verified: 60 rows")
    assert "k-anonymity k=3, which people need in rows: holds" in done.stdout
    assert done.stdout.count("Not checkable from this file: ") == 1  # one reason, said once
    assert "k-anonymity (k=3), l-diversity (l=2, kind=entropy) and average-risk" in done.stdout
    assert "Only whoever has the original can count people" in done.stdout
    assert "achieved" not in done.stdout.splitlines()[-1]


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Make two pairs of keys, as openssl writes them."""
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    from cryptography.hazmat.primitives import serialization as form  # noqa: PLC0415

    folder, made = tmp_path_factory.mktemp("keys"), {}
    for name in ("owner", "other"):
        key = ed25519.Ed25519PrivateKey.generate()
        private = key.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, form.NoEncryption())
        public = key.public_key().public_bytes(form.Encoding.PEM, form.PublicFormat.SubjectPublicKeyInfo)
        made |= {f"{name}.key": folder / f"{name}.key", f"{name}.pub": folder / f"{name}.pub"}
        made[f"{name}.key"].write_bytes(private)
        made[f"{name}.pub"].write_bytes(public)
        os.chmod(made[f"{name}.key"], 0o600)
    return made


def test_a_signature_covers_everything_and_names_its_key(original: Path, keys: dict[str, Path]) -> None:
    plain = sf.Certificate(forged(original, [{"model": "k-anonymity", "k": 1}]))
    signed = plain.sign(keys["owner.key"])
    assert signed.check(original, public_key=keys["owner.pub"]).ok
    assert "name the owner's key" in signed.check(original).summary()
    assert not signed.check(original, public_key=keys["other.pub"]).ok
    assert not plain.check(original, public_key=keys["owner.pub"]).ok, "a signature that was taken away"
    for name in plain.record:
        edited = json.loads(json.dumps(signed.record))
        edited[name] = {"said": "more"} if name != "digest" else "0" * 64
        edited |= {} if name == "digest" else {"digest": digest(edited)}
        assert verdict(edited, original) in {"NOT verified", "refused"}, name
    swapped = dict(signed.record) | {"signature": plain.sign(keys["other.key"]).record["signature"]}
    assert not sf.Certificate(swapped).check(original, public_key=keys["owner.pub"]).ok
    for nonsense in ("", [], {}, {"algorithm": "Ed25519"}, dict(signed.record["signature"]) | {"signature": 7}):
        assert not sf.Certificate(dict(signed.record) | {"signature": nonsense}).check(original).ok


def test_keys_that_do_not_fit_are_refused(original: Path, keys: dict[str, Path], tmp_path: Path) -> None:
    plain = sf.Certificate(forged(original, [K10]))
    open_key = tmp_path / "open.key"
    open_key.write_bytes(keys["owner.key"].read_bytes())
    os.chmod(open_key, 0o644)
    with pytest.raises(ParameterError, match="read by others"):
        plain.sign(open_key)
    other = tmp_path / "other.key"
    other.write_text("-----BEGIN PRIVATE KEY-----\nnone\n-----END PRIVATE KEY-----\n", encoding="utf-8")
    os.chmod(other, 0o600)
    with pytest.raises(ParameterError, match="not a private key of Ed25519"):
        plain.sign(other)
    with pytest.raises(ParameterError, match="not a public key of Ed25519"):
        plain.sign(keys["owner.key"]).check(original, public_key=keys["owner.key"])
    with pytest.raises(ParameterError, match="does not exist"):
        plain.sign(tmp_path / "nowhere.key")


def test_the_command_line_signs_and_checks(keys: dict[str, Path], tmp_path: Path) -> None:
    table, file, path = tmp_path / "people.csv", tmp_path / "release.csv", tmp_path / "certificate.json"
    pyarrow.csv.write_csv(people(), table)
    ask = ("anonymize", table, "-o", file, "--qi", "age,zip", "--rest", "drop", "--method", "mondrian", "-k", 3)
    assert "--certificate" in refused(2, *ask, "--sign", keys["owner.key"])
    assert run(*ask, "--certificate", path, "--sign", keys["owner.key"]).code == 0
    assert run("check", file, "--certificate", path, "--public-key", keys["owner.pub"]).code == 0
    assert run("check", file, "--certificate", path, "--public-key", keys["other.pub"]).code == 1
    assert "--certificate" in refused(2, "check", file, "--qi", "age", "--public-key", keys["owner.pub"])
    again = tmp_path / "signed.json"
    assert run("sign", path, "--key", keys["other.key"], "-o", again).code == 0
    assert run("check", file, "--certificate", again, "--public-key", keys["other.pub"]).code == 0
    assert "same file" in refused(2, "sign", path, "--key", keys["other.key"], "-o", path, "--force", path)
    assert "exists already" in refused(4, "sign", path, "--key", keys["other.key"], "-o", again)


def test_without_the_library_the_pip_line_is_said(original: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    plain = sf.Certificate(forged(original, [K10]))
    with pytest.raises(SfumatoError, match=r"pip install 'sfumato\[sign\]'"):
        plain.sign("owner.key")
    with pytest.raises(SfumatoError, match=r"pip install 'sfumato\[sign\]'"):
        sf.Certificate({**plain.record, "signature": {"algorithm": "Ed25519"}}).check(original, public_key="owner.pub")
    assert plain.check(original).broken
