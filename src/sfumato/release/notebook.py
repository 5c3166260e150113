"""A release as a notebook shows it: the same facts as the summary, with bars, risk and its first rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sfumato.assess.cautions import Caution
from sfumato.common.html import Content, Markup, bar, element, facts, folded, fragment, joined, table, verdict
from sfumato.release.manifest import Reportable
from sfumato.release.summary import summary_facts

if TYPE_CHECKING:
    from sfumato.release.release import Release

#: Rows and columns of the release, and quasi-identifiers, that a notebook shows; the rest is counted.
ROWS, COLUMNS, BARS = 5, 20, 50


def page_of(release: Release) -> str:
    """Render a release as an HTML fragment; nothing in it comes from rows or cells that are not released."""
    return fragment("Release", *_parts(release))


def _parts(release: Release) -> Iterator[Markup]:
    source = release.manifest["grounds"]["source"]
    said = f"verified from {source}" if release.verification.ok else "NOT verified: do not publish it"
    promised = ", ".join(check.rule for check in release.verification.checks)
    yield verdict(release.verification.ok, f"{promised or 'No promise'}: {said}")
    found = (release.manifest, release.verification, release.loss, release.bound, release.details.get("optimality"))
    yield facts(summary_facts(*found))
    may = Reportable.of(release.manifest)
    if may.losses:
        yield element("h4", "Lost by column")
        yield loss_table(release.loss.by_attribute)
    if may.original:
        yield element("h4", "Risk of being found")
        yield release.risk.as_table()
    if cautions := may.cautions(release.cautions):
        yield element("h4", "Before you publish")
        yield caution_table(tuple(replace(one, found=may.caution(vars(one))["found"]) for one in cautions))
    yield folded("The first released rows", _first_rows(release))


def loss_table(by_column: Mapping[str, float], shown: int = BARS) -> Markup:
    """The loss of every quasi-identifier with a bar, the most lost first."""
    ranked = sorted(by_column.items(), key=lambda item: -item[1])
    rows: list[list[Content]] = [[name, f"{share:.1%}", bar(share)] for name, share in ranked[:shown]]
    rest = len(ranked) - shown
    more = element("p", f"and {rest:,} more, which lost less") if rest > 0 else None
    return joined(table(["column", "lost", "of its detail"], rows, numbers={1}), more)


def caution_table(cautions: tuple[Caution, ...]) -> Markup:
    """What was found and what to do about it, the most serious first."""
    header = ["severity", "caution", "found", "advice"]
    rows = ([one.severity, one.code, element("span", one.found), element("span", one.advice)] for one in cautions)
    return table(header, rows)


def _first_rows(release: Release) -> Markup:
    shown = release.shown.first(ROWS)
    names = shown.column_names[:COLUMNS]
    columns = [["" if value is None else str(value) for value in shown[name].to_pylist()] for name in names]
    rest = shown.num_columns - len(names)
    more = element("p", f"and {rest:,} more columns") if rest else None
    return joined(table([_cut(name) for name in names], zip(*columns, strict=True)), more)


def _cut(name: str, limit: int = 40) -> str:
    return name if len(name) <= limit else f"{name[: limit - 1]}…"
