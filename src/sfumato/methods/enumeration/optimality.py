"""How good an answer is: its cost and a proven bound."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import altair as alt

    from sfumato.common.charts.charts import Picture

#: Costs that differ by less than this share count as equal: sums of fractions depend on their order.
ROUNDING = 1e-9

#: The most moments of a search that a chart shows.
MOST_MOMENTS = 200

#: Why a search ended.
OPTIMUM, GAP, TIME, WORK = "optimum", "gap", "time", "work"
MEMORY, INTERRUPT, SUPPRESSION = "memory", "interrupt", "suppression"

#: The reasons in words; a proven optimum needs none.
IN_WORDS = {
    GAP: "as near as was asked for",
    TIME: "stopped by the time limit",
    WORK: "stopped by the limit on work",
    MEMORY: "stopped short by the memory limit",
    INTERRUPT: "interrupted",
    SUPPRESSION: "the bound is loose where rows may be left out",
}


def figure(value: float) -> str:
    """Format a cost for readers.

    Examples
    --------
    >>> figure(1302492.0), figure(0.0471502)
    ('1,302,492', '0.04715')
    """
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"


class Moment(NamedTuple):
    """The best cost and the bound that a search had reached after a number of seconds."""

    seconds: float
    cost: float
    bound: float


@dataclass
class Course:
    """The course of a search: the best cost and the bound, whenever one of them changed."""

    begun: float = field(default_factory=time.perf_counter)
    moments: list[Moment] = field(default_factory=list)

    def note(self, cost: float, bound: float) -> None:
        """Record the current cost and bound, if either is new."""
        if not self.moments or self.moments[-1][1:] != (cost, bound):
            self.moments.append(Moment(time.perf_counter() - self.begun, cost, bound))


@dataclass(frozen=True)
class FoundPartition:
    """The result of an engine: a partition, its cost, and a lower bound for all partitions.

    Attributes
    ----------
    blocks
        The block of every atom, -1 if its rows are left out.
    value, bound
        The sum of the costs of all blocks, and a proven lower bound of it.
    greedy
        The cost of Mondrian's partition with the same cuts.
    nodes
        The number of boxes or partitions visited.
    ended
        Why the search ended.
    """

    blocks: NDArray[np.int32] = field(repr=False)
    value: float
    bound: float
    greedy: float
    nodes: int
    ended: str = OPTIMUM


@dataclass(frozen=True)
class Optimality:
    """How good a release is, among all that the same cuts allow, or among all releases.

    Attributes
    ----------
    measure
        What was minimized: ``"dm"``, ``"c_avg"``, ``"gcp"`` or the name of an objective of your own.
    cost
        The cost of the release.
    bound
        A proven lower bound of the cost.
    greedy
        The cost of Mondrian's partition with the same cuts; None if the method has no given cuts.
    nodes
        The number of boxes (or partitions, with ``engine="pet"``) visited; None if the proof needed no search.
    ended
        Why the search ended: ``"optimum"``, ``"gap"`` (near enough), ``"time"``, ``"work"``, ``"memory"``,
        ``"interrupt"`` or ``"suppression"`` (all promising prices of suppressed rows were tried).
    among
        The releases it is compared with, unless these are all, such as ``"full-subtree recodings"``.
    course
        The seconds, the best cost and the bound at every improvement.
    """

    measure: str
    cost: float
    bound: float
    greedy: float | None = None
    nodes: int | None = None
    ended: str = OPTIMUM
    among: str | None = None
    course: tuple[Moment, ...] = field(default=(), repr=False, compare=False)

    @property
    def gap(self) -> float:
        """The most that the cost can lie above the optimum, as a share of the bound; 0 is optimal."""
        if self.proven:
            return 0.0
        return self.cost / self.bound - 1 if self.bound > 0 else math.inf

    @property
    def proven(self) -> bool:
        """Whether the cost is proven to be optimal."""
        return self.bound >= self.cost * (1 - ROUNDING)

    def to_dict(self) -> dict[str, Any]:
        """All but the course as plain values, for manifests; an unknown gap is None."""
        gap = self.gap if math.isfinite(self.gap) else None
        hidden = {"course"} if self.among else {"course", "among"}
        plain = {name: value for name, value in asdict(replace(self, course=())).items() if name not in hidden}
        return {**plain, "gap": gap, "proven": self.proven}

    def with_course(self, course: Course) -> Optimality:
        """The same with the course of the search, completed by the final cost and bound."""
        course.note(self.cost, self.bound)
        return replace(self, course=tuple(course.moments))

    @property
    def picture(self) -> Picture:
        """The best cost and the bound over time, as a chart with its table."""
        moments = self.course or (Moment(0.0, self.cost, self.bound),)
        moments = (*moments[: -1 : 1 + len(moments) // MOST_MOMENTS], moments[-1])
        seconds, costs, bounds = zip(*moments, strict=True)
        from sfumato.common.charts import charts  # noqa: PLC0415

        return charts.cost_over_time(seconds, costs, bounds, self.measure)

    def plot(self) -> alt.TopLevelMixin:
        """Plot the best cost and the bound over time as an Altair chart; requires ``sfumato[report]``."""
        return self.picture.chart

    def __str__(self) -> str:
        cost = f"{self.measure} {figure(self.cost)}"
        among, greedy = f" of all {self.among}" if self.among else "", []
        if self.greedy is not None:
            among, greedy = " with these cuts", [f"greedy {figure(self.greedy)}"]
        if self.proven:
            return f"{cost} is the least possible{among}, proven" + "".join(f" ({fact})" for fact in greedy)
        within = f"at most {self.gap:.2%} above" if math.isfinite(self.gap) else "an unknown distance from"
        facts = ", ".join([f"bound {figure(self.bound)}", *greedy, *filter(None, [IN_WORDS.get(self.ended)])])
        return f"{cost} is {within} the least possible{among} ({facts})"
