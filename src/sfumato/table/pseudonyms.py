"""Pseudonyms: identifiers replaced by texts that are meaningless without the key.

A keyed pseudonym is a MAC of the identifier. By default its key is derived from the secret of the release, so that
every release has other pseudonyms; a key file makes them the same wherever it is used. A random pseudonym is drawn, and
the owner keeps a table that maps it to the identifier. To keep the format, characters are exchanged by a keyed
permutation.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import hmac
import io
import math
import os
import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.common import parameters
from sfumato.common.randomness import Secret
from sfumato.common.textfiles import LISTED, read_text, refuse_readable_by_others
from sfumato.errors import DataError, OutputError, ParameterError, invalid_parameter

KINDS = ("keyed", "random")
#: Characters of a pseudonym, of five bits each, so that collisions are practically impossible.
LENGTH = 20
#: Random bytes for a pseudonym, with a few to spare.
DRAWN = 15
#: A shorter key could be found by brute force.
LEAST_KEY = 16
#: A permutation of fewer possible texts hides little: they could be recognized by their frequencies.
FEWEST_TEXTS = 1_000_000
ROUNDS = 10
ALPHABETS = (string.digits, string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True)
class Pseudonyms:
    """How an identifier is replaced.

    Parameters
    ----------
    kind
        ``"keyed"``: by a MAC (HMAC-SHA256) of the identifier. ``"random"``: by a drawn text.
    file
        For keyed ones the key file, of at least 16 bytes: the same key gives the same pseudonyms in every release. For
        random ones the table of identifiers and pseudonyms, to which new ones are added. If the file does not exist, it
        is created, readable by its owner alone; one that others can read is refused. Without a file every release has
        its own pseudonyms.
    keep_format
        Digits become digits and letters become letters, and all other characters stay; keyed ones only. Different
        identifiers get different pseudonyms. Formats with fewer than a million possible texts are refused.
    """

    kind: str = "keyed"
    file: str | None = None
    keep_format: bool = False

    def __post_init__(self) -> None:
        parameters.choice("Pseudonyms", "kind", self.kind, KINDS)
        parameters.flag("Pseudonyms", "keep_format", self.keep_format)
        if self.file is not None:
            object.__setattr__(self, "file", os.fspath(self.file))
            parameters.text("Pseudonyms", "file", self.file)
        if self.keep_format and self.kind != "keyed":
            raise invalid_parameter("Pseudonyms", "keep_format", "False with random pseudonyms", self.keep_format)

    def to_policy(self) -> dict[str, Any]:
        """Plain values for a policy; keys and tables are given by their paths only."""
        said = {"kind": self.kind, "file": self.file, "keep_format": self.keep_format or None}
        return {key: value for key, value in said.items() if value is not None}

    def recorded(self) -> dict[str, Any]:
        """Plain values for the manifest: whether a file was used, but not its path."""
        return self.to_policy() | ({} if self.file is None else {"file": "given"})

    def apply(self, column: str, cells: pa.ChunkedArray, secret: Secret) -> pa.ChunkedArray:
        """Replace a column by pseudonyms; missing values stay missing."""
        coded = cells.cast(pa.string()).combine_chunks().dictionary_encode()
        coded = coded.chunk(0) if isinstance(coded, pa.ChunkedArray) else coded
        names = coded.dictionary.to_pylist()
        found = self._drawn(names, secret) if self.kind == "random" else self._keyed(column, names, secret)
        if len(set(found)) < len(found):
            raise DataError(f"Two identifiers of '{column}' have one pseudonym. Use another key.")
        return pa.chunked_array([pa.array(found, pa.string()).take(coded.indices)])

    def _keyed(self, column: str, names: Sequence[str], secret: Secret) -> list[str]:
        key = secret.key("pseudonyms") if self.file is None else read_key(Path(self.file))
        if self.keep_format:
            return [in_its_form(key, column, name) for name in names]
        return [_text(hmac.digest(key, name.encode(), hashlib.sha256)) for name in names]

    def _drawn(self, names: Sequence[str], secret: Secret) -> list[str]:
        known = {} if self.file is None else read_kept(Path(self.file))
        new = [name for name in names if name not in known]
        taken, random = set(known.values()), secret.generator("pseudonyms")
        while new:
            # Collisions are practically impossible; if there is one all the same, it is drawn again.
            block = random.bytes(DRAWN * len(new))
            drawn = [_text(block[at * DRAWN : (at + 1) * DRAWN]) for at in range(len(new))]
            known |= {name: text for name, text in zip(new, drawn, strict=True) if text not in taken}
            taken |= set(drawn)
            new = [name for name in new if name not in known]
        if self.file is not None:
            write_kept(Path(self.file), known)
        return [known[name] for name in names]


def pseudonyms_of(owner: str, name: str, value: object) -> dict[str, Pseudonyms]:
    """Normalize the argument: names of identifiers, or a mapping from names to how they are replaced."""
    if isinstance(value, str) or not isinstance(value, Mapping):
        return {column: Pseudonyms() for column in parameters.names(owner, name, value)}
    return {column: _made(owner, name, how) for column, how in value.items()}


def _made(owner: str, name: str, how: object) -> Pseudonyms:
    if isinstance(how, Pseudonyms):
        return how
    if how is None:
        return Pseudonyms()
    known = [one.name for one in fields(Pseudonyms)]
    if not isinstance(how, Mapping) or set(how) - set(known):
        raise invalid_parameter(owner, name, f"Pseudonyms(), or a table with {', '.join(known)}", how)
    return Pseudonyms(**how)


def _text(digest: bytes) -> str:
    """Encode bytes as letters and digits that are not easily confused, never as what looks like a number."""
    return "p" + base64.b32encode(digest).decode().lower()[: LENGTH - 1]


def read_key(path: Path) -> bytes:
    """Read a key file, or create one."""
    if not path.exists():
        _create(path, secrets.token_hex(32) + "\n")
    refuse_readable_by_others(path, "key file")
    key = read_text(path, "The key file", ParameterError, limit=LISTED).strip().encode()
    if len(key) < LEAST_KEY:
        raise ParameterError(f"The key file {path} holds fewer than {LEAST_KEY} bytes, which can be tried out.")
    return key


def read_kept(path: Path) -> dict[str, str]:
    """Read the table of identifiers and their pseudonyms; empty if the file does not exist yet."""
    if not path.exists():
        return {}
    refuse_readable_by_others(path, "table of pseudonyms")
    text = read_text(path, "The table of pseudonyms", ParameterError, limit=LISTED)
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    if any(len(row) != 2 for row in rows):
        raise ParameterError(f"The table of pseudonyms {path} has lines that are not of the form identifier,pseudonym.")
    return {row[0]: row[1] for row in rows}


def write_kept(path: Path, known: Mapping[str, str]) -> None:
    """Write the table atomically, readable by its owner alone."""
    from sfumato.io import write_text  # noqa: PLC0415

    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(sorted(known.items()))
    write_text(path, file.getvalue(), private=True, update=True)


def _create(path: Path, text: str) -> None:
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        raise OutputError(f"The key file {path} cannot be made: {error.strerror}.") from None
    with open(handle, "w", encoding="ascii") as file:
        file.write(text)


def in_its_form(key: bytes, column: str, name: str) -> str:
    """Replace every digit and letter by another of its kind, by a keyed permutation.

    All texts of a format are permuted together, so that different texts stay different.

    Examples
    --------
    >>> found = in_its_form(bytes(32), "id", "AB-123456")
    >>> found[:2].isupper(), found[2], found[3:].isdigit(), found == "AB-123456"
    (True, '-', True, False)
    """
    kinds = [next((at for at, letters in enumerate(ALPHABETS) if letter in letters), None) for letter in name]
    if any(letter.isalnum() and kind is None for letter, kind in zip(name, kinds, strict=True)):
        raise DataError(
            f"Some identifiers of '{column}' have letters beside A to Z, which would stay as they are. Use pseudonyms "
            "without keep_format."
        )
    radices = [len(ALPHABETS[kind]) for kind in kinds if kind is not None]
    possible = math.prod(radices)
    if possible < FEWEST_TEXTS:
        raise DataError(
            f"Some identifiers of '{column}' have a form with fewer than {FEWEST_TEXTS:,} texts, which a permutation "
            "does not hide. Use pseudonyms without keep_format."
        )
    form = "".join(letter if kind is None else "0Aa"[kind] for letter, kind in zip(name, kinds, strict=True))
    number = 0
    for letter, kind in zip(name, kinds, strict=True):
        if kind is not None:
            number = number * len(ALPHABETS[kind]) + ALPHABETS[kind].index(letter)
    return _spelled(permuted(key, form.encode(), number, possible), name, kinds)


def _spelled(number: int, name: str, kinds: Sequence[int | None]) -> str:
    letters = []
    for letter, kind in zip(reversed(name), reversed(kinds), strict=True):
        if kind is None:
            letters.append(letter)
        else:
            number, at = divmod(number, len(ALPHABETS[kind]))
            letters.append(ALPHABETS[kind][at])
    return "".join(reversed(letters))


def permuted(key: bytes, form: bytes, number: int, possible: int) -> int:
    """Apply a keyed permutation of the numbers below ``possible``.

    A Feistel network of ten rounds permutes all numbers of the same bit length; results outside the range go through it
    again (cycle walking).
    """
    half = (max(2, (possible - 1).bit_length()) + 1) // 2
    mask = (1 << half) - 1
    while True:
        left, right = number >> half, number & mask
        for turn in range(ROUNDS):
            message = turn.to_bytes(1, "big") + right.to_bytes(half // 8 + 1, "big") + form
            mixed = int.from_bytes(hmac.digest(key, message, hashlib.sha256), "big") & mask
            left, right = right, left ^ mixed
        number = left << half | right
        if number < possible:
            return number


def repeated(cells: pa.ChunkedArray) -> bool:
    """Whether an identifier occurs in several rows."""
    known = cells.drop_null()
    return len(known.unique()) < len(known) if len(known) else False


def rows_per_value(cells: pa.ChunkedArray) -> int:
    """The number of rows of the most frequent identifier."""
    counts = cells.drop_null().value_counts().field("counts")
    return int(np.max(counts.to_numpy(), initial=0))
