"""The released rows of a table with classes: in the order of the release, each cell as people read it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sfumato.common.progress import Tell
from sfumato.hierarchies.base import inverse
from sfumato.io import Source
from sfumato.release.shown import ShownInMemory
from sfumato.release.values import show, with_weights
from sfumato.run.find import FoundClasses
from sfumato.run.prepare import Prepared
from sfumato.run.request import Request
from sfumato.table.recoding import EquivalenceClasses


def show_rows(
    source: Source,
    prepared: Prepared,
    found: FoundClasses,
    order: NDArray[np.int64],
    places: NDArray[np.int64],
    tell: Tell,
) -> ShownInMemory:
    """The released rows with their readable values."""
    request, recoded = found.request, found.recoded
    shown = show(
        prepared.table,
        prepared.roles,
        recoded.microdata,
        found.recoding,
        recoded.classes,
        request.intervals,
        order,
        places,
        tell,
    )
    shown = replace(shown, source=source)
    weighed_by = request.schema.survey_weights
    if weighed_by is None or prepared.weights is None:
        return shown
    return with_weights(shown, list(prepared.roles), weighed_by, prepared.weights[places], prepared.total_weight)


def release_order(prepared: Prepared, classes: EquivalenceClasses, request: Request) -> NDArray[np.int64]:
    """The released rows in the order of the release: random once more, or as in the input.

    The order does not depend on what the rows hold: an attacker who can recompute an order can test guesses by it.
    """
    if request.keep_order:
        order = inverse(prepared.places)
    else:
        order = prepared.secret.permutation("order after", len(prepared.places))
    return order if classes.suppressed == 0 else order[classes.of_row[order] >= 0]
