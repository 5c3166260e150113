"""Check any table against the models of a request: in memory, or by an engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sfumato.common.threads import at_most
from sfumato.errors import listed
from sfumato.io import Source
from sfumato.release.check import check_source
from sfumato.run.build import promise_of
from sfumato.run.read import with_populations
from sfumato.run.request import AUTO, Request
from sfumato.run.where import needs_more, on_spark
from sfumato.table.schema import Schema
from sfumato.verify.consequences import ONLY_WITH_PEOPLE, promise_in_words, provable
from sfumato.verify.verification import Achieved, Unproven, Verification


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
    source.check_names([*names, *schema.sensitive])
    person = schema.person if schema.person in source.columns else None
    Schema(names, schema.sensitive, rest="drop", person=person).roles(source.columns)
    promises = [promise_of(model, schema) for model in request.privacy]
    if schema.person is None or person is not None:
        found = check_source(source, names, schema.sensitive, promises, person)
    else:
        found = _without_persons(source, names, schema.sensitive, promises, schema.person)
    found = replace(found, notes=(*map(str, source.remarks), *found.notes))
    if request.preset is None:
        return found
    from sfumato.run.presets import with_left_over  # noqa: PLC0415

    return with_left_over(found, request, source)


def _without_persons(
    source: Source, names: Sequence[str], sensitive: Sequence[str], promises: Sequence[Mapping[str, Any]], person: str
) -> Verification:
    """Check what rows can prove of promises about people, where the table does not say whose row is whose.

    A release never shows the person. The promises were checked when it was made; from the file, only what follows from
    them for rows can be checked again.
    """
    from sfumato.release.certificate_check import recorded  # noqa: PLC0415

    about_rows = [one for one in promises if one["model"] == "minimum-span"]
    about_people = [one for one in promises if one["model"] != "minimum-span"]
    parts = [provable(recorded(one), names, sensitive, people=True) for one in about_people]
    found = check_source(source, names, sensitive, about_rows)
    needed = check_source(source, names, sensitive, [one.follows for one in parts if one.follows is not None])
    said = [replace(check, rule=f"{check.rule}, which people need in rows") for check in needed.checks]
    return replace(
        found,
        checks=(*found.checks, *said),
        achieved=Achieved(None, {}),  # what rows achieve is not what people achieve
        not_checkable=(_uncounted(about_people, person),),
    )


def _uncounted(promises: Sequence[Mapping[str, Any]], person: str) -> Unproven:
    """The promises about people that a file without their column does not prove."""
    return Unproven(
        tuple(dict.fromkeys(promise_in_words(one) for one in promises)) or ("what it achieves",),
        f"people are counted, and the file does not say whose row is whose: it has no column {listed([person])}",
        ONLY_WITH_PEOPLE,
    )


def columns_shown(schema: Schema, columns: Sequence[str]) -> list[str]:
    """The columns of a released table that show the quasi-identifiers."""
    return [shown for name in schema.quasi_identifiers for shown in shown_as(name, columns)]


def shown_as(name: str, columns: Sequence[str]) -> list[str]:
    """The columns of a released table that show a quasi-identifier: its own, or those of its bounds."""
    bounds = [f"{name}_min", f"{name}_max"]
    return bounds if name not in columns and set(bounds) <= set(columns) else [name]
