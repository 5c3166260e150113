"""A certificate: what is known about one released file, read, written, signed and checked against the file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.common.textfiles import read_text
from sfumato.errors import DataError, SourceError, listed
from sfumato.io import write_text
from sfumato.release.certificate_check import PEOPLE, ROWS, check_certificate
from sfumato.release.signature import FIELD as SIGNATURE
from sfumato.release.signature import sign
from sfumato.verify.verification import Verification

VERSION = 1

KEYS = (
    "certificate",
    "file",
    "columns",
    "counts",
    "promises",
    "grounds",
    "achieved",
    "risk",
    "attacks",
    "not_tried",
    "preset",
    "versions",
    "digest",
)
#: Levels of nesting; real certificates have a handful.
DEEPEST = 20
COLUMNS = ("all", "quasi_identifiers", "sensitive")


@dataclass(frozen=True)
class Certificate:
    """What is known about one released file; it holds no value of the original.

    Attributes
    ----------
    record
        Everything, as plain values: ``file`` (its hash and size), ``columns``, ``promises``, their ``grounds`` (what
        was assumed, guessed and confirmed by hand), ``achieved``, ``risk`` before and after, ``attacks`` and those
        ``not_tried``, ``preset``, ``versions``, ``digest`` and, where it is signed, ``signature``.
    """

    record: Mapping[str, Any]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Certificate:
        """Read a certificate from its file; one that says anything twice, or more than certificates do, is refused."""
        record = parsed(read_text(Path(path), "The certificate", SourceError), path)
        refuse_malformed(record, path)
        return cls(record)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate as JSON, atomically."""
        write_text(path, json.dumps(self.record, indent=2, ensure_ascii=False) + "\n")

    def sign(self, key: str | os.PathLike[str]) -> Certificate:
        """Sign everything that the certificate says, with an Ed25519 key of the owner's; needs ``sfumato[sign]``.

        Parameters
        ----------
        key
            The file of the private key, in PEM; one that others can read is refused.
        """
        return Certificate({**self.record, SIGNATURE: sign(self.record, key)})

    def check(
        self,
        file: str | os.PathLike[str],
        separator: str | None = None,
        encoding: str | None = None,
        public_key: str | os.PathLike[str] | None = None,
    ) -> Verification:
        """Recompute all that a file allows; every difference from the certificate is a broken rule.

        Parameters
        ----------
        file
            The released file.
        separator, encoding
            As in `anonymize`.
        public_key
            The file of the owner's public key, in PEM: a certificate that was not signed with it is broken.
        """
        refuse_malformed(self.record)
        return check_certificate(self.record, file, separator, encoding, public_key)


def parsed(text: str, path: str | os.PathLike[str] = "") -> Any:
    """Read JSON in which every key occurs once and every number is finite, so that all readers read the same."""
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse_number, parse_float=_finite)
    except (ValueError, RecursionError):
        raise DataError(f"The certificate {path} is not JSON. It may be another file, or damaged.") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _refuse_number(text: str) -> float:
    raise ValueError(f"{text} is no number of JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_number(text)


def refuse_malformed(record: Any, path: str | os.PathLike[str] = "") -> None:
    """Refuse what is no certificate, or says something in a place where nothing would check it."""
    fault = next(_faults(record), None)
    if fault is not None:
        raise DataError(f"{path or 'The record'} is not a certificate of this version of Sfumato: {fault}.")


def _faults(record: Any) -> Iterator[str]:
    """Say what is wrong with the form of a certificate."""
    lacking = [key for key in KEYS if not isinstance(record, Mapping) or key not in record]
    if lacking:
        yield f"it lacks {listed(lacking)}"
        return
    if record["certificate"] != VERSION or isinstance(record["certificate"], bool):
        yield f"its version is not {VERSION}"
    unknown = [str(key) for key in record if key not in {*KEYS, SIGNATURE}]
    if unknown:
        yield f"certificates have no {listed(unknown)}"
    if _depth(record) > DEEPEST:
        yield "it is nested too deep"
    if record["counts"] not in (ROWS, PEOPLE):
        yield f"it counts neither {ROWS} nor {PEOPLE}"
    if not _are_columns(record["columns"]):
        yield f"its columns are not lists of names under {listed(COLUMNS)}"
    promises = record["promises"]
    if not isinstance(promises, list) or not promises or not all(isinstance(one, Mapping) for one in promises):
        yield "it promises nothing" if promises == [] else "its promises are not a list of models"
    if not isinstance(record["risk"], Mapping) or set(record["risk"]) != {"before", "after"}:
        yield "its risk is not that before and after"
    if not isinstance(record["preset"], Mapping | None):
        yield "its preset is not a record"


def _depth(record: Any) -> int:
    """How deep a record is nested, up to just beyond what is allowed."""
    depth, level = 0, [record]
    while level and depth <= DEEPEST:
        depth += 1
        mappings = [value for one in level if isinstance(one, Mapping) for value in one.values()]
        level = mappings + [value for one in level if isinstance(one, list | tuple) for value in one]
    return depth


def _are_columns(columns: object) -> bool:
    if not isinstance(columns, Mapping) or set(columns) != set(COLUMNS):
        return False
    return all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in columns.values())
