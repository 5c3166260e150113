"""Drawings of made-up people for README and gallery: cells before and after, a neighbour, everybody as a dot."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pandas as pd

import sfumato as sf

STYLE = (
    "text{font:14px system-ui,sans-serif;fill:#1f2933}.head{font-weight:600;fill:#52606d}.card{fill:#fff;"
    "stroke:#cbd2d9}.soft{fill:#2f6f8f;opacity:.16;filter:url(#soft)}.sharp{fill:#b3402a;opacity:.14}.big{font-size:30px;"
    "font-weight:700}.dot{fill:#b3402a}.calm{fill:#2f6f8f}"
    "@media(prefers-color-scheme:dark){text{fill:#e4e7eb}.head{fill:#9aa5b1}.card{fill:#1b2430;stroke:#3e4c59}"
    ".soft{fill:#7cc4e8;opacity:.22}.sharp{fill:#ff9d85;opacity:.22}.dot{fill:#ff9d85}.calm{fill:#7cc4e8}}"
)
SOFT = '<filter id="soft" x="-20%" y="-40%" width="140%" height="180%"><feGaussianBlur stdDeviation="3"/></filter>'
KNOWN = ["age", "sex", "zip"]
SHOWN = 5


class Drawing:
    """An SVG picture in light and dark colours."""

    def __init__(self, width: int, height: int, title: str, parts: Iterator[str], style: str = "") -> None:
        self.text = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">'
            f"<title>{escape(title)}</title><style>{STYLE}{style}</style><defs>{SOFT}</defs>{''.join(parts)}</svg>\n"
        )

    def save(self, path: str) -> None:
        """Write the picture."""
        Path(path).write_text(self.text, encoding="utf-8")


def patients(rows: int = 5_000) -> pd.DataFrame:
    """Make up the people of the README."""
    rng = random.Random(1)
    return pd.DataFrame(
        {
            "name": [f"Person {i}" for i in range(rows)],
            "age": [int(rng.triangular(0, 99, 45)) for _ in range(rows)],
            "sex": rng.choices(["female", "male"], k=rows),
            "zip": [f"{rng.choice((537, 538, 541))}{int(rng.triangular(0, 39, 5)):02d}" for _ in range(rows)],
            "disease": rng.choices(
                ["flu", "asthma", "diabetes", "gastritis", "hepatitis", "migraine"], [6, 5, 5, 4, 2, 4], k=rows
            ),
        }
    )


def released(people: pd.DataFrame, k: int = 10) -> pd.DataFrame:
    """Release them in their order, so that a picture can show the same person before and after."""
    kinds = {"age": sf.Numeric(), "sex": sf.Categorical(), "zip": sf.Prefix()}
    roles = {"quasi_identifiers": kinds, "sensitive": "disease", "identifiers": ["name"]}
    frame: pd.DataFrame = sf.anonymize(people, **roles, k=k, l=3, seed=1, keep_order=True).data
    return frame


def text(x: float, y: float, said: object, kind: str = "") -> str:
    """Write a text."""
    return f'<text x="{x}" y="{y}"{f" class={kind!r}" if kind else ""}>{escape(str(said))}</text>'


def box(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Draw a box."""
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" class="{kind}"/>'


def cells() -> Drawing:
    """Draw a few rows before and after."""
    people = patients()
    after = released(people)

    def parts() -> Iterator[str]:
        yield box(4, 4, 392, 206, "card") + box(444, 4, 312, 206, "card")
        yield text(404, 112, "→", "big")
        for left, frame, columns in ((16, people, [90, 44, 64, 64, 90]), (456, after, [78, 64, 64, 90])):
            starts = [left + sum(columns[:at]) for at in range(len(columns))]
            yield "".join(text(x, 30, name, "head") for x, name in zip(starts, frame.columns, strict=True))
            for row in range(SHOWN):
                y = 62 + row * 32
                for x, width, name in zip(starts, columns, frame.columns, strict=True):
                    if name in KNOWN:
                        yield box(x - 5, y - 18, width - 6, 26, "sharp" if frame is people else "soft")
                    yield text(x, y, frame[name].iloc[row])

    return Drawing(760, 214, "The same five people before and after: edges become soft, names go", parts())


def neighbour() -> Drawing:
    """Draw what somebody finds who knows a neighbour, before and after."""
    people = patients()
    after = released(people)
    before_sizes, after_sizes = (frame.groupby(KNOWN)[KNOWN[0]].transform("size") for frame in (people, after))
    row = int((before_sizes == 1).to_numpy().nonzero()[0][0])
    person, shown = people.iloc[row], after.iloc[row]

    def parts() -> Iterator[str]:
        yield box(4, 4, 200, 150, "card") + text(20, 30, "A neighbour knows", "head")
        yield from (text(20, 62 + 28 * at, f"{name}  {person[name]}") for at, name in enumerate(KNOWN))
        for x, title, candidates, lines in (
            (234, "in the table", before_sizes[row], [str(person[name]) for name in KNOWN]),
            (504, "in the release", after_sizes[row], [str(shown[name]) for name in KNOWN]),
        ):
            yield box(x, 4, 240, 150, "card") + text(x + 16, 30, f"Candidates {title}", "head")
            yield text(x + 16, 72, f"{candidates:,}", "big") + text(x + 70, 70, ", ".join(lines))
            for at in range(int(candidates)):
                kind = "dot" if candidates == 1 else "calm"
                yield f'<circle cx="{x + 24 + at % 14 * 15}" cy="{98 + at // 14 * 18}" r="5" class="{kind}"/>'

    title = f"What a neighbour knows: {before_sizes[row]} candidate before, {after_sizes[row]} after"
    return Drawing(748, 158, title, parts())


def lonely() -> Drawing:
    """Draw everybody as a dot; at each k, those with too few people like them vanish."""
    people = patients(600)
    alike = people.groupby(["age", "sex"])["age"].transform("size")
    ks = (2, 4, 6, 9)
    lost = [next((at for at, k in enumerate(ks, 1) if size < k), 0) for size in alike]
    rng = random.Random(1)

    def parts() -> Iterator[str]:
        for age, sex, step in zip(people["age"], people["sex"], lost, strict=True):
            y = rng.gauss(80 if sex == "female" else 220, 26)
            yield f'<circle cx="{20 + age * 7.2:.0f}" cy="{y:.0f}" r="3" class="calm s{step}"/>'
        yield text(20, 24, "women", "head") + text(20, 164, "men", "head") + text(690, 306, "age →", "head")
        for at, k in enumerate((1, *ks)):
            count = sum(0 < step <= at for step in lost)
            said = f"k = {k}: {count} of {len(people)} have fewer than {k - 1} others of their age and sex"
            yield text(20, 306, said if at else "k = 1: everybody is shown as they are", f"head t{at}")

    steps = len(ks) + 1
    rules = [f".t{at}{{opacity:0;animation:t{at} 12s infinite step-end}}" for at in range(steps)]
    for at in range(steps):
        begin, end = 100 * at / steps, 100 * (at + 1) / steps
        on = f"0%{{opacity:1}}{end:.0f}%{{opacity:0}}" if at == 0 else f"0%{{opacity:0}}{begin:.0f}%{{opacity:1}}"
        rules.append(f"@keyframes t{at}{{{on}" + ("}" if at in (0, steps - 1) else f"{end:.0f}%{{opacity:0}}}}"))
        if at:
            rules.append(f".s{at}{{animation:s{at} 12s infinite}}")
            rules.append(f"@keyframes s{at}{{0%,{begin - 1:.0f}%{{opacity:1}}{begin + 5:.0f}%,98%{{opacity:.06}}}}")
    still = "circle,text{animation:none!important}.s1{opacity:.06}.t1{opacity:1}"
    rules.append(f"@media(prefers-reduced-motion:reduce){{{still}}}")
    title = "Everybody as a dot, by age and sex; as k grows, those with too few people like them vanish"
    return Drawing(760, 320, title, parts(), "".join(rules))


def frontier() -> Drawing:
    """Draw what every k costs: releases that were made, and below them what no release can reach."""
    kinds = {"age": sf.Numeric(), "sex": sf.Categorical(), "zip": sf.Prefix()}
    found = sf.frontier(patients().drop(columns="disease"), quasi_identifiers=kinds, identifiers=["name"], seed=1)
    for _ in found:
        pass
    points = sorted(found.points, key=lambda one: one.k)
    across = [80 + 640 * math.log(one.k / points[0].k) / math.log(points[-1].k / points[0].k) for one in points]
    highest = max(one.gcp for one in points)

    def down(loss: float) -> float:
        return 300 - 220 * loss / highest

    def parts() -> Iterator[str]:
        yield box(4, 4, 752, 372, "card") + text(24, 34, "How safe, at what price?", "head")
        yield text(80, 64, "detail lost") + text(420, 364, "highest chance to be found")
        # Whoever keeps a larger k keeps every smaller one, so that a bound holds up to the next.
        until = [*across[1:], across[-1]]
        steps = zip(across, until, (down(one.bound) for one in points), strict=True)
        edge = " ".join(f"L{x:.1f} {y:.1f} L{end:.1f} {y:.1f}" for x, end, y in steps)
        yield f'<path d="M80 300 {edge} L720 300 Z" class="soft"/>' + text(440, 288, "nobody can get here")
        for x, one in zip(across, points, strict=True):
            yield f'<circle cx="{x:.1f}" cy="{down(one.gcp):.1f}" r="6" class="calm"/>'
        for x, one in zip(across, points, strict=True):
            if one.k in {2, 5, 10, 20, 50, 100}:
                yield text(round(x - 16, 1), 322, f"k={one.k}") + text(round(x - 14, 1), 342, f"{one.highest:.0%}")
                yield text(round(x - 18, 1), round(down(one.gcp) - 12, 1), f"{one.gcp:.1%}")

    return Drawing(760, 380, "The price of every k, and the losses that no release can reach", parts())
