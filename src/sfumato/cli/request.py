"""A command's options and its policy file, merged into one policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from sfumato.api.policy import Policy
from sfumato.cli.options import Asked
from sfumato.cli.shorthand import literal, literals, model, queries, split_pair
from sfumato.cli.table import (
    Input,
    columns_of,
    date_forms,
    missing_codes,
    print_remarks,
    schema_of,
    separator_of,
    with_separate_columns,
)
from sfumato.errors import ParameterError
from sfumato.io import Source
from sfumato.methods import Method, Refined, find_method
from sfumato.privacy import PrivacyModel
from sfumato.run.policy import refined, with_parameters
from sfumato.run.request import AUTO, all_models, option_names
from sfumato.table.pseudonyms import Pseudonyms
from sfumato.table.schema import Schema
from sfumato.table.transforms import transform_of


def to_policy(asked: Asked, columns: Callable[[], Sequence[str]] = tuple) -> Policy:
    """Merge the options with the policy file, if there is one; where both are given, the option takes precedence.

    ``columns`` reads the names of the table's columns, to tell ``--qi a,b`` from a column with a comma in its name.
    """
    asked = with_separate_columns(asked, columns)
    base = _defaults(asked) if asked.policy is None else Policy.read(asked.policy)
    said = {name: value for name in option_names() if (value := getattr(asked, name)) is not None}
    if "separator" in said:
        said["separator"] = separator_of(said["separator"])
    if "dates" in said:
        said["dates"] = date_forms(said["dates"])
    if "na" in said:
        said["na"] = missing_codes(said["na"])
    said |= _changes(asked, base)
    return replace(
        base,
        schema=schema_of(asked, base.schema),
        privacy=_models(asked, base.privacy),
        method=_method(asked, base.method),
        caller=asked.command,
        **said,
    )


@contextmanager
def opened(given: Input, asked: Asked) -> Iterator[tuple[Source, Policy]]:
    """Open a table as the options and their policy say; at the end print what the reader had to guess."""
    data = given.open(asked)
    policy = to_policy(asked, columns_of(data, asked))
    source = policy.open(data)
    yield source, policy
    print_remarks(source)


def by_lattice(asked: Asked) -> Asked:
    """Choose a full-domain method where neither an option nor a policy file names a method."""
    return replace(asked, method="lattice") if asked.method is None and asked.policy is None else asked


def require_full_domain(method: Method) -> None:
    """Refuse methods that have no levels to list."""
    if method.recoding != "full-domain":
        raise ParameterError(
            f"The method '{method.name}' does not choose levels, so it has no alternatives to list or to explain. "
            "Use a full-domain method, such as --method lattice or --method incognito."
        )


def _defaults(asked: Asked) -> Policy:
    """Start from a policy of defaults; the default method is not even imported if the user named another one."""
    return Policy(Schema(), method=find_method(asked.method or AUTO))


def _changes(asked: Asked, base: Policy) -> dict[str, Any]:
    """Collect the transformations of columns; an option replaces what the policy says about a column."""
    changes: dict[str, Any] = {}
    if asked.transform is not None:
        pairs = [split_pair("--transform", text, "COLUMN=HOW, such as pay=round:500") for text in asked.transform]
        changes["transform"] = {**base.transform, **{column: transform_of(how) for column, how in pairs}}
    if asked.pseudonymize is not None:
        changes["pseudonymize"] = {**base.pseudonymize, **dict(map(_pseudonyms, asked.pseudonymize))}
    if asked.sample is not None:
        share, colon, by = asked.sample.partition(":")
        changes["sample"] = {"share": literal(share), "by": by} if colon else literal(share)
    return changes


def _pseudonyms(text: str) -> tuple[str, Pseudonyms]:
    """Split ``patient=keyed:secret.key`` into the column and its pseudonyms."""
    column, _, how = text.partition("=")
    kind, _, file = how.partition(":")
    in_form = kind == "format"
    return column.strip(), Pseudonyms("keyed" if in_form or not kind else kind, file or None, in_form)


def _models(asked: Asked, base: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
    """Let the models of the options replace those of the same name in the policy."""
    said = all_models(asked.command, [model(text) for text in asked.privacy or ()], asked.k, asked.l, asked.t)
    names = {one.name for one in said}
    return (*(one for one in base if one.name not in names), *said)


def _method(asked: Asked, base: Method) -> Method:
    chosen = base if asked.method is None else find_method(asked.method)
    now = chosen.parameters()
    pairs = [split_pair("--set", text, "NAME=VALUE, such as relaxed=true") for text in _settings(asked)]
    values: dict[str, Any] = {}
    for given, value in pairs:
        name, dot, column = given.partition(".")
        if dot:
            before = values.get(name, now.get(name))
            values[name] = {**(before if isinstance(before, Mapping) else {}), column: literals(value)}
        elif name == "minimize" and value.endswith(".json"):
            values[name] = queries(value)
        else:
            values[name] = value if isinstance(now.get(name), str) else literal(value)
    return _refined(asked, chosen, values)


def _settings(asked: Asked) -> list[str]:
    """List the parameters of the method, among them the loss to minimize, which has its own option."""
    return [*(asked.settings or ()), *([f"minimize={asked.minimize}"] if asked.minimize else [])]


def _refined(asked: Asked, chosen: Method, values: dict[str, Any]) -> Method:
    """Give the method its parameters, and refine it if an option or the policy says so."""
    if asked.refine is None and not isinstance(chosen, Refined):
        return with_parameters(chosen, values, f"--set for {chosen.name}")
    if not isinstance(chosen, Refined):
        return refined(chosen, values, literal(str(asked.refine)), f"--set for {chosen.name}")
    own = {name: values.pop(name) for name in chosen.parameters() if name in values}
    if asked.refine is not None:
        own["refine"] = literal(asked.refine)
    start = find_method(own.pop("method", chosen.method))
    return replace(chosen, method=with_parameters(start, values, f"--set for {start.name}"), **own)
