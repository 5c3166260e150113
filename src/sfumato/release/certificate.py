"""A certificate: what is known about one released file, read, written and checked against the file."""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.assess.risk import assess
from sfumato.common.textfiles import parsed_json, read_text
from sfumato.errors import DataError, SfumatoError, SourceError, VerificationError, listed
from sfumato.io import open_source, write_text
from sfumato.io.checksum import HashedFile
from sfumato.release.check import check_source
from sfumato.verify.verification import RuleCheck, Verification

VERSION = 1
#: Placeholder for details of a promise that a certificate must not hold, since a list may contain original values.
GIVEN = "given"
#: What is counted, unless people have several rows.
ROWS = "rows"
#: Figures computed on different machines may differ by rounding.
SAME = 1e-9

KEYS = (
    "certificate",
    "file",
    "columns",
    "counts",
    "promises",
    "achieved",
    "risk",
    "attacks",
    "not_tried",
    "preset",
    "versions",
    "digest",
)


@dataclass(frozen=True)
class Certificate:
    """What is known about one released file; it holds no value of the original.

    Attributes
    ----------
    record
        Everything, as plain values: ``file`` (its hash and size), ``columns``, ``promises``, ``achieved``, ``risk``
        before and after, ``attacks`` and those ``not_tried``, ``preset``, ``versions``, ``digest``.
    """

    record: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a certificate from its file."""
        text = read_text(Path(path), "The certificate", SourceError)
        damaged = DataError(f"The certificate {path} is not JSON. It may be another file, or damaged.")
        record = parsed_json(text, lambda _: damaged)
        lacking = [key for key in KEYS if not isinstance(record, dict) or key not in record]
        if lacking or record["certificate"] != VERSION:
            said = f"it lacks {listed(lacking)}" if lacking else f"its version is not {VERSION}"
            raise DataError(f"{path} is not a certificate of this version of Sfumato: {said}.")
        return cls(record)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate as JSON, atomically."""
        write_text(path, json.dumps(self.record, indent=2, ensure_ascii=False) + "\n")

    def check(
        self, file: str | os.PathLike[str], separator: str | None = None, encoding: str | None = None
    ) -> Verification:
        """Recompute all that a file allows; every difference from the certificate is a broken rule.

        Parameters
        ----------
        file
            The released file.
        separator, encoding
            As in `anonymize`.
        """
        differs = [
            _compared("the certificate itself", self.record["digest"], digest(self.record)),
            _compared("bytes of the file", self.record["file"], file_record(file)),
        ]
        try:
            found = self._recomputed(file, separator, encoding)
        except SfumatoError as error:
            raise VerificationError(f"The file is not the one that was certified. {error}") from None
        return replace(found, checks=(*found.checks, *differs))

    def _recomputed(self, file: str | os.PathLike[str], separator: str | None, encoding: str | None) -> Verification:
        """Recompute what the rows of a file show."""
        columns = self.record["columns"]
        names = list(open_source(file, separator=separator, encoding=encoding).columns)
        differs = [_compared("columns", columns["all"], names)]
        promises = [one for one in self.record["promises"] if not is_withheld(one)]
        by_rows = self.record["counts"] == ROWS
        found, figures = seen_in(file, columns, promises if by_rows else (), separator, encoding)
        if by_rows:
            differs.append(_compared("achieved figures", self.record["achieved"], figures["achieved"]))
            differs.append(_compared("figures of risk", self.record["risk"]["after"], figures["risk"]))
        notes = (*found.notes, *self._not_recomputed())
        return replace(found, checks=(*found.checks, *differs), notes=notes)

    def _not_recomputed(self) -> Iterator[str]:
        yield "What is said about the original, and the attacks on it, cannot be recomputed from the file."
        if self.record["counts"] != ROWS:
            yield "People have several rows, and the file does not say whose: promises and risk are not recomputed."
        withheld = [one["model"] for one in self.record["promises"] if is_withheld(one)]
        if withheld:
            yield f"{listed(withheld)}: needs a taxonomy, an order or a population, so it is not recomputed."


def seen_in(
    file: str | os.PathLike[str],
    columns: Mapping[str, Sequence[str]],
    promises: Sequence[Mapping[str, Any]],
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


def recorded(promise: Mapping[str, Any]) -> dict[str, Any]:
    """Record a promise without anything that may list original values."""
    said = {name: value for name, value in promise.items() if value is not None and not _is_empty(value)}
    return {name: value if isinstance(value, str | int | float) else GIVEN for name, value in said.items()}


def _is_empty(value: object) -> bool:
    return isinstance(value, Mapping | list | tuple) and not value


def is_withheld(promise: Mapping[str, Any]) -> bool:
    """Whether a certificate leaves out what the verifier needs to check a promise."""
    return GIVEN in promise.values()


def file_record(file: str | os.PathLike[str]) -> dict[str, Any]:
    """What identifies the bytes of a file."""
    found = HashedFile.of(file)
    return {"sha256": found.sha256, "bytes": found.size}


def digest(record: Mapping[str, Any]) -> str:
    """A hash of everything else in a certificate. It shows accidents; against forgery, sign the certificate."""
    said = {name: value for name, value in record.items() if name != "digest"}
    return hashlib.sha256(json.dumps(said, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _compared(what: str, said: object, found: object) -> RuleCheck:
    """Whether what a certificate says is what the file shows."""
    differences = 0 if _same(said, found) else 1
    return RuleCheck(f"certificate: {what}", None, 0, differences, "differences", differences, units="differences")


def _same(one: object, other: object) -> bool:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=SAME, abs_tol=SAME)
    return type(one) is type(other) and one == other
