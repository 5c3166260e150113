"""How claims are judged: each function returns a judge of panels, and the figure that decides.

A judge looks at panels of one unit only, those whose name contains ``within`` where that is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from statistics import fmean, median

from benchmarks.papers.experiment import TIE, LackingError, Panel, Panels, Verdict

Judge = Callable[[Panels], Verdict]

#: Figures that differ by less than this share are equal.
ROUNDING = 1e-9

#: Figures that differ by less than this share are a tie; seconds vary from run to run, so for them it is larger.
EQUAL, EQUAL_SECONDS = 0.005, 0.05

#: "As fast", "similar", "marginally": within this factor.
ALIKE = 1.5

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
    """Judge that one line is nowhere above another divided by a factor: point by point, over all panels.

    Without a factor, points where the two are equal decide nothing: the share is of those that differ.
    """

    def judge(panels: Panels) -> Verdict:
        points = [
            (ratio, f"{panel.name}, {panel.axis} = {x:g}")
            for panel in chosen(panels, unit, within)
            for x, ratio in ratios(panel, better, worse).items()
        ]
        if not points:
            return Verdict(None, f"no point has both {better} and {worse}", "lacking")
        worst, where = max(points)
        middle = median(ratio for ratio, _ in points)
        held, ties = counted([ratio for ratio, _ in points], factor, unit)
        tied = f", {ties} tied" if ties else ""
        shown = f"at {held} of {len(points)} points{tied}; {better} / {worse} is {middle:.4g} in the middle"
        told = f"{shown}, {worst:.4g} at most ({where})"
        return Verdict(held / (len(points) - ties), told) if ties < len(points) else Verdict(None, told, TIE)

    return judge


def counted(found: list[float], factor: float, unit: str) -> tuple[int, int]:
    """At how many points a line is below another by a factor, and at how many the two are equal."""
    if factor != 1.0:
        return sum(ratio * factor <= 1 + ROUNDING for ratio in found), 0
    equal = EQUAL_SECONDS if unit == "seconds" else EQUAL
    ties = sum(abs(ratio - 1) <= equal for ratio in found)
    return sum(ratio < 1 - equal for ratio in found), ties


def below_up_to(better: str, worse: str, unit: str, upto: float, within: str = "") -> Judge:
    """Judge that one line is below another, as in `no_more`, at places up to a bound."""

    def judge(panels: Panels) -> Verdict:
        few = [replace(panel, xs=[x for x in panel.xs if x <= upto]) for panel in panels]
        return no_more(better, worse, unit, within=within)(few)

    return judge


def alike(one: str, other: str, unit: str, within: str = "", factor: float = ALIKE) -> Judge:
    """Judge that two lines are within a factor of each other, upwards and downwards, point by point."""

    def judge(panels: Panels) -> Verdict:
        found = [
            ratio for panel in chosen(panels, unit, within) for ratio in ratios(panel, one, other).values() if ratio > 0
        ]
        if not found:
            return Verdict(None, f"no point has both {one} and {other}", "lacking")
        held = sum(1 / factor <= ratio <= factor for ratio in found)
        span = f"{one} / {other} is {min(found):.3g} to {max(found):.3g}"
        return Verdict(held / len(found), f"at {held} of {len(found)} points within a factor of {factor:g}; {span}")

    return judge


def somewhat_more(more: str, less: str, unit: str, factor: float = ALIKE, within: str = "") -> Judge:
    """Judge that one line is above another, but by no more than a factor ("slightly", "marginally"): point by point."""

    def judge(panels: Panels) -> Verdict:
        found = [ratio for panel in chosen(panels, unit, within) for ratio in ratios(panel, more, less).values()]
        if not found:
            return Verdict(None, f"no point has both {more} and {less}", "lacking")
        held = sum(1 - EQUAL <= ratio <= factor for ratio in found)
        span = f"{more} / {less} is {min(found):.3g} to {max(found):.3g}"
        return Verdict(held / len(found), f"at {held} of {len(found)} points from 1 to {factor:g}; {span}")

    return judge


def times_better(
    better: str, worse: str, unit: str, factor: float, within: str = "", upto: float = float("inf")
) -> Judge:
    """Judge that one line is a factor below another, an order of magnitude at least half way, at places up to a bound.

    "An order of magnitude" is a word, not a number: a factor of 10 is met from the square root of 10 on, 100 from 10
    times that on.
    """
    least = factor / math.sqrt(10)

    def judge(panels: Panels) -> Verdict:
        found = [
            ratio
            for panel in chosen(panels, unit, within)
            for x, ratio in ratios(panel, worse, better).items()
            if x <= upto
        ]
        if not found:
            return Verdict(None, f"no point has both {better} and {worse}", "lacking")
        held = sum(ratio >= least for ratio in found)
        told = f"at {held} of {len(found)} points {least:.3g} times and more"
        return Verdict(held / len(found), f"{told}; {worse} / {better} is {min(found):.3g} to {max(found):.3g}")

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
        return Verdict(None, f"fewer than two figures of {what}", "lacking")
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
            return Verdict(None, f"fewer than two figures of {line}", "lacking")
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
            return Verdict(None, f"fewer than three figures of {line}", "lacking")
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
            return Verdict(None, f"no point has both {above} and {below}", "lacking")
        mean = fmean(found)
        return Verdict(
            float(mean >= at_least), f"{above} / {below} is {mean:.3g} on average, {at_least:g} or more claimed"
        )

    return judge


def told(values: list[float]) -> str:
    """Format figures for readers."""
    return ", ".join(f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.3g}" for value in values)
