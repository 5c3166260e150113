"""Side channels: the order of rows, and bytes of the file that were not meant to be published."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.scenario import Scenario
from sfumato.common.grouping import code_column

#: How many random orders the order of rows is compared with.
ORDERS = 20
#: Shorter texts occur in any file by chance.
SHORTEST_TEXT = 5
#: The bits of a hash of so many letters, and the letters that are hashed at a time.
HASHED, STRETCH = 22, 1 << 22


class RowOrder(Attack):
    """Match row i of the release with row i of the original."""

    name: ClassVar[str] = "row order"
    knows: ClassVar[str] = "the order of the original, such as by name or by date of admission"
    success: ClassVar[str] = "the row at a person's place shows what is true of the person"
    guesses: ClassVar[str] = "any order"
    needs: ClassVar[str] = "as many rows in the release as in the original"
    finds: ClassVar[str] = (
        "Whoever knows the order of the original finds a true row at a person's place for {rate} people"
    )
    instead: ClassVar[str] = "in any other order"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        rows = scenario.release.num_rows
        if rows != scenario.original.num_rows or not rows:
            return
        fits = self._fits(scenario, np.arange(rows))
        others = [self._fits(scenario, scenario.random.permutation(rows)).mean() for _ in range(ORDERS)]
        # A random order succeeds as often as the others, within their spread.
        yield self.outcome(fits.astype(float), min(1.0, float(np.mean(others) + 3 * np.std(others))))

    def _fits(self, scenario: Scenario, order: NDArray[np.int64]) -> NDArray[np.bool_]:
        fits = np.ones(len(order), bool)
        for column in scenario.reading.columns:
            codes, cells = column.original[order], column.cell_of_row
            inside = np.zeros(len(order), bool)
            for first, last in zip(column.first.T, column.last.T, strict=True):
                inside |= (codes >= first[cells]) & (codes <= last[cells])
            fits &= inside | column.centres
        for secret in scenario.secrets:
            fits &= secret.of_person[order] == secret.of_row
        return fits


class FileChannels(Attack):
    """Search the bytes of the file for values that the release does not show."""

    name: ClassVar[str] = "file channels"
    knows: ClassVar[str] = "the bytes of the released file: dictionaries, statistics, comments, metadata"
    success: ClassVar[str] = "finds an original text that no cell shows"
    guesses: ClassVar[str] = "searches for texts that are in no table"
    needs: ClassVar[str] = "a file, and original texts of some length that it does not show"
    finds: ClassVar[str] = (
        "Whoever searches the bytes of the file finds original texts that no cell shows: {rate} of them"
    )
    instead: ClassVar[str] = "of texts that are in no table"

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        if scenario.path is None:
            return
        hidden = self._hidden_texts(scenario)
        if not hidden:
            return
        content = scenario.path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        found = occurring([text.encode() for text in hidden], content)
        decoys = occurring([text[::-1].encode() + b"~" for text in hidden], content)
        yield self.outcome(found.astype(float), float(decoys.mean()))

    def _hidden_texts(self, scenario: Scenario, most: int = 2_000) -> list[str]:
        """Draw original texts that occur in no released cell, not even in part."""
        table = scenario.original if scenario.unchanged is None else scenario.unchanged
        texts = {text for name in table.column_names for text in _distinct(table, name)}
        long = np.array(sorted(text for text in texts if len(text) >= SHORTEST_TEXT), object)
        names = scenario.release.column_names
        shown = "\n".join([*names, *(text for name in names for text in _distinct(scenario.release, name))]).encode()
        hidden: list[str] = []
        drawn = scenario.random.permutation(len(long))
        for begin in range(0, len(drawn), most):
            some = long[drawn[begin : begin + most]].tolist()
            visible = occurring([text.encode() for text in some], shown)
            hidden += [text for text, seen in zip(some, visible.tolist(), strict=True) if not seen]
            if len(hidden) >= most:
                break
            scenario.patience.tell(0.5 * (begin + most) / (len(drawn) + most))
        return hidden[:most]


def occurring(texts: Sequence[bytes], content: bytes) -> NDArray[np.bool_]:
    """Whether each text occurs in the content, in one pass over it however many texts there are.

    >>> occurring([b"Siena", b"Sienna"], b"from Siena to Lucca").tolist()
    [True, False]
    """
    begins: dict[bytes, list[int]] = {}
    for at, text in enumerate(texts):
        begins.setdefault(text[:SHORTEST_TEXT], []).append(at)
    wanted = np.zeros(1 << HASHED, bool)
    wanted[[_hashes(np.frombuffer(begin, np.uint8))[0] for begin in begins]] = True
    found = np.zeros(len(texts), bool)
    letters = np.frombuffer(content, np.uint8)
    for first in range(0, len(letters), STRETCH):
        places = np.flatnonzero(wanted[_hashes(letters[first : first + STRETCH + SHORTEST_TEXT - 1])]) + first
        for place in places.tolist():
            for at in begins.get(content[place : place + SHORTEST_TEXT], ()):
                found[at] |= content.startswith(texts[at], place)
    return found


def _hashes(letters: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """A number for the few letters that begin at every place."""
    hashes = np.zeros(max(0, len(letters) - SHORTEST_TEXT + 1), np.uint32)
    for at in range(SHORTEST_TEXT):
        hashes = hashes * np.uint32(0x01000193) ^ letters[at : at + len(hashes)]
    return (hashes * np.uint32(0x9E3779B1)) >> np.uint32(32 - HASHED)


def _distinct(table: pa.Table, name: str) -> list[str]:
    return [text for text in code_column(name, table.column(name)).values.cast(pa.string()).to_pylist() if text]
