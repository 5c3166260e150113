"""``sfumato anatomize``: two tables that are checked together before either is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sfumato.api.anatomize import anatomize_for
from sfumato.cli.files import read_files, refuse_overwriting
from sfumato.cli.options import Asked
from sfumato.cli.request import Given, columns_of, given_table, to_policy
from sfumato.cli.screen import answer_json, is_watched, say, wrapped
from sfumato.common import parameters
from sfumato.common.progress import silent
from sfumato.errors import ParameterError
from sfumato.io import check_writable
from sfumato.io.spool import STANDARD
from sfumato.privacy import LDiversity
from sfumato.release.anatomy import Anatomy


@dataclass(frozen=True)
class Written:
    """Where the two tables and the manifest go."""

    people: Path
    values: Path
    manifest: Path | None = None

    def named(self) -> dict[str, Path]:
        """Return what is written where."""
        named = {"output": self.people, "values": self.values, "manifest": self.manifest}
        return {name: path for name, path in named.items() if path is not None}

    def check(self, place: str) -> None:
        """Find out before the work, not after it, that a file cannot or must not be written."""
        refuse_overwriting(self.named(), read_files(place))
        for name, path in self.named().items():
            if str(path) == STANDARD:
                raise ParameterError(f"Two tables cannot go to stdout together. Name a file for the {name}.")
            check_writable(path, table=name != "manifest")


def run(asked: Asked, given: Given, written: Written, as_json: bool, quiet: bool) -> None:
    """Make the two tables, write them, and tell about them."""
    written.check(given.place)
    data = given_table(given.place, asked, given.read_as, given.table)
    policy = to_policy(asked, columns_of(data, asked))
    wanted = next((model.l for model in policy.privacy if isinstance(model, LDiversity)), None)
    if wanted is None:
        raise ParameterError("Two tables promise l-diversity. Say how much, such as -l 3.")
    l = parameters.integer("anatomize", "l", wanted, at_least=2)  # noqa: E741
    request = replace(policy, privacy=(LDiversity(l),), caller="anatomize")
    release = anatomize_for(policy.open(data), request, l, silent if quiet else is_watched())
    release.write(written.people, written.values, written.manifest)
    if as_json:
        answer_json(record(release, written))
    if not quiet:
        say(wrapped(release.summary()))
        say("\n".join(f"wrote {path}" for path in written.named().values()))


def record(release: Anatomy, written: Written) -> dict[str, Any]:
    """Return everything that is known about two tables but the seed, which is the owner's alone."""
    options = {name: value for name, value in release.manifest["options"].items() if name != "seed"}
    return {
        "files": {name: str(path) for name, path in written.named().items()},
        "released": release.verification.to_dict(),
        "cautions": [caution.to_dict() for caution in release.cautions],
        "manifest": release.manifest | {"options": options},
    }
