"""Start the engine that a request names, and refuse first what no engine can do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from sfumato.common.progress import ProgressOption
from sfumato.errors import ParameterError, listed
from sfumato.hierarchies import Learned
from sfumato.io.memory import allowed_memory
from sfumato.methods import Method
from sfumato.methods.on_engine import PartsAlongOrder, PartsByFirstCuts
from sfumato.privacy import MinimumSpan
from sfumato.privacy.population import PopulationModel
from sfumato.release.release import Release
from sfumato.run.large.engine import Engine
from sfumato.run.large.spark.session import OfFrame, Spark
from sfumato.run.request import AUTO, Request
from sfumato.run.where import is_spark_frame

#: The methods of this package that engines run, by the names that ``method=`` takes.
RUNNABLE = ("hilbert", "hilbert-fast", "mondrian", "lattice", "incognito", "bottom-up", "samarati", "datafly")


def run_by_engine(
    data: object,
    request: Request,
    again: Callable[[object, Request], Release],
    progress: ProgressOption = False,
) -> Release:
    """Let an engine make the release that is asked for; ``again`` makes one of the same table for another request."""
    if is_spark_frame(data) and request.engine == AUTO:
        request = replace(request, engine=OfFrame(data))
    request.require_privacy()
    refuse_unable(request)
    if request.is_private:
        from sfumato.run.private import for_privacy  # noqa: PLC0415

        request = for_privacy(request)
    # Engines take long to import, and most tables need none.
    from sfumato.run.large.plan import carry_out  # noqa: PLC0415

    return carry_out(data, request, start(request), again, progress)


def start(request: Request) -> Engine:
    """Start the engine that a request names."""
    from sfumato.run.large.duckdb.engine import InDuckDB  # noqa: PLC0415

    memory = allowed_memory(request.caller, request.memory)
    asked = request.engine
    if asked in (AUTO, "duckdb"):
        return InDuckDB(memory, request.temporary)
    engine: Engine = (Spark(asked) if isinstance(asked, str) else asked).start(memory, request.temporary)
    return engine


def refuse_unable(request: Request) -> None:
    """Refuse what no engine can do, before anything is read."""
    reason = next(hindrances(request), None)
    if reason is not None:
        raise ParameterError(f"{reason} Or work in memory: engine='memory' (on the command line --engine memory).")


def hindrances(request: Request) -> Iterator[str]:
    """Yield the reasons why no engine can carry out a request: what needs all rows at once."""
    method, schema = request.method, request.schema
    support = method.on_engine
    if support is None:
        yield (
            f"The method '{method.name}' looks at all rows at once, which an engine does not hold together. Engines "
            f"run {listed(RUNNABLE)}, also refined."
        )
    if isinstance(support, PartsByFirstCuts) and any(isinstance(model, MinimumSpan) for model in request.privacy):
        name = method.name.capitalize()
        yield f"{name}'s first cuts on an engine see one column at a time, not what classes span. Take hilbert."
    if request.intervals == "mean" and method.recoding == "full-domain":
        yield "The mean of a class is that of rows in all parts, if levels hold for all. Ask for intervals='midpoint'."
    for name in ("transform", "pseudonymize", "sample", "preset", "keep_order"):
        if getattr(request, name):
            yield f"Engines do not support '{name}'. Apply it beforehand and drop the option."
    if schema.person is not None or schema.survey_weights is not None:
        yield "An engine counts rows: neither people with several rows nor weights of a survey are supported."
    whole = [model.name for model in request.privacy if model.whole or isinstance(model, PopulationModel)]
    if whole:
        yield f"{listed(whole)} is about the release as a whole, which an engine never sees at once. Leave it out."
    learned = [name for name, how in schema.quasi_identifiers.items() if isinstance(how, Learned)]
    if learned:
        yield f"The hierarchy of {listed(learned)} is learned from rows. Learn it from a sample, and use the file."


def method_for_parts(method: Method) -> Method:
    """The method that runs on the parts: the default method declares another one."""
    support = method.on_engine
    return support.instead or method if isinstance(support, PartsAlongOrder) else method
