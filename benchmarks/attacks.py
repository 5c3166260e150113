"""Attacks on releases of Adult: how often each succeeds, for auto, Mondrian and Incognito, with and without l and t."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import sfumato as sf
from benchmarks.measure import ADULT, RESULTS, Result
from sfumato.assess.attacks import AttackReport

METHODS = ("auto", "mondrian", "incognito")
MODELS: dict[str, dict[str, Any]] = {"k": {}, "k, l=3": {"l": 3}, "k, t=0.2": {"t": 0.2}}
SIZES = (5, 10, 50)
#: Incognito has to give up a few rows, or everything becomes a star.
SUPPRESSION = {"incognito": 0.05}
SHOWN = (
    "linkage",
    "linkage, partial",
    "linkage, noisy",
    "singling out",
    "linkability",
    "inference",
    "homogeneity",
    "background knowledge",
    "deFinetti",
    "minimality",
    "cell ends",
    "intersection",
    "membership",
    "row order",
)


def run() -> Iterator[Result]:
    """Attack every release; the page's table goes to a file."""
    adult = sf.datasets.adult(ADULT)
    titles = (*SHOWN, "seconds")
    lines = ["| release | " + " | ".join(titles) + " |", "|---|" + "---|" * len(titles)]
    for method in METHODS:
        for size in SIZES:
            for name, models in MODELS.items():
                report, spent = attacked(adult, method, size, models)
                lines.append(f"| {method}, {name.replace('k', f'k={size}', 1)} | {cells(report)} | {spent:.1f} |")
                print(lines[-1], flush=True)
                worst = max((one.low - one.limit for one in report if one.limit is not None), default=0.0)
                title = f"{method}, {name} with k={size}: above a promise by"
                yield Result(title, max(0.0, worst), 0.0, "", report.worst_first[0].attack)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "attacks.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def attacked(
    adult: sf.datasets.dataset.Dataset, method: str, size: int, models: dict[str, Any]
) -> tuple[AttackReport, float]:
    """Make two releases of the same people, attack the first beside the second, and count the processor's seconds."""
    suppression = SUPPRESSION.get(method, 0.0)
    first, second = (
        sf.anonymize(adult.table, adult.schema, k=size, method=each, suppression=suppression, seed=1, **models)
        for each in (method, "mondrian" if method != "mondrian" else "hilbert")
    )
    begin = time.process_time()
    return sf.attack(adult.table, first, previous=[second], targets=1_000, seed=1), time.process_time() - begin


def cells(report: AttackReport) -> str:
    """Rate over baseline of every attack, in percent."""
    found = {one.attack: one for one in reversed(report.worst_first)}
    return " | ".join(
        f"{100 * found[name].rate:.1f} / {100 * found[name].baseline:.1f}" if name in found else "-" for name in SHOWN
    )
