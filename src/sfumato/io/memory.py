"""How much memory is available, and how much a table would take."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from sfumato.common import parameters
from sfumato.common.processors import control_groups
from sfumato.io import Source

#: The share of free memory that a run takes if no limit is given.
SHARE = 0.6

#: What is assumed if the system does not say.
ASSUMED = 4 << 30

#: What the program takes before it has read a row, compiled loops included.
PROGRAM = 300 << 20

#: Bytes per cell at the peak: as read, as a code in the method's order, as shown, and as written. Measured with tables
#: of 10 and 100 million rows, and rounded up.
CELL = 16

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def in_words(size: float, binary: bool = False) -> str:
    """Format a size for people.

    Examples
    --------
    >>> in_words(4_000_000_000), in_words(536_870_912, binary=True)
    ('4.0 GB', '512 MiB')
    """
    step, suffix = (1024, "iB") if binary else (1000, "B")
    units = ["bytes", *(f"{unit}{suffix}" for unit in ("K" if binary else "k", "M", "G", "T"))]
    at = 0
    while size >= step and at < len(units) - 1:
        size, at = size / step, at + 1
    return f"{size:.1f} {units[at]}" if at and size < 10 else f"{size:.0f} {units[at]}"


def allowed_memory(owner: str, memory: int | str | None) -> int:
    """The bytes that a run may take: the given limit, or a share of free memory."""
    return (
        parameters.size(owner, "memory", memory)
        if memory is not None
        else max(parameters.LEAST_SIZE, int(SHARE * free_memory()))
    )


def free_memory() -> int:
    """The bytes of free memory, limits of containers included."""
    return min([_free_on_machine(), *_free_in_groups()])


def resident_memory() -> int:
    """The bytes of memory that this process holds now; 0 if the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * _PAGE
    return 0


def memory_to_anonymize(source: Source, columns: Sequence[str]) -> int | None:
    """Estimate the bytes that it takes to anonymize a table in memory; None if its size is not known.

    The table is not read for this.

    Parameters
    ----------
    source
        The table.
    columns
        Those of its columns that are read.
    """
    extent = source.extent(columns)
    return None if extent is None else PROGRAM + extent.rows * len(columns) * CELL + 2 * extent.text_bytes


def _free_on_machine() -> int:
    with suppress(OSError, ValueError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) << 10
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PHYS_PAGES") * _PAGE // 2  # this system does not say how much of it is free
    return ASSUMED


def _free_in_groups() -> Iterator[int]:
    """Yield what the control groups of this process leave free."""
    for group in control_groups("memory"):
        yield from _free_in_group(group)


def _free_in_group(group: Path) -> Iterator[int]:
    for limit, used in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
        with suppress(OSError, ValueError):  # "max" means no limit
            most = int((group / limit).read_text(encoding="ascii"))
            yield max(0, most - int((group / used).read_text(encoding="ascii")) + _reclaimable(group))


def _reclaimable(group: Path) -> int:
    """The inactive file pages of a group, which the system reclaims first."""
    for line in (group / "memory.stat").read_text(encoding="ascii").splitlines():
        if line.removeprefix("total_").startswith("inactive_file "):
            return int(line.split()[1])
    return 0
