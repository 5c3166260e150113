"""What the fast-anonymization paper says of its figures."""

from __future__ import annotations

from math import inf

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
    ORDERS,
    OWN_TOP_DOWN,
    PAPER,
    TOP_DOWN,
)
from benchmarks.papers.judging import (
    ALIKE,
    EQUAL,
    HALF_WAY,
    Judge,
    alike,
    at_most,
    chosen,
    clearly,
    gap_trend,
    goes,
    mostly,
    no_more,
    only,
    places,
    ratios,
    somewhat_more,
    steady,
    times_better,
    together,
    told,
    trend,
    uneven,
    up_to,
)
from benchmarks.papers.twins import mondrian_causes

#: A loss that is "close to 0".
NOTHING = 0.01

FOR_K, FOR_L = ("12", "13", "14", "15"), ("16", "17", "18", "19")

ORDER = 10.0


def of_the_paper(judge: Judge) -> Judge:
    """Judge without the table of four numbers, which the paper has not."""

    def judge_there(panels: Panels) -> Verdict:
        return judge([panel for panel in panels if not panel.name.startswith("numbers")])

    return judge_there


def rises_then_falls(panels: Panels) -> Verdict:
    """Judge that the divergence of Hilb has its peak at four quasi-identifiers."""
    found = only(panels, "KL", "(c)").at(HILB)
    peak = max(found, key=lambda count: found[count])
    return Verdict(float(peak == 4), f"Hilb: {told([*found.values()])}; the peak is at {peak:g}")


def coarse_levels(rival: str, line: str) -> Judge:
    """Judge that a line is ahead of a rival at the two lowest levels, and alike, from both sides, at the two last."""

    def judge(panels: Panels) -> Verdict:
        found = list(ratios(only(panels, "KL", "(b)"), rival, line).values())
        ahead = [ratio > 1 + EQUAL for ratio in found[:2]]
        alike_there = [1 / ALIKE <= ratio <= ALIKE for ratio in found[-2:]]
        held = [*ahead, *alike_there]
        return Verdict(sum(held) / len(held), f"{rival} / {line} by level: {told(found)}")

    return judge


def sharply(line: str, unit: str, factor: float = 2.0) -> Judge:
    """Judge that a line rises along its axis, and from its first half to its last figure by a factor and more."""

    def judge(panels: Panels) -> Verdict:
        held, shown = [], []
        for panel in chosen(panels, unit):
            values = [value for value in panel.at(line).values() if value > 0]
            if len(values) > 2:
                rise = values[-1] / values[len(values) // 2]
                held.append(goes(values, falls=False) == 1.0 and rise >= factor)
                shown.append(f"{panel.name}: {told(values)}")
        if not held:
            return Verdict(None, f"fewer than three figures of {line}", "lacking")
        return Verdict(sum(held) / len(held), f"{line} {'; '.join(shown)}")

    return judge


def at_least_half_way_worse(panels: Panels) -> Verdict:
    """Judge that the discernibility of the paper's Mondrian is ten times Hilb's: on average over orders of siblings."""
    panel = only(panels, "DM by Hilb")
    found = panel.at(LITERAL)
    ends = {x: end for x, end in zip(panel.xs, panel.spread[LITERAL], strict=True) if end is not None}
    held = sum(value >= ORDER / HALF_WAY for value in found.values())
    shown = ", ".join(f"k = {x:g}: {value:.3g} ({ends[x][0]:.3g} to {ends[x][1]:.3g})" for x, value in found.items())
    return Verdict(held / len(found), f"medians over {ORDERS} orders of sibling categories, and their range: {shown}")


S61, S62, S64 = "6.1", "6.2", "6.4"

# k-anonymity
BOTH_LOWER = ("6.1, Figure 13", "Both Hilb and iDist achieved lower information loss")
for rivals, form, names in (
    ((LITERAL, TOP_DOWN), "literal", "Mondrian and TopDown, both as published"),
    ((MONDRIAN, OWN_TOP_DOWN), "ours", "Sfumato's Mondrian and TopDown by growth"),
):
    PAPER.claim(
        f"Figures 12 to 15: Hilb and iDist lose less than {names}",
        FOR_K,
        of_the_paper(together(no_more(HILB, rivals, "GCP"), no_more(IDIST, rivals, "GCP"))),
        BOTH_LOWER,
        headline=form,
        because="Sfumato's Mondrian measures width by loss, and the lead of the curve is over the paper's form.",
    )
for line in (HILB, IDIST):
    for rival in (MONDRIAN, LITERAL, TOP_DOWN, OWN_TOP_DOWN, BY_SEEDS):
        judge = of_the_paper(no_more(line, rival, "GCP"))
        PAPER.claim(f"Figures 12 to 15: {line} loses less than {rival}", FOR_K, judge, BOTH_LOWER)
BY_SIZE = ("6.1, Figure 14", "Hilb and iDist are better than Mondrian and Top-Down")
PAPER.claim(
    "By size: Hilb and iDist lose less than Mondrian and TopDown, both as published",
    "14",
    together(no_more(HILB, (LITERAL, TOP_DOWN), "GCP"), no_more(IDIST, (LITERAL, TOP_DOWN), "GCP")),
    BY_SIZE,
)
PAPER.claim(
    "By size: Hilb and iDist lose less than Sfumato's Mondrian and TopDown by growth",
    "14",
    together(no_more(HILB, (MONDRIAN, OWN_TOP_DOWN), "GCP"), no_more(IDIST, (MONDRIAN, OWN_TOP_DOWN), "GCP")),
    BY_SIZE,
)
for line in (HILB, IDIST):
    for rival in (MONDRIAN, LITERAL, TOP_DOWN, OWN_TOP_DOWN):
        PAPER.claim(f"By size: {line} loses less than {rival}", "14", no_more(line, rival, "GCP"), BY_SIZE)
FAST_LOWER = ("6.1, Figure 13", "HilbFast is better than TopDown and Mondrian")
for rival in (MONDRIAN, LITERAL, TOP_DOWN):
    PAPER.claim(f"k: {FAST} loses less than {rival}", "13", no_more(FAST, rival, "GCP", within="census"), FAST_LOWER)
PAPER.claim(
    "k: HilbFast loses slightly more than Hilb",
    FOR_K,
    of_the_paper(somewhat_more(FAST, HILB, "GCP")),
    (S64, "its quality is only slightly worse that Hilb"),
    headline="ours",
)
PAPER.claim(
    "k: iDist loses slightly more than Hilb",
    FOR_K,
    of_the_paper(somewhat_more(IDIST, HILB, "GCP")),
    (S64, "slightly worse than Hilb"),
)
PAPER.claim(
    "Census: iDistFast loses about as much as TopDown",
    "13",
    alike(IDIST_FAST, TOP_DOWN, "GCP", "census"),
    ("6.1, Figure 13", "iDistFast is similar to TopDown in terms of information loss"),
    headline="literal",
)
PAPER.claim(
    "Census: iDistFast is much faster than TopDown",
    "13",
    clearly(IDIST_FAST, TOP_DOWN, "seconds"),
    ("6.1, Figure 13", "however it is much faster"),
)
WORSE_DM = ("6.1, Figure 12(b)", "Even with the DM metric, Mondrian is one order of magnitude worse")
PAPER.claim(
    "Adult: ten times Hilb's discernibility, on average over orders",
    "orders",
    at_least_half_way_worse,
    WORSE_DM,
    headline="literal",
    because="The order of siblings, which the paper does not give, decides by more than a factor of two.",
)
PAPER.claim(
    f"Adult: {MONDRIAN} has ten times the discernibility of Hilb",
    "12",
    times_better(HILB, MONDRIAN, "DM", ORDER),
    WORSE_DM,
    headline="ours",
)
SIMILAR_DM = ("6.1, Figure 12(b)", "these methods behave similarly")
for rival in (TOP_DOWN, IDIST):
    PAPER.claim(
        f"Adult: Hilb and {rival} have about the same discernibility", "12", alike(HILB, rival, "DM"), SIMILAR_DM
    )
PAPER.claim(
    "k: Mondrian is faster than Hilb", ("13", "14"), no_more(MONDRIAN, HILB, "seconds"), (S61, "Mondrian was faster")
)
PAPER.claim(
    "k: HilbFast is as fast as Mondrian",
    ("13", "14"),
    alike(FAST, MONDRIAN, "seconds"),
    (S61, "achieving the same running time as Mondrian"),
    headline="ours",
)
PAPER.claim(
    "k: HilbFast is faster than Hilb", ("13", "14"), no_more(FAST, HILB, "seconds"), (S61, "It is also very fast")
)
LITTLE_SLOWER = (S61, "iDist is a little slower than Hilb")
PAPER.claim("k: iDist is slower than Hilb", ("13", "14"), no_more(HILB, IDIST, "seconds"), LITTLE_SLOWER)
PAPER.claim(
    "k: iDist is slower than Hilb, and by half at most",
    ("13", "14"),
    somewhat_more(IDIST, HILB, "seconds"),
    LITTLE_SLOWER,
)
PAPER.claim(
    "TopDown takes far longer: ten times Hilb's time and more",
    ("13", "14"),
    no_more(HILB, TOP_DOWN, "seconds", ORDER),
    (S61, "around 2 hours, considerably longer than the other methods"),
)
MORE_ROWS = ("6.1, Figure 14", "All methods manage to reduce information loss when the size")
for line in (HILB, IDIST, MONDRIAN, LITERAL, TOP_DOWN):
    PAPER.claim(f"More rows lose less (k): {line}", "14", trend(line, "GCP"), MORE_ROWS)
for line in (HILB, IDIST, MONDRIAN, TOP_DOWN):
    PAPER.claim(
        f"More rows take longer (k): {line}",
        "14",
        trend(line, "seconds", falls=False),
        (S61, "the running time increases with the input size"),
    )
for line in (HILB, IDIST):
    PAPER.claim(
        f"With one to three attributes {line} loses next to nothing",
        "15",
        places(at_most(line, "GCP", NOTHING), upto=3),
        ("6.1, Figure 15", "for low dimensionality their information loss is close to 0"),
    )
LARGER = ("6.1, Figure 15", "for larger dimensionality, Hilb outperforms its competitors by a larger factor")
for line in (MONDRIAN, LITERAL, TOP_DOWN):
    PAPER.claim(
        f"Hilb's lead over {line} grows with the number of attributes",
        "15",
        gap_trend(line, HILB, "GCP", falls=False),
        LARGER,
    )
PAPER.claim(
    "The number of attributes hardly changes the time (k): Hilb",
    "15",
    steady(HILB, "seconds", ALIKE),
    ("6.1, Figure 15", "The running time is affected only slightly by dimensionality"),
)
PAPER.claim("k: cost-aware loses less than Mondrian", FOR_K, no_more(AWARE, MONDRIAN, "GCP"))
PAPER.claim("k: cost-aware loses less than TopDown by growth", FOR_K, no_more(AWARE, OWN_TOP_DOWN, "GCP"))
PAPER.claim("k: TopDown by growth loses less than Hilb", FOR_K, no_more(OWN_TOP_DOWN, HILB, "GCP"))

# l-diversity
FAR = (S64, "It is by far superior in terms of information loss")
for line in (HILB, HILB_2007):
    for rival in (MONDRIAN, LITERAL):
        form = {(HILB_2007, LITERAL): "literal", (HILB, MONDRIAN): "ours"}.get((line, rival), "")
        more = {"headline": form, "because": "*Far*: by half as much again."} if form else {}
        PAPER.claim(
            f"Figures 16 to 19: {line} loses far less than {rival}", FOR_L, clearly(line, rival, "GCP"), FAR, **more
        )
ALL_L = ("6.2, Figure 18", "Hilb and iDist clearly outperform Mondrian")
for line in (HILB, HILB_2007, IDIST):
    for rival in (MONDRIAN, LITERAL):
        PAPER.claim(f"Figures 16 to 19: {line} loses less than {rival}", FOR_L, no_more(line, rival, "GCP"), ALL_L)
PAPER.claim(
    "l: iDist loses slightly more than Hilb",
    FOR_L,
    somewhat_more(IDIST, HILB, "GCP"),
    ("6.2, Figure 16", "Hilb is best in terms of information loss, followed closely by iDist"),
)
PAPER.claim(
    "l: Hilb is about as fast as Mondrian",
    FOR_L,
    alike(HILB, MONDRIAN, "seconds"),
    ("6.2, Figure 17", "Hilb and Mondrian have similar performance"),
)
PAPER.claim(
    "l: iDist is slower than Hilb",
    FOR_L,
    no_more(HILB, IDIST, "seconds"),
    ("6.2, Figure 16", "iDist is slower, due to the initial mapping phase"),
)
for line in (HILB, IDIST):
    for slightly, most in (("", inf), (", slightly", ALIKE)):
        PAPER.claim(
            f"More rows lose less (l){slightly}: {line}",
            "17",
            trend(line, "GCP", most=most),
            ("6.2, Figure 17", "information loss decreases slightly for both Hilb and iDist"),
        )
for line in (LITERAL, MONDRIAN):
    PAPER.claim(
        f"{line} does not always lose more for a larger l, or less for more rows",
        ("16", "17"),
        uneven(line, "GCP"),
        (S62, "Mondrian may exhibit unpredictable, non-monotonic behavior with respect to"),
        headline="literal" if line == LITERAL else "ours",
    )
    PAPER.claim(
        f"{line} loses sharply more with more attributes (l)",
        "18",
        sharply(line, "GCP"),
        ("6.2, Figure 18", "Mondrian deteriorates sharply as d increases"),
    )
PAPER.claim(
    "The number of attributes hardly changes the time (l): Hilb",
    "18",
    steady(HILB, "seconds", ALIKE),
    ("6.2, Figure 18", "the execution time is virtually unaffected by dimensionality"),
)
for line in (HILB, IDIST, MONDRIAN, LITERAL):
    PAPER.claim(
        f"More sensitive values lose less: {line}",
        "19",
        trend(line, "GCP"),
        ("6.2, Figure 19", "All methods perform better when m increases"),
    )
PAPER.claim(
    "The number of sensitive values does not change the time: Hilb",
    "19",
    steady(HILB, "seconds", ALIKE),
    ("6.2, Figure 19", "execution time is not affected by m"),
)
PAPER.claim("l: cost-aware loses less than Mondrian", FOR_L, no_more(AWARE, MONDRIAN, "GCP"))

LETTER, *CAUSES = list(mondrian_causes)[:4]
for cause in CAUSES:
    PAPER.claim(f"Mondrian with {cause} loses less than the paper's", "causes", no_more(cause, LETTER, "GCP"))
for form in (LETTER, *CAUSES):
    PAPER.claim(f"Hilb loses less than Mondrian {form}", "causes", no_more(HILB, form, "GCP"))

PAPER.claim(
    "Adult: cost-aware loses less than Mondrian with either hierarchies", "trees", no_more(AWARE, MONDRIAN, "GCP")
)
PAPER.claim("Adult: Hilb loses less than Mondrian with both trees", "trees", no_more(HILB, MONDRIAN, "GCP"))

# Queries
SMALL_L = 4
TWO_ORDERS = ("6.3, Figure 20(a)", "Hilb is two orders of magnitude better than Mondrian")
PAPER.claim(
    "Small l: Hilb is two orders of magnitude better than the paper's Mondrian",
    "20",
    places(times_better(HILB, LITERAL, "KL", 100, "(a)"), upto=SMALL_L),
    TWO_ORDERS,
    headline="literal",
)
PAPER.claim(
    "Small l: Hilb is two orders of magnitude better than Mondrian",
    "20",
    places(times_better(HILB, MONDRIAN, "KL", 100, "(a)"), upto=SMALL_L),
    TWO_ORDERS,
    headline="ours",
)
PAPER.claim(
    "Small l: Hilb is an order of magnitude better than Anatomy",
    "20",
    places(times_better(HILB, ANATOMY, "KL", ORDER, "(a)"), upto=SMALL_L),
    ("6.3, Figure 20(a)", "one order of magnitude better than Anatomy"),
    headline="ours",
)
SMALL_BETTER = ("6.3, Figure 20(a)", "For small ℓ, Hilb and iDist clearly outperform the competitors")
for line in (HILB, IDIST):
    for rival in (ANATOMY, LITERAL, MONDRIAN):
        for how, what in ((no_more, "more"), (clearly, "clearly more")):
            judge = places(how(line, rival, "KL", within="(a)"), upto=SMALL_L)
            PAPER.claim(f"Small l: {line} is {what} accurate than {rival}", "20", judge, SMALL_BETTER)
LARGE_L = ("6.3, Figure 20(a)", "our methods outperform Mondrian by an order of magnitude")
MARGINAL = ("6.3, Figure 20(a)", "their accuracy is only marginally worse than Anatomy")
for line in (HILB, IDIST):
    for rival in (LITERAL, MONDRIAN):
        PAPER.claim(
            f"Larger l: {line} is an order of magnitude more accurate than {rival}",
            "20",
            places(times_better(line, rival, "KL", ORDER, "(a)"), above=SMALL_L),
            LARGE_L,
        )
    PAPER.claim(
        f"Larger l: {line} and Anatomy are about as accurate",
        "20",
        places(alike(line, ANATOMY, "KL", "(a)"), above=SMALL_L),
        MARGINAL,
    )
LEVELS = ("6.3, Figure 20(b)", "better than Mondrian by up to an order of magnitude")
for line in (HILB, IDIST):
    for rival in (LITERAL, MONDRIAN):
        PAPER.claim(
            f"{line} is more accurate than {rival} at every level",
            "20",
            no_more(line, rival, "KL", within="(b)"),
            LEVELS,
        )
        PAPER.claim(
            f"{line} is up to an order of magnitude more accurate than {rival}",
            "20",
            up_to(line, rival, "KL", ORDER, "(b)"),
            LEVELS,
        )
    PAPER.claim(
        f"{line} is more accurate at lower levels",
        "20",
        trend(line, "KL", falls=False, within="(b)"),
        ("6.3, Figure 20(b)", "Hilb and iDist are better at lower levels of the lattice"),
    )
    PAPER.claim(
        f"{line} is more accurate than Anatomy at every level",
        "20",
        no_more(line, ANATOMY, "KL", within="(b)"),
        ("6.3, Figure 20(b)", "and also outperform Anatomy"),
    )
    PAPER.claim(
        f"{line} is ahead of Anatomy on coarse group-bys, and alike on fine ones",
        "20",
        coarse_levels(ANATOMY, line),
        ("6.3, Figure 20(b)", "For finer granularity, Anatomy performs equally well as our methods"),
    )
PAPER.claim(
    "Hilb's divergence grows up to four attributes and falls then",
    "20",
    rises_then_falls,
    ("6.3, Figure 20(c)", "increasing trend until d=4 and a decreasing trend afterwards"),
    table="(c)",
)
for line in (HILB, IDIST):
    for rival in (LITERAL, MONDRIAN, ANATOMY):
        PAPER.claim(
            f"{line} is more accurate than {rival} at every number of attributes",
            "20",
            no_more(line, rival, "KL", within="(c)"),
            ("6.3, Figure 20(c)", "Hilb and iDist maintain an advantage over the competitors"),
        )
PAPER.claim(
    "The number of attributes does not matter to Anatomy",
    "20",
    steady(ANATOMY, "KL", ALIKE, "(c)"),
    ("6.3, Figure 20(c)", "Anatomy is not affected"),
)
for line in (HILB, IDIST):
    PAPER.claim(
        f"More rows make queries more accurate: {line}",
        "20",
        trend(line, "KL", within="(d)"),
        ("6.3, Figure 20(d)", "accuracy increases with N"),
    )
PAPER.claim(
    "Hilb is more accurate than Anatomy in most cases of Figure 20",
    "20",
    mostly(HILB, ANATOMY, "KL", within="("),
    (S64, "Interestingly, Hilb outperforms Anatomy in most cases"),
    headline="ours",
)
