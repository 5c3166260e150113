"""Tables made of histograms, and the compiled verdict on each of their classes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from numba import njit

from sfumato.privacy import PrivacyModel, Requirements
from sfumato.table.encoding import encode
from sfumato.table.kernels.rules import class_allowed
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

VALUES = ["a", "b", "c", "d", "e", "f"]

#: Counts of up to six values in one class, at least one of them.
histogram = st.lists(st.integers(0, 4), min_size=6, max_size=6).filter(any)
histograms = st.lists(histogram, min_size=1, max_size=4)


@njit
def compiled_verdict(size, counts, lo, hi, rules):
    return class_allowed(size, counts, lo, hi, rules)


def table_of(classes: Sequence[Sequence[int]]) -> tuple[Microdata, Recoding]:
    """Return a table whose classes have these counts of the values a to f; the first number is the class."""
    rows = [
        (group, value)
        for group, counts in enumerate(classes)
        for value, count in zip(VALUES, counts, strict=True)
        for _ in range(count)
    ]
    of_row = np.array([group for group, _ in rows], np.int32)
    table = pa.table({"q": pa.array(of_row), "s": [value for _, value in rows]})
    return encode(table, {"q": None}, ["s"]), Recoding(classes=of_row)


def occurring(classes: Sequence[Sequence[int]]) -> list[list[int]]:
    """Drop the values that occur in no class."""
    columns = [column for column in zip(*classes, strict=True) if any(column)]
    return [list(counts) for counts in zip(*columns, strict=True)]


def readable_verdicts(model: PrivacyModel, microdata: Microdata, recoding: Recoding) -> list[bool]:
    classes = EquivalenceClasses.of(microdata, recoding)
    verdicts = [model.holds(rule, microdata, classes) for rule in model.bind(microdata)]
    return np.logical_and.reduce(verdicts).tolist()


def compiled_verdicts(model: PrivacyModel, microdata: Microdata, recoding: Recoding) -> list[bool]:
    classes = EquivalenceClasses.of(microdata, recoding)
    requirements = Requirements((model,), microdata)
    rules = requirements.rules
    verdicts = []
    for group in range(len(classes)):
        counts = np.zeros(max(1, rules.counts_at[-1]), np.int64)
        for codes in requirements.sensitive_codes[classes.of_row == group]:
            counts[rules.counts_at[: len(codes)] + codes] += 1
        lo, hi = classes.lo[group], classes.hi[group]
        verdicts.append(compiled_verdict(int(classes.sizes[group]), counts, lo, hi, rules))
    return verdicts
