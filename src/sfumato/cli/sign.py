"""``sfumato sign``: a signature for a certificate, after it was read and by the person who answers for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options
from sfumato.cli.screen import say


@options.takes(only=options.WRITING)
def sign(
    certificate: Annotated[Path, typer.Argument(metavar="CERTIFICATE", help="The certificate to sign.")],
    key: Annotated[
        Path,
        typer.Option("--key", metavar="FILE", help="Your private key (Ed25519, PEM), which only you can read."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The signed certificate to write.")],
    asked: options.Asked,
    quiet: options.Quiet = False,
) -> None:
    """Sign a certificate, so that others can check who made it: sfumato check FILE --certificate C --public-key KEY.

    For example: sfumato sign certificate.json --key owner.key -o signed.json
    """
    from sfumato.cli.files import refuse_overwriting
    from sfumato.io import check_writable
    from sfumato.release.certificate import Certificate

    refuse_overwriting({"signed certificate": output}, {"certificate": certificate, "private key": key})
    check_writable(output, table=False)
    Certificate.read(certificate).sign(key).write(output)
    if not quiet:
        say(f"wrote {output}")
