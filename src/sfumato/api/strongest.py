"""``sfumato.strongest``: the strongest privacy within a limit on the loss (the dual problem)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Unpack

from sfumato.api.policy import Policy
from sfumato.common import parameters
from sfumato.common.progress import Clock, ProgressOption, reporting, silent
from sfumato.common.threads import at_most
from sfumato.errors import InfeasibleError, SchemaError
from sfumato.loss import METRICS
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel
from sfumato.release.release import Release
from sfumato.run.build import Attempts, anonymize_for
from sfumato.run.find import FoundClasses
from sfumato.run.request import Arguments, Request, spelled_out
from sfumato.run.where import in_memory, opened
from sfumato.table.schema import Schema

MAXIMIZED = ("k", "l")


@dataclass(frozen=True)
class Strongest:
    """The strongest privacy within a limit on the loss.

    Attributes
    ----------
    release
        The release with that privacy.
    maximize
        What was made as large as possible, ``"k"`` or ``"l"``.
    value
        The largest k or l that was found.
    max_gcp
        The limit on the loss.
    curve
        Every k or l that was tried, with its loss, in ascending order.
    """

    release: Release
    maximize: str
    value: int
    max_gcp: float
    curve: tuple[tuple[int, float], ...]

    @property
    def k(self) -> int:
        """The k of the release, as counted from its rows."""
        return int(self.release.achieved.k or 0)

    def summary(self) -> str:
        """Summarize the result and the losses of all tries."""
        tried = "\n".join(f"  {self.maximize}={value:<8,} GCP {loss:.4f}" for value, loss in self.curve)
        return f"{self.maximize}={self.value:,} is the largest with a GCP of at most {self.max_gcp:g}; tried:\n{tried}"


@spelled_out
def strongest(
    data: object,
    schema: Schema | None = None,
    *,
    max_gcp: float,
    maximize: str = "k",
    progress: ProgressOption = False,
    **arguments: Unpack[Arguments],
) -> Strongest:
    """Find the largest k, or l, whose loss stays within a limit.

    The table is read and encoded once, and a linear method sorts it once; each k that is tried only cuts it again.

    Parameters
    ----------
    max_gcp
        The largest global certainty penalty that you accept, from 0 to 1.
    maximize
        ``"k"`` for k-anonymity or ``"l"`` for l-diversity. All models that you give hold as well; a ``k`` that you give
        is the smallest to accept.
    data, schema, quasi_identifiers, sensitive, person, identifiers, plain, rest, weights, k, l, t, privacy,
    preset, method, minimize, refine, suppression, missing, intervals, keep_order, seed, progress, separator, encoding,
    sheet, layout, decimal, dates, skip
        As in `anonymize`.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [21, 22, 23, 24, 61, 62, 63, 64]})
    >>> found = sf.strongest(people, quasi_identifiers="age", max_gcp=0.1)
    >>> found.value, round(found.release.loss.gcp, 3)
    (4, 0.07)
    """
    return find_strongest(data, Policy.of("strongest", schema, **arguments), max_gcp, maximize, progress)


def find_strongest(
    data: object, request: Request, max_gcp: float, maximize: str = "k", progress: ProgressOption = False
) -> Strongest:
    """Find the largest k, or l, for a request; its own k or l is the smallest to accept."""
    parameters.share(request.caller, "max_gcp", max_gcp)
    parameters.choice(request.caller, "maximize", maximize, MAXIMIZED)
    if maximize == "l" and not request.schema.sensitive:
        raise SchemaError("maximize='l' needs a sensitive column. Declare it, for example sensitive='disease'.")
    search = _Search(maximize, max_gcp)
    with at_most(request.threads):
        data = opened(data, request)
        if in_memory(data, request):
            release = search.run_in_memory(data, request, progress)
        else:
            release = search.run_by_engine(data, request, progress)
    curve = tuple(sorted(search.losses.items()))
    release.manifest["searched"] = {"maximize": maximize, "max_gcp": max_gcp, "curve": [list(point) for point in curve]}
    return Strongest(release, maximize, search.value, max_gcp, curve)


def split_models(maximize: str, models: Sequence[PrivacyModel]) -> tuple[tuple[PrivacyModel, ...], int]:
    """Separate the models that always hold from the least k or l to try: the requested one, or 2."""
    wanted = [model for model in models if _is_maximized(maximize, model)]
    least = max([2, *(math.ceil(getattr(model, maximize)) for model in wanted)])
    return tuple(model for model in models if model not in wanted), least


def _is_maximized(maximize: str, model: PrivacyModel) -> bool:
    """Whether a model is the one to maximize; other kinds of l-diversity, or for one column, are not."""
    if maximize == "k":
        return isinstance(model, KAnonymity)
    return isinstance(model, LDiversity) and model == LDiversity(model.l)


@dataclass
class _Search:
    """The tries of one search, and the best that was found so far."""

    maximize: str
    max_gcp: float
    value: int = 0
    losses: dict[int, float] = field(default_factory=dict)
    found: dict[int, Any] = field(default_factory=dict)

    def run_in_memory(self, data: object, request: Request, progress: ProgressOption) -> Release:
        """Find the largest value within the loss for a table in memory, which is encoded and sorted once."""
        with reporting(progress, request.caller) as report:
            table, clock = Attempts.of(data, request, report, several=True), Clock()

            def find(asked: Request) -> tuple[FoundClasses, float]:
                report(f"trying {self._asked_for(asked)}", 0.0)
                found = table.find(asked, silent, clock)
                return found, METRICS["gcp"].measure(found.recoded)

            return table.release(self._largest(table.request, find), report, clock)

    def run_by_engine(self, data: object, request: Request, progress: ProgressOption) -> Release:
        """Find the largest value with a release per try: an engine keeps nothing between them."""
        if request.is_private:
            from sfumato.run.private import refuse_several  # noqa: PLC0415

            refuse_several(request)

        def find(asked: Request) -> tuple[Release, float]:
            release = anonymize_for(data, asked, progress)
            return release, release.loss.gcp

        found: Release = self._largest(request, find)
        return found

    def _asked_for(self, request: Request) -> str:
        return f"{self.maximize}={getattr(request.privacy[0], self.maximize):,}"

    def _largest(self, request: Request, find: Callable[[Request], tuple[Any, float]]) -> Any:
        """Double while the loss fits, then bisect to the largest value that fits."""
        fixed, least = split_models(self.maximize, request.privacy)

        def fits(value: int) -> bool:
            models = (KAnonymity(value) if self.maximize == "k" else LDiversity(value), *fixed)
            return self._fits(value, lambda: find(replace(request, privacy=models)), is_least=value == least)

        if not fits(least):
            raise InfeasibleError(
                f"Even {self.maximize}={least:,} has a GCP of {self.losses[least]:.4f}, above the limit of "
                f"{self.max_gcp:g}. Accept {_rounded_up(self.losses[least]):.4f}, or try another method or suppression."
            )
        low, high = least, 2 * least
        while fits(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        self.value = low
        return self.found[low]

    def _fits(self, value: int, find: Callable[[], tuple[Any, float]], is_least: bool) -> bool:
        """Try a value; keep what was found if it is the best so far."""
        try:
            found, self.losses[value] = find()
        except InfeasibleError:
            if is_least:
                raise
            return False
        if self.losses[value] > self.max_gcp:
            return False
        self.found = {value: found}
        return True


def _rounded_up(loss: float) -> float:
    """Round a loss up to four digits."""
    return math.ceil(loss * 1e4) / 1e4
