"""The least k that meets conditions on people with several rows, or on the release as a whole.

A single class cannot show whether they hold; a larger k meets them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InfeasibleError
from sfumato.privacy.base import PrivacyModel, Rule
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.requirements import Requirements
from sfumato.privacy.whole_release import WholeModel, WholeRelease
from sfumato.table.kernels.rules import TOLERANCE
from sfumato.table.microdata import Microdata
from sfumato.table.people import counted_once
from sfumato.table.recoding import EquivalenceClasses, Recoding

T = TypeVar("T")


def with_size(models: Sequence[PrivacyModel], size: int) -> tuple[PrivacyModel, ...]:
    """Raise k of the models to at least ``size``."""
    asked = [model.k for model in models if isinstance(model, KAnonymity)]
    return (KAnonymity(max([size, *asked])), *(model for model in models if not isinstance(model, KAnonymity)))


def least_that_works(tried: Callable[[int], T | None], least: int, most: int, requirements: Requirements) -> T:
    """Find the result of the least k that works: double k until one does, then bisect.

    ``tried`` returns None for a k that does not work; ``least`` is known not to work.
    """
    low, high, found = least, least, None
    while found is None:
        if high >= most:
            raise InfeasibleError(_why(requirements))
        low, high = high, min(2 * high, most)
        try:
            found = tried(high)
        except InfeasibleError:
            raise InfeasibleError(_why(requirements)) from None
    while high - low > 1:
        middle = (low + high) // 2
        better = tried(middle)
        low, high, found = (middle, high, found) if better is None else (low, middle, better)
    return found


def _why(requirements: Requirements) -> str:
    broken = requirements.broken_by_table()
    if broken:
        return " ".join(rule.model.nearest(rule, requirements.microdata) for rule in broken)
    whole = [rule.model for rule in requirements.bound if rule.model.whole]
    if whole:
        asked = ", ".join(map(str, whole))
        return f"No k is large enough for {asked}, not even with everybody in one class. Ask for less."
    return (
        "No k is large enough: even with everybody in a few classes the rules are broken, counting people instead of "
        "rows. Ask for less, or leave out the people with the most rows."
    )


def why_not_for_people(requirements: Requirements, people: NDArray[np.int64]) -> str | None:
    """Name the rules that even everybody in one class breaks, counting people, and the nearest that work; None if none.

    Nobody is left out here: without the people whose values are too frequent, more may be possible. So it may where the
    rows of a person lie in different classes, each with a part of their values.
    """
    microdata = requirements.microdata
    everybody = EquivalenceClasses.of(microdata, Recoding(classes=np.zeros(len(microdata), np.int32)))
    broken = [rule for rule in requirements.bound if not _holds(rule, microdata, everybody, people)]
    if not broken:
        return None
    counted = "People are counted here, not rows: a person counts for each of their values."
    if any(rule.model.needs_sensitive for rule in broken):
        counted += (
            " This is so with everybody in one class. Where the rows of a person lie in different classes, more may be "
            "possible: method='mondrian' and method='best' may find it."
        )
    return " ".join([*(_nearest_for_people(rule, microdata, everybody, people) for rule in broken), counted])


def _nearest_for_people(
    rule: Rule, microdata: Microdata, everybody: EquivalenceClasses, people: NDArray[np.int64]
) -> str:
    heads = len(np.unique(people))
    if isinstance(rule.model, KAnonymity):
        return (
            f"k={rule.model.k:,} is not possible: the table has only {heads:,} people in {len(people):,} rows. "
            f"The largest k that works is {heads:,}."
        )
    once = counted_once(microdata, everybody, people, rule.column if rule.model.needs_sensitive else None)[0]
    if not isinstance(rule.model, LDiversity) or not _is_about_shares(rule):
        return rule.model.nearest(rule, once)
    column = once.sensitive[rule.column]
    most = int(column.counts().max())
    return (
        f"{rule.model.describe()} was not reached for '{column.name}': {most:,} of {heads:,} people "
        f"({most / heads:.1%}) have its most frequent value, more than 1/{rule.model.l:g}. The largest l that works, "
        f"if nobody is left out, is {math.floor(heads / most * 100) / 100:g}."
    )


def broken_rules(
    requirements: Requirements,
    classes: EquivalenceClasses,
    people: NDArray[np.int64] | None,
    whole: Callable[[], WholeRelease],
) -> list[Rule]:
    """List the rules that the release breaks, counting people instead of rows if ``people`` says whose each row is.

    A person with several rows in a class counts once in its size, and once for each of their sensitive values there.
    """
    whole = cache(whole)
    return [
        rule
        for rule in requirements.bound
        if not _holds(rule, requirements.microdata, classes, people)
        or (isinstance(rule.model, WholeModel) and not rule.model.kept_by(whole()))
    ]


def _holds(rule: Rule, microdata: Microdata, classes: EquivalenceClasses, people: NDArray[np.int64] | None) -> bool:
    if people is None:
        return bool(rule.model.holds(rule, microdata, classes).all())
    about = rule.column if rule.model.needs_sensitive else None
    once, counted = counted_once(microdata, classes, people, about)
    if not rule.model.holds(rule, once, counted).all():
        return False
    return not _is_about_shares(rule) or _shares_hold(rule, once, counted, microdata, classes, people)


def _is_about_shares(rule: Rule) -> bool:
    return isinstance(rule.model, LDiversity) and rule.model.kind == "frequency"


def _shares_hold(
    rule: Rule,
    once: Microdata,
    counted: EquivalenceClasses,
    microdata: Microdata,
    classes: EquivalenceClasses,
    people: NDArray[np.int64],
) -> bool:
    """Whether at most 1/l of the people of any class share a value; a person may have several."""
    heads = counted_once(microdata, classes, people)[1].sizes
    column = once.sensitive[rule.column]
    keys = counted.of_row.astype(np.int64) * column.size + column.codes
    cells, counts = np.unique(keys, return_counts=True)
    return bool((counts * rule.first <= heads[cells // column.size] * (1 + TOLERANCE)).all())
