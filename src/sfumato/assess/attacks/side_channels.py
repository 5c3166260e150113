"""Side channels: the order of rows, and bytes of the file that were not meant to be published."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
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

    def run(self, scenario: Scenario) -> Iterator[AttackOutcome]:
        if scenario.path is None:
            return
        hidden = self._hidden_texts(scenario)
        if not hidden:
            return
        content = scenario.path.read_bytes()
        if content[:2] == b"\x1f\x8b":
            content = gzip.decompress(content)
        found = np.array([text.encode() in content for text in hidden], float)
        decoys = [text[::-1].encode() + b"~" in content for text in hidden]
        yield self.outcome(found, float(np.mean(decoys)))

    def _hidden_texts(self, scenario: Scenario, most: int = 2_000) -> list[str]:
        """List original texts that occur in no released cell, not even in part."""
        shown = "\n".join(
            text
            for name in scenario.release.column_names
            for text in _distinct(scenario.release, name)
            if text is not None
        )
        texts = {text for name in scenario.original.column_names for text in _distinct(scenario.original, name)}
        names = "\n".join(scenario.release.column_names)
        hidden = sorted(one for one in texts if len(one) >= SHORTEST_TEXT and one not in shown and one not in names)
        if len(hidden) > most:
            return scenario.random.choice(hidden, most, replace=False).tolist()
        return hidden


def _distinct(table: pa.Table, name: str) -> list[str]:
    return [text for text in code_column(name, table.column(name)).values.cast(pa.string()).to_pylist() if text]
