"""The steps of a request, one after the other: prepare, find classes, release; and the check of what is released."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato import guarding, parameters
from sfumato.clock import Clock
from sfumato.errors import DataError, InfeasibleError, VerificationError
from sfumato.guardrails import Released, Requested
from sfumato.guardrails.kinds import kinds
from sfumato.guardrails.view import coded_columns
from sfumato.hierarchies import Dates, Ordered, Taxonomy
from sfumato.hierarchies.base import inverse
from sfumato.hierarchies.defaults import default_hierarchy
from sfumato.hierarchies.levels import only_dates
from sfumato.io import Source, open_source
from sfumato.kernels.classes import get_ready
from sfumato.loss import Bound, LossReport, RecodedTable, bound_by, gcp_bound, singling_out
from sfumato.methods import Task
from sfumato.methods.support import refuse_unsupported
from sfumato.methods.suppression import make_feasible
from sfumato.microdata import SUPPRESSED, EquivalenceClasses, Microdata, Recoding, encode, missing_rows, refuse_missing
from sfumato.microdata.people import Units
from sfumato.privacy import MinimumSpan, PrivacyModel, Requirements, TCloseness
from sfumato.privacy.ceilings import PopulationModel, Whole
from sfumato.privacy.people import broken_rules
from sfumato.privacy.whole import least_that_works, with_size
from sfumato.progress import Progress, ProgressOption, reporting, silent, stage
from sfumato.randomness import Secret
from sfumato.release.checking import check_source
from sfumato.release.manifest import build_manifest
from sfumato.release.release import Release
from sfumato.release.values import Shown, class_table, show
from sfumato.request import Request
from sfumato.risks.counting import numbered_people, people_per_class
from sfumato.schema import Schema
from sfumato.verify.classes import code_column, group_rows
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification


@dataclass(frozen=True)
class Prepared:
    """A table ready for a method: its codes, and the columns that are released as they are.

    Attributes
    ----------
    table
        The columns that are released as they are, in the order of the input.
    microdata
        The codes, in random order: a method deals equal rows to classes in the order in which it meets them.
    roles
        The role of every column of the input.
    left_out
        How many rows are not here, because a value is missing.
    people
        Whose each row of ``microdata`` is, numbered from 0; None where every row is a person.
    places
        Where each row of ``microdata`` stands in ``table``.
    secret
        Where all chance of this release comes from.
    identifiers
        The dropped columns that may name people, as numbers in the order of ``table``.
    row_numbers
        The unnamed columns that were dropped, since they only number the rows.
    """

    table: pa.Table = field(repr=False)
    microdata: Microdata
    roles: dict[str, str]
    left_out: int
    places: NDArray[np.int64] = field(repr=False)
    secret: Secret
    identifiers: Mapping[str, NDArray[np.integer]] = field(default_factory=dict, repr=False)
    row_numbers: tuple[str, ...] = ()
    people: NDArray[np.int64] | None = field(default=None, repr=False)

    def view(self, request: Request) -> Requested:
        """Return what guardrails look at before there are classes."""
        plain = [name for name, role in self.roles.items() if role == "plain"]
        return Requested(
            declared=request.schema.quasi_identifiers,
            microdata=self.microdata,
            columns=coded_columns(self.microdata, self.table, plain, self.places),
            models=request.privacy,
            identifiers={name: codes[self.places] for name, codes in self.identifiers.items()},
            row_numbers=self.row_numbers,
        )

    @cached_property
    def units(self) -> Units | None:
        """The rows of one person that look alike, taken as one; None where every row is a person."""
        return None if self.people is None else Units.of(self.microdata, self.people)


@dataclass(frozen=True)
class Found:
    """What a method found for a table.

    Attributes
    ----------
    request
        What was asked of it; its models are those that hold.
    recoding
        What the method decided.
    recoded
        The table and its classes, as losses look at them.
    """

    request: Request
    recoding: Recoding
    recoded: RecodedTable

    def view(self, asked: Requested, loss: LossReport) -> Released:
        """Return what guardrails look at once there are classes."""
        return Released(
            **{one.name: getattr(asked, one.name) for one in fields(asked)} | {"models": self.request.privacy},
            classes=self.recoded.classes,
            minimized=self.recoding.details.get("minimized"),
            lost=loss.by_attribute,
        )

    @cached_property
    def loss(self) -> LossReport:
        """What was lost."""
        return LossReport.of(self.recoded)


#: Finds classes for a table that is ready.
Finder = Callable[[Prepared, Request, Progress], Found]


def run(data: object, request: Request, progress: ProgressOption = False) -> Release:
    """Make the release that is asked for."""
    request.require_privacy()
    request = _with_populations(request)
    return run_with(find_classes, data, request, progress)


def run_with(find: Finder, data: object, request: Request, progress: ProgressOption) -> Release:
    """Read a table, let ``find`` find classes for it, and make a release of them."""
    clock = Clock()
    get_ready()
    with reporting(progress, request.caller) as report, clock.measuring("total"):
        with clock.measuring("read"):
            report("reading", 0.0)
            source = open_source(data, separator=request.separator, encoding=request.encoding)
            prepared = prepare(source, request, report)
        with clock.measuring("guardrails"):
            asked = prepared.view(request)
            cautions = guarding.cautions_before(asked, request)
        with clock.measuring("method"):
            found = find(prepared, request, report)
        with clock.measuring("release"):
            loss = found.loss
        with clock.measuring("guardrails"):
            cautions = guarding.cautions_after(found.view(asked, loss), found.request, cautions)
        with clock.measuring("release"):
            release = build_release(source, prepared, found, clock, report)
    release = replace(release, cautions=cautions)
    release.manifest["kinds"] = kinds(asked)
    release.manifest["cautions"] = [caution.to_dict() for caution in cautions]
    release.manifest["seconds"] = clock.rounded()
    return release


def prepare(source: Source, request: Request, progress: Progress = silent) -> Prepared:
    """Read the columns that are needed and encode them; missing values are dealt with as asked."""
    schema = request.schema
    guarding.check_names(request, source.columns)
    row_numbers = guarding.row_numbers(source, schema)
    roles = schema.with_identifiers(row_numbers).roles(source.columns)
    naming = guarding.naming_columns(roles, row_numbers) if schema.person is None else []
    wanted = [name for name, role in roles.items() if role in {"quasi-identifier", "sensitive", "plain", "person"}]
    table = guarding.read_with(source, wanted, naming, request, stage(progress, "reading"))
    if not table.num_rows:
        raise DataError("The table has no rows, so there is nobody to protect and nothing to release.")
    taken = _rows_taken(table, request)
    rows = np.flatnonzero(taken)
    table = table if taken.all() else table.filter(pa.array(taken))
    tell = stage(progress, "encoding")
    microdata = encode(
        table,
        schema.quasi_identifiers,
        schema.sensitive,
        schema.weights,
        tell,
        request.ends,
        lambda row: source.place(int(rows[row])),
    )
    secret = Secret.of(request.seed)
    places = secret.permutation("order before", len(microdata))
    return Prepared(
        table=table.select([name for name in wanted if roles[name] not in {"quasi-identifier", "person"}]),
        microdata=microdata.take(places),
        roles=roles,
        left_out=len(taken) - len(rows),
        places=places,
        secret=secret,
        identifiers=guarding.identifier_codes(table, naming),
        row_numbers=row_numbers,
        people=None if schema.person is None else numbered_people(table, schema.person)[places],
    )


def _rows_taken(table: pa.Table, request: Request) -> NDArray[np.bool_]:
    """Return which rows take part, by what missing quasi-identifiers are taken for."""
    names = list(request.schema.quasi_identifiers)
    if request.missing == "error":
        refuse_missing(table, names)
    if request.missing != "suppress":
        return np.ones(table.num_rows, bool)
    taken = ~missing_rows(table, names)
    if not taken.any():
        raise DataError(
            "Every row lacks some quasi-identifier, so missing='suppress' leaves nothing to release. "
            "Use missing='category', or leave out the emptiest column."
        )
    return taken


def find_classes(
    prepared: Prepared, request: Request, progress: Progress, memory: dict[Any, Any] | None = None
) -> Found:
    """Let the method find classes that keep every model, leaving rows out where that is needed and allowed.

    A method knows rows and classes. Where people have several rows, or a model is about the release as a whole, it is
    asked for the least k whose classes keep everything.
    """
    requirements = Requirements(tuple(request.privacy), prepared.microdata)

    def tried(size: int) -> Found | None:
        asked = request if size == least else replace(request, privacy=with_size(request.privacy, size))
        found = _find(prepared, asked, progress, memory)
        if not counts_otherwise:
            return found
        broken = broken_rules(
            requirements, found.recoded.classes, prepared.people, lambda: _whole(prepared, found, request.schema)
        )
        return None if broken else replace(found, request=request)

    least = requirements.smallest_class
    counts_otherwise = prepared.people is not None or any(model.whole for model in request.privacy)
    found = tried(least)
    if found is not None:
        return found
    return least_that_works(tried, least, len(prepared.microdata), requirements)


def _whole(prepared: Prepared, found: Found, schema: Schema) -> Whole:
    """Return a release as a whole: what the classes show that a reader can tell apart, and the people in each."""
    classes = found.recoded.classes
    shown = class_table(found.recoded.microdata, found.recoding, classes).select(list(schema.quasi_identifiers))
    alike = group_rows(code_column(name, shown.column(name)) for name in shown.column_names)
    released = classes.of_row != SUPPRESSED
    of_row = alike.of_row[classes.of_row[released]]
    if prepared.people is None:
        people = np.bincount(of_row, minlength=len(alike))
    else:
        people = people_per_class(of_row, prepared.people[released], len(alike))
    return Whole(people, shown.take(pa.array(alike.first_rows)), schema.quasi_identifiers)


def _with_populations(request: Request) -> Request:
    """Read the populations that models are about."""
    names, as_text = list(request.schema.quasi_identifiers), request.schema.read_as_text()

    def read(model: PrivacyModel) -> PrivacyModel:
        if not isinstance(model, PopulationModel):
            return model
        source = open_source(model.population, separator=request.separator)
        return replace(model, population=source.read(names, as_text))

    return replace(request, privacy=tuple(read(model) for model in request.privacy))


def _find(prepared: Prepared, request: Request, progress: Progress, memory: dict[Any, Any] | None) -> Found:
    """Let the method find classes that keep every model of rows."""
    units, models, method = prepared.units, tuple(request.privacy), request.method
    microdata = prepared.microdata if units is None else prepared.microdata.take(units.rows)
    secret = prepared.secret
    rows = parameters.rows_within(request.suppression, len(prepared.microdata))
    suppressible = rows if units is None else units.suppressible(rows)
    refuse_unsupported(method, models, microdata, suppressible)
    requirements = Requirements(models, microdata)
    left_out = make_feasible(requirements, suppressible, secret.generator("left out"))
    remaining = microdata.take(~left_out) if left_out.any() else microdata
    task = Task(
        remaining,
        Requirements(models, remaining),
        suppressible - int(left_out.sum()),
        secret.number("method"),
        progress,
        memory,
    )
    recoding = method.run(task)
    recoding.check(remaining)
    recoding = _widened(recoding, left_out)
    recoding = recoding if units is None else units.expanded(recoding)
    classes = EquivalenceClasses.of(prepared.microdata, recoding)
    if classes.suppressed > rows:
        raise VerificationError(
            f"The method '{method.name}' left out {classes.suppressed:,} rows, but only {rows:,} may be. "
            "This is a fault of the method, please report it."
        )
    return Found(request, recoding, RecodedTable(prepared.microdata, classes, prepared.left_out, requirements.k))


def _widened(recoding: Recoding, left_out: NDArray[np.bool_]) -> Recoding:
    """Return a recoding of the rows that took part as one of all rows."""
    if not left_out.any():
        return recoding
    if recoding.classes is not None:
        classes = np.full(len(left_out), SUPPRESSED, np.int32)
        classes[~left_out] = recoding.classes
        return replace(recoding, classes=classes)
    suppressed = left_out.copy()
    if recoding.suppressed is not None:
        suppressed[~left_out] = recoding.suppressed
    return replace(recoding, suppressed=suppressed)


def build_release(
    source: Source, prepared: Prepared, found: Found, clock: Clock, progress: Progress = silent
) -> Release:
    """Show the classes, check them from the shown rows alone, and put the release together."""
    request, recoding, recoded = found.request, found.recoding, found.recoded
    microdata, classes, schema = recoded.microdata, recoded.classes, request.schema
    order = _release_order(prepared, classes, request)
    shown = show(
        prepared.table,
        prepared.roles,
        microdata,
        recoding,
        classes,
        request.intervals,
        order,
        prepared.places[order],
        stage(progress, "writing values"),
    )
    promises = [promise_of(model, schema, microdata) for model in request.privacy]
    with clock.measuring("verify"):
        progress("verifying", 0.0)
        people = None if prepared.people is None else prepared.people[order]
        verification = _verified(shown, schema.sensitive, promises, recoded, people)
    manifest = build_manifest(
        source=source.kind,
        rows=recoded.rows,
        roles=prepared.roles,
        hierarchies={
            name: hierarchy.name if hierarchy else "by type" for name, hierarchy in schema.quasi_identifiers.items()
        },
        models=request.privacy,
        method={"name": request.method.name, "parameters": request.method.recorded()} | _told(recoding),
        options=request.options() | {"seed": prepared.secret.seed},
        content=microdata.digest(prepared.secret.key("content hash")),
        suppressed={
            "total": recoded.suppressed,
            "missing": recoded.left_out,
            "by_method": classes.suppressed,
        },
        singling_out=singling_out(microdata, classes, prepared.secret.generator("singling out")),
        seconds=clock.seconds,
    )
    return Release(
        shown=shown,
        sensitive=tuple(schema.sensitive),
        promises=promises,
        loss=found.loss,
        verification=verification,
        manifest=manifest,
        details=recoding.details,
        to_native=source.to_native,
        describe_classes=lambda: class_table(microdata, recoding, classes),
        hierarchies={
            domain.name: schema.quasi_identifiers[domain.name] or default_hierarchy(domain.values.type)
            for domain in microdata.domains
        },
        original=lambda: _coded_original(prepared, schema),
        row_of=None if prepared.left_out else prepared.places[order],
        people=people,
        find_bound=lambda: _bound_of_input(prepared, found),
    )


def _bound_of_input(prepared: Prepared, found: Found) -> Bound:
    """Return what no release can beat, its prices in the order of the input; a method may have found them already."""
    microdata, recoded = prepared.microdata, found.recoded
    prices = found.recoding.details.get("row_prices")
    if prices is not None and len(prices) == len(microdata):
        bound = bound_by(prices, recoded.left_out)
    else:
        number = prepared.secret.number("bound")
        bound = gcp_bound(microdata, recoded.k, recoded.left_out, number, found.request.suppression > 0)
    if bound.prices is not None:
        bound.prices = bound.prices[inverse(prepared.places)]
    return bound


def _coded_original(prepared: Prepared, schema: Schema) -> pa.Table:
    """Return what tells people apart before the release: codes instead of values, which is all that counting needs."""
    microdata = prepared.microdata
    codes = {name: pa.array(microdata.codes[:, at]) for at, name in enumerate(microdata.names)}
    rows = pa.array(prepared.places)
    secrets = {name: prepared.table.column(name).take(rows) for name in schema.sensitive}
    whose = {} if schema.person is None else {schema.person: pa.array(prepared.people)}
    return pa.table(codes | secrets | whose)


def _told(recoding: Recoding) -> dict[str, Any]:
    """Return what a portfolio tried and what each of it lost, and how near to the optimum a search came."""
    told: dict[str, Any] = {name: recoding.details[name] for name in ("tried", "chosen") if name in recoding.details}
    if "optimality" in recoding.details:
        told["optimality"] = recoding.details["optimality"].to_dict()
    return told


def _release_order(prepared: Prepared, classes: EquivalenceClasses, request: Request) -> NDArray[np.int64]:
    """Return the released rows in the order of the release: random once more, or as in the input.

    Nothing here depends on what the rows hold: whoever can recompute an order can test guesses by it.
    """
    if request.keep_order:
        order = inverse(prepared.places)
    else:
        order = prepared.secret.permutation("order after", len(prepared.places))
    return order if classes.suppressed == 0 else order[classes.of_row[order] >= 0]


def _verified(
    shown: Shown,
    sensitive: Sequence[str],
    promises: Sequence[Mapping[str, Any]],
    recoded: RecodedTable,
    people: NDArray[np.int64] | None,
) -> Verification:
    """Check the release from its own rows; hand out nothing that does not pass."""
    if not shown.table.num_rows:
        raise InfeasibleError("Every row would have to be suppressed. Ask for less privacy, or for coarser levels.")
    verification = verify_release(shown.table, shown.class_columns, sensitive, promises, people=people)
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


def promise_of(model: PrivacyModel, schema: Schema, microdata: Microdata | None = None) -> dict[str, Any]:
    """Return a model in the words of the verifier, which knows neither models nor hierarchies."""
    record = model.to_policy()
    if isinstance(model, TCloseness) and model.taxonomy is not None:
        record["taxonomy"] = {"rows": model.taxonomy.rows}
    if isinstance(model, PopulationModel):
        record["population"] = model.people
        given = schema.quasi_identifiers.items()
        record["taxonomies"] = {name: how.rows for name, how in given if isinstance(how, Taxonomy)}
    if isinstance(model, MinimumSpan):
        hierarchy = schema.quasi_identifiers.get(model.column)
        if isinstance(hierarchy, Ordered):
            record["order"] = hierarchy.order
        values = None if microdata is None else microdata.domains[microdata.names.index(model.column)].values
        if values is not None and pa.types.is_temporal(values.type):
            record["calendar"] = True if only_dates(values) else "times"
        elif isinstance(hierarchy, Dates):
            record["calendar"] = True
    return record


def check(data: object, request: Request) -> Verification:
    """Check a table, whoever made it, against the models of a request; bounds are found by their two columns."""
    source = open_source(data, separator=request.separator, encoding=request.encoding)
    request = _with_populations(request)
    schema = request.schema
    names = [shown for name in schema.quasi_identifiers for shown in _shown_as(name, source.columns)]
    released = Schema(names, schema.sensitive, rest="drop", person=schema.person)
    released.roles(source.columns)
    promises = [promise_of(model, schema) for model in request.privacy]
    return check_source(source, names, released.sensitive, promises, schema.person)


def _shown_as(name: str, columns: Sequence[str]) -> list[str]:
    bounds = [f"{name}_min", f"{name}_max"]
    return bounds if name not in columns and set(bounds) <= set(columns) else [name]
