"""Guardrails: cautions about a request and its release that even careful people overlook."""

from __future__ import annotations

# isort: off
# Cautions of one severity are shown in the order in which their modules are imported here.
from sfumato.assess.cautions import (
    sensitive_values,
    column_kinds,
    missing_codes,
    lost_detail,
    rows_per_person,
    hidden_values,
    unique_rows,
)

# isort: on
from sfumato.assess.cautions.caution import (
    AFTER,
    BEFORE,
    Caution,
    cautions_after,
    cautions_before,
    check_confirmed,
    look_after,
    look_before,
    overlooked,
    refuse,
    with_confirmations,
)
from sfumato.assess.cautions.rows_view import RowsView
from sfumato.assess.cautions.view import ReleaseView, RequestView

#: The codes of all cautions.
CODES = (*BEFORE, *AFTER)

__all__ = [
    "AFTER",
    "BEFORE",
    "CODES",
    "Caution",
    "ReleaseView",
    "RequestView",
    "RowsView",
    "cautions_after",
    "cautions_before",
    "check_confirmed",
    "column_kinds",
    "hidden_values",
    "look_after",
    "look_before",
    "lost_detail",
    "missing_codes",
    "overlooked",
    "refuse",
    "rows_per_person",
    "sensitive_values",
    "unique_rows",
    "with_confirmations",
]
