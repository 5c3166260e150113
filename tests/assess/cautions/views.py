"""Requests and outcomes for guardrails, made from plain tables and given classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.assess.cautions import Caution, RequestView, RowsView, look_after, look_before
from sfumato.assess.cautions.view import coded_columns
from sfumato.loss import LossReport, RecodedTable
from sfumato.privacy import KAnonymity
from sfumato.table.encoding import distinct, encode
from sfumato.table.recoding import EquivalenceClasses, Recoding
from sfumato.table.schema import Schema


def requested(cells: dict[str, Any], schema: Schema, **more: Any) -> RequestView:
    """Return what guardrails see before a method runs."""
    return RequestView(**_request(cells, schema), **more)


def released(cells: dict[str, Any], schema: Schema, classes: Sequence[int], **more: Any) -> RowsView:
    """Return what guardrails see of a release with these classes."""
    request = _request(cells, schema) | more
    microdata = request["microdata"]
    found = EquivalenceClasses.of(microdata, Recoding(classes=np.array(classes, np.int32)))
    lost = LossReport.of(RecodedTable(microdata, found)).by_attribute
    return RowsView(**request, classes=found, lost=lost, levels=found.levels)


def _request(cells: dict[str, Any], schema: Schema) -> dict[str, Any]:
    table = pa.table(cells)
    microdata = encode(table, schema.quasi_identifiers, schema.sensitive)
    return {
        "declared": schema.quasi_identifiers,
        "microdata": microdata,
        "columns": coded_columns(microdata, table, schema.plain),
        "models": (KAnonymity(2),),
        "identifiers": {name: distinct(name, table[name])[1] for name in schema.identifiers},
    }


def cautions(view: RequestView, code: str) -> list[Caution]:
    """Return the cautions of one kind."""
    found = look_before(view) + (look_after(view) if isinstance(view, RowsView) else [])
    return [caution for caution in found if caution.code == code]
