"""Small bars at the end of ``sfumato anonymize``: what each column lost, and the risk before and after."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from sfumato.assess.risk import BeforeAfter, RecordRisk
from sfumato.errors import printable
from sfumato.release.release import Release

#: Columns that get a bar, the most lost first; the others are counted.
COLUMNS_SHOWN = 12

#: Bars of fewer characters tell nothing, so that a narrow terminal gets figures alone; more are never needed.
NARROWEST_BAR, WIDEST_BAR = 4, 30

#: Characters of a name that are shown.
NAME = 24


@dataclass(frozen=True)
class Signs:
    """What bars are drawn with: parts of a block from the smallest to the whole, the empty rest, an arrow."""

    parts: str
    rest: str
    arrow: str
    cut: str

    def bar(self, share: float, width: int) -> str:
        """Return a bar of a share from 0 to 1; what is not nothing is never drawn as nothing.

        Examples
        --------
        >>> ASCII.bar(0.5, 8)
        '####....'
        """
        steps = len(self.parts)
        filled = round(min(max(share, 0.0), 1.0) * width * steps)
        whole, part = divmod(max(filled, int(share > 0)), steps)
        drawn = self.parts[-1] * whole + (self.parts[part - 1] if part else "")
        return drawn + self.rest * (width - len(drawn))


BLOCKS = Signs("▏▎▍▌▋▊▉█", " ", "→", "…")
ASCII = Signs("#", ".", "->", "~")


def signs_for(encoding: str) -> Signs:
    """Return blocks where an encoding has them, else what every terminal shows."""
    try:
        (BLOCKS.parts + BLOCKS.arrow + BLOCKS.cut).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def show_bars(release: Release) -> None:
    """Draw the bars where a person sees them: on the terminal, in colour unless the person wants none."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    encoding = sys.stderr.encoding or "utf-8"
    signs = signs_for(encoding)
    lines = [
        *loss_lines(release.loss.by_attribute, signs, console.width),
        *risk_lines(release.risk, signs, console.width),
    ]
    for line in lines:
        text = Text(line.plain.encode(encoding, "replace").decode(encoding), spans=line.spans)
        console.print(text, no_wrap=True, overflow="ignore", crop=False)


def loss_lines(by_column: Mapping[str, float], signs: Signs, width: int) -> Iterator[Text]:
    """Yield a line for each column: its name, a bar of what it lost, the figure."""
    ranked = sorted(by_column.items(), key=lambda item: -item[1])
    shown = ranked[:COLUMNS_SHOWN]
    yield Text("lost by column")
    names = _named([name for name, _ in shown], signs)
    room = _room(width, 2 + cell_len(names[0]) + 2 + 8) if names else 0
    for name, (_, share) in zip(names, shown, strict=True):
        yield _line(name, [(share, f"{share:>6.1%}")], signs, room)
    if len(ranked) > len(shown):
        yield Text(f"  and {len(ranked) - len(shown):,} more, which lost less")


def risk_lines(risk: BeforeAfter, signs: Signs, width: int) -> Iterator[Text]:
    """Yield a line for each figure of risk: a bar before, an arrow, a bar after."""
    yield Text(f"risk, before {signs.arrow} after")
    figures = {"highest": _highest, "mean": _mean, "unique people": _unique}
    names = _named(list(figures), signs)
    room = _room(width, 2 + cell_len(names[0]) + 2 + 2 * 8 + 4, bars=2)
    for name, figure in zip(names, figures.values(), strict=True):
        shares = [figure(one.prosecutor) for one in (risk.before, risk.after)]
        yield _line(name, [(share, f"{share:>6.1%}") for share in shares], signs, room)


def _line(name: str, figures: Sequence[tuple[float, str]], signs: Signs, room: int) -> Text:
    line = Text(f"  {name}  ")
    for place, (share, figure) in enumerate(figures):
        if place:
            line.append(f" {signs.arrow} ")
        if room:
            line.append(signs.bar(share, room), style="red" if place == 0 and len(figures) > 1 else "cyan")
            line.append(" ")
        line.append(figure)
    return line


def _room(width: int, taken: int, bars: int = 1) -> int:
    """Return how many characters each bar may have; none where that is too little to tell anything."""
    room = min(width - taken, WIDEST_BAR) // bars
    return room if room >= NARROWEST_BAR else 0


def _named(names: Sequence[str], signs: Signs) -> list[str]:
    """Return names of one width, harmless to a terminal; characters of double width count twice."""
    shown = [printable(name, lines=False) for name in names]
    cut = [name if cell_len(name) <= NAME else set_cell_size(name, NAME - 1) + signs.cut for name in shown]
    width = max(map(cell_len, cut), default=0)
    return [set_cell_size(name, width) for name in cut]


def _highest(risk: RecordRisk) -> float:
    return risk.highest or 0.0


def _mean(risk: RecordRisk) -> float:
    return risk.mean or 0.0


def _unique(risk: RecordRisk) -> float:
    return risk.unique_share
