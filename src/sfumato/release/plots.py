"""Pictures of a release, as Altair charts that users can restyle and save."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sfumato.common.charts import charts
from sfumato.common.charts.charts import Picture
from sfumato.errors import DataError, ParameterError, listed
from sfumato.release.report.facts import column_facts, risk_picture, sizes_of

if TYPE_CHECKING:
    import altair as alt

    from sfumato.release.release import Release


@dataclass(frozen=True)
class Plots:
    """Pictures of a release: each method returns an Altair chart, and needs ``sfumato[report]``.

    They show totals and shares only, in bins that the release itself shows.
    """

    release: Release = field(repr=False)

    def loss(self) -> alt.TopLevelMixin:
        """What every quasi-identifier lost, the largest first."""
        return self._loss.chart

    def classes(self) -> alt.TopLevelMixin:
        """The distribution of class sizes."""
        return self._classes.chart

    def risk(self) -> alt.TopLevelMixin:
        """The risk of re-identification before and after."""
        return risk_picture(self.release.risk, self._k).chart

    def column(self, name: str) -> alt.TopLevelMixin:
        """The distribution of a quasi-identifier before and after."""
        return self._column(name).chart

    @property
    def _loss(self) -> Picture:
        return charts.loss_by_column(self.release.loss.by_attribute, self.release.loss.gcp)

    @property
    def _classes(self) -> Picture:
        return charts.class_sizes(sizes_of(self.release.risk), self._k)

    @property
    def _k(self) -> int | None:
        """The promised k."""
        models = self.release.manifest["privacy"]
        return max((model["k"] for model in models if model["model"] == "k-anonymity"), default=None)

    def _column(self, name: str) -> Picture:
        known = list(self.release.shown.quasi_identifiers)
        if name not in known:
            raise ParameterError(f"'{name}' is not a quasi-identifier of this release. Those are {listed(known)}.")
        found = column_facts(self.release, name)
        if found is None:
            raise DataError(f"What the release shows of '{name}' cannot be read, so there is nothing to draw.")
        return found.picture
