"""The risk of an original and of its release, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from sfumato.assess.risk.report import Risk
from sfumato.common.html import Markup, fragment, table


@dataclass(frozen=True)
class BeforeAfter:
    """The risk of an original and of its release.

    Attributes
    ----------
    before, after
        The risk of the original and of the release.
    """

    before: Risk
    after: Risk

    def to_dict(self) -> dict[str, Any]:
        """Convert both to plain values, ready for JSON."""
        return {"before": self.before.to_dict(), "after": self.after.to_dict()}

    def summary(self) -> str:
        """Format both as one table of text."""
        rows = [("", "before", "after"), *self._lines()]
        width = max(len(name) for name, _, _ in rows)
        columns = [max(len(row[at]) for row in rows) for at in (1, 2)]
        return "\n".join(
            f"{name:<{width}}  {before:>{columns[0]}}  {after:>{columns[1]}}".rstrip() for name, before, after in rows
        )

    def _lines(self) -> Iterator[tuple[str, str, str]]:
        yield self._line("people", lambda risk: f"{risk.people:,}")
        yield self._line("classes", lambda risk: f"{risk.classes:,}")
        yield self._line("look like nobody else", lambda risk: f"{risk.prosecutor.unique_share:.1%}")
        yield self._line("look like fewer than 5", lambda risk: f"{risk.prosecutor.below(5):.1%}")
        yield self._line("highest risk", lambda risk: _figure(risk.prosecutor.highest))
        yield self._line("mean risk", lambda risk: _figure(risk.prosecutor.mean))
        if self.before.journalist is not None and self.after.journalist is not None:
            means = [_figure(risk.journalist.mean) for risk in (self.before, self.after) if risk.journalist]
            yield f"mean risk by {self.after.journalist_by}", means[0], means[1]
        for limit in self.before.prosecutor.above:
            shares = [f"{risk.prosecutor.above[limit]:.1%}" for risk in (self.before, self.after)]
            yield f"above {limit:g}", shares[0], shares[1]
        for name in self.before.sensitive:
            shares = [f"{risk.sensitive[name].certain:.1%}" for risk in (self.before, self.after)]
            yield f"{name} certain", shares[0], shares[1]

    def _line(self, title: str, say: Callable[[Risk], str]) -> tuple[str, str, str]:
        return title, say(self.before), say(self.after)

    def __str__(self) -> str:
        return self.summary()

    def as_table(self) -> Markup:
        """Format both as an HTML table."""
        return table(["", "before", "after"], self._lines(), numbers={1, 2})

    def _repr_html_(self) -> str:
        return fragment("Risk before and after", self.as_table())


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
