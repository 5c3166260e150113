"""Publish tables about people so that nobody in them can be singled out, with as little loss as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.common.lazy import on_demand

if TYPE_CHECKING:
    from sfumato import datasets, engines, errors, methods, sklearn
    from sfumato.api.anatomize import anatomize
    from sfumato.api.anonymize import anonymize
    from sfumato.api.attack import attack
    from sfumato.api.certify import certify
    from sfumato.api.check import check
    from sfumato.api.check_bound import check_bound, write_bound
    from sfumato.api.checklist import checklist
    from sfumato.api.compare import compare
    from sfumato.api.frontier import frontier
    from sfumato.api.policy import Policy
    from sfumato.api.profile import profile
    from sfumato.api.recode import recode
    from sfumato.api.risk import risk
    from sfumato.api.strongest import Strongest, strongest
    from sfumato.api.uniqueness import uniqueness
    from sfumato.api.utility import utility
    from sfumato.assess.queries import Anatomized, Released
    from sfumato.errors import SfumatoError
    from sfumato.hierarchies import (
        ICD10,
        ISCO,
        NACE,
        Ages,
        Bands,
        Capped,
        Categorical,
        Clusters,
        Countries,
        Dates,
        Numeric,
        Ordered,
        Prefix,
        Quantiles,
        Rounded,
        Similar,
        Taxonomy,
        Weekdays,
        Within,
    )
    from sfumato.io import open_source
    from sfumato.loss import Objective
    from sfumato.methods import (
        Auto,
        Best,
        BestCuts,
        BottomUp,
        CostAware,
        Datafly,
        EnumMulti,
        Hilbert,
        IDistance,
        Incognito,
        KOptimize,
        Lattice,
        Mondrian,
        Peeling,
        Proven,
        Refined,
        Samarati,
        TopDown,
    )
    from sfumato.privacy import (
        AverageRisk,
        BetaLikeness,
        DeltaDisclosure,
        DeltaPresence,
        DifferentialPrivacy,
        KAnonymity,
        KMap,
        LDiversity,
        MarketerRisk,
        MinimumSpan,
        PopulationUniques,
        TCloseness,
        UniqueShare,
    )
    from sfumato.release.anatomy import Anatomy
    from sfumato.release.certificate import Certificate
    from sfumato.release.release import Release
    from sfumato.run.frontier import Frontier
    from sfumato.run.presets import Preset
    from sfumato.studio.widget import widget
    from sfumato.table.pseudonyms import Pseudonyms
    from sfumato.table.sampling import Sample
    from sfumato.table.schema import Schema
    from sfumato.table.shift import Shift
    from sfumato.table.transforms import Age, AtLevel, Clip, Fold, Round
    from sfumato.verify.verification import Verification

__version__ = "0.1.0"

#: The module of each public name, imported on first access, so that small commands start at once.
_HOMES = {
    "anonymize": "sfumato.api.anonymize",
    "check": "sfumato.api.check",
    **dict.fromkeys(("check_bound", "write_bound"), "sfumato.api.check_bound"),
    "strongest": "sfumato.api.strongest",
    "recode": "sfumato.api.recode",
    "anatomize": "sfumato.api.anatomize",
    "Anatomy": "sfumato.release.anatomy",
    "Anatomized": "sfumato.assess.queries",
    "attack": "sfumato.api.attack",
    "risk": "sfumato.api.risk",
    "certify": "sfumato.api.certify",
    "Certificate": "sfumato.release.certificate",
    "checklist": "sfumato.api.checklist",
    "compare": "sfumato.api.compare",
    "frontier": "sfumato.api.frontier",
    "Frontier": "sfumato.run.frontier",
    "uniqueness": "sfumato.api.uniqueness",
    "widget": "sfumato.studio.widget",
    "utility": "sfumato.api.utility",
    "open_source": "sfumato.io",
    "sklearn": "sfumato.sklearn",
    "profile": "sfumato.api.profile",
    "Schema": "sfumato.table.schema",
    "Policy": "sfumato.api.policy",
    "Preset": "sfumato.run.presets",
    "Release": "sfumato.release.release",
    "Released": "sfumato.assess.queries",
    "Spark": "sfumato.run.large.spark.session",
    **dict.fromkeys(("Age", "AtLevel", "Clip", "Fold", "Round"), "sfumato.table.transforms"),
    "Shift": "sfumato.table.shift",
    "Pseudonyms": "sfumato.table.pseudonyms",
    "Sample": "sfumato.table.sampling",
    **dict.fromkeys(("Numeric", "Bands", "Capped", "Rounded", "Quantiles", "Clusters"), "sfumato.hierarchies"),
    **dict.fromkeys(("Categorical", "Ordered", "Prefix", "Taxonomy", "Within", "Similar"), "sfumato.hierarchies"),
    **dict.fromkeys(("Dates", "Ages", "Weekdays"), "sfumato.hierarchies"),
    **dict.fromkeys(("ICD10", "ISCO", "NACE", "Countries"), "sfumato.hierarchies"),
    "KAnonymity": "sfumato.privacy",
    "LDiversity": "sfumato.privacy",
    "TCloseness": "sfumato.privacy",
    "MinimumSpan": "sfumato.privacy",
    "BetaLikeness": "sfumato.privacy",
    "UniqueShare": "sfumato.privacy",
    "KMap": "sfumato.privacy",
    "MarketerRisk": "sfumato.privacy",
    "PopulationUniques": "sfumato.privacy",
    "DeltaPresence": "sfumato.privacy",
    "DifferentialPrivacy": "sfumato.privacy",
    "AverageRisk": "sfumato.privacy",
    "DeltaDisclosure": "sfumato.privacy",
    **dict.fromkeys(("Auto", "Best", "BestCuts", "Peeling", "Proven", "Refined"), "sfumato.methods"),
    "Mondrian": "sfumato.methods",
    "EnumMulti": "sfumato.methods",
    "Hilbert": "sfumato.methods",
    "IDistance": "sfumato.methods",
    "Lattice": "sfumato.methods",
    "Incognito": "sfumato.methods",
    "BottomUp": "sfumato.methods",
    "Samarati": "sfumato.methods",
    "CostAware": "sfumato.methods",
    "KOptimize": "sfumato.methods",
    "TopDown": "sfumato.methods",
    "Datafly": "sfumato.methods",
    "Objective": "sfumato.loss",
    "SfumatoError": "sfumato.errors",
    "Verification": "sfumato.verify.verification",
    "Strongest": "sfumato.api.strongest",
    "datasets": "sfumato.datasets",
    "engines": "sfumato.engines",
    "errors": "sfumato.errors",
    "methods": "sfumato.methods",
}

__all__ = [
    "ICD10",
    "ISCO",
    "NACE",
    "Age",
    "Ages",
    "Anatomized",
    "Anatomy",
    "AtLevel",
    "Auto",
    "AverageRisk",
    "Bands",
    "Best",
    "BestCuts",
    "BetaLikeness",
    "BottomUp",
    "Capped",
    "Categorical",
    "Certificate",
    "Clip",
    "Clusters",
    "CostAware",
    "Countries",
    "Datafly",
    "Dates",
    "DeltaDisclosure",
    "DeltaPresence",
    "DifferentialPrivacy",
    "EnumMulti",
    "Fold",
    "Frontier",
    "Hilbert",
    "IDistance",
    "Incognito",
    "KAnonymity",
    "KMap",
    "KOptimize",
    "LDiversity",
    "Lattice",
    "MarketerRisk",
    "MinimumSpan",
    "Mondrian",
    "Numeric",
    "Objective",
    "Ordered",
    "Peeling",
    "Policy",
    "PopulationUniques",
    "Prefix",
    "Preset",
    "Proven",
    "Pseudonyms",
    "Quantiles",
    "Refined",
    "Release",
    "Released",
    "Round",
    "Rounded",
    "Samarati",
    "Sample",
    "Schema",
    "SfumatoError",
    "Shift",
    "Similar",
    "Spark",
    "Strongest",
    "TCloseness",
    "Taxonomy",
    "TopDown",
    "UniqueShare",
    "Verification",
    "Weekdays",
    "Within",
    "__version__",
    "anatomize",
    "anonymize",
    "attack",
    "certify",
    "check",
    "check_bound",
    "checklist",
    "compare",
    "datasets",
    "engines",
    "errors",
    "frontier",
    "methods",
    "open_source",
    "profile",
    "recode",
    "risk",
    "sklearn",
    "strongest",
    "uniqueness",
    "utility",
    "widget",
    "write_bound",
]


__getattr__ = on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
