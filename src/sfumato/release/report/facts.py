"""Everything that a report says, collected before any of it is written: aggregates only."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sfumato import __version__
from sfumato.assess.cautions import Caution
from sfumato.assess.risk import BeforeAfter
from sfumato.assess.utility.report import Utility
from sfumato.common.charts import charts
from sfumato.io.checksum import HashedFile
from sfumato.loss import Bound
from sfumato.release.manifest import Grounds, Reportable
from sfumato.release.report.columns import ColumnFacts, describe_column
from sfumato.release.report.released_rows import Example, UniqueRows, count_unique, example_of
from sfumato.release.report.sections.policy import policy_of_release
from sfumato.verify.verification import Verification

if TYPE_CHECKING:
    from sfumato.release.release import Release

#: The fewest people that a report may count as a group, even for a smaller k.
LEAST = 5

#: The end of an open band.
ENDLESS = "+"


@dataclass(frozen=True)
class Making:
    """How a release was made, as far as that is recorded.

    Attributes
    ----------
    method
        The method by name, with its parameters, and what a portfolio chose.
    tried
        What else was tried, with its loss.
    seconds
        How long each step took.
    optimality
        How near to the optimum a search came, in words and over time.
    nodes, answers
        Nodes of a lattice that keep every rule: name, sum of levels, loss and what each is; how many there are in all.
    explanation
        Why a node was chosen, in sentences.
    searched
        Each k or l that was tried with its loss, where the largest one was looked for.
    """

    method: Mapping[str, Any]
    tried: Mapping[str, float] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    optimality: Any = None
    nodes: Sequence[tuple[str, int, float, str]] = ()
    answers: int = 0
    explanation: Sequence[str] = ()
    searched: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class About:
    """What a report says about the handing out of a release, as its owner declares it.

    Attributes
    ----------
    title
        The title of the report; the name of the released file if none is given.
    recipient, purpose
        Who gets the release, and what for; a line to fill in by hand if not given.
    """

    title: str | None = None
    recipient: str | None = None
    purpose: str | None = None


@dataclass(frozen=True)
class ReportFacts:
    """What a report says about a release.

    Attributes
    ----------
    verification, risk, cautions, utility
        What the parts of Sfumato found, each in its own words.
    promises, roles, kinds
        What was asked for, the role of every column, and the kind that it was read as.
    rows_in, suppressed
        How many rows came in, and how many of them are not released, in total and for which reason.
    losses, by_column, bound
        What was lost, by every measure and by column, and a lower bound for any release.
    columns
        What happened to every quasi-identifier that can be read.
    keeps_order, pseudonyms, changed
        Whether the rows stand in the order of the original; the columns that are replaced by pseudonyms, and those that
        are changed before anything else.
    singling_out
        How often exactly one person is at the end of an interval.
    may
        Which figures may be published.
    grounds
        What was proven, assumed, guessed, and confirmed by hand.
    policy
        What makes the release again, without values of the original.
    elided
        The columns whose hierarchies list values, which are not in the report.
    unique
        How many released rows nobody shares; None if nobody counted them.
    example
        A few released rows.
    not_looked_at
        The codes of the cautions that nobody could look for.
    rows_only
        Whether the risk after counts rows although people have several, since the file does not say whose they are.
    about
        The title of the report, who gets the release, and what for.
    """

    verification: Verification
    risk: BeforeAfter
    promises: Sequence[Mapping[str, Any]]
    roles: Mapping[str, str]
    rows_in: int
    policy: str
    elided: Sequence[str] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    suppressed: Mapping[str, int] = field(default_factory=dict)
    losses: Mapping[str, float] = field(default_factory=dict)
    by_column: Mapping[str, float] = field(default_factory=dict)
    bound: Bound | None = None
    columns: Mapping[str, ColumnFacts] = field(default_factory=dict)
    making: Making | None = None
    cautions: Sequence[Caution] = ()
    utility: Utility | None = None
    keeps_order: bool = False
    pseudonyms: Sequence[str] = ()
    changed: Sequence[str] = ()
    singling_out: Mapping[str, Any] = field(default_factory=dict)
    may: Reportable = field(default_factory=Reportable)
    grounds: Grounds = field(default_factory=Grounds)
    versions: Mapping[str, str] = field(default_factory=lambda: {"sfumato": __version__})
    file: HashedFile | None = None
    unique: UniqueRows | None = None
    example: Example = field(default_factory=Example)
    not_looked_at: Sequence[str] = ()
    rows_only: bool = False
    about: About = field(default_factory=About)
    when: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))

    @property
    def quasi_identifiers(self) -> list[str]:
        """The columns that an attacker is assumed to know."""
        return self.with_role("quasi-identifier")

    def with_role(self, *roles: str) -> list[str]:
        """The columns that have one of some roles."""
        return [name for name, role in self.roles.items() if role in roles]

    @property
    def k(self) -> int | None:
        """The promised k: at least this many people share every combination of quasi-identifiers."""
        return max((promise["k"] for promise in self.promises if promise["model"] == "k-anonymity"), default=None)

    def promised(self, *models: str) -> list[Mapping[str, Any]]:
        """What was promised by some models."""
        return [promise for promise in self.promises if promise["model"] in models]

    @property
    def class_sizes(self) -> dict[int, int]:
        """The number of classes by how many people they have."""
        return sizes_of(self.risk)

    @property
    def risk_picture(self) -> charts.Picture:
        """The share of people per band of risk, before and after."""
        return risk_picture(self.risk, self.k)


def sizes_of(risk: BeforeAfter) -> dict[int, int]:
    """The number of classes of each size."""
    sizes, counts = risk.after.class_sizes
    return dict(zip(sizes.tolist(), counts.tolist(), strict=True))


def risk_picture(risk: BeforeAfter, k: int | None = None) -> charts.Picture:
    """The share of people per band of risk, before and after; no band holds sizes on both sides of the promised k."""
    banded = [one.prosecutor.bands(k) for one in (risk.before, risk.after)]
    labels = [_band(band.least, band.most) for band in banded[0] or banded[1]]
    before, after = ([band.share for band in bands] or [0.0] * len(labels) for bands in banded)
    return charts.risk_before_after(labels, before, after)


def _band(least: int, most: int | None) -> str:
    if most is None:
        return f"{least}{ENDLESS}"
    return str(least) if most == least else f"{least}–{most}"


def column_facts(release: Release, name: str) -> ColumnFacts | None:
    """What happened to one quasi-identifier of a release."""
    intervals = release.manifest.get("options", {}).get("intervals")
    statistic = intervals if intervals in {"midpoint", "mean"} else None
    counts = release.originals[name]
    least = max(LEAST, release.achieved.k or 0)
    return describe_column(release.table, name, counts, release.hierarchies.get(name), least, statistic)


def facts_of_release(
    release: Release,
    file: str | os.PathLike[str] | None = None,
    utility: Utility | None = None,
    about: About | None = None,
    bound: bool = True,
) -> ReportFacts:
    """Collect what is known about a release that was made here; ``bound``, which takes long, can be left out."""
    manifest = release.manifest
    described = {name: column_facts(release, name) for name in release.shown.quasi_identifiers}
    policy, elided = policy_of_release(release)
    found = ReportFacts(
        verification=release.verification,
        risk=release.risk,
        promises=manifest["privacy"],
        roles=manifest["roles"],
        rows_in=manifest["input"]["rows"],
        policy=policy,
        elided=elided,
        kinds=manifest.get("kinds", {}),
        suppressed=manifest["suppressed"],
        losses=release.loss,
        by_column=release.loss.by_attribute,
        bound=release.bound if bound else None,
        columns={name: one for name, one in described.items() if one is not None},
        making=_making(release),
        cautions=release.cautions,
        utility=utility,
        keeps_order=bool(manifest["options"].get("keep_order")),
        pseudonyms=list(manifest["options"].get("pseudonymize", ())),
        changed=list(manifest["options"].get("transform", ())),
        singling_out=manifest.get("singling_out", {}),
        may=Reportable.of(manifest),
        grounds=Grounds.recorded(manifest["grounds"]),
        versions=manifest["versions"],
        unique=count_unique(
            release.table,
            [name for name, role in manifest["roles"].items() if role == "sensitive"],
            manifest["options"].get("pseudonymize", ()),
        ),
        example=example_of(release.table, manifest["roles"]),
        not_looked_at=manifest.get("not_looked_at", ()),
        about=about or About(),
        file=None if file is None else HashedFile.of(file),
    )
    return publishable(found)


def publishable(found: ReportFacts) -> ReportFacts:
    """Withhold what may not be published: figures from which a small count of people follows."""
    may, making = found.may, found.making
    if may.original:
        return found
    cautions = [replace(one, found=may.caution(vars(one))["found"]) for one in may.cautions(found.cautions)]
    columns = {} if may.private or found.suppressed.get("total") else found.columns
    found = replace(found, singling_out={}, cautions=cautions, columns=columns)
    if may.losses:
        return found
    made = None if making is None else Making({key: making.method[key] for key in ("name", "parameters")})
    return replace(found, losses={}, by_column={}, bound=None, utility=None, making=made)


def _making(release: Release) -> Making:
    manifest, details = release.manifest, release.details
    return Making(
        method=manifest["method"],
        tried={name: float(loss) for name, loss in dict(manifest["method"].get("tried", {})).items()},
        seconds=manifest["seconds"],
        optimality=details.get("optimality"),
        nodes=_nodes(details.get("alternatives"), list(release.shown.quasi_identifiers)),
        answers=len(details.get("alternatives", ())),
        explanation=str(details["explanation"]).splitlines() if "explanation" in details else (),
        searched=manifest.get("searched", {}),
    )


#: The most answers of a lattice that a report measures, each of which takes time; of more, only the frontier is.
MOST_NODES = 50


def _nodes(alternatives: Any, names: Sequence[str]) -> list[tuple[str, int, float, str]]:
    """The nodes of a lattice that keep every rule; of many, only the minimal ones."""
    if not alternatives:
        return []
    shown = alternatives if len(alternatives) <= MOST_NODES else alternatives.frontier(MOST_NODES)
    found = shown.to_columns()
    if "gcp" not in found:
        return []
    kinds = [
        "chosen" if chosen else "minimal" if minimal else "other"
        for chosen, minimal in zip(found["released"], found["minimal"], strict=True)
    ]
    levels = list(zip(*(found[name] for name in names), strict=True))
    return [
        (", ".join(map(str, node)), int(sum(node)), float(loss), kind)
        for node, loss, kind in zip(levels, found["gcp"], kinds, strict=True)
    ]
