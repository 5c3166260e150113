"""How claims are judged: each function returns a judge of panels, and the figure that decides.

A judge looks at panels of one unit only, those whose name contains ``within`` where that is given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from statistics import fmean, median

from benchmarks.papers.experiment import LackingError, Panel, Panels, Verdict

Judge = Callable[[Panels], Verdict]

#: Figures that differ by less than this share are equal.
ROUNDING = 1e-9

#: A line falls if its last figure is below its first, and the later one is lower in at least this share of all pairs.
NEARLY_ALWAYS = 0.75


def chosen(panels: Panels, unit: str, within: str = "") -> Iterator[Panel]:
    """Yield the panels with a unit whose name contains some words."""
    return (panel for panel in panels if panel.unit == unit and within in panel.name)


def only(panels: Panels, unit: str, within: str = "") -> Panel:
    """Find the one panel with a unit and a name; raise an error if it is missing."""
    for panel in chosen(panels, unit, within):
        return panel
    raise LackingError(f"no figures of {unit} {within}".rstrip())


def ratios(panel: Panel, above: str, below: str) -> dict[float, float]:
    """One line over another wherever both have a figure."""
    one, other = panel.at(above), panel.at(below)
    return {x: one[x] / other[x] if other[x] else float("inf" if one[x] else 1) for x in one if x in other}


def no_more(better: str, worse: str, unit: str, factor: float = 1.0, within: str = "") -> Judge:
    """Judge that one line is nowhere above another divided by a factor: point by point, over all panels."""

    def judge(panels: Panels) -> Verdict:
        points = [
            (ratio, f"{panel.name}, {panel.axis} = {x:g}")
            for panel in chosen(panels, unit, within)
            for x, ratio in ratios(panel, better, worse).items()
        ]
        if not points:
            return Verdict(None, f"no point has both {better} and {worse}")
        held = [ratio for ratio, _ in points if ratio * factor <= 1 + ROUNDING]
        worst, where = max(points)
        middle = median(ratio for ratio, _ in points)
        told = f"at {len(held)} of {len(points)} points; {better} / {worse} is {middle:.4g} in the middle"
        return Verdict(len(held) / len(points), f"{told}, {worst:.4g} at most ({where})")

    return judge


def trend(line: str, unit: str, falls: bool = True, within: str = "") -> Judge:
    """Judge that a line falls (or rises) along its axis, in every panel."""

    def judge(panels: Panels) -> Verdict:
        return told_trends(
            {panel.name: list(panel.at(line).values()) for panel in chosen(panels, unit, within)}, line, falls
        )

    return judge


def gap_trend(above: str, below: str, unit: str, falls: bool = True, within: str = "") -> Judge:
    """Judge that one line over another falls (or rises) along the axis, in every panel."""

    def judge(panels: Panels) -> Verdict:
        found = {panel.name: list(ratios(panel, above, below).values()) for panel in chosen(panels, unit, within)}
        return told_trends(found, f"{above} / {below}", falls)

    return judge


def told_trends(found: dict[str, list[float]], what: str, falls: bool) -> Verdict:
    """How far the figures fall (or rise) in every panel, on average, and the figures."""
    lines = {name: values for name, values in found.items() if len(values) > 1}
    if not lines:
        return Verdict(None, f"fewer than two figures of {what}")
    shown = "; ".join(f"{name}: {told(values)}" for name, values in lines.items())
    return Verdict(fmean(goes(values, falls) for values in lines.values()), f"{what} {shown}")


def goes(values: list[float], falls: bool) -> float:
    """Whether figures fall (or rise): 1 if nearly always, a half if only from the first to the last, else 0."""
    sign = -1 if falls else 1
    if (values[-1] - values[0]) * sign <= 0:
        return 0.0
    pairs = [(later - earlier) * sign for at, earlier in enumerate(values) for later in values[at + 1 :]]
    return 1.0 if sum(step >= 0 for step in pairs) >= NEARLY_ALWAYS * len(pairs) else 0.5


def steady(line: str, unit: str, factor: float = 1.5, within: str = "") -> Judge:
    """Judge that a line hardly changes: its largest figure is at most a given multiple of its least, in every panel."""

    def judge(panels: Panels) -> Verdict:
        spans = {}
        for panel in chosen(panels, unit, within):
            values = list(panel.at(line).values())
            if len(values) > 1:
                spans[panel.name] = max(values) / min(values)
        if not spans:
            return Verdict(None, f"fewer than two figures of {line}")
        held = sum(span <= factor for span in spans.values())
        shown = "; ".join(f"{name}: {span:.2g}" for name, span in spans.items())
        return Verdict(held / len(spans), f"largest over least of {line}, at most {factor:g} wanted: {shown}")

    return judge


def uneven(line: str, unit: str, within: str = "") -> Judge:
    """Judge that a line goes up and down along its axis in at least one panel, by more than a hundredth each way."""

    def judge(panels: Panels) -> Verdict:
        lines = {panel.name: list(panel.at(line).values()) for panel in chosen(panels, unit, within)}
        lines = {name: values for name, values in lines.items() if len(values) > 2}
        if not lines:
            return Verdict(None, f"fewer than three figures of {line}")
        turning = [name for name, values in lines.items() if turns(values)]
        shown = "; ".join(f"{name}: {told(lines[name])}" for name in turning or lines)
        return Verdict(float(bool(turning)), f"{line} turns in {len(turning)} of {len(lines)} panels: {shown}")

    return judge


def turns(values: list[float], tolerance: float = 0.01) -> bool:
    """Whether figures both rise and fall by more than a share of themselves."""
    steps = [later / earlier - 1 for earlier, later in pairwise(values) if earlier]
    return any(step > tolerance for step in steps) and any(step < -tolerance for step in steps)


def mean_ratio(above: str, below: str, unit: str, at_least: float, within: str = "") -> Judge:
    """Judge that one line is a given multiple of another, on average over all points."""

    def judge(panels: Panels) -> Verdict:
        found = [ratio for panel in chosen(panels, unit, within) for ratio in ratios(panel, above, below).values()]
        if not found:
            return Verdict(None, f"no point has both {above} and {below}")
        mean = fmean(found)
        return Verdict(
            float(mean >= at_least), f"{above} / {below} is {mean:.3g} on average, {at_least:g} or more claimed"
        )

    return judge


def told(values: list[float]) -> str:
    """Format figures for readers."""
    return ", ".join(f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.3g}" for value in values)
