"""The roles of columns and their hierarchies, as the options name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sfumato.cli.options import Asked
from sfumato.cli.shorthand import hierarchy_of, split_pair
from sfumato.errors import SchemaError, listed
from sfumato.table.schema import Declared, Schema

#: The options that name columns.
NAMED = ("quasi_identifiers", "sensitive", "identifiers", "plain")


def with_separate_columns(asked: Asked, columns: Callable[[], Sequence[str]]) -> Asked:
    """Split ``--qi a,b,c`` into three columns, unless the table has one of that name.

    ``columns`` reads the names of the table's columns; it is called only if an option holds a comma.
    """
    named: dict[str, Any] = {option: _separated(getattr(asked, option), columns) for option in NAMED}
    return replace(asked, **named)


def _separated(names: Sequence[str] | None, columns: Callable[[], Sequence[str]]) -> list[str] | None:
    if names is None or not any("," in name for name in names):
        return None if names is None else list(names)
    known = columns()
    return [one for name in names for one in ([name] if name in known or "," not in name else _listed(name))]


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def schema_of(asked: Asked, base: Schema) -> Schema:
    """Give each column that an option names the role of that option; all others keep the role of the policy."""
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


def _joined(base: Iterable[str], said: Sequence[str], named: set[str | None]) -> list[str]:
    return [*(name for name in base if name not in named), *said]


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


def known_columns(schema: Schema) -> Mapping[str, Declared]:
    """Return the columns that an attacker may know; without any, say how to name them."""
    if not schema.quasi_identifiers:
        raise SchemaError("Name the columns that an attacker may know with --qi COLUMN or --policy FILE.")
    return schema.quasi_identifiers
