"""Screen 2: what each k costs, what it does to people, and what a neighbour would still find."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.api.frontier import frontier_for
from sfumato.api.utility import utility
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.privacy import KAnonymity
from sfumato.release.release import Release
from sfumato.run.frontier import SIZES, Frontier
from sfumato.run.presets import Preset
from sfumato.studio.desk import Bench

#: The people that are shown before and after, and the longest text that a neighbour may know.
PEOPLE, LONGEST = 12, 200
#: A range as a neighbour may say it: 30–40 or 30..40.
RANGES = ("–", "..", " - ")
#: The same as keyboards have it: 30-40.
BETWEEN = re.compile(r"(\d[\d.,]*)-(\d[\d.,]*)")


def frontier(bench: Bench) -> Iterator[dict[str, Any]]:
    """Every k with its loss and risk, one after the other; what is known already comes at once."""
    found, wanted = frontier_of(bench), goal_of(bench)
    suggested = goal_of(replace(bench, plan=replace(bench.plan, k=None)))
    sizes = sorted({*found.sizes, wanted, suggested})
    yield {"sizes": sizes, "chosen": wanted, "suggested": suggested, "rows": found.rows}
    for point in found.points:
        yield {"point": point.to_dict()}
    for k in sorted({wanted, suggested}.difference(found.sizes)):
        yield {"point": found.point(k).to_dict()}
    for point in found:
        yield {"point": point.to_dict()}


def goals(bench: Bench) -> dict[str, Any]:
    """The models in force beside k, as a policy writes them, and the presets that there are."""
    models = [model.to_policy() for model in bench.policy.privacy if not isinstance(model, KAnonymity)]
    return {"models": models, "presets": [{"name": one.name, "title": one.title} for one in Preset.all()]}


def nearest(bench: Bench) -> dict[str, Any]:
    """Goals that the table can keep, where the present one is impossible: as plain values of models."""
    found, k = frontier_of(bench), bench.number("k", goal_of(bench), 2, 10**9)
    possible = [point.k for point in found.points if point.failed is None]
    models = found.nearest(k)
    largest = min((model.k for model in models if isinstance(model, KAnonymity)), default=k)
    others = [model.to_policy() for model in models if not isinstance(model, KAnonymity)]
    asked = [model.to_policy() for model in bench.policy.privacy if not isinstance(model, KAnonymity)]
    if others != asked:
        # Another k does not help where the other models are impossible with every k.
        return {"sizes": [max(possible)] if possible else [], "models": others}
    return {"sizes": [max(possible)] if possible else [largest] if largest >= 2 else [], "models": []}


def people(bench: Bench) -> dict[str, Any]:
    """The same people before and after."""
    release = release_of(bench)
    shown = [one.to_dict() for one in release.same_people(PEOPLE)]
    columns = list(shown[0]["before"]) if shown else []
    return {"columns": columns, "known": list(release.shown.quasi_identifiers), "people": shown}


def why(bench: Bench) -> dict[str, Any]:
    """Why a cell shows no more: what one step finer would break."""
    row, name = bench.number("row", 0, 0, 10**12), _name(bench)
    return {"lines": list(release_of(bench).explain(row=row, column=name).why)}


def knows(bench: Bench) -> dict[str, Any]:
    """How many candidates remain for what a neighbour knows: texts by the numbers of columns."""
    known = bench.args.get("known")
    if not isinstance(known, dict):
        raise ParameterError("'known' is a text for each column.")
    where: dict[str, Any] = {}
    for at, said in known.items():
        if not isinstance(said, str) or len(said) > LONGEST or not at.isascii() or not at.isdigit():
            raise ParameterError("'known' is a text for each column.")
        if said.strip():
            name = _numbered(bench, int(at))
            where[name] = knowledge(said.strip(), bench.profile[name].facts.values)
    return release_of(bench).knows(where).to_dict()


def knowledge(said: str, values: pa.Array) -> Any:
    """What a neighbour says about one column: a value, or a range with both ends.

    >>> ages = pa.array(["34", "16-20"])
    >>> knowledge("34", ages), knowledge("30–40", ages), knowledge("30-40", ages), knowledge("16-20", ages)
    ('34', ('30', '40'), ('30', '40'), '16-20')
    """
    between = BETWEEN.fullmatch(said)
    if between is not None and pc.index(values.cast(pa.string()), said).as_py() < 0:
        low, high = between.groups()
        if _in_order(low, high):
            return low, high
    for sign in RANGES:
        low, found, high = said.partition(sign)
        if found and low.strip() and high.strip():
            return low.strip(), high.strip()
    return said


def _in_order(low: str, high: str) -> bool:
    """Whether two ends may be those of a range: 2024-03 is a month, and 10115-1234 a postcode."""
    try:
        return float(low.replace(",", ".")) <= float(high.replace(",", "."))
    except ValueError:
        return True  # days, as 18.03.1982 is one


def use(bench: Bench) -> dict[str, Any]:
    """What is left for analyses, measured."""
    release = release_of(bench)
    bench.tell("measuring what is left", 0.0)
    found = utility(bench.table, release, seed=0)
    return {"measures": [{"name": name, "value": one.value, "sentence": one.sentence} for name, one in found.items()]}


def frontier_of(bench: Bench) -> Frontier:
    """The frontier of the plan, whatever its k; made once."""
    policy = bench.policy
    others = tuple(model for model in policy.privacy if not isinstance(model, KAnonymity))
    asked = replace(policy, privacy=others, caller="frontier")
    key = json.dumps([asked.to_dict(), bench.plan.confirm], sort_keys=True, default=str)
    with bench.held.lock:
        kept = bench.held.kept.get("frontier")
        if kept is None or kept[0] != key:
            most = bench.table.num_rows
            sizes = [size for size in SIZES if size <= max(2, most)]
            kept = key, frontier_for(bench.table, asked, sizes, progress=bench.tell)
            bench.held.kept["frontier"] = kept
    found: Frontier = kept[1]
    found.progress = bench.tell
    return found


def release_of(bench: Bench) -> Release:
    """The release of a k: that which the page names, or the goal of the plan."""
    k = bench.number("k", goal_of(bench), 2, 10**9)
    return frontier_of(bench).release(k)


def chosen_release(bench: Bench) -> Release:
    """The release that the user chose: the one that screen 2 showed, or a new one."""
    if "frontier" in bench.held.kept:
        return frontier_of(bench).release(goal_of(bench))
    return bench.policy.run(bench.table, progress=bench.tell)


def goal_of(bench: Bench) -> int:
    """The k of the plan."""
    found = [model.k for model in bench.policy.privacy if isinstance(model, KAnonymity)]
    if not found:
        raise InfeasibleError("The policy asks for no k.")
    return max(found)


def _name(bench: Bench) -> str:
    return _numbered(bench, bench.number("column", 0, 0, len(bench.names) - 1))


def _numbered(bench: Bench, at: int) -> str:
    if not 0 <= at < len(bench.names):
        raise ParameterError("There is no column of this number.")
    return bench.names[at]
