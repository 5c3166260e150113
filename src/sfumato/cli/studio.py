"""``sfumato studio``: from a file to a signed release, in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.screen import say
from sfumato.errors import SourceError


def studio(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="The table to begin with.")] = None,
    port: Annotated[int, typer.Option("--port", metavar="N", help="The port; by default a random free one.")] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Print the address instead of opening it in a browser.")
    ] = False,
) -> None:
    """Open a page on this machine that leads from a file to a signed release.

    The table stays on this machine, and nothing is kept when the studio ends. For example: sfumato studio patients.csv
    """
    from sfumato.studio.server import serve

    if file is not None and not file.is_file():
        raise SourceError(f"There is no file {file}. Check the path, or start without one and choose it there.")
    serve(None if file is None else file.resolve(), port, opens=not no_open, say=say)
