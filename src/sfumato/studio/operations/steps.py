"""The drawer of screen 1: the steps of a column, from its values to ``*``, and how to change them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.errors import HierarchyError, ParameterError
from sfumato.hierarchies import Categorical, Hierarchy, Numeric, Taxonomy
from sfumato.hierarchies.dates import Dates
from sfumato.hierarchies.preview import Preview, preview
from sfumato.run.policy import hierarchy_from_policy
from sfumato.studio.desk import Bench
from sfumato.studio.plan import without_files

#: The most values that can be grouped by hand.
MOST_VALUES = 400
#: The label of everything.
ANY = "*"


def steps(bench: Bench) -> dict[str, Any]:
    """The steps of a column: one value from step to step, the groups of every step, and what can be edited.

    With ``hierarchy`` the steps are those that the page proposes, as a policy writes them.
    """
    found = _preview(bench)
    return {
        "type": found.hierarchy.name,
        "chain": _chain(found),
        "levels": [one._asdict() | {"labels": list(one.labels)} for one in found.levels],
        "edit": _edit(bench, found),
        "uncovered": found.uncovered,
    }


def _column(bench: Bench) -> str:
    names = bench.columns()
    if len(names) != 1:
        raise ParameterError("Name one column.")
    return names[0]


def _preview(bench: Bench) -> Preview:
    name = _column(bench)
    return preview(name, bench.table, _hierarchy(bench, name))


def _hierarchy(bench: Bench, name: str) -> Hierarchy | None:
    """The hierarchy that the page proposes, or the one of the policy."""
    proposed = bench.args.get("hierarchy")
    if isinstance(proposed, Mapping):
        return hierarchy_from_policy(without_files(proposed), f"The steps of '{name}'")
    declared = bench.policy.schema.quasi_identifiers
    return declared.get(name)


def _chain(found: Preview) -> list[str]:
    """One frequent value from step to step."""
    levels = found.domain.levels
    middle = found.domain.size // 2
    return [str(level.labels[int(level.groups[middle])]) for level in levels]


def _edit(bench: Bench, found: Preview) -> dict[str, Any]:
    """What can be edited by hand: widths of numbers, steps of dates, groups of categories."""
    how = found.hierarchy
    if isinstance(how, Dates):
        return {"levels": list(how.levels or ())}
    if isinstance(how, Numeric):
        return {"widths": list(how.widths)}
    if isinstance(how, Categorical | Taxonomy):
        return {"groups": _groups(bench, found)}
    return {}


def _groups(bench: Bench, found: Preview) -> list[dict[str, Any]]:
    """The groups of a category with their values, the most frequent first."""
    facts = bench.profile[found.column].facts
    texts = facts.values.cast(pa.string()).to_pylist()
    order = np.argsort(-facts.counts, kind="stable")[:MOST_VALUES]
    group_of = _group_of(found)
    groups: dict[str, list[dict[str, Any]]] = {}
    for at in order:
        text = texts[int(at)]
        value = {"id": int(at), "value": text, "rows": int(facts.counts[at])}
        groups.setdefault(group_of.get(text, ANY), []).append(value)
    return [{"group": name, "values": values} for name, values in groups.items()]


def _group_of(found: Preview) -> dict[str, str]:
    """The first group of every value; a value that has none but ``*`` is a group of its own."""
    levels = found.domain.levels
    values = [str(levels[0].labels[int(one)]) for one in levels[0].groups]
    if len(levels) < 3:
        return {value: value for value in values}
    return {value: str(levels[1].labels[int(one)]) for value, one in zip(values, levels[1].groups, strict=True)}


def regroup(bench: Bench) -> dict[str, Any]:
    """The steps of a category after some of its values, by number, were put into a group; as a policy writes them."""
    found = _preview(bench)
    moved, group = bench.args.get("values"), bench.args.get("group")
    if not isinstance(moved, list) or not all(isinstance(one, int) for one in moved) or not isinstance(group, str):
        raise ParameterError("Name values by their numbers, and a group.")
    label = " ".join(group.split())
    if not label or label == ANY:
        raise HierarchyError("A group needs a name, and '*' is that of everything.")
    facts = bench.profile[found.column].facts
    texts = facts.values.cast(pa.string()).to_pylist()
    if not all(0 <= one < len(texts) for one in moved):
        raise ParameterError("There is no value of this number.")
    group_of = {text: label if at in set(moved) else found_group for at, (text, found_group) in _placed(texts, found)}
    record = {"type": Taxonomy.name, "rows": [[text, group_of[text], ANY] for text in texts]}
    hierarchy_from_policy(record, f"The steps of '{found.column}'")
    return record


def _placed(texts: list[str], found: Preview) -> list[tuple[int, tuple[str, str]]]:
    group_of = _group_of(found)
    return [(at, (text, group_of.get(text, text))) for at, text in enumerate(texts)]


def steps_file(bench: Bench) -> dict[str, str]:
    """The steps of a column as the text of a hierarchy file."""
    path = bench.folder / f"steps-{secrets.token_hex(8)}.csv"
    try:
        _preview(bench).taxonomy().write(path)
        return {"text": path.read_text(encoding="utf-8")}
    finally:
        path.unlink(missing_ok=True)


def steps_read(bench: Bench) -> dict[str, Any]:
    """The steps that the text of a hierarchy file says, as a policy writes them; they have to fit the column."""
    name = _column(bench)
    record = {"type": Taxonomy.name, "rows": rows_of(bench, str(bench.args.get("text", "")))}
    preview(name, bench.table, hierarchy_from_policy(record)).refuse_gaps()
    return record


def rows_of(bench: Bench, text: str) -> list[list[str]]:
    """The rows that the text of a hierarchy file holds."""
    path = bench.folder / f"steps-{secrets.token_hex(8)}.csv"
    try:
        path.write_text(text, encoding="utf-8")
        return [list(row) for row in Taxonomy.read(path).rows]
    except HierarchyError as error:
        raise HierarchyError(str(error).replace(str(path), "the file")) from None
    finally:
        path.unlink(missing_ok=True)
