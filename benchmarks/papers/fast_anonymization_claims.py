"""What the fast-anonymization paper says of its figures."""

from __future__ import annotations

from benchmarks.papers.experiment import Panels, Verdict
from benchmarks.papers.fast_anonymization import (
    ANATOMY,
    AWARE,
    BY_SEEDS,
    FAST,
    HILB,
    HILB_2007,
    IDIST,
    IDIST_FAST,
    LITERAL,
    MONDRIAN,
    PAPER,
    TOP_DOWN,
)
from benchmarks.papers.judging import Judge, gap_trend, no_more, only, ratios, steady, told, trend, uneven
from benchmarks.papers.twins import mondrian_causes

FOR_K, FOR_L = ("12", "13", "14", "15"), ("16", "17", "18", "19")

#: "As fast", "similar": within this factor.
ALIKE = 1.5
ORDER = 10.0


def alike(one: str, other: str, unit: str, within: str = "") -> Judge:
    """Judge that two lines are within half as much again of each other, point by point."""

    def judge(panels: Panels) -> Verdict:
        found = [
            ratio
            for panel in panels
            if panel.unit == unit and within in panel.name
            for ratio in ratios(panel, one, other).values()
        ]
        if not found:
            return Verdict(None, f"no point has both {one} and {other}")
        held = sum(1 / ALIKE <= ratio <= ALIKE for ratio in found)
        span = f"{one} / {other} is {min(found):.3g} to {max(found):.3g}"
        return Verdict(held / len(found), f"at {held} of {len(found)} points within a factor of {ALIKE:g}; {span}")

    return judge


def rises_then_falls(panels: Panels) -> Verdict:
    """Judge that the divergence of Hilb has its peak at four quasi-identifiers."""
    found = only(panels, "KL", "(c)").at(HILB)
    peak = max(found, key=lambda count: found[count])
    return Verdict(float(peak == 4), f"Hilb: {told([*found.values()])}; the peak is at {peak:g}")


def coarse_levels(panels: Panels) -> Verdict:
    """Judge that Hilb is ahead of Anatomy at the lowest level, and no more than alike at the highest."""
    found = list(ratios(only(panels, "KL", "(b)"), ANATOMY, HILB).values())
    held = (found[0] > 1, found[-1] <= ALIKE, found[0] > found[-1])
    return Verdict(sum(held) / 3, f"Anatomy / Hilb by level: {told(found)}")


# k-anonymity
for line in (HILB, IDIST, FAST):
    for rival in (MONDRIAN, LITERAL, TOP_DOWN, BY_SEEDS):
        PAPER.claim(f"k: {line} loses less than {rival}", FOR_K, no_more(line, rival, "GCP"))
PAPER.claim("k: Hilb loses no more than iDist", FOR_K, no_more(HILB, IDIST, "GCP"))
PAPER.claim("Census: iDistFast loses about as much as TopDown", "13", alike(IDIST_FAST, TOP_DOWN, "GCP", "census"))
for line in (MONDRIAN, LITERAL):
    PAPER.claim(f"Adult: {line} has ten times the discernibility of Hilb", "12", no_more(HILB, line, "DM", ORDER))
PAPER.claim("Adult: Hilb and TopDown have about the same discernibility", "12", alike(HILB, TOP_DOWN, "DM"))
PAPER.claim("Adult: Hilb and iDist have about the same discernibility", "12", alike(HILB, IDIST, "DM"))
PAPER.claim("k: Mondrian is faster than Hilb", ("13", "14"), no_more(MONDRIAN, HILB, "seconds"))
PAPER.claim("k: HilbFast is as fast as Mondrian", ("13", "14"), alike(FAST, MONDRIAN, "seconds"))
PAPER.claim("k: HilbFast is faster than Hilb", ("13", "14"), no_more(FAST, HILB, "seconds"))
PAPER.claim("k: iDist is slower than Hilb", ("13", "14"), no_more(HILB, IDIST, "seconds"))
PAPER.claim(
    "TopDown takes far longer: ten times Hilb's time and more", ("13", "14"), no_more(HILB, TOP_DOWN, "seconds", ORDER)
)
for line in (HILB, IDIST, MONDRIAN, TOP_DOWN):
    PAPER.claim(f"More rows lose less (k): {line}", "14", trend(line, "GCP"))
PAPER.claim("More rows take longer (k): Hilb", "14", trend(HILB, "seconds", falls=False))
for line in (MONDRIAN, LITERAL, TOP_DOWN):
    PAPER.claim(
        f"Hilb's lead over {line} grows with the number of attributes", "15", gap_trend(line, HILB, "GCP", falls=False)
    )
PAPER.claim("The number of attributes hardly changes the time (k): Hilb", "15", steady(HILB, "seconds", ALIKE))
PAPER.claim("Beyond the paper, k: cost-aware loses less than Mondrian", FOR_K, no_more(AWARE, MONDRIAN, "GCP"))
PAPER.claim("Beyond the paper, k: cost-aware loses less than TopDown", FOR_K, no_more(AWARE, TOP_DOWN, "GCP"))

# l-diversity
for line in (HILB, IDIST):
    for rival in (MONDRIAN, LITERAL):
        PAPER.claim(f"l: {line} loses less than {rival}", FOR_L, no_more(line, rival, "GCP"))
PAPER.claim("l: Hilb loses no more than iDist", FOR_L, no_more(HILB, IDIST, "GCP"))
PAPER.claim("l: Hilb is about as fast as Mondrian", FOR_L, alike(HILB, MONDRIAN, "seconds"))
PAPER.claim("l: iDist is slower than Hilb", FOR_L, no_more(HILB, IDIST, "seconds"))
for line in (HILB, IDIST):
    PAPER.claim(f"More rows lose less (l): {line}", "17", trend(line, "GCP"))
for line in (MONDRIAN, LITERAL):
    PAPER.claim(
        f"{line} does not always lose more for a larger l, or less for more rows", ("16", "17"), uneven(line, "GCP")
    )
    PAPER.claim(f"{line} loses sharply more with more attributes (l)", "18", trend(line, "GCP", falls=False))
PAPER.claim("The number of attributes hardly changes the time (l): Hilb", "18", steady(HILB, "seconds", ALIKE))
for line in (HILB, IDIST, MONDRIAN, LITERAL):
    PAPER.claim(f"More sensitive values lose less: {line}", "19", trend(line, "GCP"))
PAPER.claim("The number of sensitive values does not change the time: Hilb", "19", steady(HILB, "seconds", ALIKE))
PAPER.claim("Beyond the paper, l: cost-aware loses less than Mondrian", FOR_L, no_more(AWARE, MONDRIAN, "GCP"))

for rival in (MONDRIAN, LITERAL):
    PAPER.claim(f"l: Hilb, as in the paper, loses less than {rival}", FOR_L, no_more(HILB_2007, rival, "GCP"))
LETTER, *CAUSES = list(mondrian_causes)[:4]
for cause in CAUSES:
    PAPER.claim(f"Beyond the paper: Mondrian with {cause} loses less than its", "causes", no_more(cause, LETTER, "GCP"))
for form in (LETTER, *CAUSES):
    PAPER.claim(f"Hilb loses less than Mondrian {form}", "causes", no_more(HILB, form, "GCP"))

PAPER.claim(
    "Adult: cost-aware loses less than Mondrian with either hierarchies", "trees", no_more(AWARE, MONDRIAN, "GCP")
)
PAPER.claim("Adult: Hilb loses less than Mondrian with both trees", "trees", no_more(HILB, MONDRIAN, "GCP"))

# Queries
for line in (MONDRIAN, LITERAL):
    PAPER.claim(
        f"Queries: Hilb is ten times as accurate as {line}, at every l", "20", no_more(HILB, line, "KL", ORDER, "(a)")
    )
    PAPER.claim(
        f"Queries: Hilb is more accurate than {line} at every level", "20", no_more(HILB, line, "KL", within="(b)")
    )
    PAPER.claim(
        f"Queries: iDist is more accurate than {line} at every level", "20", no_more(IDIST, line, "KL", within="(b)")
    )
PAPER.claim("Queries: Hilb is more accurate than Anatomy for every l", "20", no_more(HILB, ANATOMY, "KL", within="(a)"))
PAPER.claim(
    "Queries: Hilb is at worst marginally less accurate than Anatomy",
    "20",
    no_more(HILB, ANATOMY, "KL", 1 / ALIKE, "(a)"),
)
PAPER.claim("Queries: Hilb is ahead of Anatomy on coarse group-bys, and alike on fine ones", "20", coarse_levels)
PAPER.claim("Queries: Hilb's divergence grows up to four attributes and falls then", "20", rises_then_falls)
PAPER.claim("Queries: the number of attributes does not matter to Anatomy", "20", steady(ANATOMY, "KL", ALIKE, "(c)"))
for line in (HILB, IDIST):
    PAPER.claim(f"Queries: more rows make them more accurate: {line}", "20", trend(line, "KL", within="(d)"))
