"""A command's options and its policy file, put together to one policy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.cli.shorthand import hierarchy, literal, literals, model, queries, split_pair
from sfumato.errors import SchemaError, listed
from sfumato.methods import Method, Refined, find_method
from sfumato.pipeline import Options, requested_models
from sfumato.policy import Policy
from sfumato.policy.records import AUTO, refined, with_parameters
from sfumato.privacy import PrivacyModel
from sfumato.schema import Declared, Schema


@dataclass(frozen=True)
class Request:
    """What a command was asked for; None and empty where nothing was said."""

    policy: Path | None = None
    quasi_identifiers: Sequence[str] | None = None
    sensitive: Sequence[str] | None = None
    identifiers: Sequence[str] | None = None
    plain: Sequence[str] | None = None
    rest: str | None = None
    hierarchies: Sequence[str] | None = None
    k: int | None = None
    l: float | None = None  # noqa: E741
    t: float | None = None
    privacy: Sequence[str] | None = None
    method: str | None = None
    settings: Sequence[str] | None = None
    refine: str | None = None
    suppression: float | None = None
    missing: str | None = None
    intervals: str | None = None
    keep_order: bool | None = None
    seed: int | None = None
    separator: str | None = None

    def to_policy(self) -> Policy:
        """Return the policy file's policy with everything changed that the options say otherwise."""
        base = self._nothing_said() if self.policy is None else Policy.read(self.policy)
        return Policy(
            schema=self._schema(base.schema),
            privacy=self._models(base.privacy),
            method=self._method(base.method),
            options=self._options(base.options),
            separator=base.separator if self.separator is None else _separator(self.separator),
        )

    def _nothing_said(self) -> Policy:
        """Return a policy of defaults; the default method is not even imported when another one is asked for."""
        return Policy(Schema(), method=find_method(self.method or AUTO))

    def _schema(self, base: Schema) -> Schema:
        """Give the named columns their role, whatever the policy says; all others keep theirs."""
        said = Schema(
            self.quasi_identifiers or (), self.sensitive or (), self.identifiers or (), self.plain or (), self.rest
        )
        named = {*said.quasi_identifiers, *said.sensitive, *said.identifiers, *said.plain}
        elsewhere = named - set(said.quasi_identifiers)
        kept = {name: how for name, how in base.quasi_identifiers.items() if name not in elsewhere}
        declared = {**kept, **{name: None for name in said.quasi_identifiers if name not in kept}}
        return Schema(
            {**declared, **self._hierarchies(declared)},
            sensitive=_joined(base.sensitive, said.sensitive, named),
            identifiers=_joined(base.identifiers, said.identifiers, named),
            plain=_joined(base.plain, said.plain, named),
            rest=base.rest if self.rest is None else self.rest,
            weights={name: weight for name, weight in base.weights.items() if name in declared},
        )

    def _hierarchies(self, declared: Iterable[str]) -> dict[str, Declared]:
        given: dict[str, Declared] = {}
        for text in self.hierarchies or ():
            column, how = split_pair("--hierarchy", text, "COLUMN=HOW, such as age=numeric:5,10 or zip=zip.csv")
            if column not in declared:
                raise SchemaError(
                    f"--hierarchy is given for '{column}', which is not a quasi-identifier. Declare it with "
                    f"--qi {column}. Quasi-identifiers: {listed(declared) or 'none'}."
                )
            if column in given:
                raise SchemaError(f"--hierarchy is given twice for '{column}'. Give it once.")
            given[column] = hierarchy(how, f"--hierarchy {column}={how}")
        return given

    def _models(self, base: Sequence[PrivacyModel]) -> tuple[PrivacyModel, ...]:
        """Let the models of the options replace those of the same name in the policy."""
        said = requested_models(self.k, self.l, self.t, [model(text) for text in self.privacy or ()], required=False)
        names = {one.name for one in said}
        return (*(one for one in base if one.name not in names), *said)

    def _method(self, base: Method) -> Method:
        chosen = base if self.method is None else find_method(self.method)
        now = chosen.parameters()
        pairs = [split_pair("--set", text, "NAME=VALUE, such as relaxed=true") for text in self.settings or ()]
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
        return self._refined(chosen, values)

    def _refined(self, chosen: Method, values: dict[str, Any]) -> Method:
        """Return the method with its parameters, refined if an option or the policy says so."""
        if self.refine is None and not isinstance(chosen, Refined):
            return with_parameters(chosen, values, f"--set for {chosen.name}")
        if not isinstance(chosen, Refined):
            return refined(chosen, values, literal(str(self.refine)), f"--set for {chosen.name}")
        own = {name: values.pop(name) for name in chosen.parameters() if name in values}
        if self.refine is not None:
            own["refine"] = literal(self.refine)
        start = find_method(own.pop("method", chosen.method))
        return replace(chosen, method=with_parameters(start, values, f"--set for {start.name}"), **own)

    def _options(self, base: Options) -> Options:
        said: dict[str, Any] = {
            "suppression": self.suppression,
            "missing": self.missing,
            "intervals": self.intervals,
            "keep_order": self.keep_order,
            "seed": self.seed,
        }
        return replace(base, **{name: value for name, value in said.items() if value is not None})


def _joined(base: Iterable[str], said: Sequence[str], named: set[str]) -> list[str]:
    return [*(name for name in base if name not in named), *said]


def _separator(text: str) -> str:
    """Let a tab be written as people write it."""
    return "\t" if text in {"\\t", "tab"} else text
