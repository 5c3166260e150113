"""The questions that the page may ask, each answered by a function of the module that is named here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: The module of every operation. The server knows their names only; the worker imports what it needs.
OPERATIONS = {
    "profile": "columns",
    "risk": "columns",
    "contributions": "columns",
    "rows": "columns",
    "steps": "steps",
    "regroup": "steps",
    "steps_file": "steps",
    "steps_read": "steps",
    "warm": "columns",
    "frontier": "choose",
    "goals": "choose",
    "nearest": "choose",
    "people": "choose",
    "why": "choose",
    "knows": "choose",
    "use": "choose",
    "written": "handout",
    "make": "handout",
    "policy_read": "handout",
}


def find(name: str) -> Any:
    """The function that answers a question, of the same name."""
    return getattr(import_module(f"sfumato.studio.operations.{OPERATIONS[name]}"), name)
