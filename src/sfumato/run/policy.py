"""A policy as the plain values of its file: schema, hierarchies, privacy models, method and options."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from sfumato.errors import ParameterError, did_you_mean, invalid_parameter, listed, shortened
from sfumato.hierarchies import HIERARCHIES, Hierarchy, Taxonomy
from sfumato.loss import can_minimize, find_objective
from sfumato.methods import REGISTRY, Method, Refined, find_method
from sfumato.privacy import MODELS, PrivacyModel
from sfumato.run.request import AUTO, Request, option_names
from sfumato.table.schema import Declared, Schema

Record = Mapping[str, Any]
T = TypeVar("T")

ROLES = ("sensitive", "identifiers", "plain")
KEYS = ("quasi_identifiers", *ROLES, "person", "weights", "rest", "privacy", "method", "options")


def policy_record(request: Request) -> dict[str, Any]:
    """Write a request as plain values; options without a value are left out."""
    schema = request.schema
    roles = {role: list(getattr(schema, role)) for role in ROLES}
    return {
        **{role: names for role, names in roles.items() if names},
        **({"person": schema.person} if schema.person is not None else {}),
        **({"weights": schema.survey_weights} if schema.survey_weights is not None else {}),
        **({"rest": schema.rest} if schema.rest is not None else {}),
        "quasi_identifiers": {name: _hierarchy_record(schema, name) for name in schema.quasi_identifiers},
        "privacy": [model.to_policy() for model in request.privacy],
        "method": method_record(request.method),
        "options": request.options(),
    }


def policy_arguments(data: Record) -> dict[str, Any]:
    """Turn the plain values of `policy_record` into the arguments of a `Request`."""
    refuse_unknown("The policy", data, KEYS)
    options = _table(data, "options")
    refuse_unknown("[options]", options, option_names())
    return {
        "schema": _schema(data),
        "privacy": [model_from_policy(record, f"[[privacy]] {at}") for at, record in enumerate(_models(data), 1)],
        "method": method_from_policy(_table(data, "method"), "[method]"),
        **options,
    }


def _hierarchy_record(schema: Schema, name: str) -> dict[str, Any]:
    hierarchy = schema.quasi_identifiers[name]
    record = {"type": AUTO} if hierarchy is None else hierarchy.to_policy()
    return record | ({"weight": schema.weights[name]} if name in schema.weights else {})


def _schema(data: Record) -> Schema:
    declared = data.get("quasi_identifiers", {})
    if isinstance(declared, list):
        declared = {name: {} for name in _names(data, "quasi_identifiers")}
    elif not isinstance(declared, Mapping):
        raise invalid_parameter("the policy", "quasi_identifiers", "a table, or a list of column names", declared)
    records = {name: dict(_table(declared, name)) for name in declared}
    weights = {name: record.pop("weight") for name, record in records.items() if "weight" in record}
    hierarchies: dict[str, Declared] = {
        name: hierarchy_from_policy(record, f"Quasi-identifier '{name}'") for name, record in records.items()
    }
    roles = {role: _names(data, role) for role in ROLES}
    return Schema(
        hierarchies,
        rest=data.get("rest"),
        weights=weights,
        person=data.get("person"),
        survey_weights=data.get("weights"),
        **roles,
    )


def _names(data: Record, role: str) -> list[str]:
    names = data.get(role, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise invalid_parameter("the policy", role, "a list of column names", names)
    return names


def _table(data: Record, key: str) -> Record:
    table = data.get(key, {})
    if not isinstance(table, Mapping):
        raise ParameterError(f"'{key}' must be a table such as [{key}] or {{ … }}. Got {shortened(table)}.")
    return table


def _models(data: Record) -> list[Record]:
    models = data.get("privacy", [])
    if not isinstance(models, list) or not all(isinstance(model, Mapping) for model in models):
        raise ParameterError("'privacy' must be a list of tables, each under a line [[privacy]].")
    return models


def hierarchy_from_policy(record: Record, where: str = "The hierarchy") -> Hierarchy | None:
    """Make a hierarchy from its ``to_policy()``; None for the type ``"auto"``.

    Examples
    --------
    >>> hierarchy_from_policy({"type": "numeric", "widths": [5, 10]})
    Numeric(widths=[5, 10])
    """
    kind = record.get("type", AUTO)
    if kind == AUTO:
        refuse_unknown(where, record, ["type"])
        return None
    return _make(find(f"{where}: type", kind, HIERARCHIES), record, "type", where)


def model_from_policy(record: Record, where: str = "The privacy model") -> PrivacyModel:
    """Make a privacy model from its ``to_policy()``.

    Examples
    --------
    >>> model_from_policy({"model": "k-anonymity", "k": 10})
    KAnonymity(k=10)
    """
    if "model" not in record:
        raise ParameterError(f"{where} has no key 'model'. It says which: {listed(MODELS)}.")
    make = find(f"{where}: model", record["model"], MODELS)
    if "taxonomy" in record:
        record = {**record, "taxonomy": _taxonomy_of(record["taxonomy"], where)}
    if "population" in record:
        record = {**record, "population": _population_of(record["population"], where)}
    return _make(make, record, "model", where)


def _population_of(record: object, where: str) -> str | float:
    if isinstance(record, int | float) and not isinstance(record, bool):
        return record
    if not isinstance(record, Mapping) or set(record) != {"file"}:
        raise invalid_parameter(where, "population", "{ file = 'register.csv' }, or a number of people", record)
    return str(record["file"])


def _taxonomy_of(record: object, where: str) -> Hierarchy | None:
    if not isinstance(record, Mapping):
        raise invalid_parameter(where, "taxonomy", "a table such as { file = 'disease.csv' }", record)
    return hierarchy_from_policy({**record, "type": Taxonomy.name}, f"{where}: taxonomy")


def method_from_policy(record: Record, where: str = "The method") -> Method:
    """Make the method that a record names, with the record's parameters.

    Examples
    --------
    >>> method_from_policy({"name": "mondrian", "relaxed": True}).relaxed
    True

    With ``refine``, what the method finds is refined:

    >>> method_from_policy({"name": "hilbert", "refine": 10}).parameters()["refine"]
    10
    """
    name = record.get("name", AUTO)
    if isinstance(name, str) and name not in REGISTRY and name in (unlisted := _at_given_levels()):
        method = unlisted[name]
    else:
        find(f"{where}: name", name, REGISTRY)
        method = find_method(str(name))
    given = {key: value for key, value in record.items() if key != "name"}
    if isinstance(method, Refined):
        start = given.get("method")
        if isinstance(start, Mapping):
            given["method"] = method_from_policy(start, f"{where}: method")
        return with_parameters(method, given, where)
    refine = given.pop("refine", False)
    return with_parameters(method, given, where) if refine is False else refined(method, given, refine, where)


def _at_given_levels() -> dict[str, Method]:
    """List the methods that come with levels (sf.recode) or with a model; they have names in policies alone."""
    from sfumato.methods import FixedLevels, PrivateLevels  # noqa: PLC0415

    return {FixedLevels.name: FixedLevels({}), PrivateLevels.name: PrivateLevels()}


def refined(method: Method, parameters: Record, refine: bool | float | str, where: str) -> Refined:
    """Refine a method; the refinement minimizes only what the method itself cannot lower."""
    own = dict(parameters)
    given = own.get("minimize")
    # Where the method itself cannot lower it, refinement does.
    minimize = own.pop("minimize", None) if not can_minimize(given, method.lowers) else None
    return Refined(with_parameters(method, own, where), refine, minimize)


def with_parameters(method: Method, parameters: Record, where: str) -> Method:
    """Change some parameters of a method."""
    if "minimize" in parameters and "minimize" not in method.parameters():
        find_objective(f"The method '{method.name}'", parameters["minimize"], method.lowers)
    refuse_unknown(where, parameters, method.parameters())
    return dataclasses.replace(method, **parameters)  # type: ignore[type-var]


def method_record(method: Method) -> dict[str, Any]:
    """Write a method as plain values, or refuse a parameter that has none."""
    if not isinstance(method, Refined):
        _refuse_objects(method)
        return {"name": method.name} | _said(method.parameters())
    start = find_method(method.method)
    refining = _said({"refine": method.refine, "minimize": method.minimize})
    if refining.keys() & start.parameters().keys() or isinstance(start, Refined) or method.refine is False:
        return {"name": method.name, "method": method_record(start)} | refining
    return method_record(start) | refining


def _refuse_objects(method: Method) -> None:
    """Refuse objects that a record would hold by name only: reading the name would not bring them back."""
    for name, recorded in method.parameters().items():
        given = getattr(method, name, recorded)
        if isinstance(recorded, str) and not isinstance(given, str):
            raise ParameterError(
                f"The '{name}' parameter of the method '{method.name}' is a Python object ({type(given).__name__}) "
                "that a policy cannot hold. Set it in Python, or use one of the named ones."
            )


def _said(parameters: Record) -> dict[str, Any]:
    return {key: value for key, value in parameters.items() if value is not None}


def find(where: str, name: object, known: Mapping[str, T]) -> T:
    """Look up a name; the error lists the known names and suggests the nearest."""
    if isinstance(name, str) and name in known:
        return known[name]
    raise ParameterError(f"{where}: {_not_known(str(name), known)}")


def refuse_unknown(where: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse unknown keys: ignoring a misspelt one would ignore what the user asked for."""
    names = list(known)
    for key in given:
        if key not in names:
            raise ParameterError(f"{where}: {_not_known(key, names, 'key ')}")


def _not_known(name: str, known: Iterable[str], kind: str = "") -> str:
    names = list(known)
    hint = f"{did_you_mean(name, names)} Known: {listed(names) or 'none'}.".lstrip()
    return f"{kind}'{name}' is not known. {hint}"


def _make(make: Callable[..., T], record: Record, tag: str, where: str) -> T:
    """Call a constructor with the record's keys after checking that it takes them."""
    wanted = inspect.signature(make).parameters
    refuse_unknown(where, record, [tag, *wanted])
    given = {key: value for key, value in record.items() if key != tag}
    for key, value in given.items():
        _check_kind(where, key, str(wanted[key].annotation), value)
    lacking = [key for key, one in wanted.items() if one.default is one.empty and key not in given]
    if lacking:
        raise ParameterError(f"{where} lacks {listed(lacking)}.")
    return make(**given)


def _check_kind(where: str, key: str, annotation: str, value: object) -> None:
    """Refuse text in place of a list: a class would take it for a list of letters."""
    if annotation.startswith("Sequence") and not isinstance(value, list | tuple):
        raise invalid_parameter(where, key, "a list", value)
    if annotation.startswith("str") and not isinstance(value, str):
        raise invalid_parameter(where, key, "text", value)
