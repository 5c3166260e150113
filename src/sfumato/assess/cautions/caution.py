"""A caution: one finding about a request, what it means, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Generic, TypeVar

from sfumato.assess.cautions.view import ReleaseView, RequestView
from sfumato.common.rows import LONG
from sfumato.common.threads import side_by_side
from sfumato.errors import CautionError, ParameterError, did_you_mean, listed

#: From cautions that stop a release to those that are merely good to know.
SEVERITIES = ("error", "warning", "note")


@dataclass(frozen=True)
class Caution:
    """Something about a request that a careful person wants to know before publishing.

    It never contains a value of the table, so it may be shown, logged and kept.

    Attributes
    ----------
    code
        The kind of finding, such as ``"near-unique"``; it does not change between versions.
    severity
        ``"error"``: nothing is released unless its columns are confirmed. ``"warning"``: nothing is released with
        ``strict``. ``"note"``: good to know.
    columns
        The columns concerned.
    count
        How many rows, classes or values: ``found`` says which.
    found
        One sentence: what was found.
    advice
        One sentence: what to do.
    confirmed
        Whether the request confirms that this is known and wanted.
    """

    code: str
    severity: str
    columns: tuple[str, ...]
    count: int
    found: str
    advice: str
    confirmed: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values, for JSON."""
        return {**vars(self), "columns": list(self.columns)}

    def __str__(self) -> str:
        return f"{self.code}: {self.found} {self.advice}"

    def is_confirmed_by(self, confirmed: Collection[str]) -> bool:
        """Whether a request confirms it: by all its columns, or by its code unless it is an error."""
        by_column = bool(self.columns) and set(self.columns) <= set(confirmed)
        return by_column or (self.severity != "error" and self.code in confirmed)


def with_confirmations(cautions: Iterable[Caution], confirmed: Collection[str]) -> tuple[Caution, ...]:
    """Mark the cautions that the request confirms, and sort them, the gravest first."""
    marked = [replace(caution, confirmed=caution.is_confirmed_by(confirmed)) for caution in cautions]
    return tuple(sorted(marked, key=lambda caution: (SEVERITIES.index(caution.severity), caution.confirmed)))


def check_confirmed(confirmed: Sequence[str], columns: Sequence[str], codes: Collection[str]) -> None:
    """Refuse confirmations of unknown columns or codes: a misspelt one would confirm nothing."""
    unknown = [name for name in confirmed if name not in columns and name not in codes]
    if unknown:
        hint = did_you_mean(unknown[0], [*columns, *codes])
        raise ParameterError(
            f"{listed(unknown)} cannot be confirmed: it is neither a column of the table nor a caution. "
            f"{hint}{' ' if hint else ''}Columns: {listed(columns)}. Cautions: {listed(sorted(codes))}."
        )


def refuse(cautions: Sequence[Caution], strict: bool) -> None:
    """Raise an error if an unconfirmed caution stops the release."""
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
    """Format a count with its share: ``24 of 260 (9.2 %)``.

    >>> share(24, 260)
    '24 of 260 (9.2 %)'
    """
    return f"{count:,} of {whole:,} ({percent(count, whole)})"


def percent(count: float, whole: float) -> str:
    """Format a share without rounding something to 0 % or nearly all to 100 %."""
    part = count / whole if whole else 0.0
    if 0 < part < 0.001:
        return "under 0.1 %"
    if 0.999 < part < 1:
        return "over 99.9 %"
    return f"{part:.1%}".replace(".0%", "%").replace("%", " %")


def quoted(name: str) -> str:
    """Quote a column's name for a sentence."""
    return listed([name])


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
        """Whether the check can run on a view and has something to check there."""
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
    """Check a request, and stop it at an unconfirmed error; ``confirm`` names the cautions that the user accepts."""
    cautions = with_confirmations(look_before(view), confirm)
    refuse(cautions, strict=False)
    return cautions


def cautions_after(
    view: ReleaseView, confirm: Sequence[str], strict: bool, before: Sequence[Caution]
) -> tuple[Caution, ...]:
    """Check what a method made, and add the cautions from ``before``; a strict release stops at an open warning."""
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

    def look(code: str) -> list[Caution]:
        return [Caution(code, **vars(finding)) for finding in able[code].look(view)]

    # Handing out work takes longer than looking at few rows does, and what an engine counts is asked in turn.
    found = side_by_side(look, able) if view.has_rows and view.rows >= LONG else map(look, able)
    return list(chain.from_iterable(found))
