"""Attacks on your own release: each states what the attacker knows and what counts as success."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.cell_ends import CellEnds, MeanReconstruction
from sfumato.assess.attacks.composition import Intersection, Membership
from sfumato.assess.attacks.definetti import DeFinetti
from sfumato.assess.attacks.downcoding import Downcoding
from sfumato.assess.attacks.inference import BackgroundKnowledge, Homogeneity, Inference
from sfumato.assess.attacks.linkage import Linkability, Linkage, NoisyLinkage, PartialLinkage, SinglingOut, found_people
from sfumato.assess.attacks.minimality import Minimality
from sfumato.assess.attacks.predicates import PredicateSinglingOut
from sfumato.assess.attacks.refinement import Refinement
from sfumato.assess.attacks.report import AttackReport
from sfumato.assess.attacks.scenario import Scenario
from sfumato.assess.attacks.several_releases import Composition
from sfumato.assess.attacks.side_channels import FileChannels, RowOrder
from sfumato.common.parameters import choice
from sfumato.common.patience import INTERRUPT, EndedEarlyError

__all__ = ["ATTACKS", "Attack", "AttackOutcome", "AttackReport", "Scenario", "run_attacks"]

ATTACKS: tuple[Attack, ...] = (
    Linkage(),
    PartialLinkage(),
    NoisyLinkage(),
    SinglingOut(),
    PredicateSinglingOut(),
    Linkability(),
    Inference(),
    Homogeneity(),
    BackgroundKnowledge(),
    DeFinetti(),
    Minimality(),
    Refinement(),
    Downcoding(),
    CellEnds(),
    MeanReconstruction(),
    Intersection(),
    Composition(),
    Membership(),
    RowOrder(),
    FileChannels(),
)


def run_attacks(scenario: Scenario, names: Sequence[str] = (), show: int = 0) -> AttackReport:
    """Run the named attacks, or all, and collect their outcomes; ``show`` people who are found for certain.

    An attack that is not done when the patience ends counts as not tried; the outcomes of those before it are kept.
    """
    known = {attack.name: attack for attack in ATTACKS}
    for name in names:
        choice("attack", "attacks", name, tuple(known))
    chosen = [known[name] for name in names] if names else list(ATTACKS)
    outcomes: list[AttackOutcome] = []
    skipped: dict[str, str] = {}
    found: tuple[Mapping[str, Any], ...] = ()
    with scenario.patience.listening():
        for at, attack in enumerate(chosen):
            made, ended = _outcomes(scenario, attack, at / len(chosen), 1 / len(chosen))
            outcomes += made
            if ended is not None:
                skipped |= {each.name: f"more time: {ended} ended the run" for each in chosen[at:]}
                break
            skipped |= {} if made else {attack.name: attack.needs}
        else:
            ended = None
            found = tuple(found_people(scenario, show)) if show else ()
    people = scenario.original.num_rows
    lost = scenario.unfound, scenario.unplaced
    return AttackReport(tuple(outcomes), skipped, len(scenario.targets), people, found, ended, *lost)


def _outcomes(
    scenario: Scenario, attack: Attack, begin: float, length: float
) -> tuple[list[AttackOutcome], str | None]:
    """Run one attack; nothing of it is kept if the patience ends, and why that is comes second."""
    try:
        scenario.patience.begin(f"attacking: {attack.name}", begin, length)
        return list(attack.run(scenario)), None
    except EndedEarlyError as end:
        return [], str(end)
    except KeyboardInterrupt:
        return [], INTERRUPT
