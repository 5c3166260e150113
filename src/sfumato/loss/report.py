"""All losses of a release, ready to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from sfumato.loss.metrics import METRICS
from sfumato.loss.recoded import RecodedTable, ncp_by_attribute


class LossReport(Mapping[str, float]):
    """The losses of a release by name, also as attributes: ``loss["gcp"]`` and ``loss.gcp``.

    Attributes
    ----------
    by_attribute
        The mean penalty of each quasi-identifier over the released rows, from 0 to 1.
    classes
        How many classes were measured: those that the method made, also where some of them look alike.
    """

    def __init__(self, values: Mapping[str, float], by_attribute: Mapping[str, float], classes: int) -> None:
        self._values = dict(values)
        self.by_attribute = dict(by_attribute)
        self.classes = classes

    @classmethod
    def of(cls, recoded: RecodedTable) -> LossReport:
        """Measure a recoding by every registered loss."""
        values = {name: float(metric.measure(recoded)) for name, metric in METRICS.items()}
        penalties = ncp_by_attribute(recoded.microdata, recoded.classes)
        sizes = recoded.classes.sizes
        means = (sizes @ penalties) / max(1, sizes.sum()) if len(sizes) else np.zeros(len(recoded.microdata.names))
        return cls(values, dict(zip(recoded.microdata.names, map(float, means), strict=True)), len(sizes))

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __getattr__(self, name: str) -> float:
        try:
            return self.__dict__["_values"][name]
        except KeyError:
            raise AttributeError(f"There is no loss called {name!r}. Known: {', '.join(METRICS)}.") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return "LossReport(" + ", ".join(f"{name}={value:.6g}" for name, value in self.items()) + ")"
