"""``sfumato anonymize``: everything that can go wrong is tried before the work, and nothing is left half done."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sfumato.api.policy import Policy
from sfumato.api.strongest import MAXIMIZED, find_strongest, split_models
from sfumato.cli.files import Files
from sfumato.cli.options import Asked
from sfumato.cli.request import columns_of, given_table, to_policy
from sfumato.cli.screen import answer_json, is_watched, paragraphs, say, wrapped
from sfumato.common import parameters
from sfumato.common.progress import ProgressOption, silent
from sfumato.errors import ParameterError
from sfumato.io import Source, write_table
from sfumato.privacy import KAnonymity, LDiversity
from sfumato.release.release import Release
from sfumato.run.where import require_memory, writes_folder

if TYPE_CHECKING:
    from sfumato.api.checklist import Checklist


def run(asked: Asked, files: Files, as_json: bool, quiet: bool, goal: Goal | None = None) -> None:
    """Make the release, write it, and tell about it."""
    refuse_stdout(files, as_json)
    if files.certificate is not None and files.to_stdout:
        raise ParameterError("A certificate is about a file, but the release goes to stdout. Name a file with -o.")
    data = given_table(files.place, asked, files.read_as, files.table)
    policy = to_policy(asked, columns_of(data, asked))
    tell_release(policy, files, policy.open(data), as_json, quiet, goal)


def refuse_stdout(files: Files, as_json: bool) -> None:
    """Refuse to mix a release with what is told about it."""
    if as_json and files.to_stdout:
        raise ParameterError("The release goes to stdout, so --json has no place there. Name a file with -o.")


def tell_release(
    policy: Policy, files: Files, data: Source, as_json: bool, quiet: bool, goal: Goal | None = None
) -> None:
    """Make a release by a policy, write it, and tell about it."""
    release, notes = make(policy, files, progress=silent if quiet else is_watched(), goal=goal, data=data)
    answers = None if policy.preset is None else _answers(policy, data, release)
    if as_json:
        answer_json(record(release, files) | ({} if answers is None else {"preset": answers.to_dict()}))
    if not quiet:
        say(wrapped(release.summary()))
        if answers is not None:
            say(f"\n{paragraphs(answers.summary())}\n")
        say("\n".join([*(f"wrote {path}" for path in files.written().values()), *(f"Note: {one}" for one in notes)]))
        if is_watched() and not as_json:
            from sfumato.cli.bars import show_bars  # noqa: PLC0415

            show_bars(release)


def _answers(policy: Policy, data: Source, release: Release) -> Checklist:
    from sfumato.api.checklist import checklist  # noqa: PLC0415

    return checklist(data, release, separator=policy.separator)


def make(
    policy: Policy, files: Files, progress: ProgressOption, goal: Goal | None = None, data: Path | Source | None = None
) -> tuple[Release, Sequence[str]]:
    """Run a policy, as far as a goal allows if there is one, and write everything that was asked for.

    Returns the release, and what the readers of the file may misunderstand.
    """
    data = Path(files.place) if data is None else data
    files.check(policy, writes_folder(data, policy, files.output, files.write_as))
    for option, path in (("--report", files.report), ("--certificate", files.certificate)):
        if path is not None:
            require_memory(data, policy, option)
    if files.report is not None:
        from sfumato.common.charts.picture import altair  # noqa: PLC0415

        altair()
    if files.alternatives is not None:
        from sfumato.cli.explain import require_full_domain  # noqa: PLC0415

        require_full_domain(policy.method)
    if goal is None:
        release = policy.run(data, progress=progress)
    else:
        release, policy = goal.run(policy, data, progress)
    with ThreadPoolExecutor(1) as beside:
        # The summary will tell the bound. An engine is left alone while it writes: it takes all processors, and PySpark
        # and Numba both replace Python's list of warning filters for a moment, which may be done by one thread only.
        if progress is not silent and release.in_memory:
            beside.submit(lambda: release.bound)
        written = release.write(files.output, files.manifest, progress, files.write_as)
    if files.alternatives is not None:
        write_table(pa.table(release.details["alternatives"].to_columns()), files.alternatives)
    if files.policy is not None:
        policy.write(files.policy)
    if files.certificate is not None:
        from sfumato.api.certify import certify  # noqa: PLC0415

        certify(data, release, files.output, files.certificate, separator=policy.separator)
    if files.report is not None:
        release.report(files.report, file=None if files.to_stdout else files.output)
    return release, written.notes


def record(release: Release, files: Files) -> dict[str, Any]:
    """Return everything that is known about a release, for programs."""
    return {
        "files": {name.replace(" ", "_"): str(path) for name, path in files.written().items()},
        "released": release.verification.to_dict(),
        "loss": {**release.loss, "by_attribute": release.loss.by_attribute},
        "cautions": [caution.to_dict() for caution in release.cautions],
        "manifest": _without_secret(release.manifest),
    }


def _without_secret(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a manifest without the seed: what a command prints ends up in logs, and the seed is the owner's alone."""
    return manifest | {"options": {name: value for name, value in manifest["options"].items() if name != "seed"}}


@dataclass(frozen=True)
class Goal:
    """How much may be lost, and what is to be as large as possible."""

    max_gcp: float
    maximize: str = "k"

    @classmethod
    def of(cls, max_gcp: float | None, maximize: str | None) -> Goal | None:
        """Return what the options say, None where they say nothing."""
        if max_gcp is None:
            if maximize is not None:
                raise ParameterError("--maximize needs the largest loss to accept, such as --max-gcp 0.10.")
            return None
        parameters.share("anonymize", "max_gcp", max_gcp)
        return cls(max_gcp, parameters.choice("anonymize", "maximize", maximize or "k", MAXIMIZED))

    def run(self, policy: Policy, table: Path | Source, progress: ProgressOption) -> tuple[Release, Policy]:
        """Return the release, and the policy that makes the same one."""
        found = find_strongest(table, policy, self.max_gcp, self.maximize, progress)
        model = KAnonymity(found.value) if self.maximize == "k" else LDiversity(found.value)
        others, _ = split_models(self.maximize, policy.privacy)
        return found.release, replace(policy, privacy=[model, *others])
