"""Build releases of a table that is read once: write the values of the rows, verify them, and add the manifest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.assess.cautions import Caution, RequestView, cautions_after, cautions_before, overlooked
from sfumato.assess.cautions.column_kinds import kinds
from sfumato.common.progress import Clock, Progress, ProgressOption, Tell, reporting, silent, stage
from sfumato.common.randomness import Secret
from sfumato.common.rows import gather
from sfumato.common.threads import at_most, threads
from sfumato.errors import InfeasibleError, VerificationError
from sfumato.hierarchies import Ages, Dates, Domain, Ordered
from sfumato.hierarchies.base import inverse
from sfumato.hierarchies.defaults import default_hierarchy
from sfumato.hierarchies.levels import only_dates, value_texts
from sfumato.io import Source, open_source
from sfumato.loss import LossReport, singling_out
from sfumato.methods.details import MethodDetails
from sfumato.privacy import MinimumSpan, PrivacyModel, TCloseness
from sfumato.privacy.population import PopulationModel
from sfumato.release.manifest import BY_TYPE, Grounds, build_manifest
from sfumato.release.origin import Origin
from sfumato.release.release import Release
from sfumato.release.shown import Shown, ShownInMemory
from sfumato.release.values import show, with_weights
from sfumato.run.find import FoundClasses, find_classes
from sfumato.run.origin import OriginInMemory
from sfumato.run.prepare import Prepared, prepare
from sfumato.run.read import open_table, read_table
from sfumato.run.request import Request
from sfumato.run.where import in_memory, opened
from sfumato.table.encoding import distinct
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding, get_ready
from sfumato.table.schema import Schema
from sfumato.verify.release import check_weights, verify_release
from sfumato.verify.verification import Verification

#: The message if no row is left to release.
NOTHING_LEFT = "Every row would have to be suppressed. Ask for less privacy, or for coarser levels."


def anonymize_for(data: object, request: Request, progress: ProgressOption = False) -> Release:
    """Make the release that a request asks for, in memory or by an engine."""
    with at_most(request.threads):
        data = opened(data, request)
        if in_memory(data, request):
            request.require_privacy()
            return release_in_memory(data, request, progress)
        from sfumato.run.large import run_by_engine  # noqa: PLC0415

        return replace(run_by_engine(data, request, anonymize_for, progress), policy=request)


def release_in_memory(data: object, request: Request, progress: ProgressOption = False) -> Release:
    """Read a table, prepare it, find classes, and build the release, which verifies it.

    The release has passed the independent check; `Release.write` writes it and checks the written file.
    """
    clock = Clock()
    with reporting(progress, request.caller) as report:
        table = Attempts.of(data, request, report)
        found = table.find(table.request, report, clock)
        return table.release(found, report, clock)


def build_release(
    source: Source, prepared: Prepared, found: FoundClasses, clock: Clock, progress: Progress = silent
) -> Release:
    """Turn classes into released rows, verify these from the rows alone, and build the release with its manifest."""
    request, recoding, recoded = found.request, found.recoding, found.recoded
    microdata, classes, schema = recoded.microdata, recoded.classes, request.schema
    with threads() as beside:
        # The figures of the original for the manifest are computed while the release is shown and checked.
        content = beside.submit(microdata.digest, prepared.secret.key("content hash"))
        random = prepared.secret.generator("singling out")
        alone = beside.submit(lambda: singling_out(microdata, classes, random).to_dict())
        order = release_order(prepared, classes, request)
        places = gather(prepared.places, order)
        shown = show_rows(source, prepared, found, order, places, stage(progress, "writing values"))
        outcome = BuildOutcome(
            request,
            prepared.roles,
            microdata,
            prepared.secret,
            rows=prepared.rows,
            left_out=recoded.left_out,
            suppressed=classes.suppressed,
            content=content.result(),
            recoding=recoding,
            drawn_from=prepared.drawn_from,
        )
        with clock.measuring("verify"):
            progress("verifying", 0.0)
            people = None if prepared.people is None else prepared.people[order]
            verification = _verified(shown, outcome, people)
            if schema.survey_weights is not None:
                _recount_weights(shown, schema.survey_weights, prepared.total_weight)
    return outcome.release(
        source,
        clock,
        alone.result(),
        shown=shown,
        loss=found.loss,
        verification=verification,
        origin=OriginInMemory(prepared, found, shown, people, order),
        row_of=None if prepared.left_out or prepared.drawn_from is not None else places,
        people=people,
    )


@dataclass(frozen=True)
class Attempts:
    """A table that is ready for a method, and the steps that turn it into a release.

    Attributes
    ----------
    source, prepared
        The table as it was opened, and encoded.
    asked
        The request, as the preset makes it.
    preset
        What the preset did, for the manifest.
    seconds
        How long reading and looking took.
    wanted
        The request as it was given.
    memory
        What a method keeps for the next attempt, such as the order of the rows; None for one attempt only.
    """

    source: Source
    prepared: Prepared = field(repr=False)
    asked: Request
    preset: Mapping[str, Any]
    seconds: dict[str, float]
    wanted: Request = field(repr=False)
    memory: dict[Any, Any] | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        data: object,
        request: Request,
        progress: Progress = silent,
        *,
        several: bool = False,
        guarded: bool = True,
    ) -> Self:
        """Read and encode a table, and let guardrails look at it unless no release will be handed out."""
        if several and request.is_private:
            from sfumato.run.private import refuse_several  # noqa: PLC0415

            refuse_several(request)
        clock, wanted = Clock(), request
        get_ready()
        with clock.measuring("total"), clock.measuring("read"):
            progress("reading", 0.0)
            source, request, preset = open_table(data, request)
            prepared = prepare(read_table(source, request, progress), request, progress)
        table = cls(source, prepared, request, preset, clock.seconds, wanted, {} if several else None)
        if guarded:
            with clock.measuring("total"), clock.measuring("guardrails"):
                assert table.cautions is not None
        return table

    @cached_property
    def request(self) -> Request:
        """The request, with hierarchies as the table made them."""
        return self.asked.with_schema(self.prepared.schema)

    @cached_property
    def view(self) -> RequestView:
        """The request as guardrails see it before there are classes."""
        return self.prepared.view(self.asked)

    @cached_property
    def cautions(self) -> tuple[Caution, ...]:
        """What guardrails find before there are classes; they may refuse the table."""
        return tuple(cautions_before(self.view, self.asked.confirm))

    def find(self, request: Request, progress: Progress = silent, clock: Clock | None = None) -> FoundClasses:
        """Let the method of a request find classes; the request differs from the first in models and method only."""
        clock = clock or Clock()
        with clock.measuring("total"), clock.measuring("method"):
            return find_classes(self.prepared, request, progress, self.memory)

    def release(self, found: FoundClasses, progress: Progress = silent, clock: Clock | None = None) -> Release:
        """Build the release of some classes, verify it, and complete its manifest."""
        clock = clock or Clock()
        with clock.measuring("total"), threads() as beside:
            # Guardrails check the classes while these are shown and verified.
            looking = beside.submit(self._cautions, found, clock)
            with clock.measuring("release"):
                release = build_release(self.source, self.prepared, found, clock, progress)
            cautions = looking.result()
        clock.add(self.seconds)
        policy = replace(self.wanted, privacy=found.request.privacy, method=found.request.method)
        return completed(replace(release, policy=policy), self.view, cautions, clock, **self.preset)

    def _cautions(self, found: FoundClasses, clock: Clock) -> tuple[Caution, ...]:
        request = found.request
        with clock.measuring("guardrails"):
            return cautions_after(found.view(self.view, found.loss), request.confirm, request.strict, self.cautions)


def show_rows(
    source: Source,
    prepared: Prepared,
    found: FoundClasses,
    order: NDArray[np.int64],
    places: NDArray[np.int64],
    tell: Tell,
) -> ShownInMemory:
    """The released rows with their readable values."""
    request, recoded = found.request, found.recoded
    shown = show(
        prepared.table,
        prepared.roles,
        recoded.microdata,
        found.recoding,
        recoded.classes,
        request.intervals,
        order,
        places,
        tell,
    )
    shown = replace(shown, source=source)
    weighed_by = request.schema.survey_weights
    if weighed_by is None or prepared.weights is None:
        return shown
    return with_weights(shown, list(prepared.roles), weighed_by, prepared.weights[places], prepared.total_weight)


def release_order(prepared: Prepared, classes: EquivalenceClasses, request: Request) -> NDArray[np.int64]:
    """The released rows in the order of the release: random once more, or as in the input.

    The order does not depend on what the rows hold: an attacker who can recompute an order can test guesses by it.
    """
    if request.keep_order:
        order = inverse(prepared.places)
    else:
        order = prepared.secret.permutation("order after", len(prepared.places))
    return order if classes.suppressed == 0 else order[classes.of_row[order] >= 0]


@dataclass(frozen=True)
class BuildOutcome:
    """The outcome of a request, in memory or on an engine, from which the manifest and the release are put together.

    Attributes
    ----------
    request
        What was asked for.
    roles
        The role of every column of the input.
    microdata
        The domains that give codes their meaning; rows are not needed.
    secret
        The source of all randomness.
    rows, left_out, suppressed
        The numbers of input rows, of rows left out for a missing value, and of rows that the method suppressed.
    content
        A keyed hash of all codes.
    recoding
        What a method decided, where it decided for all rows at once.
    drawn_from
        The number of rows from which the input rows were drawn; None without a sample.
    """

    request: Request
    roles: Mapping[str, str]
    microdata: Microdata = field(repr=False)
    secret: Secret
    rows: int
    left_out: int
    suppressed: int
    content: bytes
    recoding: Recoding | None = None
    drawn_from: int | None = None

    @cached_property
    def promises(self) -> list[dict[str, Any]]:
        """Every model in the words of the verifier."""
        return [promise_of(model, self.request.schema, self.microdata) for model in self.request.privacy]

    def passed(self, found: Verification) -> Verification:
        """Accept a release that passed its verification and accounts for all rows; refuse others."""
        if not found.ok:
            raise VerificationError(
                "The release did not pass its independent check and is not handed out. This is a fault of the method, "
                f"please report it.\n{found.broken_rules()}"
            )
        gone = self.left_out + self.suppressed
        if found.rows != self.rows - gone:
            raise VerificationError(
                f"{self.rows:,} rows came in and {gone:,} were suppressed, but {found.rows:,} came out. This is a "
                "fault of Sfumato, please report it."
            )
        return found

    def release(
        self,
        source: Source,
        clock: Clock,
        singling_out: Mapping[str, float] | None = None,
        *,
        shown: Shown,
        origin: Origin,
        loss: LossReport,
        verification: Verification,
        row_of: NDArray[np.int64] | None = None,
        people: NDArray[np.int64] | None = None,
    ) -> Release:
        """Put the release together with its manifest; `Release` describes its parts."""
        return Release(
            shown=shown,
            origin=origin,
            loss=loss,
            verification=verification,
            row_of=row_of,
            people=people,
            threads=self.request.threads,
            sensitive=tuple(self.request.schema.sensitive),
            promises=self.promises,
            manifest=self._manifest(source, clock, singling_out),
            details=MethodDetails() if self.recoding is None else MethodDetails.of(self.recoding.details),
            hierarchies={
                domain.name: self.request.schema.quasi_identifiers[domain.name] or default_hierarchy(domain.values.type)
                for domain in self.microdata.domains
            },
        )

    def _manifest(self, source: Source, clock: Clock, singling_out: Mapping[str, float] | None) -> dict[str, Any]:
        request, method = self.request, self.request.method
        declared = request.schema.quasi_identifiers
        return build_manifest(
            source=source.kind,
            rows=self.rows,
            drawn_from=self.drawn_from,
            roles=self.roles,
            hierarchies={name: how.name if how else BY_TYPE for name, how in declared.items()},
            models=request.privacy,
            method={"name": method.name, "parameters": method.recorded()} | _told(self.recoding),
            options=request.recorded_options() | {"seed": self.secret.seed},
            content=self.content,
            suppressed={
                "total": self.left_out + self.suppressed,
                "missing": self.left_out,
                "by_method": self.suppressed,
            },
            smallest_count=0 if request.preset is None else request.rules.smallest_count,
            singling_out=singling_out,
            seconds=dict(clock.seconds),  # guardrails add their own beside this
        )


def completed(release: Release, view: RequestView, cautions: tuple[Caution, ...], clock: Clock, **told: Any) -> Release:
    """Complete the manifest with cautions, with checks that were not possible, and with the time each step took."""
    release = replace(release, cautions=cautions)
    release.manifest["kinds"] = kinds(view)
    release.manifest.update(told)
    release.manifest["cautions"] = [caution.to_dict() for caution in cautions]
    if unseen := overlooked(view):
        release.manifest["not_looked_at"] = unseen
    release.manifest["grounds"] = Grounds.of(release.manifest, release.verification).to_dict()
    release.manifest["seconds"] = clock.rounded()
    return release


def _verified(shown: ShownInMemory, outcome: BuildOutcome, people: NDArray[np.int64] | None) -> Verification:
    """Check the release from its own rows; refuse one that does not pass."""
    if not shown.table.num_rows:
        raise InfeasibleError(NOTHING_LEFT)
    request = outcome.request
    found = verify_release(shown.table, shown.class_columns, request.schema.sensitive, outcome.promises, people=people)
    if request.preset is not None:
        from sfumato.run.presets import with_left_over  # noqa: PLC0415

        found = with_left_over(found, request, open_source(shown.table), made=True)
    return outcome.passed(found)


def _recount_weights(shown: ShownInMemory, column: str, total: float) -> None:
    """Refuse weights that differ within a class, or that do not add up to the total."""
    broken = [one for one in check_weights(shown.table, shown.class_columns, column, total) if not one.ok]
    if broken:
        raise VerificationError(
            "The weights did not pass their independent check, and nothing is handed out. This is a fault of Sfumato, "
            "please report it.\n" + "\n".join(map(str, broken))
        )


def _told(recoding: Recoding | None) -> dict[str, Any]:
    """Collect what a portfolio tried, how near to the optimum a search came, and the levels that were chosen."""
    if recoding is None:
        return {}
    told: dict[str, Any] = {name: recoding.details[name] for name in ("tried", "chosen") if name in recoding.details}
    if recoding.levels is not None and "level_names" in recoding.details:
        told["levels"] = recoding.details["level_names"]
    if "optimality" in recoding.details:
        told["optimality"] = recoding.details["optimality"].to_dict()
    return told


def promise_of(model: PrivacyModel, schema: Schema, microdata: Microdata | None = None) -> dict[str, Any]:
    """Translate a model into the verifier's words; the verifier knows neither models nor hierarchies."""
    record = model.to_policy()
    if isinstance(model, TCloseness) and model.taxonomy is not None:
        record["taxonomy"] = {"rows": model.taxonomy.rows}
    if isinstance(model, PopulationModel):
        record["population"] = model.people if model.by_table else model.population
        record |= _explained(schema, model.people if model.by_table else None)
    if isinstance(model, MinimumSpan):
        hierarchy = schema.quasi_identifiers.get(model.column)
        if isinstance(hierarchy, Ordered):
            record["order"] = hierarchy.order
        domain = None if microdata is None else microdata.domains[microdata.names.index(model.column)]
        values = None if domain is None else domain.values
        record["labels"] = {} if domain is None else _reaches(domain)
        if values is not None and pa.types.is_temporal(values.type):
            record["calendar"] = True if only_dates(values) else "times"
        elif isinstance(hierarchy, Dates | Ages):
            record["calendar"] = True
    return record


def _reaches(domain: Domain) -> dict[str, tuple[str | None, str | None]]:
    """The ends of every label that stands for an interval of a scale; None for an open end."""
    found: dict[str, tuple[str | None, str | None]] = {}
    for level in domain.levels:
        if level.ends is not None:
            low, high = (value_texts(side).to_pylist() for side in (level.ends.low, level.ends.high))
            found |= zip(level.labels.to_pylist(), zip(low, high, strict=True), strict=True)
    return {label: ends for label, ends in found.items() if label is not None}


def _explained(schema: Schema, population: pa.Table | None) -> dict[str, Any]:
    """The labels that the declared hierarchies put above the values of a population, column by column."""
    if population is None:
        return {}
    above: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    for name, how in schema.quasi_identifiers.items():
        if how is None or name not in population.column_names:
            continue
        values = distinct(name, population.column(name))[0]
        above[name] = how.paths(values.cast(pa.string()).to_pylist())
        labels[name] = _reaches(how.fit(name, values, has_missing=False).domain) if above[name] is None else {}
    orders = {name: how.order for name, how in schema.quasi_identifiers.items() if isinstance(how, Ordered)}
    known = {"taxonomies": {name: rows for name, rows in above.items() if rows is not None}, "labels": labels}
    return known | {"orders": orders}
