"""What a certificate says of a file, recomputed from the file: proven, broken, or not checkable from it."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sfumato.assess.risk import assess
from sfumato.errors import SfumatoError, VerificationError, listed
from sfumato.io import open_source
from sfumato.io.checksum import HashedFile
from sfumato.release.check import check_source
from sfumato.release.signature import FIELD as SIGNATURE
from sfumato.release.signature import can_check, is_signed_by
from sfumato.verify.consequences import GIVEN, Provable, promise_in_words, provable
from sfumato.verify.verification import Achieved, RuleCheck, Unproven, Verification

#: What is counted: rows, unless people have several.
ROWS, PEOPLE = "rows", "people"
#: Figures computed on different machines may differ by rounding.
SAME = 1e-9

Record = Mapping[str, Any]
Place = str | os.PathLike[str]


def check_certificate(
    record: Record, file: Place, separator: str | None, encoding: str | None, public_key: Place | None
) -> Verification:
    """Recompute from a file all that a certificate says of it."""
    differs = [
        _compared("the certificate itself", record["digest"], digest(record)),
        _compared("bytes of the file", record["file"], file_record(file)),
        *_signature(record, public_key),
    ]
    parts = _provable(record)
    try:
        found = _recomputed(record, parts, file, separator, encoding)
    except SfumatoError as error:
        raise VerificationError(f"The file is not the one that was certified. {error}") from None
    return replace(
        found,
        checks=(*found.checks, *differs),
        notes=(*found.notes, *_assumed(record), *_about_signature(record, public_key)),
        not_checkable=tuple(_not_checkable(record, parts)),
    )


def _provable(record: Record) -> list[Provable]:
    """Tell what rows prove of every promise; a promise that makes no sense is none."""
    columns = record["columns"]
    try:
        return [
            provable(one, columns["quasi_identifiers"], columns["sensitive"], record["counts"] == PEOPLE)
            for one in record["promises"]
        ]
    except SfumatoError as error:
        raise VerificationError(f"The certificate promises what nothing can keep or check. {error}") from None


def _recomputed(
    record: Record, parts: Sequence[Provable], file: Place, separator: str | None, encoding: str | None
) -> Verification:
    """Recompute what the rows of a file show."""
    columns = record["columns"]
    names = list(open_source(file, separator=separator, encoding=encoding).columns)
    promised = [one.promised for one in parts if one.promised is not None]
    found, figures = seen_in(file, columns, promised, separator, encoding)
    by_rows = record["counts"] == ROWS
    differs = [
        _compared("columns", columns["all"], names),
        _compared("achieved figures", record["achieved"], figures["achieved"] if by_rows else None),
        _compared("figures of risk", record["risk"]["after"], figures["risk"])
        if by_rows
        else _no_less("figures of risk", record["risk"]["after"], figures["risk"]),
    ]
    follows = [one.follows for one in parts if one.follows is not None]
    needed = _needed(file, columns, follows, separator, encoding) if follows else ()
    # What rows achieve is not what people achieve.
    achieved = found.achieved if by_rows else Achieved(None, {})
    return replace(found, checks=(*found.checks, *needed, *differs), achieved=achieved)


def _needed(
    file: Place,
    columns: Mapping[str, Sequence[str]],
    follows: Sequence[Record],
    separator: str | None,
    encoding: str | None,
) -> tuple[RuleCheck, ...]:
    """Check what follows from promises about people, in rows."""
    source = open_source(file, separator=separator, encoding=encoding)
    found = check_source(source, columns["quasi_identifiers"], columns["sensitive"], follows)
    return tuple(replace(check, rule=f"{check.rule}, which people need in rows") for check in found.checks)


def _not_checkable(record: Record, parts: Sequence[Provable]) -> Iterator[Unproven]:
    """Name the promises that the file alone does not prove, and what is lacking."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for promise, part in zip(record["promises"], parts, strict=True):
        if part.lacking is not None:
            by_reason.setdefault((part.lacking, part.advice), []).append(promise_in_words(promise))
    for (lacking, advice), promises in by_reason.items():
        yield Unproven(tuple(promises), f"the file does not say {lacking}", advice)
    if record["preset"] is not None:
        yield Unproven(("the answers to the questions of a preset",), advice="Ask whoever answers for the release.")


def _assumed(record: Record) -> Iterator[str]:
    """Say what the verdict takes from the certificate without a way to check it."""
    columns = record["columns"]
    named = {*columns["quasi_identifiers"], *columns["sensitive"]}
    others = [name for name in columns["all"] if name not in named]
    yield (
        f"Assumed, as the certificate says: others may know {listed(columns['quasi_identifiers'])}; sensitive is "
        f"{listed(columns['sensitive']) or 'nothing'}; no promise is about {listed(others) or 'any other column'}."
    )
    yield "What it says about its grounds, the original and attacks cannot be recomputed from the file."


def _signature(record: Record, public_key: Place | None) -> Iterator[RuleCheck]:
    """Check the signature: against the owner's key if it is given, else against the key that the certificate names."""
    if public_key is not None:
        yield _compared("signature by the given key", True, is_signed_by(record, public_key))
    elif SIGNATURE in record and can_check():
        yield _compared("signature by the key that it names", True, is_signed_by(record))


def _about_signature(record: Record, public_key: Place | None) -> Iterator[str]:
    if SIGNATURE not in record:
        yield "The certificate is not signed: anybody could have written it."
    elif public_key is None:
        checked = "" if can_check() else " It was not checked, which needs: pip install 'sfumato[sign]'."
        yield f"Anybody could have signed the certificate: name the owner's key to check who did.{checked}"


def seen_in(
    file: Place,
    columns: Mapping[str, Sequence[str]],
    promises: Sequence[Record],
    separator: str | None = None,
    encoding: str | None = None,
) -> tuple[Verification, dict[str, Any]]:
    """What any reader finds in a file: whether the promises hold, what it achieves, and its risk."""
    source = open_source(file, separator=separator, encoding=encoding)
    known, sensitive = columns["quasi_identifiers"], columns["sensitive"]
    found = check_source(source, known, sensitive, promises)
    achieved = {name: value for name, value in found.to_dict().items() if name in {"rows", "classes", "k", "sensitive"}}
    table = source.read([*known, *sensitive], [*known, *sensitive])
    risk = assess(table, dict.fromkeys(known), sensitive)
    return found, json.loads(json.dumps({"achieved": achieved, "risk": risk.to_dict()}))


def recorded(promise: Record) -> dict[str, Any]:
    """Record a promise without anything that may list original values."""
    said = {name: value for name, value in promise.items() if value is not None and not _is_empty(value)}
    return {name: value if isinstance(value, str | int | float) else GIVEN for name, value in said.items()}


def _is_empty(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple) and not value


def digest(record: Mapping[str, Any]) -> str:
    """A hash of what a certificate says. It shows accidents; against forgery there is the signature."""
    said = {name: value for name, value in record.items() if name not in {"digest", SIGNATURE}}
    text = json.dumps(said, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def file_record(file: Place) -> dict[str, Any]:
    """What identifies the bytes of a file."""
    found = HashedFile.of(file)
    return {"sha256": found.sha256, "bytes": found.size}


def _compared(what: str, said: object, found: object) -> RuleCheck:
    """Whether what a certificate says is what the file shows."""
    return _difference(what, not _same(said, found))


def _no_less(what: str, said: Any, found: Record) -> RuleCheck:
    """Whether the highest risk of people is at least that of rows, and people are not more than rows."""
    try:
        highest = float(said["prosecutor"]["highest"]) >= found["prosecutor"]["highest"] - SAME
        counted = said["rows"] == found["rows"] and 0 < said["people"] <= found["rows"]
        return _difference(what, not (highest and counted))
    except (KeyError, TypeError, ValueError):
        return _difference(what, True)


def _difference(what: str, differs: bool) -> RuleCheck:
    return RuleCheck(f"certificate: {what}", None, 0, int(differs), "differences", int(differs), units="differences")


def _same(one: object, other: object) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)
    return type(one) is type(other) and one == other
