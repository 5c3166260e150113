"""``sfumato anonymize``: everything that can go wrong is tried before the work, and nothing is left half done."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from sfumato.cli.request import Request
from sfumato.cli.screen import answer_json, is_watched, say, wrapped
from sfumato.errors import OutputError
from sfumato.io import check_writable
from sfumato.release.release import Release


@dataclass(frozen=True)
class Files:
    """What a command reads and writes."""

    table: Path
    output: Path
    manifest: Path | None = None
    policy: Path | None = None

    def check(self) -> None:
        """Refuse what could not be written, or would overwrite what it is made from."""
        for (one, path), (other, second) in combinations(self._named(), 2):
            if path.resolve() == second.resolve():
                raise OutputError(f"The {one} and the {other} are the same file, {path}. Name another one.")
        check_writable(self.output)
        for path in filter(None, (self.manifest, self.policy)):
            check_writable(path, table=False)

    def _named(self) -> Iterator[tuple[str, Path]]:
        yield "input", self.table
        yield "output", self.output
        if self.manifest is not None:
            yield "manifest", self.manifest
        if self.policy is not None:
            yield "saved policy", self.policy

    def written(self) -> dict[str, str]:
        """Return what was written where."""
        return {name: str(path) for name, path in self._named() if name != "input"}


def run(request: Request, files: Files, as_json: bool, quiet: bool) -> None:
    """Make the release and write it."""
    policy = request.to_policy()
    files.check()
    release = policy.run(files.table, progress=is_watched() and not quiet)
    release.write(files.output, files.manifest)
    if files.policy is not None:
        policy.write(files.policy)
    if as_json:
        answer_json(record(release, files))
    if not quiet:
        say(wrapped(release.summary()))
        say("".join(f"\nwrote {name}: {path}" for name, path in files.written().items()).lstrip("\n"))


def record(release: Release, files: Files) -> dict[str, Any]:
    """Return everything that is known about a release, for programs."""
    return {
        "files": files.written(),
        "released": release.verification.to_dict(),
        "loss": {**release.loss, "by_attribute": release.loss.by_attribute},
        "manifest": release.manifest,
    }
