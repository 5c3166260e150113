"""The utility report: all measures together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.assess.utility.comparison import UtilityComparison
from sfumato.assess.utility.divergence import Divergence
from sfumato.assess.utility.measures import Association, EarthMovers, Measure, MeasureResult, QueryError, TotalVariation
from sfumato.assess.utility.prediction import Prediction, Propensity, available
from sfumato.common.html import Content, Markup, element, folded, fragment, table
from sfumato.common.patience import EndedEarlyError, Patience

#: The measures by name; the last two need scikit-learn.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        *(QueryError(), Divergence(), TotalVariation(), EarthMovers(), Association()),
        *(Prediction(), Propensity()),
    )
}

#: The most details of a measure (columns, pairs of columns, kinds of query) that a notebook shows.
DETAILS_SHOWN = 30


class Utility(Mapping[str, MeasureResult]):
    """The utility of a release, by measure.

    Attributes
    ----------
    notes
        What could not be measured, and why.
    """

    def __init__(self, found: Mapping[str, MeasureResult], notes: tuple[str, ...] = ()) -> None:
        self._found = dict(found)
        self.notes = notes

    def __getitem__(self, name: str) -> MeasureResult:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def summary(self) -> str:
        """Format a sentence for every measure."""
        lines = [f"{found.name:<16} {found.value:>8.4f}   {found.sentence}" for found in self.values()]
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, for programs."""
        return {
            name: {
                "value": found.value,
                "details": dict(found.details),
                "higher_is_better": found.higher_is_better,
                "lower": MEASURES[name].lower,
                "upper": MEASURES[name].upper,
            }
            for name, found in self.items()
        }

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        rows: list[list[Content]] = [
            [
                found.name,
                f"{found.value:.4f}",
                "higher" if found.higher_is_better else "lower",
                element("span", found.sentence),
            ]
            for found in self.values()
        ]
        return fragment(
            "Utility",
            table(["measure", "value", "better", "which means"], rows, numbers={1}),
            [element("p", note) for note in self.notes],
            [_details(found) for found in self.values() if found.details],
        )


def _details(found: MeasureResult) -> Markup:
    rows = [[name, f"{value:.4f}"] for name, value in list(found.details.items())[:DETAILS_SHOWN]]
    return folded(f"{found.name} in detail", table(["of", "value"], rows, numbers={1}))


def measure_utility(comparison: UtilityComparison, patience: Patience | None = None) -> Utility:
    """Compute every measure that is available; those that are not begun when the patience ends are left out."""
    patience = patience or Patience()
    learning = available()
    notes = [] if learning else ["What a machine learns is not measured: pip install 'sfumato[utility]'."]
    wanted = [measure for measure in MEASURES.values() if learning or not measure.needs_learning]
    found: dict[str, MeasureResult] = {}
    with patience.listening():
        for at, measure in enumerate(wanted):
            try:
                patience.begin(f"measuring: {measure.name}", at / len(wanted), 1 / len(wanted))
            except EndedEarlyError as end:
                left = ", ".join(one.name for one in wanted[at:])
                notes.append(f"Not measured, because {end} ended the work: {left}.")
                break
            result = measure.measure(comparison)
            found |= {} if result is None else {result.name: result}
    return Utility(found, tuple(notes))
