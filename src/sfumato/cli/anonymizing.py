"""``sfumato anonymize``: everything that can go wrong is tried before the work, and nothing is left half done."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sfumato.cli.explaining import require_full_domain
from sfumato.cli.files import Files
from sfumato.cli.maximizing import Goal
from sfumato.cli.options import Asked
from sfumato.cli.request import to_policy
from sfumato.cli.screen import answer_json, is_watched, say, wrapped
from sfumato.io import write_table
from sfumato.policy import Policy
from sfumato.progress import ProgressOption, silent
from sfumato.release.release import Release


def run(asked: Asked, files: Files, as_json: bool, quiet: bool, goal: Goal | None = None) -> None:
    """Make the release, write it, and tell about it."""
    policy = to_policy(asked)
    release = make(policy, files, progress=silent if quiet else is_watched(), goal=goal)
    if as_json:
        answer_json(record(release, files))
    if not quiet:
        say(wrapped(release.summary()))
        say("\n".join(f"wrote {path}" for path in files.written().values()))


def make(policy: Policy, files: Files, progress: ProgressOption, goal: Goal | None = None) -> Release:
    """Run a policy, as far as a goal allows if there is one, and write everything that was asked for."""
    files.check(policy)
    if files.alternatives is not None:
        require_full_domain(policy.method)
    if goal is None:
        release = policy.run(files.table, progress=progress)
    else:
        release, policy = goal.run(policy, files.table, progress)
    release.write(files.output, files.manifest, progress)
    if files.alternatives is not None:
        write_table(pa.table(release.details["alternatives"].to_columns()), files.alternatives)
    if files.policy is not None:
        policy.write(files.policy)
    return release


def record(release: Release, files: Files) -> dict[str, Any]:
    """Return everything that is known about a release, for programs."""
    return {
        "files": {name.replace(" ", "_"): str(path) for name, path in files.written().items()},
        "released": release.verification.to_dict(),
        "loss": {**release.loss, "by_attribute": release.loss.by_attribute},
        "manifest": release.manifest,
    }
