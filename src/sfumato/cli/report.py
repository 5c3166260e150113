"""``sfumato report``: a report about a release that was written before, by Sfumato or another tool."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.exits import FAILED, NOT_CHECKABLE
from sfumato.cli.screen import is_watched, say


@options.takes(only=options.WRITING)
def report(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file that the release was made with.")],
    original: options.Original,
    release: options.Released,
    asked: options.Asked,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The report to write.")] = Path(
        "report.html"
    ),
    title: options.ReportTitle = None,
    recipient: options.Recipient = None,
    purpose: options.Purpose = None,
    quiet: options.Quiet = False,
) -> None:
    """Write a report about a released file: one HTML page for the person who signs it off.

    Exit code 0 if every promise of the policy holds, 1 if not, 6 if the file alone does not prove one. For example:
    sfumato report policy.toml patients.csv release.csv -o report.html
    """
    from sfumato.api.policy import Policy
    from sfumato.cli.files import refuse_misnamed, refuse_overwriting
    from sfumato.common.charts.picture import altair
    from sfumato.common.progress import reporting
    from sfumato.io import check_writable

    altair()
    refuse_overwriting({"report": output}, {"policy": policy, "original": original, "release": release})
    check_writable(output, table=False)
    refuse_misnamed("report", output)
    named = title or f"Release of {Path(original).name} → {Path(release).name}"
    with reporting(is_watched() and not quiet, "report") as tell:
        tell("checking the release, and writing the report", 0.0)
        verification = Policy.read(policy).report(
            output, original, release, title=named, recipient=recipient, purpose=purpose
        )
    if not quiet:
        say(f"wrote {output}\n{verification.summary()}")
    if not verification.ok:
        raise typer.Exit(FAILED if verification.broken else NOT_CHECKABLE)
