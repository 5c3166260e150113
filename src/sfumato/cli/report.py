"""``sfumato report``: a page about a release that is there already, whoever made it."""

from __future__ import annotations

from pathlib import Path

import typer

from sfumato.api.policy import Policy
from sfumato.cli.exits import FAILED
from sfumato.cli.files import refuse_overwriting
from sfumato.cli.screen import say
from sfumato.common.charts.picture import altair
from sfumato.io import check_writable


def run(policy: Path, original: Path, release: Path, output: Path, quiet: bool) -> None:
    """Write the report; the exit code is the verdict."""
    altair()
    refuse_overwriting({"report": output}, {"policy": policy, "original": original, "release": release})
    check_writable(output, table=False)
    verification = Policy.read(policy).report(output, original, release)
    if not quiet:
        say(f"wrote {output}\n{verification.summary()}")
    if not verification.ok:
        raise typer.Exit(FAILED)
