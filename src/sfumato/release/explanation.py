"""The explanation of a release: a question about it, and the answer in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.common.html import element, fragment


@dataclass(frozen=True)
class WhatIf:
    """Alternative requests; the method is run once more for each of them.

    Attributes
    ----------
    k
        Another k.
    suppression
        Another share of rows that may be left out.
    without
        The quasi-identifiers to drop, one at a time.
    """

    k: int | None = None
    suppression: float | None = None
    without: Sequence[str] | str = ()

    def wishes(self) -> Iterator[dict[str, Any]]:
        """Yield the alternatives one by one."""
        if self.k is not None:
            yield {"k": self.k}
        if self.suppression is not None:
            yield {"suppression": self.suppression}
        for name in (self.without,) if isinstance(self.without, str) else self.without:
            yield {"without": name}


@dataclass(frozen=True)
class Explanation:
    """Why a release looks as it does, in sentences; `str` gives them all.

    Attributes
    ----------
    why
        What holds the release, a column or a row back.
    what_if
        What other settings would cost: each was run.
    """

    why: tuple[str, ...]
    what_if: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        """Yield one sentence per line."""
        yield from self.why
        yield from self.what_if

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"why": list(self.why), "what_if": list(self.what_if)}

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        parts = [("Why it looks like this", self.why), ("What other settings would cost", self.what_if)]
        return fragment(
            "Explanation",
            [[element("h4", title), [element("p", said) for said in lines]] for title, lines in parts if lines],
        )
