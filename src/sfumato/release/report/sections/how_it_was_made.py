"""How the release was made: roles, levels, method, what else was tried, and the time each step took."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sfumato.common.charts import charts
from sfumato.common.html import Content, Markup, element, facts, folded, joined
from sfumato.methods import DEFAULT, REGISTRY, PrivateLevels, find_method
from sfumato.release.report.facts import Making, ReportFacts
from sfumato.release.report.parts import (
    figure,
    figures,
    items,
    listing,
    named,
    paragraph,
    percent,
    section,
    subsection,
)

#: What the release does with the columns of each role.
ROLES = {
    "quasi-identifier": "may be known to others; shown in coarser terms where that is needed",
    "sensitive": "nobody should learn it about a person; shown as it is",
    "plain": "harmless; shown as it is",
    "identifier": "names people; never shown",
    "person": "says whose row it is; never shown",
    "weight": "how many people a row stands for; shown as the mean of its group, so that totals are kept",
    "drop": "not needed; never shown",
}


#: The most columns of a row of the table that are named at once; more are folded.
MOST_ALIKE = 8


def section_making(found: ReportFacts) -> Markup:
    """How the release was made."""
    return section(
        "making",
        "How it was made",
        "What became of every column, which method decided it, and what else was tried.",
        subsection("Columns", listing(("columns", "role", "taken for", "what became of them"), list(_roles(found)))),
        _levels(found),
        *(_method(found.making) if found.making is not None else ()),
    )


def _roles(found: ReportFacts) -> Iterator[tuple[str | Markup, str, str, str]]:
    """What became of every column; those that share a role, a kind and what became of them are one row."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for name, role in found.roles.items():
        alike.setdefault((role, found.kinds.get(name, "–"), _became(name, role, found)), []).append(name)
    for about, columns in alike.items():
        listed = ", ".join(map(named, columns))
        yield (
            element("span", listed) if len(columns) <= MOST_ALIKE else folded(f"{len(columns):,} columns", listed),
            *about,
        )


def _became(name: str, role: str, found: ReportFacts) -> str:
    if name in found.pseudonyms:
        became = "names people; shown as pseudonyms"
    elif name in found.columns and found.columns[name].unchanged:
        became = "may be known to others; shown unchanged in every released row"
    else:
        became = ROLES.get(role, "")
    return f"{became}; changed first, as the policy says" if name in found.changed else became


def _levels(found: ReportFacts) -> Content:
    """How often each level of every hierarchy was used."""
    rows = [
        (named(name), f"{at}: {level.name}", level.groups, percent(level.share))
        for name, column in found.columns.items()
        for at, level in enumerate(column.levels)
    ]
    if not rows:
        return None
    said = "Each column can be shown at several levels, from the value itself to * (nothing). So often each was used:"
    headers = ("column", "level", "groups that it tells apart", "rows shown at it")
    return folded("Levels: how often each was used", paragraph(said), listing(headers, rows))


def _method(making: Making) -> Iterator[Content]:
    yield subsection("Method", facts(_told(making)), *_why(making))
    yield figures(_pictures(making))
    if making.seconds:
        rows = [(step, f"{seconds:.2f}") for step, seconds in making.seconds.items()]
        yield folded("Time: seconds by step", listing(("step", "seconds"), rows))


def _pictures(making: Making) -> Iterator[Markup]:
    """Draw how a search went, where there was one."""
    if making.nodes:
        note = "Each point is one choice of levels that keeps every promise."
        if len(making.nodes) < making.answers:
            note += f" Of {making.answers:,} such choices the lowest are drawn, those that no other is below."
        yield figure(charts.lattice(making.nodes, making.answers), note)
    if making.optimality is not None:
        yield figure(making.optimality.picture, f"{making.optimality}.")


def _told(making: Making) -> Iterator[tuple[str, str]]:
    """Describe the method: its name, what it does, and why it was chosen."""
    name = str(making.method["name"])
    yield "method", _method_name(making.method)
    if name in REGISTRY:
        yield "what it does", find_method(name).summary
    if "chosen" in making.method:
        yield "why", f"of those it tried, {named(str(making.method['chosen']))} lost least and was kept"
    elif name == PrivateLevels.name:
        yield "why", "differential privacy takes it, and no other"
    elif name != DEFAULT:
        yield "why", "asked for by name"
    yield "seed", "kept in the manifest, since it can undo the order of the rows"


def _why(making: Making) -> Iterator[Content]:
    """Explain why the method was chosen, and what else was tried."""
    if making.tried:
        yield listing(("tried", "loss"), [(named(name), float(f"{loss:.4g}")) for name, loss in making.tried.items()])
    if making.searched:
        kind = making.searched["maximize"]
        rows = [(f"{kind} = {value:,}", float(f"{loss:.4g}")) for value, loss in making.searched["curve"]]
        yield joined(
            paragraph(f"It is the largest {kind} within the loss that was accepted."), listing(("tried", "loss"), rows)
        )
    if making.explanation:
        yield folded("Why these levels", items(line.strip() for line in making.explanation))


def _method_name(method: Mapping[str, Any]) -> str:
    given = {name: value for name, value in method.get("parameters", {}).items() if value is not None}
    start = given.pop("method", None)
    shown = ", ".join(f"{name} = {value}" for name, value in given.items() if value not in ({}, [], (), False))
    base = f"{method['name']} ({shown})" if shown else str(method["name"])
    return f"{base} of {_method_name(start)}" if isinstance(start, Mapping) else base
