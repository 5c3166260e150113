"""What models say of people where people have several rows, and of a release as a whole."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sfumato.privacy.base import Rule
from sfumato.privacy.ceilings import Whole, WholeModel
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.requirements import Requirements
from sfumato.table.kernels.rules import TOLERANCE
from sfumato.table.microdata import Microdata
from sfumato.table.people import counted_once
from sfumato.table.recoding import EquivalenceClasses


def broken_rules(
    requirements: Requirements,
    classes: EquivalenceClasses,
    people: NDArray[np.int64] | None,
    whole: Callable[[], Whole],
) -> list[Rule]:
    """Return the rules that some class breaks, counting people where it is known whose every row is.

    Whoever has several rows in a class counts once in its size, and once for every sensitive value they have there.
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
    """Return whether no value is that of more than 1/l of a class's people, each of whom may have several."""
    heads = counted_once(microdata, classes, people)[1].sizes
    column = once.sensitive[rule.column]
    keys = counted.of_row.astype(np.int64) * column.size + column.codes
    cells, counts = np.unique(keys, return_counts=True)
    return bool((counts * rule.first <= heads[cells // column.size] * (1 + TOLERANCE)).all())
