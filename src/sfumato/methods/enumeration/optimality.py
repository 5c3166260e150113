"""How good an answer is, with proof."""

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

#: Costs that differ by less than this share are the same: sums of fractions depend on their order.
ROUNDING = 1e-9

#: Moments of a search that a picture shows.
MOST_MOMENTS = 200

#: Why a search ended.
OPTIMUM, GAP, TIME, WORK = "optimum", "gap", "time", "work"
MEMORY, INTERRUPT, SUPPRESSION = "memory", "interrupt", "suppression"

#: The same, for people; an optimum says so itself.
IN_WORDS = {
    GAP: "as near as was asked for",
    TIME: "stopped by the time limit",
    WORK: "stopped by the limit on work",
    MEMORY: "stopped short by the memory limit",
    INTERRUPT: "interrupted",
    SUPPRESSION: "the bound is loose where rows may be left out",
}


def figure(value: float) -> str:
    """Return a cost as people read it.

    Examples
    --------
    >>> figure(1302492.0), figure(0.0471502)
    ('1,302,492', '0.04715')
    """
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"


class Moment(NamedTuple):
    """What a search knew so many seconds after it began."""

    seconds: float
    cost: float
    bound: float


@dataclass
class Course:
    """How a search closed in: the best cost and the bound, whenever one of them changed."""

    begun: float = field(default_factory=time.perf_counter)
    moments: list[Moment] = field(default_factory=list)

    def note(self, cost: float, bound: float) -> None:
        """Remember what is known now, if it is new."""
        if not self.moments or self.moments[-1][1:] != (cost, bound):
            self.moments.append(Moment(time.perf_counter() - self.begun, cost, bound))


@dataclass(frozen=True)
class FoundPartition:
    """What an engine found: a partition, what it costs, and what no partition can cost less than.

    Attributes
    ----------
    blocks
        The block of every atom, -1 where its rows are left out.
    value, bound
        The sum of the costs of all blocks, and a bound that it cannot be below.
    greedy
        The sum of costs of Mondrian's partition on the same cuts.
    nodes
        How many boxes or partitions were looked at.
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
    """How good a release is: among all that the same cuts allow, or among all that there are.

    Attributes
    ----------
    measure
        What was to be least: ``"dm"``, ``"c_avg"``, ``"gcp"`` or the name of a cost of your own.
    cost
        What the release costs.
    bound
        What no other can be below, proven.
    greedy
        What Mondrian's partition with the same cuts costs; None if there are no given cuts.
    nodes
        How many boxes (or partitions, with ``engine="pet"``) were looked at; None if nothing was searched for a proof.
    ended
        Why the search ended: ``"optimum"``, ``"gap"`` (near enough), ``"time"``, ``"work"``, ``"memory"``,
        ``"interrupt"`` or ``"suppression"`` (all prices of rows left out that are worth a try were tried).
    among
        What it is compared with where that is less than all releases, such as ``"full-subtree recodings"``.
    course
        The seconds, the best cost and the bound whenever the search knew something new.
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
        """How far the cost may be above the optimum, as a share of the bound; 0 is optimal."""
        if self.proven:
            return 0.0
        return self.cost / self.bound - 1 if self.bound > 0 else math.inf

    @property
    def proven(self) -> bool:
        """Whether nothing better exists."""
        return self.bound >= self.cost * (1 - ROUNDING)

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the course as plain values, for manifests; a gap that is not known is None."""
        gap = self.gap if math.isfinite(self.gap) else None
        hidden = {"course"} if self.among else {"course", "among"}
        plain = {name: value for name, value in asdict(replace(self, course=())).items() if name not in hidden}
        return {**plain, "gap": gap, "proven": self.proven}

    def with_course(self, course: Course) -> Optimality:
        """Return the same with how the search came there, which ends with what it says."""
        course.note(self.cost, self.bound)
        return replace(self, course=tuple(course.moments))

    @property
    def picture(self) -> Picture:
        """The best cost and the bound over time, as a picture with its table."""
        moments = self.course or (Moment(0.0, self.cost, self.bound),)
        moments = (*moments[: -1 : 1 + len(moments) // MOST_MOMENTS], moments[-1])
        seconds, costs, bounds = zip(*moments, strict=True)
        from sfumato.common.charts import charts  # noqa: PLC0415

        return charts.cost_over_time(seconds, costs, bounds, self.measure)

    def plot(self) -> alt.TopLevelMixin:
        """Return the best cost and the bound over time as an Altair chart; it needs ``sfumato[report]``."""
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
