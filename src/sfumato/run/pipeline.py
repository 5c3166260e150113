"""The steps of a request, one after the other: prepare, find classes, build the release."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from sfumato.assess.cautions import Caution, RequestView
from sfumato.assess.risk.people import numbered_people
from sfumato.common.clock import Clock
from sfumato.common.progress import Progress, ProgressOption, reporting
from sfumato.io import FileSource, Source
from sfumato.release.release import Release
from sfumato.run import guardrails as guarding
from sfumato.run.build import build_release, completed, promise_of
from sfumato.run.find import Found, find_classes
from sfumato.run.prepare import Prepared, prepare, with_populations
from sfumato.run.request import Request
from sfumato.table.kernels.classes import get_ready
from sfumato.table.schema import Schema
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification

#: Finds classes for a table that is ready.
Finder = Callable[[Prepared, Request, Progress], Found]


def run(data: object, request: Request, progress: ProgressOption = False) -> Release:
    """Make the release that is asked for."""
    request.require_privacy()
    return run_with(find_classes, data, request, progress)


def run_with(find: Finder, data: object, request: Request, progress: ProgressOption) -> Release:
    """Read a table, let ``find`` find classes for it, and make a release of them."""
    clock = Clock()
    get_ready()
    with reporting(progress, request.caller) as report, clock.measuring("total"):
        with clock.measuring("read"):
            report("reading", 0.0)
            source = request.open(data)
            source, request, by_preset = guarding.as_preset_wants(source, request)
            request = with_populations(request, source)
            prepared = prepare(source, request, report)
        with clock.measuring("guardrails"):
            asked = prepared.view(request)
            cautions = guarding.cautions_before(asked, request)
        request = replace(request, schema=prepared.schema)
        with clock.measuring("method"):
            found = find(prepared, request, report)
        with ThreadPoolExecutor(1) as beside:
            # Guardrails look at the classes while these are shown and checked.
            looking = beside.submit(_cautions_after, found, asked, cautions, clock)
            with clock.measuring("release"):
                release = build_release(source, prepared, found, clock, report)
            cautions = looking.result()
    return completed(release, asked, cautions, clock, **by_preset)


def _cautions_after(found: Found, asked: RequestView, before: Sequence[Caution], clock: Clock) -> tuple[Caution, ...]:
    with clock.measuring("guardrails"):
        return guarding.cautions_after(found.view(asked, found.loss), found.request, before)


def check(data: object, request: Request) -> Verification:
    """Check a table, whoever made it, against the models of a request; bounds are found by their two columns."""
    source = request.open(data)
    request = with_populations(request)
    schema = request.schema
    names = [shown for name in schema.quasi_identifiers for shown in shown_as(name, source.columns)]
    released = Schema(names, schema.sensitive, rest="drop", person=schema.person)
    released.roles(source.columns)
    promises = [promise_of(model, schema) for model in request.privacy]
    found = check_source(source, names, released.sensitive, promises, schema.person)
    result = replace(found, notes=(*map(str, source.remarks), *found.notes))
    return guarding.with_preset(result, source, request)


def shown_as(name: str, columns: Sequence[str]) -> list[str]:
    """Return the columns of a released table that show a quasi-identifier: its own, or those of its bounds."""
    bounds = [f"{name}_min", f"{name}_max"]
    return bounds if name not in columns and set(bounds) <= set(columns) else [name]


def check_source(
    source: Source,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str],
    requirements: Sequence[Mapping[str, Any]],
    person: str | None = None,
) -> Verification:
    """Recompute every promise from a table; of a file, the verifier reads the bytes by itself.

    ``person`` is the column that says whose row it is; without it every row is a person.
    """
    people = None if person is None else numbered_people(source.read([person]), person)
    if isinstance(source, FileSource):
        from sfumato.verify.check_file import check_file  # noqa: PLC0415

        return check_file(
            source.path, source.form, quasi_identifiers, sensitive, requirements, source.separator, people
        )
    table = source.read([*quasi_identifiers, *sensitive])
    return verify_release(table, quasi_identifiers, sensitive, requirements, people=people)
