"""``sfumato.attack``: what an attacker would find in a release."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.api.tables import read_original, read_release, refuse_swapped
from sfumato.assess.attacks import AttackReport, Scenario, run_attacks
from sfumato.assess.attacks.greedy_order import FULL_DOMAIN, GREEDY, PEELING
from sfumato.assess.attacks.scenario import promise_of
from sfumato.common import parameters
from sfumato.common.patience import Patience
from sfumato.common.progress import ProgressOption, reporting
from sfumato.common.randomness import Secret
from sfumato.errors import DataError, ParameterError, SchemaError, did_you_mean, listed
from sfumato.release.release import Release
from sfumato.run.request import Request
from sfumato.table.schema import Declared, Schema

#: Methods that show more of a class than its rows span: levels of cells, or groups that are the same for all rows.
SHOWS_GROUPS = {
    "cell-generalization",
    "cell-suppression",
    "attribute-suppression",
    "full-subtree",
    "ordered-set-partition",
    "k-optimize",
}


def attack(
    original: object,
    release: object,
    *,
    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str | None = None,
    sensitive: Iterable[str] | str | None = None,
    knows: Iterable[str] | str | None = None,
    attacks: Iterable[str] | str = (),
    previous: Sequence[object] = (),
    control: object = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    policy: Request | None = None,
    targets: int = 1_000,
    show: int = 0,
    seed: int | None = None,
    separator: str | None = None,
    time_limit: float | None = None,
    progress: ProgressOption = False,
) -> AttackReport:
    """Attack your own release, like an attacker who knows some columns of the people in it.

    Parameters
    ----------
    original
        The table that the release was made from, as in `anonymize`.
    release
        A `Release`, or a table or file from any source.
    quasi_identifiers, sensitive
        As in `anonymize`; a `Release` knows its own.
    knows
        The quasi-identifiers that the attacker knows; all of them if left out.
    attacks
        Which attacks; all of them if left out.
    previous
        Other releases of the same people.
    control
        People who are not in the original, with the same columns: attacks on them show what can be known anyway.
    k, l
        What the release promises, if it is not a `Release`.
    policy
        How the release was made, if it is not a `Release`: the original is read and changed alike, and the roles and
        promises are those of the policy unless they are given.
    targets
        The number of people to attack, drawn at random.
    show
        The number of people found for certain whose original values the report shows; none by default.
    seed
        The seed of all random choices.
    separator
        The separator of CSV files; detected by default.
    time_limit
        The seconds after which no further attack is tried; the report says which were not. Ctrl-C does the same.
    progress
        True for a progress bar, or a function that is called with the stage's name and the share done.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [25, 27, 41, 44], "illness": ["flu", "ulcer", "flu", "asthma"]})
    >>> release = sf.anonymize(people, quasi_identifiers="age", sensitive="illness", k=2)
    >>> report = sf.attack(people, release)
    >>> report["linkage"].rate, report["linkage"].verdict
    (0.5, 'no better than guessing')
    """
    with reporting(progress, "attack") as report:
        patience = Patience.of("attack", time_limit, report)
        published = release if isinstance(release, Release) else None
        refuse_swapped("attack", original, release)
        policy = policy if published is None else published.policy
        schema = _roles(published, policy, quasi_identifiers, sensitive)
        report("reading", 0.0)
        people = read_original(original, schema, separator, policy)
        schema = _followed(schema, policy)
        secret = Secret.of(seed)
        rows = secret.permutation("targets", people.read.num_rows)
        scene = Scenario(
            original=people.changed,
            unchanged=people.read,
            release=read_release(release, schema, separator),
            hierarchies=schema.quasi_identifiers,
            sensitive=tuple(schema.sensitive),
            knows=_known(knows, schema.quasi_identifiers),
            targets=np.sort(rows[: parameters.integer("attack", "targets", targets, at_least=1)]),
            promised=_promised(k, l, published, policy),
            previous=tuple(read_release(one, schema, separator) for one in previous),
            control=None if control is None else read_original(control, schema, separator, policy).changed,
            row_of=None if published is None else published.row_of,
            path=Path(release) if isinstance(release, str | os.PathLike) else None,
            order=_order(l, published, policy),
            tight=published is not None and _shows_spans(published),
            random=secret.generator("attacks"),
            patience=patience,
        )
        if not people.read.num_rows or not scene.release.num_rows:
            raise DataError("The original and the release need at least one row each: there is nobody to attack.")
        names = [attacks] if isinstance(attacks, str) else list(attacks)
        return run_attacks(scene, names, parameters.integer("attack", "show", show, at_least=0))


def _roles(
    published: Release | None,
    policy: Request | None,
    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str | None,
    sensitive: Iterable[str] | str | None,
) -> Schema:
    """The roles that the caller gives, or those of the release or its policy."""
    made_by = None if policy is None else policy.schema
    if quasi_identifiers is None and published is not None:
        quasi_identifiers = published.hierarchies
    elif quasi_identifiers is None and made_by is not None:
        quasi_identifiers = made_by.quasi_identifiers
    if sensitive is None:
        sensitive = published.sensitive if published is not None else () if made_by is None else made_by.sensitive
    if quasi_identifiers is None:
        raise SchemaError("Name the quasi-identifiers of the release, or attack a Release, which knows its own.")
    return Schema(quasi_identifiers, sensitive, rest="drop")


def _followed(schema: Schema, policy: Request | None) -> Schema:
    """Leave out columns that are changed by the secret of the release, by which nobody can follow a person."""
    secret = [] if policy is None else [name for name, how in policy.transform.items() if how.secret]
    known = {name: how for name, how in schema.quasi_identifiers.items() if name not in secret}
    if not known:
        raise SchemaError(
            f"The dates of {listed(schema.quasi_identifiers)} were moved by days that only the publisher knows, so "
            "that nobody can be looked for by them. Name other quasi-identifiers."
        )
    return Schema(known, [name for name in schema.sensitive if name not in secret], rest="drop")


def _known(knows: Iterable[str] | str | None, hierarchies: Mapping[str, Any]) -> tuple[str, ...]:
    if knows is None:
        return tuple(hierarchies)
    names = (knows,) if isinstance(knows, str) else tuple(knows)
    unknown = [name for name in names if name not in hierarchies]
    if unknown or not names:
        raise ParameterError(
            f"The attacker can know quasi-identifiers only, but not {listed(unknown) or 'nothing'}. Quasi-identifiers: "
            f"{listed(hierarchies)}. {did_you_mean(unknown[0] if unknown else '', hierarchies)}".rstrip()
        )
    return names


def _order(l: float | None, published: Release | None, policy: Request | None) -> str:  # noqa: E741
    """Say in which order classes were made; nothing follows from it if other models than k-anonymity held rows back."""
    models = [] if policy is None else [model.to_policy() for model in policy.privacy]
    promises = models if published is None else published.promises
    if l is not None or any(promise["model"] != "k-anonymity" for promise in promises):
        return ""
    if published is None:
        return GREEDY
    if published.details.levels is not None:
        return FULL_DOMAIN
    made_by = published.details.chosen or published.manifest["method"]["name"]
    if made_by.startswith("cell-"):
        return GREEDY
    return PEELING if PEELING in made_by else ""


def _shows_spans(published: Release) -> bool:
    """Whether classes show no more than their rows span; other methods show groups that are the same for all rows."""
    return published.details.levels is None and published.manifest["method"]["name"] not in SHOWS_GROUPS


def _promised(
    k: int | None,
    l: float | None,  # noqa: E741
    published: Release | None,
    policy: Request | None,
) -> dict[str, float]:
    """Collect the promises of the release or its policy, and of the caller."""
    promised: dict[str, float] = {}
    if published is not None:
        promised = promised_by(published.promises)
    elif policy is not None:
        promised = promised_by(model.to_policy() for model in policy.privacy)
    if k is not None:
        promised["k"] = parameters.integer("attack", "k", k, at_least=1)
    if l is not None:
        promised["l"] = promised["distinct"] = parameters.number("attack", "l", l, at_least=1)
    return promised


def promised_by(models: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    """Collect what models promise about the size of classes and the shares of sensitive values, of each column."""
    promised: dict[str, float] = {}
    for promise in models:
        if promise["model"] == "k-anonymity":
            promised["k"] = max(promised.get("k", 1), promise["k"])
        if promise["model"] == "l-diversity":
            kinds = ("l", "distinct") if promise.get("kind", "frequency") == "frequency" else ("distinct",)
            for name in (promise_of(kind, promise.get("column")) for kind in kinds):
                promised[name] = max(promised.get(name, 1), promise["l"])
    return promised
