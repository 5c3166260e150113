"""What an experiment of a paper is: a function that gives panels of numbers, and claims that are judged on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from statistics import median
from typing import NamedTuple, TypeVar

from benchmarks.papers.digest import digest

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

    A line may lack places. ``paper`` has the paper's own numbers, as far as its text has any. ``spread`` has the least
    and the largest figure over seeds, or over orders of categories, where a line is a median. ``made_up`` says that the
    table stands for a real one that the paper had.
    """

    name: str
    axis: str
    unit: str
    xs: Sequence[float]
    lines: Mapping[str, Sequence[float | None]]
    paper: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    note: str = ""
    spread: Mapping[str, Sequence[Sequence[float] | None]] = field(default_factory=dict)
    made_up: bool = False

    def at(self, line: str) -> dict[float, float]:
        """What was measured of a line, by place; nothing if the panel has no such line."""
        pairs = zip(self.xs, self.lines.get(line, ()), strict=False)
        return {x: value for x, value in pairs if value is not None}


Panels = Sequence[Panel]


class Sweep:
    """Collects measurements along an axis, and gives a panel for every unit."""

    def __init__(self, name: str, axis: str, made_up: bool = False) -> None:
        self.name, self.axis, self.made_up = name, axis, made_up
        self._xs: list[float] = []
        self._spread: dict[str, dict[str, dict[float, list[float]]]] = {}
        self._found: dict[str, dict[str, dict[float, float]]] = {}

    def add(self, x: float, line: str, **measured: float) -> None:
        """Add what was measured at a place: a figure for every unit (underscores are spaces)."""
        if x not in self._xs:
            self._xs.append(x)
        for unit, value in measured.items():
            self._found.setdefault(unit.replace("_", " "), {}).setdefault(line, {})[x] = float(value)

    def add_all(self, x: float, line: str, **measured: Sequence[float]) -> None:
        """Add figures of several seeds or orders at a place: their median, and the least and the largest."""
        self.add(x, line, **{unit: median(values) for unit, values in measured.items()})
        for unit, values in measured.items():
            kept = self._spread.setdefault(unit.replace("_", " "), {}).setdefault(line, {})
            kept[x] = [float(min(values)), float(max(values))]

    def panel(self, unit: str, paper: Mapping[str, Mapping[float, float]] | None = None, note: str = "") -> Panel:
        """The panel of one unit, beside the paper's numbers at the same places."""
        lines = {line: [values.get(x) for x in self._xs] for line, values in self._found.get(unit, {}).items()}
        theirs = {line: [values.get(x) for x in self._xs] for line, values in (paper or {}).items()}
        spread = {line: [ends.get(x) for x in self._xs] for line, ends in self._spread.get(unit, {}).items()}
        return Panel(self.name, self.axis, unit, list(self._xs), lines, theirs, note, spread, self.made_up)

    def panels(self, *units: str) -> list[Panel]:
        """The panels of some units, by default of all."""
        return [self.panel(unit) for unit in units or tuple(self._found)]


#: From which share on a claim holds mostly, and from which on partly; below it hardly does.
MOSTLY, PARTLY = 0.75, 0.25


class Verdict(NamedTuple):
    """How far a claim holds (a share of what was looked at; None if nothing was), and the figure that decides.

    ``reason`` says in a word or two why there is no share, or that more time would change nothing (`SETTLED`). ``on``
    says how much of it rests on made-up tables.
    """

    share: float | None
    why: str
    reason: str = ""
    on: str = ""

    @property
    def word(self) -> str:
        """The verdict as the page shows it."""
        if self.share is None:
            return self.reason if self.reason == TIE else f"not judged: {self.reason}" if self.reason else "not judged"
        if self.share in {0.0, 1.0}:
            return "holds" if self.share else "does not hold"
        return "mostly" if self.share >= MOSTLY else "partly" if self.share >= PARTLY else "hardly"

    @property
    def shown(self) -> str:
        """The word, and the share where it is between nothing and all."""
        between = self.share is not None and 0 < self.share < 1
        # Nothing between is shown as nothing or all: 1 of 300 is not 0 %.
        percent = min(99, max(1, round(100 * (self.share or 0))))
        return f"{self.word}, {percent} %" if between else self.word

    @property
    def told(self) -> str:
        """What decides, and on which tables."""
        return f"{self.why}; {self.on}" if self.on else self.why


#: The word for figures that are equal wherever they were compared.
TIE = "a tie"

#: The reason of a verdict that a search with more time would not change: what it found is proven.
SETTLED = "settled"

#: What is said of a verdict for which there are no other tables.
MADE_UP_ALONE = "on made-up tables alone"

#: The most words of a quotation.
MOST_WORDS = 12


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper in our words, the experiments that it is about, and how it is judged on their panels.

    Attributes
    ----------
    section, quote
        Where the paper says it, and in which words (a dozen at most). Claims of one place and quotation are forms of
        one claim, and counted once. Without them, a claim is our own, beyond the paper.
    table
        The table without which it cannot be judged, by a word in the panels' names: a made-up one does not do.
    budget
        The time that the paper gave its search: with less, a claim that does not hold is not judged.
    headline
        Whether it is on the page of headlines, as ``"ours"`` or ``"literal"``.
    because
        What we take to be the reason, in a sentence.
    """

    sentence: str
    needs: tuple[str, ...]
    judge: Callable[[Panels], Verdict]
    section: str = ""
    quote: str = ""
    table: str = ""
    budget: str = ""
    headline: str = ""
    because: str = ""

    def verdict(self, found: Mapping[str, Panels]) -> Verdict:
        """Judge it by what was measured; say so if the experiment was skipped or has not run."""
        panels = [panel for name in self.needs for panel in found.get(name, ())]
        missing = [name for name in self.needs if not found.get(name)]
        if not panels:
            return Verdict(None, f"no results of {', '.join(missing)}", "not run")
        try:
            verdict = self.judge(panels)
        except LackingError as lacking:
            verdict = Verdict(None, str(lacking), "lacking")
        if self.table and any(panel.made_up and self.table in panel.name for panel in panels):
            return Verdict(None, f"on the made-up table: {verdict.why}", "made-up table")
        verdict = verdict._replace(on=self.resting(panels, verdict))
        return verdict._replace(why=f"{verdict.why} (without {', '.join(missing)})") if missing else verdict

    def resting(self, panels: Panels, verdict: Verdict) -> str:
        """How a claim of a paper fares on the real tables alone, where some of those it was judged on are made up."""
        real = [panel for panel in panels if not panel.made_up]
        if not self.quote or verdict.share is None or len(real) == len(panels):
            return ""
        try:
            alone = self.judge(real)
        except LackingError:
            return MADE_UP_ALONE
        if alone.share is None and alone.reason != TIE:
            return MADE_UP_ALONE
        return "" if alone.why == verdict.why else f"on real tables alone: {alone.shown}"


@dataclass(frozen=True)
class Experiment:
    """One figure or table of a paper.

    ``rests_on`` names the modules of Sfumato whose change makes its results stale. A ``timed`` one measures seconds, so
    nothing else runs beside it. ``budget`` says how long a search was given at each point, and ``theirs`` between which
    figures the paper's own lie, as far as its text tells.
    """

    name: str
    title: str
    about: str
    run: Callable[[Size], list[Panel]]
    rests_on: tuple[str, ...] = ()
    timed: bool = False
    budget: Callable[[Size], str] | None = None
    theirs: str = ""

    def digest(self) -> str:
        """A digest of the code that its results rest on."""
        return digest(self.run, self.rests_on)


@dataclass
class Paper:
    """A paper with its experiments and claims; ``own`` are the lines of methods that are not in it, but Sfumato's."""

    name: str
    title: str
    source: str
    about: str
    own: tuple[str, ...] = ()
    experiments: dict[str, Experiment] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)

    def experiment(
        self,
        name: str,
        title: str,
        about: str,
        *,
        rests_on: tuple[str, ...] = (),
        timed: bool = False,
        budget: Callable[[Size], str] | None = None,
        theirs: str = "",
    ) -> Callable[[Callable[[Size], list[Panel]]], None]:
        """Register a function as an experiment: what it is called after the paper, its title, and what is measured."""

        def add(run: Callable[[Size], list[Panel]]) -> None:
            full = f"{self.name}-{name}"
            self.experiments[full] = Experiment(full, title, about, run, rests_on, timed, budget, theirs)

        return add

    def claim(
        self,
        sentence: str,
        needs: str | Sequence[str],
        judge: Callable[[Panels], Verdict],
        source: tuple[str, str] = ("", ""),
        **more: str,
    ) -> None:
        """Register a claim on experiments, named as in `experiment`; its source is a section and a quotation."""
        names = [needs] if isinstance(needs, str) else needs
        full = tuple(f"{self.name}-{name}" for name in names)
        self.claims.append(Claim(sentence, full, judge, *source, **more))
