"""One table, read and encoded once, on which one request or several are tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from sfumato.assess.cautions import Caution, RequestView, cautions_after, cautions_before
from sfumato.common.progress import Clock, Progress, silent
from sfumato.common.threads import threads
from sfumato.io import Source
from sfumato.release.release import Release
from sfumato.run.build import build_release, completed
from sfumato.run.find import FoundClasses, find_classes
from sfumato.run.prepare import Prepared, prepare
from sfumato.run.read import open_table, read_table
from sfumato.run.request import Request
from sfumato.table.recoding import get_ready


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
    memory
        What a method keeps for the next attempt, such as the order of the rows; None for one attempt only.
    """

    source: Source
    prepared: Prepared = field(repr=False)
    asked: Request
    preset: Mapping[str, Any]
    seconds: dict[str, float]
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
        clock = Clock()
        get_ready()
        with clock.measuring("total"), clock.measuring("read"):
            progress("reading", 0.0)
            source, request, preset = open_table(data, request)
            prepared = prepare(read_table(source, request, progress), request, progress)
        table = cls(source, prepared, request, preset, clock.seconds, {} if several else None)
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
        return completed(release, self.view, cautions, clock, **self.preset)

    def _cautions(self, found: FoundClasses, clock: Clock) -> tuple[Caution, ...]:
        request = found.request
        with clock.measuring("guardrails"):
            return cautions_after(found.view(self.view, found.loss), request.confirm, request.strict, self.cautions)
