"""From a table and a request to a verified release, in memory or by an engine: the flow on one screen."""

from __future__ import annotations

from dataclasses import replace

from sfumato.common.progress import Clock, ProgressOption, reporting
from sfumato.common.threads import at_most
from sfumato.release.release import Release
from sfumato.run.build import Attempts
from sfumato.run.request import Request
from sfumato.run.where import in_memory, opened


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
