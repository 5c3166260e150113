"""Verification of a released table against its promises, from the table alone.

Nothing here knows how a table was made: it shares no code with methods, and verifies tables of any origin. Requirements
are plain values, as the privacy models' ``to_policy`` returns them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import itemgetter
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sfumato.common import parameters
from sfumato.common.threads import in_order as in_turn
from sfumato.common.threads import side_by_side
from sfumato.errors import ParameterError, SchemaError, listed
from sfumato.verify.classes import Classes, code_column, count_values, group_rows, in_order
from sfumato.verify.differential_privacy import check_private
from sfumato.verify.models import (
    RuleFinding,
    SensitiveCounts,
    check_closeness,
    check_disclosure,
    check_diversity,
    check_likeness,
    check_size,
    distinct_l,
    entropy_l,
    equal_distances,
    frequency_l,
)
from sfumato.verify.population import (
    check_average,
    check_k_map,
    check_marketer,
    check_population_uniques,
    check_presence,
    check_uniques,
)
from sfumato.verify.spans import check_span
from sfumato.verify.verification import (
    Achieved,
    BreakingClass,
    RuleCheck,
    SensitiveAchieved,
    Verification,
)

Requirement = Mapping[str, Any]

#: The parameters of each model's requirement.
PARAMETERS = {
    "k-anonymity": {"k"},
    "l-diversity": {"l", "kind", "c", "column"},
    "t-closeness": {"t", "distance", "taxonomy", "column"},
    "beta-likeness": {"beta", "kind", "column"},
    "delta-disclosure": {"delta", "column"},
    "average-risk": {"limit"},
    "unique-share": {"limit"},
    "k-map": {"k", "population", "taxonomies", "labels", "orders"},
    "delta-presence": {"low", "high", "population", "taxonomies", "labels", "orders"},
    "marketer-risk": {"limit", "population", "taxonomies", "labels", "orders"},
    "population-uniques": {"limit", "population", "taxonomies", "labels", "orders"},
    "minimum-span": {"column", "width", "order", "calendar", "labels"},
    "differential-privacy": {"epsilon", "delta", "for_levels", "beta"},
}
ABOUT_ALL = {"average-risk": check_average, "unique-share": check_uniques}
ABOUT_POPULATION = {
    "k-map": check_k_map,
    "delta-presence": check_presence,
    "marketer-risk": check_marketer,
    "population-uniques": check_population_uniques,
}
ABOUT_SENSITIVE = {
    "l-diversity": check_diversity,
    "t-closeness": check_closeness,
    "beta-likeness": check_likeness,
    "delta-disclosure": check_disclosure,
}


def verify_release(
    table: pa.Table,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    requirements: Sequence[Requirement] = (),
    *,
    sample: int = 5,
    people: NDArray[np.int64] | None = None,
) -> Verification:
    """Recompute every promise from a released table.

    Parameters
    ----------
    table
        The table as it is published.
    quasi_identifiers
        The columns that together define a class; where intervals are shown as bounds, both columns of each.
    sensitive
        The sensitive columns.
    requirements
        What was promised, such as ``{"model": "k-anonymity", "k": 10}``.
    sample
        How many of the classes that break a rule to name.
    people
        The person of every row, as numbers, if a person may have several rows: then people are counted, not rows.

    Examples
    --------
    >>> table = pa.table({"age": ["[20, 29]", "[20, 29]", "[30, 39]"], "illness": ["flu", "ulcer", "flu"]})
    >>> result = verify_release(table, ["age"], ["illness"], [{"model": "k-anonymity", "k": 2}])
    >>> print(result.summary())
    NOT verified: 3 rows in 2 classes
    k-anonymity k=2: BROKEN by 1 class, smallest class 1
      age=[30, 39]: 1 row, found 1 (asked 2)
    """
    check_columns(table.column_names, quasi_identifiers, sensitive)
    for requirement in requirements:
        check_requirement(requirement, sensitive)
    # The next column is coded while one becomes a part of the keys.
    coded = in_turn(lambda name: code_column(name, table.column(name)), quasi_identifiers, ahead=1)
    classes = group_rows(coded)
    classes = classes if people is None else replace(classes, people=people)
    found: list[tuple[int, RuleFinding]] = []
    achieved: dict[str, SensitiveAchieved] = {}

    def examine(sensitive: Sequence[str]) -> None:
        for place, requirement in enumerate(requirements) if not sensitive else ():
            finding = examine_classes(requirement, table, quasi_identifiers, classes)
            found.extend([] if finding is None else [(place, finding)])
        # One column at a time, since it may take as many counts as there are rows.
        for name in sensitive:
            asked = {place: one for place, one in enumerate(requirements) if is_about(one, name)}
            findings, achieved[name] = _examine_column(table, name, classes, list(asked.values()))
            found.extend(zip(asked, findings, strict=True))

    side_by_side(examine, [(), sensitive] if sensitive else [()])
    found.sort(key=itemgetter(0))
    return Verification(
        rows=table.num_rows,
        classes=len(classes),
        achieved=Achieved(int(classes.heads.min()) if len(classes) else None, achieved),
        checks=tuple(judged(finding, table, quasi_identifiers, classes, sample) for _, finding in found),
    )


def check_weights(table: pa.Table, quasi_identifiers: Sequence[str], column: str, total: float) -> list[RuleCheck]:
    """Check survey weights: all rows of a class show one weight, and the weights add up to the total.

    >>> table = pa.table({"age": ["[20, 29]", "[20, 29]", "*"], "weight": [2.0, 2.0, 5.0]})
    >>> [check.ok for check in check_weights(table, ["age"], "weight", 9.0)]
    [True, True]
    """
    classes = group_rows(code_column(name, table.column(name)) for name in quasi_identifiers)
    weights = table.column(column).to_numpy()
    odd = np.unique(classes.of_row[weights != weights[classes.first_rows[classes.of_row]]])
    together = math.fsum(weights)
    lost = not math.isclose(together, total, rel_tol=1e-9)
    return [
        RuleCheck("one weight for all rows of a class", column, 0, float(len(odd)), "such classes", len(odd)),
        RuleCheck("weights add up to the total", column, total, together, "sum", int(lost), units="values"),
    ]


def check_columns(columns: Sequence[str], quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> None:
    """Refuse columns that are missing or ambiguous."""
    if not quasi_identifiers:
        raise SchemaError("Name at least one quasi-identifier: without any, every table looks safe.")
    names = [*quasi_identifiers, *sensitive]
    unknown = [name for name in names if name not in columns]
    if unknown:
        raise SchemaError(f"The table has no column {listed(unknown)}. Its columns: {listed(columns)}.")
    ambiguous = sorted({name for name in names if columns.count(name) > 1 or names.count(name) > 1})
    if ambiguous:
        raise SchemaError(f"{listed(ambiguous)}: each column can be there once and have one role only.")


def check_requirement(requirement: Requirement, sensitive: Sequence[str]) -> None:
    """Refuse a requirement that could not be checked as intended."""
    model = parameters.choice("a requirement", "model", requirement.get("model"), tuple(PARAMETERS))
    assert model is not None
    unknown = sorted(set(requirement) - PARAMETERS[model] - {"model"})
    if unknown:
        raise ParameterError(f"A requirement of {model} has no {listed(unknown)}. It has {listed(PARAMETERS[model])}.")
    if model not in ABOUT_SENSITIVE:
        return
    column = requirement.get("column")
    if not sensitive:
        raise SchemaError(f"Checking {model} needs a sensitive column, but none is named.")
    if column is not None and column not in sensitive:
        raise SchemaError(
            f"{model} is about '{column}', which is not one of the sensitive columns: {listed(sensitive)}."
        )


def is_about(requirement: Requirement, sensitive: str) -> bool:
    """Whether a requirement concerns a sensitive column."""
    return requirement["model"] in ABOUT_SENSITIVE and requirement.get("column") in {None, sensitive}


def examine_classes(
    requirement: Requirement, table: pa.Table, quasi_identifiers: Sequence[str], classes: Classes
) -> RuleFinding | None:
    """Check a requirement that needs no sensitive column."""
    if requirement["model"] == "k-anonymity":
        return check_size(requirement, classes.heads)
    if requirement["model"] == "differential-privacy":
        return check_private(requirement, classes.heads)
    if requirement["model"] in ABOUT_ALL:
        return ABOUT_ALL[requirement["model"]](requirement, classes)
    if requirement["model"] in ABOUT_POPULATION:
        return ABOUT_POPULATION[requirement["model"]](requirement, table, quasi_identifiers, classes)
    if requirement["model"] == "minimum-span":
        return check_span(requirement, table, quasi_identifiers, classes)
    return None


def _examine_column(
    table: pa.Table, name: str, classes: Classes, requirements: Sequence[Requirement]
) -> tuple[list[RuleFinding], SensitiveAchieved]:
    """Check all requirements of a sensitive column, and compute what it achieves."""
    coded = code_column(name, table.column(name))
    counted = [SensitiveCounts(name, coded.values, part) for part in count_values(classes, coded)]
    ordered = counted
    if any(is_ordered(requirement) for requirement in requirements):
        coded = in_order(name, coded)
        ordered = [SensitiveCounts(name, coded.values, part) for part in count_values(classes, coded)]
    found = side_by_side(lambda pair: examine_values(*pair, requirements), zip(counted, ordered, strict=True))
    together = [_of_all_parts(findings) for findings in zip(*(findings for findings, _ in found), strict=True)]
    return together, reduce(worse, (achieved for _, achieved in found))


def _of_all_parts(findings: Sequence[RuleFinding]) -> RuleFinding:
    """Join what a rule found in the parts of a table, whose classes are numbered one part after the other."""
    found, holds = (np.concatenate([getattr(one, name) for one in findings]) for name in ("found", "holds"))
    return replace(findings[0], found=found, holds=holds)


def worse(one: SensitiveAchieved, other: SensitiveAchieved) -> SensitiveAchieved:
    """What two sets of classes achieve together."""
    if one.t is None or other.t is None:
        return other if one.t is None else one
    assert one.distinct_l is not None
    assert other.distinct_l is not None
    return replace(
        one,
        distinct_l=min(one.distinct_l, other.distinct_l),
        entropy_l=min(one.entropy_l or 0.0, other.entropy_l or 0.0),
        frequency_l=min(one.frequency_l or 0.0, other.frequency_l or 0.0),
        t=max(one.t, other.t),
        recursive_c={l: max(c, other.recursive_c[l]) for l, c in one.recursive_c.items()},  # noqa: E741
    )


def examine_values(
    column: SensitiveCounts, ordered: SensitiveCounts, requirements: Sequence[Requirement]
) -> tuple[list[RuleFinding], SensitiveAchieved]:
    """Check all requirements of a sensitive column from its counts, in code order and in value order."""
    findings = [
        ABOUT_SENSITIVE[requirement["model"]](requirement, ordered if is_ordered(requirement) else column)
        for requirement in requirements
    ]
    return findings, achieved_by(column, requirements, findings)


def is_ordered(requirement: Requirement) -> bool:
    """Whether a requirement needs the values of its column in order."""
    return requirement.get("distance") in {"ordered", "numeric"}


def judged(
    finding: RuleFinding, table: pa.Table, quasi_identifiers: Sequence[str], classes: Classes, sample: int
) -> RuleCheck:
    """Sum up a finding, with a sample of the classes that break the rule."""
    badness = finding.found if finding.least_is_worst else -finding.found
    breaking = np.flatnonzero(~finding.holds)
    worst_first = breaking[np.argsort(badness[breaking], kind="stable")][:sample]
    return RuleCheck(
        rule=finding.rule,
        column=finding.column,
        asked=finding.asked,
        found=float(finding.found[np.argmin(badness)]) if len(badness) else None,
        measures=finding.measures,
        breaking=len(breaking),
        sample=tuple(
            BreakingClass(
                values=_shown(table, quasi_identifiers, int(classes.first_rows[at])),
                size=int(classes.sizes[at]),
                found=float(finding.found[at]),
            )
            for at in worst_first
        ),
    )


def _shown(table: pa.Table, quasi_identifiers: Sequence[str], row: int) -> dict[str, Any]:
    """What the table shows in a row."""
    return {name: _cell(table.column(name)[row]) for name in quasi_identifiers}


def _cell(cell: pa.Scalar) -> Any:
    """A cell as a Python value, or as text if Python has no such value; not-a-number is missing."""
    try:
        value = cell.as_py()
    except (ValueError, OverflowError):
        return cell.cast(pa.string()).as_py()
    return None if isinstance(value, float) and math.isnan(value) else value


def achieved_by(
    column: SensitiveCounts, requirements: Sequence[Requirement], findings: Sequence[RuleFinding]
) -> SensitiveAchieved:
    """The best parameters that the classes of a sensitive column satisfy."""
    asked = [(requirement, finding.found) for requirement, finding in zip(requirements, findings, strict=True)]
    closeness = [(one.get("distance", "equal"), found) for one, found in asked if one["model"] == "t-closeness"]
    histogram = column.histogram
    distance, apart = closeness[0] if closeness else ("equal", equal_distances(histogram))
    if not len(histogram.sizes):
        return SensitiveAchieved(None, None, None, None, distance)
    return SensitiveAchieved(
        distinct_l=int(distinct_l(histogram).min()),
        entropy_l=float(entropy_l(histogram).min()),
        frequency_l=float(frequency_l(histogram).min()),
        t=float(apart.max()),
        distance=distance,
        recursive_c={one["l"]: float(found.max()) for one, found in asked if one.get("kind") == "recursive"},
    )
