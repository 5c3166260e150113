"""What the fast-anonymization paper claims of its figures, and whether it holds here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

#: By figure, by measure (GCP, seconds, DM), by method: the values along the x axis.
Measured = Mapping[str, Mapping[str, Mapping[str, list[float]]]]

#: Losses are compared to so many digits.
EPSILON = 1e-9

FOR_K, FOR_L = (12, 13, 14, 15), (16, 17, 18, 19)


class Claim(NamedTuple):
    """That one method loses no more than another, in some figures; and why it may not be so."""

    text: str
    figures: tuple[int, ...]
    better: str
    worse: str
    otherwise: str = ""


STRONGER = (
    "Sfumato's Mondrian is stronger than the paper's: it measures width in what a class loses, so flat categories are "
    "cut first, and rows at a median may go to either side, so skewed columns can be cut. The curve in turn takes "
    "categories for numbers; the cost-aware order does not."
)
FEW = (
    "With a small l and few attributes nearly every median cut is diverse, so Mondrian is not held back; it is where "
    "much is asked."
)
TIES = (
    "Centres fit some columns better than the curve's grid does; with few attributes the two orders are nearly alike."
)

CLAIMS = (
    Claim("k: Hilb loses no more than iDist", FOR_K, "hilbert", "idistance", TIES),
    Claim("k: Hilb loses less than Mondrian", FOR_K, "hilbert", "mondrian", STRONGER),
    Claim("k: iDist loses less than Mondrian", FOR_K, "idistance", "mondrian", STRONGER),
    Claim("k: HilbFast loses less than Mondrian", FOR_K, "hilbert-fast", "mondrian", STRONGER),
    Claim("l: Hilb loses no more than iDist", FOR_L, "hilbert", "idistance", TIES),
    Claim("l: Hilb loses less than Mondrian", FOR_L, "hilbert", "mondrian", f"{STRONGER} {FEW}"),
    Claim("l: iDist loses less than Mondrian", FOR_L, "idistance", "mondrian", f"{STRONGER} {FEW}"),
    Claim("beyond the paper, k: cost-aware loses less than Mondrian", FOR_K, "cost-aware", "mondrian"),
    Claim("beyond the paper, l: cost-aware loses less than Mondrian", FOR_L, "cost-aware", "mondrian"),
)


def verdicts(measured: Measured) -> Iterator[str]:
    """Say of every claim at how many points it holds, where it does not, and why."""
    yield "The paper's claims (GCP), point by point of every figure:"
    for claim in CLAIMS:
        figures = {title: values["GCP"] for title, values in measured.items() if number(title) in claim.figures}
        held = points(figures, claim.better, claim.worse)
        yield f"\n  {claim.text}: {verdict(held)}"
        for title, (count, total) in held.items():
            if count < total:
                yield f"      {title}: {count} of {total}"
        if claim.worse == "mondrian" and not claim.text.startswith("beyond"):
            yield f"      against Mondrian as it was in 2007: {verdict(points(figures, claim.better, 'mondrian-2007'))}"
        if claim.otherwise and any(count < total for count, total in held.values()):
            yield f"      why: {claim.otherwise}"
    yield "\nOther claims:"
    yield from (f"  {text}" for text in others(measured))


def number(title: str) -> int:
    """Return the number of a figure."""
    return int(title.partition(":")[0].removeprefix("Figure "))


def points(figures: Mapping[str, Mapping[str, list[float]]], better: str, worse: str) -> dict[str, tuple[int, int]]:
    """Return for every figure at how many points a method loses no more than another, and of how many."""
    return {
        title: (sum(one <= two + EPSILON for one, two in pairs), len(pairs))
        for title, lines in figures.items()
        for pairs in [list(zip(lines[better], lines[worse], strict=True))]
    }


def verdict(held: Mapping[str, tuple[int, int]]) -> str:
    """Say whether a claim holds, and at how many points."""
    count, total = (sum(column) for column in zip(*held.values(), strict=True)) if held else (0, 0)
    word = "holds" if count == total else "does not hold" if count == 0 else "holds in part"
    return f"{word} ({count} of {total} points)"


def others(measured: Measured) -> Iterator[str]:
    """Say what became of the claims about one method alone."""
    checks: list[tuple[str, int, str, Callable[[list[float]], bool]]] = [
        ("more rows lose less (Hilb, k)", 14, "GCP", falling),
        ("more rows lose less (Hilb, l)", 17, "GCP", falling),
        ("more sensitive values lose less (Hilb, l)", 19, "GCP", falling),
        ("the number of sensitive values does not change the time by half (Hilb)", 19, "seconds", steady),
        ("the number of attributes does not change the time by half (Hilb, l)", 18, "seconds", steady),
    ]
    for text, figure, measure, holds in checks:
        for title, values in measured.items():
            if number(title) == figure:
                line = values[measure]["hilbert"]
                shown = ", ".join(f"{value:.3g}" for value in line)
                yield f"{text}: {'holds' if holds(line) else 'does not hold'} ({title}: {shown})"


def falling(values: list[float]) -> bool:
    """Return whether values never rise by more than a hundredth."""
    return all(after <= before * 1.01 for before, after in pairwise(values))


def steady(values: list[float]) -> bool:
    """Return whether no value is more than one and a half times another."""
    return max(values) <= 1.5 * min(values)
