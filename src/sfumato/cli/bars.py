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

#: How many columns get a bar, those that lost most first; the others are only counted.
COLUMNS_SHOWN = 12

#: Shorter bars show nothing, so a narrow terminal gets figures only; longer ones show no more.
NARROWEST_BAR, WIDEST_BAR = 4, 30

#: How many characters of a name are shown.
NAME = 24


@dataclass(frozen=True)
class BarCharacters:
    """The characters of a bar: parts of a block from the smallest to the whole, the empty rest, an arrow, a cut."""

    parts: str
    rest: str
    arrow: str
    cut: str

    def bar(self, share: float, width: int) -> str:
        """Draw a share from 0 to 1 as a bar; a share above 0 is never drawn as an empty bar.

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


BLOCKS = BarCharacters("▏▎▍▌▋▊▉█", " ", "→", "…")
ASCII = BarCharacters("#", ".", "->", "~")


def characters_for(encoding: str) -> BarCharacters:
    """Choose blocks where the encoding has them, otherwise ASCII."""
    try:
        (BLOCKS.parts + BLOCKS.arrow + BLOCKS.cut).encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def show_bars(release: Release) -> None:
    """Draw the bars on the terminal, in colour unless the user has turned colours off."""
    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    encoding = sys.stderr.encoding or "utf-8"
    characters = characters_for(encoding)
    lines = [
        *loss_lines(release.loss.by_attribute, characters, console.width),
        *risk_lines(release.risk, characters, console.width),
    ]
    for line in lines:
        text = Text(line.plain.encode(encoding, "replace").decode(encoding), spans=line.spans)
        console.print(text, no_wrap=True, overflow="ignore", crop=False)


def loss_lines(by_column: Mapping[str, float], characters: BarCharacters, width: int) -> Iterator[Text]:
    """Draw a line for each column: its name, a bar of its loss, the figure."""
    ranked = sorted(by_column.items(), key=lambda item: -item[1])
    shown = ranked[:COLUMNS_SHOWN]
    yield Text("lost by column")
    names = _named([name for name, _ in shown], characters)
    room = _room(width, 2 + cell_len(names[0]) + 2 + 8) if names else 0
    for name, (_, share) in zip(names, shown, strict=True):
        yield _line(name, [(share, f"{share:>6.1%}")], characters, room)
    if len(ranked) > len(shown):
        yield Text(f"  and {len(ranked) - len(shown):,} more, which lost less")


def risk_lines(risk: BeforeAfter, characters: BarCharacters, width: int) -> Iterator[Text]:
    """Draw a line for each figure of risk: a bar before, an arrow, a bar after."""
    yield Text(f"risk, before {characters.arrow} after")
    figures = {"highest": _highest, "mean": _mean, "unique people": _unique}
    names = _named(list(figures), characters)
    room = _room(width, 2 + cell_len(names[0]) + 2 + 2 * 8 + 4, bars=2)
    for name, figure in zip(names, figures.values(), strict=True):
        shares = [figure(one.prosecutor) for one in (risk.before, risk.after)]
        yield _line(name, [(share, f"{share:>6.1%}") for share in shares], characters, room)


def _line(name: str, figures: Sequence[tuple[float, str]], characters: BarCharacters, room: int) -> Text:
    line = Text(f"  {name}  ")
    for place, (share, figure) in enumerate(figures):
        if place:
            line.append(f" {characters.arrow} ")
        if room:
            line.append(characters.bar(share, room), style="red" if place == 0 and len(figures) > 1 else "cyan")
            line.append(" ")
        line.append(figure)
    return line


def _room(width: int, taken: int, bars: int = 1) -> int:
    """Compute how many characters each bar may have; 0 if the terminal is too narrow for bars."""
    room = min(width - taken, WIDEST_BAR) // bars
    return room if room >= NARROWEST_BAR else 0


def _named(names: Sequence[str], characters: BarCharacters) -> list[str]:
    """Cut and pad names to one width, free of control characters; wide characters count twice."""
    shown = [printable(name, lines=False) for name in names]
    cut = [name if cell_len(name) <= NAME else set_cell_size(name, NAME - 1) + characters.cut for name in shown]
    width = max(map(cell_len, cut), default=0)
    return [set_cell_size(name, width) for name in cut]


def _highest(risk: RecordRisk) -> float:
    return risk.highest or 0.0


def _mean(risk: RecordRisk) -> float:
    return risk.mean or 0.0


def _unique(risk: RecordRisk) -> float:
    return risk.unique_share
