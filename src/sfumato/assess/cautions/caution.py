"""What a careful person would have been told: one finding, what it means and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from sfumato.assess.cautions.view import ReleaseView, RequestView
from sfumato.errors import CautionError, ParameterError, listed

#: From what stops a release to what is merely good to know.
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Caution:
    """Something about a request that a careful person would want to know before publishing.

    It never holds a value of the table, so it may be shown, logged and kept.

    Attributes
    ----------
    code
        What kind of finding it is, such as ``"near-unique"``; it stays the same from version to version.
    severity
        ``"error"``: nothing is released unless its columns are confirmed. ``"warning"``: nothing is released if
        ``strict`` is asked for. ``"note"``: good to know.
    columns
        The columns that it is about.
    count
        How many rows, classes or values: ``found`` says which.
    found
        One sentence: what was found.
    advice
        One sentence: what to do.
    confirmed
        Whether the request says that this is known and wanted.
    """

    code: str
    severity: str
    columns: tuple[str, ...]
    count: int
    found: str
    advice: str
    confirmed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {**vars(self), "columns": list(self.columns)}

    def __str__(self) -> str:
        return f"{self.code}: {self.found} {self.advice}"

    def is_confirmed_by(self, confirmed: Collection[str]) -> bool:
        """Return whether a request says that it knows: by all columns, or by the code of what is no error."""
        by_column = bool(self.columns) and set(self.columns) <= set(confirmed)
        return by_column or (self.severity != "error" and self.code in confirmed)


def with_confirmations(cautions: Iterable[Caution], confirmed: Collection[str]) -> tuple[Caution, ...]:
    """Return cautions, the gravest first, each with whether the request confirms it."""
    marked = [replace(caution, confirmed=caution.is_confirmed_by(confirmed)) for caution in cautions]
    return tuple(sorted(marked, key=lambda caution: (SEVERITIES.index(caution.severity), caution.confirmed)))


def check_confirmed(confirmed: Sequence[str], columns: Sequence[str], codes: Collection[str]) -> None:
    """Refuse to confirm what does not exist: a misspelt confirmation confirms nothing."""
    unknown = [name for name in confirmed if name not in columns and name not in codes]
    if unknown:
        raise ParameterError(
            f"{listed(unknown)} cannot be confirmed: it is neither a column of the table nor a caution. "
            f"Columns: {listed(columns)}. Cautions: {listed(sorted(codes))}."
        )


def refuse(cautions: Sequence[Caution], strict: bool) -> None:
    """Raise an error if a caution stands in the way of a release."""
    stopping = {"error", "warning"} if strict else {"error"}
    unconfirmed = [caution for caution in cautions if caution.severity in stopping and not caution.confirmed]
    if unconfirmed:
        raise CautionError("\n".join(_refusal(unconfirmed)), unconfirmed)


def _refusal(cautions: Sequence[Caution]) -> list[str]:
    names = list(dict.fromkeys(name for caution in cautions for name in caution.columns or (caution.code,)))
    count = "One caution stands" if len(cautions) == 1 else f"{len(cautions)} cautions stand"
    return [
        f"{count} in the way of this release; nothing is written.",
        *(f"- {caution}" for caution in cautions),
        f"If this is known and wanted, confirm it: confirm={names} (on the command line: "
        + " ".join(f"--confirm {_quoted(name)}" for name in names)
        + ").",
    ]


def _quoted(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() else f"'{name}'"


def share(count: int, whole: int) -> str:
    """Return a count with its share: ``24 of 260 (9.2 %)``.

    >>> share(24, 260)
    '24 of 260 (9.2 %)'
    """
    return f"{count:,} of {whole:,} ({percent(count, whole)})"


def percent(count: float, whole: float) -> str:
    """Return a share in words that never round something to nothing or nearly all to all."""
    part = count / whole if whole else 0.0
    if 0 < part < 0.001:
        return "under 0.1 %"
    if 0.999 < part < 1:
        return "over 99.9 %"
    return f"{part:.1%}".replace(".0%", "%").replace("%", " %")


def quoted(name: str) -> str:
    """Return a column's name as it stands in a sentence."""
    return listed([name])


@dataclass(frozen=True)
class CautionFinding:
    """What a guardrail found: a caution that does not know its code yet."""

    severity: str
    columns: tuple[str, ...]
    count: int
    found: str
    advice: str


V = TypeVar("V", bound=RequestView)
Look = Callable[[V], Iterable[CautionFinding]]


@dataclass(frozen=True)
class Guardrail(Generic[V]):
    """A function that looks at a view.

    Attributes
    ----------
    look
        The function.
    by_rows
        Whether it has to see single rows: counts of them are not enough then.
    about
        The attribute of the view that it is about; a view that has none of it is not looked at.
    """

    look: Look[V]
    by_rows: bool
    about: str | None

    def concerns(self, view: V) -> bool:
        """Whether there is something for it to look at."""
        return (view.has_rows or not self.by_rows) and (self.about is None or bool(getattr(view, self.about)))


#: Guardrails that need only the request, so that a careless one is stopped before the work.
BEFORE: dict[str, Guardrail[RequestView]] = {}
#: Guardrails that look at the classes.
AFTER: dict[str, Guardrail[ReleaseView]] = {}


def before(
    code: str, by_rows: bool = False, about: str | None = None
) -> Callable[[Look[RequestView]], Look[RequestView]]:
    """Register a guardrail that looks at a request before any method runs."""
    return _register(BEFORE, code, by_rows, about)


def after(code: str, by_rows: bool = False) -> Callable[[Look[ReleaseView]], Look[ReleaseView]]:
    """Register a guardrail that looks at what a method made."""
    return _register(AFTER, code, by_rows)


def _register(
    registry: dict[str, Guardrail[V]], code: str, by_rows: bool, about: str | None = None
) -> Callable[[Look[V]], Look[V]]:
    def add(look: Look[V]) -> Look[V]:
        registry[code] = Guardrail(look, by_rows, about)
        return look

    return add


def look_before(view: RequestView) -> list[Caution]:
    """Return what there is to say about a request."""
    return _look(BEFORE, view)


def look_after(view: ReleaseView) -> list[Caution]:
    """Return what there is to say about a release."""
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
    """Return the codes of the guardrails that cannot look, since nobody holds the rows together."""
    by_rows = [code for code, one in BEFORE.items() if one.by_rows] + [
        code for code, one in AFTER.items() if one.by_rows
    ]
    return [] if view.has_rows else by_rows


def _look(registry: dict[str, Guardrail[V]], view: V) -> list[Caution]:
    able = {code: one for code, one in registry.items() if one.concerns(view)}
    return [Caution(code, **vars(finding)) for code, one in able.items() for finding in one.look(view)]
