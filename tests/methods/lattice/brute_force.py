"""Random small tables with random hierarchies, and the answers found by trying every node with readable code."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from sfumato.hierarchies import Taxonomy
from sfumato.methods import Task
from sfumato.privacy import KAnonymity, LDiversity, PrivacyModel, Requirements, TCloseness
from sfumato.table.encoding import encode
from sfumato.table.microdata import Microdata
from sfumato.table.recoding import EquivalenceClasses, Recoding

Levels = tuple[int, ...]


@st.composite
def hierarchies(draw: st.DrawFn) -> Taxonomy:
    """A tree over up to six values with up to four levels; a level may repeat the one below it."""
    size = draw(st.integers(1, 6))
    groups = list(range(size))
    columns = [[str(value) for value in range(size)]]
    for level in range(draw(st.integers(0, 2))):
        merge = {group: draw(st.integers(0, max(groups))) for group in sorted(set(groups))}
        groups = [merge[group] for group in groups]
        columns.append([f"{level}:{group}" for group in groups])
    return Taxonomy.from_rows([*zip(*columns, ["*"] * size, strict=True)])


@st.composite
def tables(draw: st.DrawFn) -> Microdata:
    """Up to 30 rows, one to four quasi-identifiers, two sensitive columns."""
    trees = draw(st.lists(hierarchies(), min_size=1, max_size=4))
    rows = draw(st.integers(1, 30))
    columns = {}
    for at, tree in enumerate(trees):
        values = [row[0] for row in tree.rows]
        columns[f"q{at}"] = draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))
    for name, size in (("s", 3), ("u", 2)):
        columns[name] = draw(st.lists(st.integers(0, size), min_size=rows, max_size=rows))
    declared = {f"q{at}": tree for at, tree in enumerate(trees)}
    return encode(pa.table(columns), declared, ["s", "u"])


#: A tree over the values of the sensitive column "s".
GRADES = Taxonomy.from_dict({"low": ["0", "1"], "high": ["2", "3"]})

MODELS: list[tuple[PrivacyModel, ...]] = [
    (KAnonymity(2),),
    (KAnonymity(4),),
    (LDiversity(2),),
    (LDiversity(1.5, column="u"),),
    (LDiversity(2, kind="distinct"),),
    (LDiversity(1.6, kind="entropy", column="s"),),
    (LDiversity(2, kind="recursive", c=2.0),),
    (TCloseness(0.4, column="s"),),
    (TCloseness(0.3, distance="ordered", column="s"), KAnonymity(2)),
    (TCloseness(0.3, distance="hierarchical", taxonomy=GRADES, column="s"),),
    (KAnonymity(3), LDiversity(2, column="s"), LDiversity(1.2, kind="entropy", column="u")),
]


def feasible(models: tuple[PrivacyModel, ...], microdata: Microdata) -> bool:
    return not Requirements(models, microdata).broken_by_table()


def suppressed_rows(task: Task, levels: Levels) -> np.ndarray:
    """Leave out the classes that break a model, and again while the table that is left changes what is close to it."""
    kept = np.ones(len(task.microdata), bool)
    while kept.any():
        part = task.microdata.take(kept)
        requirements = Requirements(task.requirements.models, part)
        classes = EquivalenceClasses.of(part, Recoding(levels=levels))
        allowed = np.ones(len(classes), bool)
        for rule in requirements.bound:
            allowed &= rule.model.holds(rule, part, classes)
        if allowed.all():
            break
        kept[np.flatnonzero(kept)[~allowed[classes.of_row]]] = False
    return ~kept


def all_answers(task: Task, limits: Levels | None = None) -> list[Levels]:
    """Return every node that leaves out no more rows than it may."""
    tops = limits or tuple(domain.top for domain in task.microdata.domains)
    nodes = itertools.product(*(range(top + 1) for top in tops))
    return [node for node in nodes if suppressed_rows(task, node).sum() <= task.suppressible]
