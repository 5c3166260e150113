"""``sfumato anonymize``: check everything that could fail, then make the release and write its files, all or none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli import options
from sfumato.cli.exits import INTERRUPTED
from sfumato.cli.screen import answer_json, is_watched, paragraphs, say, wrapped
from sfumato.common.progress import reporting, silent
from sfumato.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.api.checklist import Checklist
    from sfumato.api.policy import Policy
    from sfumato.cli.files import ReleaseFiles
    from sfumato.common.progress import ProgressOption
    from sfumato.io import Source
    from sfumato.release.release import Release

MaxGcp = Annotated[
    float | None,
    typer.Option(
        "--max-gcp",
        metavar="GCP",
        help="The largest loss (GCP) to accept, such as 0.10; finds the strongest privacy within it.",
    ),
]
Maximize = Annotated[
    str | None,
    typer.Option("--maximize", metavar="k|l", help="What to make as large as --max-gcp allows; k by default."),
]
SavePolicy = Annotated[
    Path | None, typer.Option("--save-policy", metavar="FILE", help="Write these options to a policy file.")
]
Alternatives = Annotated[
    Path | None,
    typer.Option(
        "--alternatives", metavar="FILE", help="Write all answers of a full-domain method, with their losses."
    ),
]
CertificateFile = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="FILE",
        help="Write a certificate as JSON: hash, promises, what was achieved, risk, attacks; no original value.",
    ),
]
SigningKey = Annotated[
    Path | None,
    typer.Option(
        "--sign",
        metavar="KEY",
        help="Sign the certificate with this private key (Ed25519, PEM), which only you can read.",
    ),
]
BoundFile = Annotated[
    Path | None,
    typer.Option(
        "--bound",
        metavar="FILE",
        help="Write the least possible loss with the price of every row, for sfumato check --bound; keep it to "
        "yourself.",
    ),
]
ReportFile = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="FILE",
        help="Write a report for the person who signs the release off: one self-contained HTML page.",
    ),
]


@options.takes()
def anonymize(
    place: options.Place,
    output: options.Output,
    asked: options.Asked,
    table: options.Table = None,
    max_gcp: MaxGcp = None,
    maximize: Maximize = None,
    read_as: options.From = None,
    write_as: options.To = None,
    save_policy: SavePolicy = None,
    manifest: options.ManifestFile = None,
    alternatives: Alternatives = None,
    certificate: CertificateFile = None,
    sign: SigningKey = None,
    bound: BoundFile = None,
    report: ReportFile = None,
    title: options.ReportTitle = None,
    recipient: options.Recipient = None,
    purpose: options.Purpose = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
) -> None:
    """Anonymize a table: write a release that keeps every privacy model asked for, checked before it is written.

    For example: sfumato anonymize patients.csv -o release.csv --qi age --qi zip --sensitive disease --identifiers name
    --hierarchy zip=prefix -k 10 -l 3
    """
    from sfumato.cli.files import ReleaseFiles
    from sfumato.cli.request import to_policy
    from sfumato.cli.table import Input, columns_of

    also_read = {} if sign is None else {"private key": sign}
    about = _about_report(report, title=title, recipient=recipient, purpose=purpose)
    files = ReleaseFiles(
        place, output, manifest, save_policy, alternatives, certificate, report, write_as, also_read, about, bound
    )
    _refuse_signature(certificate, sign)
    limit = LossLimit.of(max_gcp, maximize)
    refuse_json_on_stdout(files, as_json)
    if certificate is not None and files.to_stdout:
        raise ParameterError("A certificate is about a file, but the release goes to stdout. Name a file with -o.")
    data = Input(place, read_as, table).open(asked)
    policy = to_policy(asked, columns_of(data, asked))
    release_by(policy, files, policy.open(data), as_json, quiet, limit)


def _refuse_signature(certificate: Path | None, key: Path | None) -> None:
    """Refuse, before the work starts, a signature that cannot be made."""
    if key is None:
        return
    if certificate is None:
        raise ParameterError("--sign signs a certificate. Say where to write it with --certificate FILE.")
    from sfumato.release.signature import sign

    sign({}, key)


def refuse_json_on_stdout(files: ReleaseFiles, as_json: bool) -> None:
    """Refuse to mix a release on stdout with JSON about it."""
    if as_json and files.to_stdout:
        raise ParameterError("The release goes to stdout, so --json has no place there. Name a file with -o.")


def release_by(
    policy: Policy, files: ReleaseFiles, data: Source, as_json: bool, quiet: bool, limit: LossLimit | None = None
) -> None:
    """Make a release by a policy, write it, and print its summary."""
    release, notes = make(policy, files, progress=silent if quiet else is_watched(), limit=limit, data=data)
    answers = None if policy.preset is None else _answers(policy, data, release)
    if as_json:
        answer_json(record(release, files) | ({} if answers is None else {"preset": answers.to_dict()}))
    if not quiet:
        say(wrapped(release.summary()))
        if answers is not None:
            say(f"\n{paragraphs(answers.summary())}\n")
        say("\n".join([*(f"wrote {path}" for path in files.written().values()), *(f"Note: {one}" for one in notes)]))
        if is_watched() and not as_json and not release.manifest.get("smallest_count"):
            from sfumato.cli.bars import show_bars

            say("")
            show_bars(release)


def _answers(policy: Policy, data: Source, release: Release) -> Checklist:
    from sfumato.api.checklist import checklist

    return checklist(data, release, seed=policy.seed, separator=policy.separator)


def make(
    policy: Policy,
    files: ReleaseFiles,
    progress: ProgressOption,
    limit: LossLimit | None = None,
    data: Path | Source | None = None,
) -> tuple[Release, Sequence[str]]:
    """Run a policy, within a limit on the loss if there is one, and write every file that was asked for.

    Returns the release, and notes on what readers of the file may misunderstand.
    """
    from sfumato.common.threads import at_most, threads

    data = Path(files.place) if data is None else data
    _refuse_before_the_work(policy, files, data)
    if limit is None:
        release = policy.run(data, progress=progress)
    else:
        release, policy = limit.run(policy, data, progress)
    with at_most(policy.threads), threads() as beside:
        # The summary shows the bound, so it is computed while the file is written. Not on an engine: while it writes it
        # takes all processors, and PySpark and Numba both replace Python's list of warning filters for a moment, which
        # is safe in one thread only.
        wanted = progress is not silent and release.in_memory
        bound = beside.submit(lambda: release.bound) if wanted else None
        written = release.write(files.output, files.manifest, progress, files.write_as)
        with _keeping(files), reporting(progress, "anonymize") as report:
            report("how little could be lost", 0.0)
            _ = None if bound is None else bound.result()
    with _keeping(files):
        _write_others(release, policy, files, data, progress)
    return release, written.notes


@contextmanager
def _keeping(files: ReleaseFiles) -> Iterator[None]:
    """Say what is kept if somebody presses Ctrl-C once the release is written."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"\nInterrupted. {files.output} is written and verified; what was still to be worked out about it is not.")
        raise typer.Exit(INTERRUPTED) from None


def _about_report(report: Path | None, **about: str | None) -> dict[str, str]:
    """What the report says of itself; without a report nothing would say it."""
    given = {name: text for name, text in about.items() if text is not None}
    if given and report is None:
        raise ParameterError(f"--{next(iter(given))} is said in a report, and none is written. Name one with --report.")
    return given


def _refuse_before_the_work(policy: Policy, files: ReleaseFiles, data: Path | Source) -> None:
    """Refuse what would fail after the work: files that cannot be written, and files that this release cannot have."""
    from sfumato.run.where import require_memory, writes_folder

    files.check(policy, writes_folder(data, policy, files.output, files.write_as))
    for option, path in (("--report", files.report), ("--certificate", files.certificate), ("--bound", files.bound)):
        if path is not None:
            require_memory(data, policy, option)
    if files.report is not None:
        from sfumato.common.charts.picture import altair

        altair()
    if files.alternatives is not None:
        from sfumato.cli.request import require_full_domain

        require_full_domain(policy.method)


def _write_others(
    release: Release, policy: Policy, files: ReleaseFiles, data: Path | Source, progress: ProgressOption
) -> None:
    """Write the files about the release."""
    if files.alternatives is not None:
        import pyarrow as pa

        from sfumato.io import write_table

        write_table(pa.table(release.details["alternatives"].to_columns()), files.alternatives)
    if files.policy is not None:
        policy.write(files.policy)
    if files.bound is not None:
        from sfumato.api.check_bound import write_bound

        with reporting(progress, "anonymize") as report:
            report("the bound of every row", 0.0)
            write_bound(release, files.bound)
    if files.certificate is not None:
        from sfumato.api.certify import certify

        key, seed = files.also_read.get("private key"), policy.seed
        certify(
            data,
            release,
            files.output,
            files.certificate,
            seed=seed,
            separator=policy.separator,
            sign=key,
            progress=progress,
        )
    if files.report is not None:
        recipient, purpose = (files.about.get(name) for name in ("recipient", "purpose"))
        file = None if files.to_stdout else files.output
        with reporting(progress, "anonymize") as report:
            report("the report", 0.0)
            release.report(files.report, file=file, title=files.title, recipient=recipient, purpose=purpose)


def record(release: Release, files: ReleaseFiles) -> dict[str, Any]:
    """Collect everything that is known about a release, for programs."""
    from sfumato.release.manifest import Reportable

    may = Reportable.of(release.manifest)
    return {
        "files": {name.replace(" ", "_"): str(path) for name, path in files.written().items()},
        "released": release.verification.to_dict(),
        "loss": {**release.loss, "by_attribute": release.loss.by_attribute} if may.losses else None,
        "cautions": [may.caution(caution.to_dict()) for caution in may.cautions(release.cautions)],
        "manifest": _without_seed(may.manifest(release.manifest)),
    }


def _without_seed(manifest: dict[str, Any]) -> dict[str, Any]:
    """Leave the seed out of a manifest: what a command prints ends up in logs, and only the owner may know the seed."""
    return manifest | {"options": {name: value for name, value in manifest["options"].items() if name != "seed"}}


@dataclass(frozen=True)
class LossLimit:
    """The limit on the loss, and what to maximize within it: k or l."""

    max_gcp: float
    maximize: str = "k"

    @classmethod
    def of(cls, max_gcp: float | None, maximize: str | None) -> LossLimit | None:
        """Read the options; None without them."""
        if max_gcp is None:
            if maximize is not None:
                raise ParameterError("--maximize needs the largest loss to accept, such as --max-gcp 0.10.")
            return None
        from sfumato.api.strongest import MAXIMIZED
        from sfumato.common import parameters

        parameters.share("anonymize", "max_gcp", max_gcp)
        return cls(max_gcp, parameters.choice("anonymize", "maximize", maximize or "k", MAXIMIZED))

    def run(self, policy: Policy, table: Path | Source, progress: ProgressOption) -> tuple[Release, Policy]:
        """Find the strongest release within the limit, and the policy that makes the same one."""
        from sfumato.api.strongest import find_strongest, split_models
        from sfumato.privacy import KAnonymity, LDiversity

        found = find_strongest(table, policy, self.max_gcp, self.maximize, progress)
        model = KAnonymity(found.value) if self.maximize == "k" else LDiversity(found.value)
        others, _ = split_models(self.maximize, policy.privacy)
        return found.release, replace(policy, privacy=[model, *others])
