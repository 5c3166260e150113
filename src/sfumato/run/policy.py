"""The policy itself: read from a file, written to one, and run."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.common.html import Markup, element, facts, folded, fragment
from sfumato.common.progress import ProgressOption
from sfumato.common.textfiles import read_text
from sfumato.common.toml import dumps
from sfumato.errors import HierarchyError, ParameterError, SchemaError, invalid_parameter, shortened
from sfumato.io import write_text
from sfumato.release.manifest import method_shown, model_record
from sfumato.release.release import Release
from sfumato.release.summary import method_words, model_words
from sfumato.run import large as scale
from sfumato.run.records import (
    Record,
    hierarchy_from_policy,
    method_from_policy,
    method_record,
    model_from_policy,
    refuse_unknown,
)
from sfumato.run.request import AUTO, Request, option_names
from sfumato.table.schema import Declared, Schema
from sfumato.verify.verification import Verification

ROLES = ("sensitive", "identifiers", "plain")
KEYS = ("quasi_identifiers", *ROLES, "person", "weights", "rest", "privacy", "method", "options")

#: Characters of a policy file that a notebook shows.
SHOWN = 20_000

HEADER = "# How a release is made: sfumato anonymize IN -o OUT --policy THIS_FILE\n\n"


@dataclass(frozen=True)
class Policy(Request):
    """Everything about a release but the data: roles and hierarchies, privacy, method and options.

    Parameters
    ----------
    schema
        The role of every column, and how it generalizes.
    privacy
        The privacy models; all of them hold together.
    method
        A method, or its name.
    preset, suppression, missing, intervals, ends, keep_order, seed, separator, encoding, sheet, layout, na,
    confirm, strict, transform, pseudonymize, sample, engine, memory, temporary
        As in `sfumato.anonymize`.

    Examples
    --------
    >>> import pyarrow as pa, sfumato as sf
    >>> policy = Policy(sf.Schema(quasi_identifiers=["age"]), [sf.KAnonymity(2)])
    >>> policy.run(pa.table({"age": [25, 27, 41, 44]})).achieved.k
    2
    """

    caller: str = field(default="Policy", repr=False, compare=False, kw_only=True)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a policy from a TOML file; hierarchy files are found relative to it."""
        file = Path(path)
        data = _load(file)
        try:
            return cls.from_dict(_with_paths(data, lambda name: os.path.normpath(file.parent / name)))
        except (ParameterError, SchemaError, HierarchyError) as error:
            raise type(error)(f"Policy file {file}: {error}") from None

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the policy to a TOML file, whole or not at all; relative paths in it are relative to it."""
        folder = Path(path).parent
        data = _with_paths(self.to_dict(), lambda name: name if os.path.isabs(name) else os.path.relpath(name, folder))
        write_text(path, HEADER + dumps(data))

    def to_dict(self) -> dict[str, Any]:
        """Return the policy as plain values; what is not said is left out."""
        schema = self.schema
        roles = {role: list(getattr(schema, role)) for role in ROLES}
        return {
            **{role: names for role, names in roles.items() if names},
            **({"person": schema.person} if schema.person is not None else {}),
            **({"weights": schema.survey_weights} if schema.survey_weights is not None else {}),
            **({"rest": schema.rest} if schema.rest is not None else {}),
            "quasi_identifiers": {name: _hierarchy_record(schema, name) for name in schema.quasi_identifiers},
            "privacy": [model.to_policy() for model in self.privacy],
            "method": method_record(self.method),
            "options": self.options(),
        }

    @classmethod
    def from_dict(cls, data: Record) -> Policy:
        """Make a policy from the plain values that `to_dict` gives."""
        refuse_unknown("The policy", data, KEYS)
        options = _table(data, "options")
        refuse_unknown("[options]", options, option_names())
        return cls(
            schema=_schema(data),
            privacy=[model_from_policy(record, f"[[privacy]] {at}") for at, record in enumerate(_models(data), 1)],
            method=method_from_policy(_table(data, "method"), "[method]"),
            caller="[options]",
            **options,
        )

    def run(self, data: object, progress: ProgressOption = False) -> Release:
        """Anonymize a table by this policy: ``data`` and ``progress`` are as in `sfumato.anonymize`."""
        return scale.run(data, self, progress)

    def check(self, data: object) -> Verification:
        """Check a released table against the privacy of this policy, as `sfumato.check` does.

        How the original is to be read is not how a release is written, so that is found out from the release itself.
        """
        return scale.check(data, replace(self, separator=None, encoding=None, sheet=None, layout=None))

    def report(self, path: str | os.PathLike[str], original: object, release: str | os.PathLike[str]) -> Verification:
        """Write a report about a released file, whoever made it, for the person who signs; see `Release.report`.

        Parameters
        ----------
        path
            Where to write the report; it ends in ``.html``.
        original
            The table that the release was made from, as in `sfumato.anonymize`.
        release
            The released file.

        Returns
        -------
        Verification
            What holds for the file, which the report says too.
        """
        from sfumato.release.report.page import page  # noqa: PLC0415
        from sfumato.run.report_files import facts_of_files  # noqa: PLC0415

        found = facts_of_files(self, self.to_dict(), original, release)
        write_text(path, page(found))
        return found.verification

    def _repr_html_(self) -> str:
        method = {"name": self.method.name, "parameters": self.method.parameters()}
        said = [
            ("privacy", "; ".join(model_words(model_record(model)) for model in self.privacy)),
            ("method", method_words(method_shown(method))),
            *((name, str(value)) for name, value in self._options_shown().items()),
        ]
        return fragment("Policy", self.schema.as_table(), facts(said), self._file_shown())

    def _options_shown(self) -> dict[str, Any]:
        """Return the options without the seed: notebooks are saved with what they show, and it is the owner's alone."""
        return {name: value for name, value in self.options().items() if name != "seed"}

    def _file_shown(self) -> Markup | None:
        """Return the policy as a file, to be unfolded; None where it holds what no file can."""
        try:
            text = dumps(self.to_dict() | {"options": self._options_shown()})
        except ParameterError:
            return None
        return folded("As a file", element("pre", text if len(text) <= SHOWN else f"{text[:SHOWN]}\n…"))


def _load(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(file, "The policy file", ParameterError))
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"The policy file {file} is not valid TOML: {error}.") from None


def _with_paths(data: Any, change: Callable[[str], str]) -> Any:
    """Return plain values with the path of every file changed."""
    if isinstance(data, Mapping):
        return {
            key: change(value) if _is_path(key, value) else _with_paths(value, change) for key, value in data.items()
        }
    return [_with_paths(item, change) for item in data] if isinstance(data, list) else data


def _is_path(key: str, value: object) -> bool:
    """Return whether a value is the path of a hierarchy, of a population, or of a preset of one's own."""
    return isinstance(value, str) and (key == "file" or (key == "preset" and value.endswith(".toml")))


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
