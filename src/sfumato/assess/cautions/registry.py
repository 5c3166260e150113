"""The registry of guardrails by code: those that check a request, and those that check its release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from sfumato.assess.cautions.caution import Caution, refuse, with_confirmations
from sfumato.assess.cautions.view import ReleaseView, RequestView


@dataclass(frozen=True)
class CautionFinding:
    """What a guardrail found: a caution without its code."""

    severity: str
    columns: tuple[str, ...]
    count: int
    found: str
    advice: str


V = TypeVar("V", bound=RequestView)
Look = Callable[[V], Iterable[CautionFinding]]


@dataclass(frozen=True)
class Guardrail(Generic[V]):
    """A check of a request or a release.

    Attributes
    ----------
    look
        The function that runs the check on a view.
    by_rows
        Whether it needs single rows instead of counts.
    about
        The attribute of the view that it checks; views without any are skipped.
    """

    look: Look[V]
    by_rows: bool
    about: str | None

    def concerns(self, view: V) -> bool:
        """Return whether the check can run on a view and has something to check there."""
        return (view.has_rows or not self.by_rows) and (self.about is None or bool(getattr(view, self.about)))


#: Guardrails that need only the request, so that they can stop it before the work begins.
BEFORE: dict[str, Guardrail[RequestView]] = {}
#: Guardrails that check the classes.
AFTER: dict[str, Guardrail[ReleaseView]] = {}


def before(
    code: str, by_rows: bool = False, about: str | None = None
) -> Callable[[Look[RequestView]], Look[RequestView]]:
    """Register a guardrail that checks a request before any method runs."""
    return _register(BEFORE, code, by_rows, about)


def after(code: str, by_rows: bool = False) -> Callable[[Look[ReleaseView]], Look[ReleaseView]]:
    """Register a guardrail that checks the result of a method."""
    return _register(AFTER, code, by_rows)


def _register(
    registry: dict[str, Guardrail[V]], code: str, by_rows: bool, about: str | None = None
) -> Callable[[Look[V]], Look[V]]:
    def add(look: Look[V]) -> Look[V]:
        registry[code] = Guardrail(look, by_rows, about)
        return look

    return add


def look_before(view: RequestView) -> list[Caution]:
    """Run all guardrails on a request."""
    return _look(BEFORE, view)


def look_after(view: ReleaseView) -> list[Caution]:
    """Run all guardrails on a release."""
    return _look(AFTER, view)


def cautions_before(view: RequestView, confirm: Sequence[str]) -> tuple[Caution, ...]:
    """Look at a request, and stop it if it is careless; ``confirm`` names what the user has read and accepts."""
    cautions = with_confirmations(look_before(view), confirm)
    refuse(cautions, strict=False)
    return cautions


def cautions_after(
    view: ReleaseView, confirm: Sequence[str], strict: bool, before: Sequence[Caution]
) -> tuple[Caution, ...]:
    """Look at what a method made, and add what was said ``before``; a strict release stops at an open warning."""
    cautions = with_confirmations([*before, *look_after(view)], confirm)
    refuse(cautions, strict)
    return cautions


def overlooked(view: RequestView) -> list[str]:
    """List the codes of the guardrails that cannot run because single rows are not available."""
    by_rows = [code for code, one in BEFORE.items() if one.by_rows] + [
        code for code, one in AFTER.items() if one.by_rows
    ]
    return [] if view.has_rows else by_rows


def _look(registry: dict[str, Guardrail[V]], view: V) -> list[Caution]:
    able = {code: one for code, one in registry.items() if one.concerns(view)}
    return [Caution(code, **vars(finding)) for code, one in able.items() for finding in one.look(view)]
