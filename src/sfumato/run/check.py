"""Check any table against the models of a request: in memory, or by an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.common.threads import at_most
from sfumato.release.check import check_source
from sfumato.run.build import promise_of
from sfumato.run.read import with_populations
from sfumato.run.request import AUTO, Request
from sfumato.run.where import needs_more, on_spark
from sfumato.table.schema import Schema
from sfumato.verify.verification import Verification


def check(data: object, request: Request) -> Verification:
    """Check a table in memory if it fits, else by an engine that does not load it; Spark checks what Spark holds."""
    with at_most(request.threads):
        return _checked(data, request)


def _checked(data: object, request: Request) -> Verification:
    if on_spark(data, request):
        from sfumato.run.large.check import check_on_spark  # noqa: PLC0415

        return check_on_spark(data, request, _only_in_memory(request))
    source = request.open(data)
    names = columns_shown(request.schema, source.columns)
    columns = list(dict.fromkeys([*names, *request.schema.sensitive]))
    known = set(source.columns).issuperset(columns)
    fits = request.engine == AUTO and not needs_more(source, columns, request)
    if request.engine == "memory" or not known or fits:
        return check_in_memory(source, request)
    reason = _only_in_memory(request)
    if reason is not None:
        found = check_in_memory(source, request)
        return replace(found, notes=(*found.notes, f"Checked in memory, not by an engine: {reason}"))
    from sfumato.run.large.check import check_by_engine  # noqa: PLC0415

    return check_by_engine(source, names, columns, request)


def _only_in_memory(request: Request) -> str | None:
    """Say which part of the request can be checked only in memory."""
    if request.schema.person is not None:
        return "people with several rows are counted there."
    if request.preset is not None:
        return "a preset looks at the values themselves."
    return None


def check_in_memory(data: object, request: Request) -> Verification:
    """Check a table that fits in memory; a quasi-identifier may be shown by the two columns of its bounds."""
    source, schema = request.open(data), request.schema
    request = with_populations(request)
    names = columns_shown(schema, source.columns)
    released = Schema(names, schema.sensitive, rest="drop", person=schema.person)
    released.roles(source.columns)
    promises = [promise_of(model, schema) for model in request.privacy]
    found = check_source(source, names, released.sensitive, promises, schema.person)
    found = replace(found, notes=(*map(str, source.remarks), *found.notes))
    if request.preset is None:
        return found
    from sfumato.run.presets import with_left_over  # noqa: PLC0415

    return with_left_over(found, request, source)


def columns_shown(schema: Schema, columns: Sequence[str]) -> list[str]:
    """The columns of a released table that show the quasi-identifiers."""
    return [shown for name in schema.quasi_identifiers for shown in shown_as(name, columns)]


def shown_as(name: str, columns: Sequence[str]) -> list[str]:
    """The columns of a released table that show a quasi-identifier: its own, or those of its bounds."""
    bounds = [f"{name}_min", f"{name}_max"]
    return bounds if name not in columns and set(bounds) <= set(columns) else [name]
