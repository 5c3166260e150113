"""A request: everything about a release but the data. Every public function builds one, and the steps follow it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import dataclass, field, fields, replace
from functools import partial, wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, cast, get_args, get_type_hints

from sfumato import methods
from sfumato.assess.cautions import CODES, check_confirmed
from sfumato.common import parameters
from sfumato.errors import ParameterError, SchemaError, did_you_mean, invalid_parameter, listed
from sfumato.hierarchies import Categorical, Hierarchy
from sfumato.hierarchies.grid_domain import ENDS
from sfumato.io import Source, open_source
from sfumato.io.missing import EVERY_COLUMN, MissingCodes, missing_codes
from sfumato.io.source import date_forms, decimal_sign
from sfumato.loss import Minimized
from sfumato.methods import Method, MethodOption, find_method
from sfumato.privacy import KAnonymity, LDiversity, MinimumSpan, PrivacyModel, TCloseness
from sfumato.privacy.population import PopulationModel
from sfumato.release.values import INTERVALS
from sfumato.table.pseudonyms import Pseudonyms, pseudonyms_of
from sfumato.table.sampling import Sample, sample_of
from sfumato.table.schema import Declared, Schema
from sfumato.table.transform_base import Transform
from sfumato.table.transforms import transforms_of

if TYPE_CHECKING:
    from sfumato.run.presets import Preset

MISSING = ("category", "suppress", "error")

#: Lets Sfumato choose: the method, or a hierarchy by the type of its column.
AUTO = "auto"

#: Where the work is done: in memory, or by an engine that holds the rows; an address names a cluster.
ENGINES = (AUTO, "memory", "duckdb")
CLUSTERS = ("spark", "local", "yarn", "k8s://")

#: Options that may be given in several forms, of which the request keeps one.
SPELT = {"transform", "pseudonymize", "sample", "na", "dates", "confirm", "temporary"}

#: Options by column: a request keeps them as mappings, also where nothing is given.
BY_COLUMN = {"transform", "pseudonymize", "na", "dates"}

#: The options that say how a table is to be read.
READING = ("separator", "encoding", "sheet", "layout", "decimal", "dates", "skip")

Function = TypeVar("Function", bound=Callable[..., Any])


class RolesAndRules(TypedDict, total=False):
    """Roles, models but k, and how the table is read."""

    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str
    sensitive: Iterable[str] | str
    person: str | None
    l: float | None  # noqa: E741
    t: float | None
    privacy: PrivacyModel | Sequence[PrivacyModel]
    preset: str | None
    confirm: Iterable[str] | str
    separator: str | None
    encoding: str | None
    sheet: str | None
    layout: str | None
    decimal: str | None
    dates: Mapping[str, str] | str
    skip: int | None


class CheckArguments(RolesAndRules, total=False):
    """The arguments of a check in memory."""

    k: int | None


class CheckAnyArguments(CheckArguments, total=False):
    """The arguments of a check, in memory or by an engine."""

    engine: str | EngineOption
    memory: int | str | None
    temporary: str | os.PathLike[str] | None
    threads: int | None


class AnatomizeArguments(TypedDict, total=False):
    """The arguments of a release in two tables."""

    quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str
    sensitive: Iterable[str] | str
    identifiers: Iterable[str] | str
    plain: Iterable[str] | str
    rest: str | None
    missing: str
    seed: int | None
    na: MissingCodes
    confirm: Iterable[str] | str
    strict: bool
    transform: Mapping[str, Transform | Hierarchy]
    sample: float | Sample | None
    threads: int | None
    separator: str | None
    encoding: str | None
    sheet: str | None
    layout: str | None
    decimal: str | None
    dates: Mapping[str, str] | str
    skip: int | None


class AttemptArguments(RolesAndRules, total=False):
    """The arguments that all attempts at one table share: those of a release, except k and the method."""

    identifiers: Iterable[str] | str
    plain: Iterable[str] | str
    rest: str | None
    weights: str | None
    suppression: float
    missing: str
    intervals: str
    ends: str
    keep_order: bool
    seed: int | None
    na: MissingCodes
    strict: bool
    transform: Mapping[str, Transform | Hierarchy]
    pseudonymize: Mapping[str, Pseudonyms | None] | Iterable[str] | str
    sample: float | Sample | None
    engine: str | EngineOption
    memory: int | str | None
    temporary: str | os.PathLike[str] | None
    threads: int | None


class RecodeArguments(AttemptArguments, CheckArguments, total=False):
    """The arguments of a release, except the method."""


class FrontierArguments(AttemptArguments, total=False):
    """The arguments of a release, except k."""

    method: MethodOption
    refine: bool | float | str


class Arguments(RecodeArguments, total=False):
    """All arguments of a release."""

    method: MethodOption
    minimize: Minimized | None
    refine: bool | float | str


class EngineOption(ABC):
    """An engine with parameters, such as the address of a cluster, instead of the name of one."""

    name: str

    @abstractmethod
    def start(self, memory: int, temporary: str | os.PathLike[str] | None) -> Any:
        """Start the engine with a limit on memory here, in bytes, and a folder to keep rows in."""


def engine_option(owner: str, name: str, value: object) -> object:
    """Check that a value names an engine or is one."""
    named = isinstance(value, str) and (value in ENGINES or value.startswith(CLUSTERS))
    if not named and not isinstance(value, EngineOption):
        options = ", ".join(repr(one) for one in ENGINES)
        hint = did_you_mean(value, ENGINES)
        raise invalid_parameter(owner, name, f"one of {options}, or the address of a cluster", value, hint)
    return value


def _preset_name(owner: str, name: str, value: object) -> str:
    """Check that a preset of this name exists."""
    from sfumato.run.presets import preset_name  # noqa: PLC0415

    return preset_name(owner, name, value)


def folder_name(owner: str, name: str, value: object) -> str:
    """Check the path of a folder, and return it as text."""
    if not isinstance(value, str | os.PathLike):
        raise invalid_parameter(owner, name, "the path of a folder", value)
    return os.fspath(value)


def option(default: Any, check: Callable[..., object], **bounds: Any) -> Any:
    """Declare an option of a request with the check that every value but the default has to pass."""
    return field(default=default, metadata={"check": partial(check, **bounds)})


@dataclass(frozen=True)
class Request:
    """Everything about a release but the data; `Policy` and `sfumato.anonymize` describe the fields.

    Parameters
    ----------
    caller
        The function or command that the user called; errors name it.
    """

    schema: Schema
    privacy: Sequence[PrivacyModel] = ()
    method: Method = field(default_factory=lambda: find_method(AUTO))
    preset: str | None = option(None, _preset_name)
    suppression: float = option(0.0, parameters.share)
    missing: str = option("category", parameters.choice, allowed=MISSING)
    intervals: str = option("text", parameters.choice, allowed=INTERVALS)
    ends: str = option("data", parameters.choice, allowed=ENDS)
    keep_order: bool = option(False, parameters.flag)
    seed: int | None = option(None, parameters.integer, at_least=0)
    separator: str | None = option(None, parameters.text)
    encoding: str | None = option(None, parameters.text)
    sheet: str | None = option(None, parameters.text)
    layout: str | None = option(None, parameters.text)
    decimal: str | None = option(None, decimal_sign)
    dates: Mapping[str, str] = option((), date_forms)
    skip: int | None = option(None, parameters.integer, at_least=0)
    na: Mapping[str, tuple[str, ...]] = option((), missing_codes)
    confirm: tuple[str, ...] = option((), parameters.names)
    strict: bool = option(False, parameters.flag)
    transform: Mapping[str, Transform] = option((), transforms_of)
    pseudonymize: Mapping[str, Pseudonyms] = option((), pseudonyms_of)
    sample: Sample | None = option(None, sample_of)  # noqa: RUF009
    engine: str | EngineOption = option(AUTO, engine_option)  # noqa: RUF009
    memory: int | str | None = option(None, parameters.size)
    temporary: str | None = option(None, folder_name)
    threads: int | None = option(None, parameters.integer, at_least=1)
    caller: str = field(default="anonymize", repr=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "method", find_method(self.method))
        for declared in _options():
            value = getattr(self, declared.name)
            if declared.name in BY_COLUMN and isinstance(value, tuple | dict) and not value:
                object.__setattr__(self, declared.name, {})
            elif value is not declared.default:
                checked = declared.metadata["check"](self.caller, declared.name, value)
                object.__setattr__(self, declared.name, checked if declared.name in SPELT else value)
        models = all_models(self.caller, self.privacy)
        if self.preset is not None:
            models = all_models(self.caller, [*models, *self._added_by_preset(models)])
        object.__setattr__(self, "privacy", models)
        self._check_together()
        if self.is_private:
            from sfumato.run.private import refuse_faulty  # noqa: PLC0415

            refuse_faulty(self)

    def _added_by_preset(self, models: Sequence[PrivacyModel]) -> list[PrivacyModel]:
        """The models of the preset, except a k that is asked for anyway."""
        largest = max((model.k for model in models if isinstance(model, KAnonymity)), default=0)
        return [model for model in self.rules.privacy if not isinstance(model, KAnonymity) or model.k > largest]

    @property
    def rules(self) -> Preset:
        """The preset of the request."""
        from sfumato.run.presets import Preset  # noqa: PLC0415

        assert self.preset is not None
        return Preset.named(self.preset)

    @property
    def is_private(self) -> bool:
        """Whether differential privacy is asked for, which rests on how a release is made."""
        return any(model.procedural for model in self.privacy)

    def may_leave_out(self, rows: int) -> int:
        """How many of some rows may be suppressed: the share asked for, or any number where chance decides."""
        return rows if self.is_private else parameters.rows_within(self.suppression, rows)

    def _check_together(self) -> None:
        """Refuse what the verifier could not check: a midpoint does not show how wide its interval is."""
        if self.intervals in {"midpoint", "mean"} and any(isinstance(model, MinimumSpan) for model in self.privacy):
            raise invalid_parameter(
                self.caller, "intervals", "'text' or 'bounds' together with MinimumSpan", self.intervals
            )
        # Differential privacy covers labels alone: a mean depends on the rows of its class.
        about = [model.name for model in self.privacy if model.procedural]
        about += [model.name for model in self.privacy if isinstance(model, PopulationModel) and model.by_table]
        if about and self.intervals != "text":
            raise invalid_parameter(self.caller, "intervals", f"'text' together with {about[0]}", self.intervals)

    @classmethod
    def of(
        cls,
        caller: str,
        schema: Schema | None = None,
        *,
        quasi_identifiers: Mapping[str, Declared] | Iterable[str] | str = (),
        sensitive: Iterable[str] | str = (),
        person: str | None = None,
        identifiers: Iterable[str] | str = (),
        plain: Iterable[str] | str = (),
        rest: str | None = None,
        weights: str | None = None,
        k: int | None = None,
        l: float | None = None,  # noqa: E741
        t: float | None = None,
        privacy: PrivacyModel | Sequence[PrivacyModel] = (),
        method: MethodOption = AUTO,
        minimize: Minimized | None = None,
        refine: bool | float | str = False,
        **options: Any,
    ) -> Self:
        """Build a request from the arguments of a public function."""
        roles = (quasi_identifiers, sensitive, identifiers, plain, rest, None, person, weights)
        return cls(
            schema=_one_schema(caller, schema, roles),
            privacy=all_models(caller, privacy, k, l, t),
            method=_method(caller, find_method(method), minimize, refine),
            caller=caller,
            **options,
        )

    def with_schema(self, schema: Schema) -> Self:
        """The same request for other roles; nothing else changes, so nothing is checked again."""
        changed = copy(self)
        object.__setattr__(changed, "schema", schema)
        return changed

    def with_intervals(self, intervals: str) -> Self:
        """The same request with intervals shown in another way, if its models can be verified there."""
        changed = copy(self)
        object.__setattr__(changed, "intervals", intervals)
        changed._check_together()
        return changed

    def open(self, data: object) -> Source:
        """Open a table with the reading options of this request."""
        return open_source(data, **self.reading())

    def reading(self) -> dict[str, Any]:
        """How a table is to be read: the options of `open_source`."""
        return {name: getattr(self, name) for name in READING}

    def for_its_release(self) -> Self:
        """The same request for the table that it makes, which is read as Sfumato writes it."""
        plain: dict[str, Any] = dict.fromkeys(READING) | {"dates": {}}
        return replace(self, **plain)

    @property
    def changes_rows(self) -> bool:
        """Whether rows are sampled, or columns transformed or replaced by pseudonyms, before they are encoded."""
        return bool(self.transform or self.pseudonymize or self.sample is not None)

    def check_columns(self, columns: Sequence[str]) -> None:
        """Refuse confirmations and missing values of columns that the table does not have."""
        check_confirmed(self.confirm, columns, CODES)
        for option, named in (("na", self.na), ("dates", self.dates)):
            unknown = [name for name in named if name not in columns and name != EVERY_COLUMN]
            if unknown:
                raise SchemaError(
                    f"'{option}' names {listed(unknown)}, which the table does not have. Its columns are "
                    f"{listed(columns)}. {did_you_mean(unknown[0], columns)}".rstrip()
                )

    def read_as_text(self) -> list[str]:
        """The columns that are read as text even if all of their values look like numbers."""
        changed = [name for name, how in self.transform.items() if how.reads_text]
        # One row that is no number would turn 1.5 into the 1.50 that a file holds, for everybody.
        declared = self.schema.quasi_identifiers.items() if self.is_private else ()
        plain = [name for name, how in declared if isinstance(how, Categorical)]
        return [*self.schema.read_as_text(), *plain, *changed, *self.pseudonymize]

    def require_privacy(self) -> None:
        """Refuse a request without any privacy model."""
        if not self.privacy:
            raise ParameterError(
                "No privacy is asked for. Say how much, for example k=10 (on the command line: -k 10)."
            )

    def options(self) -> dict[str, Any]:
        """Everything but roles, models and method, as plain values; None is left out."""
        given = {name: getattr(self, name) for name in option_names()}
        said = {name: value for name, value in given.items() if value is not None and value not in ({}, ())}
        said |= {} if isinstance(self.engine, str) and not self.engine.startswith(CLUSTERS) else {"engine": "spark"}
        lists = {"na": {column: list(codes) for column, codes in self.na.items()}, "confirm": list(self.confirm)}
        return said | {name: value for name, value in (lists | self._changes()).items() if value}

    def _changes(self, recorded: bool = False) -> dict[str, Any]:
        """Transformations, pseudonyms and sample as plain values; recorded ones name no files and no values."""
        declared: dict[str, Mapping[str, Transform | Pseudonyms]] = {
            "transform": dict(self.transform),
            "pseudonymize": dict(self.pseudonymize),
        }
        found: dict[str, Any] = {
            name: {column: how.recorded() if recorded else how.to_policy() for column, how in given.items()}
            for name, given in declared.items()
        }
        return found | {"sample": None if self.sample is None else self.sample.to_policy()}

    def recorded_options(self) -> dict[str, Any]:
        """The options as a manifest records them; the number of threads changes nothing about a release."""
        said = self.options() | {name: value for name, value in self._changes(recorded=True).items() if value}
        return {name: value for name, value in said.items() if name != "threads"}

    def unusual(self) -> dict[str, Any]:
        """The options that differ from their defaults."""
        given = {one.name: getattr(self, one.name) for one in _options()}
        usual = {one.name: one.default for one in _options()}
        return {name: value for name, value in given.items() if value != usual[name] and (value or usual[name])}


def _options() -> list[Any]:
    return [one for one in fields(Request) if "check" in one.metadata]


def option_names() -> list[str]:
    """The names of all options, in the order of policy files."""
    return [one.name for one in _options()]


def all_models(
    caller: str,
    privacy: PrivacyModel | Sequence[PrivacyModel],
    k: int | None = None,
    l: float | None = None,  # noqa: E741
    t: float | None = None,
) -> tuple[PrivacyModel, ...]:
    """Collect the models of all arguments, each once."""
    given: Any = privacy
    is_list = isinstance(given, Iterable) and not isinstance(given, str | Mapping)
    others = list(given) if is_list else [given]
    for model in others:
        if not isinstance(model, PrivacyModel):
            raise invalid_parameter(caller, "privacy", "a privacy model or a list of them", model)
    short = [(KAnonymity, k), (LDiversity, l), (TCloseness, t)]
    asked = [*(kind(value) for kind, value in short if value is not None), *others]
    return tuple(model for at, model in enumerate(asked) if model not in asked[:at])


def _method(caller: str, method: Method, minimize: Minimized | None, refine: bool | float | str) -> Method:
    """The method with the loss to minimize, refined if asked for; whichever of the two can lower the loss does."""
    from sfumato.run.policy import refined, with_parameters  # noqa: PLC0415

    if minimize is None:
        return method if refine is False else methods.Refined(method, refine)
    given = {"minimize": minimize}
    return with_parameters(method, given, caller) if refine is False else refined(method, given, refine, caller)


def _one_schema(caller: str, schema: Schema | None, roles: tuple[Any, ...]) -> Schema:
    """Take the caller's schema, or make one of the roles."""
    if schema is None:
        return Schema(*roles)
    if not isinstance(schema, Schema):
        hint = "Say what each column is: quasi_identifiers=…, sensitive=…, identifiers=…, rest='drop'."
        raise invalid_parameter(caller, "schema", "a Schema", schema, hint)
    if any(roles):
        raise SchemaError("Roles are given twice: in the schema and as arguments. Say them in one place.")
    return schema


def spelled_out(function: Function) -> Function:
    """Spell out the arguments of a request in a function's signature, and refuse all others.

    The function takes them as ``**arguments: Unpack[Arguments]``, or a part of those.
    """
    plain = signature(function)
    taken = get_type_hints(get_args(get_type_hints(function)["arguments"])[0])
    defaults = {name: one.default for name, one in signature(Request.of).parameters.items()}
    defaults |= {one.name: one.default for one in fields(Request) if one.default is not NO_DEFAULT}
    own = [one for one in plain.parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    asked = [Parameter(name, Parameter.KEYWORD_ONLY, default=defaults[name]) for name in defaults if name in taken]
    last = [one for one in own if one.name == "progress"]
    full = plain.replace(parameters=[*(one for one in own if one not in last), *asked, *last])

    @wraps(function)
    def called(*args: Any, **given: Any) -> Any:
        for name in given:
            if name not in full.parameters:
                hint = did_you_mean(name, full.parameters)
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{name}'. {hint}".rstrip())
        return function(*args, **given)

    called.__signature__ = full  # type: ignore[attr-defined]
    return cast(Function, called)
