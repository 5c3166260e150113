"""All measures of utility together, ready to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.utilities.learning import Prediction, Propensity, available
from sfumato.utilities.measures import MEASURES, Found, Measure
from sfumato.utilities.scene import Scene


class Utility(Mapping[str, Found]):
    """What is left of a table in its release, by measure.

    Attributes
    ----------
    notes
        What could not be measured, and why.
    """

    def __init__(self, found: Mapping[str, Found], notes: tuple[str, ...] = ()) -> None:
        self._found = dict(found)
        self.notes = notes

    def __getitem__(self, name: str) -> Found:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def summary(self) -> str:
        """Return a sentence for every measure."""
        lines = [f"{found.name:<16} {found.value:>8.4f}   {found.sentence}" for found in self.values()]
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, for programs."""
        return {
            name: {"value": found.value, "details": dict(found.details), "higher_is_better": found.higher_is_better}
            for name, found in self.items()
        }

    def __str__(self) -> str:
        return self.summary()


def measure_utility(scene: Scene) -> Utility:
    """Measure a release by every measure that can be taken."""
    learning: list[Measure] = [Prediction(), Propensity()] if available() else []
    notes = () if learning else ("What a machine learns is not measured: pip install 'sfumato[utility]'.",)
    taken = (measure.measure(scene) for measure in (*MEASURES.values(), *learning))
    return Utility({found.name: found for found in taken if found is not None}, notes)
