"""What a released table says: which values may hide behind a shown cell, and which rows may be whose.

A cell may be a value, an interval, a taxonomy's label, a prefix such as ``537**``, a set such as ``{a, b}``, a stretch
of the calendar, ``*``, or nothing; a column may be shown as two bounds, or by midpoints. Whoever asks questions of a
release, as an analyst or as an attacker, reads it here.
"""

from __future__ import annotations

from sfumato.hierarchies.reading.column import ShownColumn, read_column
from sfumato.hierarchies.reading.extents import Extents, read_extents
from sfumato.hierarchies.reading.release import ReleaseReading, read_release

__all__ = ["Extents", "ReleaseReading", "ShownColumn", "read_column", "read_extents", "read_release"]
