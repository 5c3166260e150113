"""Who does the work: this process in memory, or an engine; and what an engine cannot do, said before it starts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sfumato.common.progress import ProgressOption
from sfumato.errors import ParameterError, listed
from sfumato.hierarchies import Learned
from sfumato.io.memory import allowed_memory, memory_to_anonymize
from sfumato.io.write import names_folder, refuse_other_than_parquet
from sfumato.methods import Method
from sfumato.methods.on_engine import PartsAlongOrder, PartsByFirstCuts
from sfumato.privacy import MinimumSpan
from sfumato.privacy.population import PopulationModel
from sfumato.release.release import Release
from sfumato.run import pipeline
from sfumato.run.large.engine import Engine
from sfumato.run.large.spark.session import OfFrame, Spark, is_spark_frame
from sfumato.run.request import AUTO, Request

#: The methods of this package that engines run, by the names that ``method=`` takes.
RUNNABLE = ("hilbert", "hilbert-fast", "mondrian", "lattice", "incognito", "bottom-up", "samarati", "datafly")


def run(data: object, request: Request, progress: ProgressOption = False) -> Release:
    """Make the release that is asked for, in memory or by an engine."""
    data = opened(data, request)
    if in_memory(data, request):
        return pipeline.run(data, request, progress)
    if is_spark_frame(data) and request.engine == AUTO:
        request = replace(request, engine=OfFrame(data))
    request.require_privacy()
    refuse_unable(request)
    # An engine is heavy to import, and most tables need none.
    from sfumato.run.large.plan import carry_out  # noqa: PLC0415

    return carry_out(data, request, start(request), run, progress)


def opened(data: object, request: Request) -> object:
    """Open a table that somebody has to look at before it is known who does the work, so that it is opened once."""
    return request.open(data) if request.engine == AUTO and not is_spark_frame(data) else data


def in_memory(data: object, request: Request) -> bool:
    """Return whether the work is done in memory: where that is asked for, or left open and it fits."""
    if request.engine == AUTO and is_spark_frame(data):
        return False
    return request.engine == "memory" or (request.engine == AUTO and _fits(data, request))


def require_memory(data: object, request: Request, wanted: str) -> None:
    """Refuse what is made of all released rows together where an engine would do the work, before anything is read."""
    if not in_memory(data, request):
        raise ParameterError(
            f"{wanted} looks at all rows of the release together, which an engine does not load. Leave it out: "
            "'sfumato report' and 'sfumato attack' take the written file, where it fits in memory. Or work in memory: "
            "engine='memory' (on the command line --engine memory)."
        )


def writes_folder(data: object, request: Request, path: Path, form: str | None) -> bool:
    """Return whether a release is written as a folder: by a cluster always, by DuckDB where a path names no file."""
    if on_spark(data, request):
        refuse_other_than_parquet(path, form)
        return True
    return names_folder(path, form) and not in_memory(data, request)


def on_spark(data: object, request: Request) -> bool:
    """Return whether a cluster does the work: one that is named, or the one that has the frame."""
    return is_spark_frame(data) if request.engine == AUTO else request.engine not in ("memory", "duckdb")


def start(request: Request) -> Engine:
    """Start the engine that a request names."""
    from sfumato.run.large.duckdb.engine import InDuckDB  # noqa: PLC0415

    memory = allowed_memory(request.caller, request.memory)
    asked = request.engine
    if asked in (AUTO, "duckdb"):
        return InDuckDB(memory, request.temporary)
    engine: Engine = (Spark(asked) if isinstance(asked, str) else asked).start(memory, request.temporary)
    return engine


def _fits(data: object, request: Request) -> bool:
    """Return whether a table can be worked on in memory: a frame is there already, all else tells its size or not."""
    source = request.open(data)
    if source.loaded:
        return True
    needed = memory_to_anonymize(source, source.columns)
    if needed is None or needed <= allowed_memory(request.caller, request.memory):
        return True
    # Who names a limit is told what is in the way of it; who does not is served as long as memory lasts.
    return request.memory is None and next(hindrances(request), None) is not None


def refuse_unable(request: Request) -> None:
    """Refuse what no engine can do, before anything is read."""
    reason = next(hindrances(request), None)
    if reason is not None:
        raise ParameterError(f"{reason} Or work in memory: engine='memory' (on the command line --engine memory).")


def hindrances(request: Request) -> Iterator[str]:
    """Yield what is asked for that needs all rows at once."""
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
            yield f"'{name}' is not done by an engine. Do it before, and leave it out here."
    if schema.person is not None or schema.survey_weights is not None:
        yield "An engine counts rows: neither people with several rows nor weights of a survey are supported."
    whole = [model.name for model in request.privacy if model.whole or isinstance(model, PopulationModel)]
    if whole:
        yield f"{listed(whole)} is about the release as a whole, which an engine never sees at once. Leave it out."
    learned = [name for name, how in schema.quasi_identifiers.items() if isinstance(how, Learned)]
    if learned:
        yield f"The hierarchy of {listed(learned)} is learned from rows. Learn it from a sample, and use the file."


def method_for_parts(method: Method) -> Method:
    """Return the method that runs on the parts: the default method declares another one."""
    support = method.on_engine
    return support.instead or method if isinstance(support, PartsAlongOrder) else method
