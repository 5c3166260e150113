"""Cautions about unreviewed hierarchies, and about quasi-identifiers that lost nearly all detail."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from sfumato.assess.cautions.caution import CautionFinding, after, before, percent, quoted
from sfumato.assess.cautions.column_kinds import kind_of
from sfumato.assess.cautions.missing_codes import read_as_words
from sfumato.assess.cautions.view import ReleaseView, RequestView
from sfumato.hierarchies import IntervalDomain, Learned, Numeric, Taxonomy

#: From this loss on, it is questionable why a quasi-identifier is released at all.
NEARLY_ALL = 0.9


@before("learned-hierarchy", about="learned")
def learned_hierarchy(view: RequestView) -> Iterator[CautionFinding]:
    """Report which hierarchies were learned from the table, so that none is learned silently."""
    for name, declared in view.declared.items():
        if not isinstance(declared, Learned):
            continue
        sensitive = [
            column for column in declared.looks_at if column in {one.name for one in view.with_role("sensitive")}
        ]
        how = f"from {', '.join(map(quoted, declared.looks_at))}" if declared.looks_at else "from its own rows"
        against = " Such groups hold people who are alike in the sensitive column." if sensitive else ""
        yield CautionFinding(
            "warning" if sensitive else "note",
            (name,),
            len(view.domains[name].values),
            f"The hierarchy of {quoted(name)} was learned from this table, {how}.{against}",
            f"Look at it, and keep it for the next table: sfumato hierarchy TABLE {name}={declared.name}:… -o FILE, "
            f"or release.hierarchies[{name!r}].",
        )


@before("new-values", about="taxonomies")
def new_values(view: RequestView) -> Iterator[CautionFinding]:
    """Count the values that a taxonomy does not list and placed by its rule for unknown values."""
    for name, declared in view.declared.items():
        if isinstance(declared, Taxonomy) and declared.unknown is not None:
            values = view.domains[name].values.cast(pa.string()).to_pylist()
            count = len(declared.lacks(values))
            if count:
                yield CautionFinding(
                    "note",
                    (name,),
                    count,
                    f"{count:,} of {len(values):,} values of {quoted(name)} are not in its taxonomy; it placed them.",
                    "Add them to the taxonomy if they belong elsewhere.",
                )


@after("own-levels")
def own_levels(view: ReleaseView) -> Iterator[CautionFinding]:
    """Report where a full-domain method got levels that were not declared."""
    for name, domain in view.domains.items() if view.levels is not None else ():
        declared = view.declared.get(name)
        number = (
            isinstance(domain, IntervalDomain) and domain.averageable and not pa.types.is_temporal(domain.values.type)
        )
        if number and len(domain.levels) > 2 and (declared is None or isinstance(declared, Numeric)):
            levels = ", ".join(level.name for level in domain.levels[1:-1])
            yield CautionFinding(
                "note",
                (name,),
                len(domain.levels) - 2,
                f"No levels are declared for {quoted(name)}, and full-domain methods need some: it got {levels}.",
                "Declare those that you want, such as Numeric(widths=(5, 10)), on the command line numeric:5,10.",
            )


@after("lost-column")
def lost_column(view: ReleaseView) -> Iterator[CautionFinding]:
    """Find quasi-identifiers that lost nearly everything, with the reason and what would help."""
    for at, (name, domain) in enumerate(view.domains.items()):
        lost = view.lost.get(name, 0.0)
        if lost <= NEARLY_ALL:
            continue
        kind = kind_of(domain, view.declared.get(name))
        severity = "warning"
        if domain.has_missing and view.starred(at) > view.released_rows / 2:
            why = "most classes hold a missing value beside others, which only '*' covers"
            advice = "Fill in or suppress missing values (missing='suppress'), or leave the column out."
        elif kind == "category" and (what := _if_not_declared(view, name)) is not None:
            severity, why, advice = "error", "it holds numbers or dates, but they were read as words", what
        elif kind == "category":
            why = f"it has {len(domain.values):,} categories and nothing between one of them and '*'"
            advice = "Declare how it generalizes: a taxonomy, 'prefix' for codes, 'ordered', 'numeric', 'dates'."
        else:
            why, advice = _crowded(view)
        yield CautionFinding(
            severity,
            (name,),
            len(domain.values),
            f"{quoted(name)} lost {percent(lost, 1)} of its detail: {why}.",
            advice,
        )


def _if_not_declared(view: ReleaseView, name: str) -> str | None:
    return None if view.declared.get(name) is not None else read_as_words(view.columns[name])


def _crowded(view: ReleaseView) -> tuple[str, str]:
    """Blame the number of quasi-identifiers, the size of classes and every other rule; say what would help."""
    rules = " and ".join(dict.fromkeys(model.name for model in view.models if model.name != "k-anonymity"))
    few = len(view.domains) == 1
    room = f"{len(view.domains)} quasi-identifier{' leaves' if few else 's leave'} little room"
    kept = f" that keep {rules}" if rules else ""
    less = f", or for less {rules}" if rules else ""
    advice = f"Leave a quasi-identifier out, ask for a smaller k{less}, give it more weight, or allow suppression."
    return f"{room} in classes of at least {view.k:,}{kept}", advice
