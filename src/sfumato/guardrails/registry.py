"""All guardrails by their codes: those that look at a request, and those that look at what became of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from sfumato.guardrails.caution import Caution
from sfumato.guardrails.view import ReleaseView, RequestView


@dataclass(frozen=True)
class Finding:
    """What a guardrail found: a caution that does not know its code yet."""

    severity: str
    columns: tuple[str, ...]
    count: int
    found: str
    advice: str


V = TypeVar("V", bound=RequestView)
Look = Callable[[V], Iterable[Finding]]

#: Guardrails that need only the request, so that a careless one is stopped before the work.
BEFORE: dict[str, Look[RequestView]] = {}
#: Guardrails that look at the classes.
AFTER: dict[str, Look[ReleaseView]] = {}


def before(code: str) -> Callable[[Look[RequestView]], Look[RequestView]]:
    """Register a guardrail that looks at a request before any method runs."""
    return _register(BEFORE, code)


def after(code: str) -> Callable[[Look[ReleaseView]], Look[ReleaseView]]:
    """Register a guardrail that looks at what a method made."""
    return _register(AFTER, code)


def _register(registry: dict[str, Look[V]], code: str) -> Callable[[Look[V]], Look[V]]:
    def add(look: Look[V]) -> Look[V]:
        registry[code] = look
        return look

    return add


def look_before(view: RequestView) -> list[Caution]:
    """Return what there is to say about a request."""
    return _look(BEFORE, view)


def look_after(view: ReleaseView) -> list[Caution]:
    """Return what there is to say about a release."""
    return _look(AFTER, view)


def _look(registry: dict[str, Look[V]], view: V) -> list[Caution]:
    return [Caution(code, **vars(finding)) for code, look in registry.items() for finding in look(view)]
