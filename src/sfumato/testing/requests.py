"""The requests of the suite: combinations of models, and a release of each or a declared refusal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import pyarrow as pa

from sfumato.api.anonymize import anonymize
from sfumato.errors import InfeasibleError, ParameterError
from sfumato.hierarchies import Taxonomy
from sfumato.methods import Method
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
    PrivacyModel,
    TCloseness,
    UniqueShare,
)
from sfumato.release.release import Release
from sfumato.testing.tables import ILLNESSES, SCHEMA, people

_ILLNESS_TREE = Taxonomy.from_dict(ILLNESSES)
#: The population that `tables.people` are a sample of: themselves, and as many others.
_POPULATION = pa.concat_tables([people(), people(seed=7)])

#: Every model and variant, alone with k-anonymity and together, on the columns of `tables.people`.
COMBINATIONS: dict[str, tuple[PrivacyModel, ...]] = {
    "k": (KAnonymity(5),),
    "frequency l": (KAnonymity(3), LDiversity(2, column="illness")),
    "distinct l": (KAnonymity(3), LDiversity(3, kind="distinct", column="illness")),
    "entropy l": (KAnonymity(3), LDiversity(2.5, kind="entropy", column="illness")),
    "recursive l": (KAnonymity(3), LDiversity(2, kind="recursive", c=2, column="illness")),
    "equal t": (KAnonymity(3), TCloseness(0.4, column="illness")),
    "ordered t": (KAnonymity(3), TCloseness(0.2, distance="ordered", column="income")),
    "hierarchical t": (
        KAnonymity(3),
        TCloseness(0.3, distance="hierarchical", taxonomy=_ILLNESS_TREE, column="illness"),
    ),
    "numeric t": (KAnonymity(3), TCloseness(0.25, distance="numeric", column="income")),
    "basic beta": (KAnonymity(3), BetaLikeness(1.5, column="illness")),
    "enhanced beta": (KAnonymity(3), BetaLikeness(2, kind="enhanced", column="illness")),
    "delta disclosure": (KAnonymity(3), DeltaDisclosure(2, column="illness")),
    "minimum-span": (KAnonymity(3), MinimumSpan("age", 10)),
    "as a whole": (
        KAnonymity(2),
        AverageRisk(0.3),
        UniqueShare(0.0),
        KMap(4, population=_POPULATION),
        DeltaPresence(0.0, 0.9, population=_POPULATION),
        MarketerRisk(0.25, population=_POPULATION),
        PopulationUniques(0.01, population=_POPULATION),
        PopulationUniques(0.01, population=0.05),
    ),
    "l alone": (LDiversity(2, column="income"),),
    "every sensitive column": (KAnonymity(2), LDiversity(2), TCloseness(0.5)),
    "everything": (
        KAnonymity(4),
        LDiversity(2, kind="distinct"),
        LDiversity(1.5, kind="entropy", column="income"),
        TCloseness(0.45, column="illness"),
        TCloseness(0.3, distance="ordered", column="income"),
        MinimumSpan("born", 365),
    ),
}


#: The engine that makes the releases of checks.
_ENGINE: ContextVar[str] = ContextVar("engine", default="auto")


@contextmanager
def made_by(engine: str) -> Iterator[None]:
    """Make all releases inside by an engine."""
    before = _ENGINE.set(engine)
    try:
        yield
    finally:
        _ENGINE.reset(before)


def plainest(method: Method) -> tuple[PrivacyModel, ...]:
    """The simplest request that a method supports: k-anonymity, unless it declares otherwise."""
    if "k-anonymity" not in method.unsupported:
        return (KAnonymity(3),)
    return (LDiversity(2, column="illness"),)


def release(method: Method, table: pa.Table, **request: Any) -> Release | None:
    """Make a release of `tables.people`; None if it is refused for what the method declares as unsupported.

    None also for requests that an engine refuses because they need all rows at once.

    Without ``schema`` or roles the columns are those of `tables.people`; without ``privacy`` or ``k`` the plainest
    request is made.
    """
    if not {"schema", "quasi_identifiers"} & set(request):
        request["schema"] = SCHEMA
    if not {"privacy", "k"} & set(request):
        request["privacy"] = plainest(method)
    try:
        return anonymize(table, method=method, engine=_ENGINE.get(), **request)
    except (ParameterError, InfeasibleError) as error:
        if _ENGINE.get() != "auto" and "Or work in memory: engine='memory'" in str(error):
            return None
        if any(f"does not support {what}" in str(error) or f", {what}" in str(error) for what in method.unsupported):
            return None
        raise


def certain_release(method: Method, table: object, **request: Any) -> Release:
    """Make a release that no method may refuse."""
    made = release(method, table, **request)
    assert made is not None, f"'{method.name}' refuses a request that no method may refuse: {sorted(request)}."
    return made
