"""How claims are judged: each function returns a judge of panels, and the figure that decides.

A judge looks at panels of one unit only, those whose name contains ``within`` where that is given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import fmean, median

from benchmarks.papers.experiment import TIE, LackingError, Panel, Panels, Verdict

Judge = Callable[[Panels], Verdict]

#: Figures that differ by less than this share are equal.
ROUNDING = 1e-9

#: Figures that differ by less than this share are a tie; seconds vary from run to run, so for them it is larger.
EQUAL, EQUAL_SECONDS = 0.005, 0.05

#: "As fast", "similar", "slightly": within this factor. "Clearly", "substantially", "far", "much": beyond it.
ALIKE = 1.5

#: "An order of magnitude" is a word, not a number: a factor of 10 is met from the square root of 10 on.
HALF_WAY = math.sqrt(10)

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


def equal(unit: str) -> float:
    """The share below which two figures of a unit are a tie."""
    return EQUAL_SECONDS if unit == "seconds" else EQUAL


def no_more(better: str, worse: str | Sequence[str], unit: str, factor: float = 1.0, within: str = "") -> Judge:
    """Judge that a line is nowhere above another, or several, divided by a factor: point by point, over all panels.

    Without a factor, points where the two are equal decide nothing: the share is of those that differ.
    """
    rivals = [worse] if isinstance(worse, str) else list(worse)
    names = " or ".join(rivals)

    def judge(panels: Panels) -> Verdict:
        points = [
            (ratio, f"{panel.name}, {panel.axis} = {x:g}" + (f", {rival}" if rivals[1:] else ""))
            for panel in chosen(panels, unit, within)
            for rival in rivals
            for x, ratio in ratios(panel, better, rival).items()
        ]
        if not points:
            return Verdict(None, f"no point has both {better} and {names}", "lacking")
        worst, where = max(points)
        middle = median(ratio for ratio, _ in points)
        held, ties = counted([ratio for ratio, _ in points], factor, unit)
        tied = f", {ties} tied" if ties else ""
        shown = f"at {held} of {len(points)} points{tied}; {better} / {names} is {middle:.4g} in the middle"
        told = f"{shown}, {worst:.4g} at most ({where})"
        return Verdict(held / (len(points) - ties), told) if ties < len(points) else Verdict(None, told, TIE)

    return judge


def counted(found: list[float], factor: float, unit: str) -> tuple[int, int]:
    """At how many points a line is below another by a factor, and at how many the two are equal."""
    if factor != 1.0:
        return sum(ratio * factor <= 1 + ROUNDING for ratio in found), 0
    ties = sum(abs(ratio - 1) <= equal(unit) for ratio in found)
    return sum(ratio < 1 - equal(unit) for ratio in found), ties


def clearly(better: str, worse: str | Sequence[str], unit: str, within: str = "") -> Judge:
    """Judge that a line is below another by so much that the two are not alike."""
    return no_more(better, worse, unit, ALIKE, within)


def places(judge: Judge, above: float = -math.inf, upto: float = math.inf) -> Judge:
    """Judge by the places of the axis beyond one, and up to another."""

    def judge_there(panels: Panels) -> Verdict:
        return judge([part_of(panel, above, upto) for panel in panels])

    return judge_there


def part_of(panel: Panel, above: float, upto: float) -> Panel:
    """A panel with some of its places."""
    kept = [x for x in panel.xs if above < x <= upto]
    return replace(panel, xs=kept, lines={line: [panel.at(line).get(x) for x in kept] for line in panel.lines})


def together(*judges: Judge) -> Judge:
    """Judge several things that one sentence says: their mean."""

    def judge(panels: Panels) -> Verdict:
        verdicts = [judge(panels) for judge in judges]
        shares = [verdict.share for verdict in verdicts if verdict.share is not None]
        if not shares:
            return verdicts[0]
        return Verdict(fmean(shares), "; ".join(verdict.why for verdict in verdicts))

    return judge


def mostly(better: str, worse: str, unit: str, within: str = "") -> Judge:
    """Judge that a line is below another "in most cases": at more than half of the points where the two differ."""

    def judge(panels: Panels) -> Verdict:
        verdict = no_more(better, worse, unit, within=within)(panels)
        return verdict if verdict.share is None else verdict._replace(share=float(verdict.share > 1 / 2))

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
        held = sum(1 - equal(unit) <= ratio <= factor for ratio in found)
        span = f"{more} / {less} is {min(found):.3g} to {max(found):.3g}"
        return Verdict(held / len(found), f"at {held} of {len(found)} points from 1 to {factor:g}; {span}")

    return judge


def times_better(better: str, worse: str, unit: str, factor: float, within: str = "") -> Judge:
    """Judge that one line is a factor below another, an order of magnitude at least half way, point by point."""
    least = factor / HALF_WAY

    def judge(panels: Panels) -> Verdict:
        found = [ratio for panel in chosen(panels, unit, within) for ratio in ratios(panel, worse, better).values()]
        if not found:
            return Verdict(None, f"no point has both {better} and {worse}", "lacking")
        held = sum(ratio >= least for ratio in found)
        told = f"at {held} of {len(found)} points {least:.3g} times and more"
        return Verdict(held / len(found), f"{told}; {worse} / {better} is {min(found):.3g} to {max(found):.3g}")

    return judge


def up_to(better: str, worse: str, unit: str, factor: float, within: str = "") -> Judge:
    """Judge that one line is "up to" an order of magnitude below another: somewhere, and nowhere by another order."""

    def judge(panels: Panels) -> Verdict:
        found = [
            (ratio, f"{panel.name}, {panel.axis} = {x:g}")
            for panel in chosen(panels, unit, within)
            for x, ratio in ratios(panel, worse, better).items()
        ]
        if not found:
            return Verdict(None, f"no point has both {better} and {worse}", "lacking")
        most, where = max(found)
        least, beyond = factor / HALF_WAY, factor * HALF_WAY
        told = f"{worse} / {better} is {most:.3g} at most ({where}), {least:.3g} to {beyond:.3g} wanted"
        return Verdict(float(least <= most <= beyond), told)

    return judge


def at_most(line: str, unit: str, bound: float, within: str = "") -> Judge:
    """Judge that a line is nowhere above a figure."""

    def judge(panels: Panels) -> Verdict:
        found = [value for panel in chosen(panels, unit, within) for value in panel.at(line).values()]
        if not found:
            return Verdict(None, f"no figures of {line}", "lacking")
        held = sum(value <= bound for value in found)
        return Verdict(held / len(found), f"at {held} of {len(found)} points {bound:g} or less; {line}: {told(found)}")

    return judge


def trend(line: str, unit: str, falls: bool = True, within: str = "", most: float = math.inf) -> Judge:
    """Judge that a line falls (or rises) along its axis, in every panel; "slightly", if by a factor at most, too."""

    def judge(panels: Panels) -> Verdict:
        found = {panel.name: list(panel.at(line).values()) for panel in chosen(panels, unit, within)}
        verdict = told_trends(found, line, falls)
        if verdict.share is None or math.isinf(most):
            return verdict
        spans = [max(values) / min(values) for values in found.values() if len(values) > 1]
        small = sum(span <= most for span in spans) / len(spans)
        why = f"{verdict.why}; by {max(spans):.3g} in all, {most:g} at most wanted"
        return Verdict(verdict.share * (1 + small) / 2, why)

    return judge


def gap_trend(above: str, below: str, unit: str, falls: bool = True, within: str = "") -> Judge:
    """Judge that one line over another falls (or rises) along the axis, in every panel.

    Where a line is 0, nothing is a multiple of it: such places are left out.
    """

    def judge(panels: Panels) -> Verdict:
        return told_trends(gaps(panels, above, below, unit, within), f"{above} / {below}", falls)

    return judge


def closes(above: str, below: str, unit: str, within: str = "") -> Judge:
    """Judge that one line comes down to another along the axis: their ratio falls, and ends where they are alike."""

    def judge(panels: Panels) -> Verdict:
        found = gaps(panels, above, below, unit, within)
        verdict = told_trends(found, f"{above} / {below}", falls=True)
        if verdict.share is None:
            return verdict
        near = fmean(1 / ALIKE <= values[-1] <= ALIKE for values in found.values() if len(values) > 1)
        return verdict._replace(share=(verdict.share + near) / 2, why=f"{verdict.why}; {ALIKE:g} wanted at the end")

    return judge


def gaps(panels: Panels, above: str, below: str, unit: str, within: str) -> dict[str, list[float]]:
    """One line over another along the axis of every panel, wherever that is a number."""
    return {
        panel.name: [ratio for x, ratio in ratios(panel, above, below).items() if panel.at(below)[x]]
        for panel in chosen(panels, unit, within)
    }


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
    """Judge that a line goes up and down along its axis in at least one panel, each time by more than a tie."""

    def judge(panels: Panels) -> Verdict:
        lines = {panel.name: list(panel.at(line).values()) for panel in chosen(panels, unit, within)}
        lines = {name: values for name, values in lines.items() if len(values) > 2}
        if not lines:
            return Verdict(None, f"fewer than three figures of {line}", "lacking")
        turning = [name for name, values in lines.items() if turns(values, equal(unit)) > 1]
        shown = "; ".join(f"{name}: {told(lines[name])}" for name in turning or lines)
        return Verdict(float(bool(turning)), f"{line} turns in {len(turning)} of {len(lines)} panels: {shown}")

    return judge


def more_uneven(line: str, others: Sequence[str], unit: str) -> Judge:
    """Judge that a line goes back on its way along the axis by a larger factor than each of the others, everywhere."""

    def judge(panels: Panels) -> Verdict:
        held, shown = [], []
        for panel in chosen(panels, unit):
            found = {name: turns(list(panel.at(name).values()), equal(unit)) for name in (line, *others)}
            held.append(found[line] > max(found[name] for name in others))
            where = f"{panel.name}, {unit}, {panel.axis} up to {max(panel.xs):g}"
            shown.append(f"{where}: " + ", ".join(f"{name} {back:.3g}" for name, back in found.items()))
        if not held:
            return Verdict(None, f"no figures of {line}", "lacking")
        return Verdict(fmean(held), f"by what factor a line goes back on its way: {'; '.join(shown)}")

    return judge


def turns(values: list[float], tolerance: float = EQUAL) -> float:
    """By what factor figures go up and down again, or down and up: 1 if they never turn. Ties are no steps."""
    steps = [math.log(later / earlier) for earlier, later in pairwise(values) if earlier and later]
    steps = [step for step in steps if abs(step) > tolerance]
    return math.exp(min(sum(step for step in steps if step > 0), -sum(step for step in steps if step < 0)))


def told(values: list[float]) -> str:
    """Format figures for readers."""
    return ", ".join(f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:.3g}" for value in values)
