"""The dual problem: the strongest privacy that a tolerable loss allows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sfumato import parameters, pipeline
from sfumato.api import one_schema
from sfumato.clock import Clock
from sfumato.errors import InfeasibleError, SchemaError
from sfumato.io import open_source
from sfumato.loss import METRICS, Recoded
from sfumato.methods import Method, find_method
from sfumato.pipeline import Options, Outcome, Prepared, build_release, prepare, requested_models
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel
from sfumato.progress import Progress, ProgressOption, reporting, silent
from sfumato.release.release import Release
from sfumato.schema import Declared, Schema

VARIED = ("k", "l")


@dataclass(frozen=True)
class Strongest:
    """The strongest privacy that a tolerable loss allows.

    Attributes
    ----------
    release
        The release with that privacy.
    vary
        What was varied, ``"k"`` or ``"l"``.
    value
        The largest k or l that was found.
    max_gcp
        The loss that was tolerated.
    curve
        Every k or l that was tried and the loss that it took, in rising order.
    """

    release: Release
    vary: str
    value: int
    max_gcp: float
    curve: tuple[tuple[int, float], ...]

    @property
    def k(self) -> int:
        """The k of the release, as counted from its rows."""
        return int(self.release.achieved.k or 0)

    def summary(self) -> str:
        """Return what was found, and the losses on the way."""
        tried = "\n".join(f"  {self.vary}={value:<8,} GCP {loss:.4f}" for value, loss in self.curve)
        return f"{self.vary}={self.value:,} is the strongest with a GCP of at most {self.max_gcp:g}; tried:\n{tried}"


def strongest(
    data: object,
    schema: Schema | None = None,
    *,
    max_gcp: float,
    vary: str = "k",
    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str = (),
    sensitive: Iterable[str] | str = (),
    identifiers: Iterable[str] | str = (),
    plain: Iterable[str] | str = (),
    rest: str | None = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    privacy: PrivacyModel | Sequence[PrivacyModel] = (),
    method: str | Method = "auto",
    suppression: float = 0.0,
    missing: str = "category",
    intervals: str = "text",
    keep_order: bool = False,
    seed: int = 0,
    progress: ProgressOption = False,
    separator: str | None = None,
) -> Strongest:
    """Find the largest k, or l, whose release loses no more than is tolerable.

    The table is read and encoded once, and a linear method sorts it once; each k that is tried only cuts it anew.

    Parameters
    ----------
    max_gcp
        The largest global certainty penalty that is tolerable, from 0 to 1.
    vary
        ``"k"`` for k-anonymity or ``"l"`` for l-diversity. All models that are given hold all the while: a k that is
        given is the least that will do.
    data, schema, quasi_identifiers, sensitive, identifiers, plain, rest, k, l, t, privacy, method, suppression,
    missing, intervals, keep_order, seed, progress, separator
        As in `anonymize`.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [21, 22, 23, 24, 61, 62, 63, 64]})
    >>> found = sf.strongest(people, quasi_identifiers="age", max_gcp=0.1)
    >>> found.value, round(found.release.loss.gcp, 3)
    (4, 0.07)
    """
    parameters.share("strongest", "max_gcp", max_gcp)
    parameters.choice("strongest", "vary", vary, VARIED)
    given = one_schema(schema, quasi_identifiers, sensitive, identifiers, plain, rest)
    if vary == "l" and not given.sensitive:
        raise SchemaError("vary='l' needs a sensitive column. Declare it, for example sensitive='disease'.")
    options = Options(suppression, missing, intervals, keep_order, seed)
    fixed, least = split_models(vary, requested_models(k, l, t, privacy, required=False))
    options.check_models(fixed)
    chosen, clock = find_method(method), Clock()
    with reporting(progress) as report, clock.measuring("total"):
        source = open_source(data, separator=separator)
        with clock.measuring("read"):
            prepared = prepare(source, given, options, report)
        with clock.measuring("method"):
            search = _Search(prepared, vary, fixed, least, chosen, options, max_gcp, report)
            value, outcome = search.run()
        with clock.measuring("release"):
            release = build_release(source, given, prepared, outcome, chosen, options, clock, report)
    release.manifest["seconds"] = clock.rounded()
    curve = tuple(sorted(search.losses.items()))
    release.manifest["searched"] = {"vary": vary, "max_gcp": max_gcp, "curve": [list(point) for point in curve]}
    return Strongest(release, vary, value, max_gcp, curve)


def split_models(vary: str, models: Sequence[PrivacyModel]) -> tuple[tuple[PrivacyModel, ...], int]:
    """Return the models that hold whatever is tried, and the least k or l to try: what is asked for, or 2."""
    wanted = [model for model in models if _is_varied(vary, model)]
    least = max([2, *(math.ceil(getattr(model, vary)) for model in wanted)])
    return tuple(model for model in models if model not in wanted), least


def _is_varied(vary: str, model: PrivacyModel) -> bool:
    """Return whether a model is of the kind that is varied; other kinds of l-diversity, or for one column, are not."""
    if vary == "k":
        return isinstance(model, KAnonymity)
    return isinstance(model, LDiversity) and model == LDiversity(model.l)


@dataclass
class _Search:
    """The tries of one search, and the best outcome so far."""

    prepared: Prepared
    vary: str
    fixed: tuple[PrivacyModel, ...]
    least: int
    method: Method
    options: Options
    max_gcp: float
    report: Progress
    losses: dict[int, float] = field(default_factory=dict)
    found: dict[int, Outcome] = field(default_factory=dict)
    memory: dict[Any, Any] = field(default_factory=dict)

    def run(self) -> tuple[int, Outcome]:
        """Find the largest value within the loss: double while it fits, then halve in on it."""
        least = self.least
        if not self.fits(least):
            raise InfeasibleError(
                f"Even {self.vary}={least:,} loses {self.losses[least]:.4f}, more than the {self.max_gcp:g} that is "
                f"tolerable. A loss of {_rounded_up(self.losses[least]):.4f} would do; or try another method, or allow "
                "suppression."
            )
        low, high = least, 2 * least
        while self.fits(high):
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.fits(middle) else (low, middle)
        return low, self.found[low]

    def fits(self, value: int) -> bool:
        """Try a value; keep its outcome if it is the best so far."""
        self.report(f"trying {self.vary}={value:,}", 0.0)
        models = (KAnonymity(value) if self.vary == "k" else LDiversity(value), *self.fixed)
        microdata = self.prepared.microdata
        try:
            outcome = pipeline.recode(microdata, models, self.method, self.options, silent, self.memory)
        except InfeasibleError:
            if value == self.least:
                raise
            return False
        gcp = METRICS["gcp"].measure(Recoded(microdata, outcome.classes, self.prepared.left_out))
        self.losses[value] = gcp
        if gcp > self.max_gcp:
            return False
        self.found = {value: outcome}
        return True


def _rounded_up(loss: float) -> float:
    """Return a loss with four digits that is not below it."""
    return math.ceil(loss * 1e4) / 1e4
