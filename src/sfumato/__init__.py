"""Publish tables about people so that nobody in them can be singled out, with as little loss as possible."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sfumato.on_demand import on_demand

if TYPE_CHECKING:
    from sfumato import datasets, engines, errors, methods, sklearn
    from sfumato.anatomizing import anatomize
    from sfumato.answering import checklist
    from sfumato.api import anonymize, check, recode
    from sfumato.certifying import Certificate, certify
    from sfumato.columns import Age, AtLevel, Clip, Pseudonyms, Round, Sample, Shift
    from sfumato.comparing import compare
    from sfumato.dual import Strongest, strongest
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
    from sfumato.judging import attack, risk
    from sfumato.loss import Objective
    from sfumato.measuring import utility
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
    from sfumato.policy import Policy
    from sfumato.presets import Preset
    from sfumato.privacy import (
        AverageRisk,
        BetaLikeness,
        DeltaDisclosure,
        DeltaPresence,
        KAnonymity,
        KMap,
        LDiversity,
        MarketerRisk,
        MinimumSpan,
        PopulationUniques,
        TCloseness,
        UniqueShare,
    )
    from sfumato.profiling import profile
    from sfumato.queries import Anatomized, Released
    from sfumato.release.anatomy import Anatomy
    from sfumato.release.release import Release
    from sfumato.schema import Schema
    from sfumato.verify.verification import Verification

__version__ = "0.1.0"

#: Where each public name lives; it is imported when it is first used, so that small commands start at once.
_HOMES = {
    "anonymize": "sfumato.api",
    "check": "sfumato.api",
    "strongest": "sfumato.dual",
    "recode": "sfumato.api",
    "anatomize": "sfumato.anatomizing",
    "Anatomy": "sfumato.release.anatomy",
    "Anatomized": "sfumato.queries",
    "attack": "sfumato.judging",
    "risk": "sfumato.judging",
    "certify": "sfumato.certifying",
    "Certificate": "sfumato.certifying",
    "checklist": "sfumato.answering",
    "compare": "sfumato.comparing",
    "utility": "sfumato.measuring",
    "open_source": "sfumato.io",
    "sklearn": "sfumato.sklearn",
    "profile": "sfumato.profiling",
    "Schema": "sfumato.schema",
    "Policy": "sfumato.policy",
    "Preset": "sfumato.presets",
    "Release": "sfumato.release.release",
    "Released": "sfumato.queries",
    "Spark": "sfumato.scale.sessions",
    **dict.fromkeys(("Age", "AtLevel", "Clip", "Pseudonyms", "Round", "Sample", "Shift"), "sfumato.columns"),
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
    "Strongest": "sfumato.dual",
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
    "EnumMulti",
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
    "checklist",
    "compare",
    "datasets",
    "engines",
    "errors",
    "methods",
    "open_source",
    "profile",
    "recode",
    "risk",
    "sklearn",
    "strongest",
    "utility",
]


__getattr__ = on_demand(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
