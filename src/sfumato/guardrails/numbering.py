"""Columns that only number the rows, as pandas writes its index into a file."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.guardrails.caution import quoted
from sfumato.guardrails.registry import Finding, before
from sfumato.guardrails.view import Requested


@before("row-numbers")
def row_numbers(view: Requested) -> Iterator[Finding]:
    """Tell which unnamed columns were dropped, since they only number the rows."""
    for name in view.row_numbers:
        yield Finding(
            "note",
            (name,),
            view.rows,
            f"The unnamed column {quoted(name)} only numbers the rows of the original and is dropped as an identifier.",
            "Nothing needs to be done; in pandas, to_csv(..., index=False) leaves it out.",
        )
