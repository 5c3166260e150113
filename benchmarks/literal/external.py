"""Mondrian and Hilbert on a table stored on disk in blocks: how often each block is read and written.

The Mondrian paper says: two scans and a write per level of cuts. The fast-anonymization paper says: one scan, once the
rows are sorted. Both keep a block of rows and some counts in memory, no more; what is moved is counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.literal.mondrian import Cut, LiteralMondrian
from sfumato.table.microdata import Microdata

Codes = NDArray[np.int64]


@dataclass
class Traffic:
    """Rows and blocks that were read and written."""

    rows_read: int = 0
    rows_written: int = 0
    blocks_read: int = 0
    blocks_written: int = 0


@dataclass
class Disk:
    """A folder of files of rows, which are read and written by blocks; each row begins with its number."""

    folder: Path
    block: int
    width: int
    traffic: list[Traffic] = field(default_factory=lambda: [Traffic()])
    files: int = 0

    def begin_level(self) -> None:
        """Count what follows by itself."""
        self.traffic.append(Traffic())

    def new_file(self) -> File:
        """An empty file."""
        self.files += 1
        return File(self, self.folder / f"{self.files}.rows")


class File:
    """Rows on a disk: appended to and read block by block."""

    def __init__(self, disk: Disk, path: Path) -> None:
        self.disk, self.path, self.rows = disk, path, 0
        self._buffer: list[Codes] = []
        path.touch()

    def append(self, rows: Codes) -> None:
        """Add rows; whole blocks are written at once."""
        self._buffer.append(rows)
        self.rows += len(rows)
        waiting = np.concatenate(self._buffer)
        full = len(waiting) // self.disk.block * self.disk.block
        self._write(waiting[:full])
        self._buffer = [waiting[full:]]

    def close(self) -> File:
        """Write what is left over, as a block that is not full."""
        self._write(np.concatenate([np.empty((0, self.disk.width), np.int64), *self._buffer]))
        self._buffer = []
        return self

    def _write(self, rows: Codes) -> None:
        if len(rows):
            with self.path.open("ab") as file:
                rows.tofile(file)
            self.disk.traffic[-1].rows_written += len(rows)
            self.disk.traffic[-1].blocks_written += -(-len(rows) // self.disk.block)

    def blocks(self) -> Iterator[Codes]:
        """Read all rows once, block by block."""
        for start in range(0, self.rows, self.disk.block):
            count = min(self.disk.block, self.rows - start) * self.disk.width
            found = np.fromfile(self.path, np.int64, count, offset=start * self.disk.width * 8)
            self.disk.traffic[-1].rows_read += count // self.disk.width
            self.disk.traffic[-1].blocks_read += 1
            yield found.reshape(-1, self.disk.width)


def stored(disk: Disk, microdata: Microdata, order: NDArray[np.integer] | None = None) -> File:
    """Put a table on a disk, in some order of its rows."""
    rows = np.arange(len(microdata)) if order is None else order
    file = disk.new_file()
    file.append(np.column_stack([rows, microdata.codes[rows]]).astype(np.int64))
    return file.close()


def mondrian_on_disk(microdata: Microdata, k: int, file: File, method: LiteralMondrian) -> NDArray[np.int32]:
    """Cut level by level: a scan for the frequency sets of a part, and a scan that writes both sides of its cut."""
    classes, number = np.empty(len(microdata), np.int32), 0
    level = [file]
    while level:
        file.disk.begin_level()
        below: list[File] = []
        for part in level:
            cut = _cut_of(microdata, part, k, method)
            if cut is not None:
                below += _divided(part, cut)
                continue
            for rows in part.blocks():  # finds the class of each row; a release would be written in this scan
                classes[rows[:, 0]] = number
            number += 1
        level = below
    return classes


def _cut_of(microdata: Microdata, part: File, k: int, method: LiteralMondrian) -> Cut | None:
    if part.rows < 2 * k:
        return None
    counts = [np.zeros(domain.size, np.int64) for domain in microdata.domains]
    for rows in part.blocks():
        counts = [count + np.bincount(rows[:, at], minlength=len(count)) for at, count in enumerate(counts, start=1)]
    sets = [(np.flatnonzero(count), count[count > 0]) for count in counts]
    cuts = method.cuts(microdata.domains, microdata.weights, sets)
    return next((cut for cut in cuts if min(cut.left, part.rows - cut.left) >= k), None)


def _divided(part: File, cut: Cut) -> list[File]:
    left, right = part.disk.new_file(), part.disk.new_file()
    for rows in part.blocks():
        # Strict cuts only: all rows at the median go to one side, so that a block can be divided by itself.
        goes_left = rows[:, cut.attribute + 1] < cut.first_right
        left.append(rows[goes_left])
        right.append(rows[~goes_left])
    part.path.unlink()
    return [left.close(), right.close()]


def runs_in_one_scan(microdata: Microdata, k: int, file: File) -> tuple[float, list[int]]:
    """The least loss of runs of a sorted file, and where each run ends; 2k rows are kept, and an end per row."""
    window: deque[Codes] = deque(maxlen=2 * k - 1)
    least, ends = [0.0], [0]  # for each number of first rows: the least loss, and where the last run begins
    for rows in file.blocks():
        for row in rows:
            window.appendleft(row[1:])
            least.append(np.inf)
            ends.append(0)
            reach = len(least) - 1
            boxes = np.array(window)
            lo, hi = np.minimum.accumulate(boxes), np.maximum.accumulate(boxes)
            for size in range(k, len(window) + 1):
                loss = least[reach - size] + size * float(microdata.penalties(lo[[size - 1]], hi[[size - 1]])[0])
                if loss < least[reach]:
                    least[reach], ends[reach] = loss, reach - size
    cuts = [len(least) - 1]
    while cuts[-1]:
        cuts.append(ends[cuts[-1]])
    return least[-1], cuts[::-1]


def rows_read_ahead(values: NDArray[np.int32], groups: NDArray[np.int32]) -> int:
    """How many rows the l-diversity heuristic holds at most while it scans a sorted table once.

    The scan has to go on until the frontier is known, which has a row of every value that is left.
    """
    most = grouped = 0
    left = np.ones(len(values), bool)
    for group in range(int(groups.max()) + 1):
        rows = np.flatnonzero(left)
        _, first = np.unique(values[rows], return_index=True)
        most = max(most, int(rows[first].max()) + 1 - grouped)
        left[groups == group] = False
        grouped += int((groups == group).sum())
    return most
