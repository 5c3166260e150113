"""Privacy models: conditions on the equivalence classes of a release, alone or together."""

from __future__ import annotations

from sfumato.privacy.base import PrivacyModel, Rule, SensitiveModel
from sfumato.privacy.differential_privacy import DifferentialPrivacy
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.likeness import BetaLikeness, DeltaDisclosure
from sfumato.privacy.minimum_span import MinimumSpan
from sfumato.privacy.population import DeltaPresence, KMap, MarketerRisk, PopulationUniques
from sfumato.privacy.requirements import Requirements
from sfumato.privacy.t_closeness import TCloseness
from sfumato.privacy.whole_release import AverageRisk, UniqueShare

#: Every model by its name, as policy files and presets say it.
MODELS: dict[str, type[PrivacyModel]] = {
    model.name: model
    for model in (
        KAnonymity,
        LDiversity,
        TCloseness,
        MinimumSpan,
        BetaLikeness,
        DeltaDisclosure,
        AverageRisk,
        UniqueShare,
        KMap,
        DeltaPresence,
        MarketerRisk,
        PopulationUniques,
        DifferentialPrivacy,
    )
}

__all__ = [
    "MODELS",
    "AverageRisk",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "MarketerRisk",
    "MinimumSpan",
    "PopulationUniques",
    "PrivacyModel",
    "Requirements",
    "Rule",
    "SensitiveModel",
    "TCloseness",
    "UniqueShare",
]
