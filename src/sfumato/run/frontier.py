"""The frontier of a table: what each k loses and how likely people are found, point by point."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.progress import Clock, Progress, ProgressOption, reporting, silent
from sfumato.common.threads import at_most
from sfumato.errors import CautionError, InfeasibleError, ParameterError
from sfumato.methods import Task
from sfumato.methods.linear.hilbert import HilbertCurve
from sfumato.methods.linear.row_order import sorted_line
from sfumato.privacy import KAnonymity, PrivacyModel, Requirements
from sfumato.release.frontier_point import FrontierPoint
from sfumato.release.release import Release
from sfumato.run.build import Attempts
from sfumato.run.find import FoundClasses, find_classes
from sfumato.run.origin import OriginInMemory, bound_of, risk_after, risk_before
from sfumato.run.prepare import Prepared
from sfumato.run.request import Request

if TYPE_CHECKING:
    from sfumato.assess.risk import Risk

T = TypeVar("T")

#: The k of a frontier, if none are given.
SIZES = (2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100)

#: Where a frontier begins, and which k come first: the usual ones, by their first digit.
MIDDLE, USUAL = 10, (1, 2, 5)


#: Tables with more rows are looked at in a sample first.
MANY = 200_000

#: The rows of a sample, and of one of its neighbourhoods; a neighbourhood holds at least so many classes.
SAMPLED, NEIGHBOURHOOD, CLASSES = 80_000, 1_000, 25


class _Stopped(Exception):  # noqa: N818
    """Stops a point halfway: `Frontier.cancel` was called."""


class Frontier(Iterator[FrontierPoint]):
    """Points of one table, from the middle outwards, as an iterator; `sfumato.frontier` makes it.

    It yields a point for every k: first estimates from a sample if the table has many rows, then the point of a release
    that was made and verified, then the same point with a bound that no release can beat. Leave the loop whenever you
    like: the next loop goes on where the last one ended, and ``points`` has what is known so far.

    Attributes
    ----------
    sizes
        Every k, in the order in which they are computed.
    rows
        The rows of the table.
    progress
        Where progress is reported, as in `sfumato.anonymize`; it may be changed between points.
    """

    def __init__(
        self, attempts: Attempts, sizes: Sequence[int], *, bounds: bool = True, progress: ProgressOption = False
    ) -> None:
        self.sizes = from_the_middle(sizes)
        self.progress = progress
        self._attempts, self._bounds = attempts, bounds
        self._known: dict[int, FrontierPoint] = {}
        self._found: dict[int, FoundClasses] = {}
        self._built: tuple[int, Release] | None = None
        self._before: Risk | None = None
        self._cancelled = threading.Event()
        self._sampling = _wants_sample(attempts.prepared, self._request(self.sizes[0]))

    @classmethod
    def of(
        cls,
        data: object,
        request: Request,
        sizes: Sequence[int],
        *,
        bounds: bool = True,
        progress: ProgressOption = False,
    ) -> Frontier:
        """Read and encode a table for a frontier."""
        least = max((model.k for model in request.privacy if isinstance(model, KAnonymity)), default=2)
        with at_most(request.threads), reporting(progress, request.caller) as report:
            attempts = Attempts.of(data, request, report, several=True)
        return cls(attempts, sorted({max(least, size) for size in sizes}), bounds=bounds, progress=progress)

    # What is known

    @property
    def rows(self) -> int:
        """The rows of the table."""
        return self._attempts.prepared.rows

    @property
    def points(self) -> tuple[FrontierPoint, ...]:
        """What is known so far, in the order of k."""
        return tuple(self._known[k] for k in sorted(self._known))

    @property
    def pending(self) -> tuple[int, ...]:
        """Every k whose release is not made yet, in the order in which they come."""
        return tuple(k for k in self.sizes if k not in self._known or self._known[k].approximate)

    @property
    def done(self) -> bool:
        """Whether everything is computed."""
        return next(self._steps(), None) is None

    def point(self, k: int) -> FrontierPoint:
        """The point of any k: the known one, or a new one."""
        point = self._known.get(k)
        if point is None or point.approximate:
            point = self._run(lambda report: self._exact(k, report))
            self._known[k] = point
        return point

    def release(self, k: int) -> Release:
        """The release of a k, verified like any other; its bytes are those of `anonymize` with the same seed.

        All releases of one frontier share its secret. Publish one of them: two releases of one table tell more together
        than each alone.
        """
        if k not in self._found:
            point = self.point(k)
            if point.failed is not None:
                raise InfeasibleError(point.failed)
        built, found = self._built, self._found[k]
        if built is not None and built[0] == k:
            return built[1]
        release = self._run(lambda report: self._attempts.release(found, report))
        self._built = k, release
        return release

    def nearest(self, k: int) -> tuple[PrivacyModel, ...]:
        """The strongest models that a table can keep where those at k are impossible: k and l as large as they may be.

        Whether some release keeps them is known once its point is computed; the table as one class does.
        """
        prepared = self._attempts.prepared

        def possible(models: Sequence[PrivacyModel]) -> bool:
            return not Requirements(tuple(models), prepared.for_methods).broken_by_table()

        return tuple(_lowered(model, possible) for model in self._request(k).privacy)

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, ready for JSON."""
        return {
            "rows": self.rows,
            "quasi_identifiers": list(self._attempts.prepared.microdata.names),
            "points": [point.to_dict() for point in self.points],
            "pending": list(self.pending),
            "done": self.done,
        }

    def __repr__(self) -> str:
        return f"Frontier({len(self.sizes) - len(self.pending)} of {len(self.sizes)} points, {self.rows:,} rows)"

    # One step after the other

    def __iter__(self) -> Frontier:
        self._cancelled.clear()
        return self

    def __next__(self) -> FrontierPoint:
        step = next(self._steps(), None)
        if step is None or self._cancelled.is_set():
            raise StopIteration
        work, k = step
        try:
            point = self._run(lambda report: work(k, report))
        except _Stopped:
            raise StopIteration from None
        self._known[k] = point
        return point

    def cancel(self) -> None:
        """Stop as soon as possible, from any thread; what is not finished is computed again by the next loop."""
        self._cancelled.set()

    def _steps(self) -> Iterator[tuple[Callable[[int, Progress], FrontierPoint], int]]:
        """What is still to be done, in order."""
        if self._sampling:
            yield from ((self._estimated, k) for k in self.sizes if k not in self._known)
        yield from ((self._exact, k) for k in self.pending)
        if self._bounds:
            lacking = [point.k for point in self._known.values() if point.failed is None and point.bound is None]
            yield from ((self._bounded, k) for k in self.sizes if k in lacking)

    def _run(self, work: Callable[[Progress], T]) -> T:
        with at_most(self._attempts.request.threads), reporting(self.progress, self._attempts.request.caller) as tell:

            def report(stage: str, share: float) -> None:
                if self._cancelled.is_set():
                    raise _Stopped
                tell(stage, share)

            return work(report)

    def _request(self, k: int) -> Request:
        request = self._attempts.request
        others = [model for model in request.privacy if not isinstance(model, KAnonymity)]
        return replace(request, privacy=(KAnonymity(k), *others))

    def _exact(self, k: int, report: Progress) -> FrontierPoint:
        """Make a release and verify it, or say why there is none."""
        clock = Clock()
        try:
            found = self._attempts.find(self._request(k), report, clock)
            release = self._attempts.release(found, report, clock)
        except (InfeasibleError, CautionError) as error:
            return FrontierPoint(k, failed=str(error))
        self._found[k], self._built = found, (k, release)
        assert isinstance(release.origin, OriginInMemory)
        origin, verification = release.origin, release.verification
        after = risk_after(origin.shown, found.request.schema, origin.people)
        return self._with_risk(
            FrontierPoint(
                k,
                gcp=release.loss.gcp,
                by_attribute=dict(release.loss.by_attribute),
                achieved=verification.k,
                classes=after.classes,
                rows=verification.rows,
                suppressed=release.suppressed,
                highest=after.prosecutor.highest,
                mean=after.prosecutor.mean,
                sizes=tuple(zip(*(each.tolist() for each in after.class_sizes), strict=True)),
                l=verification.l,
                t=verification.t,
                seconds=clock.seconds["method"],
            )
        )

    def _estimated(self, k: int, report: Progress) -> FrontierPoint:
        """Estimate a point from a sample; where that is not possible, it is computed exactly."""
        attempts, clock, request = self._attempts, Clock(), self._request(k)
        some = _neighbourhoods(attempts.prepared, request, k, attempts.memory)
        if some is None:
            return self._exact(k, report)
        try:
            with clock.measuring("method"):
                found = find_classes(some, request, silent)
        except InfeasibleError:
            return self._exact(k, report)
        classes, times = found.recoded.classes, len(attempts.prepared.microdata) / len(some.microdata)
        smallest, kept = int(classes.sizes.min()), int(classes.sizes.sum())
        return self._with_risk(
            FrontierPoint(
                k,
                gcp=found.loss.gcp,
                by_attribute=dict(found.loss.by_attribute),
                achieved=k,
                classes=round(len(classes) * times),
                rows=round(kept * times),
                suppressed=round(classes.suppressed * times),
                highest=1 / k,
                mean=min(1 / smallest, len(classes) / kept),
                sampled=len(some.microdata),
                seconds=clock.seconds["method"],
            )
        )

    def _bounded(self, k: int, report: Progress) -> FrontierPoint:
        """Add what no release can beat."""
        bound = bound_of(self._attempts.prepared, self._found[k])
        return replace(self._known[k], bound=float(bound), bound_confidence=bound.confidence)

    def _with_risk(self, point: FrontierPoint) -> FrontierPoint:
        """Add the risk in the original, which is computed once."""
        if self._before is None:
            self._before = risk_before(self._attempts.prepared, self._attempts.request.schema)
        before = self._before.prosecutor
        counts_people = self._attempts.prepared.people is not None
        return replace(point, before=before.mean, highest_before=before.highest, people=counts_people)


def from_the_middle(sizes: Sequence[int]) -> tuple[int, ...]:
    """Sort every k from 10 outwards, the usual ones first, so that the whole picture comes before its details.

    >>> from_the_middle([2, 3, 5, 7, 10, 15, 20, 30, 50, 75, 100])
    (10, 5, 20, 2, 50, 100, 7, 15, 30, 3, 75)
    """
    ordered = sorted(set(sizes))
    middle = MIDDLE if ordered[0] <= MIDDLE <= ordered[-1] else ordered[len(ordered) // 2]

    def place(k: int) -> tuple[bool, float, int]:
        usual = k / 10 ** math.floor(math.log10(k)) in USUAL
        return not usual, round(abs(math.log(k / middle)), 9), k

    return tuple(sorted(ordered, key=place))


def _lowered(model: PrivacyModel, possible: Callable[[Sequence[PrivacyModel]], bool]) -> PrivacyModel:
    """Lower the k or l of a model to the largest whole number that the table as one class keeps."""
    name = next((name for name in ("k", "l") if hasattr(model, name)), None)
    if name is None or possible([model]):
        return model
    low, high = 1, math.ceil(getattr(model, name))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if possible([_with(model, name, middle)]) else (low, middle)
    return _with(model, name, low)


def _with(model: PrivacyModel, name: str, value: int) -> PrivacyModel:
    return cast(PrivacyModel, replace(cast(Any, model), **{name: value}))


def checked_sizes(caller: str, k: object, at_least: int = 2) -> tuple[int, ...]:
    """Check every k of a frontier or a comparison; one number is one k."""
    given = list(k) if isinstance(k, Iterable) and not isinstance(k, str) else [k]
    if not given:
        raise ParameterError(f"'k' of {caller} is empty. Give at least one k, such as k=[5, 10, 20].")
    return tuple(parameters.integer(caller, "k", size, at_least=at_least) for size in given)


def _wants_sample(prepared: Prepared, request: Request) -> bool:
    """Whether a sample pays, and tells something: rules about people or about the whole release need all rows."""
    whole = any(model.whole for model in request.privacy)
    return len(prepared.microdata) > MANY and prepared.people is None and not whole


def _neighbourhoods(prepared: Prepared, request: Request, k: int, memory: dict[Any, Any] | None) -> Prepared | None:
    """Draw whole neighbourhoods of rows, evenly along the Hilbert curve; None if they would be most of the table.

    If one row in twenty were drawn, nobody would have near neighbours, and classes of k rows would reach much farther
    than in the whole table. Stretches along the curve hold all rows of a region, so that their classes are as wide as
    those of all rows.
    """
    microdata = prepared.microdata
    length = max(NEIGHBOURHOOD, CLASSES * k)
    count = max(4, SAMPLED // length)
    if length * count * 2 > len(microdata):
        return None
    number = prepared.secret.number("method")
    task = Task(microdata, Requirements(tuple(request.privacy), microdata), 0, number, memory=memory)
    line = sorted_line(task, HilbertCurve())
    rows = line.order[_stretches(len(microdata), count, length, prepared.secret.generator("sample"))]
    some = microdata.take(np.sort(rows))
    # Rules compare with the whole table, and losses are relative to it.
    whole = tuple(replace(one, whole=of.reference) for one, of in zip(some.sensitive, microdata.sensitive, strict=True))
    some = replace(some, sensitive=whole, whole=microdata.marginals)
    share = len(some) / len(microdata)
    return replace(prepared, microdata=some, left_out=round(prepared.left_out * share))


def _stretches(rows: int, count: int, length: int, random: np.random.Generator) -> NDArray[np.int64]:
    """The places of evenly spaced stretches, the first of them at random."""
    every = rows / count
    begins = (np.arange(count) * every + random.uniform(0, every - length)).astype(np.int64)
    return (begins[:, None] + np.arange(length)).ravel()
