"""The flow in one place: a table comes in, a verified release goes out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sfumato import methods, pipeline
from sfumato.clock import Clock
from sfumato.errors import SchemaError, invalid_parameter
from sfumato.io import open_source
from sfumato.methods import Method, find_method
from sfumato.pipeline import Options, build_release, prepare, requested_models, requirement_of
from sfumato.privacy import KAnonymity, PrivacyModel
from sfumato.progress import ProgressOption, reporting
from sfumato.release.release import Release
from sfumato.schema import Declared, Schema
from sfumato.verify.release import verify_release
from sfumato.verify.verification import Verification


def anonymize(
    data: object,
    schema: Schema | None = None,
    *,
    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str = (),
    sensitive: Iterable[str] | str = (),
    identifiers: Iterable[str] | str = (),
    plain: Iterable[str] | str = (),
    rest: str | None = None,
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    privacy: PrivacyModel | Sequence[PrivacyModel] = (),
    method: str | Method = "auto",
    refine: bool | float | str = False,
    suppression: float = 0.0,
    missing: str = "category",
    intervals: str = "text",
    keep_order: bool = False,
    seed: int = 0,
    progress: ProgressOption = False,
    separator: str | None = None,
) -> Release:
    """Make a release of a table that satisfies every stated privacy model, or say why that is impossible.

    Parameters
    ----------
    data
        A pandas, Polars or Arrow table, a DuckDB relation, or the path of a CSV, Parquet or JSON-lines file. It is
        never changed.
    schema
        What every column is. Or say it right here:
    quasi_identifiers, sensitive, identifiers, plain, rest
        As in `Schema`.
    k, l, t
        Short for ``KAnonymity(k)``, ``LDiversity(l)`` and ``TCloseness(t)``.
    privacy
        More models; all of them hold together.
    method
        A name out of ``sfumato methods``, or a method with parameters such as ``Mondrian(relaxed=True)``.
    refine
        Lower the loss of what the method found: True, a number of seconds, or ``"exhaustive"``, as in `Refined`.
    suppression
        The share of rows that may be left out where that saves most, from 0 to 1.
    missing
        What a missing quasi-identifier is: ``"category"``, a value of its own; ``"suppress"``, a reason to leave the
        row out; ``"error"``.
    intervals
        How intervals are shown: ``"text"``, ``"bounds"`` (two typed columns), ``"midpoint"`` or ``"mean"``.
    keep_order
        Keep the order of rows. Order can give people away, so by default rows are shuffled.
    seed
        Where random choices start; the same table and seed give the same bytes.
    progress
        True for a progress bar, or a function of a stage's name and the share that is done.
    separator
        What separates the cells of a CSV file; detected if left out.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> people = pa.table({"age": [25, 27, 41, 44], "illness": ["flu", "ulcer", "flu", "asthma"]})
    >>> release = sf.anonymize(people, quasi_identifiers="age", sensitive="illness", k=2, l=2)
    >>> sorted(set(release.data["age"].to_pylist()))
    ['[25, 27]', '[41, 44]']
    """
    models = requested_models(k, l, t, privacy)
    given = one_schema(schema, quasi_identifiers, sensitive, identifiers, plain, rest)
    options = Options(suppression, missing, intervals, keep_order, seed)
    options.check_models(models)
    chosen = find_method(method) if refine is False else methods.Refined(method, refine)
    clock = Clock()
    with reporting(progress) as report, clock.measuring("total"):
        with clock.measuring("read"):
            report("reading", 0.0)
            source = open_source(data, separator=separator)
            prepared = prepare(source, given, options, report)
        with clock.measuring("method"):
            outcome = pipeline.recode(prepared.microdata, models, chosen, options, report)
        with clock.measuring("release"):
            release = build_release(source, given, prepared, outcome, chosen, options, clock, report)
    release.manifest["seconds"] = clock.rounded()
    return release


def recode(
    data: object,
    schema: Schema,
    *,
    levels: Mapping[str, int | str],
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    privacy: PrivacyModel | Sequence[PrivacyModel] = (),
    suppression: float = 0.0,
    missing: str = "category",
    keep_order: bool = False,
    seed: int = 0,
    separator: str | None = None,
) -> Release:
    """Recode a table to given levels, such as those chosen for last month's table, and check that the models hold.

    Parameters
    ----------
    data, schema
        As in `anonymize`; the hierarchies must be those that the levels were chosen with.
    levels
        The level of every quasi-identifier: ``release.levels``, or a row of ``release.alternatives``. Or what the
        levels are called, ``release.level_names``, which means the same whatever values the table has.
    k, l, t, privacy
        What must hold, as in `anonymize`. Without any, the table is recoded and nothing is promised.
    suppression
        The share of rows that may be left out because their classes break a model.
    missing, keep_order, seed, separator
        As in `anonymize`.

    Raises
    ------
    InfeasibleError
        If the levels no longer keep the models; the message says how many rows are in the way.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> schema = sf.Schema({"age": sf.Numeric(widths=(5, 10))})
    >>> release = sf.recode(pa.table({"age": [21, 23, 34, 38]}), schema, levels={"age": 2}, k=2)
    >>> sorted(release.data["age"].to_pylist())
    ['[20, 29]', '[20, 29]', '[30, 39]', '[30, 39]']
    """
    models = requested_models(k, l, t, privacy, required=False) or (KAnonymity(1),)
    return anonymize(
        data,
        schema,
        privacy=models,
        method=methods.FixedLevels(levels),
        suppression=suppression,
        missing=missing,
        keep_order=keep_order,
        seed=seed,
        separator=separator,
    )


def check(
    data: object,
    *,
    quasi_identifiers: Iterable[str] | str,
    sensitive: Iterable[str] | str = (),
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
    privacy: PrivacyModel | Sequence[PrivacyModel] = (),
    separator: str | None = None,
) -> Verification:
    """Check any table, whoever made it, against privacy models.

    Parameters
    ----------
    data
        As in `anonymize`.
    quasi_identifiers
        The columns that together make a class.
    sensitive
        The sensitive columns.
    k, l, t, privacy
        As in `anonymize`. Without any, the result tells what the table achieves.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> result = sf.check(pa.table({"age": ["[20, 29]", "[20, 29]", "*"]}), quasi_identifiers="age", k=2)
    >>> result.ok, result.k
    (False, 1)
    """
    schema = Schema(quasi_identifiers, sensitive, rest="drop")
    source = open_source(data, separator=separator)
    schema.roles(source.columns)
    names = [*schema.quasi_identifiers, *schema.sensitive]
    table = source.read(names)
    models = requested_models(k, l, t, privacy, required=False)
    requirements = [requirement_of(model, schema) for model in models]
    return verify_release(table, tuple(schema.quasi_identifiers), schema.sensitive, requirements)


def one_schema(
    schema: Schema | None,
    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str,
    sensitive: Iterable[str] | str,
    identifiers: Iterable[str] | str,
    plain: Iterable[str] | str,
    rest: str | None,
) -> Schema:
    """Return the schema that a caller gave, or the one that the arguments say."""
    if schema is None:
        return Schema(quasi_identifiers, sensitive, identifiers, plain, rest)
    if not isinstance(schema, Schema):
        raise invalid_parameter("anonymize", "schema", "a Schema", schema)
    if quasi_identifiers or sensitive or identifiers or plain or rest:
        raise SchemaError("Roles are given twice: in the schema and as arguments. Say them in one place.")
    return schema
