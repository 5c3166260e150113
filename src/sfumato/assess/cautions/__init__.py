"""Guardrails: what a careful person overlooks, told when it happens."""

from __future__ import annotations

from sfumato.assess.cautions import certainty, kinds, missing, persons, uniqueness
from sfumato.assess.cautions import hidden_values as telling
from sfumato.assess.cautions import lost_detail as losing
from sfumato.assess.cautions.caution import Caution, check_confirmed, refuse, with_confirmations
from sfumato.assess.cautions.registry import (
    AFTER,
    BEFORE,
    cautions_after,
    cautions_before,
    look_after,
    look_before,
    overlooked,
)
from sfumato.assess.cautions.rows import RowsView
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
    "certainty",
    "check_confirmed",
    "kinds",
    "look_after",
    "look_before",
    "losing",
    "missing",
    "overlooked",
    "persons",
    "refuse",
    "telling",
    "uniqueness",
    "with_confirmations",
]
