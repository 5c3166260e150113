"""Guardrails: what a careful person overlooks, told when it happens."""

from __future__ import annotations

from sfumato.guardrails import certainty, kinds, losing, missing, persons, telling, uniqueness
from sfumato.guardrails.caution import Caution, check_confirmed, refuse, with_confirmations
from sfumato.guardrails.registry import AFTER, BEFORE, look_after, look_before, overlooked
from sfumato.guardrails.rows import RowsView
from sfumato.guardrails.view import ReleaseView, RequestView

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
