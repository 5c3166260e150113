"""Reading a released table: which values a shown cell may stand for, and which rows may belong to which people.

A cell may be a value, an interval, a taxonomy's label, a prefix such as ``537**``, a set such as ``{a, b}``, a calendar
period, ``*``, or nothing; a column may be shown as two bounds, or by midpoints. Analyses and attacks read releases
here.
"""

from __future__ import annotations

from sfumato.hierarchies.reading.class_index import Candidates, ClassIndex, FreePlaces, known_codes
from sfumato.hierarchies.reading.column import ShownColumn, read_column
from sfumato.hierarchies.reading.extents import Extents, read_extents
from sfumato.hierarchies.reading.release import ReleaseReading, read_release

__all__ = [
    "Candidates",
    "ClassIndex",
    "Extents",
    "FreePlaces",
    "ReleaseReading",
    "ShownColumn",
    "known_codes",
    "read_column",
    "read_extents",
    "read_release",
]
