"""The steps of a request, one after the other: prepare, recode, release. `api` calls them; so does every engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato import parameters
from sfumato.clock import Clock
from sfumato.errors import DataError, ParameterError, VerificationError, invalid_parameter
from sfumato.hierarchies import Dates, Ordered
from sfumato.io import Source
from sfumato.kernels.classes import get_ready
from sfumato.loss import LossReport, Recoded, gcp_bound
from sfumato.methods import Method, Task
from sfumato.methods.support import refuse_unsupported
from sfumato.methods.suppression import make_feasible
from sfumato.microdata import SUPPRESSED, EquivalenceClasses, Microdata, Recoding, encode, missing_rows, refuse_missing
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, PrivacyModel, Requirements, TCloseness
from sfumato.progress import Progress, silent, stage
from sfumato.release.manifest import build_manifest
from sfumato.release.release import Release
from sfumato.release.values import INTERVALS, Shown, class_table, show
from sfumato.schema import Schema
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification

MISSING = ("category", "suppress", "error")


@dataclass(frozen=True)
class Options:
    """Everything about a request that is neither a role, nor a model, nor a method."""

    suppression: float = 0.0
    missing: str = "category"
    intervals: str = "text"
    keep_order: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        parameters.share("anonymize", "suppression", self.suppression)
        parameters.choice("anonymize", "missing", self.missing, MISSING)
        parameters.choice("anonymize", "intervals", self.intervals, INTERVALS)
        parameters.flag("anonymize", "keep_order", self.keep_order)
        parameters.integer("anonymize", "seed", self.seed, at_least=0)

    def check_models(self, models: Sequence[PrivacyModel]) -> None:
        """Refuse what could not be verified: a midpoint does not tell how wide its interval is."""
        if self.intervals in {"midpoint", "mean"} and any(isinstance(model, MinimumSpan) for model in models):
            raise invalid_parameter(
                "anonymize", "intervals", "'text' or 'bounds' together with MinimumSpan", self.intervals
            )


@dataclass(frozen=True)
class Prepared:
    """A table ready for a method: its codes, and the columns that are released as they are."""

    table: pa.Table = field(repr=False)
    microdata: Microdata
    roles: dict[str, str]
    left_out: int


@dataclass(frozen=True)
class Outcome:
    """What a method found for a table."""

    models: tuple[PrivacyModel, ...]
    recoding: Recoding
    classes: EquivalenceClasses


def requested_models(
    k: int | None,
    l: float | None,  # noqa: E741
    t: float | None,
    privacy: PrivacyModel | Sequence[PrivacyModel],
    required: bool = True,
) -> tuple[PrivacyModel, ...]:
    """Collect all models of a request."""
    extra = list(privacy) if isinstance(privacy, Iterable) else [privacy]
    for model in extra:
        if not isinstance(model, PrivacyModel):
            raise invalid_parameter("anonymize", "privacy", "a privacy model or a list of them", model)
    short = [
        None if k is None else KAnonymity(k),
        None if l is None else LDiversity(l),
        None if t is None else TCloseness(t),
    ]
    models: list[PrivacyModel] = []
    for asked in [*short, *extra]:
        if asked is not None and asked not in models:
            models.append(asked)
    if required and not models:
        raise ParameterError("No privacy is asked for. Say how much, for example k=10 (on the command line: -k 10).")
    return tuple(models)


def prepare(source: Source, schema: Schema, options: Options, progress: Progress = silent) -> Prepared:
    """Read the columns that are needed and encode them; missing values are dealt with as asked."""
    roles = schema.roles(source.columns)
    wanted = [name for name, role in roles.items() if role in {"quasi-identifier", "sensitive", "plain"}]
    as_text = [name for name, how in schema.quasi_identifiers.items() if how is not None and how.reads_text]
    get_ready()
    table = source.read(wanted, as_text, stage(progress, "reading"))
    if not table.num_rows:
        raise DataError("The table has no rows, so there is nobody to protect and nothing to release.")
    left_out = 0
    names = list(schema.quasi_identifiers)
    if options.missing == "error":
        refuse_missing(table, names)
    elif options.missing == "suppress":
        lacking = missing_rows(table, names)
        left_out = int(lacking.sum())
        table = table.filter(pa.array(~lacking)) if left_out else table
        if not table.num_rows:
            raise DataError(
                "Every row lacks some quasi-identifier, so missing='suppress' leaves nothing to release. "
                "Use missing='category', or leave out the emptiest column."
            )
    microdata = encode(table, schema.quasi_identifiers, schema.sensitive, schema.weights, stage(progress, "encoding"))
    kept = [name for name in wanted if roles[name] != "quasi-identifier"]
    return Prepared(table.select(kept), microdata, roles, left_out)


def recode(
    microdata: Microdata,
    models: tuple[PrivacyModel, ...],
    method: Method,
    options: Options,
    progress: Progress,
    memory: dict[Any, Any] | None = None,
) -> Outcome:
    """Let a method find classes that keep every model, leaving rows out where that is needed and allowed."""
    suppressible = int(options.suppression * len(microdata) + 1e-9)
    refuse_unsupported(method, models, microdata, suppressible)
    random = np.random.default_rng(options.seed)
    left_out = make_feasible(Requirements(models, microdata), suppressible, random)
    remaining = microdata.take(~left_out) if left_out.any() else microdata
    task = Task(
        remaining,
        Requirements(models, remaining),
        suppressible - int(left_out.sum()),
        options.seed,
        progress,
        memory,
    )
    recoding = method.recode(task)
    recoding.check(remaining)
    recoding = _widened(recoding, left_out)
    classes = EquivalenceClasses.of(microdata, recoding)
    if classes.suppressed > suppressible:
        raise VerificationError(
            f"The method '{method.name}' left out {classes.suppressed:,} rows, but only {suppressible:,} may be. "
            "This is a fault of the method, please report it."
        )
    return Outcome(models, recoding, classes)


def _widened(recoding: Recoding, left_out: NDArray[np.bool_]) -> Recoding:
    """Return a recoding of the rows that took part as one of all rows."""
    if not left_out.any():
        return recoding
    if recoding.classes is not None:
        classes = np.full(len(left_out), SUPPRESSED, np.int32)
        classes[~left_out] = recoding.classes
        return Recoding(classes=classes, bounds=recoding.bounds, details=recoding.details)
    suppressed = left_out.copy()
    if recoding.suppressed is not None:
        suppressed[~left_out] = recoding.suppressed
    return Recoding(levels=recoding.levels, suppressed=suppressed, details=recoding.details)


def build_release(
    source: Source,
    schema: Schema,
    prepared: Prepared,
    outcome: Outcome,
    method: Method,
    options: Options,
    clock: Clock,
    progress: Progress = silent,
) -> Release:
    """Show the classes, check them from the shown rows alone, and put the release together."""
    microdata, classes = prepared.microdata, outcome.classes
    recoded = Recoded(microdata, classes, prepared.left_out, Requirements(outcome.models, microdata).k)
    order = _release_order(microdata, classes, options)
    tell = stage(progress, "writing values")
    shown = show(prepared.table, prepared.roles, microdata, outcome.recoding, classes, options.intervals, order, tell)
    requirements = [requirement_of(model, schema, microdata) for model in outcome.models]
    with clock.measuring("verify"):
        progress("verifying", 0.0)
        verification = _verified(shown, schema.sensitive, requirements, recoded)
    manifest = build_manifest(
        source=source.kind,
        rows=recoded.rows,
        roles=prepared.roles,
        hierarchies={name: how.name if how else "by type" for name, how in schema.quasi_identifiers.items()},
        models=outcome.models,
        method={"name": method.name, "parameters": method.recorded()} | _told(outcome.recoding),
        options=vars(options),
        content=microdata.digest("manifest"),
        suppressed={
            "total": recoded.suppressed,
            "missing": prepared.left_out,
            "by_method": classes.suppressed,
        },
        seconds=clock.seconds,
    )
    return Release(
        shown=shown,
        sensitive=tuple(schema.sensitive),
        requirements=requirements,
        loss=LossReport.of(recoded),
        verification=verification,
        manifest=manifest,
        details=outcome.recoding.details,
        to_native=source.to_native,
        describe_classes=lambda: class_table(microdata, outcome.recoding, classes),
        original=lambda: _coded_original(prepared, schema.sensitive),
        find_bound=lambda: gcp_bound(microdata, recoded.k, prepared.left_out, options.seed),
    )


def _coded_original(prepared: Prepared, sensitive: Sequence[str]) -> pa.Table:
    """Return what tells people apart before the release: codes instead of values, which is all that counting needs."""
    microdata = prepared.microdata
    codes = {name: pa.array(microdata.codes[:, at]) for at, name in enumerate(microdata.names)}
    return pa.table(codes | {name: prepared.table.column(name) for name in sensitive})


def _told(recoding: Recoding) -> dict[str, Any]:
    """Return what a portfolio tried and what each of it lost, and how near to the optimum a search came."""
    told: dict[str, Any] = {name: recoding.details[name] for name in ("tried", "chosen") if name in recoding.details}
    if "optimality" in recoding.details:
        told["optimality"] = recoding.details["optimality"].to_dict()
    return told


def _release_order(microdata: Microdata, classes: EquivalenceClasses, options: Options) -> NDArray[np.int64]:
    """Return the released rows in the order of the release.

    The shuffle depends on the content as well as on the seed: whoever learns the seed alone cannot undo it.
    """
    rows = np.flatnonzero(classes.of_row >= 0)
    if options.keep_order:
        return rows
    secret = int.from_bytes(microdata.digest("shuffle"), "little")
    return np.random.default_rng([options.seed, secret]).permutation(rows)


def _verified(
    shown: Shown, sensitive: Sequence[str], requirements: Sequence[Mapping[str, Any]], recoded: Recoded
) -> Verification:
    """Check the release from its own rows; hand out nothing that does not pass."""
    verification = verify_release(shown.table, shown.class_columns, sensitive, requirements)
    if not verification.ok:
        raise VerificationError(
            "The release did not pass its independent check and is not handed out. This is a fault of the method, "
            f"please report it.\n{verification.broken_rules()}"
        )
    if verification.rows != recoded.rows - recoded.suppressed:
        raise VerificationError(
            f"{recoded.rows:,} rows came in and {recoded.suppressed:,} were suppressed, but {verification.rows:,} came "
            "out. This is a fault of Sfumato, please report it."
        )
    return verification


def requirement_of(model: PrivacyModel, schema: Schema, microdata: Microdata | None = None) -> dict[str, Any]:
    """Return a model in the words of the verifier, which knows neither models nor hierarchies."""
    record = model.to_policy()
    if isinstance(model, TCloseness) and model.taxonomy is not None:
        record["taxonomy"] = {"rows": model.taxonomy.rows}
    if isinstance(model, MinimumSpan):
        how = schema.quasi_identifiers.get(model.column)
        if isinstance(how, Ordered):
            record["order"] = how.order
        if isinstance(how, Dates) or (microdata is not None and _holds_dates(microdata, model.column)):
            record["calendar"] = True
    return record


def _holds_dates(microdata: Microdata, column: str) -> bool:
    return pa.types.is_temporal(microdata.domains[microdata.names.index(column)].values.type)
