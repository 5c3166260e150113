"""Are these groups of rows allowed? For methods that split groups and ask before each split."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sfumato.kernels.compiling import kernel
from sfumato.kernels.rules import Rules, class_allowed
from sfumato.kernels.spans import Spans


@kernel
def groups_allowed(
    codes: NDArray[np.unsignedinteger],
    sensitive: NDArray[np.int32],
    rows: NDArray[np.int64],
    offsets: NDArray[np.int64],
    rules: Rules,
    spans: Spans,
) -> NDArray[np.bool_]:
    """Return for every group, the rows ``rows[offsets[g]:offsets[g + 1]]``, whether it keeps every rule."""
    attributes = codes.shape[1]
    lo, hi = np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    histogram = np.empty(max(1, rules.counts_at[-1]), np.int64)
    allowed = np.empty(len(offsets) - 1, np.bool_)
    for group in range(len(allowed)):
        members = rows[offsets[group] : offsets[group + 1]]
        histogram[:] = 0
        for attribute in range(attributes):
            lo[attribute] = hi[attribute] = codes[members[0], attribute]
        for row in members:
            for attribute in range(attributes):
                code = np.int64(codes[row, attribute])
                lo[attribute], hi[attribute] = min(lo[attribute], code), max(hi[attribute], code)
            for column in range(sensitive.shape[1]):
                histogram[rules.counts_at[column] + sensitive[row, column]] += 1
        allowed[group] = class_allowed(len(members), histogram, lo, hi, rules, spans)
    return allowed
