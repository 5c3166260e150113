"""``sfumato.Policy``: a request that is read from a file, written to one, and run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.common.html import Markup, element, facts, folded, fragment
from sfumato.common.progress import ProgressOption
from sfumato.common.textfiles import parsed_toml, read_text
from sfumato.common.toml import dumps
from sfumato.errors import HierarchyError, ParameterError, SchemaError
from sfumato.io import write_text
from sfumato.privacy.population import GIVEN
from sfumato.release.manifest import method_shown, model_record
from sfumato.release.release import Release
from sfumato.release.summary import method_words, model_words
from sfumato.run import check as checks
from sfumato.run.build import anonymize_for
from sfumato.run.policy import Record, policy_arguments, policy_record
from sfumato.run.request import Request
from sfumato.verify.verification import Verification

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
    preset, suppression, missing, intervals, ends, keep_order, seed, separator, encoding, sheet, layout, decimal,
    dates, skip, na,
    confirm, strict, transform, pseudonymize, sample, engine, memory, temporary, threads
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

    def write(self, path: str | os.PathLike[str], secret: bool = False) -> None:
        """Write the policy to a TOML file atomically; relative paths in it are relative to the file.

        Parameters
        ----------
        path
            Where to.
        secret
            Whether to write the seed as well, which whoever reads it can undo random choices with; then only the owner
            can read the file.
        """
        self._refuse_tables_in_memory()
        folder = Path(path).parent
        said = self.to_dict() if secret else _without_seed(self.to_dict())
        data = _with_paths(said, lambda name: name if os.path.isabs(name) else os.path.relpath(name, folder))
        write_text(path, HEADER + dumps(data), private=secret)

    def _refuse_tables_in_memory(self) -> None:
        """Refuse populations that no file can name: the policy could not be read again."""
        for model in self.privacy:
            if model.to_policy().get("population") == GIVEN:
                raise ParameterError(
                    f"The population of {model.name} is a table in memory, which a policy file cannot hold. Write it "
                    f"to a file and name that, such as {type(model).__name__}(..., population='register.csv')."
                )

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain values; options without a value are left out."""
        return policy_record(self)

    @classmethod
    def from_dict(cls, data: Record) -> Policy:
        """Make a policy from the plain values of `to_dict`."""
        return cls(**policy_arguments(data), caller="[options]")

    def run(self, data: object, progress: ProgressOption = False) -> Release:
        """Anonymize a table by this policy: ``data`` and ``progress`` are as in `sfumato.anonymize`."""
        return anonymize_for(data, self, progress)

    def check(self, data: object) -> Verification:
        """Check a released table against the privacy of this policy, as `sfumato.check` does.

        The reading options of the original do not apply to the release, whose format is detected.
        """
        return checks.check(data, self.for_its_release())

    def report(
        self,
        path: str | os.PathLike[str],
        original: object,
        release: str | os.PathLike[str],
        *,
        title: str | None = None,
        recipient: str | None = None,
        purpose: str | None = None,
    ) -> Verification:
        """Write a report about a released file, whatever made it, for the person who signs; see `Release.report`.

        Parameters
        ----------
        path
            Where to write the report; it ends in ``.html``.
        original
            The table that the release was made from, as in `sfumato.anonymize`.
        release
            The released file.
        title, recipient, purpose
            As in `Release.report`.

        Returns
        -------
        Verification
            What holds for the file, which the report says too.
        """
        from sfumato.api.report import facts_of_files  # noqa: PLC0415
        from sfumato.release.report.facts import About  # noqa: PLC0415
        from sfumato.release.report.page import page  # noqa: PLC0415

        about = About(title, recipient, purpose)
        found = facts_of_files(self, self.to_dict(), original, release, about)
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
        """The options without the seed: notebooks are saved with their output, and the seed is secret."""
        return {name: value for name, value in self.options().items() if name != "seed"}

    def _file_shown(self) -> Markup | None:
        """The policy as a file, to be unfolded; None if it holds what no file can."""
        try:
            text = dumps(self.to_dict() | {"options": self._options_shown()})
        except ParameterError:
            return None
        return folded("As a file", element("pre", text if len(text) <= SHOWN else f"{text[:SHOWN]}\n…"))


def _without_seed(record: Mapping[str, Any]) -> dict[str, Any]:
    """Leave the seed out of the record of a policy."""
    return {**record, "options": {name: value for name, value in record["options"].items() if name != "seed"}}


def _load(file: Path) -> dict[str, Any]:
    text = read_text(file, "The policy file", ParameterError)
    return parsed_toml(text, lambda reason: ParameterError(f"The policy file {file} is not valid TOML: {reason}."))


def _with_paths(data: Any, change: Callable[[str], str]) -> Any:
    """Change the path of every file in plain values."""
    if isinstance(data, Mapping):
        return {
            key: change(value) if _is_path(key, value) else _with_paths(value, change) for key, value in data.items()
        }
    return [_with_paths(item, change) for item in data] if isinstance(data, list) else data


def _is_path(key: str, value: object) -> bool:
    """Whether a value is the path of a hierarchy, a population or a preset file."""
    return isinstance(value, str) and (key == "file" or (key == "preset" and value.endswith(".toml")))
