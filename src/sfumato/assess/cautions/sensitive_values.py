"""Cautions about sensitive values that classes reveal because no model protects them."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.assess.cautions.caution import CautionFinding, after, percent, quoted, share
from sfumato.assess.cautions.view import NEARLY, ReleaseView


@after("sensitive-unprotected")
def sensitive_unprotected(view: ReleaseView) -> Iterator[CautionFinding]:
    """Count the classes in which one sensitive value is certain, if no model protects that column."""
    for name in unguarded(view):
        certainty = view.certainty(name)
        if certainty.certain or certainty.nearly:
            more = f", and makes up at least {NEARLY:.0%} of {certainty.nearly:,} more" if certainty.nearly else ""
            classes = share(certainty.certain, certainty.classes)
            found = f"one value is certain in {classes} classes with {certainty.rows:,} rows{more}"
        else:
            found = "no class gives a value away in this table, but nothing promises that"
        yield CautionFinding(
            "warning" if certainty.certain or certainty.nearly else "note",
            (name,),
            certainty.certain,
            f"Only the size of classes is asked for, nothing about the sensitive column {quoted(name)}: {found}.",
            "Ask for l-diversity (l=2 or more) or t-closeness too.",
        )


#: What losses that depend on labels do to classes, in words.
BY_LABEL = {"cm": "makes classes of one value on purpose", "prediction": "divides rows where their values differ"}


@after("minimizes-label")
def minimizes_label(view: ReleaseView) -> Iterator[CautionFinding]:
    """Warn of a loss that is least when every class has one sensitive value, and so works against diversity."""
    minimized = view.minimized if isinstance(view.minimized, str) else ""
    does = BY_LABEL.get(minimized.partition(":")[0])
    for name in unguarded(view) if does else ():
        certainty = view.certainty(name)
        released = view.released_rows
        yield CautionFinding(
            "warning" if certainty.rows else "note",
            (name,),
            certainty.rows,
            f"minimize='{minimized}' {does}: {quoted(name)} is certain for {certainty.rows:,} rows "
            f"({percent(certainty.rows, released)}).",
            "Ask for l-diversity too, or minimize another loss.",
        )


def unguarded(view: ReleaseView) -> list[str]:
    """List the sensitive columns that no model protects."""
    guards = [getattr(model, "column", None) for model in view.models if model.needs_sensitive]
    names = [column.name for column in view.with_role("sensitive")]
    return [name for name in names if None not in guards and name not in guards]
