"""What an experiment of a paper is: a function that gives panels of numbers, and claims that are judged on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import NamedTuple, TypeVar

Choice = TypeVar("Choice")


class Size(IntEnum):
    """How much is run: a minute in all, what fits into an hour by far, or everything."""

    QUICK = 0
    DEFAULT = 1
    FULL = 2

    def pick(self, quick: Choice, default: Choice, full: Choice) -> Choice:
        """The value for this size."""
        return (quick, default, full)[self]


class LackingError(Exception):
    """An experiment lacks something; the message says what, and goes on the page."""


@dataclass(frozen=True)
class Panel:
    """One picture with its table: what was measured along an axis, a line per method.

    A line may lack places. ``paper`` has the paper's own numbers, as far as its text has any.
    """

    name: str
    axis: str
    unit: str
    xs: Sequence[float]
    lines: Mapping[str, Sequence[float | None]]
    paper: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    note: str = ""

    def at(self, line: str) -> dict[float, float]:
        """What was measured of a line, by place; nothing if the panel has no such line."""
        pairs = zip(self.xs, self.lines.get(line, ()), strict=False)
        return {x: value for x, value in pairs if value is not None}


Panels = Sequence[Panel]


class Sweep:
    """Collects measurements along an axis, and gives a panel for every unit."""

    def __init__(self, name: str, axis: str) -> None:
        self.name, self.axis = name, axis
        self._xs: list[float] = []
        self._found: dict[str, dict[str, dict[float, float]]] = {}

    def add(self, x: float, line: str, **measured: float) -> None:
        """Add what was measured at a place: a figure for every unit (underscores are spaces)."""
        if x not in self._xs:
            self._xs.append(x)
        for unit, value in measured.items():
            self._found.setdefault(unit.replace("_", " "), {}).setdefault(line, {})[x] = float(value)

    def panel(self, unit: str, paper: Mapping[str, Mapping[float, float]] | None = None, note: str = "") -> Panel:
        """The panel of one unit, beside the paper's numbers at the same places."""
        lines = {line: [values.get(x) for x in self._xs] for line, values in self._found.get(unit, {}).items()}
        theirs = {line: [values.get(x) for x in self._xs] for line, values in (paper or {}).items()}
        return Panel(self.name, self.axis, unit, list(self._xs), lines, theirs, note)

    def panels(self, *units: str) -> list[Panel]:
        """The panels of some units, by default of all."""
        return [self.panel(unit) for unit in units or tuple(self._found)]


class Verdict(NamedTuple):
    """Whether a claim holds (a share of what was looked at; None if nothing was), and the figure that decides."""

    share: float | None
    why: str

    @property
    def word(self) -> str:
        """The verdict as the page shows it."""
        if self.share is None:
            return "not judged"
        return {1.0: "holds", 0.0: "does not hold"}.get(self.share, "holds in part")


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper in our words, the experiments that it is about, and how it is judged on their panels."""

    sentence: str
    needs: tuple[str, ...]
    judge: Callable[[Panels], Verdict]

    def verdict(self, found: Mapping[str, Panels]) -> Verdict:
        """Judge it by what was measured; say so if the experiment was skipped or has not run."""
        panels = [panel for name in self.needs for panel in found.get(name, ())]
        missing = [name for name in self.needs if not found.get(name)]
        if not panels:
            return Verdict(None, f"no results of {', '.join(missing)}")
        try:
            share, why = self.judge(panels)
        except LackingError as lacking:
            share, why = None, str(lacking)
        return Verdict(share, f"{why} (without {', '.join(missing)})" if missing else why)


@dataclass(frozen=True)
class Experiment:
    """One figure or table of a paper."""

    name: str
    title: str
    about: str
    run: Callable[[Size], list[Panel]]


@dataclass
class Paper:
    """A paper with its experiments and claims."""

    name: str
    title: str
    source: str
    about: str
    experiments: dict[str, Experiment] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)

    def experiment(self, name: str, title: str, about: str) -> Callable[[Callable[[Size], list[Panel]]], None]:
        """Register a function as an experiment: what it is called after the paper, its title, and what is measured."""

        def add(run: Callable[[Size], list[Panel]]) -> None:
            full = f"{self.name}-{name}"
            self.experiments[full] = Experiment(full, title, about, run)

        return add

    def claim(self, sentence: str, needs: str | Sequence[str], judge: Callable[[Panels], Verdict]) -> None:
        """Register a claim on experiments, which are named as in `experiment`."""
        names = [needs] if isinstance(needs, str) else needs
        self.claims.append(Claim(sentence, tuple(f"{self.name}-{name}" for name in names), judge))
