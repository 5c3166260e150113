"""Attacks on your own release: each states what the attacker knows and what counts as success."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.assess.attacks.base import Attack, AttackOutcome
from sfumato.assess.attacks.composition import Intersection, Membership
from sfumato.assess.attacks.definetti import DeFinetti
from sfumato.assess.attacks.downcoding import Downcoding, MeanReconstruction
from sfumato.assess.attacks.inference import BackgroundKnowledge, Homogeneity, Inference
from sfumato.assess.attacks.linkage import Linkability, Linkage, NoisyLinkage, PartialLinkage, SinglingOut, found_people
from sfumato.assess.attacks.minimality import Minimality
from sfumato.assess.attacks.refinement import Refinement
from sfumato.assess.attacks.report import AttackReport
from sfumato.assess.attacks.scenario import Scenario
from sfumato.assess.attacks.side_channels import FileChannels, RowOrder
from sfumato.common.parameters import choice

__all__ = ["ATTACKS", "Attack", "AttackOutcome", "AttackReport", "Scenario", "run_attacks"]

ATTACKS: tuple[Attack, ...] = (
    Linkage(),
    PartialLinkage(),
    NoisyLinkage(),
    SinglingOut(),
    Linkability(),
    Inference(),
    Homogeneity(),
    BackgroundKnowledge(),
    DeFinetti(),
    Minimality(),
    Refinement(),
    Downcoding(),
    MeanReconstruction(),
    Intersection(),
    Membership(),
    RowOrder(),
    FileChannels(),
)


def run_attacks(scenario: Scenario, names: Sequence[str] = (), show: int = 0) -> AttackReport:
    """Run the named attacks, or all, and collect their outcomes; ``show`` people who are found for certain."""
    known = {attack.name: attack for attack in ATTACKS}
    for name in names:
        choice("attack", "attacks", name, tuple(known))
    chosen = [known[name] for name in names] if names else list(ATTACKS)
    outcomes = [outcome for attack in chosen for outcome in attack.run(scenario)]
    tried = {outcome.attack for outcome in outcomes}
    skipped = {attack.name: attack.needs for attack in chosen if attack.name not in tried}
    found = tuple(found_people(scenario, show)) if show else ()
    return AttackReport(tuple(outcomes), skipped, len(scenario.targets), scenario.reading.people, found)
