"""The encoded table, its frequency sets, and the classes of a recoding."""

from __future__ import annotations

from sfumato.microdata.encoding import FEWEST_TO_NAME, distinct, encode, missing_rows, refuse_missing
from sfumato.microdata.frequency import FrequencySet, frequency_set, group_rows
from sfumato.microdata.recoding import SUPPRESSED, EquivalenceClasses, Recoding, rows_by_class, shown_sets
from sfumato.microdata.table import Microdata, SensitiveColumn

__all__ = [
    "FEWEST_TO_NAME",
    "SUPPRESSED",
    "EquivalenceClasses",
    "FrequencySet",
    "Microdata",
    "Recoding",
    "SensitiveColumn",
    "distinct",
    "encode",
    "frequency_set",
    "group_rows",
    "missing_rows",
    "refuse_missing",
    "rows_by_class",
    "shown_sets",
]
