"""Explain a release, whatever the method: what one finer step would break, and what other settings would cost.

Everything is counted or run, never guessed. The sentences hold counts and shares, never a value of the original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sfumato.common.progress import Clock, Progress, ProgressOption, reporting
from sfumato.errors import InfeasibleError
from sfumato.release.explanation import Explanation, WhatIf
from sfumato.run.find import FoundClasses, find_classes
from sfumato.run.finer_steps import FinerSteps, chosen_columns, known_row, otherwise, overview
from sfumato.run.prepare import Prepared
from sfumato.run.what_if import Cost, compared, other_request
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses


@dataclass(frozen=True)
class Explainer:
    """The prepared table and the classes behind a release, to explain it from."""

    prepared: Prepared = field(repr=False)
    found: FoundClasses = field(repr=False)

    @property
    def microdata(self) -> Microdata:
        """The encoded table."""
        return self.prepared.microdata

    @property
    def classes(self) -> EquivalenceClasses:
        """The classes of the release."""
        return self.found.recoded.classes

    @property
    def steps(self) -> FinerSteps:
        """What one finer step would do."""
        return FinerSteps(self.microdata, self.classes, tuple(self.found.request.privacy), self.prepared.people)

    def explain(self, row: int | None, column: str | None, what_if: WhatIf, progress: ProgressOption) -> Explanation:
        """Explain a row, a column or the whole release, and what other settings would cost."""
        chosen = chosen_columns(column, self.microdata.names)
        lines = list(self._overview(chosen) if row is None else self._row(row, chosen))
        with reporting(progress, "explain") as report:
            costs = [line for wish in what_if.wishes() for line in self._cost(wish, report)]
        return Explanation(tuple(lines), tuple(costs))

    # The release, its columns and its rows

    def _overview(self, names: Sequence[str]) -> Iterator[str]:
        yield overview(self.found.request, Counter(self.classes.sizes.tolist()), self.classes.suppressed)
        lost, steps = self.found.loss.by_attribute, self.steps
        for name, tally in steps.tallies(sorted(names, key=lambda one: -lost[one])).items():
            yield from tally.lines(name, lost[name], otherwise(self.classes.levels is not None))

    def _row(self, row: int, names: Sequence[str]) -> Iterator[str]:
        place = int(np.flatnonzero(self.prepared.places == known_row(row, len(self.microdata)))[0])
        yield from self.steps.row(row, place, names, self.found.request)

    # Other settings

    def _cost(self, wish: dict[str, object], report: Progress) -> Iterator[str]:
        """Run the method once more under another setting, and compare."""
        name, value = next(iter(wish.items()))
        request, said = other_request(self.found.request, self.microdata.names, name, value)
        prepared = self._without(str(value)) if name == "without" else self.prepared
        clock = Clock()
        try:
            with clock.measuring("total"):
                found = find_classes(prepared, request, report)
        except InfeasibleError as error:
            yield f"{said}: not possible. {error}"
            return
        before, after = (
            Cost(one.loss, len(one.recoded.classes), one.recoded.classes.suppressed) for one in (self.found, found)
        )
        yield compared(said, before, after, request.method.name, clock.seconds["total"])

    def _without(self, name: str) -> Prepared:
        microdata = self.microdata
        kept = [at for at, other in enumerate(microdata.names) if other != name]
        weights = microdata.weights[kept]
        smaller = replace(
            microdata,
            codes=np.ascontiguousarray(microdata.codes[:, kept]),
            domains=tuple(microdata.domains[at] for at in kept),
            weights=weights / weights.sum() if weights.sum() else np.empty(0),
        )
        return replace(self.prepared, microdata=smaller)
