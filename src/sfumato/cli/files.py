"""The files of a command; it never overwrites what it reads."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sfumato.api.policy import Policy
from sfumato.cli.table import is_address
from sfumato.errors import ParameterError
from sfumato.io import check_writable
from sfumato.io.atomic import check_place
from sfumato.io.spool import STANDARD
from sfumato.io.write import refuse_existing

#: Endings of tables and documents, which programs would try to open as such.
MISLEADING = frozenset(
    {".csv", ".tsv", ".xlsx", ".xls", ".ods", ".parquet", ".json", ".jsonl", ".sav", ".dta", ".rds", ".pdf", ".docx"}
)


@dataclass(frozen=True)
class ReleaseFiles:
    """What a command that makes a release reads and writes.

    Attributes
    ----------
    place
        The path of the table to read, ``-`` for stdin, or the address of a database.
    write_as
        The format of the release, where the name of its file does not say it.
    also_read
        Other files that are read, by what they are: the policy, a key.
    about
        What the report says of its title, the recipient and the purpose.
    """

    place: str
    output: Path
    manifest: Path | None = None
    policy: Path | None = None
    alternatives: Path | None = None
    certificate: Path | None = None
    report: Path | None = None
    write_as: str | None = None
    also_read: Mapping[str, Path] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    bound: Path | None = None

    def written(self) -> dict[str, Path]:
        """List the files that are written, by what they hold."""
        named = {
            "output": self.output,
            "manifest": self.manifest,
            "saved policy": self.policy,
            "alternatives": self.alternatives,
            "certificate": self.certificate,
            "report": self.report,
            "bound": self.bound,
        }
        return {name: path for name, path in named.items() if path is not None}

    def check(self, policy: Policy, to_folder: bool = False) -> None:
        """Refuse, before the work starts, files and folders that cannot or must not be written."""
        written = {name: path for name, path in self.written().items() if name != "output" or not self.to_stdout}
        refuse_overwriting(written, {**read_files(self.place), **self.also_read, **named_files(policy)})
        for name, path in self.written().items():
            if name == "output" and to_folder:
                refuse_existing(path)
                check_place(path)
                continue
            form = self.write_as if name == "output" else None
            check_writable(path, table=name in {"output", "alternatives"}, form=form)
            if name not in {"output", "alternatives"}:
                refuse_misnamed(name, path)

    @property
    def to_stdout(self) -> bool:
        """Whether the release goes to stdout, where nothing else may go then."""
        return str(self.output) == STANDARD

    @property
    def title(self) -> str | None:
        """The title of the report: the one that was given, or from which file to which; None without files."""
        if "title" in self.about:
            return self.about["title"]
        if self.to_stdout or self.place == STANDARD or is_address(self.place):
            return None
        return f"Release of {Path(self.place).name} → {self.output.name}"


def read_files(place: str) -> dict[str, Path]:
    """List the files that a place on the command line names: a file or folder, or all that match a pattern."""
    if place == STANDARD or is_address(place):
        return {}
    matching = [] if os.path.exists(place) else glob.glob(place, recursive=True)
    return {"input": Path(place)} | {f"input file {path}": Path(path) for path in matching}


def refuse_overwriting(written: Mapping[str, Path], read: Mapping[str, Path]) -> None:
    """Refuse to write a file that is also read, or to write two things to one file."""
    taken = dict(read)
    for name, path in written.items():
        for other, second in taken.items():
            if _same_file(path, second):
                raise ParameterError(f"The {name} and the {other} are the same file, {path}. Name another {name} file.")
            if name == "output" and second.is_dir() and second.resolve() in path.resolve().parents:
                raise ParameterError(f"{path} lies in {second}, and all of that is read. Name an output elsewhere.")
        taken[name] = path


def refuse_misnamed(name: str, path: Path) -> None:
    """Refuse to write what is no table, or no document of an office program, under a name that says so."""
    wanted = {"report": ".html", "policy": ".toml", "saved policy": ".toml"}.get(name, ".json")
    if path.suffix.lower() in MISLEADING - {wanted}:
        raise ParameterError(
            f"The {name} is written as {wanted[1:].upper()}, but '{path}' is called otherwise. Call it "
            f"'{path.with_suffix(wanted)}'."
        )


def _same_file(one: Path, other: Path) -> bool:
    if one.exists() and other.exists():
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def named_files(policy: Policy) -> dict[str, Path]:
    """List the files that a policy names: hierarchies, taxonomies, populations, keys and tables of pseudonyms."""
    return dict(_named_files(policy.to_dict()))


def _named_files(record: Any, about: str = "policy") -> Iterator[tuple[str, Path]]:
    """Find the files of a policy, wherever it has a key ``file``."""
    inside = record.items() if isinstance(record, Mapping) else enumerate(record) if isinstance(record, list) else ()
    for name, value in inside:
        if name == "file" and isinstance(value, str):
            yield f"file of '{about}'", Path(value)
        yield from _named_files(value, str(name) if isinstance(name, str) else about)
