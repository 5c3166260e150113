"""A command's options and its policy file, put together to one policy."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.api.policy import Policy
from sfumato.cli.databases import is_database, open_database
from sfumato.cli.options import Asked
from sfumato.cli.screen import paragraphs, say
from sfumato.cli.shorthand import hierarchy_of, literal, literals, model, queries, split_pair
from sfumato.errors import SchemaError, listed
from sfumato.io import FileOptions, Source, open_source, open_stdin
from sfumato.io.missing import EVERY_COLUMN
from sfumato.io.spool import STANDARD
from sfumato.io.sqlite import is_sqlite
from sfumato.methods import Method, Refined, find_method
from sfumato.privacy import PrivacyModel
from sfumato.run.policy import refined, with_parameters
from sfumato.run.request import AUTO, all_models, option_names
from sfumato.table.pseudonyms import Pseudonyms
from sfumato.table.schema import Declared, Schema
from sfumato.table.transforms import transform_of

#: The roles that columns are given by name.
ROLES = ("quasi_identifiers", "sensitive", "identifiers", "plain")


def to_policy(asked: Asked, columns: Callable[[], Sequence[str]] = tuple) -> Policy:
    """Return the policy file's policy with everything changed that the options say otherwise.

    ``columns`` returns those of the table, for names with a comma that may be several.
    """
    named: dict[str, Any] = {role: _separated(getattr(asked, role), columns) for role in ROLES}
    asked = replace(asked, **named)
    base = _nothing_said(asked) if asked.policy is None else Policy.read(asked.policy)
    said = {name: value for name in option_names() if (value := getattr(asked, name)) is not None}
    if "separator" in said:
        said["separator"] = _separator(said["separator"])
    if "na" in said:
        said["na"] = missing_codes(said["na"])
    said |= _changes(asked, base)
    return replace(
        base,
        schema=_schema(asked, base.schema),
        privacy=_models(asked, base.privacy),
        method=_method(asked, base.method),
        caller=asked.command,
        **said,
    )


def _changes(asked: Asked, base: Policy) -> dict[str, Any]:
    """Return what happens to columns; what is said of one takes the place of what the policy says of it."""
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
    """Return the column and what ``patient=keyed:secret.key`` says of it."""
    column, _, how = text.partition("=")
    kind, _, file = how.partition(":")
    in_form = kind == "format"
    return column.strip(), Pseudonyms("keyed" if in_form or not kind else kind, file or None, in_form)


def given_table(place: str, asked: Asked, form: str | None = None, table: str | None = None) -> Path | Source:
    """Return the path of a table, or what is read only once: stdin, or a table in a database."""
    if is_sqlite(Path(place)):
        return open_source(place, sheet=table or asked.sheet)
    if table is not None or is_database(place):
        database = open_database(place, table, read_only=True)
        source = database.open()
        weakref.finalize(source, database.close)  # its rows are read when they are needed
        return source
    if place != STANDARD:
        return Path(place)
    return open_stdin(form, file_options(asked))


class Given(NamedTuple):
    """Where a command finds its table: a file, ``-`` for stdin in some format, or a table of a database."""

    place: str
    read_as: str | None = None
    table: str | None = None


@contextmanager
def opened(given: Given, asked: Asked) -> Iterator[tuple[Source, Policy]]:
    """Open a table as the options and their policy say; afterwards tell what had to be guessed to read it."""
    data = given_table(given.place, asked, given.read_as, given.table)
    policy = to_policy(asked, columns_of(data, asked))
    source = policy.open(data)
    yield source, policy
    tell_remarks(source)


def tell_remarks(source: Source) -> None:
    """Tell what had to be guessed to read a table."""
    for remark in source.remarks:
        say(paragraphs(f"Note: {remark}"))


def columns_of(table: Path | Source, asked: Asked) -> Callable[[], Sequence[str]]:
    """Return what looks into a file for its columns, if somebody wants to know."""
    return lambda: open_source(table, **vars(file_options(asked))).columns


def file_options(asked: Asked) -> FileOptions:
    """Return how a file is to be read."""
    separator = None if asked.separator is None else _separator(asked.separator)
    return FileOptions(separator, asked.encoding, asked.sheet, asked.layout)


def _nothing_said(asked: Asked) -> Policy:
    """Return a policy of defaults; the default method is not even imported when another one is asked for."""
    return Policy(Schema(), method=find_method(asked.method or AUTO))


def _schema(asked: Asked, base: Schema) -> Schema:
    """Give the named columns their role, whatever the policy says; all others keep theirs."""
    said = Schema(
        asked.quasi_identifiers or (), asked.sensitive or (), asked.identifiers or (), asked.plain or (), asked.rest
    )
    person = base.person if asked.person is None else asked.person
    weights = base.survey_weights if asked.weights is None else asked.weights
    said_elsewhere = {*said.quasi_identifiers, *said.sensitive, *said.identifiers, *said.plain}
    named = {*said_elsewhere, person, weights}
    elsewhere = named - set(said.quasi_identifiers)
    kept = {name: hierarchy for name, hierarchy in base.quasi_identifiers.items() if name not in elsewhere}
    declared = {**kept, **{name: None for name in said.quasi_identifiers if name not in kept}}
    return Schema(
        {**declared, **_hierarchies(asked, declared)},
        sensitive=_joined(base.sensitive, said.sensitive, named),
        identifiers=_joined(base.identifiers, said.identifiers, named),
        plain=_joined(base.plain, said.plain, named),
        rest=base.rest if asked.rest is None else asked.rest,
        weights={name: weight for name, weight in base.weights.items() if name in declared},
        person=None if person in said_elsewhere else person,
        survey_weights=None if weights in said_elsewhere else weights,
    )


def _hierarchies(asked: Asked, declared: Iterable[str]) -> dict[str, Declared]:
    given: dict[str, Declared] = {}
    for text in asked.hierarchies or ():
        column, how = split_pair("--hierarchy", text, "COLUMN=HOW, such as age=numeric:5,10 or zip=zip.csv")
        if column not in declared:
            raise SchemaError(
                f"--hierarchy is given for '{column}', which is not a quasi-identifier. Declare it with "
                f"--qi {column}. Quasi-identifiers: {listed(declared) or 'none'}."
            )
        if column in given:
            raise SchemaError(f"--hierarchy is given twice for '{column}'. Give it once.")
        given[column] = hierarchy_of(how, f"--hierarchy {column}={how}")
    return given


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
    """Return the parameters of the method; what is minimized has an option of its own."""
    return [*(asked.settings or ()), *([f"minimize={asked.minimize}"] if asked.minimize else [])]


def _refined(asked: Asked, chosen: Method, values: dict[str, Any]) -> Method:
    """Return the method with its parameters, refined if an option or the policy says so."""
    if asked.refine is None and not isinstance(chosen, Refined):
        return with_parameters(chosen, values, f"--set for {chosen.name}")
    if not isinstance(chosen, Refined):
        return refined(chosen, values, literal(str(asked.refine)), f"--set for {chosen.name}")
    own = {name: values.pop(name) for name in chosen.parameters() if name in values}
    if asked.refine is not None:
        own["refine"] = literal(asked.refine)
    start = find_method(own.pop("method", chosen.method))
    return replace(chosen, method=with_parameters(start, values, f"--set for {start.name}"), **own)


def _joined(base: Iterable[str], said: Sequence[str], named: set[str | None]) -> list[str]:
    return [*(name for name in base if name not in named), *said]


def _separated(names: Sequence[str] | None, columns: Callable[[], Sequence[str]]) -> list[str] | None:
    """Take ``a,b,c`` for three columns, unless the table has one of that name."""
    if names is None or not any("," in name for name in names):
        return None if names is None else list(names)
    known = columns()
    return [one for name in names for one in ([name] if name in known or "," not in name else _listed(name))]


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def missing_codes(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the values that mean "no value", by column.

    >>> missing_codes(["?,N/A", "age=999,-9"])
    {'*': ['?', 'N/A'], 'age': ['999', '-9']}
    """
    codes: dict[str, list[str]] = {}
    for text in texts:
        column, equals, values = text.partition("=")
        name, said = (column.strip(), values) if equals and column.strip() else (EVERY_COLUMN, text)
        codes.setdefault(name, []).extend(part.strip() for part in said.split(","))
    return codes


def _separator(text: str) -> str:
    """Let a tab be written as people write it."""
    return "\t" if text in {"\\t", "tab"} else text
