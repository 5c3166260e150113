"""``sfumato attack``: what came of the attacks on a release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from sfumato.api.attack import attack, promised_by
from sfumato.cli.exits import FAILED
from sfumato.cli.options import Asked
from sfumato.cli.request import Given, opened
from sfumato.cli.risk import known_columns
from sfumato.cli.screen import answer, answer_json


@dataclass(frozen=True)
class Means:
    """What an attacker knows and tries."""

    knows: Sequence[str] | None = None
    attacks: Sequence[str] = ()
    previous: Sequence[Path] = ()
    control: Path | None = None
    targets: int = 1_000
    show: int = 0


def show_attacks(asked: Asked, original: Given, release: Path, means: Means, as_json: bool) -> None:
    """Answer with what came of the attacks on a release; the exit code says whether its promises hold."""
    with opened(original, asked) as (people, policy):
        promised = promised_by([model.to_policy() for model in policy.privacy])
        report = attack(
            people,
            release,
            quasi_identifiers=known_columns(policy.schema),
            sensitive=policy.schema.sensitive,
            knows=means.knows,
            attacks=means.attacks,
            previous=means.previous,
            control=means.control,
            k=int(promised["k"]) if "k" in promised else None,
            l=promised.get("l"),
            targets=means.targets,
            show=means.show,
            seed=policy.seed,
        )
    if as_json:
        answer_json(report.to_dict())
    else:
        answer(report.summary())
    if not report.ok:
        raise typer.Exit(FAILED)
