"""What every benchmark shares: timing, a result with its limit, and a table of results."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
#: Real data lies beside the repository, where there is any, or where the environment says.
ADULT = Path(os.environ.get("SFUMATO_ADULT", Path(__file__).parents[2] / "shared" / "data" / "adult"))


@dataclass(frozen=True)
class Result:
    """One measured figure; with a limit, whether it was reached. A figure without a unit is a ratio."""

    name: str
    value: float
    limit: float | None = None
    unit: str = "×"
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.limit is None:
            return ""
        return "ok" if self.value <= self.limit else "MISSED"

    def row(self) -> tuple[str, str, str, str, str]:
        limit = "" if self.limit is None else f"≤ {self.limit:g}"
        return self.name, f"{self.value:.4g} {self.unit}".strip(), limit, self.verdict, self.note


#: Printed instead of figures about Adult if the file is missing, so that these are not mistaken for measurements.
NO_ADULT = Result("Adult is missing (beside the repository, or SFUMATO_ADULT): skipped", float("nan"), unit="")


def seconds(work: Callable[[], object], repeat: int = 3) -> float:
    """The best time of a few runs, after one that does not count (compilation, caches)."""
    work()
    return min(_once(work) for _ in range(repeat))


def _once(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def ratio(ours: Callable[[], object], theirs: Callable[[], object], repeat: int = 3) -> tuple[float, float, float]:
    """Time two pieces of work in turns, so that a busy machine disturbs both; return the ratio and both times."""
    ours()
    theirs()
    pairs = [(_once(ours), _once(theirs)) for _ in range(repeat)]
    mine, peer = min(pair[0] for pair in pairs), min(pair[1] for pair in pairs)
    return mine / peer, mine, peer


def show(title: str, results: Iterable[Result]) -> list[Result]:
    """Print results as they come, aligned; return them."""
    print(f"\n{title}")
    kept = []
    for result in results:
        name, value, limit, verdict, note = result.row()
        print(f"  {name:<58} {value:>12} {limit:>9} {verdict:<7} {note}".rstrip(), flush=True)
        kept.append(result)
    return kept
